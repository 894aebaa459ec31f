#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every command in a ```sh block of the documentation works as it is written, in a fresh folder with samples/, and with
the files and processes of the reader that the page takes for granted.

commands.py CENSUS ROOT PAGE...: runs the commands of the PAGEs below ROOT, each page in a folder of its own, in order.
`census open` is ended as soon as its page has been fetched; other commands that go on until Ctrl-C are ended with the page,
when what they make is there. Commands of programs that are not installed are left out."""
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

CENSUS, ROOT = map(os.path.abspath, sys.argv[1:3])
PAGES = sys.argv[3:]
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
PATIENCE_S = 300

# Background jobs of a shell ignore it, and so would the commands.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What a page takes for granted. `N.pid` has the number of a process that `pgrep -x N` finds.
BUILD_SERVER = f"cc -g -O1 -o server {FILES}/server.c\n"
MADE = {
    "docs/census-cc.md": f"""
cp {FILES}/server.c .
printf 'server: server.c\\n\\t$(CC) -o $@ server.c\\n' >Makefile
printf '#!/bin/sh\\n${{1#CC=}} -o server server.c\\n' >configure && chmod +x configure
printf 'cmake_minimum_required(VERSION 3.21)\\nproject(server C CXX)\\nadd_executable(server server.c)\\n' >CMakeLists.txt
""",
    "docs/ci.md": """
printf 'JOB "j"\nDATE "d"\nSAMPLE_UNIT "s"\nVALUE_UNIT "bytes"\nBEGIN_SAMPLE 1\ncache\t1\nrest\t2\nEND_SAMPLE 1\n' >run.hp
""",
    "docs/commands.md": f"""
mkdir src && cp {FILES}/server.c src && cc -g -O1 -o server src/server.c
printf 'all: one two\\none two:\\n\\t$(CC) -o $@ src/server.c\\n' >Makefile
echo 'create table t(a); insert into t values (1); select * from t;' >queries.sql
census run -q -hr -hy --snapshot largest -o first -- ./server
cp first.census run.hp
cp first.census solver.1.census
cp first.census solver.2.census
cp server solver
cp first.heapsnapshot before.heapsnapshot
cp first.heapsnapshot after.heapsnapshot
census convert -o prog.eventlog first.census
census convert -o heap.pb.gz first.census
cp samples/hp/foldleak-prof-hc.hp a.hp
cp samples/hp/pathgrid-prof-hy.hp b.hp
cp samples/hp/interp-prof-hd.hp c.hp
cp a.hp before.hp
cp a.hp after.hp
cp samples/prof/interp-prof-hc.prof run.prof
cp samples/eventlog/foldleak-prof-lu-hc.eventlog run.eventlog
for f in c d b r; do cp samples/explain/leak-h$f.hp run-h$f.hp; done
cp {FILES}/../../conformance/exchange/samples/massif.out massif.out.4711
""",
    "docs/explain.md": BUILD_SERVER + "cp samples/programs/haskell/tally.hs .",
    "docs/fleet.md": BUILD_SERVER + "mv server once && printf '#!/bin/sh\\nexec ./once stay\\n' >server && chmod +x server",
    "docs/haskell.md": f"""
cp {FILES}/prog.hs . && ghc -v0 -O1 prog.hs
sed s/3000000/300000/ samples/programs/haskell/counts.hs >counts.hs
echo 'module Big where data R = A Int | B Char deriving (Eq, Ord, Show, Read)' >Big.hs
./prog stay >prog.out & echo $! >prog.pid
""",
    "docs/hp2ps.md": "cp samples/hp/foldleak-prof-hc.hp prog.hp && cp prog.hp before.hp",
    "docs/production.md": BUILD_SERVER + """
census run -q --snapshot largest -o server -- ./server
census run -q --rate 16K -o killed -- ./server
./server stay & echo $! >server.pid
""",
    "docs/stack-views.md": f"cp {FILES}/prog.hs . && ghc -v0 -prof -rtsopts prog.hs",
    "docs/formats/json.md": "cp samples/hp/foldleak-prof-hc.hp run.hp",
    "docs/watch.md": f"""
