#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every command in a ```sh block of the documentation works as it is written, in a fresh folder with samples/, and with
the files of the reader that docs/commands.md names.

commands.py CENSUS ROOT PAGE...: runs the commands of the PAGEs below ROOT, each page in a folder of its own, in order.
`census open` is ended as soon as its page has been fetched. Commands of programs that are not installed are left out."""
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
PATIENCE_S = 300


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
    found.update(PATH=folder + os.pathsep + os.environ["PATH"], HOME=folder)
    return found


# What docs/commands.md takes for granted: commands that make a file, and files that are copied.
MADE = """
mkdir src && cp FILES/server.c src && cc -g -O1 -o server src/server.c
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
"""
COPIED = {"a.hp": "hp/foldleak-prof-hc.hp", "b.hp": "hp/pathgrid-prof-hy.hp", "c.hp": "hp/interp-prof-hd.hp",
          "before.hp": "hp/foldleak-prof-hc.hp", "after.hp": "hp/foldleak-prof-hc.hp", "run.prof": "prof/interp-prof-hc.prof",
          "run.eventlog": "eventlog/foldleak-prof-lu-hc.eventlog", "run-hc.hp": "explain/leak-hc.hp",
          "run-hd.hp": "explain/leak-hd.hp", "run-hb.hp": "explain/leak-hb.hp", "run-hr.hp": "explain/leak-hr.hp",
          "massif.out.4711": "../tests/conformance/exchange/samples/massif.out"}


class Commands(unittest.TestCase):
    def prepare(self, folder, environment):
        for name, source in COPIED.items():
            shutil.copy(os.path.join(ROOT, "samples", source), os.path.join(folder, name))
        for command in MADE.replace("FILES", os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")).split("\n"):
            subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=True)

    def fetch_opened(self, command, folder, environment):
        """Starts `census open`, fetches the page of the URL that it prints, and presses Ctrl-C."""
        with open(os.path.join(folder, "opened"), "w+", encoding="utf-8") as output:
            process = subprocess.Popen(shlex.split(command), cwd=folder, env=environment, stdout=output,
                                       stderr=subprocess.STDOUT)
            try:
                end = time.monotonic() + PATIENCE_S
                url = None
                while url is None:
                    output.seek(0)
                    url = re.search(r"http://\S+", output.read())
                    self.assertIsNone(process.poll() if url is None else None, "it ends without a page")
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
                with urllib.request.urlopen(url.group(), timeout=PATIENCE_S) as page:
                    self.assertIn(b"<svg", page.read())
                process.send_signal(signal.SIGINT)
                self.assertIn(process.wait(PATIENCE_S), (0, 130, -signal.SIGINT))
            finally:
                process.kill()
                process.wait()

    def check(self, page):
        commands = commands_of(page)
        self.assertTrue(commands, "the page has no commands")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(CENSUS, os.path.join(folder, "census"))
            os.symlink(os.path.join(ROOT, "samples"), os.path.join(folder, "samples"))
            environment = environment_of(folder)
            if page == "docs/commands.md":
                self.prepare(folder, environment)
            for command in commands:
                if not shutil.which(command.split()[0], path=environment["PATH"]):
                    continue
                with self.subTest(command):
                    if command.startswith("census open "):
                        self.fetch_opened(command, folder, environment)
                    else:
                        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S,
                                              check=False)
                        self.assertEqual(done.returncode, 0, done.stdout)


for _page in PAGES:
    def _test(self, page=_page):
        self.check(page)
    setattr(Commands, "test_" + re.sub(r"\W", "_", _page), _test)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
