# SPDX-License-Identifier: BSD-2-Clause
"""A viewer of the http view without a browser: requests by hand over sockets, the events of a stream, and
the profiles that they describe (docs/formats/page.md)."""
import base64
import errno
import http.client
import json
import re
import select
import socket
import struct
import time

PATIENCE_S = 240


class Place:
    """The place of a page, from the message of `census open`."""

    def __init__(self, said):
        found = re.search(r"watch at http://(\[.*?\]|[^:/]*)(?::(\d+))?/([0-9a-f]{32})/(?: through the socket (.*))?",
                          said)
        assert found, said
        self.host, self.port, self.token, self.path = found.groups()

    def connect(self):
        if self.path:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.path)
        else:
            connection = socket.create_connection((self.host.strip("[]"), int(self.port)))
        connection.settimeout(PATIENCE_S)
        return connection

    def page(self):
        return f"/{self.token}/"

    def events(self):
        return f"/{self.token}/events"

    def url(self):
        return f"http://{self.host}:{self.port}{self.page()}"


def send(place, bytes_):
    """Sends a request as it is. Returns the connection. A server that refuses a request may answer and
    close before it has read it all: then the rest is not sent, and the answer can still be read."""
    connection = place.connect()
    try:
        connection.sendall(bytes_)
    except ConnectionError:
        pass
    return connection


def receive_at_once(connection):
    """Returns what the server has sent, without waiting for more."""
    connection.setblocking(False)
    try:
        return connection.recv(1 << 16)
    except (BlockingIOError, ConnectionError):
        return b""


def end_requests(connection):
    """Announces the end of requests to the server, unless it has closed the connection first."""
    try:
        connection.shutdown(socket.SHUT_WR)
    except OSError as error:
        if error.errno != errno.ENOTCONN:
            raise


class Answer:
    """Status, headers (names in lower case) and body of the answer to a request."""

    def __init__(self, connection, method="GET"):
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()


def ask(place, path, method="GET", host="localhost", headers=(), body=b""):
    lines = [f"{method} {path} HTTP/1.1"] + ([f"Host: {host}"] if host is not None else []) + list(headers)
    with send(place, "\r\n".join(lines + ["", ""]).encode() + body) as connection:
        return Answer(connection, method)


# --- events


