# SPDX-License-Identifier: BSD-2-Clause
"""Keeps objects that hold each other in a known way, and prints the bytes of each group as sys.getsizeof has them. They
are small: a number of the interpreter that is an address inside a large one would hold it."""
import gc
import os
import sys


class Node:
    __slots__ = ("next_node", "text")

    def __init__(self, next_node, number):
        self.next_node, self.text = next_node, "text %d" % number


class Ring:
    """Larger than what a free list of the interpreter has pointed to, and may point to still."""
    __slots__ = ["own", "data"] + ["unused_%d" % number for number in range(40)]


def say(name, things):
    print(name, sum(sys.getsizeof(thing) for thing in things))


def leave_ring():
    ring = Ring()
    ring.own, ring.data = ring, bytearray(5000)
    say("(unreached)/retained.Ring", [ring])
    say("(unreached)/retained.Ring/bytearray", [ring.data])


print(os.getpid())
cache = [[bytes(100 + number), bytearray(200 + number)] for number in range(40)]
first = None
for number in range(500):
    first = Node(first, number)
shared = iter(["shared %d" % number for number in range(300)])
one, other = [shared, bytearray(3000)], (shared, bytearray(4000))
del shared
gc.collect()
gc.disable()
leave_ring()

texts = gc.get_referents(one[0])
nodes = []
node = first
while node:
    nodes.append(node)
    node = node.next_node
say("retained.cache/list", [cache, *cache])
say("retained.cache/list/bytes", [row[0] for row in cache])
say("retained.cache/list/bytearray", [row[1] for row in cache])
say("retained.first/retained.Node", nodes)
say("retained.first/retained.Node/str", [node.text for node in nodes])
say("list_iterator", [one[0]])
say("list_iterator/list", texts)
say("list_iterator/list/str", texts[0])
say("retained.one/list", [one])
say("retained.one/list/bytearray", one[1:])
say("retained.other/tuple", [other])
say("retained.other/tuple/bytearray", other[1:])
del node, nodes, number, texts
print("ready", flush=True)
sys.stdin.read()
os._exit(0)
