#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares samples (--rate) of random programs with the truth.

    random_estimates.py --build build/dev [--programs 1000] [--first SEED]

Prints how many amounts, by allocation site and in all, are within their margins, which should be 95 of 100, and the mean
of their errors, which should be none.
"""
import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "native"))
import estimates  # pylint: disable=wrong-import-position


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    arguments = parser.parse_args()
    found = estimates.Estimates()
    for seed in range(arguments.first, arguments.first + arguments.programs):
        with tempfile.TemporaryDirectory(prefix="census-estimates-") as folder:
            found.add(os.path.join(arguments.build, "cli/census"), os.path.join(arguments.build, "tests/native/programs/sampled"),
                      seed, folder)
    print(found.text())


if __name__ == "__main__":
    main()
