#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`census run --watch`: programs that are watched while they run."""
import fcntl
import http.client
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import harness
from harness import read

# Grows for a while, and ends as it is told.
GROWING = """
import sys, time
blocks = []
for i in range(int(sys.argv[1])):
    blocks.append(bytearray(300000))
    time.sleep(0.02)
sys.exit(int(sys.argv[2]))
"""
FORKING = """
import os, time
for i in range(2):
    if os.fork() == 0:
        break
block = bytearray(1000000)
time.sleep(1)
"""


class Run(harness.Watch):
    def command(self, *words, program=GROWING, arguments=("50", "7")):
        return [harness.CENSUS, "run", "-q", "-i0.05", "-o", self.path("prog"), *words, "--",
                sys.executable, "-c", program, *arguments]

    def begin(self, *words, **more):
        running = subprocess.Popen(self.command(*words, **more), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        return running

    def test_picture(self):
        """It is drawn while the program runs; the last one is that of the profile."""
        picture = self.path("live.json")
        running = self.begin("--watch=" + picture, arguments=("150", "7"))
        seen = set()
        while running.poll() is None:
            seen.add(read(picture))
            time.sleep(0.02)
        self.assertEqual(running.returncode, 7)
        self.assertGreater(len(seen - {b""}), 1)
        whole = self.path("whole.json")
        subprocess.run([harness.CENSUS, "plot", "-o", whole, self.path("prog.hp")], check=True)
        self.assertEqual(read(picture), read(whole))
        self.assertEqual(running.stderr.read(), "")

    def page(self, running):
        """Host and path of the page."""
        line = running.stderr.readline()
        found = re.search("watch at http://([^/]+)(/[0-9a-f]+/)", line)
        self.assertTrue(found, line)
        return found[1], found[2]

    def events(self, host, path):
        """All that is sent until the end, as one text."""
        connection = http.client.HTTPConnection(host, timeout=harness.PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("GET", path + "events")
        return connection.getresponse().read().decode()

    @harness.needs_http
    def test_page(self):
        """It lives as long as the program, as nobody is at a terminal; and tells of its end."""
        running = self.begin("--watch")
        host, path = self.page(running)
        connection = http.client.HTTPConnection(host, timeout=harness.PATIENCE_S)
        connection.request("GET", path)
        page = connection.getresponse()
        self.assertEqual(page.status, 200)
        self.assertIn(b"<!doctype html>", page.read().lower())
        connection.close()
        sent = self.events(host, path)
        self.assertIn("event: snapshot", sent)
        self.assertIn("event: samples", sent)
        self.assertRegex(sent, r'event: state\ndata: [^\n]*"state":"ended"')
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)
        with self.assertRaises(OSError):
            self.events(host, path)

    @harness.needs_http
    def test_page_that_a_person_looks_at(self):
        """With a terminal at standard error it outlives the program, until an interrupt."""
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        running = subprocess.Popen(self.command("--watch", arguments=("5", "7")),
                                   stdout=subprocess.DEVNULL, stderr=theirs,
                                   start_new_session=True)
        os.close(theirs)
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
        sent = self.events(*self.page(running))
        self.assertEqual(running.wait(harness.PATIENCE_S), 0)
        names = set(re.findall(r'"file":"([^"]*)"', sent))
        self.assertEqual(len(names), 3, names)
        self.assertIn(self.path("prog.hp"), names)

    @harness.needs_http
    def test_page_of_what_comes_by_exec(self):
        """The program that a shell becomes takes its place."""
        running = subprocess.Popen(
            [harness.CENSUS, "run", "-q", "-i0.05", "-o", self.path("prog"), "--watch", "--", "sh",
             "-c", f'exec "{sys.executable}" -c "$0" 30 3', GROWING],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.kill)
        sent = self.events(*self.page(running))
        self.assertEqual(running.wait(harness.PATIENCE_S), 3)
        self.assertEqual(set(re.findall(r'"file":"([^"]*)"', sent)), {self.path("prog.hp")})
        self.assertRegex(sent, '"title":"python')

    # ---- in a terminal ----

    def begin_in_terminal(self, *words, arguments=("50", "7")):
        """Its terminal's other end, and the process; output and errors go elsewhere."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        termios.tcsetwinsize(theirs, (24, 80))
        running = subprocess.Popen(self.command(*words, arguments=arguments), stdin=theirs,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=take_terminal, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        return ours, running

    def read_terminal(self, terminal, is_enough):
        """Reads what the terminal is shown until `is_enough` of it."""
        shown = b""
        until = time.monotonic() + harness.PATIENCE_S
        while not is_enough(shown):
            self.assertLess(time.monotonic(), until, shown[-2000:])
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 65536)

    def leave(self, terminal):
        os.write(terminal, b"q")
        self.read_terminal(terminal, lambda shown: b"\x1b[?1049l" in shown)

    def test_terminal(self):
        """It stays when the program has ended, until its user has had enough."""
        terminal, running = self.begin_in_terminal("--watch=tty")
        profile = self.path("prog.hp")
        self.read_terminal(terminal, lambda _: os.path.exists(profile) and
                           time.time() > os.stat(profile).st_mtime + 1)
        self.assertIsNone(running.poll())
        self.leave(terminal)
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)

    def test_terminal_that_is_left(self):
        """The program goes on, and its profile."""
        terminal, running = self.begin_in_terminal("--watch=tty", arguments=("80", "0"))
        self.read_terminal(terminal, lambda _: b"END_SAMPLE" in read(self.path("prog.hp")))
        self.leave(terminal)
        n_then = read(self.path("prog.hp")).count(b"END_SAMPLE")
        self.assertEqual(running.wait(harness.PATIENCE_S), 0)
        self.assertGreater(read(self.path("prog.hp")).count(b"END_SAMPLE"), n_then)

    @harness.needs_http
    def test_page_that_cannot_be(self):
        """The program is not started, and at a terminal nobody is kept waiting for a page."""
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        running = subprocess.Popen(self.command("--watch=http:no:place"), stdout=subprocess.DEVNULL,
                                   stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.addCleanup(running.kill)
        self.assertEqual(running.wait(5), 1)
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
        self.assertIn("--watch=tty needs the output and errors", done.stderr)


if __name__ == "__main__":
    harness.main()
