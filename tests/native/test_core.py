#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""census core: the blocks that it finds in a core file are those that the program had, by the table of the
counting library, which the program updated until the signal; what holds them, and what nothing reaches."""

import array
import collections
import contextlib
import csv
import fcntl
import glob
import io
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from random import Random

import harness
from harness import COUNTING, Native, program

LINES = "".join(f"line {i} of {i * 7919 % 1009}\n" for i in range(3000))
SQL = "create table t(a, b);\n" + "".join(f"insert into t values({i}, 'text {i}');\n" for i in range(2000))

# Programs that wait for more input, by then with a heap of their own. None forks.
PROGRAMS = [
    (["sqlite3", ":memory:"], SQL + "create index u on t(b);\n"),
    ([sys.executable, "-c", "import json, sys\nx = [json.loads('{\"a\": [1, 2, %d]}' % i) for i in range(9999)]\n"
      "sys.stdin.read()"], "x"),
    (["perl", "-e", "my %h = map { $_ => 'x' x $_ } 1 .. 3000; $_ = <STDIN>; $_ = <STDIN>"], "x\n"),
    (["bash", "-c", "for i in {1..3000}; do a[i]=text$i; done; read; read"], "x\n"),
    (["dash", "-c", "read x; read y"], "x\n"),
    (["zsh", "-fc", "a=({1..3000}); read; read"], "x\n"),
    (["awk", 'BEGIN { for (i = 0; i < 3000; i++) a[i] = "text" i; getline; getline }'], "x\n"),
    (["sed", "-n", "H;$p"], LINES), (["sort"], LINES), (["tac"], LINES), (["m4"], LINES), (["bc"], "2^3000\n"),
    (["tr", "a", "b"], LINES), (["xz", "-c"], LINES), (["zstd", "-c"], LINES),
    (["git", "hash-object", "--stdin"], LINES), (["gs", "-q", "-dNODISPLAY"], "/a 1000 array def\n"),
    (["jq", "-c", "."], '[{"a": [1, 2, 3]}]\n'), (["gdb", "-nx", "-q"], "print 1\n"), (["node", "-"], "1;\n"),
    (["cc1"], "int f(void);\n" * 2000), (["tclsh"], "set a 1\n"),
]


N_DAMAGED = int(os.environ.get("CENSUS_DAMAGED", "40"))


def find_program(name):
    if name == "cc1":
        found = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=False).stdout.strip()
        return found if os.path.isabs(found) else None
    return shutil.which(name)


class Core(Native):
    def setUp(self):
        super().setUp()
        with open("/proc/sys/kernel/core_pattern", encoding="ascii") as file:
            pattern = file.read().strip()
        if "/" in pattern or "%" in pattern or pattern.startswith("|"):
            self.skipTest(f"the kernel writes core files to {pattern}")

    def is_idle(self, process, pipe):
        """Returns whether a process has read all of its input, and all of its threads sleep, since the last call."""
        left = array.array("i", [0])
        fcntl.ioctl(pipe, termios.FIONREAD, left)
        now = [left[0]]
        for path in glob.glob(f"/proc/{process.pid}/task/*/status"):
            with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
                now.append(re.findall(r"^(?:State|\w+_ctxt_switches):\t(.*)", file.read(), re.MULTILINE))
        was, self.before = self.before, now
        return now == was and left[0] == 0 and all(state.startswith("S") for state, *_ in now[1:])

    def core_of(self, command, text, environment=None):
        """Runs a command until it waits for more than `text`, and ends it by SIGSYS. Returns its core file."""
        folder = self.fresh()
        inside, outside = os.pipe()
        with subprocess.Popen(command, cwd=folder, stdin=inside, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, **(environment or {})},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))) as process:
            with open(outside, "wb") as file:
                file.write(text.encode())
                file.flush()
                self.before = None
                end = time.monotonic() + harness.PATIENCE_S
                while process.poll() is None and not self.is_idle(process, inside) and time.monotonic() < end:
                    time.sleep(0.05)
                self.assertIsNone(process.poll(), command)
                process.send_signal(signal.SIGSYS)
                process.wait()
        os.close(inside)
        cores = [name for name in os.listdir(folder) if name.startswith("core")]
        self.assertTrue(cores, f"{command} has left no core file")
        return os.path.join(folder, cores[0])

    def read(self, core):
        """Returns what census core prints, by its first words, and the heap snapshot."""
        out = self.path("heap.heapsnapshot")
        done = harness.run([harness.CENSUS, "core", core, "-o", out])
        self.assertEqual(done.status, 0, done.errors)
        with open(out, encoding="utf-8") as file:
            snapshot = json.load(file)
        lines = [line.split("  ", 1) for line in done.output.splitlines() if "  " in line]
        return {name: rest.strip() for name, rest in lines}, snapshot

    def read_table(self, path):
        """Returns the live blocks of the program: {address: size}, as malloc_usable_size has it."""
        words = array.array("Q")
        with open(path, "rb") as file:
            words.frombytes(file.read())
        blocks = {}
        for first in range(0, len(words), 31):
            if any(words[first:first + 30:2]):
                blocks.update({words[i]: words[i + 1] for i in range(first, first + 30, 2) if words[i]})
        return blocks

    def check_blocks(self, command, text, *allocators):
        table = os.path.join(self.fresh(), "blocks")
        environment = {"LD_PRELOAD": " ".join([COUNTING, *allocators]), "COUNTING_BLOCKS": table, "PYTHONMALLOC": "malloc"}
        figures, snapshot = self.read(self.core_of(command, text, environment))
        self.assertNotIn("unknown", figures)
        n_fields = len(snapshot["snapshot"]["meta"]["node_fields"])
        nodes = snapshot["nodes"]
        found = {(i // 2, size) for i, size in zip(nodes[2::n_fields], nodes[3::n_fields]) if size > 0}  # no roots
        expected = set(self.read_table(table).items())
        all_bytes = sum(size for _, size in expected)
        wrong = sum(size for _, size in expected ^ found)
        self.assertLessEqual(wrong, all_bytes // 1000, f"{command[0]}: {wrong} of {all_bytes} bytes, "
                             f"missing {expected - found}, more {found - expected}")

    def check_programs(self, programs, *allocators):
        n_run = 0
        for (name, *arguments), text in programs:
            path = find_program(name)
            if path:
                n_run += 1
                with self.subTest(name):
                    self.check_blocks([path, *arguments], text, *allocators)
        self.assertGreaterEqual(n_run, len(programs) // 2)

    def test_core_has_the_blocks_of_real_programs(self):
        self.check_programs(PROGRAMS)

    def test_core_has_the_blocks_of_a_heap_in_parts(self):
        self.check_blocks([program("broken_heap")], "\n")

    def test_core_has_the_blocks_of_jemalloc(self):
        """Not of node: its `new` is jemalloc's, which the counting library does not see."""
        programs = [row for row in PROGRAMS if row[0][0] != "node"]
        self.check_programs(programs[::2], harness.jemalloc_5_3() or self.skipTest("no jemalloc 5.3"))

    def retained_by_root(self):
        done = harness.run([harness.CENSUS, "report", "-m0", "--depth", "1", "--format", "csv",
                            self.path("heap.heapsnapshot")])
        rows = list(csv.DictReader(io.StringIO(done.output)))[1:]
        return {re.split("@| in ", row["name"])[0]: int(row["retained_bytes"]) for row in rows}

    def test_core_has_the_holders(self):
        """Of the program `retained`: its sizes, as malloc rounds them, by root; and what it has lost."""
        figures, _ = self.read(self.core_of([program("retained")], ""))
        self.assertEqual(figures["not reached"].split(" in ")[1], "4 blocks")
        retained = self.retained_by_root()
        for name, n_bytes in {"cache": 520 + 64 * (1000 + 56), "first": 1000 * (40 + 24),
                              "large": 401408 - harness.MAPPED_EXTRA, "(unreached)": 3 * 24 + 712}.items():
            self.assertEqual(retained[name], n_bytes, name)

    def check_python(self, _, interpreter):
        """Objects are in pools of Python's own allocator. A few blocks that just became free can look like live ones."""
        script = self.path("app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import sys\n"
                       "class Session:\n"
                       "    def __init__(self, i):\n"
                       "        self.text, self.number = 'session %d' % i, i\n"
                       "        self.data = bytearray(1000)\n"
                       "cache = {i: Session(i) for i in range(2000)}\n"
                       "for i in range(0, 1000, 2):\n"
                       "    del cache[i]\n"
                       "sys.stdin.read()\n")
        self.read(self.core_of([interpreter, script], "x"))
        done = harness.run([harness.CENSUS, "report", "--where", 'type = "bytearray" and reachable_from "app.cache"',
                            self.path("heap.heapsnapshot")])
        n_found = int(done.output.split()[0].replace(",", ""))
        self.assertTrue(2 * 1490 < n_found <= 2 * 1500, done.output[:200])  # with what they point to

    def test_core_of_python_has_its_objects(self):
        self.with_each(self.check_python)

    def test_core_files_of_gdb(self):
        """They have no code. Between two of them, the program takes 200 more sessions: their blocks have the same
        addresses in both."""
        if not shutil.which("gcore"):
            self.skipTest("gdb is not installed")
        script = self.path("app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("class Session:\n"
                       "    def __init__(self):\n"
                       "        self.data = bytearray(5000)\n"
                       "cache = [Session() for _ in range(100)]\n"
                       "print('before', flush=True)\n"
                       "input()\n"
                       "cache += [Session() for _ in range(200)]\n"
                       "print('after', flush=True)\n"
                       "import sys; sys.stdin.read()\n")
        snapshots = []
        with subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            for name in "before", "after":
                self.assertEqual(process.stdout.readline(), name + "\n")
                harness.run(["gcore", "-o", self.path(name), str(process.pid)])
                snapshots.append(self.path(name + ".heapsnapshot"))
                done = harness.run([harness.CENSUS, "core", "-o", snapshots[-1], self.path(f"{name}.{process.pid}")])
                self.assertEqual(done.status, 0, done.errors)
                process.stdin.write("go on\n")
                process.stdin.flush()
        done = harness.run([harness.CENSUS, "diff", "--format", "csv", *snapshots])
        rows = {row["type"]: row for row in csv.DictReader(io.StringIO(done.output))}
        for name in "app.Session", "bytearray":
            self.assertLess(abs(int(rows[name]["new_objects"]) - 400), 5, done.output)
            self.assertLess(int(rows[name]["gone_objects"]), 5, done.output)

    def check_damaged(self, core):
        """Returns the errors of census core, which says what is wrong, or reads what is left."""
        done = harness.run([harness.CENSUS, "core", core, "-o", self.path("damaged.heapsnapshot")])
        self.assertIn(done.status, (0, 1), done.errors)
        self.assertEqual(done.status == 1, done.errors.startswith(f"census: {core}: "), done.errors)
        return done.errors + done.output

    def test_core_files_are_damaged(self):
        core = self.core_of([program("retained")], "")
        with open(core, "rb") as file:
            whole = file.read()
        damaged = self.path("damaged")

        def write(data):
            with open(damaged, "wb") as file:
                file.write(data)
            return self.check_damaged(damaged)

        self.assertIn("not a core file", write(b"text"))
        self.assertIn("not a core file", self.check_damaged(harness.CENSUS))
        self.assertIn("cut", write(whole[:100]))
        size = whole.index(struct.pack("<Q", 1000 + 8 | 1))  # of the first block of 1000 bytes
        self.assertIn("unknown", write(whole[:size] + b"\7" * 8 + whole[size + 8:]))
        first, n_segments = struct.unpack_from("<Q", whole, 32)[0], struct.unpack_from("<H", whole, 56)[0]
        data = bytearray(whole)
        for segment in range(first, first + 56 * n_segments, 56):
            data[segment + 47] = 0x40  # the size in memory
        write(data)
        self.damage(whole, write)

    def damage(self, whole, write, n=N_DAMAGED):
        """Writes a core file many times, each time with other bytes at the begin, anywhere, or where something is."""
        random = Random(7)
        known = [at for at in range(0, len(whole), 8) if whole[at:at + 8] != bytes(8)]
        for _ in range(n):
            at = random.choice([random.randrange(4096), random.randrange(len(whole)), random.choice(known)])
            data = bytearray(whole)
            for i in range(at, min(at + random.choice([1, 8, 4096]), len(data))):
                data[i] = random.randrange(256)
            write(data)

    def test_core_files_of_jemalloc_are_damaged(self):
        jemalloc = harness.jemalloc_5_3() or self.skipTest("no jemalloc 5.3")
        with open(self.core_of([program("retained")], "", {"LD_PRELOAD": jemalloc}), "rb") as file:
            whole = file.read()
        damaged = self.path("damaged")

        def write(data):
            with open(damaged, "wb") as file:
                file.write(data)
            self.check_damaged(damaged)

        self.damage(whole, write, N_DAMAGED // 2)


if __name__ == "__main__":
    harness.main()
