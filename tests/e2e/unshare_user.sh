#!/usr/bin/env bash
# The program may still make a user namespace: the agent has started no thread.
. "$(dirname "$0")/lib.sh"
"$programs/unshare_user" >/dev/null 2>"$tmp/err"
status=$?
maybe_skip
both "$programs/unshare_user"
finish
