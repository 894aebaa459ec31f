#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Changes one operator or constant of a core file at a time, and lists the changes that no test notices.

usage: tests/mutate.py [--seed N] [--count N] [--jobs N] [--quick] [--copy DIR] [FILE | FILE:LINE | FILE:LINE-LINE]...

Changes are drawn at random (equal seeds draw equal changes) from the core files, or from the files and lines
that are named. Everything happens in a copy of the sources, build/mutate. For each change the tests of its
file are built and run, then the other tests of its room (not with --quick), until one fails or takes too long.
A change that the compiler refuses, or that leaves the object file as it was, is replaced by another. Survivors
are printed at the end: each is a gap in the tests, or makes no difference. The exit status is 1 if there are any.

Two can run at the same time if each has a copy of its own (--copy)."""
import argparse
import ctypes
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
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 60  # for one test
PR_SET_CHILD_SUBREAPER = 36

HPFILE = r"hpfile[.]|conformance[.](hp[.]cases|eventlog)$"
RENDER = r"render[.]|golden[.]"
PROFILER = r"profiler[.]|samples[.]programs"
# Without tests of other parts with programs that take long.
NATIVE = (r"profiler[.](window|native|collector)|fuzz[.]window|"
          r"native[.](?!ticks|workload|exec_|event_logs|thread_churn|thousand|tcmalloc|jemalloc|mimalloc)")

# Core files, the tests that notice most changes in them, and all tests of the room.
CORE = [
    ("base/{lex,number,intern}.c", r"hpfile[.](number|intern|hp_\w+|csv)$", HPFILE),
    ("hpfile/hp/*.c", r"hpfile[.](hp_\w+|corpus)$", HPFILE),
    ("hpfile/eventlog/eventlog_{reader,heap,names,fields,keys,time}.c", r"hpfile[.]eventlog_", HPFILE),
    ("hpfile/prof/{prof_text_reader,retainer_sets,address_bins}.c", r"hpfile[.](prof|retainer|address)", HPFILE),
    ("hpfile/exchange/{csv,stacks}.c", r"hpfile[.](csv|stacks)", HPFILE),
    ("hpfile/summary/*.c", r"hpfile[.](survey|survey_faults|live|downsample|diff|match|quantity|sidecar)$", HPFILE),
    ("render/chart/{order,wiggle,hp2ps_sort}.c", r"render[.](order|wiggle|hp2ps_sort)$", RENDER),
    ("render/chart/{stack,select,group,units}.c", r"render[.](stack|select|group|units)$", RENDER),
    ("render/layout/{labels,label_space,legend,elide}.c", r"render[.](label_\w+|elide|modern)$", RENDER),
    ("profiler/ccs/*.c", r"profiler[.]ccs", PROFILER),
    ("profiler/census/*.c", r"profiler[.](census|biography|retainer)$", PROFILER),
    ("profiler/native/target/unwind/*.c",
     r"native[.](cfi|modules|unwind|verify|unwind_cache|stack_walk|exceptions|signal_handlers)$", NATIVE),
    ("profiler/native/window/*.c", r"native[.](window_writer|trie)$|profiler[.](window_reader|native_heap)$", NATIVE),
    ("profiler/native/{counting/blocks,preload/accounting,counting/stacks}.c", r"native[.](blocks|stacks|counting_of_\w+)$", NATIVE),
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


def changes_of(copy, path, first=1, last=10**9):
    """Yields (path, offset, old, new) for each operator and constant."""
    text = (copy / path).read_text()
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


def children():
    """Returns the identifiers of the child processes."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = status.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # It has ended.
        if int(words[1]) == os.getpid():
            found.append(int(status.parent.name))
    return found


def kill_children():
    """Kills what a command leaves behind, in whichever group or session: orphans become children of this process."""
    while left := children():
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def run(*command, seconds=1200):
    """Runs a command. Returns its exit status, None after a timeout, and its output."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        finally:
            kill_children()
        output.seek(0)
        return status, output.read().decode(errors="replace")


def copy_sources(copy):
    """Makes the copy equal to the files that git lists; equal files keep their time, for the next build."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    wanted = {name for name in names if (ROOT / name).is_file()}
    for path in copy.rglob("*"):
        if path.is_file() and copy / "build" not in path.parents and str(path.relative_to(copy)) not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, copy / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)


