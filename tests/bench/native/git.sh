#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# git log with patches, statistics, renames and copies, over a repository of COMMITS made-up commits.
. "$(dirname "$0")/_common.inc"
n=${COMMITS:-4000}
repository=$W/git-$n.git

# 60 files of 300 lines in 7 folders; each commit changes 12 lines of one of them.
commits() {
    perl -e '
        my @files;
        for my $c (1 .. $ARGV[0]) {
            my $i = $c % 60;
            $files[$i] //= [map { "line $_ of $i\n" } 1 .. 300];
            $files[$i][($c * 7919 + $_ * 31) % 300] = "changed $c $_\n" for 1 .. 12;
            my $text = join "", @{$files[$i]};
            my $folder = $i % 7;
            print "commit refs/heads/main\nmark :$c\n";
            print "committer A <a\@b> ", 1500000000 + $c * 60, " +0000\ndata 6\ncommit\n";
            print "from :", $c - 1, "\n" if $c > 1;
            print "M 100644 inline d$folder/f$i.txt\ndata ", length $text, "\n$text\n";
        }' "$n"
}

if [ ! -e "$repository/ready" ]; then
    rm -rf "$repository"
    git init -q --bare "$repository"
    commits | git --git-dir="$repository" fast-import --quiet --force
    git --git-dir="$repository" -c pack.threads=1 repack -adfq
    touch "$repository/ready"
fi
export GIT_CONFIG_NOSYSTEM=1 HOME="$W"
exec "$@" git --no-pager --git-dir="$repository" log -p --stat -M -C -C --format='%H %an %s' main
