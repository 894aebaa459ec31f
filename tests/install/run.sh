#!/bin/sh
# Installs the build into a scratch folder, moves it, and uses the libraries from there: once found by
# CMake, once by pkg-config. run.sh BUILD SOURCE COMPILER SANITIZERS
set -eu
build=$1 source=$2 compiler=$3 sanitizers=${4:+-fsanitize=$4}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
profile=$source/../../samples/hp/foldleak-prof-hb.hp

cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/moved"

cmake -S "$source/consumer" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS="$sanitizers" >/dev/null
cmake --build "$scratch/cmake" >/dev/null
"$scratch/cmake/consumer" "$profile" "$scratch/cmake.svg"

PKG_CONFIG_PATH=$(find "$scratch/moved" -name pkgconfig)
export PKG_CONFIG_PATH
# The flags are words: no quotes.
# shellcheck disable=SC2046
"$compiler" $sanitizers "$source/consumer/consumer.c" $(pkg-config --static --cflags --libs hprender hpprof) -o "$scratch/consumer"
"$scratch/consumer" "$profile" "$scratch/pkg.svg"

cmp "$scratch/cmake.svg" "$scratch/pkg.svg"
"$scratch/moved/bin/census" --version
