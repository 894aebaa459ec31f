#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Commands to a program with eventlog-socket, from a terminal and from a page: the messages that it
receives, and the answers to the user."""
import re
import shutil
import socket
import unittest

import harness
from harness import CENSUS, PATIENCE_S, sample
from tmux import Tmux
from viewer import Place, Viewer, ask

LOG = sample("eventlog/foldleak-prof-lu-hc.eventlog")
HALF = len(LOG) // 2
MESSAGE = re.compile(rb"\xf0\x9e\x97\x8c\x00\x0feventlog-socket(.)", re.DOTALL)
TICKS, NO_TICKS, START, STOP, CENSUS_NOW = 1, 2, 3, 4, 5


class Program:
    """The other end: a program that sends its log and receives commands."""

    def __init__(self, path):
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        self.server.settimeout(PATIENCE_S)
        self.connection = None
        self.bytes = b""

    def accept(self, data):
        self.connection, _ = self.server.accept()
        self.connection.settimeout(PATIENCE_S)
        self.connection.sendall(data)

    def next_command(self):
        while len(self.bytes) < 22:
            more = self.connection.recv(1)
            assert more, "census has gone"
            self.bytes += more
        found = MESSAGE.fullmatch(self.bytes)
        assert found, self.bytes
        self.bytes = b""
        return found.group(1)[0]

    def close(self):
        self.server.close()
        if self.connection:
            self.connection.close()


class Control(harness.Watch):
    def program(self):
        program = Program(self.path("socket"))
        self.addCleanup(program.close)
        return program

    def word(self):
        return "unix:" + self.path("socket")

    def open_page(self, word):
        running = self.serve(word)
        return running, Place(running.errors())

    def command(self, place, name, **more):
        return ask(place, f"{place.page()}control/{name}", method="POST", **more).status

    # ---- pages ----

    def test_commands_from_a_page(self):
        program = self.program()
        running, place = self.open_page(self.word())
        viewer = Viewer(place)
        self.addCleanup(viewer.close)
        program.accept(LOG[:HALF])
        viewer.wait(lambda v: v.states.get(0, {}).get("control"), "an offer to control it")
        for name, number, said in ("stop", STOP, "sampling switched off"), \
                ("start", START, "sampling switched on"), \
                ("start-ticks", TICKS, "ticks switched on"), \
                ("stop-ticks", NO_TICKS, "ticks switched off"), \
                ("census", CENSUS_NOW, "sample requested"):
            self.assertEqual(self.command(place, "0/" + name), 204)
            self.assertEqual(program.next_command(), number)
            viewer.wait(lambda v: v.states[0]["message"] == said, said)
        program.connection.sendall(LOG[HALF:])
        viewer.wait(lambda v: v.states[0]["message"] == "", "the sample that was asked for")
        program.connection.close()
        viewer.wait(lambda v: not v.states[0]["control"], "the end of control")
        self.assertEqual(self.command(place, "0/census"), 409)
        self.assertEqual(running.end(), 0)

    def test_rejected_commands(self):
        program = self.program()
        _, place = self.open_page(self.word())
        self.assertEqual(self.command(place, "0/census"), 409)
        viewer = Viewer(place)
        self.addCleanup(viewer.close)
        program.accept(LOG[:HALF])
        viewer.wait(lambda v: v.states.get(0, {}).get("control"), "an offer to control it")
        for name in "1/census", "0/quit", "0/", "0", "", "census", "0/census/", "-1/census", "0x0/census":
            self.assertEqual(self.command(place, name), 404, name)
        for origin in "null", "http://evil.example", "http://localhost:1", "https://localhost", "":
            status = self.command(place, "0/census", headers=["Origin: " + origin])
            self.assertEqual(status, 403, origin)
        own = "Origin: http://localhost"
        self.assertEqual(self.command(place, "0/census", headers=[own, own]), 403)
        self.assertEqual(self.command(place, "0/census", host="evil.example"), 404)
        self.assertEqual(ask(place, place.page() + "control/0/census").status, 404)
        self.assertEqual(ask(place, "/control/0/census", method="POST").status, 405)
        self.assertEqual(self.command(place, "0/census", headers=["Content-Length: 1"], body=b"x"), 400)
        self.assertEqual(self.command(place, "0/start", headers=[own]), 204)
        self.assertEqual(program.next_command(), START)  # and nothing before

    # ---- other programs ----

    def test_profile_that_is_not_a_log(self):
        program = self.program()
        running, place = self.open_page(self.word())
        viewer = Viewer(place)
        self.addCleanup(viewer.close)
        program.accept(harness.profile(3))
        viewer.wait_for_samples(3)
        self.assertIs(viewer.states[0]["control"], False)
        self.assertEqual(self.command(place, "0/census"), 409)
        self.assertEqual(running.end(), 0)

    def test_program_that_does_not_read(self):
        program = self.program()
        program.server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        _, place = self.open_page(self.word())
        viewer = Viewer(place)
        self.addCleanup(viewer.close)
        program.accept(LOG[:HALF])
        viewer.wait(lambda v: v.states.get(0, {}).get("control"), "an offer to control it")
        harness.wait_until(lambda: self.command(place, "0/census") == 409, "a full buffer")
        viewer.wait(lambda v: "does not read commands" in v.states[0]["message"], "the reason")

    # ---- terminals ----

    @unittest.skipUnless(shutil.which("tmux"), "there is no tmux here")
    def test_commands_from_a_terminal(self):
        program = self.program()
        terminal = Tmux(columns=110)
        self.addCleanup(terminal.close)
        terminal.run(f"{CENSUS} open --terminal {self.word()}; echo status=$?")
        program.accept(LOG[:HALF])
        terminal.wait_for("● live")
        terminal.type("?")
        terminal.wait_for("request one sample now")
        for key, number, said in ("c", CENSUS_NOW, "live: sample requested"), \
                ("t", TICKS, "live: ticks switched on"), \
                ("T", NO_TICKS, "live: ticks switched off"), \
                ("S", STOP, "live: sampling switched off"), \
                ("s", START, "live: sampling switched on"):
            terminal.type(key)
            self.assertEqual(program.next_command(), number)
            terminal.wait_for(said)
        program.connection.sendall(LOG[HALF:])
        terminal.wait_for("live, last sample")
        program.connection.close()
        terminal.wait_for("● ended")
        terminal.type("?")
        terminal.wait_for("shorter window")
        self.assertNotIn("take one sample now", terminal.text())
        terminal.type("c")
        terminal.type("q")
        terminal.wait_for("status=0")


if __name__ == "__main__":
    harness.main()
