#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What census costs programs that are short, by the clock: many small processes, the starts of interpreters, a
deep recursion.

    bench_processes.py --build build/release [--runs 3] [--mode=-hr ...]

Runs each program plain and in each mode, in turn, and prints the medians as ratios to the plain ones, in Markdown.
Then the longest free of a program that frees a million blocks: its first one waits for an image of the peak.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time

MODES = ["-hc", "-hy", "-hr"]
RECURSION = r"""
#include <stdlib.h>
int descend(int depth) { void *volatile block = malloc(24); int sum = depth ? descend(depth - 1) + 1 : 0; free(block); return sum; }
int main(void) { return descend(1000000) != 1000000; }
"""
PEAK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now_ms(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
int main(void)
{
    enum { N = 1000000 };
    static void *blocks[N];
    double longest_ms = 0;
    for (int i = 0; i < N; i++) blocks[i] = malloc(40);
    for (int i = 0; i < N; i++) {
        double begin_ms = now_ms();
        free(blocks[i]);
        double took_ms = now_ms() - begin_ms;
        longest_ms = took_ms > longest_ms ? took_ms : longest_ms;
    }
    printf("%f", longest_ms);
}
"""


def compiled(folder, name, text):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["gcc", "-O0", "-o", program, source], check=True)
    return program


def programs(folder):
    """Returns {name: command}."""
    lines = os.path.join(folder, "lines")
    with open(lines, "w", encoding="utf-8") as file:
        file.writelines(f"{number}\n" for number in range(200000))
    found = {"400 processes of split": f"split -l 1000 --filter='wc -l | cat' {lines} >{folder}/counts"}
    for name in ("perl -e 1", "python3 -c pass", "bash -c :"):
        if shutil.which(name.split()[0]):
            found[f"20 times {name}"] = f"for i in $(seq 20); do {name}; done"
    if shutil.which("gcc"):
        found["a recursion of a million frames"] = f"ulimit -s unlimited; {compiled(folder, 'recursion', RECURSION)}"
    return {name: ["sh", "-c", command] for name, command in found.items()}


def seconds(command, folder):
    begin = time.monotonic()
    subprocess.run(command, check=True, cwd=folder)
    return time.monotonic() - begin


def longest_free_ms(own, program, n_runs):
    runs = [subprocess.run([*own, program], check=True, stdout=subprocess.PIPE).stdout for _ in range(n_runs)]
    return statistics.median(float(run) for run in runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mode", action="append")
    arguments = parser.parse_args()
    census = os.path.abspath(os.path.join(arguments.build, "cli/census"))
    modes = arguments.mode or MODES
    print(f"| program | plain, s | {' | '.join(f'`{mode}`' for mode in modes)} |")
    print("| --- | ---: |" + " ---: |" * len(modes))
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        own = {None: []} | {mode: [census, "run", "-q", *mode.split(), "-o", os.path.join(folder, "profile"), "--"]
                            for mode in modes}
        for name, command in programs(folder).items():
            times = {mode: [] for mode in own}
            for _ in range(arguments.runs):
                for mode, words in own.items():
                    times[mode].append(seconds([*words, *command], folder))
            plain = statistics.median(times[None])
            ratios = [f"{statistics.median(times[mode]) / plain:.1f}" for mode in modes]
            print(f"| {name} | {plain:.2f} | {' | '.join(ratios)} |", flush=True)
        if shutil.which("gcc"):
            program = compiled(folder, "peak", PEAK)
            longest = [f"{longest_free_ms(words, program, arguments.runs):.1f}" for words in own.values()]
            print(f"| the longest free, ms | {' | '.join(longest)} |")


if __name__ == "__main__":
    main()
