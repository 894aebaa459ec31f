#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`census run --watch`: programs that are watched while they run."""
import http.client
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

import harness
from harness import read, wait_until
from tmux import Tmux

needs_tmux = unittest.skipUnless(shutil.which("tmux"), "there is no tmux here")

# Grows until there is a file of that name, and ends with that status.
GROWING = """
import os, sys, time
blocks = []
while not os.path.exists(sys.argv[1]) and os.getppid() > 1:
    blocks.append(bytearray(300000 if len(blocks) < 100 else 0))
    time.sleep(0.02)
sys.exit(int(sys.argv[2]))
"""
FORKING = """
import os
for i in range(2):
    if os.fork() == 0:
        break
""" + GROWING


def files(events):
    """Returns the names of the profiles in the events of a page."""
    return set(re.findall(r'"file":"([^"]*)"', events))


class Run(harness.Watch):
    def command(self, *words, program=GROWING, file="prog.hp"):
        return [harness.CENSUS, "run", "-q", "-i0.05", "-o", self.path(file), *words, "--",
                sys.executable, "-c", program, self.path("end"), "7"]

    def end_program(self):
        self.write("end", b"")

    def begin(self, *words, **more):
        running = subprocess.Popen(self.command(*words, **more), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        return running

    def test_picture(self):
        """The picture is drawn while the program runs; the last one shows the complete profile."""
        picture = self.path("live.json")
        running = self.begin("--watch=" + picture)
        first = wait_until(lambda: read(picture), "a picture")
        wait_until(lambda: read(picture) != first, "another picture")
        self.assertIsNone(running.poll())
        self.end_program()
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)
        whole = self.path("whole.json")
        subprocess.run([harness.CENSUS, "plot", "-o", whole, self.path("prog.hp")], check=True)
        self.assertEqual(read(picture), read(whole))
        self.assertEqual(running.stderr.read(), "")

    def page(self, running):
        """Returns host and path of the page."""
        line = running.stderr.readline()
        found = re.search("watch at http://([^/]+)(/[0-9a-f]+/)", line)
        self.assertTrue(found, line)
        return found[1], found[2]

    def events(self, host, path, is_enough):
        """Returns all events until the end, as one text. The program ends when `is_enough` accepts the
        text."""
        connection = http.client.HTTPConnection(host, timeout=harness.PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("GET", path + "events")
        response, sent = connection.getresponse(), ""
        while not is_enough(sent):
            line = response.readline().decode()
            self.assertTrue(line, sent)
            sent += line
        self.end_program()
        return sent + response.read().decode()

    @harness.needs_http
    def test_page(self):
        """Without a terminal the page ends with the program, and announces the end."""
        running = self.begin("--watch")
        host, path = self.page(running)
        connection = http.client.HTTPConnection(host, timeout=harness.PATIENCE_S)
        connection.request("GET", path)
        page = connection.getresponse()
        self.assertEqual(page.status, 200)
        self.assertIn(b"<!doctype html>", page.read().lower())
        connection.close()
        sent = self.events(host, path, lambda sent: "event: samples" in sent)
        self.assertIn("event: snapshot", sent)
        self.assertRegex(sent, r'event: state\ndata: [^\n]*"state":"ended"')
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)
        with self.assertRaises(OSError):
            self.events(host, path, bool)

    @harness.needs_http
    def test_page_stays_with_a_terminal(self):
        """With a terminal at standard error the page outlives the program, until an interrupt."""
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        running = subprocess.Popen(self.command("--watch"), stdout=subprocess.DEVNULL,
                                   stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.end_program()
        self.addCleanup(running.kill)
        said = b""
        while b"Ctrl-C closes it" not in said:
            self.assertTrue(select.select([terminal], [], [], harness.PATIENCE_S)[0], said)
            said += os.read(terminal, 4096)
        host, path = re.search(r"http://([^/]+)(/\w+/)", said.decode()).groups()
        connection = http.client.HTTPConnection(host, timeout=harness.PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("GET", path)
        self.assertEqual(connection.getresponse().status, 200)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)

    @harness.needs_http
    def test_page_of_several_processes(self):
        running = self.begin("--watch", program=FORKING)
        sent = self.events(*self.page(running), lambda sent: len(files(sent)) == 3)
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)
        names = files(sent)
        self.assertEqual(len(names), 3, names)
        self.assertIn(self.path("prog.hp"), names)

    def check_picture_of_a_recording(self, *options):
        """The recording is followed; the last picture is the one of the file."""
        picture = self.path("live.json")
        running = self.begin("--watch=" + picture, *options, file="prog.census")
        first = wait_until(lambda: read(picture), "a picture")
        wait_until(lambda: read(picture) != first, "another picture")
        self.end_program()
        self.assertEqual(running.wait(harness.PATIENCE_S), 7, running.stderr.read())
        whole = self.path("whole.json")
        subprocess.run([harness.CENSUS, "plot", "-o", whole, self.path("prog.census")], check=True)
        self.assertEqual(read(picture), read(whole))
        self.assertFalse(os.path.exists(self.path("prog.hp")))

    def test_picture_of_a_recording(self):
        self.check_picture_of_a_recording()

    def test_picture_of_a_recorded_biography(self):
        """At the end, the final log replaces the provisional one."""
        self.check_picture_of_a_recording("-hb", "--biography-rate=1K")

    @harness.needs_http
    def test_page_of_all_processes_of_a_recording(self):
        running = self.begin("--watch", program=FORKING, file="prog.census")
        sent = self.events(*self.page(running), lambda sent: len(files(sent)) == 3)
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)
        self.assertIn(self.path("prog.census"), files(sent))
        self.assertRegex(" ".join(files(sent)), r"prog\.census:\d+")

    @harness.needs_http
    def test_page_of_exec(self):
        """The program that a shell executes replaces it; the shell has its own profile only if it lived
        for a second."""
        running = subprocess.Popen(
            [harness.CENSUS, "run", "-q", "-i0.05", "-o", self.path("prog.hp"), "--watch", "--", "sh",
             "-c", f'exec "{sys.executable}" -c "$0" "$1" 3', GROWING, self.path("end")],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.kill)
        sent = self.events(*self.page(running), lambda sent: '"title":"python' in sent)
        self.assertEqual(running.wait(harness.PATIENCE_S), 3)
        self.assertIn(self.path("prog.hp"), files(sent))
        for other in files(sent) - {self.path("prog.hp")}:
            self.assertGreater(harness.seconds(read(other)), 0.5)

    # ---- in a terminal ----

    def begin_in_terminal(self):
        """Starts a growing program in its own terminal, and waits until the view shows a picture."""
        terminal = Tmux()
        self.addCleanup(terminal.close)
        words = self.command("--watch=tty")
        words[words.index("-c"):words.index(GROWING) + 1] = [self.write("growing.py", GROWING.encode())]
        terminal.run(f"{shlex.join(words)} >{self.path('said')} 2>&1; echo status=$?")
        terminal.wait_for("live, last sample")
        return terminal

    @needs_tmux
    def test_terminal(self):
        """The view remains after the end of the program, until its user quits."""
        terminal = self.begin_in_terminal()
        self.end_program()
        terminal.wait_for("● ended")
        self.assertFalse(terminal.is_plain())
        terminal.type("q")
        terminal.wait_for("(?m)^status=7$")
        self.assertTrue(terminal.is_plain())

    @needs_tmux
    def test_terminal_closed_early(self):
        """The program and its profile continue."""
        terminal = self.begin_in_terminal()
        terminal.type("q")
        terminal.until(terminal.is_plain, "given back")
        n_then = self.n_samples()
        wait_until(lambda: self.n_samples() > n_then, "another sample")
        self.assertNotIn("status=7", terminal.text())
        self.end_program()
        terminal.wait_for("(?m)^status=7$")

    def n_samples(self):
        return read(self.path("prog.hp")).count(b"END_SAMPLE")

    @harness.needs_http
    def test_page_that_cannot_be_served(self):
        """The program is not started, and census does not wait at a terminal."""
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        running = subprocess.Popen(self.command("--watch=http:no:place"), stdout=subprocess.DEVNULL,
                                   stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.addCleanup(running.kill)
        self.assertEqual(running.wait(harness.PATIENCE_S), 1)
        said = os.read(terminal, 4096)
        self.assertIn(b"cannot listen on", said)
        self.assertNotIn(b"the page stays", said)
        self.assertEqual(read(self.path("prog.hp")), b"")

    def test_terminal_of_the_program(self):
        terminal, theirs = pty.openpty()
        done = subprocess.run(self.command("--watch=tty"), stdin=theirs, stdout=theirs,
                              stderr=subprocess.PIPE, text=True, check=False)
        os.close(theirs)
        os.close(terminal)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--watch=tty cannot share the terminal with the program", done.stderr)


if __name__ == "__main__":
    harness.main()
