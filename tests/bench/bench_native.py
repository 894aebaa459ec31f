#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `census run` costs a program, beside the program alone and beside heaptrack.

    bench_native.py --build build/dev [--rounds 3] [--only NAME,...] [--verify N] [--with=OPTION] [--rate SIZE]

The workloads come from bench/native. In each round each of them runs plainly, under census, under
heaptrack's preloaded library alone (raw recording: the least that it can cost), and under heaptrack
as it records (`--raw`); the least CPU time of the rounds counts. Everything is measured in one
run. "ns" is CPU time added to the program's own for each call that allocates; a free is not counted
for itself, but paid for. "all" is the CPU time of all processes together. Slowness never fails.

With --rate, each runs plainly, with that rate, with all blocks counted, and with jemalloc, without and with its own
profile of one sample for 512 KiB: CPU time and memory compared to plain.
"""
import argparse
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
HEAPTRACK_LIBRARIES = ("/usr/lib/heaptrack/libheaptrack_preload.so",
                       "/usr/lib/x86_64-linux-gnu/heaptrack/libheaptrack_preload.so")
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
PATIENCE_S = 600

Workload = namedtuple("Workload", "script environment needs")
WORKLOADS = {
    "micro10": Workload("micro", {"FRAMES": "10", "PAIRS": "20000000"}, ["cc"]),
    "micro60": Workload("micro", {"FRAMES": "60", "PAIRS": "20000000"}, ["cc"]),
    "micro10 rewind": Workload("micro", {"FRAMES": "10", "REWIND": "1"}, ["cc"]),
    "mt": Workload("mt", {}, ["cc"]),
    "sqlite": Workload("sqlite", {}, ["sqlite3"]),
    "git": Workload("git", {}, ["git", "perl"]),
    "perl": Workload("perl", {}, ["perl"]),
    "python": Workload("python", {}, ["/usr/bin/python3"]),
    "cc1plus": Workload("cc1plus", {}, ["g++"]),
    "clang": Workload("clang", {}, ["clang++"]),
}
GOALS_NS = {"micro10": 10, "micro60": 20}

Cost = namedtuple("Cost", "cpu_s peak_mib all_cpu_s")


class Bench:
    def __init__(self, options):
        build = os.path.abspath(options.build)
        self.census = options.census or os.path.join(build, "cli/census")
        self.measure = os.path.join(build, "tests/bench/measure")
        self.counting = os.path.join(build, "tests/native/programs/libcounting.so")
        self.verify = options.verify
        self.options = options.options
        self.folder = tempfile.mkdtemp(prefix="census-bench-")
        self.heaptrack = next(filter(os.path.exists, HEAPTRACK_LIBRARIES), None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="ascii") as file:
            _, cpu_s, peak_kib, status = file.read().split()
        if status != "0":
            raise RuntimeError("the workload failed with status " + status)
        return float(cpu_s), float(peak_kib) / 1024

    def run(self, workload, outer, inner=()):
        """The cost: `outer` is what starts the measured program, `inner` stands right before it."""
        script = os.path.join(HERE, "native", workload.script + ".sh")
        whole = [self.measure, "-o", self.path("all"), str(PATIENCE_S)]
        own = [self.measure, "-o", self.path("own"), str(PATIENCE_S)]
        subprocess.run([script, *whole, *outer, *own, *inner], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, **workload.environment})
        cpu_s, peak_mib = self.read("own")
        return Cost(cpu_s, peak_mib, self.read("all")[0])

    def plain(self, workload):
        return self.run(workload, [])

    def census_run(self, workload):
        if self.verify:
            os.environ["CENSUS_VERIFY_STACKS"] = str(self.verify)
        return self.run(workload, [self.census, "run", "-q", *self.options, "-o", self.path("profile"),
                                   "--"])

    def census_sampling(self, workload, rate):
        return self.run(workload, [self.census, "run", "-q", "--rate", rate, "-o", self.path("profile"), "--"])

    def jemalloc(self, workload, settings):
        return self.run(workload, [], ["env", "LD_PRELOAD=" + JEMALLOC, "MALLOC_CONF=" + settings])

    def heaptrack_raw(self, workload):
        return self.run(workload, [], ["env", "LD_PRELOAD=" + self.heaptrack,
                                       "DUMP_HEAPTRACK_OUTPUT=" + self.path("raw")])

    def heaptrack_record(self, workload):
        """Only the sum: heaptrack does not follow programs that its program starts. `--raw`, because
        the interpreter that it has beside it by default may take all memory there is and die, as
        that of 1.4 does on cc1plus."""
        script = os.path.join(HERE, "native", workload.script + ".sh")
        subprocess.run([script, self.measure, "-o", self.path("all"), str(PATIENCE_S), "heaptrack",
                        "--raw", "-o", self.path("record")], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, **workload.environment})
        return Cost(math.nan, math.nan, self.read("all")[0])

    def allocations(self, workload):
        """Counted once, by a library that shares no code with the profiler."""
        shutil.rmtree(self.path("counts"), ignore_errors=True)
        os.mkdir(self.path("counts"))
        script = os.path.join(HERE, "native", workload.script + ".sh")
        subprocess.run([script, "env", "COUNTING_FILE=" + self.path("counts/own"),
                        "LD_PRELOAD=" + self.counting], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **workload.environment})
        with open(self.path("counts/own"), "rb") as file:
            return struct.unpack("Q", file.read(8))[0]

    def best(self, workload, rounds):
        """The least cost of each way to run it; the ways take turns."""
        ways = [("plain", self.plain), ("census", self.census_run)]
        if self.heaptrack:
            ways += [("raw", self.heaptrack_raw), ("record", self.heaptrack_record)]
        return self.take_turns(ways, workload, rounds)

    def best_of_samples(self, workload, rounds, rate):
        ways = [("plain", self.plain), ("rate", lambda w: self.census_sampling(w, rate)), ("all", self.census_run)]
        if os.path.exists(JEMALLOC):
            ways += [("jemalloc", lambda w: self.jemalloc(w, "prof:false")),
                     ("its profile", lambda w: self.jemalloc(w, "prof:true,lg_prof_sample:19"))]
        return self.take_turns(ways, workload, rounds)

    @staticmethod
    def take_turns(ways, workload, rounds):
        costs = {name: [] for name, _ in ways}
        for _ in range(rounds):
            for name, way in ways:
                costs[name].append(way(workload))
        return {name: Cost(*map(min, zip(*all_costs))) for name, all_costs in costs.items()}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def times(value):
    return "-" if math.isnan(value) else "%.2f" % value


class Table:
    """One row for each workload, and what follows from all of them."""

    def __init__(self):
        self.less, self.more_memory, self.nanoseconds = [], [], {}

    def heading(self):
        print("%-15s %9s | %8s %8s | %8s %8s %8s %7s %6s | %8s %8s %7s %8s | %8s" % (
            "", "", "plain", "", "census", "+census", "", "", "memory", "raw", "record", "",
            "memory", "added"))
        print("%-15s %9s | %8s %8s | %8s %8s %8s %7s %6s | %8s %8s %7s %8s | %8s" % (
            "workload", "calls", "CPU s", "MiB", "CPU s", "process", "ns", "x CPU", "x", "CPU s",
            "all s", "ns", "x", "raw/ours"))

    def row(self, name, calls, costs):
        plain, census = costs["plain"], costs["census"]
        raw, record = costs.get("raw"), costs.get("record")
        added = max(census.cpu_s - plain.cpu_s, 1e-4)
        memory = census.peak_mib / plain.peak_mib
        self.nanoseconds[name] = added / calls * 1e9
        self.more_memory.append(memory)
        text = "%-15s %9d | %8.2f %8.1f | %8.2f %8.2f %8.1f %7.2f %6.2f |" % (
            name, calls, plain.cpu_s, plain.peak_mib, census.cpu_s,
            census.all_cpu_s - census.cpu_s, self.nanoseconds[name], census.cpu_s / plain.cpu_s,
            memory)
        if raw:
            raw_added = raw.cpu_s - plain.cpu_s
            self.less.append(raw_added / added)
            text += " %8.2f %8.2f %7.1f %8.2f | %8.1f" % (
                raw.cpu_s, record.all_cpu_s, raw_added / calls * 1e9, raw.peak_mib / plain.peak_mib,
                self.less[-1])
        print(text, flush=True)

    def verdict(self, what, value, goal, is_reached):
        print("%-58s %8s  (%s: %s)" % (what, times(value), goal,
                                       "reached" if is_reached else "missed"))

    def verdicts(self):
        print()
        if self.less:
            mean, worst = geometric_mean(self.less), min(self.less)
            self.verdict("added CPU, heaptrack raw / census, geometric mean", mean, "goal 10",
                         mean >= 10)
            self.verdict("the same, worst", worst, "goal 3", worst >= 3)
        for name, goal in GOALS_NS.items():
            if name in self.nanoseconds:
                self.verdict("ns added to a pair of malloc and free, " + name,
                             self.nanoseconds[name], "goal %d" % goal,
                             self.nanoseconds[name] <= goal)
        mean = geometric_mean(self.more_memory)
        self.verdict("peak memory, census / plain, geometric mean", mean, "goal 1.3", mean <= 1.3)


def print_samples(name, costs):
    plain = costs["plain"]
    print("%-15s plain %7.2f s %8.1f MiB" % (name, plain.cpu_s, plain.peak_mib), *(
        "| %s %.3f x, %+.1f MiB" % (way, cost.cpu_s / plain.cpu_s, cost.peak_mib - plain.peak_mib)
        for way, cost in costs.items() if way != "plain"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder of a build with tests")
    parser.add_argument("--census", help="another census than the build's")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="names of workloads, separated by commas")
    parser.add_argument("--verify", type=int, default=0, help="compare one stack in N")
    parser.add_argument("--with", dest="options", action="append", default=[], metavar="OPTION",
                        help="an option for census run, such as --with=-hb (may be repeated)")
    parser.add_argument("--rate", metavar="SIZE", help="compare census run --rate SIZE")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(WORKLOADS)
    bench, table = Bench(options), Table()
    if not bench.heaptrack and not options.rate:
        print("heaptrack is not installed: no comparison with it", file=sys.stderr)
    if not options.rate:
        table.heading()
    try:
        for name in names:
            workload = WORKLOADS[name]
            lacking = [program for program in workload.needs if not shutil.which(program)]
            if lacking:
                print("%-15s %s is not installed" % (name, lacking[0]))
                continue
            if options.rate:
                print_samples(name, bench.best_of_samples(workload, options.rounds, options.rate))
                continue
            calls = bench.allocations(workload)
            table.row(name, calls, bench.best(workload, options.rounds))
        if not options.rate:
            table.verdicts()
    finally:
        shutil.rmtree(bench.folder)


if __name__ == "__main__":
    main()
