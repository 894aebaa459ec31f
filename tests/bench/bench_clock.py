#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The mutator's clock of event logs against the times in the .hp files of the same runs of GHC.

    bench_clock.py --census build/release/cli/census

Compiles samples/programs/haskell/parallel.hs, runs it with real-time priority if that is allowed, because logs have
elapsed times of threads and .hp files processor time, and prints the largest difference between
samples: of several runs the median.
"""
import argparse
import csv
import os
import shutil
import statistics
import subprocess
import tempfile

PROGRAM = os.path.join(os.path.dirname(__file__), "../../samples/programs/haskell/parallel.hs")
CASES = [("one capability, not -threaded", [], []), ("-threaded -N1", ["-threaded"], ["-N1"]),
         ("-threaded -N2 -qg", ["-threaded"], ["-N2", "-qg"]),
         ("-threaded -N2", ["-threaded"], ["-N2"])]


def compile_program(folder, options):
    name = os.path.join(folder, "-".join(["parallel"] + [o.strip("-") for o in options]))
    subprocess.run(["ghc", "-O1", "-prof", "-fprof-auto-top", "-rtsopts", "-eventlog", *options,
                    "-outputdir", name + ".o", PROGRAM, "-o", name], check=True, capture_output=True)
    return name


def times(census, profile, *options):
    """The times of the samples that are not empty."""
    text = subprocess.run([census, "convert", "--format", "tidy", *options, profile], check=True,
                          capture_output=True, text=True).stdout
    rows = list(csv.reader(text.splitlines()))[1:]
    return list(dict.fromkeys(float(row[0]) for row in rows if row[2] not in ("", "0")))


def compare(census, folder, program, options):
    real_time = ["chrt", "-f", "10"] if shutil.which("chrt") and os.geteuid() == 0 else []
    subprocess.run([*real_time, program, "+RTS", "-hc", "-i0.002", "-l", *options], cwd=folder,
                   check=True, capture_output=True)
    hp = times(census, program + ".hp")
    mutator = times(census, program + ".eventlog", "--clock", "mutator")
    elapsed = times(census, program + ".eventlog")
    if len(hp) != len(mutator):
        return None
    return (max(abs(a - b) for a, b in zip(hp, mutator)), max(abs(a - b) for a, b in zip(hp, elapsed)),
            len(hp), elapsed[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--census", required=True)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    census = os.path.abspath(options.census)
    with tempfile.TemporaryDirectory() as folder:
        for what, compiled, given in CASES:
            program = compile_program(folder, compiled)
            runs = filter(None, (compare(census, folder, program, given) for _ in range(options.runs)))
            ours, theirs, n, end = (statistics.median(column) for column in zip(*runs))
            print(f"{what}: {n:.0f} samples up to {1e3 * end:.0f} ms: "
                  f"{1e3 * ours:.1f} ms; elapsed time {1e3 * theirs:.0f} ms")


if __name__ == "__main__":
    main()
