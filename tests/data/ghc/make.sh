#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make.sh FOLDER: builds phases.hs with the GHC in PATH, and runs it once for each profile that this
# GHC has. Leaves FOLDER/VERSION-PROFILE.eventlog, and the .hp file of the same run; compressed
# if there is xz.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
version=$(ghc --numeric-version)
case $version in
8.*) profiling='hc hy hr hb' plain=h infos= log=-eventlog ;;
9.0.*) profiling='hc hy hr hb' plain=hT infos= log=-eventlog ;;
9.[2-8].*) profiling='hc hy hr hb' plain='hT hi' infos='-finfo-table-map -fdistinct-constructor-tables' log= ;;
*) profiling='hc hy hr hb he' plain='hT hi' infos='-finfo-table-map -fdistinct-constructor-tables' log= ;;
esac
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cd "$build"
cp "$here/phases.hs" .
# Only Main has -fprof-auto and info tables: the logs are small.
# shellcheck disable=SC2086
ghc -v0 -O1 -rtsopts $log -prof -fprof-auto -outputdir prof.o -o prof phases.hs
# shellcheck disable=SC2086
ghc -v0 -O1 -rtsopts $log $infos -outputdir plain.o -o plain phases.hs

run() { # PROGRAM PROFILE
    "./$1" +RTS "-$2" -i0 -A256k -l-au "-olphases.eventlog" -RTS >/dev/null
    mv phases.eventlog "$out/$version-$2.eventlog"
    mv "$1.hp" "$out/$version-$2.hp"
}
for profile in $profiling; do run prof "$profile"; done
for profile in $plain; do run plain "$profile"; done
if command -v xz >/dev/null; then
    find "$out" -name "$version-*" ! -name '*.xz' -exec xz -9ef {} +
fi
