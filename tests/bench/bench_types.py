#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The shares of bytes whose types `census run -hy` knows, by what it knows them by.

    bench_types.py --build build/dev [--only NAME,...] [--interval 0.1]

The programs are those of bench/native, as they are installed, and programs of this build that have debugging
information. Prints a line of a table in Markdown for each, and its largest types.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
WAYS = ["class", "container", "variable", "owner", "only the site"]


LISTS = """set(all "")
foreach(i RANGE 10000)
  set(variable_${i} "value of ${i}")
  list(APPEND all "${variable_${i}}")
endforeach()
"""


def workloads(build, folder):
    """Returns the commands by name: scripts are followed by the words that start the measured program."""
    scripts = {name: [os.path.join(HERE, "native", name + ".sh")] for name in ("cc1plus", "git", "python", "sqlite")}
    lists = os.path.join(folder, "lists.cmake")
    with open(lists, "w", encoding="ascii") as file:
        file.write(LISTS)
    unit = os.path.join(SOURCE, "tests/native/programs/types.cc")
    profile = os.path.join(SOURCE, "samples/hp/foldleak-prof-hc.hp")
    return {**scripts, "cmake": ["cmake", "-P", lists],
            "clang": ["clang++", "-c", "-O1", "-o", "/dev/null", unit],
            "census": [os.path.join(build, "cli/census"), "plot", "-o", "/dev/null", "--format", "pdf", profile]}


def run(build, name, command, interval):
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        base = os.path.join(folder, "profile")
        census = [os.path.join(build, "cli/census"), "run", "-hy", "-i", interval, "-o", base, "--"]
        whole = command + census if command[0].endswith(".sh") else census + command
        done = subprocess.run(whole, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        peak = re.search(r"peak ([^ ]+ \S+) at", done.stderr)
        types = re.search(r"have a type by: (.*)", done.stderr)
        if not peak or not types:
            sys.exit(f"{name}: no profile of types:\n{done.stderr}")
        shares = dict(re.findall(r"([a-z][a-z ]*) ([\d.]+)%", types[1]))
        print(f"| {name} | {peak[1]} |" + "".join(f" {shares[way]} |" for way in WAYS), flush=True)
        report = subprocess.run([census[0], "report", "--bands", "6", base + ".census"], capture_output=True, text=True,
                                check=True).stdout
        print(*("    " + line for line in report.splitlines() if "%" in line), sep="\n", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--interval", default="0.1", help="seconds between samples")
    options = parser.parse_args()
    print("| program | peak |" + "".join(f" {way}, % |" for way in WAYS))
    print("| --- | ---: |" + " ---: |" * len(WAYS))
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        for name, command in workloads(build, folder).items():
            if not options.only or name in options.only.split(","):
                run(build, name, command, options.interval)


if __name__ == "__main__":
    main()
