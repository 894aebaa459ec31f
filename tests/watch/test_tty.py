# SPDX-License-Identifier: BSD-2-Clause
"""The view in a real terminal: its picture while a profile grows, its keys, and that it restores the
terminal however it ends."""
import os
import re
import shutil
import signal
import tempfile
import unittest

from harness import CENSUS, main, read, wait_until
from tmux import Tmux

HEAD = 'JOB "leak +RTS -hc"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'


def has_ended(pid):
    """Returns whether a process has ended, even if its parent has not waited for it."""
    stat = read(f"/proc/{pid}/stat")
    return not stat or stat.rsplit(b") ", 1)[1].startswith(b"Z")


def sample(time, **costs):
    lines = "".join(f"{name}\t{amount}\n" for name, amount in costs.items())
    return f"BEGIN_SAMPLE {time:.6f}\n{lines}END_SAMPLE {time:.6f}\n"


@unittest.skipUnless(shutil.which("tmux"), "there is no tmux here")
class TtyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="census-tty-")
        self.path = os.path.join(self.folder.name, "run.hp")
        self.terminal = None
        self.writer = open(self.path, "w", encoding="utf-8")  # as long as it is open, more may come
        self.append(HEAD)
        for i in range(10):
            self.append(sample(i, cache=(i + 1) << 20, index=3 << 20))

    def tearDown(self):
        if self.terminal:
            self.terminal.close()
        self.writer.close()
        self.folder.cleanup()

    def append(self, text):
        self.writer.write(text)
        self.writer.flush()

    def watch(self, *options, first=r"cache +[0-9.]+ MiB", **more):
        """Starts to watch. Returns the terminal when it shows a complete picture: `first`, and the last
        line."""
        self.terminal = Tmux(**more)
        words = " ".join(options)
        self.terminal.run(f"{CENSUS} open --wait --terminal {words} {self.path}; echo status=$?")
        self.terminal.wait_for(first)
        self.terminal.wait_for(r"live.*\? help")
        return self.terminal

    def pid(self):
        """Returns the process in the terminal, a child of its group's leader."""
        shell = self.terminal.ask("pane_pid")
        with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as children:
            return int(children.read().split()[-1])

    def expect_given_back(self, status="[0-9]+"):
        self.terminal.wait_for(f"(?m)^status={status}$")
        self.assertTrue(self.terminal.is_plain())
        self.terminal.run("echo back again")
        self.terminal.wait_for("(?m)^ready> echo back again$")  # typed text is visible
        self.terminal.wait_for("(?m)^back again$")

    def test_shows_bands_axes_and_figures(self):
        screen = self.watch().text()
        lines = screen.splitlines()
        self.assertRegex(lines[0], r"^leak \+RTS -hc +13 MiB, peak 13 MiB at 9 s")
        self.assertRegex(screen, r"█ cache +10 MiB")
        self.assertRegex(screen, r"█ index +3 MiB")
        self.assertRegex(screen, r"14┤")
        self.assertRegex(lines[-1], r"● live")
        self.assertIn("? help", lines[-1])
        self.assertTrue(all(len(line) <= 80 for line in lines))

    def test_grows_without_keys(self):
        terminal = self.watch()
        self.append(sample(10, cache=20 << 20, index=3 << 20, fresh=7 << 20))
        terminal.wait_for(r"30 MiB, peak 30 MiB at 10 s")
        terminal.wait_for(r"█ fresh +7 MiB")

    def test_reports_the_end_of_the_writer(self):
        terminal = self.watch()
        self.writer.close()
        terminal.wait_for("● ended")

    def test_half_a_sample_is_not_shown(self):
        terminal = self.watch()
        whole = sample(10, cache=20 << 20)
        self.append(whole[:-4])
        terminal.type("?")
        terminal.wait_for("continue")  # a later picture
        self.assertIn("peak 13 MiB", terminal.text())
        self.append(whole[-4:])
        terminal.wait_for("peak 20 MiB")

    def test_pauses_and_continues(self):
        terminal = self.watch()
        terminal.type("Space")
        terminal.wait_for("paused")
        self.append(sample(10, cache=20 << 20))
        terminal.wait_for(r"last sample [1-9]\d* (s|min) ago")
        self.assertIn("peak 13 MiB", terminal.text())
        terminal.type("Space")
        terminal.wait_for("peak 20 MiB")

    def test_keys_change_the_view(self):
        terminal = self.watch()
        terminal.type("?")
        terminal.wait_for("pause, continue")
        terminal.type("?")
        terminal.wait_until_gone("pause, continue")
        terminal.type("n")
        terminal.wait_for("100┤")
        terminal.type("n")
        terminal.wait_for("14┤")
        terminal.type("w")
        terminal.wait_for("window 24 h")
        terminal.type("W")
        terminal.wait_until_gone("window 24 h")
        self.append(sample(10, cache=4 << 20, index=3 << 20, other=2 << 20))
        for _ in range(20):
            terminal.type("-")
        terminal.wait_for("OTHER")

    def test_window_shows_the_last_part_only(self):
        terminal = self.watch("--window", "3s")
        terminal.wait_for("window 3 s")
        self.append(sample(100, cache=1 << 20))
        self.append(sample(101, cache=2 << 20))
        terminal.wait_for("2 MiB, peak 2 MiB at")

    def test_follows_the_size_of_the_terminal(self):
        terminal = self.watch()
        self.assertEqual(len(terminal.text().splitlines()), 24)
        terminal.resize(120, 40)
        terminal.until(lambda: len(terminal.text().splitlines()[-1]) > 100, "used all columns")
        self.assertIn("? help", terminal.text().splitlines()[39])
        terminal.resize(60, 10)
        terminal.until(lambda: re.search("live", terminal.text().splitlines()[9]), "shrank")
        terminal.resize(20, 4)
        terminal.wait_for("leak")

    def test_names_all_columns_and_no_more(self):
        name = "a" * 60 + "日本" + "z" * 60
        self.append(sample(10, **{name: 50 << 20}))
        screen = self.watch(first="…").text()
        self.assertRegex(screen, "a…z|a…本|aa…zz|…")
        self.assertTrue(all(len(line) <= 80 for line in screen.splitlines()))

    def test_uses_available_colours(self):
        self.assertIn("38;2;", self.watch(environment={"COLORTERM": "truecolor"}).with_colours())

    def test_uses_256_colours(self):
        coloured = self.watch().with_colours()
        self.assertRegex(coloured, r"[34]8;5;\d+")
        self.assertNotIn("38;2;", coloured)

    def test_without_colours_bands_are_letters(self):
        screen = self.watch(environment={"NO_COLOR": "1"}).with_colours()
        self.assertNotRegex(screen, r"\x1b\[[0-9;]*[34][0-8]")
        self.assertRegex(screen, "aaaaaa")
        self.assertRegex(screen, "a (cache|index)")

    def test_without_utf8_all_is_ascii(self):
        screen = self.watch(environment={"LC_ALL": "C"}).text()
        self.assertTrue(screen.isascii(), screen)

    def test_quits_by_q(self):
        terminal = self.watch()
        terminal.type("q")
        self.expect_given_back(status="0")

    def test_quits_by_interrupt(self):
        terminal = self.watch()
        terminal.type("C-c")
        self.expect_given_back(status="0")

    def test_restores_the_terminal_when_killed(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT,
                       signal.SIGQUIT):
            with self.subTest(signal=number):
                terminal = self.watch()
                os.kill(self.pid(), number)
                self.expect_given_back()
                terminal.close()

    def test_stops_and_continues(self):
        terminal = self.watch()
        terminal.type("C-z")
        terminal.until(terminal.is_plain, "stopped")
        terminal.wait_for("(?i)stopped")  # as the shell says before it reads again
        self.append(sample(10, cache=20 << 20))
        terminal.run("fg")
        terminal.wait_for("peak 20 MiB")
        self.assertEqual(terminal.ask("alternate_on"), "1")

    def test_ends_with_the_terminal(self):
        terminal = self.watch()
        pid = self.pid()
        terminal.call("kill-server")
        wait_until(lambda: has_ended(pid), "the end of census")


if __name__ == "__main__":
    main()
