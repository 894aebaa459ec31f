# SPDX-License-Identifier: BSD-2-Clause
#
# Shell functions that ./demo and ./check share: which packages are missing, and quiet steps.

missing=()

# want PACKAGE PROBE...: PACKAGE is missing when the probe fails. Names that it has in several releases: A|B. A name that
# ends with | is left out where the release has none of them.
want() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

has_font() {
    [[ -n $(find /usr/share/fonts /usr/local/share/fonts -name "$1" 2>/dev/null) ]]
}

# What a build needs.
want_build_packages() {
    want gcc command -v gcc
    want libc6-dev test -e /usr/include/stdio.h
    want cmake command -v cmake
    want ninja-build command -v ninja
    want pkg-config command -v pkg-config
    want zlib1g-dev pkg-config --exists zlib
    want liblzma-dev pkg-config --exists liblzma
    want libzstd-dev pkg-config --exists libzstd
    want libdw-dev pkg-config --exists libdw
    want libiberty-dev test -e /usr/include/libiberty/demangle.h
    want libmicrohttpd-dev pkg-config --exists libmicrohttpd
    want libpng-dev pkg-config --exists libpng
    want libsqlite3-dev pkg-config --exists sqlite3
    want libcairo2-dev pkg-config --exists cairo
    want libpango1.0-dev pkg-config --exists pangocairo pangoft2 fontconfig
    want fonts-liberation has_font LiberationSans-Regular.ttf
    want fonts-dejavu-core has_font DejaVuSans.ttf
}

# Installs what is missing with apt, or says what to install and gives up.
install_missing() {
    ((${#missing[@]})) || return 0
    local as_root=()
    if ! command -v apt-get >/dev/null || [[ $EUID -ne 0 && -z $(command -v sudo) ]]; then
        echo "Missing, by their Debian names: ${missing[*]}" >&2
        echo "Install them, then run $0 again." >&2
        exit 1
    fi
    [[ $EUID -eq 0 ]] || as_root=(sudo)
    echo "Installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    step apt install_with_apt "${as_root[@]}"
}

install_with_apt() {
    install_named "$@" || { "$@" apt-get update && install_named "$@"; }
}

# Installs each package by the first of its names that this release has.
install_named() {
    local names=() package name known
    for package in "${missing[@]}"; do
        known=${package%%|*}
        [[ $package != *'|' ]] || known=''
        for name in ${package//|/ }; do
            if [[ $(LC_ALL=C apt-cache policy "$name") == *'Candidate: '[^\(]* ]]; then
                known=$name
                break
            fi
        done
        names+=(${known:+"$known"})
    done
    "$@" apt-get install -y --no-install-recommends "${names[@]}"
}

# step NAME COMMAND...: runs quietly, into build/NAME.log; shows the end of the log on failure.
step() {
    local log=build/$1.log
    shift
    mkdir -p build
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "failed: $* (all of it in $log)" >&2
        return 1
    fi
}

# CMake has presets from 3.21 on, Debian from 12 on.
has_presets() {
    cmake --list-presets >/dev/null 2>&1
}

# configure PRESET
configure() {
    local options
    if has_presets; then
        cmake --preset "$1"
        return
    fi
    mapfile -t options < <(awk -v name="\"$1\"" '/"buildPresets"/ { exit } /"name":/ { is_it = index($0, name) } is_it' \
        CMakePresets.json | grep -o '"[A-Z0-9_]*": "[^"]*"' | sed 's/^"\(.*\)": "\(.*\)"$/-D\1=\2/')
    cmake -G Ninja -B "build/$1" "${options[@]}"
}

# build PRESET [OPTION...]
build() {
    local preset=$1
    shift
    step "configure-$preset" configure "$preset" && step "build-$preset" cmake --build "build/$preset" "$@"
}

# run_tests PRESET [OPTION...]
run_tests() {
    local preset=$1
    shift
    if has_presets; then
        ctest --preset "$preset" "$@"
    else
        (cd "build/$preset" && ctest --output-on-failure --timeout 600 "$@")
    fi
}
