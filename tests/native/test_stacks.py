#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each block is counted for its callers, with any kind of stack."""
import collections
import os
import re

import harness
from harness import Native, program


class Stacks(Native):
    def check(self, case, **more):
        command = [program("stacks"), case]
        self.check_program(command, **more)
        return self.check_through(command)

    def test_paths(self):
        """Functions with frames of equal size in 200 random orders: every path has its own sum."""
        command = [program("stacks"), "paths"]
        self.check_program(command)
        census = harness.run_census(command, self.fresh(), "-hc")
        found, printed = collections.Counter(), collections.Counter()
        for name, size in census.profile.last().items():
            found["".join(re.findall(r"(?<!\w)step_\d([abcd])(?!\w)", name))[::-1]] += size
        for line in census.output.splitlines():
            _, path, size = line.split()
            printed[path] += int(size)
        self.assertEqual(found, printed)

    def test_program_with_gaps(self):
        """The loader maps its segments one by one."""
        command = [program("stacks_gaps"), "jumps"]
        self.check_program(command)
        self.check_through(command)

    def test_functions_without_symbols(self):
        """They are shown as their module."""
        command = [program("processes_stripped"), "keeps", "200"]
        for option, pattern in (("-hc", r"^\(\d+\)\[processes_stripped\]$"),
                                ("-hd", r"^\[processes_stripped\]$")):
            last = harness.run_census(command, self.fresh(), option).profile.last()
            [name] = [name for name in last if "processes_stripped" in name]
            self.assertRegex(name, pattern)
            self.assertEqual(last[name], 20000)

    def test_summary_explains_how_to_get_symbols(self):
        folder, answer = self.fresh(), self.path("answer")
        query = os.path.join(folder, "dpkg-query")
        with open(query, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho \"$@\" >%s.question\ncat %s\n" % (answer, answer))
        os.chmod(query, 0o755)
        stripped = program("processes_stripped")
        for text, wanted in (
                ("fancy:amd64: %s\n" % stripped, "install fancy-dbgsym, or set DEBUGINFOD_URLS="),
                ("", "to name functions in %s, compile with -g and do not strip" % stripped)):
            with open(answer, "w", encoding="utf-8") as file:
                file.write(text)
            run = harness.run([harness.CENSUS, "run", "-o", self.path("base"), stripped, "keeps", "9"],
                              {"PATH": folder + ":" + os.environ["PATH"], "DEBUGINFOD_URLS": ""})
            self.assertIn("census: no symbols for addresses in: %s (" % stripped, run.errors)
            self.assertIn(wanted, run.errors)
        with open(answer + ".question", encoding="utf-8") as file:
            self.assertIn(stripped, file.read().split())

    def test_longjmp(self):
        self.check("jumps")

    def test_coroutines(self):
        self.check("yields")

    def test_coroutines_on_one_stack(self):
        self.check("shares_one_stack")

    def test_fibres(self):
        self.check("switches")

    def test_deep_recursion(self):
        self.check("digs")

    def test_blocks_at_all_levels(self):
        """Stacks a hundred thousand deep: exact, and the work grows with the calls, not with their
        depth. (Comparing every stack with the one before takes 9 thousand million words.) The
        window has a recursion once."""
        command = [program("stacks"), "keeps_at_all_levels"]
        self.check_through(command)
        window = harness.run_peer(command, self.fresh()).windows[0]
        self.assert_nothing_lost(window)
        self.assertLess(window["compared"], 15000 * window["allocations"])
        self.assertLess(window["nodes"], 200)

    def test_variable_frames(self):
        self.check("stretches")

    def test_stack_of_unusual_alignment(self):
        command = [program("askew"), "allocates"]
        self.check_program(command, verify=7)
        self.check_through(command)

    def test_operators_on_a_stack_of_unusual_alignment(self):
        self.check_through([program("askew"), "news"])

    def test_other_signal_stack(self):
        self.check("has_other_stack")

    def test_signal_handlers(self):
        """A handler may allocate at any moment, even while the library runs."""
        command = [program("stacks_bump"), "is_signalled", self.path("numbers")]
        plain = harness.run(command)
        peer = harness.run_peer(command, self.fresh())
        self.assert_unharmed(plain, peer)
        self.assert_nothing_lost(peer.windows[0])
        self.assertEqual(peer.windows[0].live_bytes, sum(self.numbers().values()))
        self.check_stacks(plain, command, 3)
        census = harness.run_census(command, self.fresh(), "-hd")
        self.assert_unharmed(plain, census)
        self.assertEqual(dict((name, census.profile.of(name)) for name in self.numbers()),
                         self.numbers())

    def numbers(self):
        with open(self.path("numbers"), encoding="ascii") as file:
            return {line.split()[1]: int(line.split()[2]) for line in file}


if __name__ == "__main__":
    harness.main()
