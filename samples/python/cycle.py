# SPDX-License-Identifier: BSD-2-Clause
"""Documents whose nodes refer to their parents, in a program that has switched the collector off."""
import gc
import time


class Node:
    def __init__(self, parent, text):
        self.parent = parent
        self.text = text
        self.children = []


def parse(number):
    root = Node(None, f"document {number}")
    for child in range(100):
        root.children.append(Node(root, f"paragraph {child} of {number}"))
    return len(root.children)


gc.disable()  # "it is slow"
for number in range(300):
    parse(number)
    if number == 200:
        gc.collect()
    time.sleep(0.01)
