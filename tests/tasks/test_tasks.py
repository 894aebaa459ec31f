#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tasks of a new user, each with at most two commands: the first one prints the answer, with function and line.

test_tasks.py CENSUS ROOT: `census` and the folder of the project."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CENSUS, ROOT = map(os.path.abspath, sys.argv[1:3])
PATIENCE_S = 300


class Tasks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="census-tasks-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *words):
        """Returns all that a command prints."""
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def place(self, path, text):
        """Returns "file:line" of the only line of a source that has a text."""
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            [line] = [number for number, line in enumerate(file, 1) if text in line]
        return "%s:%d" % (os.path.basename(path), line)

    def section(self, printed, title):
        """Returns the lines of the summary between a title and the next one."""
        found = re.search(r"^census: %s[^\n]*\n((?:census:   [^\n]*\n)+)" % title, printed, re.M)
        self.assertTrue(found, printed)
        return found[1]

    def check_last_line(self, printed, recording):
        """The last line is the command that shows the recording, and the recording is all that was written."""
        self.assertEqual(printed.splitlines()[-1], "census open " + recording)
        self.assertEqual([name for name in os.listdir(self.folder) if recording.split(".")[0] + "." in name], [recording])

    def test_server_in_cpp(self):
        """The peak, the cache and the leak of a server."""
        source = "samples/native/server.cpp"
        subprocess.run(["g++", "-g", "-O1", "-o", "server", os.path.join(ROOT, source)], cwd=self.folder, check=True)
        printed = self.run_command(CENSUS, "run", "--", "./server")
        at_peak, left = self.section(printed, "at the peak:"), self.section(printed, "not freed at the end:")
        self.assertIn("Server::report@" + self.place(source, "rows.push_back("), at_peak.splitlines()[0])
        self.assertIn("PageCache::render@" + self.place(source, "return page.str();"), at_peak)
        self.assertIn("AuditLog::note@server.cpp:", left.splitlines()[0])
        self.assertIn("AuditLog::note@" + self.place(source, "new Record{"), left)  # gcc says that a part is of the next line
        self.check_last_line(printed, "server.census")
        report = self.run_command(CENSUS, "report", "server.census")
        self.assertIn("AuditLog::note/Server::handle/main", report)

    def test_half_empty_maps_in_cpp(self):
        """Hash maps and equal texts of a server, and that a fix takes them away."""
        source = "samples/native/sessions.cpp"
        subprocess.run(["g++", "-g", "-O1", "-o", "sessions", os.path.join(ROOT, source)], cwd=self.folder, check=True)
        printed = self.run_command(CENSUS, "run", "-hy", "--snapshot", "last", "-o", "sessions", "--", "./sessions")
        self.assertRegex(self.section(printed, "waste at "), r"10\.7 MiB +74%% +3,000 blocks  buckets of std::unordered_map<int,long> in Session, "
                         r"less than half full; Session::Session@%s\n.* 2,997 blocks  text of std::string in Session, equal to "
                         r"another one; Session::Session@%s\n" %
                         (re.escape(self.place(source, "pages.reserve(")), re.escape(self.place(source, "own = browser"))))
        self.assertRegex(self.run_command(CENSUS, "report", "sessions.census"), r"\nwaste: at .* 10\.7 MiB of 14\.5 MiB could be saved: "
                         r"3,000 blocks, less than half full: buckets of .*, made by Session::Session@sessions\.cpp:")
        self.run_command(CENSUS, "run", "-hy", "--snapshot", "last", "-o", "fixed", "--", "./sessions", "fixed")
        first = self.run_command(CENSUS, "report", "--waste", "-m", "1", "fixed.heapsnapshot").splitlines()[3]
        self.assertRegex(first, r"^ *114 KiB +2\.8% .* buckets of .* Session::visit@sessions\.cpp:")

    def test_leaks_in_python(self):
        """A cache without a limit, and handlers that are never removed."""
        for name, function, line in (("cache", "cache.Answer.__init__", "self.lines = ["),
                                     ("closure", "closure.connect", "buffer = bytearray(")):
            source = f"samples/python/{name}.py"
            printed = self.run_command(CENSUS, "run", "--", "/usr/bin/python3", os.path.join(ROOT, source))
            first = self.section(printed, "at the peak:").splitlines()[0]
            self.assertRegex(first, r"%s\S*@%s " % (re.escape(function), re.escape(self.place(source, line))))
            self.check_last_line(printed, name + ".census")
        for _ in range(20):
            printed = self.run_command(CENSUS, "run", "-hr", "--", "/usr/bin/python3", os.path.join(ROOT, "samples/python/closure.py"))
            at_peak = self.section(printed, "(?:at the peak:|the peak has no sample; in the largest one)")
            # On a busy machine, the largest sample may be one of the end, when Python takes modules apart.
            if "closure.HANDLERS" in at_peak or not re.search(r" samples? (skipped|missing): ", printed):
                break
        self.assertIn("closure.HANDLERS", at_peak)

    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_closed_sessions_in_node(self):
        """What holds the sessions that a server of Node has closed."""
        self.run_command("node", os.path.join(ROOT, "samples/node/chat.js"), "300")
        asked = self.run_command(CENSUS, "report", "-m1", "--where", 'type = "Session" and held_by "Bus"', "chat.heapsnapshot")
        self.assertRegex(asked, r"^200 matches, ")
        node = re.search(r" (@\d+) .* Session\n", asked)[1]
        self.assertRegex(self.run_command(CENSUS, "report", "--where", node, "chat.heapsnapshot"),
                         r"referred to by 1 object\n\nfield +.*\nsession .* system / Context\n$")
        self.assertRegex(self.run_command(CENSUS, "report", "--holders", node, "chat.heapsnapshot"),
                         r" Bus\n.* Array\n(?:.* \(array\)\n)?.* \(closure\)\n.* system / Context\n.* Session\n$")

    def test_figure_and_difference_for_a_paper(self):
        before, after = (os.path.join(ROOT, "samples/hp", name) for name in ("pathgrid-prof-hc-i0.005.hp", "foldleak-prof-hc.hp"))
        for command, name in (("plot", "figure.pdf"), ("diff", "difference.pdf")):
            self.run_command(CENSUS, command, "--for", "acm", "-o", name, before, *([after] if command == "diff" else []))
            with open(os.path.join(self.folder, name), "rb") as file:
                pdf = file.read()
            self.assertTrue(pdf.startswith(b"%PDF-"))
            width = float(re.search(rb"/MediaBox \[ 0 0 ([0-9.]+)", pdf)[1])
            self.assertAlmostEqual(width, 241, delta=1)  # a column, in points


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
