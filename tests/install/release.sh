#!/bin/sh
# The tarball of a release: equal bytes each time, without files that the build made; the newest entry of CHANGELOG.md is its version.
#
# release.sh BUILD SOURCE VERSION
set -eu
build=$1 source=$2 version=$3
[ -e "$source/.git" ] || { echo "skipped: not in a git repository"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --build "$build" --target dist >"$scratch/log" || { cat "$scratch/log"; exit 1; }
mv "$build/heapcensus-$version.tar.xz" "$scratch/tarball"
# xz, with one thread, writes equal bytes for equal bytes.
git -C "$source" archive --prefix="heapcensus-$version/" HEAD >"$scratch/again"
xz -dc "$scratch/tarball" | cmp - "$scratch/again"
tar --quoting-style=literal -tf "$scratch/again" >"$scratch/files"
grep -qx "heapcensus-$version/CMakeLists.txt" "$scratch/files"
! grep -v "^heapcensus-$version/" "$scratch/files"
git -C "$source" -c core.quotePath=false ls-tree -r --name-only HEAD | sed "s|^|heapcensus-$version/|" | sort >"$scratch/expected"
grep -v '/$' "$scratch/files" | sort | cmp - "$scratch/expected"
[ "$(sed -n 's/^## //p' "$source/CHANGELOG.md" | head -n 1)" = "$version" ]
