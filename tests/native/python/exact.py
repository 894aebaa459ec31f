# SPDX-License-Identifier: BSD-2-Clause
"""Keeps N of many kinds of objects, and frees as many. Prints the sum that tracemalloc has, or the sums of lines."""
import array
import collections
import json
import os
import sys
import tracemalloc


class Node:
    def __init__(self, next_node):
        self.next_node = next_node
        self.words = "node %d" % len(str(next_node))


class Slim:
    __slots__ = ("one", "two")


def build(n):
    kept = [None] * n
    kept.append([i * 1000 for i in range(n)])
    kept.append([float(i) for i in range(n)])
    kept.append({str(i): i for i in range(n)})
    kept.append({i for i in range(n)})
    kept.append([(i, i) for i in range(n)])
    kept.append([Slim() for i in range(n)])
    kept.append(bytearray(n * 100))
    kept[0].append(0) if kept[0] else None
    kept.append(json.loads(json.dumps([{"a": i, "b": [i]} for i in range(n)])))
    node = None
    for _ in range(n):
        node = Node(node)
    kept.append(node)
    grown = []
    for i in range(n):
        grown.append(str(i) * 50)
    del grown[n // 2:]
    kept.append(grown)
    text = ""
    for i in range(n):
        text += chr(65 + i % 26)
    kept.append(text)
    kept.append([(lambda k: lambda: k)(i) for i in range(n)])
    kept.append([type("Type%d" % i, (), {"f": i}) for i in range(n // 10)])
    kept.append(collections.deque(range(n)))
    kept.append(array.array("d", [0.5]) * n)
    kept.append([iter([i]) for i in range(n)])
    for i in range(n):
        try:
            raise ValueError(i)
        except ValueError as error:
            kept.append(error)
    return kept


KEPT = build(int(sys.argv[1]))
if "lines" in sys.argv:
    snapshot = tracemalloc.take_snapshot()
    for statistic in snapshot.filter_traces([tracemalloc.Filter(True, __file__)]).statistics("lineno"):
        print(statistic.traceback[0].lineno, statistic.size)
    sys.stdout.flush()
else:
    sys._clear_type_cache()  # what it keeps alive depends on addresses
    os.write(1, b"%d\n" % tracemalloc.get_traced_memory()[0])
os._exit(0)
