# SPDX-License-Identifier: BSD-2-Clause
"""Runs under pdb, with a function that sees each call, and ends by a signal that faulthandler reports."""
import faulthandler
import os
import sys

KEPT = []


def keep(n):
    block = bytearray(n << 20)
    KEPT.append(block)
    return len(KEPT)


def profiled():
    events = []
    sys.setprofile(lambda frame, event, _: events.append((event, frame.f_code.co_name, frame.f_lineno)))
    keep(5)
    sorted([3, 2], key=lambda number: -number)
    sys.setprofile(None)
    return events


keep(3)
print(*profiled(), sep="\n", flush=True)
faulthandler.dump_traceback()
faulthandler.enable()
os.abort()
