#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""No system call returns anything else because its program is profiled: programs/calls.c makes all blocking
calls at once while images are taken every few milliseconds, and prints what each returned."""
import harness
from harness import Native, program


class Calls(Native):
    def check(self, *mode):
        """Compares the calls in a mode with the calls of a plain run. Shows the lines that differ."""
        plain = harness.run([program("calls"), self.fresh()])
        self.assertNotRegex(plain.output, "early|late|does not end")
        census = harness.run_census([program("calls"), self.fresh()], self.fresh(), "-i0.005", *mode)
        expected, found = plain.output.splitlines(), census.output.splitlines()
        self.assertEqual([line for line in found if line not in expected],
                         [line for line in expected if line not in found])
        self.assert_unharmed(plain, census)
        self.assertGreater(len(census.profile.samples), 1)

    def test_calls_by_stack(self):
        self.check("-hc")

    def test_calls_by_use(self):
        self.check("-hb")

    def test_calls_by_type(self):
        self.check("-hy")

    def test_calls_by_retainer(self):
        self.check("-hr")

    def test_calls_by_retainer_and_use(self):
        self.check("-hr", "-hbdrag,void")

    def test_calls_with_a_snapshot(self):
        self.check("-hc", "--snapshot=last")


if __name__ == "__main__":
    harness.main()
