# SPDX-License-Identifier: BSD-2-Clause
"""A method with a cache: it remembers each of its arguments, and one of them is self."""
import functools
import time


class Report:
    def __init__(self, number):
        self.number = number
        self.rows = [(row, f"value {row * number}") for row in range(200)]

    @functools.lru_cache(maxsize=None)
    def total(self, factor):
        return sum(row for row, _ in self.rows) * factor


def main():
    for number in range(250):
        Report(number).total(2)
        time.sleep(0.01)


main()
