#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Time profiles: the program behaves as without census, including its use of signals."""
import json
import re

import harness
from harness import Native, program


def ticks_of(path, function):
    """Returns the ticks of one function in a .prof file in JSON."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    centres = {centre["id"] for centre in profile["cost_centres"] if centre["label"] == function}

    def count(node):
        own = node["ticks"] if node["id"] in centres else 0
        return own + sum(count(child) for child in node["children"])
    return count(profile["profile"])


class Ticks(Native):
    def check(self, case, *arguments, function="burn"):
        command = [program("ticks"), case, *arguments]
        plain = harness.run(command)
        self.assertEqual(plain.errors, "")
        census = harness.run_census(command, self.fresh(), "-hd", "-pj", "-V0.001")
        self.assert_unharmed(plain, census)
        if function:
            self.assertGreater(ticks_of(census.profile.path[:-2] + "prof", function), 0)
        return census

    def test_ticks_in_event_logs(self):
        """The event log has each tick of the report, with the same stacks."""
        census = harness.run_census([program("ticks"), "burns_deep"], self.fresh(), "-hd", "-pj", "-V0.001",
                                    files=(".hp", ".eventlog", ".prof"))
        stem = census.profile.path[:-3]
        times = harness.run([harness.CENSUS, "report", "--time", "--format", "json", "-o", stem + ".json",
                             stem + ".eventlog"])
        self.assertEqual(times.status, 0, times.errors)
        self.assertGreater(ticks_of(stem + ".prof", "burn"), 0)
        self.assertEqual(ticks_of(stem + ".json", "burn"), ticks_of(stem + ".prof", "burn"))
        records = harness.run([harness.CENSUS, "info", "--events", stem + ".eventlog"]).output
        self.assertRegex(str(records), "PROF_BEGIN tick_ns=1000000")
        self.assertRegex(str(records), "HEAP_ALLOCATED capset=0 allocated_bytes=[1-9]")

    def test_allocated_bytes_in_event_logs(self):
        """The bytes allocated so far never go back, also at the samples of short peaks."""
        census = harness.run_census([program("peaks"), "wanders"], self.fresh(), "-hd", "-i0.05", files=(".hp", ".eventlog"))
        records = harness.run([harness.CENSUS, "info", "--events", census.profile.path[:-3] + ".eventlog"]).output
        allocated = [int(n) for n in re.findall(r"HEAP_ALLOCATED capset=0 allocated_bytes=(\d+)", str(records))]
        self.assertEqual(allocated, sorted(allocated))
        self.assertGreater(allocated[-1], 400000000)

    def test_totals_of_stacks_in_event_logs(self):
        """The log has what each stack allocated until the end and at the peak, with the frames that its bands have."""
        def report(log, *options):
            printed = harness.run([harness.CENSUS, "report", "--format", "json", "-m0", *options, log])
            self.assertEqual(printed.status, 0, printed.errors)
            return {tuple(frame["label"] for frame in band["frames"]): band["max"] for band in json.loads(printed.output)["bands"]}
        for mode, suffix in ("-hc", ".census"), ("-hb", ".eventlog"), ("-hc", ".eventlog"):
            directory = self.fresh()
            census = harness.run_census([program("peaks"), "spikes"], directory, mode, files=(suffix,))
            log = directory + "/profile" + suffix
            of = lambda function, value: sum(amount for frames, amount in report(log, "--value", value).items()  # noqa: E731
                                             if frames[0] == function)
            kept = int(re.search("live keep (\\d+)", str(census.output))[1])
            self.assertEqual((of("spike", "allocated"), of("keep", "allocated")), (5 * 300000000, kept))
            self.assertEqual((of("spike", "peak"), of("keep", "peak")), (300000000, kept))
            self.assertEqual((of("spike", "blocks"), of("keep", "blocks")), (1, 10))
        live, allocated = report(log), report(log, "--value", "allocated")
        self.assertEqual({frames[0] for frames in live} & {"spike", "keep"}, {"spike", "keep"})
        self.assertEqual([frames for frames in live if allocated.get(frames, 0) < live[frames]], [])
        log = directory + "/restricted.eventlog"
        harness.run([harness.CENSUS, "run", "-q", "-hc", "-hmpeaks", "-o", log, "--", program("peaks"), "spikes"])
        printed = harness.run([harness.CENSUS, "report", "--value", "allocated", log])
        self.assertRegex(str(printed.errors), "has no totals of stacks")

    def test_ticks_of_reset_signals(self):
        self.check("resets_all_signals")

    def test_ticks_and_own_clock(self):
        self.check("has_own_clock")

    def test_ticks_and_blocked_signals(self):
        self.check("blocks_all_signals")

    def test_ticks_do_not_interrupt(self):
        self.check("waits")

    def test_ticks_and_users(self):
        self.check("changes_user")

    def test_ticks_of_children(self):
        self.check("forks_and_execs")

    def test_ticks_of_deep_stacks(self):
        self.check("burns_deep")

    def test_ticks_end_with_isolation(self):
        """Samples that would need a system call are not counted, or have no stack; the program continues."""
        self.check("isolates_itself", "prctl")
        self.check("isolates_itself", "syscall")
        self.check("isolates_itself", "twice")
        self.check("isolates_threads", function=None)
        self.check("isolates_itself_strictly", function=None)


if __name__ == "__main__":
    harness.main()
