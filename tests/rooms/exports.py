#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the functions and variables that a library exports with a list in the tree.

exports.py LIBRARY.a LIST: prints the difference. A name that is new or gone on purpose is added to or removed from the
list, in the same change as the header and, if it is gone, the CHANGELOG.
"""
import pathlib
import subprocess
import sys


def exported(library):
    listing = subprocess.run(["readelf", "-sW", library], capture_output=True, check=True, text=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if len(words) == 8 and words[4] in ("GLOBAL", "WEAK") and words[5] == "DEFAULT" and words[6] != "UND" \
                and not words[7].startswith("__"):  # those of sanitizers
            yield words[7]


def main():
    names = set(exported(sys.argv[1]))
    listed = set(pathlib.Path(sys.argv[2]).read_text().split())
    for name in sorted(names ^ listed):
        print(name, "is exported, but not in the list" if name in names else "is in the list, but not exported")
    return 1 if names != listed or not names else 0


sys.exit(main())
