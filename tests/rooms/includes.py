#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the direction of #include lines: a room includes its own files and rooms below it.

includes.py SOURCE_DIRECTORY
"""
import pathlib
import re
import sys

DRAWING = {"cairo", "pango", "fontconfig", "png.h"}

# Room: folders of public headers that its files may include, and words in system headers that none
# of its files may.
ROOMS = {
    "hpfile": ({"hpfile"}, DRAWING | {"termios", "sys/socket"}),
    "render": ({"hpfile", "hprender"}, {"termios", "sys/socket"}),
    "profiler": ({"hpfile", "hpprof"}, DRAWING),
    "cli": ({"hpfile", "hprender", "hpprof"}, DRAWING),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def problems_of(path, room, own_headers):
    allowed, foreign = ROOMS[room]
    for kind, name in INCLUDE.findall(path.read_text()):
        if kind == "<":
            if any(word in name for word in foreign):
                yield f"{path}: <{name}> is not for {room}"
        elif name.split("/")[0] not in allowed and pathlib.Path(name).name not in own_headers:
            yield f"{path}: \"{name}\" is neither of {room} nor of a room below"


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    n_files = 0
    for room in ROOMS:
        own_headers = {path.name for path in (root / room).rglob("*.h")}
        for path in sorted((root / room).rglob("*.[ch]")):
            problems += problems_of(path, room, own_headers)
            n_files += 1
    print("\n".join(problems))
    return 1 if problems or n_files == 0 else 0


sys.exit(main())
