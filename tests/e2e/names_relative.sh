#!/usr/bin/env bash
# A library is loaded by a relative name, and the program changes its directory; where we stand, another library has that name.
. "$(dirname "$0")/lib.sh"
need gcc
mkdir "$tmp/there" "$tmp/here"
cat >"$tmp/main.c" <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (chdir(argv[1])) return 1;
  void *library = dlopen("./lib.so", RTLD_NOW);
  if (!library || chdir("/")) return 2;
  ((void (*)(void))dlsym(library, "function"))();
  usleep(300000);
  return 0;
}
C
gcc -g -O1 -w -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
source='#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void NAME(void) { kept = malloc(6000); }
void function(void) { NAME(); kept = 0; }'
for place in there here; do
  gcc -g -O1 -w -shared -fPIC -Wl,--build-id=none -o "$tmp/$place/lib.so" -xc - <<<"${source//NAME/of_$place}" || fail "gcc"
done
cd "$tmp/here"
profile exact "$tmp/prog" "$tmp/there"
expect 0
[ "$(get 'sum(value(s, "allocated_bytes") for s in sites_with(profiles[0], "of_there"))')" = 6000 ] || fail "not named"
[ "$(get 'bool(sites_with(profiles[0], "of_here"))')" = False ] || fail "the name of another library"
[ "$(get '{f["module"] for s in sites_with(profiles[0], "of_there") for f in s["frames"] if f["function"] == "of_there"}')" = "{'$tmp/there/lib.so'}" ] || fail "the module is not shown by its whole name"
finish
