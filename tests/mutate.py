#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Changes one operator or constant of a core file at a time, and lists the changes that no test notices.

usage: tests/mutate.py [--seed N] [--count N] [--jobs N] [--quick] [FILE | FILE:LINE | FILE:LINE-LINE]...

Changes are drawn at random (equal seeds draw equal changes) from the core files, or from the files and lines
that are named. Everything happens in a copy of the sources, build/mutate. For each change the tests of its
file run, then the other tests of its room (not with --quick), until one fails or takes too long. A change that the compiler
refuses, or that leaves the object file as it was, is replaced by another. Survivors are printed at the end:
each is a gap in the tests, or makes no difference. The exit status is 1 if there are any."""
import argparse
import fnmatch
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build/mutate"
BUILD = COPY / "build/dev"
SECONDS = 60  # for one test

HPFILE = r"hpfile[.]|conformance[.](hp[.]cases|eventlog)$"
RENDER = r"render[.]|golden[.]"
PROFILER = r"profiler[.]|samples[.]programs"
NATIVE = r"profiler[.](window|native|collector)|native[.]|fuzz[.]window"

# Core files, the tests that notice most changes in them, and all tests of the room.
CORE = [
    ("hpfile/base/{lex,number,intern}.c", r"hpfile[.](number|intern|hp_\w+|csv)$", HPFILE),
    ("hpfile/hp/*.c", r"hpfile[.](hp_\w+|corpus)$", HPFILE),
    ("hpfile/eventlog/eventlog_{reader,heap,names,fields,keys,time}.c", r"hpfile[.]eventlog_", HPFILE),
    ("hpfile/prof/{prof_text_reader,retainer_sets,address_bins}.c", r"hpfile[.](prof|retainer|address)", HPFILE),
    ("hpfile/exchange/{csv_reader,json_profile_reader,stacks}.c", r"hpfile[.](csv|json_profile|stacks)", HPFILE),
    ("hpfile/summary/*.c", r"hpfile[.](survey|live|downsample|diff|match|quantity|sidecar)$", HPFILE),
    ("render/chart/{order,wiggle,hp2ps_sort}.c", r"render[.](order|wiggle|hp2ps_sort)$", RENDER),
    ("render/chart/{stack,select,group,units}.c", r"render[.](stack|select|group|units)$", RENDER),
    ("render/layout/{labels,label_space,legend,elide}.c", r"render[.](label_\w+|elide|modern)$", RENDER),
    ("profiler/ccs/*.c", r"profiler[.]ccs", PROFILER),
    ("profiler/census/*.c", r"profiler[.](census|biography|retainer)$", PROFILER),
    ("profiler/native/unwind/*.c", r"native[.](unwind_cache|stack_walk|exceptions|signal_handlers)$", NATIVE),
    ("profiler/native/window/*.c", r"native[.](window_writer|trie)$|profiler[.](window_reader|native_heap)$", NATIVE),
    ("profiler/native/preload/{blocks,accounting,stacks}.c", r"native[.](blocks|counting_of_\w+)$", NATIVE),
]

SWAPS = [("<", "<="), (">", ">="), ("==", "!="), ("&&", "||"), ("+", "-"), ("*", "/"), ("%", "/"), ("&", "|"),
         ("<<", ">>"), ("+=", "-="), ("|=", "&="), ("++", "--"), ("true", "false")]
SWAP = {a: b for pair in SWAPS for a, b in (pair, pair[::-1]) if a != "/"}
# clang-format puts blanks around binary operators only.
SITE = re.compile(r"(?<= )(?:[<>]=?|[=!]=|&&|\|\||[-+*%&|]|<<|>>|[-+|&]=)(?= |$)|\+\+|--|\b(?:true|false)\b"
                  r"|!(?=[\w(])|(?<![\w.])\d+(?:\.\d+)?(?=[uUlL]*(?![\w.]))", re.M)
HIDDEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^\s*#(?:\\\n|[^\n])*"
                    r"|^.*\b(?:assert|_Static_assert|static_assert)\(.*?;|\w+\[\d+\](?=;)", re.M | re.S)


def expand(pattern):
    """Returns the patterns that a {choice,choice} stands for."""
    match = re.search(r"{(.*?)}", pattern)
    return [pattern.replace(match[0], word) for word in match[1].split(",")] if match else [pattern]


def row_of(path):
    return next((row for row in CORE if any(fnmatch.fnmatch(path, p) for p in expand(row[0]))), None)


def changes_of(path, first=1, last=10**9):
    """Yields (path, offset, old, new) for each operator and constant."""
    text = (COPY / path).read_text()
    code = HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for site in SITE.finditer(code):
        if not first <= text.count("\n", 0, site.start()) + 1 <= last:
            continue
        old = site[0]
        if old in SWAP:
            yield path, site.start(), old, SWAP[old]
        elif old == "!":
            yield path, site.start(), old, ""
        elif "." in old:
            yield path, site.start(), old, str(float(old) * 2 + (float(old) == 0))
        else:
            yield path, site.start(), old, str(int(old) + 1)
            if int(old) > 0:
                yield path, site.start(), old, str(int(old) - 1)


def run(*command, seconds=1200):
    """Runs a command in a process group of its own. Returns its exit status, None after a timeout, and its output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, errors="replace", start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]


