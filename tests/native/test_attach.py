#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that run already, under `census attach`."""
import collections
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness
from harness import CENSUS, PATIENCE_S, PROGRAMS, program

OLD_BYTES = 1000000
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PYTHON = """import sys
kept = []
for line in sys.stdin:
    kept.append(bytearray(int(line)))
    print(len(kept), flush=True)
print("end", sum(map(len, kept)))
"""
# Fills containers that are older than the profile, of a class that is, too.
OLDER = """import sys
class Box:
    def __init__(self, n):
        self.data = "x" * n
class Owner:
    pass
LISTED, NAMED, SHARED, OWNER, NESTED = [], {}, set(), Owner(), ([{"deep": []}],)
OWNER.kept = []
def fill(n):
    for i in range(100):
        LISTED.append(Box(n))
        NAMED[i] = Box(2 * n)
        SHARED.add(Box(4 * n))
        OWNER.kept.append(Box(8 * n))
        NESTED[0][0]["deep"].append(Box(16 * n))
def main():
    local = [[]]
    for line in sys.stdin:
        fill(int(line))
        local[0] += [Box(32 * int(line)) for _ in range(100)]
        print(len(LISTED), flush=True)
main()
"""
# Leaves the address of a list in freed blocks of 176 and 64 bytes, and makes classes and names that lie in these: a little
# shorter, so that the address is behind them.
TAILS = """import sys
LISTED = ["x"]
def soil():
    word = id(LISTED).to_bytes(8, "little")[:7]
    kept = [bytes(n) + word for n in (24, 136) for _ in range(3000)]
soil()
CLASSES = [type("C%d" % i, (), {}) for i in range(100)]
for line in sys.stdin:
    LISTED.append("y" * int(line))
    print("done", flush=True)
"""
# Prints what each epoll_wait returns, then the line that it was for.
WAITING = """import ctypes, os, select
libc, event = ctypes.CDLL(None), ctypes.create_string_buffer(12)
poll = select.epoll()
poll.register(0)
line = "begin"
while line:
    print(line, flush=True)
    n_events = libc.epoll_wait(poll.fileno(), event, 1, -1)
    line = "interrupted" if n_events < 0 else os.read(0, 100).decode().strip()
"""


class Program:
    """A program that does what lines say, and answers each."""

    def __init__(self, test, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        cwd=test.directory, env={**os.environ, **environment})
        self.lines = []
        for close in (self.process.stdout.close, self.process.wait, self.process.kill):
            test.addCleanup(close)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line, n_answers=2):
        self.send(line)
        self.lines += [self.process.stdout.readline() for _ in range(n_answers)]
        return self.lines[-1].rstrip("\n")

    def end(self):
        self.process.stdin.close()
        self.lines += self.process.stdout.readlines()
        return self.process.wait(PATIENCE_S)


class Attached:
    """A `census attach` that has begun to profile."""

    def __init__(self, test, process, base="out", *options):
        self.base = os.path.join(tempfile.mkdtemp(dir=test.directory), base)
        self.census = subprocess.Popen([CENSUS, "attach", "-i0.01", *options, "-o", self.base + ".hp", str(process.pid)],
                                       stderr=subprocess.PIPE, text=True)
        for close in (self.census.stderr.close, self.census.wait, self.census.kill):
            test.addCleanup(close)
        said = self.census.stderr.readline()
        if "not allowed to stop it" in said:
            test.skipTest("processes may not be traced here")
        if "its glibc is older than" in said:
            test.skipTest("programs cannot be attached to with this libc")
        assert "profiling process" in said, said

    def wait_for_bytes(self, n_bytes):
        """Waits for a sample of as many bytes."""
        while sum(self.last().values()) < n_bytes:
            time.sleep(0.01)

    def end(self):
        """Detaches. Returns the bytes of the last sample by the innermost function."""
        self.census.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self):
        self.said = self.census.stderr.read()
        assert self.census.wait(PATIENCE_S) == 0, self.said
        return self.last()

    def last(self):
        """Returns the bytes of the last sample that is whole, by the innermost function."""
        with open(self.base + ".hp", encoding="utf-8") as file:
            samples = file.read().rpartition("END_SAMPLE ")[0].split("BEGIN_SAMPLE ")
        bands = {}
        for line in samples[-1].splitlines():
            if "\t" in line:
                name, amount = line.rsplit("\t", 1)
                name = re.sub(r"^\(\d+\)", "", name).split("/")[0]
                bands[name] = bands.get(name, 0) + int(amount)
        return bands


