#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The death of a program is explained: by real limits of cgroups where this machine permits them, by RLIMIT_AS, and by made
files of a cgroup.

NATIVE_FULL=1 kills a hundred programs instead of two.
"""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

import harness
from harness import Native, program

MIB = 1 << 20
EVENTS = "low 0\nhigh 0\nmax 9\noom {0}\noom_kill {0}\noom_group_kill 0\n"
# Of cgroups: where, the file of the limit, and what turns the controller on.
PLACES = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


@contextlib.contextmanager
def limited_cgroup(n_bytes):
    """Gives the folder of a cgroup with a limit; None if this machine does not permit one."""
    folder = None
    for place, limit in PLACES:
        attempt = os.path.join(place, f"census-{os.getpid()}-{time.monotonic_ns()}")
        try:
            os.mkdir(attempt)
        except OSError:
            continue
        try:
            write(os.path.join(attempt, limit), n_bytes)
            folder = attempt
            break
        except OSError:
            os.rmdir(attempt)
    try:
        yield folder
    finally:
        deadline = time.monotonic() + harness.PATIENCE_S
        while folder and time.monotonic() < deadline:
            try:
                os.rmdir(folder)
                folder = None
            except OSError:  # processes in it are ending
                time.sleep(0.02)


class Death(Native):
    def census(self, *options, inside=None, limit=None, environment=None):
        """Returns the result and the recording of a run; `inside` a cgroup, or with a `limit`, of the program alone."""
        base = os.path.join(self.fresh(), "profile")
        command = list(options)
        if inside:
            at = command.index("--") + 1
            command[at:] = ["sh", "-c", 'echo $$ >"$0" && exec "$@"', os.path.join(inside, "cgroup.procs"), *command[at:]]
        if limit:
            at = command.index("--") + 1
            command[at:] = ["sh", "-c", 'ulimit -S -v "$0" && exec "$@"', str(limit // 1024), *command[at:]]
        return harness.run([harness.CENSUS, "run", "-o", base + ".census", *command], environment), base

    def info(self, recording, *options):
        return harness.run([harness.CENSUS, "info", *options, recording]).output

    def report(self, recording):
        return json.loads(harness.run([harness.CENSUS, "report", "--format", "json", recording]).output)

    def check_kill(self, cgroup, limit, pause_us):
        """Returns how much of the peak a kill by a limit has left in the heap snapshot; 0 if there is none: the machine was
        so slow that no image was complete in time. `pause_us`: after each megabyte, near the limit."""
        result, base = self.census("--snapshot=oom", "--", program("grows"), "waits", "100000", str(pause_us), "44",
                                   inside=cgroup)
        self.assertEqual(result.status, 128 + signal.SIGKILL)
        [said] = re.findall("^census: (killed by .*)$", result.errors, re.M)
        self.assertRegex(said, rf"^killed by the kernel: its cgroup reached memory\.max \({limit // MIB} MiB\); .*at the end "
                         r"[0-9.]+ MiB live, 7[56] % of it of cache_page@grows\.c:[0-9]+$")
        report = self.report(base + ".census")
        self.assertEqual(report["death"], said)
        self.assertIn(said, self.info(base + ".census"))
        # All that was live when it was killed is there, of both sites.
        self.assertGreater(report["peak"]["value"], limit * 0.9)
        self.assertEqual(report["final"]["value"], report["peak"]["value"])
        live = {band["name"].split("/")[0]: band["max"] for band in report["bands"]}
        self.assertAlmostEqual(live["cache_page"] / live["log_line"], 3, delta=0.35)
        kept = re.search(r"heap snapshot at .*, ([0-9.]+) MiB live", result.errors)
        if not kept:
            return 0
        groups = harness.run([harness.CENSUS, "report", base + ".heapsnapshot"]).output
        self.assertRegex(groups, r" held@grows\n.* cache_page@grows\.c:[0-9]+\n.* log_line@")
        return float(kept[1]) * MIB / report["peak"]["value"]

    def test_killed_by_a_cgroup(self):
        """The profile is complete, and the heap snapshot is near the peak, if the program is slow enough for the machine."""
        limit, parts = 64 * MIB, []
        n_times = 100 if os.environ.get("NATIVE_FULL") else 2
        deadline = time.monotonic() + harness.PATIENCE_S
        while len(parts) < n_times or (n_times < 100 and max(parts) < 0.9 and time.monotonic() < deadline):
            with limited_cgroup(limit) as cgroup:
                if not cgroup:
                    self.skipTest("this machine permits no limits of cgroups")
                pause_us = 60000 * (1 if n_times == 100 else 1 + len(parts))
                parts.append(self.check_kill(cgroup, limit, pause_us))
        n_near = sum(part >= 0.9 for part in parts)
        print(f"{len(parts)} kills; heap snapshots have {min(parts):.1%} to {max(parts):.1%} of the peak, {n_near} of them 90%")
        self.assertGreaterEqual(n_near, n_times * 9 // 10 if n_times == 100 else 1)

    def made_cgroup(self, used, limit):
        folder = self.fresh()
        for name, text in ("current", used), ("max", limit), ("events", EVENTS.format(2)), ("stat", "inactive_file 0\n"):
            write(os.path.join(folder, "memory." + name), text)
        return folder

    def test_killed_by_a_user(self):
        """No counter grows, and a kill of another process long before does not count."""
        folder = self.made_cgroup(34 * MIB, 100 * MIB)
        result, base = self.census("--", program("grows"), "kills", "8", "1000", environment={"CENSUS_CGROUPS": folder})
        self.assertRegex(result.errors, r"(?m)^census: killed by SIGKILL, not by the kernel for memory; the nearest limit, shortly "
                         r"before: 34 % of memory\.max \(100 MiB\); at the end [0-9.]+ MiB live, 75 % of it of cache_page@")
        self.assertEqual(json.loads(self.info(base + ".census", "--format", "json"))["processes"][0]["ended"],
                         "signal 9 (not for memory)")

    def test_killed_child_of_a_made_cgroup(self):
        """A child that its parent waits for."""
        folder = self.made_cgroup(34 * MIB, 100 * MIB)
        write(os.path.join(folder, "next"), EVENTS.format(3))
        script = 'F=$1; "$0" waits 8 1000 & read line; cp "$F/next" "$F/memory.events"; kill -9 $!; wait $!; exit 5'
        with subprocess.Popen([harness.CENSUS, "run", "-o", os.path.join(folder, "p.census"), "--", "sh", "-c", script,
                               program("grows"), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env={**os.environ, "CENSUS_CGROUPS": folder}) as running:
            self.addCleanup(running.kill)
            self.assertEqual(running.stdout.readline(), "ready\n")
            time.sleep(0.5)  # of samples
            _, errors = running.communicate("\n", timeout=harness.PATIENCE_S)
        self.assertEqual(running.returncode, 5)
        self.assertRegex(errors, r"(?m)^census: killed by the kernel: its cgroup reached memory\.max \(100 MiB\); at the end|"
                         r"^census: ended when the kernel killed 1 process for memory")

    def test_failed_at_its_address_space(self):
        """The limit is the program's own, without what the profiler takes."""
        said = kept = None
        deadline = time.monotonic() + harness.PATIENCE_S
        while not (said and kept) and time.monotonic() < deadline:  # the last look may be too early on a busy machine
            result, base = self.census("--snapshot=oom", "--", program("grows"), "waits", "100000", "20000", "150", limit=200 * MIB)
            self.assertEqual(result.status, 128 + signal.SIGABRT)
            said = re.search(r"(?m)^census: killed by signal 6 \(Aborted\); the nearest limit, shortly before: (9[0-9]|100) % of "
                             r"RLIMIT_AS \((199|200) MiB\); at the end 1[0-9]{2} MiB live", result.errors)
            kept = re.search(r"heap snapshot at .*, 1[0-9.]+ MiB live", result.errors)
        self.assertTrue(said and kept, result.errors)
        self.assertTrue(os.path.exists(base + ".heapsnapshot"))

    def test_no_snapshot_without_need(self):
        """Nor is there anything to explain."""
        folder = self.made_cgroup(34 * MIB, 100 * MIB)
        result, base = self.census("--snapshot=oom", "--", program("grows"), "fails", "8", "1000",
                                   environment={"CENSUS_CGROUPS": folder})
        self.assertEqual(result.status, 3)
        self.assertFalse(os.path.exists(base + ".heapsnapshot"))
        self.assertNotRegex(result.errors, "killed|limit")
        self.assertNotIn("death", self.report(base + ".census"))

    def test_killed_with_census(self):
        """The recording says how close the program was to its limit, although it has no end."""
        folder = self.made_cgroup(97 * MIB, 100 * MIB)
        recording = os.path.join(folder, "p.census")
        with subprocess.Popen([harness.CENSUS, "run", "-i0.02", "-o", recording, "--", program("grows"), "waits", "8", "1000"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
                              env={**os.environ, "CENSUS_CGROUPS": folder}) as running:
            self.addCleanup(running.kill)
            self.assertEqual(running.stdout.readline(), "ready\n")
            deadline = time.monotonic() + harness.PATIENCE_S
            while "memory.max" not in self.info(recording) and time.monotonic() < deadline:
                time.sleep(0.05)
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate(timeout=harness.PATIENCE_S)
        self.assertIn("process 1: no end was recorded: it runs, or was killed together with census; the nearest limit, shortly "
                      "before: 97 % of memory.max (100 MiB)", self.info(recording))


if __name__ == "__main__":
    harness.main()
