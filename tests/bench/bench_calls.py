#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How much longer blocking system calls take while images of their program are made.

    bench_calls.py --build build/dev [--runs 5] [--interval 0.005] [--mode "-hr" ...] [ROW...]

Runs the table of calls (tests/native/programs/calls.c) plain and in each mode, in turn, and prints in Markdown the
calls whose median differs by more than 12 ms, and the largest difference of all. Run it on a machine without other
load: tests/native/test_calls.py compares what the calls return, on any.
"""
import argparse
import os
import statistics
import subprocess
import tempfile

MODES = ["-hc", "-hb", "-hy", "-hr", "-hr -hbdrag,void", "-hc --snapshot=last"]
NOTABLE_MS = 12


def times(build, interval, mode, rows):
    """Returns the milliseconds of each call in one run."""
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        census = [] if mode is None else [os.path.join(build, "cli/census"), "run", "-q", "-i", interval,
                                          *mode.split(), "-o", os.path.join(folder, "profile"), "--"]
        done = subprocess.run([*census, os.path.join(build, "tests/native/programs/calls"), folder, "-t", *rows],
                              stdout=subprocess.PIPE, text=True, check=True)
    words = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: int(line[-2]) for line in words}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--interval", default="0.005")
    parser.add_argument("--mode", action="append")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    arguments = parser.parse_args()
    modes = [None, *(arguments.mode or MODES)]
    results = {mode: [] for mode in modes}
    for _ in range(arguments.runs):
        for mode in modes:
            results[mode].append(times(arguments.build, arguments.interval, mode, arguments.rows))
    medians = {mode: {row: statistics.median(run[row] for run in runs) for row in runs[0]}
               for mode, runs in results.items()}
    print("| mode | call | plain, ms | profiled, ms |\n| --- | --- | ---: | ---: |")
    for mode in modes[1:]:
        longer = {row: ms - medians[None][row] for row, ms in medians[mode].items()}
        for row in sorted(longer, key=longer.get, reverse=True):
            if abs(longer[row]) > NOTABLE_MS:
                print(f"| `{mode}` | {row} | {medians[None][row]:.0f} | {medians[mode][row]:.0f} |")
        print(f"| `{mode}` | largest difference | | {max(longer.values()):+.0f} |", flush=True)


if __name__ == "__main__":
    main()
