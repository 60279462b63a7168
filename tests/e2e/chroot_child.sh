#!/usr/bin/env bash
# A child in an empty root, as another user: its profile is there.
. "$(dirname "$0")/lib.sh"
need_root
mkdir "$tmp/root"
both "$programs/chroot_child" "$tmp/root"
finish
