# SPDX-License-Identifier: BSD-2-Clause
"""Dicts that grow: the old keys are freed before the new ones know how many they are, so the heap is largest then."""
import os
import time

tables = []


def fill(table):
    for number in range(87400):  # just after the growth at 87,381
        table[number] = "x" * 200


for _ in range(3):
    tables.append({})
    fill(tables[-1])
    time.sleep(0.3)
os._exit(0)
