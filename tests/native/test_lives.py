#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sampled biographies of programs that log every use: shares of lag, use, drag and void."""
import os

import harness
from harness import Native, program

PHASES = ("LAG", "USE", "DRAG", "VOID")
RATE = 1024  # some thousand watched blocks: the standard error of a share is at most 0.6 points
POINTS = 2.0


def windows_of(path):
    """Returns the samples between the marks "begin N" and "end N" of a profile: {N: [{name: bytes}]}."""
    profile = harness.Profile(path)
    marks = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("MARK "):
                marks.append(float(line.split()[1]))
    return [[bands for time, bands in profile.samples if begin < time < end]
            for begin, end in zip(marks[::2], marks[1::2])]


class Lives(Native):
    def check(self, case, *options, rate=RATE):
        """Compares all enclosed samples with the truth. Returns the summary."""
        base = os.path.join(self.fresh(), "profile")
        done = harness.run([harness.CENSUS, "run", "-hb", "-i0.03", f"--biography-rate={rate}",
                            "--biography-seed=1", "-o", base, *options, "--", program("lives"), case,
                            base + ".hp"])
        self.assertEqual(done.status, 0, done.errors)
        truths = [[int(n) for n in line.split()[2:]] for line in done.output.splitlines()]
        windows = windows_of(base + ".hp")
        self.assertEqual(len(windows), len(truths))
        for number, (truth, samples) in enumerate(zip(truths, windows)):
            self.assertTrue(samples, f"phase {number} has no samples")
            for sample in samples:
                total = sum(sample.values())
                for name, size in zip(PHASES, truth):
                    share, true_share = 100 * sample[name] / total, 100 * size / sum(truth)
                    self.assertLessEqual(abs(share - true_share), POINTS,
                                         f"phase {number}: {name} is {share:.2f} % instead of "
                                         f"{true_share:.2f} %: {dict(sample)}")
                # The profile also has the few blocks that the C library makes.
                self.assertAlmostEqual(total / sum(truth), 1, delta=0.01)
        return done.errors

    def test_lives_all_lag(self):
        self.check("all_lag")

    def test_lives_all_use(self):
        self.check("all_use")

    def test_lives_all_drag(self):
        self.check("all_drag")

    def test_lives_all_void(self):
        self.assertRegex(self.check("all_void"),
                         r"lag 0\.0%, use 0\.[0-9]%, drag 0\.[0-9]%, void 99\.[0-9]%")

    def test_lives_half_void(self):
        self.check("half_void")

    def test_lives_used_now_and_then(self):
        self.check("use_now_and_then")

    def test_lives_of_cache(self):
        self.check("cache")

    def test_lives_of_buffers(self):
        self.check("buffers", rate=8192)

    def test_lives_of_interpreter(self):
        self.check("interpreter")

    def test_lives_used_by_system_calls(self):
        self.check("by_system_calls")

    def test_lives_used_by_threads(self):
        self.check("by_threads")


if __name__ == "__main__":
    harness.main()