def copy_sources():
    """Makes the copy equal to the files that git lists; equal files keep their time, for the next build."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    wanted = {name for name in names if (ROOT / name).is_file()}
    for path in COPY.rglob("*"):
        if path.is_file() and BUILD not in path.parents and str(path.relative_to(COPY)) not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, COPY / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)


class Tree:
    """The copy, built, with the tests that pass in it."""

    def __init__(self, jobs):
        self.jobs = str(jobs)
        copy_sources()
        self.must("cmake", "--preset", "dev", "-S", str(COPY), "-B", str(BUILD), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                  "-DCENSUS_BUILD_BENCH=OFF", "-DCENSUS_WERROR=OFF")
        self.must("cmake", "--build", str(BUILD), "-j", self.jobs, seconds=7200)
        listed = json.loads(run("ctest", "--test-dir", str(BUILD), "--show-only=json-v1")[1])
        self.commands = {test["name"]: test.get("command", []) for test in listed["tests"]}
        self.failing = set()
        self.objects = {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            name = os.path.relpath(entry["file"], COPY)
            self.objects.setdefault(name, []).append(words[words.index("-o") + 1])

    @staticmethod
    def must(*command, seconds=1200):
        status, output = run(*command, seconds=seconds)
        if status != 0:
            sys.exit(f"{' '.join(command)}:\n{output}")

    def build(self, targets):
        return run("cmake", "--build", str(BUILD), "-j", self.jobs, "--target", *targets)[0] == 0

    def first_failure(self, pattern):
        """Builds and runs the tests that match. Returns the name of one that fails, or None."""
        names = [n for n in self.commands if re.match(pattern, n) and n not in self.failing]
        files = {os.path.relpath(word, BUILD) for n in names for word in self.commands[n]
                 if word.startswith(str(BUILD)) and os.path.isfile(word)}
        if not self.build(sorted(files)):
            return "build"
        chosen = "^(" + "|".join(map(re.escape, names)) + ")$"
        status, output = run("ctest", "--test-dir", str(BUILD), "-R", chosen, "-j", self.jobs, "--stop-on-failure",
                             "--timeout", str(SECONDS), seconds=30 * SECONDS)
        failed = re.search(r"Test +#\d+: (\S+) \.*\*\*\*(?!Skipped)", output)
        return failed[1] if failed else None if status == 0 else "ctest"

    def learn_failing(self, pattern):
        """Leaves out the tests that fail without any change."""
        while name := self.first_failure(pattern):
            if name in ("build", "ctest"):
                sys.exit(f"{name} fails without a change")
            print(f"left out: {name} fails without a change", flush=True)
            self.failing.add(name)

    def code_of(self, path):
        """Returns the code and data of the object files of a source, without debug information."""
        stripped = BUILD / "stripped.o"
        code = []
        for name in self.objects[path]:
            subprocess.run(["strip", "-g", "-o", stripped, BUILD / name], check=True)
            code.append(stripped.read_bytes())
        return code


def try_change(tree, path, at, old, new, patterns):
    """Returns the test that notices the change, None if none does, or "" if it is no change of the program."""
    source = COPY / path
    text = source.read_text()
    try:
        if not tree.build(tree.objects[path]):
            sys.exit(f"{path} does not compile without a change")
        before = tree.code_of(path)
        source.write_text(text[:at] + new + text[at + len(old):])
        if not tree.build(tree.objects[path]) or tree.code_of(path) == before:
            return ""
        return next(filter(None, map(tree.first_failure, patterns)), None)
    finally:
        source.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("places", nargs="*", metavar="FILE[:LINE[-LINE]]")
    arguments = parser.parse_args()

    tree = Tree(arguments.jobs)
    changes = []
    for place in arguments.places or sorted(n for n in tree.objects if row_of(n)):
        path, _, lines = place.partition(":")
        if not row_of(path):
            parser.error(f"{path} is not one of the core files that {sys.argv[0]} lists")
        first, _, last = lines.partition("-")
        changes += changes_of(path, int(first or 1), int(last or first or 10**9))
    random.Random(arguments.seed).shuffle(changes)
    print(f"{len(changes)} changes are possible", flush=True)

    known, survivors, n_tried = set(), [], 0
    for path, at, old, new in changes:
        if n_tried == arguments.count:
            break
        patterns = row_of(path)[1:2 if arguments.quick else 3]
        for pattern in patterns:
            if pattern not in known:
                tree.learn_failing(pattern)
                known.add(pattern)
        noticed_by = try_change(tree, path, at, old, new, patterns)
        if noticed_by == "":
            continue
        n_tried += 1
        text = (COPY / path).read_text()
        line = text.count("\n", 0, at) + 1
        place = f"{path}:{line}:{at - text.rfind(chr(10), 0, at)}: {old} -> {new or 'nothing'}"
        print(f"{n_tried} {place}: {noticed_by or 'SURVIVED'}", flush=True)
        if not noticed_by:
            survivors.append(f"{place}\n    {text.splitlines()[line - 1].strip()}")
    print(f"\n{n_tried} changes, {len(survivors)} survivors", *survivors, sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