class Stream:
    """The events of a server, as EventSource reports them: (id, event, data)."""

    def __init__(self, place, last_id=None):
        headers = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        self.connection = send(place, f"GET {place.events()} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
        self.bytes = b""        # as they came
        self.text = b""         # of the body, without its framing, as far as it was not taken
        self.status = None
        self.last_id = last_id
        self.n_beats = 0
        self.has_ended = False

    def close(self):
        self.connection.close()

    def _unframe(self):
        """Takes whole chunks off the bytes."""
        if self.status is None:
            if b"\r\n\r\n" not in self.bytes:
                return
            head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
            self.status = int(head.split()[1])
            assert self.status != 200 or b"text/event-stream" in head, head
        while b"\r\n" in self.bytes:
            size, rest = self.bytes.split(b"\r\n", 1)
            n = int(size, 16)
            if len(rest) < n + 2:
                return
            self.text += rest[:n]
            self.bytes = rest[n + 2:]

    def _events(self):
        while b"\n\n" in self.text:
            block, self.text = self.text.split(b"\n\n", 1)
            fields = dict(line.split(b": ", 1) for line in block.split(b"\n") if b": " in line)
            self.n_beats += block == b":"
            self.last_id = fields[b"id"].decode() if b"id" in fields else self.last_id
            if b"data" in fields:
                yield self.last_id, fields[b"event"].decode(), json.loads(fields[b"data"])

    def hear(self, seconds):
        """Returns the events that arrive within the time; with 0, only the ones that have arrived."""
        if select.select([self.connection], [], [], seconds)[0]:
            try:
                more = self.connection.recv(1 << 20)
            except ConnectionError:
                more = b""
            self.has_ended |= not more
            self.bytes += more
            self._unframe()
        return list(self._events())


# --- profiles


def numbers(column):
    """Returns the numbers of a COLUMN."""
    data = base64.b64decode(column)
    if data[0] == 255:
        return list(struct.unpack(f"<{(len(data) - 1) // 8}d", data[1:]))
    result, value, step, at = [], 0, 0, 1
    while at < len(data):
        token = shift = 0
        while True:
            token |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                break
        times = 1
        if token % 2:
            times = token // 2 + 1
        else:
            step = token // 4 if token % 4 == 0 else -(token // 4) - 1
        for _ in range(times):
            value += step
            result.append(value / 10 ** data[0])
    return result


class Profile:
    """One profile, as a page has it."""

    def __init__(self, snapshot):
        self.epoch = snapshot["epoch"]
        self.title = snapshot["title"]
        self.times = numbers(snapshot["times"])
        self.totals = numbers(snapshot["total"])
        self.n_samples = snapshot["n_samples"]
        self.names = [name["name"] for name in snapshot["names"]]
        self.columns = [numbers(name["column"]) for name in snapshot["names"]]
        self.rest = numbers(snapshot["rest"]["column"]) if snapshot["rest"] else [0] * len(self.times)
        self.n_calls = sum(len(frame) == 2 for frame in snapshot.get("stacks", {"frames": []})["frames"])
        self.resident = [Profile(profile) for profile in snapshot.get("resident", [])]
        self.marks = [(mark["time"], mark["label"]) for mark in snapshot["marks"]]
        self.lines = {line["name"]: list(zip(numbers(line["times"]), numbers(line["values"])))
                      for line in snapshot["lines"]}
        assert all(len(column) == len(self.times) for column in self.columns)

    def add_samples(self, data):
        for name in data["names"]:
            assert name["name"] not in self.names and len(name["colour"]) == 2
            self.names.append(name["name"])
            self.columns.append([0] * len(self.times))
        for time_, total, pairs in data["samples"]:
            self.times.append(time_)
            self.totals.append(total)
            self.n_samples += 1
            for column in self.columns:
                column.append(0)
            for place, amount in zip(pairs[::2], pairs[1::2]):
                self.columns[place][-1] += amount
            self.rest.append(total - sum(pairs[1::2]))

    def samples(self):
        """Returns the samples as a list of (time, {name: amount}), without the rest."""
        return [(time_, {name: column[i] for name, column in zip(self.names, self.columns) if column[i]})
                for i, time_ in enumerate(self.times)]


class Viewer:
    """The data of a viewer that has opened the page."""

    def __init__(self, place, last_id=None):
        self.stream = Stream(place, last_id)
        self.profiles = {}
        self.states = {}
        self.events = []        # all that came, by name

    def close(self):
        self.stream.close()

    def _take(self, event, data):
        self.events.append(event)
        profile = self.profiles.get(data.get("id"))
        if event == "snapshot":
            self.profiles[data["id"]] = Profile(data)
        elif event == "samples":
            profile.add_samples(data)
        elif event == "mark":
            profile.marks.append((data["time"], data["label"]))
        elif event == "line":
            profile.lines.setdefault(data["name"], []).extend(map(tuple, data["points"]))
        elif event == "state":
            self.states[data["id"]] = data
        else:
            assert (event, data) == ("bye", {}), event

    def look(self, seconds=0):
        for _, event, data in self.stream.hear(seconds):
            self._take(event, data)

    def wait(self, condition, what, patience_s=PATIENCE_S):
        """Waits until the condition holds for the received data."""
        until = time.monotonic() + patience_s
        while not condition(self):
            left = until - time.monotonic()
            assert left > 0, f"waited in vain for {what}, seeing {self.events} and {self.states}"
            assert not self.stream.has_ended, f"the stream has ended before {what}"
            self.look(min(left, 0.1))

    def wait_for_samples(self, n):
        self.wait(lambda v: 0 in v.profiles and v.profiles[0].n_samples >= n, f"{n} samples")
        assert self.profiles[0].n_samples == n, self.profiles[0].n_samples

    def wait_for_end(self):
        while not self.stream.has_ended:
            self.look(PATIENCE_S)
