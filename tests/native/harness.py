# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program plainly, counted, under `peer`, and under `census run`, and compares.

The output and the exit status must be equal in all four. The live blocks at the end must be equal in
the last three, exactly: `peer` has the counts inside the program, `census run` has the finished
profile, and the counting library (counting/) shares no code with either.

The environment names the tested programs: CENSUS, CENSUS_PRELOAD, NATIVE_COUNTING, NATIVE_PEER,
NATIVE_PROGRAMS. Each test is a method; `test_GROUP.py NAME` runs the method test_NAME.
"""
import collections
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

CENSUS = os.environ["CENSUS"]
PRELOAD = os.environ["CENSUS_PRELOAD"]
COUNTING = os.environ["NATIVE_COUNTING"]
PEER = os.environ["NATIVE_PEER"]
PROGRAMS = os.environ["NATIVE_PROGRAMS"]

SKIPPED = 77
PATIENCE_S = 240  # for what must happen; a loaded machine is slow, not wrong

os.environ["CENSUS_NAME_BYTES"] = "20000"  # names of stacks in .hp files are whole

# Background jobs of a shell ignore it, and so would the programs that are tested.
signal.signal(signal.SIGINT, signal.default_int_handler)

Counts = collections.namedtuple("Counts", "allocations asked_bytes frees freed_bytes strangers "
                                "inherited inherited_bytes malloc calloc realloc aligned")
Counts.live_bytes = property(lambda self: self.asked_bytes - self.freed_bytes)
Counts.live = property(lambda self: self.allocations - self.frees)


class Result:
    """The result of a program: exit status as in a shell, output, errors."""

    def __init__(self, done):
        self.status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        self.output, self.errors = done.stdout, done.stderr

    def printed(self, kind):
        """Returns the last number that the program printed for each of its functions: {name: n}."""
        return {line.split()[1]: int(line.split()[2]) for line in self.output.splitlines()
                if line.startswith(kind + " ")}


def program(name):
    return os.path.join(PROGRAMS, name)


# Amounts and times, as summaries write them.
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
         "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}
AMOUNT = r"(-?[\d.,]+(?:e[-+]?\d+)? (?:[KMGTPE]i)?B)"


def number(text):
    """Converts an amount or a time to bytes or seconds."""
    if ":" in text:
        seconds = 0
        for part in text.split(":"):
            seconds = 60 * seconds + float(part)
        return seconds
    digits, _, unit = text.partition(" ")
    return float(digits.replace(",", "")) * UNITS[unit or "B"]


def run(command, environment=None, patience_s=PATIENCE_S, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience_s,
                          env={**os.environ, **(environment or {})}, check=False, **more)
    return Result(done)


def is_sanitized():
    """Returns whether census itself has a sanitizer, which needs /proc and cannot be traced at its end."""
    with open(CENSUS, "rb") as file:
        return b"__asan_report_load" in file.read()


def preloading(library, environment):
    """Returns the environment with a library before all others in LD_PRELOAD."""
    others = (environment or {}).get("LD_PRELOAD", "")
    return {**(environment or {}), "LD_PRELOAD": ":".join(filter(None, [library, others]))}


# ---- the counting library ------------------------------------------------------------------------

def read_counts(path):
    with open(path, "rb") as file:
        return Counts(*struct.unpack("11Q", file.read(88)))


def run_counted(command, directory, environment=None, **more):
    """Returns the result, with `counts` of the program itself and `others` of its children."""
    path = os.path.join(directory, "counts")
    result = run(command, {**preloading(COUNTING, environment), "COUNTING_FILE": path}, **more)
    result.counts = read_counts(path)
    result.others = [read_counts(other) for other in glob.glob(glob.escape(path) + ".*")]
    assert result.counts.strangers == 0, "the counting library saw a free of a block unknown to it"
    return result


# ---- peer ----------------------------------------------------------------------------------------

class Window(dict):
    live_bytes = property(lambda self: self["asked_bytes"] - self["freed_bytes"])
    live = property(lambda self: self["allocations"] - self["frees"])

    def by_call(self, call):
        """Returns the same four sums for the blocks of one call."""
        return {what: self[call + "." + what]
                for what in ("allocations", "asked_bytes", "frees", "freed_bytes")}


def read_marks(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").partition(" ")[2] for line in file if line.startswith("mark ")]


def read_windows(path, when):
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return [Window((name, int(value)) for name, value in (word.split("=") for word in line[1:]))
            for line in lines if line[0] == when]


def run_peer(command, directory, verify=0, **more):
    """Returns the result, with `windows` at the end, the program's own first, `marks` of all windows, and
    `stopped`, the windows when the program stopped itself."""
    path = os.path.join(directory, "windows")
    result = run([PEER, path, PRELOAD, str(verify), *command], **more)
    result.windows, result.stopped = read_windows(path, "end"), read_windows(path, "stopped")
    result.marks = read_marks(path)
    assert result.windows, "there is no window:\n" + result.errors
    return result


# ---- census run ----------------------------------------------------------------------------------

class Profile:
    """A .hp file: `samples` are (seconds, {name: bytes})."""

    def __init__(self, path):
        self.path, self.samples, self.header = path, [], {}
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file.read().splitlines():
                self.take(line)

    def take(self, line):
        word, _, rest = line.partition(" ")
        if word == "BEGIN_SAMPLE":
            self.samples.append((float(rest), collections.Counter()))
        elif "\t" in line:
            name, size = line.rsplit("\t", 1)
            self.samples[-1][1][name] += int(size)
        elif word not in ("END_SAMPLE", "MARK"):
            self.header[word] = rest.strip('"')

    def last(self):
        return self.samples[-1][1]

    def total(self):
        return sum(self.last().values())

    def of(self, function):
        """Returns the sum of the last sample's bands whose names contain the function as a word."""
        pattern = re.compile(r"(?<!\w)%s(?!\w)" % re.escape(function))
        return sum(size for name, size in self.last().items() if pattern.search(name))


