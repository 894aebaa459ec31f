#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a program says of itself arrives in its window: marks, and the objects of its pools. It says
it whether or not its code is position independent, and nothing happens without the profiler.

test_hooks.py LIBRARY PROGRAM...
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "native"))
import window_sums  # noqa: E402

N_OBJECTS, N_FREED = 100, 40
SIZES = [48 - i % 3 for i in range(N_OBJECTS)]


def check(preload, program):
    assert subprocess.run([program], check=False).returncode == 0
    (report,), status = window_sums.run([program], preload)
    assert status == 0
    assert report["marks"] == ["first é", "x" * 119], report["marks"]
    assert report["by_call"]["pool"] == {
        "allocations": 2 * N_OBJECTS, "allocated_bytes": 2 * sum(SIZES),
        "frees": N_OBJECTS + N_FREED, "freed_bytes": sum(SIZES) + sum(SIZES[:N_FREED])}
    malloc = report["by_call"]["malloc"]
    assert malloc["frees"] == malloc["allocations"] == 2
    assert malloc["freed_bytes"] == malloc["allocated_bytes"] == 2 << 16
    assert report["n_uncounted"] == 1 and report["uncounted_bytes"] == 8
    assert report["n_missed_frees"] == 0


for path in sys.argv[2:]:
    check(sys.argv[1], path)
    print(f"{path}: as it should be")
