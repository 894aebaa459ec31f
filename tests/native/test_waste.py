#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Waste in heap snapshots: what programs print of their own."""
import collections
import csv
import io
import os
import shutil
import subprocess

import harness
from harness import Native, program
from test_attach import Attached
from test_core import Core

PYTHON_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "waste.py")
Waste = collections.namedtuple("Waste", "blocks empty bytes")


def printed(output):
    """Returns what a program printed: {(kind, function, type): Waste}."""
    words = [line.split(" ", 6) for line in output.splitlines() if line.startswith("waste ")]
    assert words, output
    return {(kind, function, name): Waste(*map(int, amounts)) for _, kind, *amounts, function, name in words}


def reported(snapshot):
    """Returns the same of a report; rows that differ in their lines are added up."""
    done = harness.run([harness.CENSUS, "report", "--waste", "--format", "csv", "-m0", snapshot])
    found = collections.defaultdict(lambda: Waste(0, 0, 0))
    for row in csv.DictReader(io.StringIO(done.output)):
        function, _, place = row["site"].partition("@")
        function = function.split(".")[-1] if ".py:" in place else function
        key = row["kind"], function, row["type"].split("@")[0]
        amounts = Waste(int(row["blocks"]), int(row["empty"]), int(row["waste_bytes"]))
        found[key] = Waste(*map(sum, zip(found[key], amounts)))
    return dict(found)


class WasteTest(Native):
    def compare(self, *command):
        """Compares what a program printed with the snapshot of its end. Returns both, and the summary."""
        base = os.path.join(self.fresh(), "profile")
        done = harness.run([harness.CENSUS, "run", "-hy", "--snapshot=last", "-o", base, "--", *command])
        self.assertEqual(done.status, 0, done.errors)
        expected, found = printed(done.output), reported(base + ".heapsnapshot")
        self.assertEqual({key: found.get(key) for key in expected}, expected)
        return expected, found, done.errors

    def test_waste_of_cxx(self):
        expected, found, summary = self.compare(program("waste"))
        self.assertEqual({key for key in found if key[0] in ("room", "unwritten")},
                         {key for key in expected if key[0] in ("room", "unwritten")})
        sizes = [amounts for (kind, _, _), amounts in found.items() if kind == "size"]
        slack = [amounts for (kind, _, _), amounts in found.items() if kind == "slack"]
        self.assertEqual(sum(row.bytes for row in sizes), sum(row.bytes for row in slack))
        self.assertRegex(summary, r"waste at [0-9.]+ m?s, of [0-9.]+ MiB live:\n"
                         r"census: +2\.59 MiB +[0-9]+% +15 blocks  make_buffers@\S+, never written from the middle on\n"
                         r"census: +702 KiB +[0-9]+% +176 blocks  buckets of std::unordered_map<int,long> in Session, "
                         r"less than half full; make_sessions@waste\.cc:[0-9]+\n")

    def test_waste_of_python(self):
        def check(_, path):
            self.compare(path, PYTHON_PROGRAM)

        self.with_each(check)


    def test_waste_of_rust(self):
        if not shutil.which("rustc"):
            self.skipTest("no rustc")
        rooms = self.path("rooms")
        source = os.path.join(os.path.dirname(PYTHON_PROGRAM), "rooms.rs")
        subprocess.run(["rustc", "-g", "-O", "-C", "symbol-mangling-version=v0", "-o", rooms, source], check=True,
                       stderr=subprocess.DEVNULL)
        self.compare(rooms)


class CoreTest(Core):
    def check_found(self, snapshot):
        """No type is known: containers are found by their words, and vectors only if they are not empty."""
        expected = collections.Counter()
        for (kind, _, name), amounts in printed(harness.run([program("waste")]).output).items():
            expected[kind, name.split()[0]] += amounts.bytes
        found = {(kind, name): amounts for (kind, _, name), amounts in reported(snapshot).items()}
        self.assertEqual(found["room", "buckets of std::unordered_map or set"].bytes, expected["room", "buckets"])
        self.assertEqual(found["room", "text of std::string"].blocks, 100)
        return {kind for kind, _ in found}

    def test_waste_in_a_core_file(self):
        figures, _ = self.read(self.core_of([program("waste")], "", {}))
        kinds = self.check_found(self.path("heap.heapsnapshot"))
        self.assertEqual(kinds, {"room", "equal"})
        self.assertIn("less than half full: buckets of std::unordered_map or set", figures["waste"])

    def test_waste_that_is_older_than_the_profile(self):
        with subprocess.Popen([program("waste")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            while process.stdout.readline() != "ready\n":
                pass
            attached = Attached(self, process, "out", "-hy", "--snapshot=last")
            attached.wait_for_bytes(1)
            attached.end()
            process.communicate("")
        self.assertEqual(self.check_found(attached.base + ".heapsnapshot"), {"room", "equal", "unwritten"})


if __name__ == "__main__":
    harness.main()
