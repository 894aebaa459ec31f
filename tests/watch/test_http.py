#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The http view with requests by hand: pages, access, and the data that viewers receive of a growing
profile."""
import json
import os
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import unittest

import logs
from harness import CENSUS, PATIENCE_S, SAMPLES, Running, Watch, ends_of_samples, main, profile, sample, wait_until
from viewer import Place, Stream, Viewer, ask, end_requests, receive_at_once, send

HEADERS = b'JOB "j"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
DATA = os.path.join(os.path.dirname(__file__), "..", "data")
NEVER = "0123456789abcdef" * 2


def samples_of(data):
    """Returns the value of Viewer's Profile.samples for the text of a profile."""
    samples = []
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        word = line.split(" ")
        if word[0] == "BEGIN_SAMPLE":
            time_, costs = float(word[1]), {}
        elif word[0] == "END_SAMPLE":
            samples.append((time_, {name: amount for name, amount in costs.items() if amount}))
        elif "\t" in line:
            name, amount = line.rsplit("\t", 1)
            costs[name] = costs.get(name, 0) + float(amount)
    return samples


def spelt_out(finding):
    """Returns what a page says of a finding: its text, and the names that are not in it."""
    is_list = finding["kind"] in ("growth", "short peak")
    gains = ", ".join(f"{gain['label']} by {gain['amount']}" for gain in finding["names"])
    return f"{finding['text']}: {gains}" if is_list and gains else finding["text"]