class Tree:
    """The copy, configured, with the tests that pass in it. Only what they need is built."""

    def __init__(self, copy, jobs):
        self.copy, self.path, self.jobs = copy, copy / "build/dev", str(jobs)
        copy_sources(copy)
        status, output = run("cmake", "--preset", "dev", "-S", str(copy), "-B", str(self.path),
                             "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCENSUS_BUILD_BENCH=OFF", "-DCENSUS_WERROR=OFF",
                             "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1")
        if status != 0:
            sys.exit(output)
        self.failing = set()
        self.code = {}
        self.objects = {}
        for entry in json.loads((self.path / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            name = os.path.relpath(entry["file"], copy)
            self.objects.setdefault(name, []).append(words[words.index("-o") + 1])
        self.needs = {}
        self.find_needs()

    def find_needs(self):
        """Notes what each test needs of the build: the files, and those in the folders, that its command and
        environment name."""
        listed = run("ninja", "-C", str(self.path), "-t", "targets", "all")[1]
        outputs = re.findall(r"^(\S+): (?!phony|CUSTOM_COMMAND|\S*_COMPILER)", listed, re.M)
        test = re.compile(r"^(?:add_test|set_tests_properties)\(\[=\[(.+?)\]=\](.*?)(?: _BACKTRACE|\)$)", re.M)
        for file in self.path.rglob("CTestTestfile.cmake"):
            for name, text in test.findall(file.read_text()):
                named = re.findall(re.escape(str(self.path)) + r'/([^";]+)', text)
                needs = {o for o in outputs for n in named if o == n or o.startswith(n + "/")}
                self.needs.setdefault(name, set()).update(needs)

    def build(self, targets):
        return run("cmake", "--build", str(self.path), "-j", self.jobs, "--target", *targets, seconds=7200)[0] == 0

    def first_failure(self, pattern, done="$"):
        """Builds and runs the tests that match, but not tests of a pattern that have run. Returns the name of one that
        fails, or None."""
        names = [n for n in self.needs if re.match(pattern, n) and not re.match(done, n) and n not in self.failing]
        if not self.build(sorted(set().union(*(self.needs[n] for n in names)))):
            return "build"
        chosen = "^(" + "|".join(map(re.escape, names)) + ")$"
        status, output = run("ctest", "--test-dir", str(self.path), "-R", chosen, "-j", self.jobs, "--stop-on-failure",
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
        """Returns the contents of the object files of a source; they have no debug information."""
        return [(self.path / name).read_bytes() for name in self.objects[path]]


def try_change(tree, path, at, old, new, patterns):
    """Returns the test that notices the change, None if none does, or "" if it is no change of the program."""
    source = tree.copy / path
    text = source.read_text()
    if path not in tree.code:
        if not tree.build(tree.objects[path]):
            sys.exit(f"{path} does not compile without a change")
        tree.code[path] = tree.code_of(path)
    try:
        source.write_text(text[:at] + new + text[at + len(old):])
        if not tree.build(tree.objects[path]) or tree.code_of(path) == tree.code[path]:
            return ""
        own, *room = patterns
        return tree.first_failure(own) or next((f for p in room if (f := tree.first_failure(p, own))), None)
    finally:
        source.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--copy", type=pathlib.Path, default=ROOT / "build/mutate")
    parser.add_argument("places", nargs="*", metavar="FILE[:LINE[-LINE]]")
    arguments = parser.parse_args()

    # Orphans become children of this process, so that it can kill them.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    tree = Tree(arguments.copy.resolve(), arguments.jobs)
    changes = []
    for place in arguments.places or sorted(n for n in tree.objects if row_of(n)):
        path, _, lines = place.partition(":")
        if not row_of(path):
            parser.error(f"{path} is not one of the core files that {sys.argv[0]} lists")
        first, _, last = lines.partition("-")
        changes += changes_of(tree.copy, path, int(first or 1), int(last or first or 10**9))
    random.Random(arguments.seed).shuffle(changes)
    print(f"{len(changes)} changes are possible", flush=True)

    known, survivors, n_tried = set(), [], 0
    try:
        for path, at, old, new in changes:
            if n_tried == arguments.count:
                break
            patterns = row_of(path)[1:2 if arguments.quick else 3]
            for pattern in patterns:
                if pattern not in known:
                    tree.learn_failing(pattern)
                    known.add(pattern)
            began = time.monotonic()
            noticed_by = try_change(tree, path, at, old, new, patterns)
            if noticed_by == "":
                continue
            n_tried += 1
            text = (tree.copy / path).read_text()
            line = text.count("\n", 0, at) + 1
            place = f"{path}:{line}:{at - text.rfind(chr(10), 0, at)}: {old} -> {new or 'nothing'}"
            print(f"{n_tried} {place}: {noticed_by or 'SURVIVED'}"
                  f" ({time.monotonic() - began:.0f} s)", flush=True)
            if not noticed_by:
                survivors.append(f"{place}\n    {text.splitlines()[line - 1].strip()}")
    finally:  # also when it is interrupted
        print(f"\n{n_tried} changes, {len(survivors)} survivors", *survivors, sep="\n", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
