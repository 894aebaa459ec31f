#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Incomplete event logs: each view reports the defect as soon as the log shows it, and only once."""
import os
import shutil
import unittest

import harness
import logs
from harness import CENSUS, plot
from tmux import Tmux
from viewer import Place, Viewer

NO_OPTION = "no heap profile: the program was started without -h (run it with +RTS -l -hT)"
NO_PROFILE = "no heap profile in the event log yet: run the program with +RTS -l -hT"
BIOGRAPHICAL = "a biographical profile: its samples are written when the program ends"
SEVERAL = "the event log has several heap profiles (0, 3): using number 0 (--profile N)"
NO_SAMPLE = "no complete heap sample in the event log"


def by_type(seconds, amount):
    return logs.sample(seconds, {(0, "THUNK"): amount, (0, "ARR_WORDS"): 1000})


class Caveats(harness.Watch):
    def setUp(self):
        super().setUp()
        self.log = self.path("prog.eventlog")
        self.writer = None

    def put(self, data):
        """Appends to the log, and closes it if the data is its end."""
        self.writer = self.writer or self.open_writer("prog.eventlog")
        self.writer.write(data)
        if data.endswith(logs.END):
            self.writer.close()
        return data

    def watch(self, *words):
        """Watches with a picture and a page, and connects a viewer."""
        running = self.start(*words, self.log)
        viewer = Viewer(Place(self.serve(*words, self.log).errors()))
        self.addCleanup(viewer.close)
        return running, viewer

    def wait_to_say(self, running, viewer, caveat):
        running.wait_to_say(f"{self.log}: {caveat}\n")
        viewer.wait(lambda v: v.states.get(0, {}).get("caveat") == caveat, caveat)
        self.assertEqual(viewer.states[0]["state"], "growing")

    def assert_said_once(self, running, *sentences):
        for sentence in sentences:
            self.assertEqual(running.errors().count(sentence), 1, running.errors())

    # ---- no profile ----

    def test_program_without_heap_profile(self):
        running, viewer = self.watch("--once")
        self.put(logs.header() + logs.block(logs.started("+RTS", "-l")))
        viewer.wait(lambda v: v.states.get(0, {}).get("state") == "growing", "the log")
        self.assertEqual(viewer.states[0]["caveat"], "")
        self.put(logs.running())
        self.wait_to_say(running, viewer, NO_OPTION)
        self.put(logs.END)
        self.assertEqual(running.wait(), 1)
        self.assert_said_once(running, NO_OPTION, NO_SAMPLE)
        viewer.wait_for_end()
        self.assertEqual(viewer.states[0]["caveat"], "")
        self.assertIn(NO_SAMPLE, viewer.states[0]["message"])

    def test_ended_log_without_samples_is_reported_once(self):
        self.put(logs.header() + logs.block(logs.started("+RTS", "-l")) + logs.running() + logs.END)
        running = self.start("--once", self.log)
        self.assertEqual(running.wait(), 1)
        self.assertEqual(running.errors().count("no heap profile"), 0, running.errors())
        self.assert_said_once(running, NO_SAMPLE)

    def test_messages_stay_between_programs(self):
        os.mkfifo(self.log)
        running = self.serve(self.log)
        viewer = Viewer(Place(running.errors()))
        self.addCleanup(viewer.close)
        with open(self.log, "wb", buffering=0) as log:
            log.write(logs.header() + logs.block(logs.started("+RTS", "-l")) + logs.running())
            self.wait_to_say(running, viewer, NO_OPTION)
            log.write(logs.END)
        viewer.wait(lambda v: v.states[0]["message"] == "no sample received; waiting for the next writer",
                    "the end of the program")
        self.assertEqual(viewer.states[0]["state"], "waiting")
        self.assertEqual(viewer.states[0]["caveat"], NO_OPTION)
        with open(self.log, "wb", buffering=0) as log:
            log.write(logs.header())
            viewer.wait(lambda v: v.states[0]["state"] == "growing", "the next one")
            self.assertEqual(viewer.states[0]["caveat"], "")
        self.assertEqual(running.end(), 0)

    def test_late_profile(self):
        """The run-time system may write the program's arguments, and its profile, late."""
        running, viewer = self.watch()
        data = self.put(logs.header() + logs.running())
        self.wait_to_say(running, viewer, NO_PROFILE)
        data += self.put(logs.block(logs.started("+RTS", "-l", "-hT"), logs.begun(), by_type(1, 8000)))
        running.wait_to_show(plot(data))
        viewer.wait(lambda v: v.states[0]["caveat"] == "", "the end of it")
        self.assertEqual(running.end(), 0)
        self.assert_said_once(running, NO_PROFILE)

    # ---- samples that come in the end ----

    def test_biographical_profile(self):
        running, viewer = self.watch("--once")
        start = logs.started("+RTS", "-l", "-hb"), logs.begun(breakdown=logs.BIOGRAPHY)
        data = self.put(logs.header() + logs.block(*start))
        self.wait_to_say(running, viewer, BIOGRAPHICAL)
        samples = [logs.sample(i, {(0, "LAG"): 1000 * i}, written=9) for i in range(1, 6)]
        data += self.put(logs.block(*samples) + logs.END)
        self.assert_ends_well(running, plot(data))
        self.assert_said_once(running, BIOGRAPHICAL)
        viewer.wait_for_end()
        self.assertEqual(viewer.states[0]["caveat"], "")
        self.assertEqual(viewer.profiles[0].n_samples, 5)

    # ---- several profiles ----

    def test_several_profiles(self):
        """The caveat appears with the first cost that is omitted, and stays on the page."""
        running, viewer = self.watch("--once")
        start = logs.started("+RTS", "-l", "-hT"), logs.begun(0), logs.begun(3, breakdown=2)
        data = self.put(logs.header() + logs.block(*start) + logs.block(by_type(1, 5000)))
        viewer.wait(lambda v: 0 in v.states and 0 in v.profiles, "a sample")
        self.assertEqual(viewer.states[0]["caveat"], "")
        data += self.put(logs.block(logs.sample(2, {(0, "THUNK"): 6000, (3, "Main"): 6000})))
        self.wait_to_say(running, viewer, SEVERAL)
        data += self.put(logs.block(by_type(3, 7000)) + logs.END)
        self.assert_ends_well(running, plot(data))
        self.assert_said_once(running, SEVERAL)
        self.assertEqual(running.errors().count("several"), 1, running.errors())
        viewer.wait_for_end()
        self.assertEqual(viewer.states[0]["caveat"], SEVERAL)

    def test_requested_profile(self):
        """Also in a file that is empty when it is opened."""
        self.put(b"")
        running, viewer = self.watch("--profile", "3")
        data = self.put(logs.header() + logs.block(logs.started("+RTS", "-l", "-hT"), logs.begun(0),
                                                   by_type(1, 5000)))
        self.wait_to_say(running, viewer, "no heap profile number 3 in the event log yet, which has 0")
        data += self.put(logs.block(logs.begun(3), logs.sample(2, {(0, "THUNK"): 1, (3, "Main"): 6000})))
        running.wait_to_show(plot(data, "json", "--profile", "3"))
        viewer.wait(lambda v: v.states[0]["caveat"] == "", "the end of it")
        self.assertEqual(running.end(), 0)

    # ---- late samples ----

    def test_late_samples_are_sorted(self):
        """The picture equals the one of `plot` at each step, and the page has the same order."""
        running, viewer = self.watch()
        data = self.put(logs.header() + logs.block(logs.started("+RTS", "-hT"), logs.begun()))
        for seconds in 1, 5, 3, 4, 2, 6, 2.5:
            data += self.put(logs.block(by_type(seconds, int(1000 * seconds))))
            running.wait_to_show(plot(data))
        viewer.wait(lambda v: 0 in v.profiles and v.profiles[0].times == [1, 2, 2.5, 3, 4, 5, 6], "all in order")
        self.assertEqual(viewer.profiles[0].totals, [2000, 3000, 3500, 4000, 5000, 6000, 7000])
        self.assertEqual(viewer.states[0]["caveat"], "")
        self.assertEqual(running.end(), 0)

    # ---- in the terminal ----

    @unittest.skipUnless(shutil.which("tmux"), "there is no tmux here")
    def test_terminal(self):
        os.mkfifo(self.log)
        terminal = Tmux(columns=90)
        self.addCleanup(terminal.close)
        terminal.run(f"{CENSUS} open --wait --terminal {self.log}; echo status=$?")
        terminal.wait_for("waiting for a writer")
        with open(self.log, "wb", buffering=0) as log:
            log.write(logs.header() + logs.running())
            terminal.wait_for(NO_PROFILE.replace("+", "\\+"))
            terminal.wait_until_gone("no sample yet")
            log.write(logs.block(logs.started("+RTS", "-hT"), logs.begun(0), logs.begun(3)))
            log.write(logs.block(by_type(1, 5000), by_type(2, 7000)))
            terminal.wait_for("THUNK")
            terminal.wait_until_gone("heap profile")
            log.write(logs.block(logs.sample(3, {(0, "THUNK"): 6000, (3, "Main"): 6000})))
            terminal.wait_for("several heap profiles .0, 3.: using number 0 .--profile N.\\s+● live")
        terminal.type("q")
        terminal.wait_for("status=0")


if __name__ == "__main__":
    harness.main()
