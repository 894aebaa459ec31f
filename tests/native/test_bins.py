#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Address bins add up to the time and allocation report of the same run."""
import json
import os
import subprocess

import harness
from harness import CENSUS, Native, program


def report(path, *arguments):
    done = subprocess.run([CENSUS, "report", "--format", "json", "-m0", *arguments, path],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class Bins(Native):
    def profile(self, command, *options):
        done = harness.run_census(command, self.fresh(), *options)
        base = done.profile.path[:-len(".hp")]
        with open(base + ".prof", encoding="utf-8") as file:
            return base, json.load(file)

    def test_bins_of_allocation(self):
        base, prof = self.profile([program("sizes"), "resizes"], "-hc", "-pj", "-Bh")
        found = report(base + ".heap.bins")
        self.assertEqual(found["total"], prof["total_alloc"])
        self.assertEqual(found["unknown"] + sum(row["allocated"] for row in found["rows"]),
                         prof["total_alloc"])
        by_line = report(base + ".heap.bins", "--by", "line")["rows"]
        self.assertTrue(any(row["line"].startswith("sizes.c:") for row in by_line), by_line)
        self.assertFalse(os.path.exists(base + ".time.bins"))

    def test_bins_of_time(self):
        base, prof = self.profile([program("ticks"), "has_own_clock"], "-hc", "-pj", "-Bt", "-V0.001")
        found = report(base + ".time.bins")
        self.assertAlmostEqual(found["total"], prof["total_ticks"] * 0.001, delta=prof["total_ticks"] * 0.0005)
        burned = sum(row["time"] for row in found["rows"] if row["function"] == "burn")
        self.assertGreater(burned, 0.01)
        self.assertFalse(os.path.exists(base + ".heap.bins"))

    def test_bins_follow_the_base_name(self):
        """`sh` execs the program, whose profile takes the base name."""
        base, _ = self.profile(["sh", "-c", "exec " + program("sizes") + " resizes"], "-hc", "-pj", "-Bh")
        rows = report(base + ".heap.bins", "--by", "module")["rows"]
        self.assertIn("sizes", [row["module"] for row in rows])


if __name__ == "__main__":
    harness.main()