cc -g -O1 -o prog {FILES}/server.c
cp samples/hp/foldleak-prof-hc.hp prog.hp
cp samples/eventlog/foldleak-prof-lu-hc.eventlog server.eventlog
""",
}
PGREP = '#!/bin/sh\nexec cat "$HOME/$2.pid"\n'

# Commands that go on until Ctrl-C, and what shows that they work: a file, or a text that they print.
GO_ON = [
    ("census open --terminal ", "MiB"),
    ("census open ", "http://"),
    ("census run --listen", "http://"),
    ("census run --watch ", "http://"),
    ("census attach --all ", "http://"),
    ("timeout -s INT 60 census attach ", "*.census"),
    ("census attach ", "*.census"),
    ("census watch -o heap.svg ", "*.svg"),
    ("census watch -o prog.ps ", "*.ps"),
]
ENDED = (0, 124, 130, -signal.SIGINT)  # 124: of `timeout`


def commands_of(page):
    """Returns the commands of a page, without comments."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```", file.read(), re.M | re.S)
    lines = [re.sub(r"\s+# .*", "", line).rstrip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


def environment_of(folder):
    """Returns an environment without a display, in which census is found."""
    found = {name: value for name, value in os.environ.items()
             if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION")}
    found.update(PATH=folder + os.pathsep + os.environ["PATH"], HOME=folder, TERM="xterm")
    return found


def programs_of(command):
    """Returns the programs of a command, and those that it profiles."""
    tokens = shlex.shlex(command, posix=True, punctuation_chars=True)
    tokens.commenters, tokens.whitespace_split = "", True
    found, is_next = [], True
    for token in tokens:
        if is_next and not re.match(r"\w+=", token):
            found.append(token)
        is_next = token in (";", "|", "do", "--") or (is_next and re.match(r"\w+=", token))
    return found


class GoingOn:
    """A command that runs until Ctrl-C."""

    def __init__(self, command, folder, environment):
        self.folder, self.sign = folder, next(sign for start, sign in GO_ON if command.startswith(start))
        self.before = self.found()
        self.output = os.path.join(tempfile.mkdtemp(dir=folder), "output")
        if command.startswith("census open --terminal"):
            command = "script -qec " + shlex.quote(command) + " /dev/null"
        with open(self.output, "wb") as file:
            self.process = subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                            stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    def found(self):
        return [path for path in glob.glob(os.path.join(self.folder, self.sign)) if os.path.getsize(path) > 0]

    def printed(self):
        with open(self.output, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait(self):
        """Waits until it works."""
        end = time.monotonic() + PATIENCE_S
        while len(self.found()) <= len(self.before) if "*" in self.sign else self.sign not in self.printed():
            status = self.process.poll()
            assert status is None, f"it ended with {status}: {self.printed()}"
            assert time.monotonic() < end, self.printed()
            time.sleep(0.05)

    def fetch(self):
        """Fetches the page of the URL that it prints."""
        with urllib.request.urlopen(re.search(r"http://\S+", self.printed()).group(), timeout=PATIENCE_S) as page:
            assert b"<svg" in page.read()

    def stop(self):
        """Presses Ctrl-C. Returns the status."""
        try:
            os.killpg(self.process.pid, signal.SIGINT)
            return self.process.wait(PATIENCE_S)
        finally:
            self.kill()

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdin.close()
        self.process.wait()


class Commands(unittest.TestCase):
    def prepare(self, page, folder, environment):
        """Makes what the page takes for granted."""
        os.symlink(CENSUS, os.path.join(folder, "census"))
        os.symlink(os.path.join(ROOT, "samples"), os.path.join(folder, "samples"))
        made = MADE.get(page, "")
        if "ghc " in made and not shutil.which("ghc"):
            self.skipTest("no ghc")
        with open(os.path.join(folder, "pgrep"), "w", encoding="ascii") as file:
            file.write(PGREP)
            os.fchmod(file.fileno(), 0o755)
        with subprocess.Popen(["bash", "-ec", made], cwd=folder, env=environment, start_new_session=True,
                              stdin=subprocess.DEVNULL) as process:
            self.addCleanup(subprocess.run, ["pkill", "-KILL", "-s", str(process.pid)], check=False)
        self.assertEqual(process.returncode, 0)

    def run_one(self, command, folder, environment):
        """Runs a command, one that asks a server until there is an answer: until its first sample, it has none."""
        end = time.monotonic() + PATIENCE_S
        done = None
        while done is None or (done.returncode != 0 and "http://" in command and time.monotonic() < end):
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, text=True, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stdout)

    def check(self, page):
        commands = commands_of(page)
        self.assertTrue(commands, "the page has no commands")
        with tempfile.TemporaryDirectory() as folder:
            environment = environment_of(folder)
            self.prepare(page, folder, environment)
            going_on = []
            for command in commands:
                if subprocess.run(["bash", "-c", 'type -- "$@"', "bash", *programs_of(command)], cwd=folder, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
                    continue
                command = command.replace("/etc/", folder + "/")  # where only an administrator may write
                with self.subTest(command):
                    if not command.startswith(tuple(start for start, _ in GO_ON)):
                        self.run_one(command, folder, environment)
                        continue
                    process = GoingOn(command, folder, environment)
                    self.addCleanup(process.kill)
                    process.wait()
                    if command.startswith("census open ") and "--terminal" not in command:
                        process.fetch()
                        self.assertIn(process.stop(), ENDED)
                    else:
                        going_on.append((command, process))
            for command, process in going_on:
                with self.subTest(command):
                    self.assertIn(process.stop(), ENDED, process.printed())


for _page in PAGES:
    def _test(self, page=_page):
        self.check(page)
    setattr(Commands, "test_" + re.sub(r"\W", "_", _page), _test)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
