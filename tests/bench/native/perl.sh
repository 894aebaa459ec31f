#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# perl: a hash of lists of strings, which is sorted, copied and counted six times.
. "$(dirname "$0")/_common.inc"
exec "$@" perl -e '
my %lists;
push @{$lists{$_ % 5000}}, "x$_" x 3 for 1 .. 300000;
my $n = 0;
for (1 .. 6) {
    for my $key (sort keys %lists) {
        my %lengths = map { ("${_}y" => length) } @{$lists{$key}};
        $n += keys %lengths;
    }
}
print "$n\n";
'
