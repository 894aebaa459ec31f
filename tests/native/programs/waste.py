# SPDX-License-Identifier: BSD-2-Clause
"""Wastes memory, and prints what: "waste KIND OBJECTS EMPTY BYTES FUNCTION TYPE" lines. Sizes are those that sys.getsizeof
returns: that of a container contains the room for its elements."""
import os
import sys

WORD = 8
kept = []


def note(kind, name, amounts):
    """Prints the sum of (bytes that are used, bytes that there are): of containers that are less than half full."""
    function = sys._getframe(1).f_code.co_name
    wasted = [(used, room) for used, room in amounts if 2 * used < room]
    n_bytes = sum(room - used for used, room in wasted)
    print("waste", kind, len(wasted), sum(used == 0 for used, _ in wasted), n_bytes, function, name)


def dict_entries(table):
    """Returns how many entries a dict with keys that are no texts has room for."""
    head = sys.getsizeof({}) + (40 if sys.version_info < (3, 11) else 32)
    for log in range(3, 30):
        size, entries = 1 << log, (2 << log) // 3
        if head + size * (1 if log < 8 else 2 if log < 16 else 4) + entries * 3 * WORD == sys.getsizeof(table):
            return entries
    raise ValueError(sys.getsizeof(table))


def dicts():
    tables = []
    for i in range(100):
        table = dict.fromkeys(range(20 + 3 * i))
        for k in range(i % 90 * 3):
            del table[k]
        for k in range(20 + 3 * i if i % 10 == 0 else 0):
            table.pop(k, None)
        tables.append(table)
    note("room", "dict", [(len(t) * 3 * WORD, dict_entries(t) * 3 * WORD) for t in tables])
    kept.append(tables)


def sets():
    empty, tables = sys.getsizeof(set()), []
    for i in range(50):
        table = set(range(i, i + 200))
        while len(table) > 4 * i:
            table.pop()
        tables.append(table)
    note("room", "set", [(len(t) * 2 * WORD, sys.getsizeof(t) - empty) for t in tables])
    kept.append(tables)


def lists():
    empty, items = sys.getsizeof([]), []
    for i in range(50):
        one = [None] * (101 + i)
        del one[50 + i // 2 + i % 2:]
        items.append(one)
    note("room", "list", [(len(one) * WORD, sys.getsizeof(one) - empty) for one in items])
    kept.append(items)


def buffers():
    """The interpreter makes the room of a bytearray smaller unless half of it, rounded down, is used."""
    head = sys.getsizeof(b"") if sys.version_info >= (3, 15) else 0  # of the bytes object that it has since 3.15
    items = []
    for n in range(1000, 1020):
        one = bytearray(n)
        del one[n // 2:]
        items.append(one)
    note("room", "bytearray", [(len(one), one.__alloc__() - head) for one in items])
    kept.append(items)


def equal(name, values):
    seen, copies = set(), []
    for value in values:
        if value in seen:
            copies.append(value)
        seen.add(value)
    print("waste equal", len(copies), 0, sum(map(sys.getsizeof, copies)), sys._getframe(1).f_code.co_name, name)
    kept.append(values)


def texts():
    values = []
    for i in range(100):
        values.append("text number %d, which is rather long" % (i % 10))
        values.append("t\u00e4xt n\u20acmber %d" % (i % 7))
    equal("str", values)


def raw():
    values = []
    for i in range(100):
        values.append(b"bytes number %d" % (i % 20))
    equal("bytes", values)


def numbers():
    values = []
    for i in range(100):
        values.append(int.from_bytes(b"number %d" % (i % 9), "little"))
    equal("int", values)


def fractions():
    values = []
    for i in range(100):
        values.append((i % 4 + 1) / 7)
    equal("float", values)
    print("waste boxed 100 0", sum(map(sys.getsizeof, values)), "fractions float")


def counts():
    values = []
    for i in range(100):
        values.append(int.from_bytes(b"n%04d" % i, "little"))
    print("waste boxed 100 0", sum(map(sys.getsizeof, values)), "counts int")
    kept.append(values)


for i in range(300):  # objects of free lists, which have earlier sites
    kept.extend([[], {}, i + 0.25])
for make in (dicts, sets, lists, buffers, texts, raw, numbers, fractions, counts):
    make()
sys.stdout.flush()
os._exit(0)  # with all objects
