#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the include guards of all headers of the product.

guards.py SOURCE_DIRECTORY

The guard of FOLDER/SUBFOLDER/NAME.h is PREFIX_NAME_H, with names of its folders between them if needed, so that no two
headers have the same one.
"""
import pathlib
import re
import sys

ROOMS = ["base", "hpfile", "coverage", "render", "profiler", "cli"]
PREFIX = "(HPC|HPF|HPFILE|HPR|HPRENDER|HPP|HPPROF|CENSUS)"
GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.M)


def words(text):
    return re.sub(r"\W", "_", text).upper()


def main():
    root = pathlib.Path(sys.argv[1])
    headers = [path for room in ROOMS for path in sorted((root / room).rglob("*.h"))]
    file_of = {}
    problems = []
    for path in headers:
        name = path.relative_to(root)
        found = GUARD.search(path.read_text())
        guard = found[1] if found else "no guard"
        folders = "".join(f"({words(folder)}_)?" for folder in name.parts[:-1])
        if not re.fullmatch(f"{PREFIX}_{folders}{words(path.stem)}_H", guard):
            problems.append(f"{name}: {guard}, expected the name of the file")
        elif guard in file_of:
            problems.append(f"{name}: {guard} is also the guard of {file_of[guard]}")
        file_of[guard] = name
    print("\n".join(problems))
    return 1 if problems or not headers else 0


sys.exit(main())
