#!/usr/bin/env bash
# perl: hashes and sorting.
. "$(dirname "$0")/lib.sh"
need perl
same_as_alone 20000 perl -e 'my %h; $h{$_ * 7919 % 30011} = "value $_" for 1..30000; my $s = 0; for (sort keys %h) { $s += length $h{$_} } print "$s\n"; exit 4'
finish
