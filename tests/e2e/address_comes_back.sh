#!/usr/bin/env bash
# A freed or moved address that comes back in another thread at once.
. "$(dirname "$0")/lib.sh"
truth_options="--unknown-frees 0"
both "$programs/address_comes_back"
finish
