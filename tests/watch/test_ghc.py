#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A Haskell program whose heap is profiled by GHC's run-time system, in all views while it runs."""
import os
import shutil
import subprocess
import unittest

import harness
from harness import CENSUS, PATIENCE_S, plot, read, wait_until
from tmux import Tmux
from viewer import Place, Viewer

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "foldleak.hs")
GHC = shutil.which("ghc")


@unittest.skipUnless(GHC, "there is no GHC here")
@unittest.skipUnless(shutil.which("tmux"), "there is no tmux here")
class Ghc(harness.Watch):
    def build(self):
        """Builds the program for profiling, and returns its path."""
        program = self.path("foldleak")
        built = subprocess.run([GHC, "-v0", "-prof", "-fprof-auto", "-rtsopts", "-O", "-outputdir",
                                self.path("build"), "-o", program, SOURCE],
                               capture_output=True, text=True, check=False)
        if "Perhaps you haven't installed the profiling libraries" in built.stderr:
            self.skipTest("there are no profiling libraries of GHC here")
        self.assertEqual(built.returncode, 0, built.stderr)
        return program

    def run_program(self):
        """Starts the program, which leaks until it reads a line."""
        process = subprocess.Popen([self.build(), "150000", "+RTS", "-hc", "-i0.1"], cwd=self.directory,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        return process

    @harness.needs_http
    def test_all_views_of_a_program(self):
        log = self.path("foldleak.hp")
        terminal = Tmux(columns=100)
        self.addCleanup(terminal.close)
        terminal.run(f"{CENSUS} open --wait --once --terminal {log}; echo status=$?")
        picture = self.start("--once", log)
        viewer = Viewer(Place(self.serve("--once", log).errors()))
        self.addCleanup(viewer.close)
        process = self.run_program()
        viewer.wait(lambda v: v.events.count("samples") > 3, "samples")
        viewer.wait(lambda v: max(v.profiles[0].totals) > 2 << 20, "a leak")
        terminal.wait_for(r"MiB, peak [0-9.]+ MiB")
        terminal.wait_for("● live")
        self.assertIsNone(process.poll())
        process.communicate(b"\n", PATIENCE_S)
        self.assertEqual(process.returncode, 0)
        terminal.wait_for("status=0")
        viewer.wait_for_end()
        self.assertEqual(viewer.states[0]["state"], "ended")
        self.assertEqual(viewer.events.count("snapshot"), 1)
        self.assert_ends_well(picture, plot(read(log)))


if __name__ == "__main__":
    harness.main()
