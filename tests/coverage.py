#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints a table of the lines and functions of each room that were executed, and writes the other lines to a file.

coverage.py BUILD MISSED: BUILD is a build by gcc with --coverage, in which the tests have run.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["base", "hpfile", "coverage", "render", "profiler", "cli"]
LEFT_OUT = "profiler/native/target/"


def documents(build):
    """Yields what gcov says of each object file of the rooms, in pieces that no command line is too short for."""
    paths = [str(path) for room in ROOMS for path in sorted((build / room).rglob("*.gcda"))]
    for begin in range(0, len(paths), 200):
        said = subprocess.run(["gcov", "--json-format", "--stdout", *paths[begin:begin + 200]],
                              capture_output=True, text=True, check=True).stdout
        yield from (json.loads(line) for line in said.splitlines() if line.strip())


def main():
    lines = collections.defaultdict(collections.Counter)
    functions = collections.defaultdict(collections.Counter)
    for document in documents(pathlib.Path(sys.argv[1]).resolve()):
        for file in document["files"]:
            path = pathlib.Path(file["file"])
            name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
            if name.split("/")[0] not in ROOMS or name.startswith(LEFT_OUT):
                continue
            for line in file["lines"]:
                lines[name][line["line_number"]] += line["count"]
            for function in file["functions"]:
                functions[name][function["start_line"]] += function["execution_count"]
    print("| room | lines | functions |\n| --- | ---: | ---: |")
    for room in [*ROOMS, "all"]:
        shares = []
        for counters in (lines, functions):
            counts = [count for name, counter in counters.items() if room in (name.split("/")[0], "all")
                      for count in counter.values()]
            shares.append(f"{sum(count > 0 for count in counts) / len(counts):.1%} of {len(counts):,}")
        print(f"| {room} | {shares[0]} | {shares[1]} |")
    pathlib.Path(sys.argv[2]).write_text("".join(
        f"{name}:{line}\n" for name in sorted(lines) for line in sorted(lines[name]) if not lines[name][line]))


if __name__ == "__main__":
    main()
