#!/usr/bin/env bash
# The program's file and a library's are deleted as soon as they are loaded: names and lines are there, since they were
# looked at while the process lived.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/lib.c" <<'C'
#include <stdlib.h>
void *volatile kept;
void of_library(void) { kept = malloc(5000); }  // line: library
C
cat >"$tmp/main.c" <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
void *volatile mine;
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (argc != 2 || !library) return 1;
  mine = malloc(7000);  // line: program
  ((void (*)(void))dlsym(library, "of_library"))();
  if (unlink(argv[1]) || unlink(argv[0])) return 2;
  usleep(700000);
  return 0;
}
C
line() { grep -n "// line: $1\$" "$tmp/$2" | cut -d: -f1; }
for id in sha1 none; do
  gcc -g -O1 -shared -fPIC -Wl,--build-id=$id -o "$tmp/lib.so" "$tmp/lib.c" && gcc -g -O1 -Wl,--build-id=$id -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
  profile exact "$tmp/prog" "$tmp/lib.so"
  expect 0
  [ ! -e "$tmp/prog" ] || fail "the program is still there: nothing was tested"
  site main main.c "$(line program main.c)" 1 7000
  [ "$(id -u)" = 0 ] || skip "a deleted library can be opened by root alone (the program's own file passed)"
  site of_library lib.c "$(line library lib.c)" 1 5000
done
finish
