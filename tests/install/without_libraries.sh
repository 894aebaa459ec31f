#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: without_libraries.sh COMPILER
#
# Configures with all defaults, as on a machine without Criterion, libmicrohttpd, libsqlite3 and elfutils: each part that cannot be built
# is reported in one line. Builds the program, which then works.
set -eu
root=$(dirname "$0")/../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/pc"
pkg-config --variable pc_path pkg-config | tr : '\n' | while read -r folder; do
    for file in "$folder"/*.pc; do
        case ${file##*/} in
        criterion.pc | libmicrohttpd.pc | libdw.pc | libelf.pc | sqlite3.pc) ;;
        *) [ ! -e "$file" ] || ln -sf "$file" "$scratch/pc" ;;
        esac
    done
done
export PKG_CONFIG_LIBDIR="$scratch/pc"

cmake -S "$root" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$1" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; exit 1; }
for part in "unit tests (Criterion" "the browser view of census open (libmicrohttpd" "names of functions in native profiles (elfutils" \
    "SQLite output of census convert (libsqlite3"; do
    [ "$(grep -cF "Not built: $part" "$scratch/log")" = 1 ] || { echo "expected one line: Not built: $part"; cat "$scratch/log"; exit 1; }
done
cmake --build "$scratch/build" --target census census-preload >"$scratch/log" || { grep -A9 FAILED "$scratch/log"; exit 1; }
"$scratch/build/cli/census" run -q -o "$scratch/profile" sh -c 'true'
"$scratch/build/cli/census" info "$scratch/profile.census" | grep '^samples'
"$scratch/build/cli/census" convert --format sqlite "$scratch/profile.census" 2>&1 >"$scratch/sqlite" | grep 'SQLite is not built in'
