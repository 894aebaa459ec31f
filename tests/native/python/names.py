# SPDX-License-Identifier: BSD-2-Clause
"""Keeps blocks of 1, 2, 3 ... MiB, one for each way to call a function of Python, and of 1 MiB at random places of
a walk through functions and generators. Prints for each what Python itself says of the stack there: file, line,
name and qualified name of each frame, outermost first."""
import asyncio
import contextlib
import functools
import json
import operator
import os
import random
import signal
import sys
import threading
import traceback

import names_module

KEPT, SIZES = [], iter(range(1, 1000))


def size(n=None):
    """Returns a size in MiB, or the next one, in bytes, and prints the caller's stack."""
    frames = list(traceback.walk_stack(sys._getframe(1)))[::-1]
    n = n or next(SIZES)
    print(n, json.dumps([(frame.f_code.co_filename, line, frame.f_code.co_name,
                          getattr(frame.f_code, "co_qualname", frame.f_code.co_name))
                         for frame, line in frames]))
    return n << 20


def plain():
    KEPT.append(bytes(size()))


class Shop:
    KEPT.append(bytes(size()))  # in the body of a class

    def __init__(self):
        KEPT.append(bytes(size()))

    def __del__(self):
        KEPT.append(bytes(size()))

    @staticmethod
    def static(*words, **named):
        KEPT.append(bytes(size()))

    @property
    def prop(self):
        KEPT.append(bytes(size()))


def generator():
    yield KEPT.append(bytes(size()))
    yield KEPT.append(bytes(size()))


def delegating():
    yield from generator()


def comprehensions():
    KEPT.extend([bytes(size()) for _ in range(1)])
    KEPT.extend({i: bytes(size()) for i in range(1)}.values())
    KEPT.extend(bytes(size()) for _ in range(1))


def wrapped(function):
    @functools.wraps(function)
    def wrapper(*words):
        return function(*words)
    return wrapper


@wrapped
def decorated(cells):
    def inner():
        KEPT.append(bytes(size() + 0 * cells))
    return inner()


def recursive(depth):
    if depth == 0:
        KEPT.append(bytes(size()))
    else:
        even(depth - 1)
    return depth


def even(depth):
    recursive(depth)


async def coroutine():
    await asyncio.sleep(0)
    KEPT.append(bytes(size()))


async def asynchronous():
    yield KEPT.append(bytes(size()))


async def main_task():
    await asyncio.gather(coroutine(), coroutine())
    async for _ in asynchronous():
        KEPT.append(bytes(size()))


@contextlib.contextmanager
def managed():
    KEPT.append(bytes(size()))
    yield
    KEPT.append(bytes(size()))


def größe():
    KEPT.append(bytes(size()))


def 函数():
    größe()


def on_signal(*_):
    KEPT.append(bytes(size()))


def raising():
    try:
        raise KeyError
    except KeyError:
        KEPT.append(bytes(size()))
    finally:
        KEPT.append(bytes(size()))


plain()
names_module.later(bytes, size, KEPT)
KEPT.append(names_module.early)
shop = Shop()
shop.static(1, two=2)
shop.prop
del shop
list(generator())
for _ in delegating():
    pass
comprehensions()
decorated(0)
(lambda: KEPT.append(bytes(size())))()
exec(compile("def made():\n  KEPT.append(bytes(size()))\nmade()", "<made>", "exec"))
for i in range(3):  # code objects that die, at equal addresses
    exec("def f%d():\n%s  KEPT.append(bytes(size()))\nf%d()" % (i, "\n" * i, i))
recursive(6)
for i in range(16):  # each calls some of those after it; those with odd numbers are generators
    exec(compile("""
def walk%d(chance):
    for _ in range(2):
        if chance() < 0.3:
            KEPT.append(bytes(size(1)))
        list(globals()["walk%%d" %% min(%d + int(chance() * 4), 16)](chance))
    KEPT.append(bytes(size(1))) if chance() < 0.1 else None
    %s
""" % (i, i + 1, "yield" if i % 2 else "return ()"), "walks.py", "exec"))
walk16 = lambda _: ()
walk0(random.Random(1).random)
asyncio.run(main_task())
with managed():
    pass
函数()
thread = threading.Thread(target=plain)
thread.start()
thread.join()
sorted([1], key=lambda _: KEPT.append(bytes(size())))
functools.partial(operator.methodcaller("__call__"), plain)()
signal.signal(signal.SIGUSR1, on_signal)
os.kill(os.getpid(), signal.SIGUSR1)
raising()
sys.setprofile(lambda *_: None)
plain()
sys.setprofile(None)
sys.settrace(lambda *_: None)
plain()
sys.settrace(None)
KEPT.append(bytes(size()))
sys.stdout.flush()
os._exit(0)
