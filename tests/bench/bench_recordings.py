#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What recordings cost census itself, in bytes, memory and processor time.

    bench_recordings.py --build build/release [--rounds 3] [--workers 2 200] [--seconds 10]

Stacks: a Python program with 28,000 stacks, recorded as `.census` and as `.hp`, in turn; the least of the rounds counts.
Workers of Python: each inherits the blocks of a program that has imported much, and adds some of its own in each half second.
Workers in C: each inherits the blocks of 2,000 stacks, and allocates them again ten times a second.
The memory of census is its resident set: with the files that it maps, and the pages of the programs' windows that it reads.
Prints Markdown. Slowness never fails.
"""
import argparse
import os
import re
import subprocess
import tempfile
import time

STACKS = """
import time
kept = []
def make(depth, code):
    if depth == 0:
        kept.append([code])
    else:
        globals()["f%d" % (code % 17)](depth - 1, code // 17)
for i in range(17):
    exec("def f%d(depth, code):\\n    make(depth, code)\\n" % i)
for again in range(3):
    for code in range(28000):
        make(4, code)
    time.sleep(0.5)
"""
WORKERS = """
import argparse, decimal, email, http.client, json, logging, os, sys, time, unittest, xml.dom
n_workers, n_steps = int(sys.argv[1]), int(sys.argv[2])
shared = [json.loads('{"a": [1, 2, %d]}' % i) for i in range(3000)]
workers = []
for _ in range(n_workers):
    worker = os.fork()
    if worker == 0:
        own = []
        for _ in range(n_steps):
            own.append([str(i) for i in range(2000)])
            time.sleep(0.5)
        os._exit(0)
    workers.append(worker)
for worker in workers:
    os.waitpid(worker, 0)
"""
SERVER = r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { N_STACKS = 2000, DEPTH = 11 };
static void *kept[N_STACKS];
static void left(int depth, int stack);
static void right(int depth, int stack);
static void descend(int depth, int stack)
{
    if (depth == 0) {
        free(kept[stack]);
        kept[stack] = malloc(100);
    } else if (stack >> (depth - 1) & 1) {
        left(depth - 1, stack);
    } else {
        right(depth - 1, stack);
    }
}
__attribute__((noinline)) static void left(int depth, int stack) { descend(depth, stack); __asm__ volatile(""); }
__attribute__((noinline)) static void right(int depth, int stack) { descend(depth, stack); __asm__ volatile(""); }
static void serve(int n_tenths)
{
    for (; n_tenths > 0; n_tenths--) {
        for (int i = 0; i < N_STACKS; i++) left(DEPTH, i);
        usleep(100000);
    }
}
int main(int argc, char **argv)
{
    serve(argc == 3);
    for (int n = atoi(argv[1]); n > 0; n--) {
        if (fork() == 0) {
            serve(atoi(argv[2]) * 10);
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {}
}
"""
PYTHON = ["/usr/bin/python3", "-c"]
TICKS = os.sysconf("SC_CLK_TCK")


def figures_of(pid):
    """Returns the resident set of a process in bytes, and its processor time in seconds, without its children."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            found = re.search(r"VmRSS:\s+(\d+)", file.read())
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    return int(found[1]) * 1024 if found else 0, (int(words[11]) + int(words[12])) / TICKS


def measure(census, suffix, *command):
    """Returns bytes of the profile, the most memory of census, and its processor time until shortly before its end."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile" + suffix)
        run = subprocess.Popen([census, "run", "-q", "-i0.5", "-o", profile, "--", *map(str, command)],
                               stderr=subprocess.DEVNULL)
        memory = cpu = 0
        while run.poll() is None:
            now = figures_of(run.pid)
            memory, cpu = max(memory, now[0]), max(cpu, now[1])
            time.sleep(0.01)
        assert run.returncode == 0, run.returncode
        return os.path.getsize(profile), memory, cpu


def measure_workers(census, numbers, kind, command_of):
    found = [measure(census, ".census", *command_of(n)) for n in numbers]
    print(f"| workers {kind} | MB | memory of census, MB | processor, s |\n| --- | --- | --- | --- |")
    for n, (n_bytes, memory, cpu) in zip(numbers, found):
        print(f"| {n} | {n_bytes / 1e6:.2f} | {memory / 1e6:.0f} | {cpu:.1f} |")
    one_more = [(b - a) / (numbers[1] - numbers[0]) for a, b in zip(*found)]
    print(f"| one more | {one_more[0] / 1e6:.3f} | {one_more[1] / 1e6:.2f} | {one_more[2]:.2f} |\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs=2, default=[2, 200])
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    census = os.path.join(options.build, "cli", "census")

    rounds = [[measure(census, suffix, *PYTHON, STACKS) for suffix in (".hp", ".census")] for _ in range(options.rounds)]
    print("| 28,000 stacks | MB | memory of census, MB | processor, s |\n| --- | --- | --- | --- |")
    least = [[min(figures) for figures in zip(*(way[i] for way in rounds))] for i in range(2)]
    for name, (n_bytes, memory, cpu) in zip((".hp", ".census"), least):
        print(f"| {name} | {n_bytes / 1e6:.2f} | {memory / 1e6:.0f} | {cpu:.2f} |")
    print("| ratio | " + " | ".join(f"{b / a:.2f}" for a, b in zip(*least)) + " |\n")

    with tempfile.TemporaryDirectory() as folder:
        server = os.path.join(folder, "server")
        subprocess.run(["cc", "-g", "-O1", "-fno-optimize-sibling-calls", "-x", "c", "-", "-o", server], input=SERVER, text=True,
                       check=True)
        measure_workers(census, options.workers, "of Python", lambda n: (*PYTHON, WORKERS, n, 2 * options.seconds))
        measure_workers(census, options.workers, "in C", lambda n: (server, n, options.seconds))


if __name__ == "__main__":
    main()
