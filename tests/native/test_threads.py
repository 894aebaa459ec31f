#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Threads: counts are exact while all threads pause, and at the end."""
import harness
from harness import Native, program


class Threads(Native):
    def check(self, case, *arguments, **more):
        return self.check_program([program("threads"), case, *arguments], **more)

    def check_while_paused(self, case):
        """Checks the counts while all threads pause. The counting library sees the same run: it is part
        of the program, before the preloaded library."""
        path = self.path("counts")
        peer = harness.run_peer([program("threads_counted"), case, "stop"], self.fresh(), verify=70,
                                environment={"COUNTING_FILE": path})
        self.assertEqual(len(peer.stopped), 1)
        self.assert_same_live(harness.read_counts(path + ".stopped"), peer.stopped[0])
        self.assert_same_live(harness.read_counts(path), peer.windows[0])
        self.assert_nothing_lost(peer.windows[0])
        return peer.stopped[0]

    def test_thousand_threads(self):
        self.check("thousand")
        stopped = self.check_while_paused("thousand")
        self.assertGreaterEqual(stopped.live_bytes, 3 * 1000 * 1001 // 2)
        self.assertGreaterEqual(stopped["slots"], 1000)

    def test_thread_churn(self):
        _, _ = self.check("churns", verify=100)
        peer = harness.run_peer([program("threads"), "churns"], self.fresh())
        self.assertLess(peer.windows[0]["slots"], 100, "slots are used again")

    def test_detached_threads(self):
        self.check("detaches", is_repeatable=False)

    def test_cancelled_threads(self):
        self.check("cancels", is_repeatable=False)

    def test_tls_destructors(self):
        self.check("ends_values")

    def test_blocks_freed_by_other_threads(self):
        self.check("hands_over", verify=100)
        self.check_while_paused("hands_over")

    def test_libraries_loaded_and_unloaded(self):
        plugins = [program("libplugin_one.so"), program("libplugin_two.so")]
        numbers = self.path("numbers")
        self.check("loads", *plugins, numbers, is_repeatable=False, verify=100)
        with open(numbers, encoding="ascii") as file:
            _, function, size = file.read().split()
        census = harness.run_census([program("threads"), "loads", *plugins, numbers], self.fresh(),
                                    "-hd")
        with open(numbers, encoding="ascii") as file:
            _, function, size = file.read().split()
        self.assertEqual(census.profile.of(function), int(size))


if __name__ == "__main__":
    harness.main()