class Attach(harness.Native):
    def start(self, command=None, **environment):
        return Program(self, command or [program("attached")], environment)

    def line_of(self, text):
        with open(os.path.join(SOURCES, "attached.c"), encoding="utf-8") as file:
            return next(number for number, line in enumerate(file, 1) if text in line)

    def refused(self, pid):
        done = subprocess.run([CENSUS, "attach", "-o", os.path.join(self.directory, "out"), str(pid)],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_attach_counts_exactly(self):
        running = self.start()
        running.ask("keep 3000")
        attached = Attached(self, running.process)
        for n in 1, 20, 5000000:
            self.assertEqual(running.ask(f"keep {n}"), f"keep {n}: 0")
        bands = attached.end()
        self.assertGreaterEqual(bands.pop("INHERITED"), OLD_BYTES + 3000)
        self.assertEqual(bands.pop("keep_one"), 1 + 20 + 5000000)
        self.assertEqual(sum(bands.values()), 3 * len("kept by libc\0"))
        self.assertEqual(running.end(), 5)
        self.assertEqual(running.lines[-1], "end\n")

    def test_attach_ended_by_several_signals(self):
        """They do not take the summary away."""
        for _ in range(8):
            running = self.start()
            running.ask("keep 3000")
            attached = Attached(self, running.process)
            end = time.monotonic() + 1
            while attached.census.poll() is None and time.monotonic() < end:
                attached.census.send_signal(signal.SIGINT)
                time.sleep(0.001)
            self.assertIn("look at them with", attached.census.stderr.read())
            self.assertEqual(running.end(), 5)

    def test_attach_to_what_existed_before(self):
        """A block that existed before leaves INHERITED when it is freed or moved."""
        for line, kept in ("give", 0), ("grow", 2 * OLD_BYTES):
            running = self.start()
            attached = Attached(self, running.process)
            self.assertEqual(running.ask(line), f"{line}: {7 if line == 'grow' else 0}")
            bands = attached.end()
            self.assertLess(bands.pop("INHERITED", 0), OLD_BYTES / 2)
            self.assertEqual(sum(bands.values()) // OLD_BYTES * OLD_BYTES, kept)
            self.assertEqual(running.end(), 5)

    def test_attach_counts_later_mappings(self):
        """A mapping that existed before is not counted, nor is it when it is unmapped."""
        running = self.start()
        attached = Attached(self, running.process, "out", "-hd", "-hTmmap")
        self.assertEqual(running.ask("map 20"), "map 20: 0")
        bands = attached.end()
        self.assertEqual(bands, {"map_pages@attached.c:%d" % self.line_of("return mmap"): 20 * 4096})
        self.assertEqual(running.end(), 5)

    def test_attach_profiles_time(self):
        """A thread that existed before and never allocates has a tick for each millisecond, less what
        the ticks take themselves; and no timer after census has detached."""
        running = self.start()
        running.ask("burner")
        running.ask("burn 100")
        for i in range(2):
            attached = Attached(self, running.process, f"out{i}", "-hc", "-pj", "-V0.001")
            running.ask("burn 200")
            attached.end()
            with open(attached.base + ".prof", encoding="utf-8") as file:
                profile = json.load(file)
            ids = {centre["id"]: centre["label"] for centre in profile["cost_centres"]}
            ticks = collections.Counter()
            nodes = [profile["profile"]]
            for node in nodes:
                ticks[ids[node["id"]]] += node["ticks"]
                nodes += node["children"]
            self.assertIn(ticks["burn"], range(100, 211))
            with open(f"/proc/{running.process.pid}/timers", encoding="utf-8") as file:
                self.assertEqual(file.read(), "")
            running.ask("burn 50")
        self.assertEqual(running.end(), 5)

    def test_attach_to_threads(self):
        """Threads that allocate all the time, so that any of them may hold the lock of the allocator."""
        running = self.start()
        running.ask("threads 4")
        attached = Attached(self, running.process)
        running.ask("done")
        bands = attached.end()
        self.assertEqual(bands["keep_one"], 4 * 10 * 1000)
        self.assertNotIn("work", bands)
        self.assertEqual(running.end(), 5)

    def test_attach_to_a_busy_program(self):
        running = self.start()
        running.ask("spin", n_answers=1)
        attached = Attached(self, running.process)
        running.ask("keep 777", n_answers=3)
        self.assertEqual(attached.end()["keep_one"], 777)
        self.assertEqual(running.end(), 5)

    def test_attach_continues_a_system_call(self):
        """A wait that was interrupted twice ends as without. The kernel continues a sleep by itself."""
        running = self.start()
        for wait in "nap", "await":
            running.ask(wait, n_answers=1)
            Attached(self, running.process).end()
            self.assertEqual(running.process.stdout.readline(), f"{wait}: 0\n")
        self.assertEqual(running.end(), 5)

    def test_attach_changes_no_call(self):
        """Calls that census interrupts, to attach and to detach, return what they would without."""
        results = {"nanosleep": "0 0", "clock_nanosleep": "0 0", "read": "1 0", "readv": "1 0", "readv_limit": "1 0",
                   "recv_limit": "1 0", "write": "1000000 0", "send": "1000000 0", "recv_all": "1000000 0",
                   "poll": "1 0", "poll_limit": "0 0", "select": "1 0", "epoll": "1 0", "futex": "0 0", "futex_limit": "-1 110", "sigwaitinfo": "10 0",
                   "sigtimedwait": "-1 11", "accept": "1 0", "wait4": "1 0", "semop": "0 0", "flock": "0 0",
                   "io_getevents": "0 0"}

        def play(call):
            blocked = self.start([program("blocked"), call])
            self.assertEqual(blocked.process.stdout.readline(), "begin\n")
            Attached(self, blocked.process, call).end()
            blocked.send("")
            self.assertEqual(blocked.end(), 5)
            self.assertEqual(blocked.lines, [f"{call}: {results[call]}\n"])

        with concurrent.futures.ThreadPoolExecutor(len(results)) as pool:
            list(pool.map(play, results))

    def test_attach_survives_the_death_of_census(self):
        """census is killed at some of the steps by which it changes the program (tests/attach_harm.py: at
        each). The program works, its files are as before, and it can be attached to again."""
        if harness.is_sanitized():
            self.skipTest("a sanitizer in census cannot be traced")
        census = [program("kill_at"), "0", CENSUS, "attach", "-q", "-o", os.path.join(self.directory, "out")]
        running = self.start()
        running.ask("threads 1")
        pid = running.process.pid
        files = sorted(os.listdir(f"/proc/{pid}/fd"))
        done = subprocess.run([*census, str(pid)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        n_steps = int(done.stderr.split()[0])
        for step in range(n_steps // 8, n_steps, n_steps // 4):
            census[1] = str(step)
            subprocess.run([*census, str(pid)], capture_output=True, timeout=PATIENCE_S, check=False)
            self.assertEqual(running.ask("keep 100"), "keep 100: 0", step)
        attached = Attached(self, running.process)
        running.ask("keep 300")
        running.ask("done")
        self.assertEqual(attached.end()["keep_one"], 300 + 10 * 1000)
        self.assertEqual(sorted(os.listdir(f"/proc/{pid}/fd")), files)
        self.assertEqual(running.end(), 5)

    def test_attach_changes_no_call_when_census_is_killed(self):
        """census is killed after it has stopped a thread in a call that the kernel does not restart, at each step
        but the first ones: those that stop the thread and make the call begin again."""
        if harness.is_sanitized():
            self.skipTest("a sanitizer in census cannot be traced")
        running = Program(self, [sys.executable, "-c", WAITING], {})
        self.assertEqual(running.process.stdout.readline(), "begin\n")
        for step in range(8, 15):
            done = subprocess.run([program("kill_at"), str(step), CENSUS, "attach", "-q", "-o",
                                   os.path.join(self.directory, "out"), str(running.process.pid)],
                                  capture_output=True, timeout=PATIENCE_S, check=False)
            self.assertEqual(done.returncode, 128 + signal.SIGKILL, done.stderr)
            self.assertEqual(running.ask(str(step), 1), str(step))
        running.send("")
        self.assertEqual((running.end(), running.lines[-1]), (0, "14\n"))

    def test_attach_to_a_user(self):
        """A program of another user, who may not read files of census; root attaches to it."""
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv")
        os.chmod(self.directory, 0o711)
        copy = shutil.copy(program("attached"), self.directory)
        running = self.start(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy])
        running.ask("keep 1")
        attached = Attached(self, running.process)
        running.ask("keep 777")
        self.assertEqual(attached.end()["keep_one"], 777)
        self.assertEqual(running.end(), 5)

    def test_attach_to_a_program_in_another_root(self):
        """Its variables have names: /proc shows its files as this process sees them, the dynamic linker as it does."""
        root, copy = self.fresh(), program("attached")
        os.mkdir(root + "/proc")
        if subprocess.run(["mount", "--bind", "/proc", root + "/proc"], capture_output=True, check=False).returncode != 0:
            self.skipTest("may not mount")
        self.addCleanup(subprocess.run, ["umount", "--lazy", root + "/proc"], check=True)
        libraries = subprocess.run(["ldd", copy], capture_output=True, text=True, check=True).stdout
        for path in [copy, *re.findall(r"(/\S+) \(0x", libraries)]:
            os.makedirs(root + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, root + path)
        running = self.start(["chroot", root, copy])
        running.ask("threads 1")
        attached = Attached(self, running.process, "out", "-hr")
        running.ask("done")
        bands = attached.end()
        self.assertEqual(bands.get("thread_blocks@attached"), 10 * 1000, bands)
        self.assertEqual(running.end(), 5)

    def test_attach_before_an_object_is_loaded(self):
        running = self.start()
        attached = Attached(self, running.process)
        path = os.path.join(PROGRAMS, "libplugin_one.so")
        self.assertEqual(running.ask("load " + path), f"load {path}: 0")
        bands = attached.end()
        self.assertEqual(bands["plugin_one_keeps"], 3 * 64)
        self.assertEqual(running.end(), 5)

    def test_attach_again(self):
        """Each time only what was allocated meanwhile is counted; in between the program is as it was."""
        running = self.start()
        n_times = 12  # a copy of the library has little thread-local memory, of which a process has 1,700 bytes
        for i in range(n_times):
            attached = Attached(self, running.process, f"out{i}")
            running.ask(f"keep {1000 * (i + 1)}")
            self.assertEqual(attached.end()["keep_one"], 1000 * (i + 1))
            running.ask("keep 5000")
        with open(f"/proc/{running.process.pid}/maps", encoding="utf-8") as file:
            self.assertEqual(len(re.findall("r-xp.*libcensus-preload", file.read())), n_times)
        self.assertEqual(running.end(), 5)

    def test_attach_after_census_was_killed(self):
        """The program goes on, and can be attached to again."""
        running = self.start()
        running.ask("threads 2")
        attached = Attached(self, running.process)
        running.ask("keep 100")
        attached.census.kill()
        attached.census.wait()
        running.ask("keep 200")
        attached = Attached(self, running.process)
        running.ask("keep 300")
        self.assertEqual(attached.end()["keep_one"], 300)
        running.ask("done")
        self.assertEqual(running.end(), 5)

    def test_attach_to_other_allocators(self):
        """What they had before is not known; a block of it can be freed and moved all the same."""
        for name in harness.allocators() or self.skipTest("there are no other allocators here"):
            running = self.start(LD_PRELOAD=name)
            running.ask("threads 2")
            attached = Attached(self, running.process)
            running.ask("keep 3000")
            running.ask("done")
            self.assertEqual(running.ask("grow"), "grow: 7")
            running.ask("give")
            bands = attached.end()
            self.assertNotIn("INHERITED", bands)
            self.assertEqual(bands["keep_one"], 3000 + 2 * 10 * 1000)
            self.assertEqual(running.end(), 5)

    def test_attach_until_the_end(self):
        running = self.start()
        attached = Attached(self, running.process)
        running.ask("keep 10")
        self.assertEqual(running.end(), 5)
        self.assertEqual(attached.wait()["keep_one"], 10)

    def test_attach_to_python(self):
        running = self.start([sys.executable, "-c", PYTHON])
        running.ask("10", n_answers=1)
        attached = Attached(self, running.process)
        for n in range(1, 6):
            self.assertEqual(running.ask(str(n * 1000000), n_answers=1), str(n + 1))
        bands = attached.end()
        bands.pop("INHERITED")
        self.assertGreaterEqual(sum(bands.values()), 15000000)
        self.assertLess(sum(bands.values()), 15200000)
        running.ask("5", n_answers=1)
        self.assertEqual(running.end(), 0)
        self.assertEqual(running.lines[-1], "end 15000015\n")

    def profile_older(self, running, n, *options):
        """Returns the bands of what the program puts into containers that are older than the profile, by 100 strings
        of 20,000 characters, once they are `n` of these together. Large ones
        that are older have whole pages."""
        attached = Attached(self, running.process, "out", *options)
        running.ask("20000", n_answers=1)
        attached.wait_for_bytes(n * 2000000)
        bands = attached.end()
        return {name: n / 2000000 for name, n in bands.items() if n > 1500000 and name != "INHERITED"}

    def check_older(self, version, python):
        running = self.start([python, self.path("older.py")])
        running.ask("10", n_answers=1)
        method = "older.__init__" if version in ("3.9", "3.10") else "older.Box.__init__"
        found = self.profile_older(running, 63, "-hc")
        self.assertEqual({name: int(n) for name, n in found.items()}, {method: 63})
        # With those of the profile before. NAMED has the new ones in their places.
        found = self.profile_older(running, 2 * 61 + 2, "-hy")
        self.assertEqual({name: int(n) for name, n in found.items()}, {"str": 2 * 61 + 2})
        # A few words that the interpreter has left may hold strings, too, of which the largest are a third of a unit.
        found = self.profile_older(running, 3 * 61 + 2, "-hr")
        expected = {"older.LISTED": 3, "older.NAMED": 2, "older.SHARED": 12, "older.OWNER": 24, "older.NESTED": 48,
                    f"older.main(frame_of_{os.path.basename(python)})": 96}
        self.assertEqual(found.keys(), expected.keys())
        for name, n in expected.items():
            self.assertAlmostEqual(found[name], n, delta=0.7 + n / 64, msg=name)
        self.assertEqual(running.end(), 0)

    def test_attach_to_python_functions(self):
        """Functions, types and holders are known, though modules, classes and containers are older."""
        with open(self.path("older.py"), "w", encoding="utf-8") as file:
            file.write(OLDER)
        self.with_each(self.check_older)

    def check_tails(self, version, python):
        running = self.start([python, self.path("tails.py")])
        running.ask("10", n_answers=1)
        attached = Attached(self, running.process, "out", "-hr")
        running.ask("5000000", n_answers=1)
        attached.wait_for_bytes(5000000)
        bands = attached.end()
        self.assertEqual([name for name, n in bands.items() if n >= 5000000], ["tails.LISTED"], version)
        self.assertEqual(running.end(), 0)

    def test_attach_knows_what_is_behind_objects(self):
        """Of what is older, sizes are those that the allocator gave. Behind an object is what was there before."""
        with open(self.path("tails.py"), "w", encoding="utf-8") as file:
            file.write(TAILS)
        self.with_each(self.check_tails)

    def check_holders_of_older_blocks(self, sizes, **environment):
        """What the program has built before the profile begins is held as in a profile of all of it, and what it has
        lost before is lost. `sizes` are those that malloc gives."""
        running = self.start([program("retained")], **environment)
        while running.process.stdout.readline() != "ready\n":
            pass
        attached = Attached(self, running.process, "out", "-hr")
        table, value, text, node, name, shared, large, ring, lost = sizes
        expected = {"cache@retained": table + 64 * (value + text), "first@retained": 1000 * (node + name),
                    "cache@retained,first@retained": shared, "large@retained": large, "UNREACHED": 3 * ring + lost}

        def held():
            bands = {",".join(sorted(name.split(","))): size for name, size in attached.last().items()}
            return {name: bands.get(name) for name in expected}

        end = time.monotonic() + PATIENCE_S
        while (found := held()) != expected and time.monotonic() < end:  # at first, the stack has words of the attachment
            time.sleep(0.1)
        self.assertEqual(found, expected)
        attached.end()

    def test_attach_sees_holders_of_older_blocks(self):
        self.check_holders_of_older_blocks([520, 1000, 56, 40, 24, 5000, 401408 - harness.MAPPED_EXTRA, 24, 712])

    def test_attach_sees_holders_of_older_blocks_of_jemalloc(self):
        jemalloc = harness.jemalloc_5_3() or self.skipTest("no jemalloc 5.3")
        with open(jemalloc, "rb") as file:  # since 5.3.1, large blocks have as many pages as they need
            large = 458752 if b"\x005.3.0" in file.read() else 401408
        self.check_holders_of_older_blocks([640, 1024, 64, 32, 32, 5120, large, 16, 768], LD_PRELOAD=jemalloc)

    def test_attach_for_a_snapshot_of_older_blocks(self):
        """A heap snapshot has the blocks from before, what holds them, and what is lost; no debugger is needed."""
        running = self.start([program("retained")])
        while running.process.stdout.readline() != "ready\n":
            pass
        attached = Attached(self, running.process, "out", "-hc", "--snapshot=last")
        expected = {"cache": 520 + 64 * (1000 + 56), "first": 1000 * (40 + 24), "large": 401408 - harness.MAPPED_EXTRA,
                    "(unreached)": 3 * 24 + 712}

        def retained():
            done = harness.run([CENSUS, "report", "-m0", "--depth=1", "--format=csv", attached.base + ".heapsnapshot"])
            rows = csv.DictReader(io.StringIO(done.output))
            found = {row["name"].split("@")[0]: int(row["retained_bytes"]) for row in rows}
            return {name: found.get(name) for name in expected}

        end = time.monotonic() + PATIENCE_S
        while retained() != expected and time.monotonic() < end:  # at first, the stack has words of the attachment
            time.sleep(0.1)
        attached.end()
        self.assertEqual(retained(), expected)

    def test_attach_ends_when_the_program_does(self):
        """A program that is about to exit waits for its last image, also from a census that is about to detach."""
        running, begin = self.start(), time.monotonic()
        attached = Attached(self, running.process, "out", "-hr")
        time_to_attach = time.monotonic() - begin
        attached.census.send_signal(signal.SIGSTOP)
        running.process.stdin.close()
        end = time.monotonic() + PATIENCE_S
        while not pathlib.Path(f"/proc/{running.process.pid}/syscall").read_text().startswith("271 "):  # ppoll
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        attached.census.send_signal(signal.SIGINT)
        attached.census.send_signal(signal.SIGCONT)
        begin = time.monotonic()
        self.assertEqual(running.process.wait(PATIENCE_S), 5)
        # A search for a thread that can be stopped takes five seconds or more.
        self.assertLess(time.monotonic() - begin, 3 + 20 * time_to_attach)
        attached.wait()
        self.assertNotIn("cannot detach", attached.said)

    def test_attach_to_a_program_under_a_filter(self):
        """As in containers: some system calls fail, and none ends the program."""
        running = self.start()
        self.assertEqual(running.ask("filter"), "filter: 0")
        if not harness.may_read_filters():
            self.assertIn("the filter cannot be read", self.refused(running.process.pid))
            self.skipTest("only root may read filters, and not under one of its own")
        running.ask("threads 3")
        attached = Attached(self, running.process)
        running.ask("keep 5000")
        running.ask("done")
        bands = attached.end()
        self.assertEqual(bands["keep_one"], 5000 + 3 * 10 * 1000)
        self.assertEqual(running.ask("keep 100"), "keep 100: 0")
        self.assertEqual(running.end(), 5)

    def test_attach_to_a_program_with_stubs(self):
        """Its executable has entries for malloc and free, which lead to ours once it is attached to."""
        running = self.start([program("stubs")])
        running.ask("10", n_answers=1)
        attached = Attached(self, running.process)
        for n_bytes in 1000, 2000, 3000:
            running.ask(str(n_bytes), n_answers=1)
        self.assertEqual(attached.end()["main"], 3000)
        running.ask("4000", n_answers=1)
        self.assertEqual(running.end(), 0)

    def test_attach_refuses(self):
        self.assertIn("there is no such process", self.refused(2**22 + 1))
        static = subprocess.Popen([program("ends_static"), "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertIn("linked statically", self.refused(static.pid))
        static.kill()
        static.communicate()
        ended = subprocess.Popen(["true"])
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("it is ending", self.refused(ended.pid))
        ended.wait()
        running = self.start()
        self.assertEqual(running.ask("lock"), "lock: 0")
        self.assertIn("seccomp", self.refused(running.process.pid))
        running.process.kill()
        running = self.start()
        self.assertEqual(running.ask("trap"), "trap: 0")
        self.assertRegex(self.refused(running.process.pid), r"\(seccomp\), and (socket may end it|the filter cannot be read)")
        running.process.kill()
        census = subprocess.Popen([CENSUS, "run", "-q", "-o", os.path.join(self.directory, "run"), "--",
                                   program("attached")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        census.stdin.write("keep 1\n")
        census.stdin.flush()
        census.stdout.readline()
        with open(f"/proc/{census.pid}/task/{census.pid}/children", encoding="ascii") as file:
            child = file.read().split()[0]
        self.assertIn("started by census run", self.refused(child))
        census.communicate()


if __name__ == "__main__":
    harness.main()
