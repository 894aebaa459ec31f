# SPDX-License-Identifier: BSD-2-Clause
"""A log that is kept as one text, and an index of its words that doubles its table as it grows."""
import time


def main():
    log = ""
    index = {}
    for number in range(2_000):
        line = f"{number}: user {number * 7919 % 1000} did something of no importance\n"
        log += line
        for word in line.split():
            index.setdefault(word, []).append(number)
        if number % 10 == 0:
            time.sleep(0.01)


main()
