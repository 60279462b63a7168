#!/usr/bin/env bash
# A library, and then a program, that exist in memory only (memfd): named from what is mapped.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/lib.c" <<'C'
#include <stdlib.h>
void *volatile kept;
void of_memory(void) { kept = malloc(5000); }
C
cat >"$tmp/main.c" <<'C'
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
extern char **environ;
void *volatile mine;
static int in_memory(const char *path) {
  char bytes[65536];
  int from = open(path, O_RDONLY), to = memfd_create("secret", 0);
  for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;)
    if (write(to, bytes, n) != n) exit(3);
  close(from);
  return to;
}
int main(int argc, char **argv) {
  if (!strcmp(argv[0], "second")) {
    mine = malloc(7000);
    usleep(700000);
    return 0;
  }
  int memory = in_memory(argv[1]);
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
  void *library = dlopen(name, RTLD_NOW);
  if (!library) return 1;
  if (dup2(open(argv[2], O_RDONLY), memory) != memory) return 2;  // the name leads to another file now
  ((void (*)(void))dlsym(library, "of_memory"))();
  usleep(700000);
  char *second[] = {"second", NULL};
  fexecve(in_memory(argv[0]), second, environ);
  return 4;
}
C
[ "$(id -u)" = 0 ] || skip "a mapped memfd that has no descriptor any more can be opened by root alone"
for id in sha1 none; do
  gcc -g -O1 -w -shared -fPIC -Wl,--build-id=$id -o "$tmp/lib.so" "$tmp/lib.c" && gcc -g -O1 -w -Wl,--build-id=$id -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
  sed 's/of_memory/not_memory/' "$tmp/lib.c" | gcc -g -O1 -w -shared -fPIC -Wl,--build-id=$id -o "$tmp/other.so" -xc - || fail "gcc"
  profile exact "$tmp/prog" "$tmp/lib.so" "$tmp/other.so"
  expect 0
  site of_memory lib.c 3 1 5000
  site main main.c "$(grep -n 'malloc(7000)' "$tmp/main.c" | cut -d: -f1)" 1 7000
done
finish
