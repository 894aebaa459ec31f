#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The counting library itself, compared with the output of programs; other tests rely on it."""
import harness
from harness import Native, program


class Counting(Native):
    def check(self, name, case, live=None):
        """Compares the counts; `live` is the number of blocks if the program's own are the only ones."""
        command = [program(name), case]
        plain, counted = harness.run(command), harness.run_counted(command, self.fresh())
        self.assert_unharmed(plain, counted)
        printed = sum(plain.printed("live").values()) or sum(plain.printed("through").values())
        self.assertEqual(counted.counts.live_bytes, printed)
        if live is not None:
            self.assertEqual(counted.counts.live, live)
        return counted

    def test_counting_of_ends(self):
        for case in "returns", "quits", "exits_quickly", "is_killed", "aborts", "faults":
            self.check("ends", case, 1003)

    def test_counting_of_sizes(self):
        self.check("sizes", "million", 1000000)
        self.check("sizes", "aligns", 18 * 2 * 5)
        self.check("sizes", "resizes", 1 + 64 + 1)
        self.check("sizes", "zero", 1002)
        self.check("sizes", "usable", 300)

    def test_counting_of_stacks(self):
        for case, live in ("jumps", 4000), ("yields", 8000), ("stretches", 2000):
            self.check("stacks", case, live)

    def test_counting_of_children(self):
        command = [program("processes"), "forks_many"]
        counted = harness.run_counted(command, self.fresh())
        self.assertEqual((counted.counts.live, counted.counts.live_bytes), (30, 22000))
        self.assertEqual(sorted(counts.live_bytes for counts in counted.others),
                         [1800 + 100 * i for i in range(100)])
        self.assertEqual({counts.inherited for counts in counted.others}, {10})


if __name__ == "__main__":
    harness.main()
