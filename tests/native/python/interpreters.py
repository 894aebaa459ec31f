# SPDX-License-Identifier: BSD-2-Clause
"""Keeps memory in a second interpreter, in a profiled function, and while C code keeps the global lock."""
import ctypes
import os
import sys
import threading

try:
    import _interpreters
except ImportError:  # up to 3.12
    import _xxsubinterpreters as _interpreters

KEPT = []


def keep():
    KEPT.append(bytearray(3 << 20))


def keep_lock():
    ctypes.PyDLL(None).usleep(700_000)


second = _interpreters.create()
_interpreters.run_string(second, """
def inside():
    return bytearray(5 << 20)
inner = inside()
""")
sys.setprofile(lambda *_: None)
keep()
sys.setprofile(None)
thread = threading.Thread(target=keep_lock)
thread.start()
keep()
thread.join()
print("ready", flush=True)
sys.stdin.read()
os._exit(0)
