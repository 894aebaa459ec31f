#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A Haskell program whose heap is profiled by GHC's run-time system, in all views while it runs."""
import fcntl
import http.client
import os
import pty
import re
import select
import shutil
import subprocess
import termios
import threading

import harness
from harness import plot, read

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "foldleak.hs")
GHC = shutil.which("ghc")


class Ghc(harness.Watch):
    def build(self):
        """The program, for profiling."""
        if not GHC:
            self.skipTest("there is no GHC here")
        program = self.path("foldleak")
        built = subprocess.run([GHC, "-v0", "-prof", "-fprof-auto", "-rtsopts", "-O", "-outputdir",
                                self.path("build"), "-o", program, SOURCE],
                               capture_output=True, text=True, check=False)
        if "Perhaps you haven't installed the profiling libraries" in built.stderr:
            self.skipTest("there are no profiling libraries of GHC here")
        self.assertEqual(built.returncode, 0, built.stderr)
        return program

    def start_in_terminal(self, *words):
        """A watch with a terminal of its own; the other end of that is read until it closes."""
        ours, theirs = pty.openpty()

        def take_terminal():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        termios.tcsetwinsize(theirs, (30, 100))
        running = self.start(*words, stdin=theirs, stdout=theirs, preexec_fn=take_terminal,
                             env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
        os.close(theirs)
        shown = bytearray()

        def drain():
            try:
                while select.select([ours], [], [], harness.PATIENCE_S)[0]:
                    shown.extend(os.read(ours, 65536))
            except OSError:
                pass  # nobody holds the terminal any more

        reader = threading.Thread(target=drain)
        reader.start()
        self.addCleanup(os.close, ours)
        self.addCleanup(reader.join)
        return running, shown, reader

    def read_events(self, running):
        """What the page is sent, to the end, into a list of one text."""
        running.wait_to_say("watch at")
        host, path = re.search(r"http://([^/]+)(/\w+/)", running.errors()).groups()
        sent = []

        def receive():
            connection = http.client.HTTPConnection(host, timeout=harness.PATIENCE_S)
            connection.request("GET", path + "events")
            sent.append(connection.getresponse().read().decode())
            connection.close()

        reader = threading.Thread(target=receive)
        reader.start()
        self.addCleanup(reader.join)
        return sent, reader

    @harness.needs_http
    def test_all_views_of_a_program(self):
        program = self.build()
        running, shown, terminal = self.start_in_terminal(
            "--once", "--tty", "--http", "--no-browser", self.path("foldleak.hp"))
        sent, page = self.read_events(running)
        subprocess.run([program, "150000", "+RTS", "-hc", "-i0.1"], cwd=self.directory, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(running.wait(), 0, running.said)
        page.join()
        terminal.join()
        profile = read(self.path("foldleak.hp"))
        self.assertGreater(profile.count(b"END_SAMPLE"), 3)
        self.assertEqual(read(running.picture), plot(profile))
        self.assertIn("event: snapshot", sent[0])
        self.assertIn("event: samples", sent[0])
        self.assertIn('"state":"ended"', sent[0])
        self.assertIn(b"MiB", shown)
        self.assertIn(b"\x1b[?1049l", shown)


if __name__ == "__main__":
    harness.main()
