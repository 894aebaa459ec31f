#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What census costs programs that are short, by the clock: many small processes, the starts of interpreters, a
deep recursion.

    bench_processes.py --build build/release [--runs 3] [--mode=-hr ...]

Runs each program plain and in each mode, in turn, and prints the medians as ratios to the plain ones, in Markdown.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time

MODES = ["-hc", "-hy", "-hr"]
RECURSION = r"""
#include <stdlib.h>
int descend(int depth) { void *volatile block = malloc(24); int sum = depth ? descend(depth - 1) + 1 : 0; free(block); return sum; }
int main(void) { return descend(1000000) != 1000000; }
"""


def programs(folder):
    """Returns {name: command}."""
    lines = os.path.join(folder, "lines")
    with open(lines, "w", encoding="utf-8") as file:
        file.writelines(f"{number}\n" for number in range(200000))
    found = {"400 processes of split": f"split -l 1000 --filter='wc -l | cat' {lines} >{folder}/counts"}
    for name in ("perl -e 1", "python3 -c pass", "bash -c :"):
        if shutil.which(name.split()[0]):
            found[f"20 times {name}"] = f"for i in $(seq 20); do {name}; done"
    if shutil.which("gcc"):
        source, program = (os.path.join(folder, name) for name in ("recursion.c", "recursion"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(RECURSION)
        subprocess.run(["gcc", "-O0", "-o", program, source], check=True)
        found["a recursion of a million frames"] = f"ulimit -s unlimited; {program}"
    return {name: ["sh", "-c", command] for name, command in found.items()}


def seconds(command, folder):
    begin = time.monotonic()
    subprocess.run(command, check=True, cwd=folder)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mode", action="append")
    arguments = parser.parse_args()
    census = os.path.abspath(os.path.join(arguments.build, "cli/census"))
    modes = arguments.mode or MODES
    print(f"| program | plain, s | {' | '.join(f'`{mode}`' for mode in modes)} |")
    print("| --- | ---: |" + " ---: |" * len(modes))
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        for name, command in programs(folder).items():
            times = {mode: [] for mode in [None, *modes]}
            for _ in range(arguments.runs):
                for mode in times:
                    own = [census, "run", "-q", *mode.split(), "-o", os.path.join(folder, "profile"), "--"] if mode else []
                    times[mode].append(seconds([*own, *command], folder))
            plain = statistics.median(times[None])
            ratios = [f"{statistics.median(times[mode]) / plain:.1f}" for mode in modes]
            print(f"| {name} | {plain:.2f} | {' | '.join(ratios)} |", flush=True)


if __name__ == "__main__":
    main()
