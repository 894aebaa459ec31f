#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The event log of a GHC program in all views at once, while the program runs: through a file, a FIFO,
and the sockets of eventlog-socket. The program pauses in the middle, so the views must be live then."""
import fcntl
import os
import shutil
import socket
import subprocess
import unittest

import harness
from harness import CENSUS, PATIENCE_S, plot, read, wait_until
from tmux import Tmux
from viewer import Place, Viewer, ask

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = [os.path.join(HERE, "programs", name) for name in ("phases.hs", "serve_log.c")]
BUILT = os.path.join(os.path.dirname(os.path.abspath(CENSUS)), "..", "tests", "watch", "programs")
GHC = shutil.which("ghc")
N_SAMPLES = "32"  # of each phase, at least: more than GHC holds back


def build():
    """Builds the program once for all tests, and returns its path; empty if GHC cannot profile."""
    program = os.path.join(BUILT, "phases")
    os.makedirs(BUILT, exist_ok=True)
    with open(os.path.join(BUILT, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(program) and all(os.path.getmtime(source) < os.path.getmtime(program)
                                           for source in SOURCES):
            return program
        names = [shutil.copy(source, BUILT) for source in SOURCES]  # objects are written next to them
        made = subprocess.run([GHC, "-v0", "-prof", "-O1", "-no-hs-main", "-o", program, *names],
                              capture_output=True, text=True, check=False)
    if "Perhaps you haven't installed the profiling libraries" in made.stderr:
        return ""
    assert made.returncode == 0, made.stderr
    return program


def totals(profile):
    """Returns the sums of the samples of a .hp file, without the empty ones that GHC writes at the start
    and the end."""
    sums = []
    for line in profile.decode().splitlines():
        if line.startswith("BEGIN_SAMPLE"):
            sums.append(0)
        elif "\t" in line:
            sums[-1] += int(line.rsplit("\t", 1)[1])
    return [amount for amount in sums if amount]


@unittest.skipUnless(GHC, "there is no GHC here")
@unittest.skipUnless(shutil.which("tmux"), "there is no tmux here")
class Logs(harness.Watch):
    def setUp(self):
        super().setUp()
        self.program = build() or self.skipTest("there are no profiling libraries of GHC here")

    def run_program(self, log="phases.eventlog", n_lines=1, **environment):
        """Runs the program until it waits for the first line."""
        with open(self.path("errors"), "wb") as errors:
            process = subprocess.Popen(
                [self.program, N_SAMPLES, str(n_lines), "+RTS", "-l", "-hc", "-i0.005", "-ol" + self.path(log)],
                cwd=self.directory, env={**os.environ, **environment}, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=errors, bufsize=0)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        return process

    def watch(self, word):
        """Watches until the log ends: a file in all views, others in a page, as they have one reader. Returns the terminal,
        or None, and a viewer of the page."""
        terminal = None
        if word.endswith(".eventlog"):
            terminal = Tmux(columns=100)
            self.addCleanup(terminal.close)
            terminal.run(f"{CENSUS} open --wait --once --terminal {word}; echo status=$?")
            self.drawing = self.start("--once", word)
        self.place = Place(self.serve("--once", word).errors())
        viewer = Viewer(self.place)
        self.addCleanup(viewer.close)
        return terminal, viewer

    def check_live(self, process, terminal, viewer):
        """Checks all views while the program pauses in the middle."""
        self.assertEqual(process.stdout.readline(), b"waiting\n")
        viewer.wait(lambda v: 0 in v.profiles and v.profiles[0].n_samples > int(N_SAMPLES), "samples")
        viewer.wait(lambda v: "phase two" in [label for _, label in v.profiles[0].marks], "a mark")
        viewer.wait(lambda v: {"heap", "live"} <= set(v.profiles[0].lines), "lines")
        self.assertEqual(viewer.states[0]["state"], "growing")
        if terminal:
            wait_until(lambda: b"phase two" in read(self.drawing.picture), "a mark in the picture")
            terminal.wait_for("● live")
            terminal.wait_for("down/east")
        self.assertIsNone(process.poll())

    def check_end(self, process, terminal, viewer):
        process.stdin.write(b"\n")
        self.assertEqual(process.wait(PATIENCE_S), 0)
        if terminal:
            terminal.wait_for("status=0")
        viewer.wait_for_end()
        marks = [label for _, label in viewer.profiles[0].marks]
        self.assertEqual(marks, ["phase one", "phase two", "waiting", "phase three"])

    def check_all(self, process, terminal, viewer):
        self.check_live(process, terminal, viewer)
        self.check_end(process, terminal, viewer)
        self.assertEqual(viewer.profiles[0].totals, totals(read(self.path("phases.hp"))))

    # ---- ways that a log comes ----

    def test_file(self):
        terminal, viewer = self.watch(self.path("phases.eventlog"))
        self.check_all(self.run_program(), terminal, viewer)
        self.assert_ends_well(self.drawing, plot(read(self.path("phases.eventlog"))))

    def test_fifo(self):
        os.mkfifo(self.path("fifo"))
        terminal, viewer = self.watch(self.path("fifo"))
        self.check_all(self.run_program(log="fifo"), terminal, viewer)

    def check_socket(self, where, word):
        terminal, viewer = self.watch(word)
        process = self.run_program(LOG_SOCKET=where, LOG_COPY=self.path("copy"))
        self.check_all(process, terminal, viewer)

    def test_unix_socket(self):
        self.check_socket(self.path("socket"), "unix:" + self.path("socket"))

    def test_tcp_socket(self):
        with socket.socket() as keeper:  # of the port, until the program listens there
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            keeper.bind(("127.0.0.1", 0))
            port = keeper.getsockname()[1]
            self.check_socket(str(port), f"tcp:127.0.0.1:{port}")

    # ---- commands ----

    def command(self, name):
        self.assertEqual(ask(self.place, f"{self.place.page()}control/0/{name}", method="POST").status, 204)

    def wait_until_reported(self, number):
        wait_until(lambda: b"done %d\n" % number in read(self.path("errors")), f"command {number}")

    def test_commands(self):
        """Commands from the page: in its third phase the program takes only the requested sample, in the fourth it takes
        samples as usual."""
        terminal, viewer = self.watch("unix:" + self.path("socket"))
        process = self.run_program(n_lines=2, LOG_SOCKET=self.path("socket"))
        self.check_live(process, terminal, viewer)
        self.command("stop")
        self.wait_until_reported(4)
        self.command("census")
        self.wait_until_reported(5)
        process.stdin.write(b"\n")
        self.assertEqual(process.stdout.readline(), b"waiting\n")
        self.command("start")
        self.wait_until_reported(3)
        process.stdin.write(b"\n")
        self.assertEqual(process.wait(PATIENCE_S), 0)
        viewer.wait_for_end()
        times, marks = viewer.profiles[0].times, viewer.profiles[0].marks
        first_wait, second_wait = [time for time, label in marks if label == "waiting"]
        n_third = sum(first_wait <= time < second_wait for time in times)
        self.assertIn(n_third, (1, 2))  # one may have been due when it began to wait
        self.assertGreater(sum(time >= second_wait for time in times), int(N_SAMPLES) // 2)


if __name__ == "__main__":
    harness.main()
