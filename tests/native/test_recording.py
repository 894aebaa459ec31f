#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The recording of a run: one file for all processes, with what the .hp files of the same run have, that is
whole up to the last sample wherever it is cut."""
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import harness
from harness import CENSUS, Native, Profile, program

SCRIPT = """
import os, sys, time
kept = [str(i) for i in range(20000)]
moments = [bytes(1000) for i in range(300)]
time.sleep(0.2)
def n_samples(path):
    return open(path).read().count("END_SAMPLE") if os.path.exists(path) else 0
for path in sys.argv[1:]:  # until samples have what is kept, however long the first image has paused it
    n = n_samples(path) + 4
    while n_samples(path) < n:
        time.sleep(0.01)
del moments
time.sleep(0.2)
end = time.process_time() + 0.1
while time.process_time() < end:
    pass
"""


def rows(path):
    """Returns {pid: name} of the processes, and {pid: bytes of its log}: docs/formats/census.md, read without
    code of the project."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"CENSUS\0\2", data[:8]
    names, pids, logs, at = {}, {}, {}, 8

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        kind, at = data[at], at + 1
        process, length = varint(), varint()
        end = at + length
        if kind == 1:
            fields = {}
            while at < end:
                key = varint()
                if key & 7 == 0:
                    fields[key >> 3] = varint()
                else:
                    n = varint()
                    fields[key >> 3] = data[at:at + n].decode()
                    at += n
            pids[process] = fields[2]
            names[fields[2]] = fields[5]
        elif kind in (2, 7):
            logs[pids[process]] = logs.get(pids[process], 0) + length
        at = end
    return names, logs


class Recording(Native):
    def record(self, *words, options=(), base="run"):
        """Returns the path of the recording of a run."""
        done = harness.run([CENSUS, "run", "-q", "-i0.05", "-o", self.path(base + ".census"), *options, "--", *words])
        self.assertEqual(done.status, 0, done.errors)
        return self.path(base + ".census")

    def converted(self, recording):
        path = self.path("converted.hp")
        done = harness.run([CENSUS, "convert", "-o", path, recording])
        self.assertEqual(done.status, 0, done.errors)
        return Profile(path)

    def test_recording_of_each_mode(self):
        """The same samples as in the .hp file of the same run, also after a biography is written again."""
        script = self.path("app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        for mode in "-hc", "-hd", "-hm", "-hy", "-hT", "-hr", "-hb", "-hc -p":
            with self.subTest(mode):
                base = "run" + mode.replace(" ", "")
                path = self.path(base + ".hp")
                recording = self.record("/usr/bin/python3", script, *([path] if mode == "-hr" else []), base=base,
                                        options=(*mode.split(), "-o", path))
                of_file, of_recording = Profile(path), self.converted(recording)
                self.assertEqual([(time, sum(bands.values())) for time, bands in of_file.samples],
                                 [(time, sum(bands.values())) for time, bands in of_recording.samples])
                self.assertEqual(sorted(name for name in os.listdir(self.directory) if name.startswith(base + ".")),
                                 [base + ".census", base + ".hp"])
        lines = harness.run([CENSUS, "report", "--by", "line", self.path("run-hc.census")])
        self.assertRegex(lines.output, r"app\.py:3\b")
        chains = harness.run([CENSUS, "report", "--chains", "-m0", self.path("run-hr.census")])
        self.assertIn("<- app.kept, root\n", chains.output, chains.errors)
        ticks = harness.run([CENSUS, "report", "--time", self.path("run-hc-p.census")])
        self.assertIn("app.<module>", ticks.output, ticks.errors)

    def test_recording_of_all_processes(self):
        """Two hundred short processes are rows. What matters has a log, whatever executed it."""
        large = f'{program("processes")} keeps 30'
        recording = self.record("sh", "-c", f"for i in $(seq 200); do /bin/true $i; done; {large}; sleep 0.3; exec sleep 0.3",
                                options=("-i5",))  # so that none has three samples on a busy machine
        names, logs = rows(recording)
        self.assertEqual({name for name in names.values() if name.startswith("true")},
                         {f"true {i + 1}" for i in range(200)})
        self.assertLess(len(logs), 5, {names[pid]: n for pid, n in logs.items()})
        self.assertLess(os.path.getsize(recording), 400000)
        self.assertEqual(os.listdir(self.directory), ["run.census"])

    def test_recording_is_cut(self):
        """Cut anywhere, it has all samples but the last one, or too few for a profile."""
        script = self.path("app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        recording = self.record("/usr/bin/python3", script)
        whole = self.converted(recording)
        size, n_before, chance = os.path.getsize(recording), 0, random.Random(7)
        for cut in (*sorted(chance.sample(range(9, size), 40)), size - 1):
            shutil.copy(recording, self.path("cut.census"))
            os.truncate(self.path("cut.census"), cut)
            done = harness.run([CENSUS, "convert", "-o", self.path("cut.hp"), self.path("cut.census")])
            if done.status != 0:
                self.assertRegex(done.errors, "no sample yet|no process", done.errors)
                self.assertEqual(n_before, 0)
                continue
            samples = Profile(self.path("cut.hp")).samples
            self.assertEqual(samples, whole.samples[:len(samples)])
            self.assertGreaterEqual(len(samples), n_before)
            n_before = len(samples)
        self.assertGreaterEqual(n_before, len(whole.samples) - 1)

    def test_recording_when_census_is_killed(self):
        path = self.path("run.census")
        running = subprocess.Popen([CENSUS, "run", "-q", "-i0.02", "-o", path, "--", "sleep", "100"],
                                   stdout=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(running.wait)
        self.addCleanup(os.killpg, running.pid, signal.SIGKILL)  # the program, too
        end = time.monotonic() + harness.PATIENCE_S
        while time.monotonic() < end and len(self.samples_in(path)) < 5:
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
        running.wait()
        self.assertGreaterEqual(len(self.samples_in(path)), 5)

    def samples_in(self, path):
        done = harness.run([CENSUS, "convert", "-o", self.path("now.hp"), path])
        return Profile(self.path("now.hp")).samples if done.status == 0 else []

    def test_recording_that_cannot_grow(self):
        """A full disk is reported, and the program goes on."""
        program = "import time; x = [str(i) for i in range(50000)]; time.sleep(0.3); print(7)"
        limited = "trap '' XFSZ; ulimit -S -f 20; exec \"$0\" run -i0.02 -o \"$1\" -- " \
                  "sh -c 'ulimit -S -f unlimited; exec /usr/bin/python3 -c \"$0\"' \"$2\""
        done = harness.run(["bash", "-c", limited, CENSUS, self.path("run.census"), program])
        self.assertEqual((done.status, done.output), (0, "7\n"), done.errors)
        self.assertRegex(done.errors, r"census: process \d+: .*File too large")


if __name__ == "__main__":
    harness.main()
