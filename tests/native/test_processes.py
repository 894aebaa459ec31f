#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs with child processes: each process has its own counts, and a child also has the inherited
blocks."""
import collections
import contextlib
import glob
import json
import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
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

    def record(self, *command, options=("-hd",), suffixes=(".hp",), directory=None):
        """Returns the census of a run with a recording, and the sum of its processes."""
        directory = directory or self.fresh()
        census = harness.run_census(command, directory, *options, files=(".census", *suffixes))
        recording, all_of_it = os.path.join(directory, "profile.census"), os.path.join(directory, "all")
        done = harness.run([harness.CENSUS, "convert", "--process", "all", "--format", "hp", "-o", all_of_it, recording])
        self.assertEqual(done.status, 0, done.errors)
        return census, harness.Profile(all_of_it)

    def test_summary_and_plot_show_the_largest_process(self):
        recording, picture = self.path("big.census"), self.path("big.svg")
        run = harness.run([harness.CENSUS, "run", "-hd", "-o", self.path("big"), "-o", picture, "--",
                           *self.shell("$1 keeps 200")], {"CENSUS_NAME_BYTES": "80"})
        self.assertIn(" processes; the one with the largest peak:\n"
                      "census: %s keeps 200\n" % program("processes"), run.errors)
        self.assertTrue(run.errors.endswith("\ncensus open %s\n" % recording), run.errors)
        again = self.path("again.svg")
        harness.run([harness.CENSUS, "plot", "-o", again, recording])
        with open(picture, "rb") as drawn, open(again, "rb") as expected:
            self.assertEqual(drawn.read(), expected.read())

    def test_a_small_child_does_not_wait_for_census(self):
        """Of a process of which nobody sees more than a row, there is no image of its end to wait for."""
        script = "$1 keeps 5000; sh -c 'echo $$; read line; exit 7'; echo $?"
        command = [harness.CENSUS, "run", "-hr", "-i100", "-q", "-o", self.path("small"), "--", *self.shell(script)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as census:
            child = pathlib.Path("/proc", census.stdout.readline().strip())
            window = re.search(r" (\d+) +/memfd:census-window", (child / "maps").read_text())
            collector = pathlib.Path("/proc", str(census.pid))
            while f" {window[1]} " not in (collector / "maps").read_text() or \
                    "State:\tS" not in (collector / "status").read_text():  # it knows the child, and waits
                time.sleep(0.01)
            census.send_signal(signal.SIGSTOP)
            try:
                census.stdin.write("\n")
                census.stdin.flush()
                with contextlib.suppress(OSError):  # until it has gone
                    while True:
                        self.assertFalse((child / "syscall").read_text().startswith("271 "), "it waits in ppoll")
            finally:
                census.send_signal(signal.SIGCONT)
            self.assertEqual(census.stdout.readline(), "7\n")
            self.assertEqual(census.wait(), 0)

    def test_a_small_child_does_not_wait_to_be_known(self):
        """A program that starts another one says what is small."""
        script = "$1 keeps 5000; while read line; do sh -c 'exit 7'; echo $?; done"
        command = [harness.CENSUS, "run", "-hr", "-i0.02", "-q", "-o", self.path("small"), "--", *self.shell(script)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as census:
            n_waiting = 0
            for _ in range(30):  # the program does not know at first what is small: it hears that with a sample
                time.sleep(0.5)
                census.send_signal(signal.SIGSTOP)
                try:
                    census.stdin.write(b"\n")
                    census.stdin.flush()
                    is_waiting = not select.select([census.stdout], [], [], 2)[0]
                    n_waiting += is_waiting
                finally:
                    census.send_signal(signal.SIGCONT)
                self.assertEqual(census.stdout.read(2), b"7\n")
                if not is_waiting:
                    break
            self.assertLess(n_waiting, 30, "it waits for census each time")
            census.stdin.close()
            self.assertEqual(census.wait(), 0)

    def test_a_child_of_which_nobody_sees_more_is_a_row(self):
        """Without an image of its end, also by type and retainer. The largest process has one."""
        for mode in "-hc", "-hy", "-hr":
            recording = self.path(mode + ".census")
            run = harness.run([harness.CENSUS, "run", mode, "-o", recording, "--",
                               *self.shell("$1 keeps 200; $1 keeps 5000; $1 keeps 100; $1 keeps 5000; $1 keeps 0")],
                              {"CENSUS_NAME_BYTES": "80"})
            self.assertIn("; the one with the largest peak:\ncensus: %s keeps 5000\n" % program("processes"), run.errors)
            self.assertNotIn("no sample", run.errors)
            self.assertRegex(run.errors, "census: +(4[89]|5[0-9])[0-9.]* KiB +[0-9]+% ")
            info = harness.run([harness.CENSUS, "info", recording]).output
            peaks = [float(kib) for kib in re.findall(r" ([0-9.]+) KiB +[0-9.]+ (?:KiB|B) +(?:exit|yes)", info)]
            self.assertEqual(sum(488 <= kib < 520 for kib in peaks), 2, info)
            self.assertTrue(any(19.5 <= kib < 30 for kib in peaks) and any(9.7 < kib < 19 for kib in peaks), info)

    def test_summary_quotes_the_file_for_a_shell(self):
        recording = self.path("it's one $HOME.census")
        run = harness.run([harness.CENSUS, "run", "-o", recording, "--", *self.shell("true")])
        self.assertEqual(shlex.split(run.errors.splitlines()[-1]), ["census", "open", recording])

    def scripts(self):
        """Makes scripts that keep megabytes for a while, and until the last sample. Returns {name: bytes}, and a shell
        command that runs them."""
        kept = {"one": 10000000, "two": 30000000}
        for name, n_bytes in kept.items():
            with open(self.path(name + ".py"), "w", encoding="ascii") as file:
                file.write("import os, time\nkept = bytearray(%d)\ntime.sleep(0.3)\nos._exit(0)\n" % n_bytes)
        return kept, " & ".join("%s %s.py" % (sys.executable, self.path(name)) for name in kept) + "; wait"

    def test_all_has_a_band_for_each_process(self):
        kept, command = self.scripts()
        census, sum_of_all = self.record("sh", "-c", command)
        samples = sum_of_all.samples
        self.assertEqual(sorted(samples, key=lambda sample: sample[0]), samples)
        profiles = [*census.others, census.profile]
        for name, n_bytes in kept.items():
            [own] = [own for own in profiles
                     if n_bytes <= max(sum(amounts.values()) for _, amounts in own.samples) < n_bytes + 10000000]
            self.check_band(name, n_bytes, samples, own)

    def test_all_without_a_killed_process(self):
        """With -hr, a process that is killed at once has no sample."""
        kept, command = self.scripts()
        census, sum_of_all = self.record("sh", "-c", "sh -c 'kill -KILL $$'; " + command, options=("-hr", "-i0.3"))
        self.assertNotIn("no complete sample", census.errors)
        self.assertLessEqual(set(kept), {name for _, amounts in sum_of_all.samples for name in amounts})

    def check_band(self, name, n_bytes, samples, own):
        """Checks that the band equals the process's profile and ends with it. Samples less than a fourth of the interval
        apart may be merged in the sum. What the process inherited before it executed the program is not in the band."""
        band = [(time_s, amounts[name]) for time_s, amounts in samples if amounts[name] > 0]
        begin_s = min(time_s for time_s, amounts in own.samples if sum(amounts.values()) > 0)
        self.assertEqual(band[-1][1], own.total())
        self.assertLessEqual({amount for _, amount in band if amount >= n_bytes},
                             {sum(amounts.values()) for _, amounts in own.samples})
        large_s = min(time_s for time_s, amounts in own.samples if sum(amounts.values()) >= n_bytes)
        self.assertLess(band[-1][0] - band[0][0], own.samples[-1][0] - begin_s + 0.03)
        self.assertGreater(band[-1][0] - band[0][0], own.samples[-1][0] - large_s - 0.03)

    def test_inherited_blocks_count_once(self):
        """Live bytes are the parent's in the sum of all processes, also where a child has freed them; a child's
        allocations are its own."""
        for mode in "-hd", "-hr", "-hb --biography-rate=1", "-hd -hmprocesses":
            directory = self.fresh()
            census, sum_of_all = self.record(*self.command("shares_heap", os.path.join(directory, "profile")),
                                             options=(*mode.split(), "-i0.05"), suffixes=(".hp", ".eventlog", ".prof"),
                                             directory=directory)
            self.assertEqual(census.status, 3, census.errors)
            largest = max(sum(amounts.values()) for _, amounts in sum_of_all.samples)
            self.assertIn(largest, range(700000, 750000), mode)
            for path in glob.glob(os.path.join(directory, "profile.*.prof")):
                with open(path, encoding="utf-8") as file:
                    [total] = re.findall("total alloc = +([0-9,]+) bytes", file.read())
                self.assertIn(int(total.replace(",", "")), range(100000, 110000), path)
            for path in glob.glob(os.path.join(directory, "profile.*.eventlog")) if mode in ("-hd", "-hr") else []:
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
