#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What samples of a Haskell heap (census run -hT, or -hr) cost: how long the program waits for each, and how fast census follows
closures. Prints a table in Markdown.

    bench_haskell.py --build build/release [--ghc GHC] [--by r] [--millions 1 5 20]

haskell_list.hs keeps a list with two closures for each element, and collects its young garbage every millisecond. Of the N
longest of these rounds while N samples were taken, the shortest is printed, and the same without census: each sample made a
round at least that long. The processor time is that of census alone.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
import time

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "haskell_list.hs")
N_SAMPLES = 8
ELEMENT_BYTES, ELEMENT_CLOSURES = 40, 2
PATIENCE_S = 300


def n_samples(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().count("END_SAMPLE")


def cpu_s(process_id):
    """Returns the processor time of a process by itself."""
    with open(f"/proc/{process_id}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_gib(parent_id):
    """Returns the resident set of the program that census runs."""
    with open(f"/proc/{parent_id}/task/{parent_id}/children", encoding="utf-8") as file:
        for child in file.read().split():
            with open(f"/proc/{child}/status", encoding="utf-8") as status:
                text = status.read()
            if text.startswith("Name:\tlist\n"):
                return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) / 2 ** 20
    raise RuntimeError("the program has ended")


def wait_until(is_true):
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


def rounds(program, n, seconds):
    """Returns the longest rounds of the program by itself in milliseconds."""
    runs = subprocess.Popen([program, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    runs.stdout.readline()
    time.sleep(seconds)
    return [us / 1000 for us in json.loads(runs.communicate("\n", timeout=PATIENCE_S)[0].splitlines()[0])]


def measure(census, program, n, folder, by):
    """Returns a round with a sample and one without, in milliseconds, the resident set of the program, and closures per
    second of processor time."""
    path = os.path.join(folder, f"list-{n}.hp")
    runs = subprocess.Popen([census, "run", "-q", "-h" + by, "-i0.05", "-o", path, "--", program, str(n)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    runs.stdout.readline()
    begin_of_rounds = time.monotonic()
    first = n_samples(path)
    wait_until(lambda: n_samples(path) > first)
    begin, begin_s = n_samples(path), cpu_s(runs.pid)
    wait_until(lambda: n_samples(path) >= begin + N_SAMPLES)
    taken, spent_s = n_samples(path) - begin, cpu_s(runs.pid) - begin_s
    seconds, gib = time.monotonic() - begin_of_rounds, resident_gib(runs.pid)
    longest = json.loads(runs.communicate("\n", timeout=PATIENCE_S)[0].splitlines()[0])
    rate = ELEMENT_CLOSURES * n * taken / spent_s
    return longest[N_SAMPLES - 1] / 1000, rounds(program, n, seconds)[N_SAMPLES - 1], gib, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ghc", default="ghc")
    parser.add_argument("--by", default="T", choices=["T", "r"])
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 5, 20])
    options = parser.parse_args()
    census = os.path.join(os.path.abspath(options.build), "cli/census")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "list")
        subprocess.run([options.ghc, "-v0", "-O1", "-outputdir", folder, "-o", program, SOURCE], check=True)
        print("| closures | their MiB | resident MiB | round with a sample, ms | without, ms | "
              "difference per resident GiB, ms | million closures a second |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for millions in options.millions:
            n = millions * 1000000
            sampled, plain, gib, rate = measure(census, program, n, folder, options.by)
            print(f"| {ELEMENT_CLOSURES * millions} M | {n * ELEMENT_BYTES / 2 ** 20:.0f} | {gib * 1024:.0f} | "
                  f"{sampled:.1f} | {plain:.1f} | {(sampled - plain) / gib:.0f} | {rate / 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    main()
