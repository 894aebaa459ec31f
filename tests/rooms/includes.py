#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the direction of #include lines between rooms, between the floors of a room, and between files.

includes.py SOURCE_DIRECTORY

Rooms: a file includes headers of its own room and of the rooms below it; base is below all.
Floors: in a room with a row in FLOORS, a file includes headers of its own floor and of the floors listed before it.
Files: X.h and X.c are one unit; in a room with floors the units do not include each other in a circle.
"""
import pathlib
import posixpath
import re
import sys

DRAWING = {"cairo", "pango", "fontconfig", "png.h"}

# Room: the folders of public headers, or the headers, that its files may include, and words in the names of system
# headers that they may not. Every room may also include headers of base.
ROOMS = {
    "base": ({"hpfile/error.h", "hpfile/frame.h", "hpfile/sink.h", "hpfile/str.h"}, DRAWING | {"termios", "sys/socket"}),
    "hpfile": ({"hpfile"}, DRAWING | {"termios", "sys/socket"}),
    "coverage": ({"hpfile/error.h", "hpfile/sink.h", "hpfile/str.h"}, DRAWING | {"termios", "sys/socket"}),
    "render": ({"hpfile", "hprender"}, {"termios", "sys/socket"}),
    "profiler": ({"hpfile", "hpprof"}, DRAWING),
    "cli": ({"hpfile", "hprender", "hpprof", "coverage"}, DRAWING),
}

# Private headers of other rooms that a room may include, until they are public.
DOORS = {
    "cli": {"terminal/screen.h", "terminal/terminal_plot.h", "text/text_costs.h"},
}

# Room: its floors from the bottom up. A floor is a folder; a file that is directly in the room belongs to the floor ".".
# A public header belongs to the floor of its source: include/hpfile/sink.h to that of sink.c, or else to the lowest one
# that has a sink_*.c. One without a source is below all floors.
FLOORS = {
    "hpfile": ["io", "text", "snapshot", "event", "hp", "prof", "eventlog", "recording", "exchange", "detect", "summary", "findings"],
    "profiler": ["base", "ccs", "census", "core", "runtime", "symbol", "native/machine", "native/loading", "native/window",
                 "native/target/unwind", "native/target/centres", "native/python", "native/target/compiled", "native/target/counting",
                 "native/target/lives", "native/target/preload",
                 "native/collector/image", "native/collector/roots", "native/haskell", "native/python/heap", "native/collector/graph", "native/collector/types",
                 "native/collector/profile", "native/collector", "native/collector/attach"],
    "cli": ["options", ".", "bins", "source", "eventlog", "retainers", "findings", "dominators", "plot", "watch/loop", "watch/inputs", "watch/web", "watch/terminal", "watch", "run", "hpc", "gate", "commands"],
    "render": ["style", "chart", "layout", "classic", "draw", "output", "html", "terminal"],
}

# Rooms whose public headers are below all floors: they hold the types that all floors share.
PUBLIC_BELOW = {"render"}

# (room, floor): floors of the same room that it may include although they are listed after it.
SIDEWAYS = {("cli", "."): ["commands"]}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


class Room:
    """The files of a room: path relative to the room -> what it includes."""

    def __init__(self, root, name):
        self.name = name
        self.folder = root / name
        self.files = {}
        # Files of base and coverage are included as "base/X.h".
        above = root if name in ("base", "coverage") else self.folder
        for path in sorted(self.folder.rglob("*.[ch]")):
            self.files[path.relative_to(above).as_posix()] = INCLUDE.findall(path.read_text())

    def find(self, including, included):
        """Returns the file of this room that an #include "..." names, or None."""
        neighbour = posixpath.normpath(posixpath.join(posixpath.dirname(including), included))
        by_name = [file for file in self.files if file.endswith("/" + included) or file == included]
        for file in (neighbour, included, f"include/{included}", *by_name):
            if file in self.files:
                return file
        return None

    def is_below_all(self, file):
        return self.name in PUBLIC_BELOW and file.startswith("include/")

    def unit(self, file):
        """Returns the name that X.h and X.c share, whether X.h is public or not."""
        path = pathlib.PurePosixPath(file)
        public = {pathlib.PurePosixPath(other).stem for other in self.files if other.startswith("include/")}
        is_shared = self.name not in PUBLIC_BELOW and path.stem in public
        return path.stem if is_shared else path.with_suffix("").as_posix()

    def floor(self, file):
        """Returns the index of a file's floor in the list, or -1 for a header below all floors."""
        floors = FLOORS[self.name]
        path = pathlib.PurePosixPath(file)
        if self.is_below_all(file):
            return -1
        if path.parts[0] != "include":
            folder = path.parent.as_posix()
            while folder not in floors and folder != ".":
                folder = pathlib.PurePosixPath(folder).parent.as_posix()
            return floors.index(folder) if folder in floors else None
        for pattern in (rf"/{path.stem}\.c$", rf"/{path.stem}_\w+\.c$"):
            found = [self.floor(other) for other in self.files if re.search(pattern, "/" + other)]
            if found:
                return min(found)
        return -1


def room_problems(room, base):
    allowed, foreign = ROOMS[room.name]
    for file, includes in room.files.items():
        for kind, name in includes:
            if kind == "<":
                if any(word in name for word in foreign):
                    yield f"{room.name}/{file}: <{name}> is not for {room.name}"
            elif not (name.split("/")[0] in allowed or name in allowed or room.find(file, name) or name in base.files
                      or name in DOORS.get(room.name, ())):
                yield f'{room.name}/{file}: "{name}" is neither of {room.name} nor of a room below'


def floor_problems(room):
    floors = FLOORS[room.name]
    for file, includes in room.files.items():
        floor = room.floor(file)
        if floor is None:
            yield f"{room.name}/{file}: not on a floor"
            continue
        for kind, name in includes:
            included = room.find(file, name) if kind == '"' else None
            if included is None or floor == -1 and included.startswith("include/"):
                continue
            below = room.floor(included)
            if below is not None and below > floor and floors[below] not in SIDEWAYS.get((room.name, floors[floor]), ()):
                yield f'{room.name}/{file}: "{name}" is of {floors[below]}, above {floors[floor] if floor >= 0 else "all"}'


def circles(room):
    """Yields each circle of units as a list of names."""
    graph = {}
    for file, includes in room.files.items():
        targets = graph.setdefault(room.unit(file), set())
        for kind, name in includes:
            included = room.find(file, name) if kind == '"' else None
            if included and room.unit(included) != room.unit(file):
                targets.add(room.unit(included))
    state = {}
    path = []

    def visit(unit):
        state[unit] = "open"
        path.append(unit)
        for target in sorted(graph.get(unit, ())):
            if state.get(target) == "open":
                yield path[path.index(target):] + [target]
            elif target not in state:
                yield from visit(target)
        path.pop()
        state[unit] = "done"

    for unit in sorted(graph):
        if unit not in state:
            yield from visit(unit)


def main():
    root = pathlib.Path(sys.argv[1])
    rooms = {name: Room(root, name) for name in ROOMS}
    problems = []
    for room in rooms.values():
        problems += room_problems(room, rooms["base"])
        if room.name in FLOORS:
            problems += floor_problems(room)
            problems += [f"{room.name}: circle of files: {' -> '.join(circle)}" for circle in circles(room)]
    print("\n".join(problems))
    return 1 if problems or not all(room.files for room in rooms.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
