#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Real programs run undisturbed and are counted exactly: small variants of the workloads of
tests/bench/native. With NATIVE_FULL=1 they are as large as in the benchmark.

With NATIVE_FULL=1 they are as large as in the benchmark.
"""
import os
import shutil

import harness
from harness import Native

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench/native")
SMALL = {"ROWS": "5000", "COMMITS": "150", "ITEMS": "2000", "DEPTH": "9", "TEMPLATES": "0",
         "PAIRS": "200000", "OPS": "100000"}
IS_FULL = "NATIVE_FULL" in os.environ
VERIFY = 100


class Workloads(Native):
    def setUp(self):
        super().setUp()
        self.environment = {} if IS_FULL else dict(SMALL)
        self.environment["NATIVE_BENCH_CACHE"] = os.path.join(harness.PROGRAMS, "workloads")

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                self.skipTest(program + " is not installed")

    def run_workload(self, name, *prefix):
        done = harness.run([os.path.join(SCRIPTS, name + ".sh"), *prefix], self.environment,
                           900 if IS_FULL else 300)
        self.assertEqual(done.status, 0, done.errors)
        return done

    def counted(self, name):
        path = os.path.join(self.fresh(), "counts")
        done = self.run_workload(name, "env", "COUNTING_FILE=" + path,
                                 "LD_PRELOAD=" + harness.COUNTING)
        done.counts = harness.read_counts(path)
        return done

    def peer(self, name, verify=0, library=harness.PRELOAD):
        path = os.path.join(self.fresh(), "windows")
        done = self.run_workload(name, harness.PEER, path, library, str(verify))
        done.window = harness.read_windows(path, "end")[0]
        return done

    def census(self, name, *prefix):
        """Runs census with the default -i, so that there are samples, but only a few. The counting
        library does not see memory that programs map themselves."""
        base = os.path.join(self.fresh(), "profile")
        done = self.run_workload(name, harness.CENSUS, "run", "-q", "-hc", "--no-mmap", "-o", base + ".hp", "--",
                                 *prefix)
        done.profile = harness.Profile(base + ".hp")
        return done

    def check_stacks(self, plain, name):
        peer = self.peer(name, VERIFY)
        self.assert_unharmed(plain, peer)
        self.assert_nothing_lost(peer.window)
        self.assertGreater(peer.window["allocations"], 10000)
        self.assertGreater(peer.window["checked"], peer.window["allocations"] // VERIFY // 2)

    def check_repeatable(self, name, **environment):
        """Compares every call, for a program that allocates the same in each run."""
        # As many variables in each run: some programs copy them.
        self.environment.update(environment, LD_PRELOAD="", COUNTING_FILE="")
        plain, counted, peer, census = (self.run_workload(name), self.counted(name),
                                        self.peer(name), self.census(name))
        for other in counted, peer, census:
            self.assert_unharmed(plain, other)
        self.assert_same_counts(counted.counts, peer.window)
        self.assertEqual(census.profile.total(), counted.counts.live_bytes)
        self.check_stacks(plain, name)

    def check_together(self, name):
        """Compares counts of one run, with the counting library before the profiler's, for a program
        whose allocations depend on addresses or on the environment."""
        path, both = self.path("counts"), harness.COUNTING + ":" + harness.PRELOAD
        plain = self.run_workload(name)
        self.environment["COUNTING_FILE"] = path
        peer = self.peer(name, library=both)
        self.assert_same_live(harness.read_counts(path), peer.window)
        os.unlink(path)
        census = self.census(name, "env", "LD_PRELOAD=" + both)
        self.assertEqual(census.profile.total(), harness.read_counts(path).live_bytes)
        for other in peer, census:
            self.assert_unharmed(plain, other)
        self.check_stacks(plain, name)

    def test_workload_sqlite(self):
        self.need("sqlite3")
        self.check_repeatable("sqlite")

    def test_workload_git(self):
        self.need("git", "perl")
        self.check_repeatable("git")

    def test_workload_python(self):
        self.need("/usr/bin/python3")
        self.check_together("python")

    def test_workload_cc1plus(self):
        self.need("g++")
        self.check_together("cc1plus")

    def test_workload_mt(self):
        self.need("cc")
        self.check_repeatable("mt")

    def test_workload_micro(self):
        self.need("cc")
        for frames in "10", "60":
            self.check_repeatable("micro", FRAMES=frames)
            self.check_repeatable("micro", FRAMES=frames, REWIND="1")


if __name__ == "__main__":
    harness.main()
