# SPDX-License-Identifier: BSD-2-Clause
"""Objects with attributes of all kinds, each of which leads to a bytearray of a size of its own, which is printed with the
name of the field."""
import functools
import gc
import os
import sys

print(os.getpid())
size = 1000


def make(field):
    global size
    size += 8
    print(field, size)
    return bytearray(size)


class Session:
    def __init__(self):
        self.name = make("name")    # a name that the interpreter has in a variable of its own
        self.own_attribute = make("own_attribute")


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self):
        self.left = make("left")
        self.right = make("right")


class Many:
    def __init__(self):
        for i in range(40):
            setattr(self, f"attribute_{i}", make(f"attribute_{i}"))


def closure():
    held = make("cell_contents")
    return lambda: held


junk = [compile(f"def f{i}(a, b): return a, b, {i}", "x", "exec") for i in range(500)]
del junk    # free blocks with the words of objects
sessions = [Session() for _ in range(20)]
slotted, many, function = Slotted(), Many(), closure()
table = {"by_key": make("by_key"), 5: make("[1]")}
listed = [None, int, make("[2]")]
pair = (None, make("[1]"))
partial = functools.partial(print, keywords=make("keywords"))
gc.collect()
print("ready", flush=True)
sys.stdin.read()
