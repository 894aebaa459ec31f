#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Marks and pools of a program arrive in its window, for position independent and other code. Without the
profiler they have no effect."""
import harness
from harness import Native, program

N_OBJECTS, N_FREED = 100, 40
SIZES = [48 - i % 3 for i in range(N_OBJECTS)]


class Hooks(Native):
    def check(self, name):
        plain = harness.run([program(name)])
        peer = harness.run_peer([program(name)], self.fresh())
        self.assertEqual(plain.status, 0)
        self.assert_unharmed(plain, peer)
        self.assertEqual(peer.marks, ["first é", "x" * 119])
        (window,) = peer.windows
        self.assertEqual(window.by_call("pool"), {
            "allocations": 2 * N_OBJECTS, "asked_bytes": 2 * sum(SIZES),
            "frees": N_OBJECTS + N_FREED, "freed_bytes": sum(SIZES) + sum(SIZES[:N_FREED])})
        self.assertEqual(window.by_call("malloc"), {
            "allocations": 2, "asked_bytes": 2 << 16, "frees": 2, "freed_bytes": 2 << 16})
        self.assertEqual((window["uncounted"], window["uncounted_bytes"]), (1, 8))
        self.assertEqual(window["missed_frees"], 0)

    def test_hooks(self):
        self.check("hooks_pie")

    def test_hooks_of_fixed_code(self):
        self.check("hooks_no-pie")


if __name__ == "__main__":
    harness.main()
