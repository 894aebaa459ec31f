#!/bin/sh
# Installs the libraries into a scratch folder, moves it, and uses them from there: found once by CMake, once by pkg-config.
# The consumer draws a profile; samples/api has one program for each library, and those that open profiles open all formats.
# The documents are checked, too, and embedding.md is compiled and run.
#
# run.sh static BUILD SOURCE COMPILER [SANITIZERS]: the libraries of a finished build
# run.sh shared BUILD SOURCE COMPILER: shared libraries, which are linked for this, in BUILD/shared
set -eu
mode=$1 build=$2 source=$3 compiler=$4 sanitizers=${5:+-fsanitize=$5}
root=$source/../..
profile=$root/samples/hp/foldleak-prof-hb.hp
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ "$mode" = shared ]; then
    build=$build/shared
    rm -rf "$build"
    cmake -S "$root" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DCMAKE_C_COMPILER="$compiler" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
        -DCMAKE_C_COMPILER_LAUNCHER="$source/take_object.sh;$build/same" \
        -DCENSUS_BUILD_TESTS=OFF -DCENSUS_BUILD_BENCH=OFF -DCENSUS_BUILD_SAMPLES=OFF >/dev/null
    "$source/same_objects.py" "$2" "$build"
    cmake --build "$build" >"$scratch/log" || { grep -A9 FAILED "$scratch/log"; exit 1; }
fi
cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/moved"
"$scratch/moved/bin/census" --version

PKG_CONFIG_PATH=$(find "$scratch/moved" -name pkgconfig)
export PKG_CONFIG_PATH

# Builds FOLDER with CMake.
with_cmake() {
    cmake -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$sanitizers" >/dev/null
    cmake --build "$2" >/dev/null
}

# Compiles FILE into PROGRAM with what pkg-config says of the packages.
with_pkg_config() {
    file=$1 program=$2
    shift 2
    run_path=
    [ "$mode" = static ] || run_path="-Wl,-rpath,$(pkg-config --variable=libdir hpfile)"
    # The flags are words: no quotes.
    # shellcheck disable=SC2046
    "$compiler" $sanitizers "$file" $(pkg-config --cflags --libs "$@") $run_path -o "$program"
}

with_cmake "$source/consumer" "$scratch/consumer"
"$scratch/consumer/consumer" "$profile" "$scratch/cmake.svg"
with_pkg_config "$source/consumer/consumer.c" "$scratch/consumer_pkg" hprender hpprof
"$scratch/consumer_pkg" "$profile" "$scratch/pkg.svg"
cmp "$scratch/cmake.svg" "$scratch/pkg.svg"

# Profiles of all formats that the program reads.
mkdir "$scratch/formats"
cp "$root"/samples/eventlog/foldleak-prof-lu-hc.eventlog "$root"/samples/native/build.census "$root"/tests/conformance/exchange/samples/* "$scratch/formats"
for format in csv tidy; do
    "$scratch/moved/bin/census" convert --format $format -o "$scratch/formats/p.$format" "$profile"
done

# A program's name begins with the name of its library.
with_cmake "$root/samples/api" "$scratch/api"
for file in "$root"/samples/api/*.c; do
    name=$(basename "$file" .c)
    with_pkg_config "$file" "$scratch/$name" "${name%%_*}"
    case $name in
    hpfile_*)
        "$scratch/api/$name" "$profile" >"$scratch/$name.cmake"
        "$scratch/$name" "$profile" >"$scratch/$name.pkg"
        cmp "$scratch/$name.cmake" "$scratch/$name.pkg"
        grep '^peak: [1-9]' "$scratch/$name.pkg"
        for given in "$scratch"/formats/*; do
            "$scratch/moved/bin/census" convert --format hp -o "$scratch/formats.hp" "$given"
            "$scratch/$name" "$given" | sed 1q >"$scratch/$name.given"
            "$scratch/$name" "$scratch/formats.hp" | sed 1q | cmp - "$scratch/$name.given"
        done
        ;;
    hprender_*)
        "$scratch/api/$name" "$profile" "$scratch/$name.cmake"
        "$scratch/$name" "$profile" "$scratch/$name.pkg"
        cmp "$scratch/$name.cmake" "$scratch/$name.pkg"
        for given in "$scratch"/formats/*; do
            "$scratch/$name" "$given" "$scratch/$name.page"
        done
        ;;
    hpprof_*)
        mkdir "$scratch/$name.run"
        (cd "$scratch/$name.run" && "$scratch/api/$name" && "$scratch/$name")
        "$scratch/moved/bin/census" info "$scratch/$name.run"/*.hp
        ;;
    esac
done

# A program that marks moments in its profile includes headers and links nothing.
"$compiler" -I"$(pkg-config --variable=includedir hpprof)" "$source/consumer/marks.c" -o "$scratch/marks"
"$scratch/marks"
"$scratch/moved/bin/census" run -q -o "$scratch/marks" "$scratch/marks"
"$scratch/moved/bin/census" info "$scratch/marks.census" | grep '^marks *1$'

# A program that the installed census cc compiles, with a scope of an installed header.
"$scratch/moved/bin/census" cc --compiler="$compiler" -O2 -g -fno-builtin-malloc \
    -I"$(pkg-config --variable=includedir hpprof)" "$source/consumer/scopes.c" -o "$scratch/scopes"
"$scratch/scopes"
"$scratch/moved/bin/census" run -q -hc -o "$scratch/scopes.hp" "$scratch/scopes"
grep '^([0-9]*)part/named/whole/main	77$' "$scratch/scopes.hp"

# The licence and the documents, whose links to other files lead somewhere.
documents=$scratch/moved/share/doc/heapcensus
cmp "$root/LICENSE" "$documents/LICENSE"
find "$documents" -name '*.md' | while read -r page; do
    grep -o ']([^):#]*[):#]' "$page" | grep -v ':$' | sed 's/^](//; s/.$//' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link is not there"; exit 1; }
    done
done

# The program in embedding.md, built and run as it says, by the compiler of this build.
mkdir "$scratch/embedding" "$scratch/bin"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$compiler" "$sanitizers" >"$scratch/bin/cc"
chmod +x "$scratch/bin/cc"
(
    cd "$scratch/embedding"
    export PATH="$scratch/bin:$scratch/moved/bin:$PATH" CC="$scratch/bin/cc" CMAKE_PREFIX_PATH="$scratch/moved"
    export LD_LIBRARY_PATH="${PKG_CONFIG_PATH%/pkgconfig}"
    python3 "$source/document.py" "$documents/docs/embedding.md"
)

if [ "$mode" = shared ]; then
    # Only the public API is visible; each library has a soname.
    for library in "${PKG_CONFIG_PATH%/pkgconfig}"/libhp*.so; do
        ! nm -D --defined-only "$library" | grep -v ' _\{0,1\}hp[frp]_\| etext$' || { echo "$library exports private names"; exit 1; }
        readelf -d "$library" | grep -q "SONAME.*$(basename "$library")\.[0-9]" || { echo "$library has no soname"; exit 1; }
    done
fi
