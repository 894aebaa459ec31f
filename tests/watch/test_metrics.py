#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""/metrics and /debug/pprof of the http view: values and bands of the latest sample, access, and Debian's Prometheus
and go tool pprof on a program that is profiled while it runs."""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse
import urllib.request

import harness
import logs
from harness import CENSUS, PATIENCE_S, Running, Watch, main, read, wait_until
from viewer import Place, ask

HEADERS = 'JOB "j"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples")
OTHERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conformance/exchange/samples")
MOST_BANDS, LARGEST = 50, 20

# Grows in two functions until there is a file of that name.
PROGRAM = r"""
#include <stdlib.h>
#include <unistd.h>
#include <time.h>
static void *kept[20000];
__attribute__((noinline)) void *cache_line(void) { return malloc(50000); }
__attribute__((noinline)) void *index_entry(void) { return malloc(7000); }
int main(int argc, char **argv)
{
    for (int i = 0; argc == 2 && access(argv[1], F_OK) != 0; i++) {
        if (i < 10000) {
            kept[2 * i] = cache_line();
            kept[2 * i + 1] = index_entry();
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return kept[0] == NULL;
}
"""


# Allocates known amounts, and is then busy until there is a file of that name.
WORKER = r"""
#include <stdlib.h>
#include <unistd.h>
static void *kept[10];
static volatile long x;
__attribute__((noinline)) void *churn(void) { return malloc(1000); }
__attribute__((noinline)) void *keep(void) { return malloc(5000); }
__attribute__((noinline)) void spin(void) { for (int i = 0; i < 1000000; i++) { x += i; } }
int main(int argc, char **argv)
{
    for (int i = 0; i < 1000; i++) {
        free(churn());
        kept[i % 10] = i < 10 ? keep() : kept[i % 10];
    }
    while (argc == 2 && access(argv[1], F_OK) != 0) {
        spin();
    }
    return kept[0] == NULL;
}
"""


def text_of(time, costs):
    lines = "".join(f"{name}\t{amount}\n" for name, amount in costs.items())
    return f"BEGIN_SAMPLE {time}\n{lines}END_SAMPLE {time}\n"


def metrics_of(text):
    """Reads OpenMetrics text strictly: {(metric, band, limit, killer or None): value}."""
    assert text.endswith("# EOF\n"), text[-100:]
    values, kind = {}, None
    for line in text.splitlines()[:-1]:
        if line.startswith("# "):
            word, name, _ = line[2:].split(" ", 2)
            assert word in ("TYPE", "UNIT", "HELP") and (word == "TYPE") == (name != kind), line
            kind = name
            continue
        found = re.fullmatch(r'([a-z_]+)\{profile="((?:[^"\\\n]|\\["\\])*)"(?:,(?:band|limit|killer)="((?:[^"\\\n]|\\["\\])*)")?\} (\S+)', line)
        assert found and found[1] in (kind, kind + "_total"), line
        band = found[3] and re.sub(r"\\(.)", r"\1", found[3])
        assert (found[1], band) not in values, line
        values[found[1], band] = float(found[4])
    return values


def end_group(leader):
    """Kills a process and the ones that it started, if there are any left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class Metrics(Watch):
    def place_of(self, path, where=None, *words):
        return Place(self.serve(*words, path, where=where).errors())

    def scrape(self, place):
        answer = ask(place, "/metrics", headers=[f"Authorization: Bearer {place.token}"])
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8")
        return metrics_of(answer.body.decode())

    def test_bands(self):
        """Every sample of a random profile with many names."""
        chance = random.Random(3)
        names = [f"({i}){'f' if i < 4 else f'f{i}'}" for i in range(90)] + ['std::map<int, "a\\b">', "OTHER"]
        writer = self.open_writer("prog.hp", HEADERS.encode())
        place = self.place_of(self.path("prog.hp"))
        self.assertEqual(self.scrape(place), {})
        bands, peak = [], 0
        for n in range(1, 12):
            costs = {name: chance.randrange(1, 10**7) for name in chance.sample(names, 60)}
            writer.write(text_of(n / 8, costs).encode())
            labels = {name: re.sub(r"^\(\d+\)", "", name) for name in costs}
            live = {label: sum(costs[name] for name in costs if labels[name] == label) for label in labels.values()}
            writer.flush()
            found = wait_until(lambda: (seen := self.scrape(place)).get(("census_samples_total", None)) == n and seen, "the sample")
            largest = sorted(costs, key=costs.get, reverse=True)[:LARGEST]
            new = dict.fromkeys(labels[name] for name in largest)
            bands += [label for label in new if label not in bands and label != "OTHER"][:MOST_BANDS - len(bands)]
            total = sum(costs.values())
            peak = max(peak, total)
            expected = {("census_heap_live_bytes", label): live.get(label, 0) for label in bands}
            expected["census_heap_live_bytes", "OTHER"] = total - sum(expected.values())
            expected |= {("census_heap_total_bytes", None): total, ("census_heap_peak_bytes", None): peak,
                         ("census_samples_total", None): n, ("census_sample_time", None): n / 8}
            self.assertEqual(found, expected, n)
        self.assertEqual(len(bands), MOST_BANDS)

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool here")
    def test_documentation(self):
        """promtool accepts the configuration and the alert of docs/fleet.md, which names only metrics that are served."""
        page = (pathlib.Path(__file__).parents[2] / "docs/fleet.md").read_text()
        blocks = re.findall(r"```(?:yaml|json)\n(.*?)```", page, re.S)
        self.assertEqual(len(blocks), 4)
        all_processes = re.search(r"```yaml\n(.*?)```", (pathlib.Path(__file__).parents[2] / "docs/production.md").read_text(), re.S)[1]
        for kind, text in ("config", blocks[0]), ("rules", blocks[1]), ("config", all_processes):
            options = ["--syntax-only"] if kind == "config" else []
            done = subprocess.run(["promtool", "check", kind, *options, self.write(kind, text.encode())], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        panels = json.loads(blocks[2])["panels"]
        self.assertEqual([panel["type"] for panel in panels], ["timeseries"] * 2)
        self.write("prog.lines", b"time\twhat\tvalue\n1\tresident\t9\n")
        place = self.place_of(self.write("prog.hp", (HEADERS + text_of(1, {"a": 5})).encode()))
        served = {metric for metric, _ in wait_until(lambda: self.scrape(place), "metrics")}
        of_recordings = {"census_memory_used_ratio", "census_process_killed"}  # test_killed
        self.assertEqual(set(re.findall(r"census_\w+", page)) - of_recordings, served)

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool here")
    def test_lint(self):
        """promtool checks the older text format, in which the help of a counter has its name with `_total`."""
        self.write("prog.lines", b"time\twhat\tvalue\n1\tresident\t9\n")
        place = self.place_of(self.write("prog.hp", (HEADERS + text_of(1, {'a "\\': 5, "b": 7})).encode()))
        wait_until(lambda: len(self.scrape(place)) > 5, "all metrics")
        text = ask(place, f"/{place.token}/metrics").body
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
        self.assertEqual(done.stderr + done.stdout, b"census_samples_total no help text\n")

    def test_access(self):
        path = self.write("prog.hp", (HEADERS + text_of(1, {"a": 5})).encode())
        for where in "", "unix:" + self.path("socket"):
            place = self.place_of(path, where)
            wrong = "0" * 32
            for headers, status in (([], 401), ([f"Authorization: Bearer {wrong}"], 401), (["Authorization: Bearer "], 401),
                                    ([f"Authorization: Basic {place.token}"], 401), ([f"Authorization: Bearer {place.token}0"], 401),
                                    ([f"Authorization: bearer {place.token}"], 200)):
                answer = ask(place, "/metrics", headers=headers)
                self.assertEqual(answer.status, status, headers)
                self.assertEqual("www-authenticate" in answer.headers, status == 401)
            self.assertEqual(ask(place, f"/{place.token}/metrics").status, 200)
            self.assertEqual(ask(place, f"/{wrong}/metrics").status, 404)
            good = [f"Authorization: Bearer {place.token}"]
            self.assertEqual(ask(place, "/metrics", host="evil.example", headers=good).status, 404)
            self.assertEqual(ask(place, "/metrics", method="POST", headers=good).status, 405)
            self.assertEqual(ask(place, "/events", headers=good).status, 404)  # the token opens metrics only
            answer = ask(place, "/debug/pprof/heap?pid=5", headers=good)
            self.assertEqual((answer.status, answer.body), (404, b"pid chooses a process of census run or attach: these are files\n"))

    def test_killed(self):
        """Of a process that was killed, the reason stays; of one that runs, how close its limits are."""
        child = "import os, time; x = bytearray(4 << 20); time.sleep(0.5); os.kill(os.getpid(), 9)"
        script = f"\"$1\" -c '{child}'; while [ ! -e \"$2\" ]; do sleep 0.05; done"
        run = subprocess.Popen([CENSUS, "run", "-q", "-i0.05", "-o", self.path("prog.census"), "--listen=127.0.0.1:0", "--token-file",
                                self.path("token"), "--", "sh", "-c", script, "sh", sys.executable, self.path("end")],
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.addCleanup(run.wait, PATIENCE_S)  # the program sees the file before it is removed
        self.addCleanup(self.write, "end", b"")
        place = Place(run.stderr.readline())
        found = wait_until(lambda: "killer=" in (seen := ask(place, f"/{place.token}/metrics").body.decode()) and seen, "the kill")
        self.assertRegex(found, r'(?m)^census_process_killed\{profile=".*prog\.census:\d+",killer="not for memory"\} 1$')
        self.assertRegex(found, r'(?m)^census_memory_used_ratio\{profile=".*prog\.census",limit="MemTotal"\} 0\.\d+$')

    def begin_program(self, *options, text=PROGRAM):
        """Profiles a program of this test, which runs until the test ends. Returns the place, and a function that
        ends the program and returns the samples of its .hp file, as {time: {name: amount}}."""
        program, end = self.path("program"), self.path("end")
        source = self.write("program.c", text.encode())
        subprocess.run(["cc", "-O1", "-g", "-o", program, source], check=True)
        run = subprocess.Popen([CENSUS, "run", "-q", "-i0.05", "-o", self.path("prog.hp"), "-o",
                                self.path("prog.census"), "--listen=127.0.0.1:0", "--token-file", self.path("token"), *options, "--", program, end], stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.addCleanup(run.wait, PATIENCE_S)  # the program sees the file before it is removed
        self.addCleanup(self.write, "end", b"")

        def end_program():
            self.write("end", b"")
            self.assertEqual(run.wait(PATIENCE_S), 0)
            samples = {}
            for line in read(self.path("prog.hp")).decode().splitlines():
                if line.startswith("BEGIN_SAMPLE"):
                    samples[time := float(line.split()[1])] = {}
                elif "\t" in line:
                    name, amount = line.split("\t")
                    samples[time][name] = samples[time].get(name, 0) + int(amount)
            return samples

        return Place(run.stderr.readline()), end_program

    def pprof(self, place, data, *options):
        done = subprocess.run(["go", "tool", "pprof", *options,
                               f"http://{place.host}:{place.port}/{place.token}/debug/pprof/{data}"],
                              capture_output=True, text=True, env={**os.environ, "HOME": self.path(""), "GOFLAGS": "-mod=mod",
                                                                   "PPROF_TMPDIR": self.path("pprof")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def top(self, place, data, *options):
        """Returns the sample type, and {function: (flat amount, places)}, as go tool pprof fetches and prints them."""
        printed = self.pprof(place, data, "-top", "-lines", *options)
        rows = re.findall(r"^ *(\d+)(?:B|ns)? +\S+% +\S+% +\d+(?:B|ns)? +\S+% +(\S+)(?: (\S+))?$", printed, re.M)
        functions = {name: (sum(int(row[0]) for row in rows if row[1] == name), {row[2] for row in rows if row[1] == name})
                     for _, name, _ in rows}
        return re.search(r"^Type: (\S+)$", printed, re.M)[1], functions

    def places(self, text, *codes):
        """Returns FILE:LINE of pieces of the program's code."""
        return {f"{self.path('program.c')}:{n}" for n, line in enumerate(text.splitlines(), 1) if any(code in line for code in codes)}

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    @unittest.skipUnless(shutil.which("cc"), "there is no compiler here")
    def test_costs(self):
        """go tool pprof reads what a program has allocated, and its processor time while it is asked for."""
        place, end_program = self.begin_program("-hc", "-p", "-o", self.path("prog.prof"), text=WORKER)
        for wrong in "x", "0", "601", "-1", "1x", "":
            self.assertEqual(ask(place, f"/{place.token}/debug/pprof/profile?seconds={wrong}").status, 400, wrong)
        wait_until(lambda: self.top(place, "allocs", "-unit=B")[1].get("churn", [0])[0] == 1000000, "all allocations")
        kind, rows = self.top(place, "allocs", "-unit=B")
        self.assertEqual(kind, "alloc_space")
        self.assertEqual({name: flat for name, (flat, _) in rows.items() if flat}, {"churn": 1000000, "keep": 50000})
        self.assertEqual({name: places for name, (_, places) in rows.items()},  # of whole stacks
                         {"churn": self.places(WORKER, "*churn("), "keep": self.places(WORKER, "*keep("),
                          "main": self.places(WORKER, "free(churn", "? keep()")})
        _, rows = self.top(place, "allocs", "-sample_index=alloc_objects")
        self.assertEqual({name: flat for name, (flat, _) in rows.items() if flat}, {"churn": 1000, "keep": 10})
        for index, amount in ("inuse_objects", 10), ("inuse_space", 50000):
            for query in "", "?pid=" + self.process_of(self.path("program")):
                kind, rows = self.top(place, "heap" + query, "-unit=B", "-sample_index=" + index)
                self.assertEqual({name: flat for name, (flat, _) in rows.items()}, {"keep": amount, "main": 0})
                self.assertEqual(kind, index)
        self.assertEqual(ask(place, f"/{place.token}/debug/pprof/allocs?pid=1").status, 404)
        kind, rows = wait_until(lambda: (found := self.top(place, "profile?seconds=1", "-unit=ns"))[1].get("spin") and found, "ticks")
        self.assertEqual(kind, "cpu")
        measured = sum(flat for flat, _ in rows.values())
        self.assertEqual(max(rows, key=rows.get), "spin")
        self.assertNotIn("churn", rows)  # its time is before the measurement
        end_program()
        n_ticks = int(re.search(r"\((\d+) ticks", read(self.path("prog.prof")).decode())[1])
        self.assertLessEqual(measured, n_ticks * 10**6)

    @staticmethod
    def process_of(path):
        return next(pid for pid in os.listdir("/proc")
                    if pid.isdigit() and os.path.exists(f"/proc/{pid}/exe") and os.path.realpath(f"/proc/{pid}/exe") == path)

    def ticks(self, log):
        """Returns the ticks of a log by function, as `census convert` counts them."""
        found = {}
        for line in subprocess.run([CENSUS, "convert", "--time", "--format", "folded", log], check=True, capture_output=True,
                                   text=True).stdout.splitlines():
            stack, n = line.rsplit(" ", 1)
            function = stack.split(";")[-1]
            found[function] = found.get(function, 0) + int(n)
        return found

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    def test_ticks_of_growing_log(self):
        """Samples that come while a time profile is asked for, and all of them at once when the log is complete."""
        writer = self.open_writer("prog.eventlog", logs.header())
        place = self.place_of(self.path("prog.eventlog"))
        self.assertEqual(ask(place, f"/{place.token}/debug/pprof/profile?seconds=1").status, 404)
        writer.write(logs.block(logs.started(), logs.begun(), logs.timed(10**7), logs.centre(1, "before", "Before.hs:3:1-9"),
                                logs.centre(2, "during", "During.hs:7:1-9"), *[logs.tick(1)] * 1000, logs.sample(1, {(0, "A"): 1})))
        wait_until(lambda: self.scrape(place), "the sample")
        is_over, n_written = threading.Event(), 0

        def write():
            nonlocal n_written
            while not is_over.wait(0.02):
                writer.write(logs.block(logs.tick(2), capability=0))
                n_written += 1
        thread = threading.Thread(target=write)
        thread.start()
        try:
            kind, rows = wait_until(lambda: (found := self.top(place, "profile?seconds=1", "-unit=ns"))[1] and found, "ticks")
        finally:
            is_over.set()
            thread.join()
        self.assertEqual((kind, list(rows)), ("cpu", ["during"]))
        flat, places = rows["during"]
        self.assertLessEqual(flat, n_written * 10**7)
        self.assertEqual(places, {"During.hs:7"})
        writer.write(logs.END)
        for where in place, self.place_of(self.path("prog.eventlog")):
            expected = {"before": 1000 * 10**7, "during": n_written * 10**7}
            wait_until(lambda: self.functions(where, "profile") == expected, "all ticks at once")
        self.assertEqual(self.functions(place, "profile?seconds=1"), {})

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    def test_ticks_without_heap(self):
        """A log of GHC need not have a heap profile."""
        log = os.path.join(SAMPLES, "eventlog/interp-prof-small-p-lau.eventlog")
        place = self.place_of(log)
        expected = {name: n * 10**6 for name, n in self.ticks(log).items()}
        end = time.monotonic() + 2  # after a second, census takes the file for complete
        while time.monotonic() < end:
            self.assertEqual(self.functions(place, "profile"), expected)
        self.assertEqual(self.top(place, "profile", "-unit=ns")[1]["eval"][1], {"interp.hs:14"})
        self.assertEqual(ask(place, f"/{place.token}/debug/pprof/allocs").status, 404)
        self.assertEqual(ask(place, f"/{place.token}/debug/pprof/heap").status, 503)

    def functions(self, place, data):
        return {name: flat for name, (flat, _) in self.top(place, data, "-unit=" + ("B" if data == "allocs" else "ns"),
                                                           "-nodefraction=0")[1].items() if flat}

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    @unittest.skipUnless(shutil.which("cc"), "there is no compiler here")
    def test_costs_of_recording(self):
        """What a native program has allocated, and its ticks, from its log: while it is written, and complete."""
        run, end_program = self.begin_program("-hc", "-p", "-o", self.path("prog.eventlog"), text=WORKER)
        log = self.path("prog.eventlog")
        wait_until(lambda: os.path.exists(log), "the log")
        place = self.place_of(log)
        allocated = {"churn": 1000000, "keep": 50000}
        wait_until(lambda: ask(place, f"/{place.token}/debug/pprof/allocs").status == 200, "totals")
        wait_until(lambda: self.functions(place, "allocs") == allocated, "what the program has allocated")
        wait_until(lambda: "spin" in self.functions(place, "profile?seconds=1"), "ticks of the program")
        end_program()
        ticks = {name: n * 10**6 for name, n in self.ticks(log).items()}
        for where in place, self.place_of(log):
            wait_until(lambda: self.functions(where, "profile") == ticks, "all ticks")
            self.assertEqual(self.functions(where, "allocs"), allocated)
            self.assertEqual(self.top(where, "allocs", "-unit=B")[0], "alloc_space")
        _, rows = self.top(place, "allocs", "-unit=B")
        self.assertEqual(rows["keep"][1], self.places(WORKER, "*keep("))

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    def test_allocations_of_another_tool(self):
        """Finished files, as `census convert --value` reads them."""
        for name, value in ("dhat.json", "total"), ("heaptrack.txt", "allocated"), ("gperftools.heap", "alloc_space"):
            path = os.path.join(OTHERS, name)
            place = self.place_of(path)
            document = json.loads(subprocess.run([CENSUS, "convert", "--format", "json", "--value", value, path], check=True,
                                                 capture_output=True).stdout)
            self.assertEqual(sum(self.functions(place, "allocs").values()), sum(document["samples"][-1]["costs"].values()), name)
        self.assertEqual(self.top(self.place_of(os.path.join(OTHERS, "dhat.json")), "allocs", "-unit=B")[1]["inner"][1], {"t.c:3"})

    @unittest.skipUnless(shutil.which("cc"), "there is no compiler here")
    def test_costs_that_are_not_counted(self):
        place = self.place_of(self.write("file.hp", (HEADERS + text_of(1, {"a": 5})).encode()))
        run, _ = self.begin_program("-hc")
        massif = self.place_of(os.path.join(OTHERS, "massif.out"))
        no_ticks = b"this profile has no ticks of processor time: record it with -p, in GHC with +RTS -p -l\n"
        no_totals = b"this profile does not say what was allocated\n"
        for where, data, reason in ((run, "profile?seconds=1", no_ticks), (place, "profile", no_ticks),
                                    (place, "allocs", no_totals), (massif, "allocs", no_totals)):
            answer = ask(where, f"/{where.token}/debug/pprof/{data}")
            self.assertEqual((answer.status, answer.body), (404, reason))
        wait_until(lambda: ask(place, f"/{place.token}/debug/pprof/heap").status == 200, "the heap of the file")
        self.assertEqual(ask(run, "/debug/pprof/allocs").status, 401)

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    def test_file_of_another_tool(self):
        """A finished file of massif is served whole, with its lines."""
        place = self.place_of(os.path.join(OTHERS, "massif.out"))
        self.assertEqual(self.scrape(place)["census_heap_peak_bytes", None], 3535680)
        _, rows = self.top(place, "heap", "-unit=B", "-nodefraction=0")
        self.assertEqual(rows["leaf"], (2070000, {"allocate.c:13"}))
        self.assertEqual(rows["table"], (1464000, {"allocate.c:27"}))
        self.assertEqual(rows["main"], (0, {"allocate.c:35", "allocate.c:36", "allocate.c:37"}))

    @unittest.skipUnless(shutil.which("go"), "there is no go here")
    @unittest.skipUnless(shutil.which("cc"), "there is no compiler here")
    def test_pprof(self):
        """go tool pprof reads the heap of a program that runs: amounts of a sample, and lines, whatever the bands
        are."""
        place, end_program = self.begin_program("-hd")
        self.assertEqual(ask(place, "/debug/pprof/heap").status, 401)
        path = f"/{place.token}/debug/pprof/heap"
        wait_until(lambda: ask(place, path).status == 200 and
                   self.scrape(place).get(("census_heap_total_bytes", None), 0) > 10**6, "growth")
        kind, rows = self.top(place, "heap", "-unit=B")
        listed = self.pprof(place, "heap", "-unit=B", "-list", "^main$")
        raw = self.pprof(place, "heap", "-raw")
        samples = end_program()
        starts = {(place, f"{self.path('program.c')}:{start}") for place, start in re.findall(r" main (\S+) s=(\d+)", raw)}
        (begin,) = self.places(PROGRAM, "int main(")
        self.assertEqual(starts, {(call, begin) for call in self.places(PROGRAM, "= cache_line()", "= index_entry()")})
        self.assertEqual(kind, "inuse_space")
        with_amounts = re.findall(r"(?m)^ +\. +\d+B +\d+: +(.*)$", listed)
        self.assertEqual(with_amounts, ["kept[2 * i] = cache_line();", "kept[2 * i + 1] = index_entry();"])
        totals = [sum(costs.values()) for costs in samples.values()]
        self.assertIn(sum(flat for flat, _ in rows.values()), totals, rows)
        for function in "cache_line", "index_entry":
            self.assertEqual(rows[function][1], self.places(PROGRAM, f"*{function}("))
            self.assertGreater(rows[function][0], 0)

    def test_python_server(self):
        """A server of Flask that leaks under load: the band that grows most is the line that keeps the pages, by at
        least what the requests made."""
        python, server, socket_path = "/usr/bin/python3", os.path.join(SAMPLES, "python/server.py"), self.path("socket")
        if subprocess.run([python, "-c", "import flask"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("there is no python3-flask here")
        run = subprocess.Popen([CENSUS, "run", "-q", "-hd", "-i0.05", "--listen=127.0.0.1:0", "-o", self.path("prog"), "--", python,
                                server, "unix://" + socket_path], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               text=True, start_new_session=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(end_group, run.pid)
        place = Place(run.stderr.readline())

        def search():
            with socket.socket(socket.AF_UNIX) as link:
                if link.connect_ex(socket_path) != 0:
                    return False
                link.sendall(b"GET /search/item HTTP/1.0\r\nHost: x\r\n\r\n")
                self.assertIn(b"5000 items", link.makefile("rb").read())
                return True

        wait_until(search, "the server")
        before_line = read(server).decode().partition("last_search[visitor] =")[0]
        band = "census_heap_live_bytes", "server.remember@server.py:%d" % (before_line.count("\n") + 1)
        before = wait_until(lambda: (seen := self.scrape(place)).get(band) and seen, "a sample with the first page")
        for _ in range(40):
            self.assertTrue(search())
        page = sum(len("item %d of shelf %d\n" % (number, number % 97)) for number in range(5000)) - 1
        growth = wait_until(lambda: (grown := {key: value - before.get(key, 0) for key, value in self.scrape(place).items()
                                               if key[0] == "census_heap_live_bytes" and key[1] != "OTHER"}) and
                            max(grown.values()) >= 40 * page and grown, "growth")
        self.assertEqual(max(growth, key=growth.get), band)
        self.assertLess(max(growth.values()), 41 * (page + 2000))
        os.killpg(run.pid, signal.SIGINT)
        self.assertEqual(run.wait(PATIENCE_S), 0)

    @unittest.skipUnless(shutil.which("prometheus"), "there is no prometheus here")
    @unittest.skipUnless(shutil.which("cc"), "there is no compiler here")
    def test_prometheus(self):
        """What Prometheus has scraped in a minute are samples of the .hp file, in their order, and its sums and
        differences agree."""
        place, end_program = self.begin_program("-hd")
        self.write("prometheus.yml", f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - job_name: census
    authorization: {{credentials_file: {self.path('token')}}}
    static_configs: [{{targets: ['{place.host}:{place.port}']}}]
""".encode())
        kept = socket.socket()  # keeps the port
        self.addCleanup(kept.close)
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{kept.getsockname()[1]}"
        server = subprocess.Popen(["prometheus", "--config.file", self.path("prometheus.yml"), "--web.listen-address", address,
                                   "--storage.tsdb.path", self.path("data"), "--log.level", "error"],
                                  cwd=self.path(""), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)

        def ask_promql(query):
            try:
                with urllib.request.urlopen(f"http://{address}/api/v1/query?query={urllib.parse.quote(query)}") as answer:
                    return json.load(answer)["data"]["result"]
            except OSError:
                return []

        def one(query):
            result = ask_promql(query)
            return float(result[0]["value"][1]) if result else 0

        time.sleep(60)  # what is compared is a minute
        wait_until(lambda: one("count_over_time(census_heap_total_bytes[1h])") >= 40 and
                   one("max_over_time(census_heap_total_bytes[1h]) - min_over_time(census_heap_total_bytes[1h])") > 10**7,
                   "scrapes of growth")
        raw = {(series["metric"]["__name__"], series["metric"].get("band")): dict(map(tuple, series["values"]))
               for series in ask_promql('{__name__=~"census_.*"}[1h]')}
        largest = ask_promql("topk(1, census_heap_live_bytes)")[0]["metric"]["band"]
        growing = ask_promql("topk(1, max_over_time(census_heap_live_bytes[1h]) - min_over_time(census_heap_live_bytes[1h]))")
        wrong = ask_promql("sum by (profile) (census_heap_live_bytes) != on (profile) census_heap_total_bytes")
        slope = one("deriv(census_heap_total_bytes[1h])")
        server.kill()
        samples = end_program()
        order = list(samples)
        times = sorted(raw["census_sample_time", None].items())
        positions = [order.index(float(value)) for _, value in times]
        self.assertEqual(positions, sorted(positions))
        for at, value in times:
            sample = samples[float(value)]
            found = {band: float(values[at]) for (metric, band), values in raw.items()
                     if metric == "census_heap_live_bytes" and at in values}
            self.assertEqual({band: amount for band, amount in found.items() if amount}, sample)
            self.assertEqual(float(raw["census_heap_total_bytes", None][at]), sum(sample.values()))
        self.assertEqual(wrong, [])
        self.assertIn("cache_line", largest)
        self.assertEqual(growing[0]["metric"]["band"], largest)
        values = [samples[float(value)][largest] for _, value in times if largest in samples[float(value)]]
        self.assertLessEqual(max(values) - min(values), float(growing[0]["value"][1]))
        self.assertGreater(slope, 0)
        self.assertGreater(min(float(v) for v in raw["census_resident_bytes", None].values()), 10**5)


if __name__ == "__main__":
    main()
