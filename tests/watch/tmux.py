# SPDX-License-Identifier: BSD-2-Clause
"""A terminal for tests: one window of its own tmux server."""
import os
import re
import subprocess
import tempfile
import time

PATIENCE_S = 240


class Tmux:
    """Runs a shell in a terminal of a size; `environment` is what programs in it see."""

    def __init__(self, columns=80, rows=24, environment=None, depth="tmux-256color"):
        self.folder = tempfile.TemporaryDirectory(prefix="census-tmux-")
        self.socket = os.path.join(self.folder.name, "socket")
        names = ("PATH", "HOME", "CENSUS", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        self.environment = {**kept, "LC_ALL": "C.UTF-8", **(environment or {})}
        config = os.path.join(self.folder.name, "config")
        with open(config, "w", encoding="utf-8") as to:
            to.write(f"set -g status off\nset -g default-terminal {depth}\n"
                     "set -g default-command 'sh -i'\nset -as terminal-features ',*:RGB'\n")
        try:
            self.call("-f", config, "-u", "new-session", "-d", "-x", str(columns), "-y", str(rows))
            self.run("PS1='ready> '; clear")
            self.wait_for("(?m)^ready>$")
        except BaseException:
            self.close()
            raise

    def call(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], check=True, capture_output=True,
                              text=True, env=self.environment, timeout=PATIENCE_S).stdout

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, capture_output=True)
        self.folder.cleanup()

    def type(self, *keys):
        self.call("send-keys", *keys)

    def run(self, command):
        self.type(command, "Enter")

    def text(self):
        return self.call("capture-pane", "-p")

    def with_colours(self):
        return self.call("capture-pane", "-p", "-e")

    def resize(self, columns, rows):
        self.call("resize-window", "-x", str(columns), "-y", str(rows))

    def ask(self, what):
        return self.call("display-message", "-p", "#{" + what + "}").strip()

    def is_plain(self):
        """Returns whether the screen is the shell's again, with a cursor and with echo."""
        return self.ask("alternate_on") == "0" and self.ask("cursor_flag") == "1"

    def until(self, is_so, what):
        """Waits until is_so() is true."""
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() > end:
                raise AssertionError(f"never {what}; the screen:\n{self.text()}")
            time.sleep(0.05)

    def wait_for(self, pattern):
        self.until(lambda: re.search(pattern, self.text()), f"saw {pattern}")

    def wait_until_gone(self, pattern):
        self.until(lambda: not re.search(pattern, self.text()), f"lost {pattern}")
