#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Haskell programs under `census run -hT`: the closures are those of GHC's own profile of the same
collection, and of a program that works, those that it has. GHC's profile needs only -rtsopts."""
import collections
import json
import os
import re
import shutil
import subprocess
import time

import haskell_layouts
import harness
from harness import CENSUS, Native, Profile, program

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "haskell")
GHC = os.environ.get("CENSUS_TEST_GHC") or shutil.which("ghc")
PACKAGES = "array bytestring containers ghc-compact stm text".split()
BIN = "Data.Map.Internal.Bin"
BIN_BYTES = 48
BLOCK_BYTES = 4096
STACK_CHUNK_BYTES = 32768
# What a thread has written to is found dirty by the next collection, which is after the profile.
SAME = {"MVAR_DIRTY": "MVAR_CLEAN", "MUT_VAR_DIRTY": "MUT_VAR_CLEAN",
        "MUT_ARR_PTRS_DIRTY": "MUT_ARR_PTRS_CLEAN", "MUT_ARR_PTRS_FROZEN_DIRTY": "MUT_ARR_PTRS_FROZEN_CLEAN"}
NATIVE = "malloc calloc realloc aligned mmap".split()


class Interactive:
    """A program that is run by a command, with pipes."""

    def __init__(self, command, directory):
        self.lines, self.status, self.begin_s = [], None, time.monotonic()
        self.errors = open(os.path.join(directory, "errors"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)

    def elapsed_s(self):
        """Returns no less than the program's own time: its command began before it."""
        return time.monotonic() - self.begin_s

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def read_until(self, word):
        while not self.lines or self.lines[-1] != word:
            line = self.process.stdout.readline()
            assert line, self.read_errors()
            self.lines.append(line.rstrip("\n"))

    def end(self):
        self.lines += self.process.communicate(timeout=harness.PATIENCE_S)[0].splitlines()
        self.status = self.process.returncode

    def read_errors(self):
        self.errors.seek(0)
        return self.errors.read()


def wait_for_samples(path, is_enough, since_s=float("-inf")):
    """Returns the complete samples of a growing profile as soon as there are enough, without those before a time: on a
    busy machine, samples are written some time after they were taken. Times of GHC can be negative: it subtracts the time
    that all threads of its collector take."""
    end = time.monotonic() + harness.PATIENCE_S
    samples = []
    while time.monotonic() < end:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            whole = text[:text.rfind("END_SAMPLE") + 1]
            copy = path + ".copy"
            with open(copy, "w", encoding="utf-8") as file:
                file.write(whole)
            samples = [bands for time_s, bands in Profile(copy).samples if time_s >= since_s]
            if is_enough(samples):
                return samples
        time.sleep(0.05)
    raise AssertionError(f"there are not enough samples in {path}: {len(samples)}, the last: {samples[-1:]}")


def closures(bands):
    """Returns the bands of a Haskell heap without those that a collection would free."""
    return collections.Counter({name: n for name, n in bands.items() if name not in [*NATIVE, "UNREACHED"]})


def merged(bands):
    result = collections.Counter()
    for name, n_bytes in bands.items():
        result[SAME.get(name, name)] += n_bytes
    return result


class Snapshot:
    """A heap snapshot: its nodes are (name, bytes, indices of the nodes that it refers to)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        n_fields, edges, at = len(data["snapshot"]["meta"]["node_fields"]), data["edges"], 0
        self.nodes = []
        for i in range(0, len(data["nodes"]), n_fields):
            _, name, _, n_bytes, n_edges = data["nodes"][i:i + n_fields]
            to = [place // n_fields for place in edges[at + 2:at + 3 * n_edges:3]]
            self.nodes.append((data["strings"][name], n_bytes, to))
            at += 3 * n_edges


class Haskell(Native):
    def build(self, name, *options):
        """Returns the path of a program that GHC has compiled."""
        if not GHC:
            self.skipTest("no ghc")
        known = subprocess.run([GHC + "-pkg", "list", "--simple-output", "--names-only"], capture_output=True,
                               text=True, check=False).stdout.split()
        missing = [package for package in PACKAGES if package not in known]
        if missing:
            self.skipTest("not installed: " + ", ".join(missing))
        directory = self.fresh()
        built = os.path.join(directory, name)
        done = harness.run([GHC, "-O1", "-rtsopts", "-i" + SOURCES, "-outputdir", directory, "-o", built,
                            *(word for package in PACKAGES for word in ("-package", package)), *options,
                            os.path.join(SOURCES, name + ".hs")])
        self.assertEqual(done.status, 0, done.output + done.errors)
        return built

    def version(self):
        if not GHC:
            self.skipTest("no ghc")
        text = subprocess.run([GHC, "--numeric-version"], capture_output=True, text=True, check=True).stdout
        return tuple(int(part) for part in text.split(".")[:2])

    def closures_while_waiting(self, built, *flags):
        """Returns the last sample of census, when the program waits after its last collection, and the folder of it."""
        plain = Interactive([built], self.fresh())
        plain.process.stdin.write("begin\nend\n")
        plain.end()
        directory = self.fresh()
        ours = os.path.join(directory, "profile.hp")
        runs = Interactive([CENSUS, "run", "-q", "-i0.05", "-hT", "-o", ours, "--", built, "+RTS", *flags, "-RTS"],
                           directory)
        runs.say("begin")
        runs.read_until("waits")
        theirs = os.path.join(directory, os.path.basename(built) + ".hp")
        if "-hT" in flags:  # GHC takes a sample of a collection if its timer has ticked since the last one
            n_known = len(wait_for_samples(theirs, bool))
            while len(wait_for_samples(theirs, bool)) == n_known:
                runs.say("again")
                self.assertEqual(runs.process.stdout.readline(), "again\n")
        found = wait_for_samples(ours, bool, runs.elapsed_s())[-1]
        known = wait_for_samples(theirs, bool)[-1] if "-hT" in flags else None
        runs.say("end")
        runs.end()
        self.assertEqual((runs.lines, runs.status, runs.read_errors()),
                         (plain.lines, plain.status, plain.read_errors()))
        return found, known

    def check_closures(self, built, *flags, n_capabilities=2):
        """Compares the closures with those of GHC's own profile of the last collection."""
        found, known = self.closures_while_waiting(built, "-hT", "-i0", *flags)
        self.assert_same(found, known, n_capabilities)
        self.assertLess(found["UNREACHED"], sum(known.values()) / 100)

    def assert_same(self, found, known, n_capabilities=2):
        """GHC's profile does not see the block of pinned arrays that a capability fills. It counts others as one array
        each, or, later, only the first array in each."""
        mine, other = merged(closures(found)), merged(known)
        n_bytes = sum(other.values())
        arrays, rest, known_arrays = mine.pop("ARR_WORDS", 0), mine.pop("PINNED", 0), other.pop("ARR_WORDS", 0)
        if self.version() < (9, 2):
            self.assertLessEqual(arrays - n_capabilities * BLOCK_BYTES, known_arrays)
        self.assertLessEqual(known_arrays, arrays + rest)
        different = {name: (mine[name], other[name]) for name in mine | other if mine[name] != other[name]}
        self.assertLess(sum(abs(a - b) for a, b in different.values()), n_bytes / 100, different)
        large = {name: n for name, n in other.items() if n > n_bytes / 100}
        for name, n in large.items():
            self.assertAlmostEqual(mine[name], n, delta=n / 100, msg=name)
        self.assertEqual(found["mmap"], 0)  # the heap is not counted twice

    def check_program(self, name):
        self.check_closures(self.build(name))
        self.check_closures(self.build(name, "-threaded"), "-N2")

    def test_haskell_leak(self):
        self.check_program("leak")

    def test_haskell_cache(self):
        self.check_program("cache")

    def test_haskell_mix(self):
        self.check_program("mix")

    def test_haskell_sequence(self):
        self.check_program("sequence")

    def test_haskell_integer(self):
        self.check_program("integer")

    def test_haskell_queue(self):
        self.check_program("queue")

    def test_haskell_text(self):
        self.check_program("text")

    def test_haskell_closures(self):
        self.check_program("closures")

    def test_haskell_streams(self):
        self.check_program("streams")

    def test_haskell_unboxed(self):
        self.check_program("unboxed")

    def test_haskell_weak(self):
        self.check_program("weak")

    def test_haskell_lazy(self):
        self.check_program("lazy")

    def test_haskell_collectors(self):
        """Large nurseries, the compacting collector, more generations, and many capabilities."""
        built = self.build("mix")
        for flags in ["-A64m"], ["-c"], ["-G3"]:
            self.check_closures(built, *flags)
        self.check_closures(self.build("queue", "-threaded"), "-N32", n_capabilities=32)

    def test_haskell_nonmoving(self):
        """GHC profiles no heap of its non-moving collector: it has the closures of one that is copied."""
        if self.version() < (8, 10):
            self.skipTest("no non-moving collector")
        for options in [], ["-threaded"]:
            built = self.build("mix", *options)
            _, known = self.closures_while_waiting(built, "-hT", "-i0")
            found, _ = self.closures_while_waiting(built, "--nonmoving-gc")
            self.assert_same(found, known)

    def test_haskell_library(self):
        """The run-time system is a library; and the program has no symbols and no comments."""
        self.check_closures(self.build("leak", "-dynamic"))
        built = self.build("cache", "-threaded")
        subprocess.run(["strip", "-s", "-R", ".comment", built], check=True)
        self.check_closures(built)

    def record(self, built, *options):
        """Returns the path of a recording of a program that waits."""
        directory = self.fresh()
        growing, recording = os.path.join(directory, "profile.hp"), os.path.join(directory, "profile.census")
        runs = Interactive([CENSUS, "run", "-q", "-i0.05", *options, "-o", growing, "-o", recording, "--", built],
                           directory)
        runs.say("begin")
        runs.read_until("waits")
        wait_for_samples(growing, lambda samples: len(samples) > 2, runs.elapsed_s())
        runs.say("end")
        runs.end()
        return recording

    def test_haskell_generations(self):
        """Where closures are adds up to the closures of each sample: three arrays and the stack of a thread are large
        objects, and all that is old and small has the oldest generation."""
        recording = self.record(self.build("mix"), "-hT")
        places = os.path.join(os.path.dirname(recording), "places.hp")
        done = harness.run([CENSUS, "convert", "--value", "generations", "-o", places, recording])
        self.assertEqual(done.status, 0, done.errors)
        found = Profile(places).samples
        known = dict(Profile(recording.replace(".census", ".hp")).samples)
        for time_s, bands in found:
            closures_of = {name: n for name, n in known[time_s].items() if name not in NATIVE}
            self.assertEqual(sum(bands.values()), sum(closures_of.values()), (bands, closures_of))
        # While it waits after a collection, as in most samples, nothing is unreached.
        time_s, bands = min((sample for sample in found if sample[1]["compact regions"]), key=lambda s: s[1]["UNREACHED"])
        large = 400000 + 80000 + 40000 + STACK_CHUNK_BYTES
        self.assertAlmostEqual(bands["large objects"], large, delta=large / 20)
        self.assertEqual(bands["compact regions"], known[time_s]["COMPACT_NFDATA"])
        self.assertEqual(bands["UNREACHED"], known[time_s]["UNREACHED"])
        self.assertGreater(bands["generation_1"], sum(bands.values()) / 4)
        self.assertLess(bands["generation_0"], bands["generation_1"] / 10)

    def names(self, built):
        """Returns {(name, module, source without folders): bytes} of a program that waits, from a recording."""
        recording = self.record(built, "-hT")
        found, sums = collections.Counter(), []
        for by in ([], ["--by", "function"]):
            done = harness.run([CENSUS, "report", "-m0", "--format=json", *by, recording])
            self.assertEqual(done.status, 0, done.errors)
            report = json.loads(done.output)
            sums.append(report["area"])
        for band in report["bands"]:
            frame = band["frames"][0]
            found[frame["label"], frame["module"], os.path.basename(frame["source"])] += band["max"]
        self.assertAlmostEqual(sums[0], sums[1], delta=1)
        return found

    def test_haskell_names(self):
        """Thunks and functions are named by symbols, by debugging information, or by their places in the program."""
        add, scaled = 30000 * 56, 20000 * 32  # two thunks; one, which needs two variables
        plain = self.names(self.build("lazy"))
        self.assertAlmostEqual(plain["thunk near Main.$wadd", "Main", ""], add, delta=add / 100)
        # Thunks of two variables may be those of the run-time system that apply one to the other.
        apply = [n for (name, _, _), n in plain.items()
                 if re.match(r"thunk near Main.scaled$|application of (function near )?Main\.", name)]
        self.assertAlmostEqual(sum(apply), scaled, delta=scaled / 100)
        built = self.build("lazy", "-g")
        lines = self.names(built)
        self.assertAlmostEqual(lines["thunk of Main.add", "Main", "lazy.hs:12"], add, delta=add / 100)
        self.assertAlmostEqual(lines["thunk of Main.scaled", "Main", "lazy.hs:16"], scaled, delta=scaled / 100)
        if self.version() >= (9, 6):
            mapped = self.names(self.build("lazy", "-finfo-table-map"))
            self.assertAlmostEqual(mapped["thunk of Main.add", "Main", "lazy.hs:12"], add, delta=add / 100)
            self.assertAlmostEqual(mapped["thunk of Main.scaled", "Main", "lazy.hs:16"], scaled, delta=scaled / 100)
        subprocess.run(["strip", "-s", built], check=True)
        bare = [n for (name, _, _), n in self.names(built).items() if re.match(r"thunk at lazy\+0x[0-9a-f]+$", name)]
        self.assertAlmostEqual(sum(bare), add + scaled, delta=(add + scaled) / 100)

    def test_haskell_stacks(self):
        """Threads and their stacks are named by the innermost function of the program, not by what it calls."""
        names = self.names(self.build("workers", "-g"))
        for what, n_bytes in ("stack", 1000), ("thread", 100):
            for function, lines, n in ("worker", range(8, 13), 400), ("sleeper", range(22, 26), 300):
                found = [(amount, module, source.split(":")) for (name, module, source), amount in names.items()
                         if name == f"{what} in Main.{function}"]
                self.assertEqual(len(found), 1, names)
                amount, module, (file, line) = found[0]
                self.assertEqual((module, file, amount % n), ("Main", "workers.hs", 0), names)
                self.assertIn(int(line), lines)
                self.assertTrue(n_bytes / 2 < amount / n < n_bytes * 2, names)
        near = self.names(self.build("workers"))
        # The stack of the main thread is a chunk; whether a sample sees it in Main as well depends on time.
        self.assertEqual(*(sum(n for (name, _, _), n in found.items() if re.match(rf"stack {word} Main\.", name))
                           % STACK_CHUNK_BYTES for found, word in ((names, "in"), (near, "near"))))

    def snapshot_while_waiting(self, built, *flags, arguments=(), printed=None):
        """Returns the last sample of a program that waits, and the path of a heap snapshot of it. Stores what it has printed."""
        directory = self.fresh()
        path, snapshot = os.path.join(directory, "profile.hp"), os.path.join(directory, "profile.heapsnapshot")
        runs = Interactive([CENSUS, "run", "-q", "-i0.05", *flags, "-o", path, "--", built, *arguments], directory)
        runs.say("begin")
        runs.read_until("waits")
        if printed is not None:
            printed[:] = runs.lines
        with open(f"/proc/{runs.process.pid}/task/{runs.process.pid}/children", encoding="ascii") as file:
            child = file.read().split()[0]
        waits_s = runs.elapsed_s()
        done = harness.run([CENSUS, "mark", "--snapshot", child])
        self.assertEqual(done.status, 0, done.errors)
        end = time.monotonic() + harness.PATIENCE_S
        while not os.path.exists(snapshot) and time.monotonic() < end:
            time.sleep(0.05)
        found = wait_for_samples(path, bool, waits_s)[-1]
        kept = shutil.copy(snapshot, os.path.join(directory, "kept.heapsnapshot"))  # a later one may replace it
        runs.say("end")
        runs.end()
        self.assertEqual((runs.status, runs.read_errors()), (0, ""))
        return found, kept

    def check_snapshot(self, built):
        """The closures of a heap snapshot are those of the profile by closure type."""
        bands, path = self.snapshot_while_waiting(built, "-hT")
        found, known = collections.Counter(), closures(bands)
        known["UNREACHED"] = bands["UNREACHED"]
        for name, n_bytes, _ in Snapshot(path).nodes:
            kind = re.sub("^(thunk|function|application|partial|field)_.*", "code", name)
            kind = re.sub("^stack_(in|near)_.*", "STACK", re.sub("^thread_(in|near)_.*", "TSO", kind))
            found[kind] += n_bytes
        for name in [name for name in known if ":" in name or re.match("(ARR|MUT|COMPACT|UNR|PIN|STACK|TSO)", name)]:
            self.assertEqual(found[name], known[name], name)
        code = [n for name, n in known.items() if re.match("(THUNK|FUN|AP|PAP)", name)]
        self.assertEqual(found["code"], sum(code))

    def test_haskell_snapshot(self):
        for name in "mix", "lazy", "closures", "weak":
            self.check_snapshot(self.build(name))

    def test_haskell_walked(self):
        """What is reached from a closure is what ghc-heap finds in the program itself, which collects nothing meanwhile."""
        if self.version() < (9, 0):
            self.skipTest("ghc-heap does not know sizes")
        built = self.build("walks", "-package", "ghc-heap", "-with-rtsopts=-A32m")
        for name in "list map thunks functions array references ring bytes records sequence".split():
            printed, found = [], collections.Counter()
            _, path = self.snapshot_while_waiting(built, "-hT", arguments=[name], printed=printed)
            known = {(kind, int(n_bytes)): int(n) for kind, n_bytes, n in map(str.split, printed[1:-1])}
            nodes = Snapshot(path).nodes
            left = [i for i, (kind, _, _) in enumerate(nodes) if kind == "main:Main.Walked"]
            self.assertEqual(len(left), 1)
            seen = set(left)
            while left:
                kind, n_bytes, to = nodes[left.pop()]
                is_constructor = re.match(r"[\w.-]+:[\w.]+\.\S+$", kind) and not re.match("(thunk|function)_", kind)
                found[kind if is_constructor else "-", n_bytes] += 1
                left += set(to) - seen
                seen.update(to)
            self.assertEqual(found, known, name)

    def test_haskell_holders(self):
        """Variables, a stable pointer and a thread hold maps whose sizes are known."""
        for options in [], ["-threaded"], ["-dynamic"]:
            bands, path = self.snapshot_while_waiting(self.build("holders", *options), "-hr")
            sums = {re.sub(r"^\(\d+\)", "", name): n for name, n in bands.items()}
            entry = BIN_BYTES + 16  # with the number
            self.assertEqual(sums["CAF_Main.small"], 1000 * entry)
            self.assertEqual(sums["CAF_Main.middle"], 10000 * entry)
            self.assertEqual(sums["CAF_Main.table"], 20000 * entry + 16 + 16)  # IORef of MUT_VAR
            self.assertEqual(sums["stable_pointers"], 5000 * entry)
            worker = [n for name, n in sums.items()
                      if re.match("thread_worker$" if self.version() >= (9, 6) else r"thread_\d+$", name)]
            self.assertAlmostEqual(max(worker), 40000 * entry, delta=65536)  # and its stack
            self.check_holders(sums, path)
            done = harness.run([CENSUS, "report", "-m0", "--depth=1", "--format=csv", path])
            self.assertRegex(done.output, r',640000,0,20000,0,"CAF_Main\.middle"\n')

    def check_holders(self, sums, path):
        """The holders of closures are those that a search from each root finds. Variables go before threads."""
        snapshot = Snapshot(path)
        ranks = [r"CAF_", r"stable_pointers$", r"thread_", r"weak_pointers$"]
        holders = [set() for _ in snapshot.nodes]
        for rank in ranks:
            roots = [node for node in snapshot.nodes[0][2] if re.match(rank, snapshot.nodes[node][0])]
            for root in roots:
                left, seen = [root], set()
                while left:
                    for node in snapshot.nodes[left.pop()][2]:
                        held = holders[node]
                        if node not in seen and (not held or re.match(rank, next(iter(held)))):
                            seen.add(node)
                            left.append(node)
                for node in seen:
                    holders[node].add(snapshot.nodes[root][0])
        found = collections.Counter()
        for (_, n_bytes, _), held in zip(snapshot.nodes, holders):
            if held:
                found[",".join(sorted(held))] += n_bytes
        self.assertGreater(len(found), 5)
        known = {",".join(sorted(name.split(","))): n for name, n in sums.items()}
        for name, n_bytes in found.items():
            # Names of many are cut, and the threads of the run-time system go on between snapshot and sample.
            if n_bytes > 0 and len(name) < 60 and "GHC.Event." not in name:
                self.assertEqual(n_bytes, known.get(name), name)

    def test_haskell_holders_of_all_kinds(self):
        for name in "mix", "queue", "cache":
            bands, path = self.snapshot_while_waiting(self.build(name), "-hr")
            self.check_holders({re.sub(r"^\(\d+\)", "", band): n for band, n in bands.items()}, path)
            known, _ = self.snapshot_while_waiting(self.build(name), "-hT")
            self.assertAlmostEqual(sum(bands.values()), sum(known.values()), delta=sum(known.values()) / 100)

    def check_work(self, samples, n_threads):
        """Checks that each sample has the maps that the threads work with. A thread may have replaced a part of one."""
        for bands in samples:
            n_bytes = sum(n for name, n in bands.items() if name.endswith(":" + BIN))
            self.assertAlmostEqual(n_bytes, n_threads * 10000 * BIN_BYTES, delta=n_threads * 50 * BIN_BYTES)

    def check_busy(self, built, n_threads, *flags):
        path = os.path.join(self.fresh(), "profile.hp")
        runs = Interactive([CENSUS, "run", "-q", "-i0.02", "-hT", "-o", path, "--", built, str(n_threads), *flags],
                           self.directory)
        runs.read_until("works")

        def complete(samples):
            """Returns the samples from the first on in which all maps are there."""
            whole = [i for i, bands in enumerate(samples)
                     if sum(n for name, n in bands.items() if name.endswith(":" + BIN)) >
                     n_threads * 9950 * BIN_BYTES]
            return samples[whole[0]:] if whole else []

        samples = complete(wait_for_samples(path, lambda samples: len(complete(samples)) > 20))
        runs.say("end")
        runs.end()
        self.assertEqual((runs.lines, runs.status, runs.read_errors()),
                         (["works", "[%s]" % ",".join(["10000"] * n_threads)], 0, ""))
        self.check_work(samples, n_threads)

    def test_haskell_busy(self):
        self.check_busy(self.build("busy"), 1)
        self.check_busy(self.build("busy", "-threaded"), 3, "+RTS", "-N2", "-RTS")

    def test_haskell_attach(self):
        built = self.build("busy")
        path = os.path.join(self.fresh(), "profile.hp")
        runs = Interactive([built, "1"], self.directory)
        runs.read_until("works")
        attached = subprocess.Popen([CENSUS, "attach", "-q", "-i0.02", "-hT", "-o", path, str(runs.process.pid)])
        samples = wait_for_samples(path, lambda samples: len(samples) > 10)
        runs.say("end")
        runs.end()
        self.assertEqual(attached.wait(timeout=harness.PATIENCE_S), 0)
        self.assertEqual((runs.lines, runs.status), (["works", "[10000]"], 0))
        self.check_work([bands for bands in samples if any(name.endswith(BIN) for name in bands)], 1)

    def test_haskell_unharmed(self):
        """The program allocates and collects as without images."""
        built, costs = self.build("leak"), []
        for command in [[], [CENSUS, "run", "-q", "-i0.01", "-hT", "-o", self.path("profile.hp"), "--"]]:
            runs = Interactive([*command, built, "+RTS", "-t", "-RTS"], self.directory)
            runs.process.stdin.write("begin\nend\n")
            runs.end()
            self.assertEqual(runs.status, 0)
            costs.append(re.search(r"<<ghc: (\d+) bytes, (\d+) GCs, (\d+)/(\d+) avg/max bytes residency",
                                   runs.read_errors()).groups())
        self.assertEqual(costs[0], costs[1])

    def test_haskell_layouts(self):
        """The layout of the installed version is what the headers of its run-time system say."""
        if not GHC:
            self.skipTest("no ghc")
        with open(os.path.join(SOURCES, "../../../../profiler/native/haskell/layouts.h"), encoding="ascii") as file:
            self.assertIn(haskell_layouts.row(GHC), file.read())

    def test_haskell_foreign(self):
        """Stacks of C memory have the names of the Haskell functions that allocate it, also of those in libraries."""
        for options in [], ["-g"], ["-dynamic"]:
            recording = self.path("foreign.census")
            done = harness.run([CENSUS, "run", "-q", "-hc", "-o", recording, "--", self.build("foreign", *options)])
            self.assertEqual(done.status, 0, done.errors)
            report = json.loads(harness.run([CENSUS, "report", "-m0", "--format=json", recording]).output)
            largest = {band["name"]: band["max"] for band in report["bands"]}
            self.assertEqual(largest.get("Kept.$wkept'"), sum(range(1001, 1101)), largest)

    def test_haskell_explained(self):
        """Advice for closures: thunks are to be evaluated, what a collection frees is no leak, and only runs that show
        closures are proposed."""
        built = self.build("lazy")
        for options, is_open in (["-hT"], ["-hr"]), (["-hr"], ["-hT"]), (["-hr", "-hy"], []):
            recording = self.record(built, *options)
            kinds, found = self.explain(recording, is_open)
            if options != ["-hr"]:
                self.assertEqual(kinds[0], "evaluate", found)
                self.assertIn("thunk near Main.$wadd", found["advice"][0]["text"])
            if options == ["-hT"]:
                names_only = self.path("names.hp")
                self.assertEqual(harness.run([CENSUS, "convert", "-o", names_only, recording]).status, 0)
                self.assertEqual(self.explain(names_only, is_open)[0][0], "evaluate")
            if options == ["-hr", "-hy"]:
                self.assertRegex(found["advice"][0]["text"], r"; \S+ holds [0-9.]+%\. Use seq")

    def explain(self, profile, is_open):
        """Returns the kinds of what census explain advises, and all of its answer, which proposes the runs `is_open`."""
        done = harness.run([CENSUS, "explain", "--format=json", profile])
        self.assertEqual(done.status, 0, done.errors)
        found = json.loads(done.output)
        kinds = [advice["kind"] for advice in found["advice"]]
        self.assertNotIn("leak", kinds, done.output)
        self.assertNotIn("UNREACHED", [advice["name"] for advice in found["advice"]], done.output)
        runs = [re.search(r" (-h.*) -o ", gap["command"]).group(1) for gap in found["open"]]
        self.assertEqual(runs, is_open, done.output)
        return kinds, found

    def test_haskell_unknown_version(self):
        """A program of a version that is not known is profiled as a native one, and the summary says so. What the file
        has besides, here a large hole, is not read."""
        built, comment = self.path("other"), self.path("comment")
        shutil.copy(program("blocked"), built)
        with open(comment, "wb") as file:
            file.write(b"GCC: 12\0GHC 7.6.3\0")
        subprocess.run(["objcopy", "--update-section", ".comment=" + comment, built], check=True)
        os.truncate(built, 1 << 40)
        done = harness.run([CENSUS, "run", "-hT", "-o", self.path("profile.hp"), "--", built])
        self.assertIn("Haskell heap is profiled as native blocks: the layout of GHC 7.6.3 is not known", done.errors)
        self.assertGreater(Profile(self.path("profile.hp")).total(), 0)


if __name__ == "__main__":
    harness.main()