def files_of(base, *suffixes):
    """Returns the options for files of a run."""
    return [word for suffix in suffixes for word in ("-o", base + suffix)]


def may_read_filters():
    """Returns whether this process may read the seccomp filters of others: CAP_SYS_ADMIN, and no filter of its own."""
    with open("/proc/self/status", encoding="ascii") as file:
        status = dict(line.split(":\t", 1) for line in file.read().splitlines())
    return int(status["CapEff"], 16) >> 21 & 1 == 1 and status["Seccomp"] == "0"


def run_census(command, directory, *options, files=(".hp",), **more):
    """Returns the result, with `profile` of the program itself and `others` of its children. `files` are the
    suffixes of what is written."""
    base = os.path.join(directory, "profile")
    result = run([CENSUS, "run", "-q", "-i0.05", *files_of(base, *files), *options, "--", *command],
                 **more)
    own = base + ".hp"
    result.profile = Profile(own) if os.path.exists(own) else None
    result.others = [Profile(path) for path in sorted(glob.glob(glob.escape(base) + ".*.hp"))]
    return result


def allocators():
    """Returns the paths of other allocators that are installed."""
    found = [sorted(glob.glob(f"/usr/lib/x86_64-linux-gnu/lib{name}"))[:1]
             for name in ("jemalloc.so.2", "mimalloc.so.?", "tcmalloc_minimal.so.4")]
    return sum(found, [])


def jemalloc_5_3():
    """Returns the path of the jemalloc whose structures are known, or None."""
    path = next((path for path in allocators() if "jemalloc" in path), None)
    if path:
        with open(path, "rb") as file:
            path = path if b"\x005.3." in file.read() else None
    return path


# What glibc's malloc takes of the pages of a block that is a mapping of its own.
MAPPED_EXTRA = 24 if [int(n) for n in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2]] >= [2, 43] else 16

# Versions whose functions and objects are known.
PYTHONS = tuple("3.%d" % minor for minor in range(9, 16))
FREE_THREADED = ("3.13t", "3.14t", "3.15t")


def interpreters(versions):
    """Returns {"3.11": path} of those that are installed, Debian's first, by the name of the program, which of a
    free-threaded build is python3.14t."""
    found = {}
    for path in ["/usr/bin/python3", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))),
                 *filter(None, (shutil.which("python" + version) for version in versions))]:
        name = re.fullmatch(r"python(3\.\d+t?)", os.path.basename(os.path.realpath(path)))
        version = name and name[1]
        if version in versions and version not in found and run([path, "-IS", "-c", ""]).status == 0:
            found[version] = path
    return found


