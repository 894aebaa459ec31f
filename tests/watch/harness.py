# SPDX-License-Identifier: BSD-2-Clause
"""Watches profiles with `census watch` and `census open` while tests write them, and compares its pictures with those of
`census plot` for the same bytes, exactly.

The environment names the tested program: CENSUS; CENSUS_HTTP=OFF means that it has no pages. Each test
is a method; `test_GROUP.py NAME` runs the method test_NAME.
"""
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CENSUS = os.environ["CENSUS"]
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples")
SKIPPED = 77
PATIENCE_S = 240  # for what must happen; a loaded machine is slow, not wrong

# Background jobs of a shell ignore it, and so would the programs that are tested.
signal.signal(signal.SIGINT, signal.default_int_handler)

needs_http = unittest.skipIf(os.environ.get("CENSUS_HTTP") == "OFF",
                             "census was compiled without libmicrohttpd")


def sample(name):
    with open(os.path.join(SAMPLES, name), "rb") as file:
        return file.read()


def profile(n_samples, job="prog", scale=1000):
    """Returns a profile of a few bands, as GHC writes them."""
    lines = [f'JOB "{job}"', 'DATE "Sat Nov 21 12:00 2026"', 'SAMPLE_UNIT "seconds"',
             'VALUE_UNIT "bytes"']
    for i in range(n_samples):
        lines += [f"BEGIN_SAMPLE {i / 10:.2f}", f"one\t{scale * (i % 7 + 1)}",
                  f"two names\t{scale * i}", f"({i % 5})three/main\t{3 * scale}",
                  f"END_SAMPLE {i / 10:.2f}"]
    return ("\n".join(lines) + "\n").encode()


def ends_of_samples(data):
    """Returns the offsets after the last line of each sample, where the samples are complete."""
    ends, at = [], 0
    for line in data.splitlines(keepends=True):
        at += len(line)
        if line.startswith(b"END_SAMPLE"):
            ends.append(at)
    return ends


def seconds(data):
    """Returns the time of the last sample of a profile; 0 if there is none."""
    ends = [line for line in data.splitlines() if line.startswith(b"END_SAMPLE")]
    return float(ends[-1].split()[1]) if ends else 0


def wait_until(condition, what):
    """Returns the first true result of `condition`."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        result = condition()
        if result:
            return result
        time.sleep(0.005)
    raise AssertionError(f"waited {PATIENCE_S} s in vain for {what() if callable(what) else what}")


def read(path):
    """Returns the bytes of a file; empty if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


@functools.lru_cache(maxsize=None)
def plot(data, extension="json", *options):
    """Returns the picture that `census plot` draws of these bytes; empty if it fails."""
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "plot." + extension)
        subprocess.run([CENSUS, "plot", "-o", output, *options, "-"], input=data,
                       stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE_S)
        return read(output)


class Running:
    """A `census watch` that draws to `picture`."""

    def __init__(self, command, picture, **more):
        self.picture = picture
        self.process = subprocess.Popen([CENSUS, *command], stderr=subprocess.PIPE, **more)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.said = b""

    def errors(self):
        self.said += self.process.stderr.read() or b""
        return self.said.decode()

    def wait_to_show(self, expected):
        """Waits until the picture is `expected`."""
        assert expected, "there is nothing to be shown"
        try:
            wait_until(lambda: read(self.picture) == expected, "the picture")
        except AssertionError as error:
            raise AssertionError(f"{error}; census said: {self.errors()}") from None

    def wait_to_say(self, words):
        def says():
            has_ended = self.process.poll() is not None
            if words in self.errors():
                return True
            assert not has_ended, f"census said {self.said!r}, not {words!r}, and ended"
            return False
        wait_until(says, lambda: f"{words!r}, after {self.said!r}")

    def end(self, with_signal=signal.SIGINT):
        """Ends the process, and returns its exit status."""
        self.process.send_signal(with_signal)
        return self.wait()

    def wait(self):
        status = self.process.wait(PATIENCE_S)
        self.errors()
        return status


class Watch(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data, mode="wb"):
        with open(self.path(name), mode) as file:
            file.write(data)
        return self.path(name)

    def open_writer(self, name, data=b""):
        """Appends `data` to a file and keeps it open until the test ends, for more data. Without a writer
        census takes a file that has not grown for a second for complete."""
        writer = open(self.path(name), "ab", buffering=0)
        self.addCleanup(writer.close)
        writer.write(data)
        return writer

    def start(self, *words, extension="json", **more):
        """Starts `census watch`, which draws as fast as it can."""
        picture = self.path("picture." + extension)
        running = Running(["watch", "--every", "10ms", "-o", picture, *words], picture, **more)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.wait)
        self.addCleanup(running.process.kill)
        return running

    def serve(self, *words, where=None, **more):
        """Starts `census open --wait`, which serves a page. Returns it after it has printed the URL."""
        listen = ["--listen", where] if where else []
        running = Running(["open", "--wait", "--no-browser", *listen, *words], None, **more)
        self.addCleanup(running.process.stderr.close)
        self.addCleanup(running.process.wait)
        self.addCleanup(running.process.kill)
        running.wait_to_say("watch at ")
        wait_until(lambda: running.errors().endswith("\n"), "the end of the line")
        return running

    def assert_ends_well(self, running, expected):
        """Checks that it ends by itself after it has drawn `expected`."""
        self.assertEqual(running.wait(), 0, running.said)
        self.assertEqual(read(running.picture), expected)


def main():
    """Runs the tests that the command line names, or all. Exits with SKIPPED if any was skipped."""
    suite = unittest.TestSuite()
    names = sys.argv[1:]
    for case in unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]):
        suite.addTests(test for test in case
                       if not names or test.id().rsplit(".test_", 1)[1] in names)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped else 0)
