#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The numbers of a summary are possible: parts are not larger than the whole, and peaks not smaller than what is
live."""
import json
import os
import re
import signal
import subprocess
import time

import harness
from harness import AMOUNT, CENSUS, Native, number, program

MODES = [["-hc"], ["-hd"], ["-hm"], ["-hy"], ["-hr"], ["-hb"], ["-hT"], ["-p"], ["-hd", "-p"],
         ["-hd", "--snapshot", "largest"], ["-hd", "-hbdrag,void"], ["-hy", "-hbdrag,void"]]
# Texts have three significant digits.
ROUNDED = 1.006
TIME = r"(-?[\d.,]+(?:e[-+]?\d+)? (?:ns|us|µs|ms|s|min|h)|[\d:]+(?:\.\d+)?)"
COUNT = r"(-?[\d,]+)"


class Summary:
    """Checks the lines of one summary. Its first complaint is in `wrong`."""

    def __init__(self, text):
        self.lines = [line.removeprefix("census: ") for line in text.splitlines() if line.startswith("census: ")]
        self.text = "\n".join(self.lines)
        self.wrong = None
        self.check_words()
        self.check_course()
        for line in self.lines:
            self.check_shares(line)

    def require(self, law, what):
        if not law and not self.wrong:
            self.wrong = what

    def all(self, pattern):
        return [[number(field) if field and field[0].isdigit() else field for field in match.groups()]
                for match in re.finditer(pattern, self.text)]

    def at_most(self, part, whole, what):
        self.require(part <= whole * ROUNDED + 1e-9, f"{what}: {part} of {whole}")

    def check_words(self):
        for bad in r"\bnan\b", r"\binf\b", r"[PE]iB", r"(^|[ (])-\d", r"\d{3}%|\b[2-9]\d\d%", r"1[0-9]{2},\d{3},\d{3},\d{3},\d{3}":
            found = re.search(bad, re.sub(r"\b100%", "", self.text))
            self.require(not found, "impossible: " + (found[0] if found else ""))

    def check_course(self):
        ran = self.all(rf"ran {TIME}[;,]")
        runs = re.findall(r"ran .*", self.text)
        if not ran:
            return
        duration = ran[0][0]
        allocated = self.all(rf"{COUNT} allocations? of {AMOUNT} in total")
        self.require(len(allocated) == 1, "allocations are missing: " + runs[0])
        n_allocations, allocated_bytes = allocated[0]
        self.require(n_allocations > 0 or allocated_bytes == 0, "bytes without allocations")
        for peak, at in self.all(rf"peak {AMOUNT} at {TIME}"):
            self.at_most(at, duration, "the peak is after the end")
            is_restricted = " within the restriction;" in runs[0]
            self.require(peak > 0 or is_restricted or n_allocations == 0 or allocated_bytes == 0,
                         "no peak beside allocations")
            self.check_peak(peak)
        for images, mean, longest in self.all(rf"wait for {TIME} in all: {TIME} on average, {TIME} for the longest"):
            self.at_most(mean, longest, "images take longer on average than the longest one")
            self.at_most(longest, images, "one image takes longer than all")
            self.at_most(images, duration, "images take longer than the run")

    def check_peak(self, peak):
        for bytes_, count in self.all(rf"not freed at the end: {AMOUNT} in {COUNT} block"):
            self.at_most(bytes_, peak, "more is live at the end than at the peak")
            self.require(count > 0 or bytes_ == 0, "bytes without blocks")
        for pattern in rf"mapped {AMOUNT} itself", rf"unreachable, at most: {AMOUNT}":
            for (part,) in self.all(pattern):
                self.at_most(part, peak, "a part exceeds the peak")
        whole = section = None
        for line in self.lines:
            begins = re.match(rf"at the peak:|not freed at the end: {AMOUNT}|the peak has no sample; in the largest one, {AMOUNT}", line)
            site = re.match(rf" +{AMOUNT} +(\d+)% +{COUNT} blocks?", line)
            if begins:
                whole = next((number(text) for text in begins.groups() if text), peak)
                section = 0
            elif site and whole is not None:
                self.at_most(number(site[1]), whole, "a site exceeds all")
                self.require(int(site[2]) <= 100, "a share exceeds 100 %: " + line)
                self.require(number(site[3]) > 0, "a site without blocks: " + line)
                section += number(site[1])
                self.at_most(section, whole, "sites exceed all")
            else:
                whole = None
        for live, of_peak in self.all(rf"{AMOUNT} live(?: of a peak of {AMOUNT})?:"):
            self.at_most(live, of_peak or peak, "a snapshot exceeds the peak")
        for (other,) in self.all(rf" +{AMOUNT} peak, "):
            self.at_most(other, peak, "another process has a larger peak")

    def check_shares(self, line):
        shares = [float(share) for share in re.findall(r"([\d.]+)%", line.replace("(95%)", ""))]
        self.require(all(share <= 100 for share in shares), "a share exceeds 100 %: " + line)
        if line.startswith(("biography of", "bytes of the largest sample")):
            self.require(99 <= sum(shares) <= 101, "shares are not all: " + line)
        for part, whole in re.findall(r"\b(\d[\d,]*) of (\d[\d,]*)\b", line):
            self.at_most(number(part), number(whole), line)


def wrong_report(report):
    """Returns what is impossible in the JSON of `census report`, or None."""
    most = report["peak"]["value"] * (1 + 1e-9)
    laws = {
        "the peak is after the end": report["peak"]["time"] <= report["begin"] + report["duration"] + 1e-9,
        "the last sample exceeds the peak": report["final"]["value"] <= most,
        "the mean exceeds the peak": 0 <= report["mean"] <= most,
        "shares exceed all": sum(band["share"] for band in report["bands"]) + report["others"]["share"] <= 1 + 1e-9,
        "a band exceeds the peak": all(0 <= band["mean"] <= band["max"] * (1 + 1e-9) <= most * (1 + 1e-9)
                                       for band in report["bands"]),
    }
    return next((what for what, holds in laws.items() if not holds), None)


class Summaries(Native):
    def check(self, text, what):
        summary = Summary(text)
        self.assertIsNone(summary.wrong, f"{what}:\n{text}")
        self.assertIn("ran ", summary.text, f"{what}: no summary:\n{text}")
        return summary

    def run_all(self, command, *more, modes=None, prefix=()):
        """Runs a command in each mode and checks its summary, and the report of its profile."""
        for mode in modes or MODES:
            base = os.path.join(self.fresh(), "p")
            done = harness.run([*prefix, CENSUS, "run", "-i0.01", *mode, *more, "-o", base + ".hp", "--", *command])
            summary = self.check(done.errors, (mode, command))
            if os.path.exists(base + ".hp"):
                self.check_report(base + ".hp", summary, (mode, command))
            self.check_resident(command, summary)

    def check_resident(self, command, summary):
        """Sizes of programs that write to all of their memory."""
        if command[0].endswith("ends"):
            for resident, own in summary.all(rf"resident set up to {AMOUNT}, plus {AMOUNT}"):
                end = sum((live for live, _ in summary.all(rf"not freed at the end: {AMOUNT} in {COUNT}")), 0)
                self.assertGreaterEqual(resident, end / 2, summary.text)
                self.assertGreaterEqual(own, 0)

    def check_report(self, path, summary, what):
        done = harness.run([CENSUS, "report", "--format", "json", path])
        if done.status == 0:
            report = json.loads(done.output)
            wrong = wrong_report(report)
            self.assertIsNone(wrong, f"{what}: {wrong}: {done.output}")
            peaks = summary.all(rf"in the largest one, {AMOUNT}") or summary.all(rf"peak {AMOUNT} at")
            if peaks and "processes;" not in summary.text and "the peak has no sample\n" not in summary.text:
                self.assertAlmostEqual(peaks[0][0], report["peak"]["value"], delta=0.006 * peaks[0][0] + 1,
                                       msg=f"{what}: {summary.text}")

    def test_summaries_of_ends(self):
        self.run_all([program("ends"), "returns", "3"])
        self.run_all([program("ends"), "returns", "3"], modes=[["-hchold"], ["-hy", "-hcnone"], ["-hr", "-hchold"]])
        for case in "exits_quickly", "is_killed", "aborts", "main_thread_exits":
            self.run_all([program("ends"), case, "3"], modes=[["-hr"], ["-hb"]])

    def test_summaries_of_small_programs(self):
        self.run_all(["true"])
        self.run_all([program("sizes"), "zero"], modes=MODES[:2])
        self.run_all(["echo", "-n"], modes=MODES[4:6])

    def test_summaries_of_peaks(self):
        for case in "spikes", "climbs", "hands_over", "is_inherited", "is_killed":
            self.run_all([program("peaks"), case], modes=[["-hd"], ["-hr"]])

    def test_summaries_of_processes(self):
        for case in "forks_many", "executes_itself", "executes_after_vfork", "spawns", "daemonises":
            self.run_all([program("processes"), case], modes=[["-hd"], ["-hy"], ["-hb"]])

    def test_summaries_without_samples(self):
        self.run_all([program("ends"), "returns"], "-i1000", modes=[["-hc"], ["-hr"], ["-hb"]])

    def test_summaries_of_little_memory(self):
        """Blocks may not be counted, but the sums of the counted ones are possible."""
        for kib in 12000, 60000, 200000:
            for mode in ["-hc"], ["-hb"], ["-hr"], ["-hy"]:
                base = os.path.join(self.fresh(), "p")
                limit = 'ulimit -v %d; exec "$0" "$@"' % kib
                done = harness.run([CENSUS, "run", "-i0.01", *mode, "-o", base + ".hp", "--", "sh", "-c", limit,
                                    program("ends"), "returns", "3"])
                if "ran " in done.errors:
                    self.check(done.errors, (mode, kib))

    def test_summaries_of_lives(self):
        for case in "half_void", "with_children", "buffers":
            self.run_all([program("lives"), case], modes=[["-hb"]])

    def test_summaries_of_maps(self):
        for case in "cuts", "at_random", "spike":
            self.run_all([program("maps"), case], modes=[["-hd"], ["-hy"], ["-hb"]])

    def test_summaries_of_attached(self):
        for mode, wait_s in (["-hd"], 0), (["-hr"], 0), (["-hr"], 0.3), (["-hc", "-p"], 0):
            base = os.path.join(self.fresh(), "p")
            with subprocess.Popen([program("ends"), "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as target:
                while not target.stdout.readline().endswith(b"ready\n"):
                    self.assertIsNone(target.poll())
                census = subprocess.Popen([CENSUS, "attach", "-i0.01", *mode, "-o", base + ".hp", str(target.pid)],
                                          stderr=subprocess.PIPE, text=True)
                if "profiling process" in census.stderr.readline():
                    time.sleep(wait_s)
                    census.send_signal(signal.SIGINT)
                errors = census.communicate(timeout=harness.PATIENCE_S)[1]
                target.stdin.close()
            if "not allowed to stop it" in errors:
                self.skipTest("processes may not be traced here")
            self.check(errors, mode)


if __name__ == "__main__":
    harness.main()
