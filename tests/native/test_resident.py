#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the resident set is made of: the parts are as large as the program made them, with each allocator,
and their sum is what the kernel says; and the sites that pin pages."""
import csv
import os
import re
import subprocess
import sys
import time

import harness
from harness import CENSUS, Native, program

MIB = 1 << 20
HEAP = ("live blocks", "rest of pages with live blocks", "free pages")


def samples(path, value):
    """Returns [{name: bytes}], one for each record of a recording that may still grow."""
    done = harness.run([CENSUS, "convert", "--value", value, "--format", "csv", "-o", "-", path])
    rows = list(csv.reader(done.output.splitlines()))
    return [dict(zip(rows[0], map(float, row))) for row in rows[1:]]


def by_kernel(output):
    """Returns {name: bytes} of what the kernel says of a resident set."""
    return {name: int(kib) * 1024 for name, kib in re.findall(r"^(\w+): +(\d+) kB$", output, re.M)}


def wait_until(condition):
    end_s = time.monotonic() + harness.PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "waited too long"
        time.sleep(0.01)


class Resident(Native):
    def look(self, path, begin_s):
        """Waits for two looks from now on, of a run whose time began at `begin_s` or later: on a busy machine, samples are
        written some time after they were taken. Returns the last row of each value."""
        now_s = time.monotonic() - begin_s
        wait_until(lambda: os.path.exists(path) and
                   sum(row["time"] >= now_s for row in samples(path, "resident")) >= 2)
        last = {value: samples(path, value)[-1] for value in ("resident", "pss", "pinned", "pinned-64K")}
        for row in last.values():
            del row["time"]
        return last

    def take(self, case, *options, environment=None):
        """Runs a case until two looks began after it was ready. Returns the last row of each value, and the bytes
        of the kernel by name, and what census said."""
        self.recording = path = os.path.join(self.fresh(), "run.census")
        command = [CENSUS, "run", "-i0.02", "--resident", *options, "-o", path, "--"]
        begin_s = time.monotonic()
        command += ["env", *(f"{name}={text}" for name, text in (environment or {}).items()), program("resident"), case]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, "CENSUS_BIOGRAPHY_SEED": "7"}) as running:
            self.assertEqual(running.stdout.readline(), "ready\n")
            last = self.look(path, begin_s)
            output, errors = running.communicate("\n")
            self.assertEqual(running.returncode, 0, errors)
        return last, by_kernel(output), errors

    def attach(self, *options):
        """Attaches to the first case, after which it has 10 MiB more. Returns the same."""
        self.recording = path = os.path.join(self.fresh(), "run.census")
        command = [CENSUS, "attach", "-i0.02", "--resident", *options, "-o", path]
        with subprocess.Popen([program("resident"), "parts"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as running:
            self.assertEqual(running.stdout.readline(), "ready\n")
            begin_s = time.monotonic()
            with subprocess.Popen([*command, str(running.pid)], stderr=subprocess.PIPE, text=True) as census:
                said = census.stderr.readline()
                if "not allowed to stop it" in said:
                    running.communicate("\n")
                    self.skipTest("processes may not be traced here")
                running.stdin.write("more\n")
                running.stdin.flush()
                self.assertEqual(running.stdout.readline(), "ready\n")
                last = self.look(path, begin_s)
                output, _ = running.communicate("\n")
                errors = said + census.communicate()[1]
                self.assertEqual(census.returncode, 0, errors)
        return last, by_kernel(output), errors

    def check_sums(self, last, kernel):  # pylint: disable=arguments-differ
        resident, pss = sum(last["resident"].values()), sum(last["pss"].values())
        self.assertAlmostEqual(resident, kernel["Rss"], delta=kernel["Rss"] / 100)
        self.assertAlmostEqual(pss, kernel["Pss"], delta=kernel["Pss"] / 100)

    def check_parts(self, last, kernel):
        self.check_sums(last, kernel)
        parts = last["resident"]
        self.assertAlmostEqual(parts["live blocks"] / MIB, 50, delta=1.5)
        self.assertAlmostEqual(parts["mapped by the program"] / MIB, 20, delta=0.1)
        self.check_other_parts(parts)
        self.assertLess(parts.get("tables of the allocator, other", 0), 8 * MIB)

    def check_other_parts(self, parts):
        self.assertAlmostEqual(parts["shared memory"] / MIB, 8, delta=0.1)
        self.assertAlmostEqual(parts["stacks of threads"] / MIB, 12, delta=1)
        self.assertLess(parts.get("mapped files", 0), 0.1 * MIB)
        self.assertGreater(parts["libraries"], MIB)

    def test_resident_parts(self):
        last, kernel, errors = self.take("parts")
        self.check_parts(last, kernel)
        self.assertIn("resident at", errors)
        # glibc kept all that was freed at the top of each page.
        self.assertAlmostEqual(sum(last["resident"][part] for part in HEAP) / MIB, 233, delta=4)

    def test_resident_parts_with_images(self):
        last, kernel, _ = self.take("parts", "-hr")
        # A copy shares pages with the program while it is read.
        self.assertAlmostEqual(sum(last["resident"].values()), kernel["Rss"], delta=kernel["Rss"] / 100)
        self.assertAlmostEqual(last["resident"]["live blocks"] / MIB, 50, delta=1.5)

    def test_resident_parts_of_other_allocators(self):
        for library in harness.allocators() or self.skipTest("there are no other allocators here"):
            with self.subTest(library):
                self.check_parts(*self.take("parts", environment={"LD_PRELOAD": library})[:2])

    def test_resident_pages_are_pinned(self):
        last, kernel, errors = self.take("pinned")
        self.check_sums(last, kernel)
        (name, most), = [item for item in last["pinned"].items() if item[1] > MIB]
        self.assertTrue(name.startswith("make_index@resident.c:"), name)
        self.assertAlmostEqual(most / MIB, 16 * (1 - 64 / 4096), delta=1)
        self.assertRegex(errors, r"MiB of pages of which 1\.[5-9]% is live, most pinned by make_index@resident\.c:")

    def test_resident_finding(self):
        self.take("parts")
        done = harness.run([CENSUS, "report", self.recording])
        self.assertRegex(done.output, r"pinned memory: at .* are resident for 4\d\.?\d? MiB of live blocks: 1\d\d MiB "
                                      r"are in ranges of .* make_index@resident\.c:\d+; malloc_trim would give back ")

    def test_resident_pages_that_can_be_trimmed(self):
        """What malloc_trim would give back is what it gives back in the program, after the last look."""
        last, kernel, _ = self.take("parts")
        self.assertGreater(kernel["Trimmed"], 100 * MIB)
        self.assertAlmostEqual(last["resident"]["free pages"], kernel["Trimmed"], delta=kernel["Trimmed"] / 100)

    def check_estimate(self, parts, name):
        """Of 50 MiB that are live, one block has 40, and is a sample; of the rest there are about 160."""
        self.assertAlmostEqual(parts["live blocks"] / MIB, 50, delta=4 * 10 / 160 ** 0.5)
        self.assertAlmostEqual((parts["live blocks"] + parts[name]) / MIB, 233, delta=8)
        self.assertAlmostEqual(parts["mapped by the program"] / MIB, 20, delta=0.1)
        self.check_other_parts(parts)

    def test_resident_parts_of_a_sample(self):
        last, kernel, errors = self.take("parts", "--rate=64K")
        self.check_sums(last, kernel)
        self.check_estimate(last["resident"], "rest of the heap")
        self.assertRegex(errors, r"census: +1\d\d MiB ± 1\.\d+ MiB +\d+%  rest of the heap\n")
        # Of each stack: the block of 40 MiB has no margin.
        self.assertRegex(errors, r"census: +[45]\d(\.\d)? MiB ± 1\.\d+ MiB +\d+% .* make_index@resident\.c:")
        self.assertEqual(last["pinned"], {})
        done = harness.run([CENSUS, "report", self.recording])
        self.assertRegex(done.output, r"pinned memory: .* for [45]\d\.?\d? MiB ± 1\.\d+ MiB of live blocks, and 1\d\d MiB more ")

    def test_resident_parts_of_samples_with_other_allocators(self):
        for library in harness.allocators() or self.skipTest("there are no other allocators here"):
            with self.subTest(library):
                last, kernel, _ = self.take("parts", "--rate=64K", environment={"LD_PRELOAD": library})
                self.check_sums(last, kernel)
                self.assertAlmostEqual(last["resident"]["live blocks"] / MIB, 50, delta=4 * 10 / 160 ** 0.5)
                self.check_other_parts(last["resident"])

    def test_resident_parts_of_a_process_that_ran(self):
        for options in (), ("--rate=64K",):
            with self.subTest(options):
                last, kernel, errors = self.attach(*options)
                self.check_sums(last, kernel)
                parts = last["resident"]
                self.assertAlmostEqual(parts["live blocks"] / MIB, 10, delta=0.2)
                # 20 MiB are mapped.
                self.assertAlmostEqual(parts["rest of the heap, and what was there before"] / MIB, 253, delta=8)
                self.check_other_parts(parts)
                self.assertIn("when it was most", errors)

    def test_resident_refused(self):
        for options in ("-hb",), ("-p", "-o", "x.prof"):
            done = harness.run([CENSUS, "run", "--resident", *options, "true"], cwd=self.fresh())
            self.assertEqual(done.status, 2)
            self.assertIn("--resident needs a heap profile, without -hb", done.errors)


if __name__ == "__main__":
    harness.main()
