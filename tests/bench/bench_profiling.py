#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what each kind of profile costs, as tables in Markdown.

    bench_profiling.py --build build/release [--rounds 3] [--only modes|bins] [--ghc GHC]

modes: whole programs of samples/programs with each option, and their Haskell versions with the same option of
GHC's run-time system, if GHC and its profiling libraries are installed. A figure is CPU time, divided by the time of the
same program without a profile; the least of all rounds counts.

bins: the claims of the note on address bins (docs/formats/address-bins.md): the cost while the program runs, the size of the
file against an array with a 32-bit counter for each byte of code, and both kinds at once.

A slow machine never makes it fail.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE_S = 120
INTERVAL = "-i0.05"
MODES = ["-hc", "-hm", "-hd", "-hy", "-hr", "-hb", "-p"]
# Problem sizes: of the sample runtime, of GHC.
PROGRAMS = {"last_init": (500000, 3000000), "leak": (50000, 1000000), "drag": (1000000, 1000000),
            "void": (1000000, 1000000), "costs": (33, 35)}
BINS = {"last_init": 500000, "drag": 1000000, "costs": 33}


class Bench:
    def __init__(self, options):
        build = os.path.abspath(options.build)
        self.census = os.path.join(build, "cli/census")
        self.measure = os.path.join(build, "tests/bench/measure")
        self.samples = os.path.join(build, "samples/programs")
        self.rounds, self.ghc = options.rounds, options.ghc
        self.folder = tempfile.mkdtemp(prefix="census-bench-")

    def cpu_s(self, *command):
        """The least CPU time of the command in seconds; NaN if it fails in every round."""
        times = [math.nan]
        for _ in range(self.rounds):
            done = subprocess.run([self.measure, str(PATIENCE_S), *map(str, command)], cwd=self.folder,
                                  check=True, capture_output=True, text=True)
            _, cpu, _, status = done.stdout.split()
            times += [float(cpu)] if status == "0" else []
        return min(times[1:], default=math.nan)

    def compile(self, program):
        """Builds the Haskell version for profiling. Returns its path, or None."""
        if not shutil.which(self.ghc):
            return None
        source = os.path.join(ROOT, "samples/programs/haskell", program + ".hs")
        objects, path = os.path.join(self.folder, "o." + program), os.path.join(self.folder, "ghc-" + program)
        os.mkdir(objects)
        done = subprocess.run([self.ghc, "-O0", "-prof", "-fprof-auto", "-rtsopts", "-outputdir", objects,
                               "-o", path, source], capture_output=True)
        return path if done.returncode == 0 else None


def ratio(value, base):
    return "failed" if math.isnan(value) else "%.2f" % (value / base)


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def heading(*cells):
    row(*cells)
    row(*["---"] + ["---:"] * (len(cells) - 1))


def measure_modes(bench):
    heading("program", "profiler", "plain, s", *MODES)
    for program, sizes in PROGRAMS.items():
        ours, theirs = os.path.join(bench.samples, program), bench.compile(program)
        for name, path, n in ("hpprof", ours, sizes[0]), ("GHC", theirs, sizes[1]):
            if path:
                plain = bench.cpu_s(path, n)
                row("`%s %d`" % (program, n), name, "%.2f" % plain,
                    *[ratio(bench.cpu_s(path, n, "+RTS", mode, INTERVAL, "-RTS"), plain) for mode in MODES])


def code_bytes(program):
    """The bytes of code in a program, without its libraries."""
    with open(program, "rb") as file:
        data = file.read()
    offset, size, n = (int.from_bytes(data[a:b], "little") for a, b in ((32, 40), (54, 56), (56, 58)))
    total = 0
    for i in range(n):
        head = data[offset + i * size:offset + (i + 1) * size]
        is_code = int.from_bytes(head[:4], "little") == 1 and head[4] & 1
        total += int.from_bytes(head[32:40], "little") if is_code else 0
    return total


def measure_bins(bench):
    heading("program", "plain, s", "-Bt", "-Bh", "-B", "-B / -Bt", "time bins", "heap bins", "file of both, bytes",
            "array / file", "heap bins of -B and -Bh")
    micro = os.path.join(bench.folder, "micro")
    subprocess.run(["cc", "-O2", "-fno-optimize-sibling-calls", "-o", micro,
                    os.path.join(ROOT, "tests/bench/native/micro.c")], check=True)
    commands = {"%s %d" % item: (lambda flag, item=item: [os.path.join(bench.samples, item[0]), item[1]]
                                 + (["+RTS", flag, "-orun" + flag, "-RTS"] if flag else []))
                for item in BINS.items()}
    commands["micro 10 10000000, native"] = lambda flag: (
        [bench.census, "run", "-q", flag, "-o", "run" + flag, "--"] if flag else []) + [micro, 10, 10000000]
    for name, command in commands.items():
        plain = bench.cpu_s(*command(None))
        time, heap, both = (bench.cpu_s(*command(flag)) for flag in ("-Bt", "-Bh", "-B"))
        files = {kind: os.path.join(bench.folder, "run%s.%s.bins" % kind) for kind in
                 (("-B", "time"), ("-B", "heap"), ("-Bh", "heap"))}
        facts = {kind: json.loads(subprocess.run([bench.census, "info", "--format", "json", path],
                                                 capture_output=True, check=True).stdout)
                 for kind, path in files.items()}
        tables = [subprocess.run([bench.census, "convert", "--format", "csv", files[kind]], capture_output=True,
                                 check=True).stdout for kind in (("-B", "heap"), ("-Bh", "heap"))]
        size = sum(os.path.getsize(files[kind]) for kind in (("-B", "time"), ("-B", "heap")))
        program = command(None)[0]
        row("`%s`" % name, "%.2f" % plain, ratio(time, plain), ratio(heap, plain), ratio(both, plain),
            ratio(both, time), *[facts[kind]["addresses"] for kind in (("-B", "time"), ("-B", "heap"))],
            size, "%.0f" % (2 * 4 * code_bytes(program) / size),
            "equal" if sorted(tables[0].splitlines()) == sorted(tables[1].splitlines()) else "different")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder of a build with tests and samples")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("modes", "bins"))
    parser.add_argument("--ghc", default="ghc", help="the compiler for the Haskell versions")
    options = parser.parse_args()
    bench = Bench(options)
    print("Load at the start: %.1f on %d processors.\n" % (os.getloadavg()[0], os.cpu_count()))
    try:
        if options.only != "bins":
            measure_modes(bench)
        if not options.only:
            print()
        if options.only != "modes":
            measure_bins(bench)
    finally:
        shutil.rmtree(bench.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
