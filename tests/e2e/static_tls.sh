#!/usr/bin/env bash
# Libraries that need static TLS and are loaded late share a small surplus: the agent takes none of it.
. "$(dirname "$0")/lib.sh"
need cc
echo 'static __thread volatile char room[64] __attribute__((tls_model("initial-exec"))); char use(void) { return ++room[0]; }' >"$tmp/tls.c"
cat >"$tmp/load.c" <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int loaded = 0;
  while (loaded + 1 < argc && dlopen(argv[loaded + 1], RTLD_NOW)) ++loaded;
  printf("%d\n", loaded);
  return 0;
}
EOF
cc -shared -fPIC -ftls-model=initial-exec -o "$tmp/tls.so" "$tmp/tls.c" && cc -o "$tmp/load" "$tmp/load.c" -ldl || fail "cc"
for i in $(seq 100 180); do cp "$tmp/tls.so" "$tmp/tls$i.so"; done
alone=$("$tmp/load" "$tmp"/tls???.so)
profile exact "$tmp/load" "$tmp"/tls???.so
expect 0
[ "$alone" -lt 81 ] || fail "the surplus was not used up: nothing was tested"
[ "$(cat "$tmp/out")" = "$alone" ] || fail "$(cat "$tmp/out") libraries found room, without us $alone"
finish
