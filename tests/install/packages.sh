#!/bin/sh
# Makes the Debian packages of a build, checks them with lintian, installs them in an empty root whose list of packages is that of
# this system, so that dependencies are checked, opens a profile as a desktop does, and removes them again.
#
# packages.sh BUILD SOURCE
set -eu
build=$1 source=$2
for program in dpkg-deb fakeroot lintian desktop-file-validate update-desktop-database update-mime-database gio; do
    command -v "$program" >/dev/null || missing="${missing-} $program"
done
if [ "${missing-}" ]; then
    echo "skipped:$missing (Debian: dpkg fakeroot lintian desktop-file-utils shared-mime-info libglib2.0-bin)"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$build" && SOURCE_DATE_EPOCH=1700000000 cpack -G DEB -B "$scratch/deb") >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
set -- "$scratch"/deb/census_*.deb "$scratch"/deb/libheapcensus-dev_*.deb
lintian --fail-on error --allow-root "$@"

root=$scratch/root
admin=$root/var/lib/dpkg
mkdir -p "$admin/info" "$admin/updates" "$admin/triggers"
cp /var/lib/dpkg/status "$admin/"
# The cache of the dynamic linker belongs to this system, not to the root.
mkdir "$scratch/bin"
printf '#!/bin/sh\n' >"$scratch/bin/ldconfig"
chmod +x "$scratch/bin/ldconfig"
export PATH="$scratch/bin:$PATH"
in_root() {
    fakeroot dpkg --root="$root" --force-script-chrootless --force-bad-path --log="$scratch/dpkg.log" "$@" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log"; exit 1; }
}
in_root --no-triggers -i "$@"
share=$root/usr/share
PATH=$scratch/bin:$root/usr/bin:$PATH
[ "$(census --version)" = "census (heapcensus) $(dpkg-deb -f "$1" Version)" ]
census run -q -o "$scratch/date" -- date >/dev/null
census report "$scratch/date.census" | grep -q '^peak *[1-9]'
MANPATH=$share/man man census-report | grep -q 'fail-if'
for file in bash-completion/completions/census zsh/site-functions/_census fish/vendor_completions.d/census.fish \
    doc/census/copyright doc/census/changelog.gz doc/heapcensus/LICENSE doc/heapcensus/docs/native.md doc/heapcensus/samples/api \
    doc/libheapcensus-dev/copyright; do
    [ -e "$share/$file" ] || { echo "$file is not installed"; exit 1; }
done
[ -e "$root/usr/include/hpfile/survey.h" ] && [ -e "$root/usr/include/census/mark.h" ]
python3 "$source/tests/docs/commands.py" "$root/usr/bin/census" "$share/doc/heapcensus" README.md >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }

# A double click: type by content and by name, the program for the type, and its page.
desktop-file-validate "$share/applications/heapcensus.desktop"
update-desktop-database "$share/applications"
update-mime-database "$share/mime" 2>/dev/null
export XDG_DATA_DIRS="$share:/usr/share" XDG_DATA_HOME="$scratch/data" XDG_CONFIG_HOME="$scratch/config" XDG_CACHE_HOME="$scratch/cache"
cp "$source/samples/hp/foldleak-prof-hb.hp" "$scratch/a profile.hp"
cp "$scratch/a profile.hp" "$scratch/unnamed"
cp "$source"/samples/eventlog/dragvoid-*.eventlog "$scratch/log.eventlog"
cp "$source/samples/native/build.census" "$scratch/unnamed.recording"
echo '{}' >"$scratch/heap.heapsnapshot"
type_of() {
    gio info -a standard::content-type "$1" | sed -n 's/.*content-type: //p'
}
[ "$(type_of "$scratch/a profile.hp")" = application/x-heap-profile ]
[ "$(type_of "$scratch/unnamed")" = application/x-heap-profile ]
[ "$(type_of "$scratch/log.eventlog")" = application/x-ghc-eventlog ]
[ "$(type_of "$scratch/unnamed.recording")" = application/x-heap-recording ]
[ "$(type_of "$scratch/heap.heapsnapshot")" = application/x-heap-snapshot ]
gio mime application/x-ghc-eventlog | grep -q heapcensus.desktop
printf '#!/bin/sh\nprintf "%%s" "$1" >"%s/shown.part"\nmv "%s/shown.part" "%s/shown"\n' "$scratch" "$scratch" "$scratch" >"$scratch/bin/xdg-open"
chmod +x "$scratch/bin/xdg-open"
DISPLAY=:0 gio launch "$share/applications/heapcensus.desktop" "$scratch/a profile.hp"
for _ in $(seq 600); do
    [ ! -e "$scratch/shown" ] || break
    sleep 0.1
done
grep -q 'url=http://127.0.0.1:' "$(cat "$scratch/shown")"
rm "$share/applications/mimeinfo.cache"
find "$share/mime" -mindepth 1 -not -path '*/packages*' -delete

in_root -P census libheapcensus-dev
left=$(find "$root" -mindepth 1 -not -type d -not -path "$admin/*" -print)
[ -z "$left" ] || { echo "left after removal: $left"; exit 1; }
