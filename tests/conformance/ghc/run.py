#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Logs of several versions of GHC against the .hp file that GHC wrote in the same run.

run.py CENSUS DATA

Each sample has the same amounts in both, and the same names, except where a .hp file cuts names
(-hc, -hr) or has addresses (-hi). The program is DATA/phases.hs; it sets a mark for each of its phases.
"""
import lzma
import pathlib
import subprocess
import sys
import tempfile

N_MARKS = 3
CUT = ("hc", "hr", "hi")
OLD = "GHC 8.8 and earlier write no retainer sets and no biographies"


def samples_of(text):
    """Returns the samples that are not empty, as lists of (name, amount)."""
    samples = []
    for line in text.splitlines():
        if line.startswith("BEGIN_SAMPLE"):
            samples.append([])
        elif "\t" in line:
            name, _, amount = line.rpartition("\t")
            samples[-1].append((name, int(amount)))
    return [sorted(sample) for sample in samples if sample]


def compare(name, log, hp):
    """Returns what differs, as a text; empty if nothing does."""
    profile = name.split("-")[1]
    if profile not in CUT:
        return "" if log == hp else "other samples"
    if profile == "hi":  # tables with the same name are one band
        log, hp = ([sum(amount for _, amount in s) for s in samples] for samples in (log, hp))
    else:
        log, hp = ([sorted(amount for _, amount in s) for s in samples] for samples in (log, hp))
    return "" if log == hp else "other amounts"


def check(census, path, folder):
    name = path.name.removesuffix(".eventlog.xz")
    out = folder / (name + ".hp")
    done = subprocess.run([census, "convert", path, "-o", out], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr
    if name.startswith("8.8") and name.endswith(("hr", "hb")):
        return "" if OLD in done.stderr else "no warning"
    converted = out.read_text()
    n_marks = sum(line.startswith("MARK") for line in converted.splitlines())
    if done.stderr or n_marks != N_MARKS:
        return done.stderr or f"{n_marks} marks"
    return compare(name, samples_of(converted), samples_of(lzma.open(str(path).replace(".eventlog", ".hp"), "rt").read()))


def main():
    census, data = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = sorted(data.glob("*.eventlog.xz"))
    n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            problem = check(census, path, pathlib.Path(folder))
            n_failed += problem != ""
            print(f"{path.name}: {problem or 'equal'}")
    return 1 if n_failed or len({path.name.split("-")[0] for path in paths}) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
