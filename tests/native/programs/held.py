# SPDX-License-Identifier: BSD-2-Clause
"""A program that holds objects in all the ways of Python, and prints what holds how many bytes, and
how many bytes the objects of each type have, by its own references."""
import array
import collections
import functools
import gc
import sys
import types
import weakref

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 300


class Session:
    everyone = {}

    def __init__(self, number):
        self.name = f"session number {number}"
        self.data = [f"datum {number}"] * 10
        Session.everyone[f"key {number}"] = f"everyone {number}"


class Point:
    __slots__ = "x", "y", "__weakref__"

    def __init__(self, x):
        self.x = float(x)
        self.y = [f"y {x}"]


class Names(dict):
    pass


def closure(number):
    data = bytes(100 + number)
    return lambda: data


@functools.lru_cache(maxsize=None)
def square(number):
    return f"square {number}"


def sleepers(number):
    mine = [number * 40]
    yield mine
    yield mine


addresses, address_set, small_sets = {}, set(), []


def ring():
    """Hashes of numbers may be addresses, which hold nothing."""
    first, second = {"data": bytearray(500)}, []
    addresses[id(first)] = None
    address_set.add(id(first))
    small_sets.append({id(first)})
    first["next"] = second
    second.append(first)


# Numbers would be shared, or larger than sys.getsizeof() says.
cache = {f"cached {number}": Session(number) for number in range(SIZE)}
points = [Point(number) for number in range(SIZE)]
shared = [f"shared {number}" for number in range(SIZE)]
both = {"shared": shared, "own": bytearray(1000)}
popped = [f"popped {number}" for number in range(SIZE)]
kept = popped[SIZE // 2:]
del popped[SIZE // 2 + 7:]
handlers = [closure(number) for number in range(SIZE)]
unique = {f"unique {number}" for number in range(SIZE)}
for removed in range(0, SIZE, 2):
    unique.discard(f"unique {removed}")
names = Names((f"key {number}", f"value {number}") for number in range(SIZE))
for removed in range(0, SIZE, 3):
    del names[f"key {removed}"]
weak = weakref.WeakValueDictionary((f"weak {point.x}", point) for point in points)
references = [weakref.ref(point) for point in points]
queue = collections.deque(f"queued {number}" for number in range(SIZE))
waiting = [sleepers(f"sleeper {number}") for number in range(SIZE)]
for waiter in waiting:
    next(waiter)
del waiter, removed
numbers = array.array("d", range(SIZE))
texts = ["ä" * number + "€" for number in range(SIZE)]
tree = functools.reduce(lambda below, number: (below, f"tree {number}"), range(SIZE), None)
for number in range(SIZE):
    square(str(number))
del number
gc.disable()
for _ in range(105):    # the interpreter has 80 dicts that it has freed, and keeps their addresses
    ring()
del _

DATA = ("cache points shared both kept popped handlers unique names weak references queue waiting "
        "numbers texts tree square").split()


# ---- The truth -----------------------------------------------------------------------------------

def referents(thing, held):
    """Returns what an object refers to. Modules and classes are roots of their own."""
    if isinstance(thing, type):
        return []
    if isinstance(thing, types.CodeType):
        found = [thing.co_consts, thing.co_names, thing.co_name, thing.co_filename,
                 getattr(thing, "co_qualname", None)]
    else:
        found = gc.get_referents(thing)
    if isinstance(thing, dict):
        found += dict.keys(thing)  # texts cannot make cycles: the collector leaves them out
    return [other for other in found if id(other) not in held]


def roots(local):
    """Yields the rank and the name of each root, and what it refers to."""
    for name, module in list(sys.modules.items()):
        yield 0, "module " + name, list(vars(module))
        for key, value in list(vars(module).items()):
            yield 0, f"{name}.{key}", [value]
    for thing in gc.get_objects():
        if isinstance(thing, type):
            yield 0, f"{thing.__module__}.{thing.__qualname__}", gc.get_referents(thing)
    yield 1, "work", [local]


def find_holders(local):
    """Returns the roots that hold each object, by its id: only of the lowest rank."""
    held = {id(module) for module in sys.modules.values()}
    held |= {id(vars(module)) for module in sys.modules.values()}
    holders, things, bits = {}, {}, {}
    for rank in range(2):
        found = {}
        for of, name, values in roots(local):
            if of != rank:
                continue
            bit = bits.setdefault(name, 1 << len(bits))
            left = [value for value in values if id(value) not in held]
            while left:
                thing = left.pop()
                mask = found.get(id(thing), 0)
                if id(thing) in holders or mask & bit:
                    continue
                found[id(thing)] = mask | bit
                things[id(thing)] = thing
                left += referents(thing, held)
        holders.update(found)
    return holders, things, {bit: name for name, bit in bits.items()}


def print_held(holders, things, names):
    data = {"__main__." + name for name in DATA} | {"work", "__main__.Session"}
    sums = collections.Counter()
    for key, mask in holders.items():
        sums[mask] += sys.getsizeof(things[key])
    for mask, n_bytes in sums.items():
        members = sorted(names[1 << bit] for bit in range(mask.bit_length()) if mask >> bit & 1)
        if set(members) <= data:
            print("held", "+".join(members).replace("__main__.", "held."), n_bytes)


def print_types():
    """Prints the sizes of all objects that a collector or an object of one refers to."""
    things, kinds = {}, {}
    own = (id(things), id(kinds))
    for thing in gc.get_objects():
        for other in [thing, *gc.get_referents(thing)]:
            if id(other) not in own and type(other) is not list or gc.is_tracked(other):
                things[id(other)] = other
    for key, thing in things.items():
        if key not in own:
            kinds[type(thing)] = kinds.get(type(thing), 0) + sys.getsizeof(thing)
    for kind, n_bytes in kinds.items():
        module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
        print("type", module.replace("__main__", "held") + kind.__qualname__, n_bytes)


def print_truth(local):
    print_types()
    print_held(*find_holders(local))


def work():
    local = [f"local {number}" for number in range(SIZE)]
    print_truth(local)
    print("ready", flush=True)
    sys.stdin.read()
    return local


work()
