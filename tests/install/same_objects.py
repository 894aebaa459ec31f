#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes objects from a finished build: same_objects.py BUILD SHARED

BUILD has static libraries, SHARED is configured for shared ones. Objects of the two are equal if their commands differ only in
the macro that CMake defines for shared libraries, which no source uses, in folders of other libraries' headers, and in whether warnings
are errors. SHARED/same gets links to those, from which take_object.sh copies them when SHARED is built. Others are compiled."""
import json
import pathlib
import re
import shlex
import sys

NO_CHANGE = re.compile(r" (-D\w+_EXPORTS|-Werror|-isystem \S+)(?= )")


def commands(build, compiler):
    """Returns the command that makes each object, from the name of the compiler on."""
    result = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = [word.replace(str(build), "BUILD") for word in shlex.split(entry["command"])]
        if compiler in words:
            words = words[words.index(compiler):]
            result[words[words.index("-o") + 1]] = NO_CHANGE.sub("", " ".join(words))
    return result


def main():
    build, shared = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if not (build / "compile_commands.json").exists():  # the presets ask for it
        return
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (shared / "CMakeCache.txt").read_text(), re.M)[1]
    static = commands(build, compiler)
    for name, command in commands(shared, compiler).items():
        if static.get(name) == command and (build / name).exists():
            (shared / "same" / name).parent.mkdir(parents=True, exist_ok=True)
            (shared / "same" / name).symlink_to(build / name)


if __name__ == "__main__":
    main()
