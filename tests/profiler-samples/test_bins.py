#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks address bins of a sample program against its time and allocation report.

usage: test_bins.py PROGRAM CENSUS [unittest arguments]

PROGRAM is samples/programs/last_init.
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, CENSUS = map(os.path.abspath, sys.argv[1:3])


def census(*arguments, status=0):
    done = subprocess.run([CENSUS, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


class Bins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        subprocess.run([PROGRAM, "300000", "+RTS", "-B", "-pj", "-V0.001"], cwd=cls.folder, check=True,
                       stdout=subprocess.DEVNULL)
        cls.heap = os.path.join(cls.folder, "last_init.heap.bins")
        cls.time = os.path.join(cls.folder, "last_init.time.bins")
        with open(os.path.join(cls.folder, "last_init.prof"), encoding="utf-8") as file:
            cls.prof = json.load(file)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def report(self, *arguments):
        return json.loads(census("report", "--format", "json", "-m0", *arguments))

    def test_allocation_adds_up_to_that_of_the_report(self):
        found = self.report(self.heap)
        self.assertEqual(found["total"], self.prof["total_alloc"])
        self.assertEqual(sum(row["allocated"] for row in found["rows"]), self.prof["total_alloc"])
        self.assertEqual(found["unknown"], 0)
        self.assertEqual(found["kind"], "heap")

    def test_functions_that_allocate_have_names_and_lines(self):
        by_function = {row["function"]: row["allocated"] for row in self.report(self.heap)["rows"]}
        self.assertGreater(by_function["lz_enum_from_to"], 0)
        self.assertGreater(by_function["make_ys"], 0)
        lines = {row["line"] for row in self.report("--by", "line", self.heap)["rows"]}
        self.assertTrue(any(line.startswith("prelude.c:") for line in lines), lines)
        modules = self.report("--by", "module", self.heap)["rows"]
        self.assertEqual([row["module"] for row in modules], ["last_init"])

    def test_time_has_addresses(self):
        found = self.report(self.time)
        self.assertEqual(found["kind"], "time")
        self.assertGreater(found["total"], 0)
        self.assertEqual(found["unknown"], 0)
        self.assertIn("libc.so.6", {row["module"] for row in self.report("--by", "module", self.time)["rows"]})

    def test_several_files_are_added_up(self):
        one, two = self.report(self.heap), self.report(self.heap, self.heap)
        self.assertEqual(two["total"], 2 * one["total"])
        self.assertEqual([row["allocated"] for row in two["rows"]], [2 * row["allocated"] for row in one["rows"]])

    def test_runs_at_other_addresses_are_equal(self):
        subprocess.run([PROGRAM, "300000", "+RTS", "-Bh", "-oagain"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        again = os.path.join(self.folder, "again.heap.bins")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "again.time.bins")))
        rows = json.loads(census("diff", "--format", "json", "-m0", self.heap, again))["rows"]
        self.assertEqual({row["change"] for row in rows}, {0})

    def test_a_larger_run_differs_by_function(self):
        subprocess.run([PROGRAM, "600000", "+RTS", "-Bh", "-olarger"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        larger = os.path.join(self.folder, "larger.heap.bins")
        rows = json.loads(census("diff", "--format", "json", "-m0", self.heap, larger))["rows"]
        changes = [abs(row["change"]) for row in rows]
        self.assertEqual(changes, sorted(changes, reverse=True))
        for row in rows:
            self.assertEqual(row["change"], row["after"] - row["before"])
        self.assertGreater(rows[0]["change"], 0)

    def test_convert_lists_every_address(self):
        rows = list(csv.DictReader(io.StringIO(census("convert", "--format", "csv", self.heap))))
        self.assertEqual(sum(int(row["allocated"]) for row in rows), self.prof["total_alloc"])
        self.assertEqual(len({row["address"] for row in rows}), len(rows))
        self.assertIn("only be converted", census("convert", "--format", "folded", self.heap, status=2))

    def test_info(self):
        text = census("info", self.time)
        self.assertIn("ticks of 1 ms", text)
        self.assertIn(PROGRAM, text)
        self.assertEqual(json.loads(census("info", "--format", "json", self.heap))["unit_bytes"], 1)

    @unittest.skipUnless(shutil.which("objdump"), "objdump is not installed")
    def test_annotated_code_has_the_share_of_its_function(self):
        """The code of a function, or of the one that it was copied into, has at least its share."""
        shares = {row["function"]: row["share"] for row in self.report(self.heap)["rows"]}
        found = []
        for name in filter(shares.get, ("lz_enum_from_to", "enum_from_to")):
            lines = census("report", "--annotate", name, self.heap).splitlines()
            found.append(sum(float(line.split("%")[0]) for line in lines if re.match(r" *[0-9.]+% ", line)))
        self.assertGreater(max(found) / 100, shares["lz_enum_from_to"] - 0.002)
        self.assertLess(max(found) / 100, 1.002)
        self.assertIn("no address is in", census("report", "--annotate", "nothing", self.heap, status=1))

    def test_kinds_do_not_mix(self):
        self.assertIn("counts allocation", census("report", self.time, self.heap, status=1))
        self.assertIn("need files of address bins", census("report", "--by", "address", self.folder + "/last_init.prof",
                                                           status=2))

    def test_a_cut_file_is_an_error(self):
        with open(self.heap, "rb") as file:
            bytes_ = file.read()
        cut = os.path.join(self.folder, "cut.bins")
        with open(cut, "wb") as file:
            file.write(bytes_[:-3])
        self.assertIn("cut.bins", census("report", cut, status=1))
        self.assertIn("is cut", census("info", cut, status=1))

    def test_a_changed_program_is_reported(self):
        copy = os.path.join(self.folder, "copy")
        shutil.copy(PROGRAM, copy)
        subprocess.run([copy, "1000", "+RTS", "-Bh"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        os.remove(copy)
        bins = os.path.join(self.folder, "copy.heap.bins")
        done = subprocess.run([CENSUS, "report", bins], capture_output=True, text=True, check=True)
        self.assertIn("copy+0x", done.stdout)
        self.assertIn("copy has no symbols", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
