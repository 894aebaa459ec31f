# SPDX-License-Identifier: BSD-2-Clause
"""Uses three times as much processor time in one function as in another."""
import time


def often():
    end = time.process_time() + 0.45
    while time.process_time() < end:
        sum([i for i in range(1000)])


def seldom():
    end = time.process_time() + 0.15
    while time.process_time() < end:
        sorted(range(1000), key=lambda i: -i)


often()
seldom()
