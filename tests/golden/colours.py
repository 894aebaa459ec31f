#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that two profiles of one program share 95 % of the colours of their common bands, and of the greys and
hatches of print: both halves of each sample, two samples of a program, and two recordings of each program that are
made here, with problems of different sizes.

colours.py CENSUS PROGRAMS SOURCE_DIRECTORY
"""
import collections
import functools
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from even_times import even_times

LEAST_SHARE = 0.95
RUNS = [("last_init", (40000, 140000), "-hc -i0.0008"), ("leak", (20000, 40000), "-hc -i0.0003"),
        ("drag", (40000, 140000), "-hy -i0.0008"), ("finite_map", (10, 12), "-hd -i100"),
        ("sets", (12, 20), "-hr -i100"), ("threads", (5, 8), "-hd -xt -i100"),
        ("partial", (50, 200), "-hd -i100"), ("cache", (50, 200), "-hd -i100"), ("costs", (18, 24), "-hc -i0.002")]


@functools.cache
def fills_of(census, path, *options):
    """Returns the fills of the bands of a picture by name, and the times of the samples."""
    done = subprocess.run([census, "plot", "--format", "json", "-o", "-", *options, path], capture_output=True)
    if done.returncode != 0:
        return {}, []  # no profile, or an empty window
    chart = json.loads(done.stdout)
    return {re.sub(r"^\(\d+\)", "", band["name"]): band["fill"] for band in chart["bands"]
            if not band["is_other"]}, chart["sample_times"]


def record(programs, name, size, options, folder):
    subprocess.run([programs / name, str(size), "+RTS", *options.split(), "-RTS"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    path = folder / f"{name}-{size}.hp"
    path.write_text(even_times((folder / f"{name}.hp").read_text()))
    return path


def pairs_of(census, programs, source, folder):
    """Yields pairs of lists of arguments."""
    samples = sorted(source.glob("samples/hp/*.hp")) + sorted(source.glob("samples/eventlog/*.eventlog*"))
    for path in samples:
        times = fills_of(census, path)[1]
        if times:
            middle = str(times[len(times) // 2])
            yield [path, "--to", middle], [path, "--from", middle]
    for one, other in itertools.combinations(samples, 2):
        if one.name.split("-")[0] == other.name.split("-")[0]:
            yield [one], [other]
    for name, sizes, options in RUNS:
        yield [[record(programs, name, size, options, folder)] for size in sizes]


def main(census, programs, source):
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for one, other in pairs_of(census, pathlib.Path(programs), pathlib.Path(source), pathlib.Path(folder)):
            for theme in ("light", "print"):
                x, y = (fills_of(census, *words, "--theme", theme)[0] for words in (one, other))
                common = x.keys() & y.keys()
                counts[theme, "common"] += len(common)
                for name in common:
                    counts[theme, "same"] += x[name] == y[name]
                    if x[name] != y[name]:
                        print(f"{theme}: {name} of {one[0].name} and {other[0].name}: {x[name]}, {y[name]}")
    for theme in ("light", "print"):
        n_common, n_same = counts[theme, "common"], counts[theme, "same"]
        print(f"{theme}: {n_same} of {n_common}")
        assert n_common >= 60 and n_same >= LEAST_SHARE * n_common


if __name__ == "__main__":
    main(*sys.argv[1:])
