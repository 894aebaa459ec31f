#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program under the preload library alone and prints what its windows add up to.

    window_sums.py --preload LIB [--children 0|1] [--tick US] [--verify N] [--window BYTES]
                   [--report FILE] [--threads] -- PROG ARG...

A reader of windows of its own, written after window.h and sharing no code with the collector, so
that the two halves of `census run` can be tested apart. For each window, one JSON object on a line
of FILE (default: standard error), in the order in which they came: process_id, parent_id, key,
parent_key, state, command, allocations, allocated_bytes, frees, freed_bytes, live_blocks,
live_bytes, by_call (the same four sums for each call used), ticks, marks, and the counters of the
head. It is read when the program has ended and nobody else has come for --linger seconds. The exit
status is the program's own. As a module: run(...) returns the list of objects and the status."""
import argparse
import array
import json
import mmap
import os
import secrets
import select
import socket
import struct
import subprocess
import sys
import time

PAGE = 4096
HELLO = struct.Struct("=8sII120s")
HEAD = struct.Struct("=8sIIQQIIQQQIIIIIIIIQIIQQQQQQQQQQQ")
HEAD_NAMES = (
    "magic version cell_bytes size_bytes used_bytes process_id parent_id start_ns parent_key key "
    "state control n_nodes n_sites n_slots n_modules n_marks tick_us leaf_bytes n_leaves "
    "n_leaf_pages n_lost_stacks n_uncounted uncounted_bytes n_missed_frees n_cut_stacks n_unwinds "
    "n_frames n_checked n_memo_mismatches n_peer_mismatches n_peer_cut").split()
COMMAND_AT = HEAD.size + 2 * 16 * 8
NODE_PAGES_AT = PAGE
SITE_PAGES_AT = NODE_PAGES_AT + 8192 * 4
SLOT_PAGES_AT = SITE_PAGES_AT + 512 * 4
MODULE_PAGES_AT = SLOT_PAGES_AT + 16384 * 4
MARKS_AT = MODULE_PAGES_AT + 4096 * 4 + 2048
CELLS_PER_CHUNK = 128
SITES_PER_CHUNK = 8192
CALLS = ("malloc", "calloc", "realloc", "aligned", "new", "new_array", "pool", "tick")
SUMS = ("allocations", "allocated_bytes", "frees", "freed_bytes")


class Window:
    def __init__(self, descriptor):
        size = os.fstat(descriptor).st_size
        self.bytes = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)

    def u32(self, place, n=1):
        return struct.unpack_from(f"={n}I", self.bytes, place)

    def call_of(self, site):
        if site < 3:
            return "none"
        (page,) = self.u32(SITE_PAGES_AT + 4 * (site // SITES_PER_CHUNK))
        return CALLS[self.u32(page * PAGE + site % SITES_PER_CHUNK * 8, 2)[1]]

    def marks(self, n):
        texts = []
        for i in range(n):
            (when, text) = struct.unpack_from("=Q120s", self.bytes, MARKS_AT + i * 128)
            if when:
                texts.append(text.split(b"\0")[0].decode())
        return texts

    def slots(self, n_slots, n_sites):
        """Of each slot: state, thread id, number of threads, and its cells by site."""
        for index in range(n_slots):
            (page,) = self.u32(SLOT_PAGES_AT + 4 * index)
            if page == 0:
                continue
            state, thread_id, n_threads = struct.unpack_from("=IIQ", self.bytes, page * PAGE)
            cells = {}
            n_chunks = (n_sites + CELLS_PER_CHUNK - 1) // CELLS_PER_CHUNK
            for chunk, cell_page in enumerate(self.u32(page * PAGE + PAGE, n_chunks)):
                if cell_page == 0:
                    continue
                four = struct.unpack_from(f"={4 * CELLS_PER_CHUNK}Q", self.bytes, cell_page * PAGE)
                for i in range(CELLS_PER_CHUNK):
                    if any(four[4 * i:4 * i + 4]):
                        cells[chunk * CELLS_PER_CHUNK + i] = four[4 * i:4 * i + 4]
            yield {"index": index, "state": state, "thread_id": thread_id,
                   "n_threads": n_threads}, cells

    def report(self, with_threads=False):
        head = dict(zip(HEAD_NAMES, HEAD.unpack_from(self.bytes, 0)))
        assert head.pop("magic") == b"CENSUSW1" and head["version"] == 1
        command = self.bytes[COMMAND_AT:COMMAND_AT + 1024].split(b"\0\0")[0]
        head["command"] = command.decode(errors="replace").split("\0")
        head["marks"] = self.marks(head["n_marks"])
        by_call = {}
        threads = []
        for slot, cells in self.slots(head["n_slots"], head["n_sites"]):
            for site, four in cells.items():
                sums = by_call.setdefault(self.call_of(site), [0] * 4)
                by_call[self.call_of(site)] = [a + b for a, b in zip(sums, four)]
            slot["n_cells"] = len(cells)
            threads.append(slot)
        head["ticks"] = by_call.pop("tick", [0])[0]
        total = [sum(sums[i] for sums in by_call.values()) for i in range(4)]
        head.update(zip(SUMS, total))
        head["live_blocks"] = total[0] - total[2]
        head["live_bytes"] = total[1] - total[3]
        head["by_call"] = {call: dict(zip(SUMS, sums)) for call, sums in by_call.items()}
        if with_threads:
            head["threads"] = threads
        return head


def receive(listener):
    link, _ = listener.accept()
    with link:
        data, ancillary, _, _ = link.recvmsg(HELLO.size, socket.CMSG_SPACE(4))
    if len(data) != HELLO.size or not ancillary:
        return None
    descriptors = array.array("i")
    descriptors.frombytes(ancillary[0][2])
    window = Window(descriptors[0])
    os.close(descriptors[0])
    return window


def run(command, preload, children=1, tick=0, verify=0, window_bytes=1 << 30, linger=0.2,
        with_threads=False, also_preload="", **popen):
    """Returns (list of reports, return code as of subprocess)."""
    name = "census-sums-" + secrets.token_hex(16)
    windows = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind("\0" + name)
        listener.listen(128)
        # The process that becomes the program writes its own id into the settings.
        script = (f'export CENSUS_RUN="socket={name},root=$$,children={children},'
                  f'window={window_bytes},tick={tick},verify={verify}" LD_PRELOAD="$0"; exec "$@"')
        preloads = preload + (":" + also_preload if also_preload else "")
        child = subprocess.Popen(["/bin/sh", "-c", script, preloads, *command], **popen)
        ended = None
        while ended is None or time.monotonic() < ended + linger:
            if select.select([listener], [], [], 0.02)[0]:
                window = receive(listener)
                if window is not None:
                    windows.append(window)
                ended = ended and time.monotonic()
            elif ended is None and child.poll() is not None:
                ended = time.monotonic()
        child.wait()
    return [window.report(with_threads) for window in windows], child.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--preload", required=True)
    parser.add_argument("--also-preload", default="")
    parser.add_argument("--children", type=int, default=1)
    parser.add_argument("--tick", type=int, default=0)
    parser.add_argument("--verify", type=int, default=0)
    parser.add_argument("--window", type=int, default=1 << 30)
    parser.add_argument("--linger", type=float, default=0.2)
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--report", type=argparse.FileType("w"), default=sys.stderr)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    reports, status = run(args.command, os.path.abspath(args.preload), args.children, args.tick,
                          args.verify, args.window, args.linger, args.threads, args.also_preload)
    for report in reports:
        print(json.dumps(report), file=args.report)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
