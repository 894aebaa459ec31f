# SPDX-License-Identifier: BSD-2-Clause
"""Measurements of which a few are kept: a slice of an array keeps the whole array."""
import time

import numpy

kept = []


def measure():
    return numpy.random.default_rng().random(100_000)


def main():
    for _ in range(150):
        signal = measure()
        kept.append(signal[:10])  # a view; signal[:10].copy() would be 80 bytes
        time.sleep(0.02)


main()
