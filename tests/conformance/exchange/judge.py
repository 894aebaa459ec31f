# SPDX-License-Identifier: BSD-2-Clause
"""Programs that tests of foreign formats run: programs that make the files, programs that judge them, and census."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def need(*programs):
    """Ends the test as skipped if a program is not installed."""
    for program in programs:
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            sys.exit(SKIPPED)


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True,
                          env={**os.environ, **env} if env else None)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiled(folder, source="allocate.c", *options):
    """Compiles a program of this folder, and returns its path."""
    program = folder / pathlib.Path(source).stem
    run("cc", "-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", program, HERE / source,
        *options)
    return program


class Census:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words):
        return run(self.path, *words)

    def profile(self, *words):
        return json.loads(self("convert", "--format", "json", *words))

    def stacks(self, *words):
        """Returns stacks (tuples of functions, outermost first) with their amounts, at the peak or --at."""
        found = collections.Counter()
        for line in self("convert", "--format", "folded", *words).splitlines():
            stack, amount = line.rsplit(" ", 1)
            found[tuple(stack.split(";"))] += int(amount)
        return found

    def frames(self, *words):
        """Returns (function, file, line) with the amounts of the stacks whose innermost frame it is."""
        document = json.loads(self("convert", "--format", "speedscope", *words))
        frames = document["shared"]["frames"]
        profile = document["profiles"][0]
        found = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            inner = frames[stack[-1]]
            found[inner["name"], inner.get("file", ""), inner.get("line", 0)] += weight
        return found


def sums(profile):
    """Returns the time and the sum of each sample of a profile as JSON."""
    return [(sample["time"], sum(sample["costs"].values())) for sample in profile["samples"]]


def main(cases):
    """judge: FORMAT CENSUS FOLDER"""
    name, census, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cases[name](Census(census), folder)
