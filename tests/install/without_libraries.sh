#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: without_libraries.sh COMPILER BUILD
#
# Configures with all defaults, as on a machine without Criterion, libmicrohttpd, libsqlite3 and elfutils: each part that cannot be built
# is reported in one line. Builds the program, which then works, with the objects of BUILD where they are the same.
set -eu
root=$(dirname "$0")/../..
build=$2/without_libraries
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

rm -rf "$build"
cmake -S "$root" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DCMAKE_C_COMPILER="$1" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCMAKE_C_COMPILER_LAUNCHER="$(realpath "$0" | sed 's:[^/]*$:take_object.sh:');$build/same" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
for part in "unit tests (Criterion" "the browser view of census open (libmicrohttpd" "names of functions in native profiles (elfutils" \
    "SQLite output of census convert (libsqlite3"; do
    [ "$(grep -cF "Not built: $part" "$scratch/log")" = 1 ] || { echo "expected one line: Not built: $part"; cat "$scratch/log"; exit 1; }
done
"$(dirname "$0")/same_objects.py" "$2" "$build"
cmake --build "$build" --target census census-preload >"$scratch/log" || { grep -A9 FAILED "$scratch/log"; exit 1; }
"$build/cli/census" run -q -o "$scratch/profile" sh -c 'true'
"$build/cli/census" info "$scratch/profile.census" | grep '^samples'
"$build/cli/census" convert --format sqlite "$scratch/profile.census" 2>&1 >"$scratch/sqlite" | grep 'SQLite is not built in'
