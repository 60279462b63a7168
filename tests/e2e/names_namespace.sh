#!/usr/bin/env bash
# A program in a mount namespace of its own, whose file is on no file system of ours; under its path we have another one.
. "$(dirname "$0")/lib.sh"
need gcc unshare
mkdir "$tmp/place"
unshare -m mount -t tmpfs none "$tmp/place" 2>"$tmp/why" || skip "no mount namespaces here: $(head -c 200 "$tmp/why")"
source='#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void NAME(void) { kept = malloc(6000); }
int main(void) { NAME(); usleep(1500000); return 0; }'
for id in sha1 none; do
  gcc -g -O1 -w -Wl,--build-id=$id -o "$tmp/inside" -xc - <<<"${source//NAME/of_the_inside}" || fail "gcc"
  gcc -g -O1 -w -Wl,--build-id=$id -o "$tmp/place/prog" -xc - <<<"${source//NAME/of_the_outside}" || fail "gcc"
  profile exact unshare -m sh -c 'mount -t tmpfs none "$0/place" && cp "$0/inside" "$0/place/prog" && exec "$0/place/prog"' "$tmp"
  expect 0
  [ "$(get 'sum(value(s, "live_bytes") for p in profiles for s in sites_with(p, "of_the_inside"))')" = 6000 ] || fail "$id: not named from inside"
  [ "$(get 'any(sites_with(p, "of_the_outside") for p in profiles)')" = False ] || fail "$id: the name of our own file under that path"
done
finish
