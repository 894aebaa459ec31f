#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program sees nothing of its profiler while images are taken every few milliseconds: in its process, among its
children, in its name spaces, sessions and limits. Each case of programs/harm.c prints what it sees."""
import os
import signal
import subprocess
import time

import harness
from harness import Native, program

OFTEN = ("-i0.005",)
MODES = (("-hc",), ("-hr",), ("-hy",), ("-hr", "-hbdrag,void"))


class Harm(Native):
    def check(self, *cases, modes=MODES):
        """Compares cases with a plain run, in each mode. Skips visibly what the kernel does not permit."""
        refused = []
        for case in cases:
            command = [program("harm"), *case.split()]
            plain = harness.run(command)
            if "not permitted" in plain.output:
                refused.append(case)
                continue
            for mode in modes:
                with self.subTest(case=case, mode=mode):
                    self.assert_unharmed(plain, harness.run_census(command, self.fresh(), *OFTEN, *mode))
        if refused:
            self.skipTest("not permitted: " + ", ".join(refused))

    def test_harm_in_pid_namespaces(self):
        """The program's own children get the numbers that they get without, and census ends."""
        self.check("enters_pid_namespace", "clones_pid_namespace")

    def test_harm_in_own_namespaces(self):
        """Some can only be entered by a process that is alone in its address space."""
        self.check("unshares")

    def test_harm_among_threads(self):
        self.check("counts_itself", "main_thread_ends")

    def test_harm_among_children(self):
        self.check("waits_for_children", "adopts", "counts_signals", "dies_with_parent")

    def test_harm_among_all_children(self):
        self.check("waits_for_all")

    def test_harm_in_groups(self):
        self.check("leaves_group", "signals_group", "begins_session")

    def test_harm_on_terminals(self):
        self.check("uses_terminal", "stops_and_goes_on")

    def test_harm_to_debuggers(self):
        self.check("traces_child", "seizes_child", modes=(*MODES, ("-p",)))

    def test_harm_to_debuggers_of_forks(self):
        self.check("traces_forks")

    def test_harm_under_limits(self):
        self.check("limits_files", "limits_processes", "drops_rights", "filters_calls")

    def test_harm_to_descriptors(self):
        self.check("closes_everything", "releases_at_once")

    def test_harm_in_another_root(self):
        self.check("changes_root " + self.fresh())

    def test_harm_to_core_dumps(self):
        self.check("dumps_core " + self.fresh())

    def test_harm_in_storms(self):
        self.check("forks_in_storms", "executes_often", "executes_from_vfork")

    def test_harm_after_exec(self):
        self.check("executes_and_counts")

    def test_harm_to_floating_point(self):
        self.check("watches_floating_point", modes=(*MODES, ("--rate", "1K"), ("--rate", "1K", "-hb")))

    def test_harm_when_census_is_killed(self):
        """The program goes on, whenever that is."""
        plain = harness.run([program("harm"), "works_on"])
        for mode in MODES:
            for after_ms in range(0, 400, 67):
                with self.subTest(mode=mode, after_ms=after_ms):
                    census = subprocess.Popen(
                        [harness.CENSUS, "run", "-q", *OFTEN, *mode, "-o", os.path.join(self.fresh(), "p"), "--",
                         program("harm"), "works_on"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    ready = census.stdout.readline()
                    time.sleep(after_ms / 1000)
                    census.send_signal(signal.SIGKILL)
                    output, errors = census.communicate(timeout=harness.PATIENCE_S)
                    self.assertEqual((ready + output).decode(), plain.output)
                    self.assertEqual(errors, b"")


if __name__ == "__main__":
    harness.main()
