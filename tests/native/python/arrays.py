# SPDX-License-Identifier: BSD-2-Clause
"""Keeps arrays of numpy that are made in several ways. Prints what tracemalloc has for their data, by file and line,
if it is on; the bytes of the data, and the sizes of the arrays."""
import os
import sys
import tracemalloc

import numpy

DATA = 389047  # the domain in which numpy reports the data of arrays to tracemalloc
KEPT = []
ONES = numpy.ones(300_000)
ONES * 3 + 1  # the first time, numpy loads what tells it whether the product can be used again


def keep(array):
    KEPT.append(array)


def fill():
    keep(numpy.zeros((300, 1000)))
    keep(numpy.empty(100_001, dtype="u1"))
    keep(numpy.arange(70_000))
    keep(ONES * 3 + 1)
    keep(ONES.astype("f4"))
    keep(ONES.reshape(600, 500)[::2].copy())
    keep(numpy.concatenate([ONES, ONES]))
    keep(numpy.sort(ONES[:200_000]))
    keep(numpy.random.default_rng(1).random((64, 999)))
    keep(numpy.linalg.inv(numpy.eye(120)))
    keep(numpy.fft.fft(ONES[:65536]))
    keep(numpy.array([str(i) for i in range(5000)]))
    keep(ONES[::2])  # a view: no data


def grow():
    array = numpy.zeros(10)
    array.resize(150_000, refcheck=False)
    keep(array)


fill()
grow()
if tracemalloc.is_tracing():
    for trace in tracemalloc.take_snapshot().traces:
        if trace.domain == DATA:
            frame = trace.traceback[0]
            print("%s:%d %d" % (os.path.basename(frame.filename), frame.lineno, trace.size))
print("data arrays", ONES.nbytes + sum(array.nbytes for array in KEPT if array.base is None))
print("type numpy.ndarray", sys.getsizeof(ONES) + sum(sys.getsizeof(array) for array in KEPT))
print("ready", flush=True)
sys.stdin.read()
os._exit(0)
