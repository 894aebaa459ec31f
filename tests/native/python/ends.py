# SPDX-License-Identifier: BSD-2-Clause
"""Keeps 64 MiB and ends in the way that the command line names."""
import faulthandler
import os
import signal
import sys
import threading

KEPT = []


def keep():
    KEPT.append(bytearray(64 << 20))


def thread():
    threading.Thread(target=keep).start()


def abort():
    keep()
    faulthandler.enable(file=open(os.devnull, "w"))
    signal.raise_signal(signal.SIGSEGV)


def kill():
    keep()
    os.kill(os.getpid(), signal.SIGKILL)


def exception():
    keep()
    raise SystemExit(3)


def exit():
    keep()
    sys.exit(0)


globals()[sys.argv[1]]()
