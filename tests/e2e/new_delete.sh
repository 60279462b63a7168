#!/usr/bin/env bash
# operator new and delete in all forms count once, at their caller.
. "$(dirname "$0")/lib.sh"
both "$programs/new_delete"
finish