class Http(Watch):
    def open_page(self, *words, **more):
        """Starts to serve a page, and returns its place."""
        running = self.serve(*words, **more)
        return running, Place(running.errors())

    def serve_profile(self, data=None, **more):
        return self.open_page(self.write("prog.hp", data or profile(5)), **more)

    def view(self, place, **more):
        viewer = Viewer(place, **more)
        self.addCleanup(viewer.close)
        return viewer

    # --- pages and access

    def test_page_and_its_headers(self):
        _, place = self.serve_profile()
        answer = ask(place, place.page())
        self.assertEqual(answer.status, 200)
        self.assertIn(b"<!doctype html>", answer.body[:20])
        self.assertIn(b'"events":"events"', answer.body)
        headers = answer.headers
        self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
        self.assertEqual(headers["cache-control"], "no-store")
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertEqual(headers["x-frame-options"], "DENY")
        self.assertEqual(headers["referrer-policy"], "no-referrer")
        self.assertEqual(headers["cross-origin-resource-policy"], "same-origin")
        policy = headers["content-security-policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("connect-src 'self'", policy)
        self.assertIn("script-src 'sha256-", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotIn("access-control-allow-origin", headers)

    def test_head_equals_get_without_a_body(self):
        _, place = self.serve_profile()
        whole, head = ask(place, place.page()), ask(place, place.page(), method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))
        for answer in whole, head:
            del answer.headers["date"]
        self.assertEqual(head.headers, whole.headers)
        head = ask(place, place.events(), method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["content-type"], "text/event-stream")

    def test_rejects_requests_without_the_token(self):
        _, place = self.serve_profile()
        wrong = place.token[:-1] + ("0" if place.token[-1] != "0" else "1")
        for path in ("/", "/events", "/favicon.ico", "/index.html", f"/{wrong}/", f"/{wrong}/events", f"/{NEVER}/",
                     f"/{place.token}", f"/{place.token.upper()}x/", f"//{place.token}/", f"/{place.token[:16]}/",
                     f"/?{place.token}", f"/x/{place.token}/"):
            answer = ask(place, path)
            self.assertEqual((answer.status, answer.body), (404, b""), path)
            self.assertEqual(answer.headers["x-frame-options"], "DENY")

    def test_does_not_serve_files(self):
        _, place = self.serve_profile()
        for tail in ("../", "../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/", "./", "prog.hp", "/etc/passwd",
                     "events/../", "events%00", "\\..\\", "events/", "page.html"):
            for path in (place.page() + tail, "/" + tail):
                answer = ask(place, path)
                self.assertEqual((answer.status, answer.body), (404, b""), path)

    def test_rejects_other_hosts(self):
        _, place = self.serve_profile()
        for host in ("localhost", "LOCALHOST:80", f"127.0.0.1:{place.port}", "[::1]:4000"):
            self.assertEqual(ask(place, place.page(), host=host).status, 200, host)
        for host in ("evil.example", f"evil.example:{place.port}", "127.0.0.1.evil.example", "192.168.0.1", "",
                     "localhost:x", "localhost evil.example"):
            self.assertIn(ask(place, place.page(), host=host).status, (400, 404), host)
        self.assertEqual(ask(place, place.page(), host="localhost", headers=["Host: evil.example"]).status, 404)
        self.assertEqual(ask(place, place.page(), host="evil.example", headers=["Host: localhost"]).status, 404)
        self.assertEqual(ask(place, place.page(), host=None).status, 400)
        with send(place, f"GET {place.page()} HTTP/1.0\r\n\r\n".encode()) as connection:
            self.assertIn(b" 404 ", connection.recv(100))

    def test_methods_and_bodies(self):
        _, place = self.serve_profile()
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "BREW"):
            for path in (place.page(), "/"):
                answer = ask(place, path, method=method)
                self.assertEqual((answer.status, answer.headers["allow"]), (405, "GET, HEAD"), method)
        body = {"headers": ["Content-Length: 5"], "body": b"hello"}
        self.assertEqual(ask(place, place.page(), **body).status, 400)
        self.assertEqual(ask(place, place.page(), method="POST", **body).status, 405)
        chunked = {"headers": ["Transfer-Encoding: chunked"], "body": b"5\r\nhello\r\n0\r\n\r\n"}
        self.assertEqual(ask(place, place.page(), **chunked).status, 400)
        self.assertEqual(ask(place, place.page(), headers=["Content-Length: 0"]).status, 200)

    def test_rejects_large_headers(self):
        _, place = self.serve_profile()
        self.assertEqual(ask(place, place.page(), headers=[f"X-{i}: y" for i in range(90)]).status, 200)
        self.assertEqual(ask(place, place.page(), headers=[f"X-{i}: y" for i in range(101)]).status, 431)
        self.assertEqual(ask(place, place.page(), headers=["X: " + 20000 * "y"]).status, 200)
        for huge in ([f"X: {40000 * 'y'}"], [f"X-{i}: {100 * 'y'}" for i in range(1000)]):
            self.assertEqual(ask(place, place.page(), headers=huge).status, 431)
        self.assertIn(ask(place, "/" + 100000 * "y").status, (414, 431))
        self.assertEqual(ask(place, place.page()).status, 200)

    def test_invalid_and_pipelined_requests(self):
        _, place = self.serve_profile()
        good = f"GET {place.page()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        for bytes_ in (b"\0\0\0\0\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n", b"\r\n" * 1000,
                       b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"SSH-2.0-x\r\n\r\n", b"A" * 70000):
            with send(place, bytes_) as connection:
                end_requests(connection)
                self.assertEqual(ask(place, place.page()).status, 200)  # it has seen the other one by then
                self.assertNotIn(b"200 OK", receive_at_once(connection), bytes_[:20])
        with send(place, 5 * good) as connection:
            bytes_ = b""
            while bytes_.count(b"</html>") < 5:
                more = connection.recv(1 << 20)
                self.assertTrue(more, "the connection ends before the last answer")
                bytes_ += more
        with send(place, good[:30]) as connection:
            time.sleep(0.05)
            connection.sendall(good[30:])
            self.assertIn(b"200 OK", connection.recv(1000))

    # --- where it listens

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        _, place = self.serve_profile(where="[::1]:0")
        self.assertEqual(place.host, "[::1]")
        self.assertEqual(ask(place, place.page(), host=f"[::1]:{place.port}").status, 200)
        self.view(place).wait_for_samples(5)

    def test_unix_socket(self):
        path = self.path("census.socket")
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        for _ in range(2):      # the second server finds the socket of the first one, which was killed
            running, place = self.serve_profile(where="unix:" + path)
            self.assertEqual(place.path, path)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            self.assertEqual(ask(place, place.page()).status, 200)
            self.view(place).wait_for_samples(5)
            running.process.kill()
            running.process.wait()
        running, place = self.serve_profile(where="unix:" + path)
        self.assertEqual(running.end(), 0)
        self.assertFalse(os.path.exists(path))

    def test_rejects_unusable_addresses(self):
        _, place = self.serve_profile()
        for where, words in ((f"127.0.0.1:{place.port}", "in use"), ("no such place", "cannot listen"),
                             ("127.0.0.1:99999", "ADDR:PORT"), ("192.0.2.1:0", "cannot listen"),
                             ("unix:" + 200 * "x", "107"), ("unix:" + self.path("prog.hp"), "in use")):
            done = subprocess.run([CENSUS, "open", "--no-browser", "--listen", where, self.path("prog.hp")],
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            self.assertEqual(done.returncode, 1, where)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_folder(self):
        """Its profiles, without other files; the event log of a run instead of its .hp file."""
        os.mkdir(self.path("runs"))
        os.mkdir(self.path("runs/more"))
        for name in "runs/b.hp", "runs/a.hp", "runs/.hidden.hp", "runs/more/c.hp":
            self.write(name, profile(5))
        self.write("runs/b.eventlog", sample("eventlog/foldleak-prof-lu-hc.eventlog"))
        self.write("runs/notes.txt", b"text\n")
        self.write("runs/broken.hp", b'JOB "x\n')
        running, place = self.open_page(self.path("runs"))
        self.assertIn("/#profile=all\n", running.errors())
        viewer = self.view(place)
        viewer.wait(lambda v: len(v.profiles) == 2, "two profiles")
        self.assertEqual([os.path.basename(viewer.states[i]["name"]) for i in sorted(viewer.states)],
                         ["a.hp", "b.eventlog", "broken.hp"])

    def test_ssh_command_without_a_display(self):
        for connection, tail in ("10.0.0.1 5 10.0.0.7 22", "10.0.0.7"), ("10.0.0.1 5 ::1 2222", "::1"):
            environment = {"PATH": os.environ["PATH"], "SSH_CONNECTION": connection}
            running = Running(["open", self.write("prog.hp", profile(5))], None, env=environment)
            self.addCleanup(running.process.stderr.close)
            self.addCleanup(running.process.kill)
            running.wait_to_say(tail + "\n")
            place = Place(running.errors())
            self.assertRegex(running.errors(), f"ssh -N -L {place.port}:127.0.0.1:{place.port} " +
                             ("-p 2222 " if "2222" in connection else "") + f"(\\w+@)?{tail}\n")
            self.assertEqual(running.end(), 0)

    def test_heap_snapshot(self):
        fixture = os.path.join(os.path.dirname(__file__), "..", "cli", "fixtures", "cache.heapsnapshot")
        _, place = self.open_page(fixture)
        answer = ask(place, place.page())
        self.assertEqual(answer.status, 200)
        self.assertIn(b'"groups":[', answer.body)
        self.assertIn("connect-src 'self'", answer.headers["content-security-policy"])

    def test_other_machines_need_an_option_and_cause_a_warning(self):
        running, place = self.serve_profile(where="0.0.0.0:0")
        running.wait_to_say("not encrypted")
        place.host = "127.0.0.1"
        self.assertEqual(ask(place, place.page(), host=f"192.168.7.7:{place.port}").status, 200)
        self.assertEqual(ask(place, place.page(), host="evil.example").status, 404)
        running, _ = self.serve_profile()
        self.assertNotIn("not encrypted", running.errors())

    def test_keeps_token_of_a_file(self):
        options = ["--token-file", self.path("token"), self.write("prog.hp", profile(5))]
        running, first = self.open_page(*options)
        running.end()
        _, second = self.open_page(*options)
        self.assertEqual(first.token, second.token)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("token")).st_mode), 0o600)
        _, third = self.serve_profile()
        self.assertNotEqual(first.token, third.token)

    def test_browser_command_line_has_no_token(self):
        script = self.write("xdg-open", b'#!/bin/sh\necho "$1" > "$0.args"\ncat "$1" > "$0.page"\n')
        os.chmod(script, 0o700)
        environment = {"PATH": self.directory + ":" + os.environ["PATH"], "DISPLAY": ":0",
                       "XDG_RUNTIME_DIR": self.directory}
        running = Running(["open", self.write("prog.hp", profile(5))], None, env=environment)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.kill)
        running.wait_to_say("watch at")
        page = wait_until(lambda: os.path.exists(script + ".page") and open(script + ".page").read(), "the browser")
        place = Place(running.errors())
        path = open(script + ".args").read().strip()
        self.assertNotIn(place.token, path)
        self.assertIn(f"url={place.url()}", page.replace("url= ", "url=").replace("; url", ";url"))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        running.end()
        self.assertFalse(os.path.exists(path))

    # --- data of viewers

    def grow(self, data, steps=20):
        """Writes the samples of a profile in several steps; yields the number of samples so far."""
        ends = ends_of_samples(data)
        with open(self.path("prog.hp"), "ab", buffering=0) as file:
            at = os.path.getsize(self.path("prog.hp"))
            for i in range(1, steps + 1):
                n = i * len(ends) // steps
                if n and ends[n - 1] > at:
                    file.write(data[at:ends[n - 1]])
                    at = ends[n - 1]
                yield n

    def test_sends_samples_as_they_are_written(self):
        data = profile(200)
        self.write("prog.hp", b"")
        _, place = self.open_page(self.path("prog.hp"))
        viewer = self.view(place)
        for n in self.grow(data, 50):
            viewer.wait_for_samples(n)
        self.assertEqual(viewer.profiles[0].samples(), samples_of(data))
        self.assertLessEqual(viewer.events.count("snapshot"), 1)

    def test_late_viewer_gets_the_same_data(self):
        data = profile(200)
        self.write("prog.hp", b"")
        _, place = self.open_page(self.path("prog.hp"))
        viewers = []
        for n in self.grow(data, 10):
            viewers.append(self.view(place))
            for viewer in viewers:
                viewer.wait_for_samples(n)
        for viewer in viewers:
            self.assertEqual(viewer.profiles[0].samples(), samples_of(data))

    def test_new_repeated_and_invalid_names(self):
        data = HEADERS + b"".join(
            b"BEGIN_SAMPLE %d\nold\t5\nnew%d \xff\xfe \"'<\\\t%d.5\nold\t1\nEND_SAMPLE %d\n" % (i, i // 3, i + 1, i)
            for i in range(30))
        self.write("prog.hp", b"")
        _, place = self.open_page(self.path("prog.hp"))
        viewer = self.view(place)
        for n in self.grow(data, 30):
            viewer.wait_for_samples(n)
        self.assertEqual(viewer.profiles[0].samples(), samples_of(data))
        self.assertIn("new0 \udcff\udcfe \"'<\\", viewer.profiles[0].names)

    def test_marks_and_lines(self):
        self.write("prog.hp", HEADERS + b"BEGIN_SAMPLE 1\na\t1\nEND_SAMPLE 1\nMARK 1.5\n")
        _, place = self.open_page(self.path("prog.hp"))
        viewer = self.view(place)
        viewer.wait_for_samples(1)
        self.write("prog.hp", b"BEGIN_SAMPLE 2\na\t1\nEND_SAMPLE 2\nMARK 2.5\nMARK 2.75\nB", "ab")
        viewer.wait_for_samples(2)
        viewer.wait(lambda v: len(v.profiles[0].marks) == 3, "marks")
        self.assertEqual([time_ for time_, _ in viewer.profiles[0].marks], [1.5, 2.5, 2.75])

    def test_calls_while_a_file_has_ended(self):
        """A snapshot has the lines of calls only while nothing is added to the file."""
        log = self.path("prog.eventlog")
        subprocess.run([CENSUS, "convert", "--process=2", "-o", log, os.path.join(SAMPLES, "native/build.census")], check=True)
        with open(log, "rb") as file:
            data = file.read()
        self.write("prog.eventlog", data[:len(data) * 2 // 3])
        _, place = self.open_page(log)
        viewer = self.view(place)
        viewer.wait(lambda v: v.profiles and v.profiles[0].n_calls > 0 and v.states[0]["state"] == "ended", "calls of the part")
        n_samples = viewer.profiles[0].n_samples
        with self.open_writer("prog.eventlog", data[len(data) * 2 // 3:-2]) as writer:
            viewer.wait(lambda v: v.profiles[0].n_samples > n_samples and v.states[0]["state"] == "growing", "more samples")
            self.assertEqual(viewer.profiles[0].n_calls, 0)
            writer.write(data[-2:])
        viewer.wait(lambda v: v.profiles[0].n_calls > 0 and v.states[0]["state"] == "ended", "calls of the whole")
        self.assertEqual(viewer.profiles[0].n_samples, 10)

    def test_resident_set_of_an_ended_recording(self):
        path = self.path("run.census")
        def read_rows():
            return subprocess.run([CENSUS, "convert", "--value", "resident", "--format", "csv", "-o", "-", path], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
        with subprocess.Popen([CENSUS, "run", "-q", "--resident", "-i0.02", "-o", path, "--", "/bin/cat"], stdin=subprocess.PIPE):
            wait_until(lambda: len(read_rows()) > 2, "records of the resident set")
        rows = read_rows()
        _, place = self.open_page(path)
        viewer = self.view(place)
        viewer.wait(lambda v: v.profiles and v.profiles[0].resident, "the resident set")
        parts, *pinned = viewer.profiles[0].resident
        self.assertEqual(len(pinned), 3)
        self.assertEqual(parts.totals, [sum(map(float, row.split(",")[1:])) for row in rows[1:]])
        self.assertIn("libraries", parts.names)

    def write_churn(self):
        """Writes the log of a native program that allocates a gibibyte a second."""
        job = "p \u00b7 by call stack".encode()
        calm = b"".join(b"BEGIN_SAMPLE %d\na\t%d\nEND_SAMPLE %d\n" % (i, 9_000_000 + i % 3 * 100_000, i) for i in range(21))
        log = self.path("churn.eventlog")
        subprocess.run([CENSUS, "convert", "-o", log, self.write("churn.hp", HEADERS.replace(b'"j"', b'"%s"' % job) + calm)], check=True)
        allocated = logs.block(*(logs.record(49, i * 10**9, struct.pack(">IQ", 0, i << 30)) for i in range(21)), capability=0)
        with open(log, "rb") as file:
            data = file.read()
        return self.write("churn.eventlog", data[:-2] + allocated + data[-2:])

    def test_findings_are_those_of_reports(self):
        """When a profile has ended, the page says what stands out in the words of census report, and lists what has grown."""
        spike = b"".join(b"BEGIN_SAMPLE %d\n(2)cache/main\t%d\n(3)base/main\t500000\nEND_SAMPLE %d\n" % (i, 90_000_000 if i == 70 else 700_000, i)
                         for i in range(100))
        for path, kind in ((self.write("spike.hp", HEADERS + spike), "short peak"),
                           (self.write_churn(), "churn"),
                           (os.path.join(DATA, "eventlog/interp-prof-l-au-hc.eventlog"), "growth"),
                           (os.path.join(SAMPLES, "hp/queens-plain-pair-hT.hp"), "growing band"),
                           (os.path.join(SAMPLES, "explain/pages-hb.hp"), "unused memory"),
                           (os.path.join(DATA, "eventlog/dragvoid-prof-l-au-hr.eventlog"), "one holder"),
                           (os.path.join(SAMPLES, "hp/manycc-prof-hd.hp"), None)):
            printed = subprocess.run([CENSUS, "report", "--format=json", path], stdout=subprocess.PIPE, check=True).stdout
            expected = [(finding["kind"], finding["evidence"]) for finding in json.loads(printed)["findings"]]
            self.assertEqual([k for k, _ in expected], [kind] if kind else [], path)
            running, place = self.open_page(path)
            viewer = self.view(place)
            viewer.wait(lambda v: v.states and v.states[0]["state"] == "ended", f"the end of {path}")
            self.assertEqual([(finding["kind"], spelt_out(finding)) for finding in viewer.states[0]["findings"]], expected, path)
            running.end()

    def test_returning_viewer_gets_every_message_once(self):
        data = profile(100)
        self.write("prog.hp", b"")
        _, place = self.open_page(self.path("prog.hp"))
        viewer = self.view(place)
        for n in self.grow(data, 25):
            if n % 12 == 0:
                viewer.close()
                viewer.stream = Stream(place, viewer.stream.last_id)
                self.addCleanup(viewer.stream.close)
            viewer.wait_for_samples(n)
        self.assertEqual(viewer.profiles[0].samples(), samples_of(data))
        self.assertLessEqual(viewer.events.count("snapshot"), 1)

    def test_new_server_starts_with_a_snapshot(self):
        data = profile(50)
        words = ["--token-file", self.path("token"), self.write("prog.hp", data[:ends_of_samples(data)[20]])]
        where = "unix:" + self.path("socket")
        running, place = self.open_page(*words, where=where)
        viewer = self.view(place)
        viewer.wait_for_samples(21)
        last_id = viewer.stream.last_id
        running.end()
        self.write("prog.hp", data)
        _, place = self.open_page(*words, where=where)
        again = self.view(place, last_id=last_id)
        again.wait_for_samples(50)
        self.assertEqual(again.profiles[0].samples(), samples_of(data))
        self.assertNotEqual(again.stream.last_id.split("-")[0], last_id.split("-")[0])

    def test_unknown_event_ids(self):
        _, place = self.serve_profile()
        for last_id in ("0", "x-1", "-", 60 * "9", "x" * 8000):
            viewer = self.view(place, last_id=last_id)
            viewer.wait_for_samples(5)

    def test_states(self):
        path = self.path("prog.hp")
        running, place = self.open_page(path)
        viewer = self.view(place)
        viewer.wait(lambda v: v.states.get(0, {}).get("state") == "waiting", "waiting")
        self.assertEqual(viewer.profiles, {})
        self.assertIn(f"census: {path} does not exist yet: waiting for it\n", running.errors())
        writer = self.open_writer("prog.hp", profile(3))
        viewer.wait(lambda v: v.states[0]["state"] == "growing", "growing")
        viewer.wait_for_samples(3)
        writer.write(b"BEGIN_SAMPLE 1000\nEND_SAMPLE 7\nEND_SAMPLE 8\n")
        viewer.wait(lambda v: v.states[0]["state"] == "failed", "the failure")
        self.assertIn("line ", viewer.states[0]["message"])
        self.assertEqual(viewer.states[0]["name"], path)
        running.end()
        viewer.wait_for_end()

    def test_profile_that_restarts(self):
        self.write("prog.hp", profile(40, job="first"))
        _, place = self.open_page(self.path("prog.hp"))
        viewer = self.view(place)
        viewer.wait_for_samples(40)
        os.replace(self.write("next.hp", profile(10, job="second")), self.path("prog.hp"))
        viewer.wait(lambda v: v.profiles[0].title == "second", "the second one")
        viewer.wait_for_samples(10)
        self.assertEqual(viewer.profiles[0].samples(), samples_of(profile(10)))
        self.assertEqual(viewer.profiles[0].epoch, 1)

    def test_processes_of_a_program(self):
        program = ("import os, sys, time\nfor i in range(2):\n    if os.fork() == 0: break\nheld = []\n"
                   "while not os.path.exists(sys.argv[1]) and os.getppid() > 1:\n"
                   "    held.append(bytearray(100000 if len(held) < 100 else 0)); time.sleep(0.02)")
        running = Running(["run", "-q", "-i0.05", "-o", self.path("prog.hp"), "--watch", "--", sys.executable, "-c",
                           program, self.path("end")], None, stdout=subprocess.DEVNULL)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.kill)
        wait_until(lambda: "/\n" in running.errors(), "the page")
        viewer = self.view(Place(running.errors()))
        viewer.wait(lambda v: len(v.profiles) == 3, "three processes")
        self.write("end", b"")
        viewer.wait_for_end()
        self.assertEqual(running.wait(), 0)
        self.assertEqual(len(viewer.profiles), 3)
        for number, seen in viewer.profiles.items():
            with open(viewer.states[number]["name"], "rb") as file:
                written = samples_of(file.read())
            self.assertEqual(seen.times, [time_ for time_, _ in written])
            self.assertEqual(seen.totals, [sum(costs.values()) for _, costs in written])

    def test_growing_name_gets_a_column(self):
        names = b"".join(b"n%d\t%d\n" % (i, 5000 - i) for i in range(800))
        self.write("prog.hp", HEADERS + b"BEGIN_SAMPLE 0\n" + names + b"END_SAMPLE 0\n")
        _, place = self.open_page(self.path("prog.hp"))
        viewer = self.view(place)
        viewer.wait_for_samples(1)
        self.assertNotIn("n799", viewer.profiles[0].names)
        self.assertGreater(viewer.profiles[0].rest[0], 0)
        self.write("prog.hp", b"BEGIN_SAMPLE 1\nn0\t1\nn799\t9000000\nEND_SAMPLE 1\n", "ab")
        viewer.wait(lambda v: "n799" in v.profiles[0].names, "its column")
        profile_ = viewer.profiles[0]
        self.assertEqual(profile_.columns[profile_.names.index("n799")], [5000 - 799, 9000000])

    def test_fast_profile_is_sent_in_few_messages(self):
        path = self.path("fifo")
        os.mkfifo(path)
        _, place = self.open_page(path)
        viewer = self.view(place)
        data = profile(50000)
        with open(path, "wb", buffering=0) as fifo:
            begin = time.monotonic()
            for at in range(0, len(data), 1 << 16):
                fifo.write(data[at:at + (1 << 16)])
                viewer.look()
            viewer.wait_for_samples(50000)
        passed = time.monotonic() - begin
        n_messages = sum(event in ("snapshot", "samples") for event in viewer.events)
        self.assertLess(n_messages, 12 * passed + 4, viewer.events)
        self.assertEqual(viewer.profiles[0].totals[-1], sum(samples_of(data)[-1][1].values()))

    def test_slow_reader_does_not_delay_others(self):
        path = self.path("fifo")
        os.mkfifo(path)
        running, place = self.open_page(path)
        viewer = self.view(place)
        with open(path, "wb", buffering=0) as fifo:
            fifo.write(profile(10) + b"B")
            viewer.wait_for_samples(10)
            lazy = send(place, f"GET {place.events()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.addCleanup(lazy.close)
            names = b"".join(b"name%d\t%d\n" % (i, 123456789 + i) for i in range(300))
            for i in range(1, 3000):
                fifo.write(b"EGIN_SAMPLE %d\n%sEND_SAMPLE %d\nB" % (i, names, i))
                viewer.look()
            viewer.wait_for_samples(3009)
        with open(f"/proc/{running.process.pid}/status", encoding="ascii") as status:
            peak_kb = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        self.assertLess(peak_kb, 400 * 1024)

    def test_rejects_sixty_fifth_viewer(self):
        _, place = self.serve_profile()
        viewers = [self.view(place) for _ in range(64)]
        for viewer in viewers:
            viewer.wait_for_samples(5)
        self.assertEqual(ask(place, place.events()).status, 503)
        self.assertEqual(ask(place, place.page()).status, 200)
        viewers[10].close()
        late = wait_until(lambda: self.admitted(place), "a place")
        late.wait_for_samples(5)

    def admitted(self, place):
        viewer = self.view(place)
        wait_until(lambda: viewer.look(0.1) or viewer.stream.status, "an answer")
        return viewer if viewer.stream.status == 200 else None

    # --- ends

    def test_viewers_receive_the_end(self):
        data = profile(30)
        process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        _, place = self.open_page("--once", "-", stdin=process.stdout)
        viewer = self.view(place)
        process.stdin.write(data)
        process.stdin.flush()
        viewer.wait_for_samples(30)
        process.stdin.close()
        process.wait()
        viewer.wait_for_end()
        self.assertEqual(viewer.states[0]["state"], "ended")
        self.assertEqual(viewer.events[-1], "bye")
        self.assertEqual(viewer.profiles[0].samples(), samples_of(data))

    def test_exits_without_waiting_for_slow_viewers(self):
        running, place = self.serve_profile(sample("hp/foldleak-prof-hc.hp"))
        lazy = send(place, f"GET {place.events()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.addCleanup(lazy.close)
        select.select([lazy], [], [], PATIENCE_S)
        begin = time.monotonic()
        self.assertEqual(running.end(signal.SIGTERM), 0)
        self.assertLess(time.monotonic() - begin, 25)  # a viewer that is served is dropped after 30 s

    def test_server_stays_after_the_pipe_has_ended(self):
        with open(self.write("prog.hp", profile(5)), "rb") as file:
            running, place = self.open_page("-", stdin=file)
            viewer = self.view(place)
            viewer.wait(lambda v: v.states.get(0, {}).get("state") == "ended", "the end")
            viewer.wait_for_samples(5)
            self.assertIsNone(running.process.poll())


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 2000
    main()