# ---- tests ---------------------------------------------------------------------------------------

class Native(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="census-native-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def fresh(self):
        """Returns a new directory for one run."""
        return tempfile.mkdtemp(dir=self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def with_each(self, check, *versions):
        """Runs a check with the interpreter of each version that is installed, of `versions` or of all that census
        knows; skips visibly if there is none."""
        versions = versions or PYTHONS
        found = interpreters(versions)
        if is_sanitized():  # versions differ inside programs, which no sanitizer sees
            found = dict([*found.items()][:1])
        for version, path in found.items():
            with self.subTest(version):
                check(version, path)
        if not found:
            self.skipTest("not installed: Python " + ", ".join(versions))

    def assert_unharmed(self, plain, other):
        self.assertEqual((other.output, other.errors, other.status),
                         (plain.output, plain.errors, plain.status))

    def assert_nothing_lost(self, window):
        for what in ("lost_stacks", "uncounted", "missed_frees", "memo_mismatches",
                     "peer_mismatches", "peer_cut"):
            self.assertEqual(window[what], 0, what)

    def assert_same_counts(self, counts, window):
        """Compares the counts of every call, for a program that allocates the same in each run."""
        for what in "allocations", "asked_bytes", "frees", "freed_bytes":
            self.assertEqual(window[what], getattr(counts, what), what)

    def assert_same_live(self, counts, window):
        """Compares two counts of the same run, with the counting library before the preloaded one. It
        also sees the allocations of the preloaded library at the start, when that looks for symbols that
        do not exist."""
        self.assertEqual(window.live_bytes, counts.live_bytes)
        self.assertEqual(window.live, counts.live)
        self.assertIn(counts.allocations - window["allocations"], range(10))

    def check_program(self, command, is_repeatable=True, verify=1, **more):
        """Runs a command in all ways. `is_repeatable`: it allocates the same in each run. `verify`:
        only every nth stack is compared (n is `verify`). Returns the plain result, and the one under census by
        site."""
        plain = run(command, **more)
        census = run_census(command, self.fresh(), "-hd", **more)
        self.assert_unharmed(plain, census)
        self.check_printed(plain, census)
        if is_repeatable:
            self.check_sums(plain, census, command, **more)
        self.check_stacks(plain, command, verify, **more)
        return plain, census

    def check_sums(self, plain, census, command, **more):
        counted = run_counted(command, self.fresh(), **more)
        peer = run_peer(command, self.fresh(), **more)
        self.assert_unharmed(plain, counted)
        self.assert_unharmed(plain, peer)
        self.assert_nothing_lost(peer.windows[0])
        self.assert_same_counts(counted.counts, peer.windows[0])
        mapped = peer.windows[0].by_call("mmap")
        self.assertEqual(census.profile.total() - (mapped["asked_bytes"] - mapped["freed_bytes"]),
                         counted.counts.live_bytes)

    def check_stacks(self, plain, command, verify, **more):
        """Compares stacks. For this the C library loads another one, so the sums include its allocations."""
        peer = run_peer(command, self.fresh(), verify, **more)
        self.assert_unharmed(plain, peer)
        self.assert_nothing_lost(peer.windows[0])
        window = peer.windows[0]
        self.assertGreater(window["checked"], 0)
        if verify == 1:  # All but the few before the thread's memory is there.
            self.assertGreater(window["checked"], window["allocations"] * 3 // 4 - 10)

    def check_printed(self, plain, census):
        """Compares the numbers that the program prints for its functions with the bands by site."""
        for function, size in plain.printed("live").items():
            self.assertEqual(census.profile.of(function), size, function)

    def check_through(self, command, **more):
        """Compares the live bytes that the program prints for paths through functions with the bands by
        stack."""
        census = run_census(command, self.fresh(), "-hc", **more)
        printed = census.printed("through")
        self.assertTrue(printed)
        for function, size in printed.items():
            self.assertEqual(census.profile.of(function), size, function)
        return census


def main():
    """Runs the tests that the command line names, or all. Exits with SKIPPED if any was skipped."""
    suite = unittest.TestSuite()
    names = sys.argv[1:]
    for case in unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]):
        suite.addTests(test for test in case
                       if not names or test.id().rsplit(".test_", 1)[1] in names)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped else 0)
