#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What census costs programs that are short, by the clock: many small processes, the starts of interpreters, builds,
compression by threads, a deep recursion.

    bench_processes.py --build build/release [--runs 7] [--mode=-hr ...] [--only 'split|perl']

Runs each program plain and in each mode, in turn, and prints the least times as ratios to the plain ones, in Markdown.
Then the longest free of a program that frees a million blocks: its first one waits for an image of the peak.
"""
import argparse
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
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


PERL = 'for (1 .. 100000) { $h{"k$_"} = [$_, "v$_"] } $n += $_->[0] for values %h; print "$n\\n"'
PYTHON = """
import json


def numbers(n: int) -> list[int]:
    return [json.loads(str(i)) for i in range(n)]
"""
UNIT = """
#include <map>
#include <string>
int count%d(int n) { std::map<std::string, int> m; for (int i = 0; i < n; i++) m[std::to_string(i)] += i; return (int)m.size(); }
"""


def write(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def has(*names):
    return all(shutil.which(name) for name in names)


def builds(folder):
    found = {}
    if has("cmake", "gcc"):
        write(folder, "project/CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(small C)\n"
                                                "add_executable(small small.c)\n")
        write(folder, "project/small.c", "int main(void) { return 0; }\n")
        found["cmake of a project in C"] = "rm -rf made; cmake -S project -B made >made.log"
    if has("g++"):
        units = range(12)
        for i in units:
            write(folder, f"units/{i}.cc", UNIT % i)
        write(folder, "units/main.cc", "".join(f"int count{i}(int);\n" for i in units) +
              f"int main() {{ return {' + '.join(f'count{i}(9)' for i in units)}; }}\n")
        subprocess.run("g++ -O2 -flto -c *.cc", shell=True, check=True, cwd=os.path.join(folder, "units"))
        found["a link with -flto of 12 units"] = "g++ -O2 -flto=2 -o linked units/*.o"
    return found


def programs(folder, big_file):
    """Returns {name: command}."""
    write(folder, "lines", "".join(f"{number}\n" for number in range(200000)))
    write(folder, "numbers.py", PYTHON)
    with open(big_file, "rb") as file, open(os.path.join(folder, "big"), "wb") as big:
        big.write(file.read(8000000))
    found = {"400 processes of split": "split -l 1000 --filter='wc -l | cat' lines >counts"}
    for command in ("perl -e 1", f"{sys.executable} -c pass", "bash -c :"):
        words = command.split()
        if has(words[0]):
            found[f"20 times {os.path.basename(command)}"] = f"for i in $(seq 20); do {command}; done"
    if has("perl"):
        found["perl, a table of 100,000 texts"] = f"perl -e '{PERL}' >counts"
    if has("mypy"):
        found["mypy of a small file"] = "mypy --cache-dir=/dev/null numbers.py >counts"
    found |= builds(folder)
    if has("xz"):
        found["xz with four threads, 8 MB"] = "xz -T4 -2 --block-size=1MiB -c big >packed"
    if has("zstd"):
        found["zstd with four threads, 8 MB"] = "zstd -q -T4 -12 -c big >packed"
    if has("gcc"):
        found["a recursion of a million frames"] = f"ulimit -s unlimited; {compiled(folder, 'recursion', RECURSION)}"
    return {name: ["sh", "-c", command] for name, command in found.items()}


def seconds(command, folder):
    for recording in glob.glob(os.path.join(folder, "*.census")):
        os.remove(recording)
    begin = time.monotonic()
    subprocess.run(command, check=True, cwd=folder)
    return time.monotonic() - begin


def longest_free_ms(own, program, n_runs):
    runs = [subprocess.run([*own, program], check=True, stdout=subprocess.PIPE).stdout for _ in range(n_runs)]
    return statistics.median(float(run) for run in runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--mode", action="append")
    parser.add_argument("--only", default="", help="an expression that is in the name of a program")
    arguments = parser.parse_args()
    census = os.path.abspath(os.path.join(arguments.build, "cli/census"))
    modes = arguments.mode or MODES
    print(f"| program | plain, s | {' | '.join(f'`{mode}`' for mode in modes)} |")
    print("| --- | ---: |" + " ---: |" * len(modes))
    with tempfile.TemporaryDirectory(prefix="census-bench-") as folder:
        own = {None: []} | {mode: [census, "run", "-q", *mode.split(), "-o", os.path.join(folder, "profile.census"), "--"]
                            for mode in modes}
        for name, command in programs(folder, census).items():
            if not re.search(arguments.only, name):
                continue
            times = {mode: [] for mode in own}
            for _ in range(arguments.runs):
                for mode, words in own.items():
                    times[mode].append(seconds([*words, *command], folder))
            plain = min(times[None])
            ratios = [f"{min(times[mode]) / plain:.1f}" for mode in modes]
            print(f"| {name} | {plain:.2f} | {' | '.join(ratios)} |", flush=True)
        if has("gcc") and not arguments.only:
            program = compiled(folder, "peak", PEAK)
            longest = [f"{longest_free_ms(words, program, arguments.runs):.1f}" for words in own.values()]
            print(f"| the longest free, ms | {' | '.join(longest)} |")


if __name__ == "__main__":
    main()
