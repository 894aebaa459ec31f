#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs with child processes: each process has its own counts, and a child also has the inherited
blocks."""
import collections
import glob
import json
import os
import re
import sys
import time

import harness
from harness import Native, program


class Processes(Native):
    def command(self, case, *arguments):
        return [program("processes"), case, *arguments]

    def check_family(self, case, children, **more):
        """Compares parent and children; `children` are the bytes of keep_as_child at the end of each
        child."""
        plain, census = self.check_program(self.command(case), **more)
        self.assertEqual(sorted(profile.of("keep_as_child") for profile in census.others),
                         sorted(children))
        return plain, census

    def test_fork_storm(self):
        _, census = self.check_family("forks_many", [100 * i for i in range(100)])
        counted = harness.run_counted(self.command("forks_many"), self.fresh())
        self.assertEqual(sorted(profile.total() for profile in census.others),
                         sorted(counts.live_bytes for counts in counted.others))

    def test_fork_with_threads(self):
        self.check_family("forks_with_threads", [100 * i for i in range(20)], is_repeatable=False)

    def test_fork_without_libc(self):
        self.check_family("clones_without_fork", [3000])

    def test_clone_in_memory(self):
        self.check_family("clones_in_memory", [])

    def test_exec_chain(self):
        """The process executes several programs; each has its own profile if it runs for a second. The
        last one has the requested name."""
        census = harness.run_census(self.command("executes_itself", "2", "1100"), self.fresh(),
                                    "-hd")
        self.assertEqual((census.status, census.errors), (6, ""))
        profiles = census.others + [census.profile]
        self.assertEqual([profile.of("keep_as_child") for profile in profiles], [200, 100, 0])
        self.assertEqual(profiles[-1].of("keep_as_parent"), 3000)

    def test_short_exec_chain(self):
        """Programs that execute another within a second leave no profile, so a script that ends with exec
        makes one profile."""
        plain, census = self.check_program(self.command("executes_itself", "4", "0"),
                                           is_repeatable=False)
        self.assertEqual(plain.status, 6)
        for profile in census.others:
            self.assertGreater(profile.samples[-1][0], 0.5, profile.path)

    def test_exec_between_samples(self):
        """A sample that is due after exec, before the new program has made itself known, does not turn the
        shell into a program of its own."""
        for _ in range(5):
            census = harness.run_census(["sh", "-c", "exec " + sys.executable + " -c 0"], self.fresh(), "-i0.001")
            self.assertEqual((census.status, census.errors), (0, ""))
            for profile in census.others:
                self.assertGreater(profile.samples[-1][0], 0.5, profile.path)

    def test_event_logs(self):
        """Each profile has an event log with the same samples and the same base name."""
        directory = self.fresh()
        census = harness.run_census(self.command("executes_itself", "2", "1100"), directory,
                                    "-hd", files=(".hp", ".eventlog"))
        self.assertEqual((census.status, census.errors), (6, ""))
        self.assertEqual(len(glob.glob(os.path.join(directory, "*.eventlog"))), 3)
        for profile in census.others + [census.profile]:
            log = profile.path.removesuffix(".hp") + ".eventlog"
            again = log + ".hp"
            harness.run([harness.CENSUS, "convert", "-o", again, log])
            self.assertEqual([amounts for _, amounts in harness.Profile(again).samples],
                             [amounts for _, amounts in profile.samples])

    def test_vfork_exec(self):
        self.check_family("executes_after_vfork", [4000])

    def test_posix_spawn(self):
        plain, census = self.check_program(self.command("spawns"))
        self.assertEqual(sum(profile.of("keep_as_child") for profile in census.others), 4100)
        self.assertGreaterEqual(len(census.others), 2)

    def test_no_children(self):
        command = self.command("forks_many")
        census = harness.run_census(command, self.fresh(), "-hd", "--no-children")
        self.assert_unharmed(harness.run(command), census)
        self.assertEqual(census.others, [])
        self.assertEqual(census.profile.of("keep_as_parent"), 20000)

    def shell(self, script):
        """Returns the command of a shell script with the program as $1."""
        return ["sh", "-c", script + "; true", "sh", program("processes")]

    def test_summary_and_plot_show_the_largest_process(self):
        base, picture = self.path("big"), self.path("big.svg")
        run = harness.run([harness.CENSUS, "run", "-hd", "-o", base, "-o", picture, "--",
                           *self.shell("$1 keeps 200")])
        self.assertIn(" processes; the one with the largest peak:\n"
                      "census: %s keeps 200\n" % program("processes"), run.errors)
        [path] = [path for path in glob.glob(glob.escape(base) + "*.hp")
                  if harness.Profile(path).of("keep_as_child") == 20000]
        self.assertIn("draw with: census plot %s\n" % path, run.errors)
        again = self.path("again.svg")
        harness.run([harness.CENSUS, "plot", "-o", again, path])
        with open(picture, "rb") as drawn, open(again, "rb") as expected:
            self.assertEqual(drawn.read(), expected.read())

    def test_tree_has_a_band_for_each_process(self):
        directory = self.fresh()
        harness.run_census(self.shell("$1 keeps 200 & $1 keeps 100; wait"), directory, "-hd", "--tree")
        paths = glob.glob(os.path.join(directory, "profile*.hp"))
        tree = os.path.join(directory, "profile.tree.hp")
        paths.remove(tree)
        samples = harness.Profile(tree).samples
        self.assertEqual(sorted(samples, key=lambda sample: sample[0]), samples)
        names = {name for _, amounts in samples for name in amounts}
        commands = set()
        for path in paths:
            own = harness.Profile(path)
            if own.of("keep_as_child") > 0:
                process = os.path.basename(path).split(".")[1]
                [name] = [name for name in names if "keeps" in name and "(%s)" % process in name]
                self.check_band(name, samples, own)
                commands.add(name.split("(")[0])
        self.assertEqual(commands, {"processes_keeps_100", "processes_keeps_200"})

    def test_tree_without_a_killed_process(self):
        """With -hr, a process that is killed at once has no sample."""
        directory = self.fresh()
        census = harness.run_census(self.shell("sh -c 'kill -KILL $$'; $1 keeps 100"), directory, "-hr", "--tree", "-i0.3")
        self.assertNotIn("no complete sample", census.errors)
        tree = harness.Profile(os.path.join(directory, "profile.tree.hp"))
        self.assertTrue(any("keeps_100" in name for _, amounts in tree.samples for name in amounts))

    def check_band(self, name, samples, own):
        """Checks that the band equals the process's profile and ends with it. Samples less than a fourth
        of the interval apart may be merged in the sum."""
        band = [(time_s, amounts[name]) for time_s, amounts in samples if amounts[name] > 0]
        begin_s = min(time_s for time_s, amounts in own.samples if sum(amounts.values()) > 0)
        self.assertEqual(band[-1][1], own.total())
        self.assertLessEqual({amount for _, amount in band},
                             {sum(amounts.values()) for _, amounts in own.samples})
        self.assertAlmostEqual(band[-1][0] - band[0][0], own.samples[-1][0] - begin_s, delta=0.03)

    def test_tree_adds_up_names(self):
        """Inherited blocks count once, in the parent."""
        directory = self.fresh()
        harness.run_census(self.shell("$1 keeps 200; $1 keeps 100; $1 forks_many"), directory, "-hd",
                           "--tree=name")
        tree = harness.Profile(os.path.join(directory, "profile.tree.hp"))
        names = {name for _, amounts in tree.samples for name in amounts}
        self.assertNotIn("INHERITED", names)
        [child] = [name for name in names if "keep_as_child" in name]
        self.assertGreaterEqual(max(amounts[child] for _, amounts in tree.samples), 20000)

    def test_inherited_blocks_count_once(self):
        """Live bytes are the parent's in the sum of all processes, also where a child has freed them; a child's
        allocations are its own."""
        for mode in "-hd", "-hr":
            directory = self.fresh()
            census = harness.run_census(self.command("shares_heap"), directory, mode, "--tree", "-i0.05",
                                        files=(".hp", ".eventlog", ".prof"))
            self.assertEqual(census.status, 3, census.errors)
            tree = harness.Profile(os.path.join(directory, "profile.tree.hp"))
            largest = max(sum(amounts.values()) for _, amounts in tree.samples)
            self.assertIn(largest, range(700000, 750000), mode)
            for path in glob.glob(os.path.join(directory, "profile.*.prof")):
                with open(path, encoding="utf-8") as file:
                    [total] = re.findall("total alloc = +([0-9,]+) bytes", file.read())
                self.assertIn(int(total.replace(",", "")), range(100000, 110000), path)
            for path in glob.glob(os.path.join(directory, "profile.*.eventlog")):
                report = harness.run([harness.CENSUS, "report", "--format", "json", "--value", "allocated", path])
                allocated = sum(band["max"] for band in json.loads(report.output)["bands"])
                self.assertIn(allocated, range(100000, 110000), path)

    def test_daemon(self):
        """The program ends at once; its daemon continues, and census follows it."""
        command = self.command("daemonises", self.path("done"))
        plain = harness.run(command)
        self.wait_for_daemon()
        census = harness.run_census(command, self.fresh(), "-hd")
        self.assert_unharmed(plain, census)
        self.assertEqual(census.profile.of("keep_as_parent"), 4000)
        self.assertIn(7000, [profile.of("keep_as_child") for profile in census.others])
        self.wait_for_daemon()

    def wait_for_daemon(self):
        deadline = time.monotonic() + harness.PATIENCE_S
        while not os.path.exists(self.path("done")):
            self.assertLess(time.monotonic(), deadline, "the daemon did not end")
            time.sleep(0.02)
        os.unlink(self.path("done"))

    def test_closed_descriptors(self):
        plain, _ = self.check_family("closes_all", [1700])
        self.assertEqual(plain.status, 8)

    def test_cleared_environment(self):
        """Forked children and executed programs are still counted."""
        self.check_family("clears_environment", [1800, 1900])


if __name__ == "__main__":
    harness.main()
