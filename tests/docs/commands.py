#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every command in a ```sh block of the documentation works as it is written, in a fresh folder with samples/.

commands.py CENSUS ROOT PAGE...: runs the commands of the PAGEs below ROOT, each page in a folder of its own, in order.
`census open` is ended as soon as its page has been fetched."""
import os
import re
import shlex
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


class Commands(unittest.TestCase):
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
            for command in commands:
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
