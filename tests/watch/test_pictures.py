#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pictures that `census watch` updates."""
import json
import lzma
import os
import signal
import stat
import subprocess
import threading

import harness
from harness import plot, profile, read


LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "fixtures",
                   "time_and_heap.eventlog.xz")
HEAD = b'JOB "prog"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'


def formats():
    text = subprocess.run([harness.CENSUS, "plot", "--help"], capture_output=True, text=True,
                          check=True).stdout
    return [line.split()[0] for line in text.split("Formats:\n")[1].splitlines()]


class Pictures(harness.Watch):
    def check_options(self, *options, extension="svg"):
        """Checks that the last picture equals the one of `plot`."""
        with open(self.write("a.hp", profile(40)), "rb") as file:
            running = self.start(*options, "-", stdin=file, extension=extension)
        self.assert_ends_well(running, plot(profile(40), extension, *options))

    def test_all_formats(self):
        self.assertGreater(len(formats()), 5)
        for name in formats():
            self.check_options("--format", name, extension="out")

    def test_options(self):
        self.check_options("-m", "2", "--order", "name", "--theme", "dark", "--si", "--width", "12cm")
        self.check_options("--match", "two|three", "--exclude", "x", "--lines", "--steps", "-y", "--no-title")
        self.check_options("--dpi", "50", "--group-by", "prefix:1", "--normalise", extension="png")

    def test_lists_and_overlay(self):
        colours = self.write("colours", b"#123456 one\n")
        self.check_options("--colours", colours, "--overlay", "none")

    def test_lanes(self):
        """A log that came in pieces has the lanes that `plot` draws when it has read it all."""
        with lzma.open(LOG) as file:
            log = file.read()
        for extension in "json", "svg", "html":
            running = self.start("--lanes", "-", stdin=subprocess.PIPE, extension=extension)
            for at in range(0, len(log), 5000):
                running.process.stdin.write(log[at:at + 5000])
            running.process.stdin.close()
            self.assert_ends_well(running, plot(log, extension, "--lanes"))
        self.assertGreater(len(json.loads(plot(log, "json", "--lanes"))["lanes"]), 2)

    def test_lanes_of_a_part(self):
        with lzma.open(LOG) as file:
            log = file.read()
        running = self.start("--lanes", "--window", "150ms", "-", stdin=subprocess.PIPE)
        running.process.stdin.write(log)
        running.process.stdin.close()
        self.assertEqual(running.wait(), 0, running.said)
        lane = json.loads(read(running.picture))["lanes"][0]
        whole = json.loads(plot(log, "json", "--lanes"))["lanes"][0]
        self.assertEqual(lane["times"][-1], whole["times"][-1])
        self.assertGreater(lane["times"][0], whole["times"][0])

    def test_no_lanes(self):
        """A profile that is not an event log is drawn without lanes, and a message says so."""
        running = self.start("--lanes", "--once", self.write("a.hp", profile(5)))
        self.assert_ends_well(running, plot(profile(5)))
        self.assertIn("no lanes: they need an event log", running.errors())

    def test_window(self):
        """The picture shows the last two seconds before the last sample, with names of the whole profile."""
        running = self.start("--once", "--window", "2050ms", self.write("a.hp", profile(60)))
        self.assert_ends_well(running, plot(profile(60), "json", "--from", "3.9"))

    def test_replaced_in_one_step(self):
        """A reader never sees an incomplete picture."""
        data = profile(200)
        ends = harness.ends_of_samples(data)
        path = self.write("a.hp", data[:ends[0]])
        running = self.start(path)
        running.wait_to_show(plot(data[:ends[0]]))
        seen, is_over = set(), threading.Event()

        def look():
            while not is_over.is_set():
                seen.add(read(running.picture))

        reader = threading.Thread(target=look)
        reader.start()
        for before, after in zip([ends[0]] + ends[10::10], ends[10::10]):
            self.write("a.hp", data[before:after], "ab")
            running.wait_to_show(plot(data[:after]))
        is_over.set()
        reader.join()
        for picture in seen:
            n_samples = len(json.loads(picture)["sample_times"])
            self.assertEqual(picture, plot(data[:ends[n_samples - 1]]))
        self.assertEqual(running.end(), 0)
        self.assertEqual(sorted(os.listdir(self.directory)), ["a.hp", "picture.json"])

    def test_not_rewritten_without_changes(self):
        path = self.write("a.hp", profile(9))
        running = self.start(path)
        running.wait_to_show(plot(profile(9)))
        before = os.stat(running.picture)
        os.utime(path)
        harness.time.sleep(2.5)  # beyond the moment at which the profile is taken for complete
        self.assertEqual(os.stat(running.picture).st_ino, before.st_ino)
        self.assertEqual(running.end(), 0)
        self.assertEqual(os.stat(running.picture).st_ino, before.st_ino)

    def test_interval_limits_drawing(self):
        """Samples within the interval are drawn after it, or at the end."""
        picture = self.path("picture.json")
        path = self.write("a.hp", profile(3))
        running = harness.Running(["watch", "--every", "1h", "-o", picture, path], picture)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.kill)
        running.wait_to_show(plot(profile(3)))
        self.write("a.hp", profile(6)[len(profile(3)):], "ab")
        harness.time.sleep(0.5)
        self.assertEqual(read(picture), plot(profile(3)))
        self.assertEqual(running.end(), 0)
        self.assertEqual(read(picture), plot(profile(6)))

    def test_signals(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            running = self.start(self.write("a.hp", profile(9)))
            running.wait_to_show(plot(profile(9)))
            self.assertEqual(running.end(number), 0)
            self.assertEqual(running.said, b"")
            os.unlink(running.picture)

    def test_folder_created_later(self):
        """There is one error message; the picture is drawn when the folder exists."""
        path = self.write("a.hp", profile(3))
        picture = self.path("folder/picture.json")
        running = harness.Running(["watch", "--every", "10ms", "-o", picture, path], picture)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.kill)
        running.wait_to_say("No such file or directory")
        harness.time.sleep(0.2)
        os.mkdir(self.path("folder"))
        running.wait_to_show(plot(profile(3)))
        self.assertEqual(running.end(), 0)
        self.assertEqual(running.said.count(b"No such file"), 1)

    def test_folder_never_created(self):
        path = self.write("a.hp", profile(3))
        picture = self.path("folder/picture.json")
        running = harness.Running(["watch", "--every", "10ms", "-o", picture, path], picture)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.kill)
        running.wait_to_say("No such file or directory")
        self.assertEqual(running.end(), 1)
        self.assertEqual(running.said.count(b"\n"), 1, running.said)

    def test_mode_is_kept(self):
        picture = self.write("picture.json", b"old")
        os.chmod(picture, 0o640)
        running = self.start("--once", self.write("a.hp", profile(3)))
        self.assert_ends_well(running, plot(profile(3)))
        self.assertEqual(stat.S_IMODE(os.stat(picture).st_mode), 0o640)

    def feed(self, *words):
        """Starts a watch of a pipe; returns it and the end to write to."""
        running = self.start(*words, "-", stdin=subprocess.PIPE, bufsize=0)
        self.addCleanup(running.process.stdin.close)
        return running, running.process.stdin

    def test_no_picture_until_a_name_is_wanted(self):
        running, writer = self.feed("--match", "late")
        writer.write(HEAD + b"BEGIN_SAMPLE 0\nearly\t1\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\n")
        harness.time.sleep(0.3)
        self.assertFalse(os.path.exists(running.picture))
        self.assertEqual(running.errors(), "")
        writer.write(b"late\t1\nEND_SAMPLE 1\nBEGIN_SAMPLE 2\n")
        harness.wait_until(lambda: os.path.exists(running.picture), "a picture")
        writer.write(b"END_SAMPLE 2\n")
        writer.close()
        self.assertEqual(running.wait(), 0)
        self.assertEqual(running.said, b"")

    def test_nothing_to_draw_is_an_error_at_the_end(self):
        empty = b"BEGIN_SAMPLE 0\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n"
        some = b"BEGIN_SAMPLE 0\nname\t1\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n"
        for samples, options, message in ((empty, (), b"all samples are empty"),
                                          (some, ("--match", "x|y"), b"no name is left by --match x|y"),
                                          (some, ("--window", "1ms", "--exclude", "n"), b"no name is left by --exclude n")):
            path = self.write("a.hp", HEAD + samples)
            picture = self.write("picture.json", b"old")
            running = self.start("--once", *options, path)
            self.assertEqual(running.wait(), 1)
            self.assertEqual(running.said.count(b"\n"), 1, running.said)
            self.assertIn(b"a.hp: " + message, running.said)
            self.assertEqual(read(picture), b"old")

    def test_empty_window_is_drawn(self):
        """A name is wanted, but not now."""
        path = self.write("a.hp", HEAD + b"BEGIN_SAMPLE 0\nname\t1\nEND_SAMPLE 0\nBEGIN_SAMPLE 9\nEND_SAMPLE 9\n")
        running = self.start("--once", "--window", "1s", path)
        self.assertEqual(running.wait(), 0)
        self.assertEqual(json.loads(read(running.picture))["sample_times"], [9])

    def test_names_without_a_group_are_counted_at_first_and_at_the_end(self):
        running, writer = self.feed("--group-by", "module")
        writer.write(HEAD + b"BEGIN_SAMPLE 0\nalone\t1\nbase:A.x\t1\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\n")
        running.wait_to_say("1 of 2 names have no such part")
        writer.write(b"another\t1\nEND_SAMPLE 1\nBEGIN_SAMPLE 2\nthird\t1\nEND_SAMPLE 2\n")
        writer.close()
        self.assertEqual(running.wait(), 0)
        self.assertEqual(running.said.count(b"\n"), 2, running.said)
        self.assertIn(b"3 of 4 names have no such part", running.said)

        running = self.start("--once", "--group-by", "module", self.write("a.hp", profile(9)))
        self.assertEqual(running.wait(), 0)
        self.assertEqual(running.said.count(b"names have no such part"), 1, running.said)


if __name__ == "__main__":
    harness.main()
