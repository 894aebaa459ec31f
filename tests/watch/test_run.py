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
from viewer import Place, ask, end_requests, send

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
# Says how far it has come, each step in an order that nothing may change, until it is told to end.
COUNTING = """
import os, sys, time
kept, n = [], 0
while not os.path.exists(sys.argv[1]) and os.getppid() > 1:
    kept.append(bytearray(3000))
    del kept[:-50]
    os.write(1, b"%d\\n" % n)
    n += 1
    time.sleep(0.001)
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

    def hostile_connections(self, place):
        """Clients that ask for too much, for nothing, for half, slowly, or without reading. Returns the
        connections that are still open."""
        page = f"GET {place.page()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        events = f"GET {place.events()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        requests = [b"", page[:10], page[:-2], page[:-4] + b"\r\nX: " + b"y" * 100000, b"\0" * 5000,
                    b"GET " + b"/" * 70000, page[:-2] + b"Content-Length: 99999999\r\n\r\n", page * 20, events,
                    page + events[:20]]
        left_open = []
        for i in range(300):
            connection = send(place, requests[i % len(requests)])
            self.addCleanup(connection.close)
            if i % 3 == 0:
                connection.close()  # in the middle of its request, or of the answer
            elif i % 3 == 1:
                end_requests(connection)
                left_open.append(connection)
            else:
                left_open.append(connection)
        return left_open

    def begin_for_hostile_clients(self):
        """Starts a program that counts into a file. Returns it and its page."""
        output = self.path("output")
        with open(output, "wb") as file:
            running = subprocess.Popen(self.command("--listen=127.0.0.1:0", program=COUNTING), stdout=file, stderr=subprocess.PIPE,
                                       text=True, start_new_session=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        place = Place(running.stderr.readline())
        wait_until(lambda: read(output).count(b"\n") > 100, "the program")
        return running, place

    def check_counts(self):
        """The program has said all numbers in their order, and the last one may be cut."""
        lines = read(self.path("output")).split(b"\n")[:-1]
        self.assertEqual(lines, [b"%d" % i for i in range(len(lines))])
        return len(lines)

    @harness.needs_http
    def test_hostile_clients_of_the_page(self):
        """The program goes on as without them, the page is served to others, and the profile is complete."""
        running, place = self.begin_for_hostile_clients()
        left_open = self.hostile_connections(place)
        n_before = read(self.path("output")).count(b"\n")
        wait_until(lambda: read(self.path("output")).count(b"\n") > n_before + 100, "the program among hostile clients")
        for connection in left_open[: len(left_open) // 2]:
            connection.close()
        wait_until(lambda: ask(place, place.page()).status == 200, "the page")
        self.assertIsNone(running.poll())
        self.end_program()
        self.assertEqual(running.wait(harness.PATIENCE_S), 7)
        self.assertGreater(self.check_counts(), n_before)
        self.assertEqual(running.stderr.read(), "")
        subprocess.run([harness.CENSUS, "report", self.path("prog.hp")], check=True, stdout=subprocess.DEVNULL)

    @harness.needs_http
    def test_signal_ends_a_run_with_hostile_clients(self):
        running, place = self.begin_for_hostile_clients()
        self.hostile_connections(place)
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait(harness.PATIENCE_S), -signal.SIGTERM)
        self.check_counts()

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
        running = subprocess.Popen(self.command("--watch", "--listen=no:place"), stdout=subprocess.DEVNULL,
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
