# SPDX-License-Identifier: BSD-2-Clause
"""Keeps memory in threads and in processes that begin in different ways, in a function for each."""
import multiprocessing
import os
import subprocess
import sys
import threading

KEPT = []


def in_thread():
    KEPT.append(bytearray(4 << 20))


def in_fork():
    KEPT.append(bytearray(4 << 20))
    os._exit(0)


def in_pool():
    KEPT.append(bytearray(4 << 20))
    os._exit(0)


def in_spawned():
    KEPT.append(bytearray(4 << 20))
    os._exit(0)


def in_module():
    KEPT.append(bytearray(4 << 20))
    os._exit(0)


def in_script():
    KEPT.append(bytearray(4 << 20))
    os._exit(0)


def after_exec():
    KEPT.append(bytearray(4 << 20))
    os._exit(0)


def main():
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    child = os.fork()
    if child == 0:
        in_fork()
    os.waitpid(child, 0)
    for kind, function in ("fork", in_pool), ("spawn", in_spawned):
        process = multiprocessing.get_context(kind).Process(target=function)
        process.start()
        process.join()
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, "-m", "processes", "in_module"], cwd=here, check=True)
    subprocess.run(["/bin/sh", "-c", "exec " + sys.executable + " " + __file__ + " in_script"], check=True)
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, __file__, "after_exec"])
    os.wait()
    os._exit(0)


if __name__ == "__main__":
    globals()[sys.argv[1]]() if len(sys.argv) > 1 else main()
