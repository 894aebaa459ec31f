#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Threads: counts are exact while all threads pause, and at the end."""
import collections
import re

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

    def logged(self, n_rounds):
        """Returns how many threads the log has, each with a begin and an end, and their names."""
        census = harness.run_census([program("threads"), "names", str(n_rounds)], self.fresh(), "-i0.01", files=(".hp", ".eventlog"))
        self.assertEqual(census.status, 0)
        log = census.profile.path.replace(".hp", ".eventlog")
        done = harness.run([harness.CENSUS, "info", "--events", log])
        begun, ended, names = collections.Counter(), collections.Counter(), set()
        for cap, name, thread, status, label in re.findall(
                r"^[\d.]+ (\d+) (\w+_THREAD|THREAD_LABEL) thread=(\d+)(?: status=\d+:(\w+)| label=\"(.*)\")?",
                done.output, re.M):
            if name == "CREATE_THREAD":
                begun[cap, thread] += 1
            elif name == "STOP_THREAD":
                self.assertEqual(status, "ThreadFinished")
                ended[cap, thread] += 1
            elif name == "THREAD_LABEL":
                names.add(label)
            self.assertIn(begun[cap, thread] - ended[cap, thread], (0, 1)) if name != "THREAD_LABEL" else None
        self.assertEqual(begun, ended)
        return begun.total(), names

    def test_begins_names_and_ends_are_in_the_log(self):
        n, names = self.logged(900)
        self.assertEqual(n, 1801)
        self.assertEqual(names, {"threads", *(f"worker {i}.{k}" for i in range(900) for k in range(2))})
        # What has no room before the next sample is left out.
        n, _ = self.logged(5000)
        self.assertTrue(1801 < n <= 10001, n)

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
