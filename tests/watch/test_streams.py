#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pipes, FIFOs, devices and connections."""
import fcntl
import os
import pty
import signal
import socket
import subprocess
import termios
import threading

import harness
from harness import ends_of_samples, plot, profile, sample


class Streams(harness.Watch):
    def feed(self, data, *words):
        """Writes all data at once to a pipe, and closes it."""
        running = self.start(*words, "-", stdin=subprocess.PIPE)
        running.process.stdin.write(data)
        running.process.stdin.close()
        return running

    # ---- pipes ----

    def test_pipe_by_bytes(self):
        data = profile(4)
        running = self.start("-", stdin=subprocess.PIPE)
        for i in range(len(data)):
            os.write(running.process.stdin.fileno(), data[i:i + 1])
            if i + 1 in ends_of_samples(data):
                running.wait_to_show(plot(data[:i + 1]))
        running.process.stdin.close()
        self.assert_ends_well(running, plot(data))

    def test_pipe_cut_at_each_byte(self):
        """For a pipe that ends anywhere the result is the same as `plot` draws: a picture of its bytes, or none."""
        data = profile(2)
        for n in range(len(data)):
            running = self.feed(data[:n])
            expected = plot(data[:n])
            self.assertEqual(running.wait(), 0 if expected else 1)
            self.assertEqual(harness.read(running.picture), expected, f"{n} bytes")
            running.process.stderr.close()
            if expected:
                os.unlink(running.picture)

    def test_pipe_of_an_event_log(self):
        data = sample("eventlog/foldleak-prof-lu-hc.eventlog")
        self.assert_ends_well(self.feed(data), plot(data))

    def test_compressed_pipe(self):
        running = self.feed(b"\x1f\x8b\x08\x00\x00\x00\x00\x00")
        self.assertEqual(running.wait(), 1)
        self.assertIn(b"stdin: compressed with gzip", running.said)

    def test_pipe_of_tail(self):
        """tail -F sends a new file immediately after the one that it replaces."""
        path = self.write("a.hp", profile(3))
        tail = subprocess.Popen(["tail", "-c", "+1", "-s", "0.05", "-F", path],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(tail.wait)
        self.addCleanup(tail.kill)
        running = self.start("-", stdin=tail.stdout)
        tail.stdout.close()
        running.wait_to_show(plot(profile(3)))
        self.write("a.hp", profile(6)[len(profile(3)):], "ab")
        running.wait_to_show(plot(profile(6)))
        os.rename(self.write("new", profile(2, "other")), path)
        running.wait_to_show(plot(profile(2, "other")))
        tail.kill()
        self.assert_ends_well(running, plot(profile(2, "other")))

    def test_consecutive_profiles_cut_at_each_byte(self):
        """The picture shows the second profile, for any split of the data."""
        first, second = profile(2), profile(2, "other")
        for cut in range(len(first) - 2, len(first) + 8):
            running = self.start("-", stdin=subprocess.PIPE)
            os.write(running.process.stdin.fileno(), (first + second)[:cut])
            harness.time.sleep(0.02)
            os.write(running.process.stdin.fileno(), (first + second)[cut:])
            running.process.stdin.close()
            self.assert_ends_well(running, plot(second))
            running.process.stderr.close()

    def test_file_as_standard_input(self):
        data = profile(5000)
        with open(self.write("a.hp", data), "rb") as file:
            self.assert_ends_well(self.start("-", stdin=file), plot(data))

    def test_pipe_by_its_number(self):
        """The path is from a shell's <(...): there will be no other writer."""
        read_end, write_end = os.pipe()
        running = self.start(f"/dev/fd/{read_end}", pass_fds=[read_end])
        os.close(read_end)
        os.write(write_end, profile(3))
        os.close(write_end)
        self.assert_ends_well(running, plot(profile(3)))

    # ---- FIFOs ----

    def fifo(self):
        os.mkfifo(self.path("fifo"))
        return self.path("fifo")

    def test_fifo_with_two_writers(self):
        """The second one writes another profile."""
        path = self.fifo()
        running = self.start(path)
        running.wait_to_say("waiting for a writer")
        for job in ("one", "two"):
            with open(path, "wb") as fifo:
                fifo.write(profile(3, job))
            running.wait_to_show(plot(profile(3, job)))
        running.wait_to_say("waiting for the next writer")
        self.assertEqual(running.end(), 0)

    def test_fifo_with_overlapping_writers(self):
        """The second one opens the FIFO before census has seen the end of the first."""
        path = self.fifo()
        running = self.start(path)
        running.wait_to_say("waiting for a writer")
        with open(path, "wb") as one, open(path, "wb") as two:
            one.write(profile(3, "one"))
            one.close()
            two.write(profile(4, "two"))
        running.wait_to_show(plot(profile(4, "two")))

    def test_fifo_with_a_writer_for_each_sample(self):
        path, data = self.fifo(), profile(4)
        running = self.start(path)
        at = 0
        for end in ends_of_samples(data):
            with open(path, "wb") as fifo:
                fifo.write(data[at:end])
            running.wait_to_show(plot(data[:end]))
            at = end
        self.assertEqual(running.end(), 0)

    def test_fifo_once(self):
        path = self.fifo()
        running = self.start("--once", path)
        with open(path, "wb") as fifo:
            fifo.write(profile(3))
        self.assert_ends_well(running, plot(profile(3)))

    # ---- connections ----

    def bind(self, family, address):
        """Returns a socket that has its address, and refuses connections until it listens."""
        server = socket.socket(family)
        self.addCleanup(server.close)
        server.bind(address)
        server.settimeout(harness.PATIENCE_S)
        return server

    def listen(self, family, address):
        server = self.bind(family, address)
        server.listen()
        return server

    def check_connections(self, server, running):
        for job in ("one", "two"):
            connection, _ = server.accept()
            connection.sendall(profile(3, job))
            running.wait_to_show(plot(profile(3, job)))
            connection.close()
        self.assertEqual(running.end(), 0)

    def test_unix_socket(self):
        server = self.listen(socket.AF_UNIX, self.path("socket"))
        self.check_connections(server, self.start("unix:" + self.path("socket")))

    def test_unix_socket_created_later(self):
        running = self.start("unix:" + self.path("socket"))
        running.wait_to_say("No such file or directory; retrying")
        self.check_connections(self.listen(socket.AF_UNIX, self.path("socket")), running)

    def test_unix_socket_by_its_path(self):
        self.listen(socket.AF_UNIX, self.path("socket"))
        running = self.start(self.path("socket"))
        self.assertEqual(running.wait(), 1)
        self.assertIn(b"use unix:", running.said)

    def test_tcp_socket(self):
        server = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        self.check_connections(server, self.start("tcp:localhost:%d" % server.getsockname()[1]))

    def test_tcp_socket_created_later(self):
        server = self.bind(socket.AF_INET, ("127.0.0.1", 0))
        running = self.start("tcp:127.0.0.1:%d" % server.getsockname()[1])
        running.wait_to_say("Connection refused; retrying")
        server.listen()
        self.check_connections(server, running)

    def test_tcp_socket_of_ipv6(self):
        try:
            server = self.listen(socket.AF_INET6, ("::1", 0))
        except OSError:
            self.skipTest("there is no IPv6")
        self.check_connections(server, self.start("tcp:[::1]:%d" % server.getsockname()[1]))

    def test_connection_once(self):
        server = self.listen(socket.AF_UNIX, self.path("socket"))
        running = self.start("--once", "unix:" + self.path("socket"))
        connection, _ = server.accept()
        connection.sendall(sample("eventlog/foldleak-prof-lu-hc.eventlog"))
        connection.close()
        self.assert_ends_well(running, plot(sample("eventlog/foldleak-prof-lu-hc.eventlog")))

    def test_commands_to_eventlog_socket(self):
        """Keys of the terminal view become messages of its protocol."""
        server = self.listen(socket.AF_UNIX, self.path("socket"))
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        running = harness.Running(["open", "--terminal", "unix:" + self.path("socket")], None, stdin=theirs, stdout=theirs,
                                  preexec_fn=take_terminal, env={**os.environ, "TERM": "xterm"})
        self.addCleanup(running.process.stderr.close)
        os.close(theirs)
        shown = bytearray()
        drain = threading.Thread(target=self.drain, args=[ours, shown], daemon=True)
        drain.start()
        connection, _ = server.accept()
        self.addCleanup(connection.close)
        log = sample("eventlog/foldleak-prof-lu-hc.eventlog")
        connection.sendall(log[:-1000])
        harness.wait_until(lambda: b"live" in shown, "samples")
        connection.settimeout(harness.PATIENCE_S)
        for key, number in (b"s", 3), (b"S", 4), (b"c", 5):
            os.write(ours, key)
            message = b"\xf0\x9e\x97\x8c\x00\x0feventlog-socket" + bytes([number])
            self.assertEqual(connection.recv(len(message), socket.MSG_WAITALL), message)
        os.write(ours, b"q")
        self.assertEqual(running.wait(), 0)
        drain.join()

    @staticmethod
    def drain(terminal, shown):
        """Adds data to `shown` until all writers have ended."""
        try:
            while data := os.read(terminal, 65536):
                shown += data
        except OSError:
            pass

    def test_rejects_invalid_addresses(self):
        for word, said in ("tcp:localhost", b"tcp:HOST:PORT"), ("unix:", b"unix:PATH"), \
                ("tcp:no-such-host.invalid:80", b"no-such-host.invalid"):
            running = self.start(word)
            self.assertEqual(running.wait(), 1)
            self.assertIn(said, running.said)

    def test_signal_while_waiting(self):
        running = self.start("unix:" + self.path("socket"))
        running.wait_to_say("retrying")
        self.assertEqual(running.end(signal.SIGHUP), 1)
        self.assertIn(b"not written: no sample to draw", running.said)


if __name__ == "__main__":
    harness.main()
