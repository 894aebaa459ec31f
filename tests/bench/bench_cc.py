#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `census cc` costs a program, next to the program that the compiler makes without it.

    bench_cc.py --build build/dev [--rounds 5]

In each round, each program runs plainly, compiled by `census cc` (with both flags, or with one of them), and each
of these under `census run`; the least processor time of the rounds counts. Programs measure themselves. Slowness
never fails.
"""
import argparse
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILDS = {"plain": None, "both": [], "centres": ["--no-biography"], "biography": ["--no-cost-centres"]}
RUNS = {"alone": None, "-hc": ["-hc"], "-hb": ["-hb", "-i0.1"]}


class Bench:
    def __init__(self, census, folder):
        self.census, self.folder = census, folder

    def compile(self, compiler, name, build):
        program = os.path.join(self.folder, "-".join((name, compiler, build)))
        own = [] if BUILDS[build] is None else [self.census, "cc", *BUILDS[build], "--compiler"]
        subprocess.run([*own, compiler, "-O2", "-g", os.path.join(HERE, name + ".c"), "-o", program], check=True)
        return program

    def measure(self, program, run):
        before = [] if RUNS[run] is None else [self.census, "run", "-q", *RUNS[run], "-o", program + ".profile", "--"]
        done = subprocess.run([*before, program], capture_output=True, text=True, check=True)
        return float(done.stdout)

    def compare(self, compiler, name, unit, rounds):
        programs = {build: self.compile(compiler, name, build) for build in BUILDS}
        least = {}
        for _ in range(rounds):
            for build, program in programs.items():
                for run in RUNS:
                    cost = self.measure(program, run)
                    least[build, run] = min(cost, least.get((build, run), cost))
        plain = least["plain", "alone"]
        print(f"{name} ({compiler}): plain {plain:.4g} {unit}")
        for build in BUILDS:
            cells = [f"{run} {least[build, run]:8.4g} {unit} {least[build, run] / plain:6.2f} x" for run in RUNS]
            print(f"  {build:10}", "   ".join(cells))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        bench = Bench(os.path.abspath(os.path.join(options.build, "cli/census")), folder)
        for compiler in filter(shutil.which, ("gcc", "clang")):
            bench.compare(compiler, "cc_calls", "ns", options.rounds)
            bench.compare(compiler, "cc_interpreter", "s", options.rounds)


main()
