#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares profiles of random programs with their own account.

    random_truth.py --build build/dev [--programs 500] [--first SEED]

Each program (random_heap.c) is a tree of processes with 1 to 8 threads. Of each process, the largest sample must be its
peak: exact with one thread, at most 0.4 % and 256 bytes per thread from it with more, which know it up to the blocks that
several threads allocate and free at the same moment; the last sample must have what is live at each of its sites,
exactly. Prints what is outside of these bounds, and the counts. Exits with 1 if there is any.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

SHARE = 0.004
THREAD_BYTES = 256
N_SITES = 8


def read_samples(path):
    """Returns the bytes of each site, by number, in each sample."""
    samples = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            site = re.match(r"site_(\d)\b.*\t(\d+)$", line)
            if line.startswith("BEGIN_SAMPLE"):
                samples.append(collections.Counter())
            elif site:
                samples[-1][int(site.group(1))] += int(site.group(2))
    return samples


def check_process(samples, account):
    """Returns what is wrong, as lines."""
    n_threads, least, most, live = account[1], account[2], account[3], account[4:]
    found = max(sum(sample.values()) for sample in samples)
    bound = 0 if n_threads == 1 else SHARE * most + THREAD_BYTES * n_threads
    wrong = []
    if not least - bound <= found <= most + bound:
        wrong.append("peak %d to %d, found %d, %d threads" % (least, most, found, n_threads))
    if n_threads == 1 and least != most:
        wrong.append("its own account: peak %d to %d with one thread" % (least, most))
    for site in range(N_SITES):
        if samples[-1][site] != live[site]:
            wrong.append("live of site %d: %d, found %d" % (site, live[site], samples[-1][site]))
    return wrong


def check_program(build, seed, folder):
    """Returns the number of processes, and what is wrong."""
    base = os.path.join(folder, "profile")
    done = subprocess.run([os.path.join(build, "cli/census"), "run", "-q", "-hd", "-i0.02", "-o", base + ".hp", "--",
                           os.path.join(build, "tests/bench/random_heap"), str(seed)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    accounts = {words[0]: words for words in ([int(word) for word in line.split()[1:]] for line in done.stdout.splitlines())}
    wrong = [] if done.returncode == 0 and not done.stderr else ["status %d: %s" % (done.returncode, done.stderr)]
    paths = {int(path.split(".")[-2]): path for path in glob.glob(glob.escape(base) + ".[0-9]*.hp")}
    own = set(accounts) - set(paths)
    if len(own) != 1:
        return len(accounts), wrong + ["%d processes, %d files of children" % (len(accounts), len(paths))]
    paths[own.pop()] = base + ".hp"
    for process, account in accounts.items():
        wrong += ["process %d: %s" % (process, line) for line in check_process(read_samples(paths[process]), account)]
    return len(accounts), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--first", type=int, default=1)
    arguments = parser.parse_args()
    n_processes, n_wrong = 0, 0
    for seed in range(arguments.first, arguments.first + arguments.programs):
        with tempfile.TemporaryDirectory(prefix="census-truth-") as folder:
            n, wrong = check_program(arguments.build, seed, folder)
        n_processes += n
        n_wrong += len(wrong)
        for line in wrong:
            print("seed %d: %s" % (seed, line), flush=True)
    print("%d programs, %d processes: %d outside of the bounds" % (arguments.programs, n_processes, n_wrong))
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
