#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program ends as it would without census, and its last census is complete."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import harness
from harness import Native, program


class Ends(Native):
    def check_end(self, case, status, *arguments):
        plain, _ = self.check_program([program("ends"), case, *arguments])
        self.assertEqual(plain.status, status)

    def test_return(self):
        self.check_end("returns", 0)

    def test_status(self):
        self.check_end("returns", 123, "123")

    def test_underscore_exit(self):
        self.check_end("quits", 7)

    def test_quick_exit(self):
        self.check_end("exits_quickly", 9)

    def test_sigkill(self):
        self.check_end("is_killed", 128 + signal.SIGKILL)

    def test_abort(self):
        self.check_end("aborts", 128 + signal.SIGABRT)

    def test_sigsegv(self):
        self.check_end("faults", 128 + signal.SIGSEGV)

    def test_exit_from_thread(self):
        self.check_end("exits_from_thread", 11)

    def test_main_thread_exit(self):
        self.check_end("main_thread_exits", 0)

    def test_missing_program(self):
        census = harness.run_census([self.path("nothing")], self.fresh())
        self.assertNotEqual(census.status, 0)
        self.assertRegex(census.errors, "nothing")
        self.assertIsNone(census.profile)

    def test_a_signal_ends_census_that_waits_for_a_file(self):
        base, begun = self.path("stuck"), self.path("begun")
        running = subprocess.Popen(
            [harness.CENSUS, "run", "-hc", "-p", "--no-children", "-o", base + ".hp", "--", "sh", "-c",
             'mkfifo "$1.prof"; touch "$0"; exit 5', begun, base],  # nobody reads it
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        end = time.monotonic() + harness.PATIENCE_S
        children = f"/proc/{running.pid}/task/{running.pid}/children"
        while time.monotonic() < end:
            with open(children, encoding="ascii") as file:
                if os.path.exists(begun) and not file.read():
                    break
            time.sleep(0.02)
        self.assertIsNone(running.poll())
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(running.returncode, 5)
        self.assertIn("ended by a signal before the profile was complete", errors)

    def begin(self, case, file, *options):
        """Starts a program under census that prints a line when it is ready and continues on request."""
        running = subprocess.Popen(
            [harness.CENSUS, "run", "-q", *(options or ["-hd"]), "-i0.05", "-o", file, "--", program("ends"), case],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        self.addCleanup(running.kill)
        output = b""
        while not output.endswith(b"ready\n"):
            more = os.read(running.stdout.fileno(), 4096)
            assert more, running.stderr.read()
            output += more
        return running

    def test_interrupt(self):
        """The signal goes to the program and to census, as from a terminal."""
        base = self.path("profile")
        running = self.begin("waits", base + ".hp")
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=harness.PATIENCE_S)
        self.assertIn(running.returncode, (128 + signal.SIGINT, -signal.SIGINT))
        self.assertEqual(harness.Profile(base + ".hp").of("keep"), 364000)

    def end_by_signal(self, *command, is_sent=False):
        """Returns the status, the summary and the bytes of the last sample of a program that a signal ends, of itself or
        one that is sent to census. No sample is due when the program has 364000 bytes."""
        base = os.path.join(self.fresh(), "profile")
        with subprocess.Popen([harness.CENSUS, "run", "-i1000", "-o", base + ".hp", *command], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            self.addCleanup(running.kill)
            if is_sent:
                self.assertEqual([running.stdout.readline() for _ in range(2)][1], b"ready\n")
                running.terminate()
            errors = running.stderr.read().decode()
            running.wait(timeout=harness.PATIENCE_S)
        return running.returncode, errors, harness.Profile(base + ".hp").total()

    def test_last_uses(self):
        """A block that is used just before the end has not been used before (LAG), however the program ends."""
        for way in "_exit", "quick_exit", "exec", "return":
            directory = self.fresh()
            harness.run_census([program("ends"), "uses_late", way], directory, "-hb", "-i0.05", "--biography-rate=1")
            paths = [os.path.join(directory, name) for name in ("profile.1.hp", "profile.hp")]
            profile = harness.Profile(next(path for path in paths if os.path.exists(path)))
            before = [bands for _, bands in profile.samples if sum(bands.values()) == 4000000]
            self.assertGreater(len(before), 2, way)
            self.assertLess(before[0]["DRAG"], 400000, (way, dict(before[0])))  # a later one may come between the uses
            for bands in before:
                self.assertLess(bands["VOID"], 400000, (way, dict(bands)))

    def test_end_by_signal(self):
        """SIGTERM to census reaches the program after a last sample. Of other signals, the summary says of what moment
        the last sample is."""
        for mode in ["-hr"], ["-hy"], ["-hr", "-hblag,void", "--biography-rate=1"]:
            status, errors, n_bytes = self.end_by_signal(*mode, "--", program("ends"), "waits", is_sent=True)
            self.assertEqual(status, -signal.SIGTERM)
            self.assertEqual(n_bytes, 364000, errors)
            self.assertNotIn("has no sample", errors)
            for case, number in ("is_killed", signal.SIGKILL), ("aborts", signal.SIGABRT), ("faults", signal.SIGSEGV):
                status, errors, n_bytes = self.end_by_signal(*mode, "--", program("ends"), case)
                self.assertEqual(status, -number)
                self.assertNotEqual(n_bytes, 364000)
                self.assertRegex(errors, "the end of the program has no sample; the last one is of [0-9.]+ [mµ]?s")
        errors = self.end_by_signal("--snapshot=last", "--", program("ends"), "waits", is_sent=True)[1]
        self.assertRegex(errors, r"heap snapshot at [0-9.]+ m?s, 35[5-9] KiB live")

    def test_resident_set_between_samples(self):
        """The summary has the largest resident set, also if no sample is due while it is that large."""
        for end in "", "; import os; os._exit(0)":
            done = harness.run([harness.CENSUS, "run", "-i1000", "-o", self.path("p"), sys.executable, "-c",
                                "x = b'x' * (32 << 20)" + end])
            [resident] = re.findall("resident set up to ([0-9.]+) MiB", done.errors)
            self.assertGreater(float(resident), 32, done.errors)

    def test_profile_grows(self):
        """The profile can be read while the program runs: each sample is written as a whole."""
        base = self.path("profile")
        running = self.begin("waits", base + ".hp")
        deadline = time.monotonic() + harness.PATIENCE_S
        seen = 0
        while seen < 5 and time.monotonic() < deadline:
            time.sleep(0.05)
            profile = harness.Profile(base + ".hp") if os.path.exists(base + ".hp") else None
            seen = len(profile.samples) if profile else 0
        self.assertGreaterEqual(seen, 5)
        self.assertEqual(profile.of("keep"), 364000)
        _, errors = running.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual((running.returncode, errors), (5, b""))
        self.assertEqual(harness.Profile(base + ".hp").of("keep"), 374000)

    def report(self, log, *options):
        """Returns the report of an event log as JSON; None if it has no sample yet."""
        found = subprocess.run([harness.CENSUS, "report", "--format", "json", "-m0", *options, log], capture_output=True, check=False)
        return json.loads(found.stdout) if found.returncode == 0 else None

    def kill_collector(self, suffix):
        """Kills census and the program after some samples. Returns the path of the log."""
        log = os.path.join(self.fresh(), "profile" + suffix)
        running = self.begin("waits", log, "-hc")
        n_samples = lambda: (self.report(log) or {"samples": 0})["samples"]  # noqa: E731
        deadline = time.monotonic() + harness.PATIENCE_S
        while n_samples() < 10 and time.monotonic() < deadline:
            time.sleep(0.05)
        seen = n_samples()
        self.assertGreaterEqual(seen, 10)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=harness.PATIENCE_S)
        self.assertGreaterEqual(n_samples(), seen)
        return log

    def test_killed_collector(self):
        """A recording has all samples before the moment at which census is killed, and the totals of stacks, also if it is
        cut anywhere else."""
        of_keep = lambda report: sum(band["max"] for band in report["bands"] if band["frames"][0]["label"] == "keep")  # noqa: E731
        randomly = random.Random(364000)
        for suffix in ".census", ".eventlog":
            log = self.kill_collector(suffix)
            table = subprocess.run([harness.CENSUS, "report", "--bytes", "--by", "function", log], capture_output=True, text=True,
                                   check=True)
            self.assertRegex(table.stdout, "364,000 bytes .* keep")
            self.assertEqual(os.listdir(os.path.dirname(log)), [os.path.basename(log)])
            with open(log, "rb") as file:
                whole = file.read()
            for value, amount in ("allocated", 364000), ("peak", 364000), ("blocks", 1003):
                self.assertEqual(of_keep(self.report(log, "--value", value)), amount, value)
            for cut in (randomly.randrange(len(whole) // 2, len(whole)) for _ in range(40)):
                with open(log, "wb") as file:
                    file.write(whole[:cut])
                live = of_keep(self.report(log) or {"bands": []})
                if live > 0:
                    self.assertGreaterEqual(of_keep(self.report(log, "--value", "allocated")), live, cut)


if __name__ == "__main__":
    harness.main()
