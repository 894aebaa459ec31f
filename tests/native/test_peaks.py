#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The largest amount has its own sample, even if the peak is short."""
import os
import re

import harness
from harness import CENSUS, Native, program


def largest(profile):
    """Returns the largest sample: {name: bytes}."""
    return max((sample for _, sample in profile.samples), key=lambda sample: sum(sample.values()))


class Peaks(Native):
    def check(self, case, error_bytes=0):
        """Returns the result under census. `error_bytes`: how far the peak may be off."""
        command = [program("peaks"), case]
        peer = harness.run_peer(command, self.fresh())
        census = harness.run_census(command, self.fresh(), "-hd", "-i5")
        self.assert_unharmed(harness.run(command), census)
        peak = int(re.search(r"^peak (\d+)$", census.output, re.M).group(1))
        for found in peer.windows[0]["peak_bytes"], sum(largest(census.profile).values()):
            self.assertIn(found, range(peak - error_bytes, peak + error_bytes + 1))
        times = [time for time, _ in census.profile.samples]
        self.assertEqual(times, sorted(times))
        return census

    def test_short_peak(self):
        census = self.check("spikes")
        bands = largest(census.profile)
        self.assertEqual(sorted(bands.values()), [1000000, 300000000])
        report = harness.run([CENSUS, "report", "--bytes", census.profile.path])
        self.assertIn("301000000", report.output.replace(",", ""))

    def test_peak_in_the_summary(self):
        base = self.path("profile")
        done = harness.run([CENSUS, "run", "-i5", "-o", base + ".hp", "--", program("peaks"), "spikes"])
        self.assertIn("peak 287 MiB", done.errors)
        self.assertRegex(done.errors, r"286 MiB +100% +1 block  spike")

    def test_snapshot_of_the_largest_heap(self):
        """Also if a sample has just been taken, of a heap that grows. Of a smaller heap, the summary says so."""
        for mode in "-hd", "-hr":
            base = os.path.join(self.fresh(), "profile")
            done = harness.run([CENSUS, "run", mode, "--snapshot=largest", "-i0.1", "-o", base + ".hp", "--",
                                program("peaks"), "steps", base + ".heapsnapshot"])
            self.assertRegex(done.errors, r"heap snapshot at [0-9.]+ m?s, 21\.2 MiB live: census report", done.errors)
        done = harness.run([CENSUS, "run", "-hd", "--snapshot=last", "-o", self.path("profile"), "--", program("peaks"), "steps"])
        self.assertRegex(done.errors, r"heap snapshot at [0-9.]+ m?s, 9[0-9]{2} KiB live of a peak of 21\.2 MiB: census report")

    def test_peak_of_a_wandering_heap(self):
        """It grows with many frees in between."""
        self.check("wanders")

    def test_peak_of_threads(self):
        self.check("hands_over", error_bytes=300000000 // 256)

    def test_peak_of_a_forked_child(self):
        census = self.check("is_inherited")
        self.assertEqual([sum(largest(child).values()) for child in census.others], [45000000])

    def test_peak_of_a_killed_program(self):
        self.check("is_killed")


if __name__ == "__main__":
    harness.main()
