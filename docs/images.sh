#!/bin/sh
# Draws the pictures of README.md, python.md, haskell.md, production.md, stack-views.md and reference/native.md that need no server of another project:
# docs/images.sh [CENSUS], from any directory. Pictures of programs that are not installed are not changed.
set -eu
cd "$(dirname "$0")/.."
census=$(realpath "${1:-build/release/cli/census}")
images=$PWD/docs/images
samples=$PWD/samples
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

# record NAME OPTION... -- COMMAND: a recording NAME.census.
record() {
    name=$1
    shift
    "$census" run -q -o "$name" "$@" >/dev/null
}

# draw NAME RECORDING OPTION...
draw() {
    name=$1 recording=$2
    shift 2
    "$census" plot -o "$images/$name.png" "$@" "$recording" 2>/dev/null
}

draw interp "$samples/hp/interp-prof-hd.hp" --dpi 110

# The doors of README.md.
cp "$samples"/python/*.py "$samples/native/server.cpp" .
g++ -g -O1 -o server server.cpp
record server -- ./server
record first -- /usr/bin/python3 cache.py
for name in server first; do
    draw "door-$name" "$name.census" --width 7in --height 3.2in --dpi 110
done

for program in cache cycle closure lru; do
    record "$program" -hr -i 0.25 -- /usr/bin/python3 "$program.py"
    draw "python-$program" "$program.census" --dpi 144
done
/usr/bin/python3 -c 'import numpy' && record arrays -hy -i 0.25 -- /usr/bin/python3 arrays.py && draw python-arrays arrays.census --dpi 144
record growth -hy -i 0.25 -- /usr/bin/python3 growth.py
draw python-growth growth.census --dpi 144

if command -v ghc >/dev/null; then
    cp "$samples"/programs/haskell/counts.hs . && ghc -O1 counts.hs >/dev/null
    record counts -hT -i 0.25 -- ./counts
    draw haskell-counts counts.census --dpi 144
fi

if command -v hledger >/dev/null; then
    seq 40000 | awk '{ printf "20%02d-%02d-%02d * shop %d\n    expenses:kind %d  $%d.%02d\n    assets:bank\n\n",
        10 + int($1 / 4001), 1 + $1 % 12, 1 + $1 % 28, $1 % 977, $1 % 7, $1 * 7919 % 900, $1 % 100 }' >journal
    record journal -hT -i 0.2 -- hledger -f journal balance
    draw haskell-hledger journal.census --exclude '^(UNREACHED|PINNED)$' --dpi 96
fi

if command -v pandoc >/dev/null; then
    seq 2400 | awk '{ if ($1 % 40 == 1) printf "# Chapter %d\n\n| a | b |\n|---|---|\n| %d | 2 |\n\n", $1 / 40, $1
        for (i = 1; i <= 30; i++) printf "word%d the *sum* of [part %d](#p%d) is\n", $1 * i % 97, i, $1 % 60
        printf "\n" }' >book.md
    record book -hT -i 0.1 -- pandoc book.md -o book.html
    draw haskell-pandoc book.census --exclude '^(UNREACHED|PINNED)$' --dpi 96
fi

cat >evicted.py <<'END'
import time
cache = [b"x" * (1000 + i % 2) for i in range(200_000)]
time.sleep(1)
cache = cache[::20]
time.sleep(2)
END
record evicted --resident -i 0.05 -- /usr/bin/python3 evicted.py
draw native-resident evicted.census --value resident --dpi 96

# docs/production.md: a server that is attached to, one whose resident set is looked at, and one in a cgroup that is too small for
# it (of version 1, where these may be made).
if g++ -g -O1 -o server "$samples/native/server.cpp"; then
    ./server 40000 >/dev/null &
    sleep 2
    timeout -s INT 26 "$census" attach -q --rate 512K --resident -o paged $! || true
    draw production-grows paged.census --dpi 96
    record kept --rate 512K --resident -i 0.2 -- ./server 40000
    draw production-kept kept.census --value resident --dpi 96
    cgroup=/sys/fs/cgroup/memory/census-images-$$
    if mkdir "$cgroup" 2>/dev/null && echo $((80 << 20)) >"$cgroup/memory.limit_in_bytes"; then
        record killed --rate 512K -i 0.2 -- sh -c "echo \$\$ >$cgroup/cgroup.procs; exec ./server 40000" || true
        draw production-killed killed.census --dpi 96
        rmdir "$cgroup"
    fi
fi

# A client without cookies, until the server is stopped.
if /usr/bin/python3 -c 'import flask'; then
    record server -hr -i 0.5 -- /usr/bin/python3 server.py 8000 2>/dev/null &
    server=$!
    /usr/bin/python3 - <<'END'
import time, urllib.request
for n in range(400):
    try:
        urllib.request.urlopen("http://127.0.0.1:8000/search/item", timeout=10).read()
    except OSError:
        time.sleep(0.2)
    time.sleep(0.02)
END
    pkill -TERM -f 'server[.]py 8000' && wait "$server" || true
    draw python-server server.census --dpi 144
fi

if command -v sqlite3 >/dev/null; then
    record sqlite3 -i 0.02 --skip '[+]0x' -- sqlite3 :memory: <"$samples/native/library.sql"
    draw sqlite3 sqlite3.census --dpi 96
    draw callees sqlite3.census --callees-of sqlite3VdbeExec --by function --overlay none --dpi 112
fi
