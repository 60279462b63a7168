#!/usr/bin/env bash
# git log of a repository of its own.
. "$(dirname "$0")/lib.sh"
need git
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q "$tmp/repository"
for i in $(seq 60); do
  seq "$i" $((i * 20)) >"$tmp/repository/file"
  git -C "$tmp/repository" add file && git -C "$tmp/repository" commit -qm "change $i"
done
same_as_alone 300 git -C "$tmp/repository" log -p --stat
finish
