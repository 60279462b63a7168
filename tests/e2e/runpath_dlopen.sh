#!/usr/bin/env bash
# A program opens a plugin by its bare name, found through its own RUNPATH: the loader asks who called dlopen, so nothing of
# ours may stand between. Also a plugin whose thread-local storage must fit into what the loader keeps for such: our own is
# small enough to leave it there.
. "$(dirname "$0")/lib.sh"
need gcc
mkdir "$tmp/plugins"
cat >"$tmp/plugin.c" <<'C'
#include <stdlib.h>
__thread char storage[1000] __attribute__((tls_model("initial-exec")));
__attribute__((noinline)) void *plugin_block(size_t bytes) { storage[0] = 1; return malloc(bytes); }
C
cat >"$tmp/main.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  void *plugin = dlopen("libbare_name.so", RTLD_NOW);
  if (!plugin) return puts(dlerror()), 1;
  void *(*block)(size_t) = (void *(*)(size_t))dlsym(plugin, "plugin_block");
  for (int i = 0; i < 77; ++i) *(char *volatile *)&(char *){0} = block(1000);
  return 0;
}
C
gcc -g -O1 -shared -fPIC -fno-builtin -o "$tmp/plugins/libbare_name.so" "$tmp/plugin.c" || fail "plugin.c"
gcc -g -O1 -fno-builtin -o "$tmp/opener" "$tmp/main.c" -ldl -Wl,--enable-new-dtags,-rpath,"$tmp/plugins" || fail "main.c"
"$tmp/opener" || fail "the program does not work without us"
profile exact "$tmp/opener"
expect 0
site plugin_block plugin.c 3 77 77000
# The same by $ORIGIN, and by the RUNPATH of a library that is the one that calls dlopen.
sed 's/int main(void)/int opens(void)/' "$tmp/main.c" >"$tmp/library.c"
echo 'int opens(void); int main(void) { return opens(); }' >"$tmp/caller.c"
gcc -g -O1 -fno-builtin -o "$tmp/by_origin" "$tmp/main.c" -ldl -Wl,--enable-new-dtags,-rpath,'$ORIGIN/plugins' || fail "by_origin"
gcc -g -O1 -fno-builtin -shared -fPIC -o "$tmp/libopens.so" "$tmp/library.c" -ldl -Wl,--enable-new-dtags,-rpath,'$ORIGIN/plugins' || fail "libopens"
gcc -g -O1 -o "$tmp/by_library" "$tmp/caller.c" "$tmp/libopens.so" -Wl,-rpath,"$tmp" || fail "by_library"
for program in by_origin by_library; do
  profile exact "$tmp/$program"
  expect 0
  site plugin_block plugin.c 3 77 77000
done
finish
