# SPDX-License-Identifier: BSD-2-Clause
"""Keeps blocks with a known biography, as programs/lives.c does, and prints the truth.

lives.py TYPE FILE.hp: objects of a type. With bytearrays, whose bytes are a block of their own, the garbage collector
runs all the time.
"""
import ctypes
import gc
import os
import signal
import sys
import time

# Kinds of blocks by history: the number of blocks, their bytes, and the phases in which they are used. pymalloc has blocks
# of more than 512 bytes from malloc.
KINDS = {"never": (3000, 800, ()), "always": (30000, 60, (0, 1, 2)), "first": (2000, 800, (0,)), "last": (10000, 60, (2,))}
SAMPLES_PER_PHASE = 5

is_collecting = sys.argv[1] == "bytearray"
mark = ctypes.CDLL(None).census_mark_text
n_marks = 0


def make(size):
    if sys.argv[1] == "bytearray":
        return bytearray(size)
    return bytes(size) if sys.argv[1] == "bytes" else [0] * (size // 8)


def use(phase):
    for history, (n, _, phases) in KINDS.items():
        if phase in phases:
            for i in range(n):
                kept[history][i][0]
    if is_collecting:
        gc.collect()


def set_mark(text):
    global n_marks
    mark(text)
    n_marks += 1


def has_sample():
    """Returns whether the profile has a sample after the last mark."""
    with open(sys.argv[2], "rb") as file:
        parts = file.read().split(b"\nMARK ")
    return len(parts) > n_marks and b"\nEND_SAMPLE" in parts[n_marks]


def live_through_sample(phase):
    set_mark(b"a sample follows")
    while not has_sample():
        use(phase)
        time.sleep(0.001)
    set_mark(b"the sample was taken")
    begin = time.process_time()
    while time.process_time() - begin < 0.015:
        use(phase)


def phase_of(uses, phase):
    """Returns 0 for LAG, 1 for USE, 2 for DRAG, 3 for VOID."""
    return 3 if not uses else 0 if phase < uses[0] else 1 if phase <= uses[-1] else 2


signal.alarm(480)  # if nothing writes the profile
gc.disable()
kept = {history: [make(size) for _ in range(n)] for history, (n, size, _) in KINDS.items()}
for phase in range(3):
    for _ in range(SAMPLES_PER_PHASE):
        live_through_sample(phase)
for phase in range(3):
    sums = [0] * 4
    for n, size, uses in KINDS.values():
        collected = sys.getsizeof(bytearray()) if is_collecting else 0
        sums[1] += n * collected
        sums[phase_of(uses, phase)] += n * (sys.getsizeof(make(size)) - collected)
    print("truth", phase, *sums)
sys.stdout.flush()
os._exit(0)  # an interpreter that ends uses what it frees
