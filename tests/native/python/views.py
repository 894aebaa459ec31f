# SPDX-License-Identifier: BSD-2-Clause
"""Keeps 12 MiB in this module, and 16 in one whose file does not exist."""
import os

KEPT = []


def kept(n):
    return bytearray(n << 20), bytes(2 * n << 20)


KEPT.append(kept(4))
made = {}
exec(compile("def kept(n):\n return bytes(n << 20)\n", "/nowhere/unknown_module.py", "exec"), made)
KEPT.append(made["kept"](16))
os._exit(0)
