# SPDX-License-Identifier: BSD-2-Clause
"""Handlers that are registered for each connection, never removed, and remember its buffer."""
import time

HANDLERS = []


def connect(number):
    buffer = bytearray(20_000)

    def handle(event):
        return event, len(buffer), number

    HANDLERS.append(handle)


def main():
    for number in range(250):
        connect(number)
        time.sleep(0.01)


main()
