#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Blocks, bands and rows are named by the program's own functions, not by those of standard libraries."""
import json
import os
import re

import harness
from harness import CENSUS, Native, program, run

PYTHON_PROGRAM = """\
import csv, io, json, re
KEPT = []
def load():
    KEPT.append(json.loads("[" + ",".join('"%d"' % i for i in range(60000)) + "]"))
def match():
    KEPT.append([m.group() + "x" for m in re.finditer("[0-9]+", "12345 " * 30000)])
def table():
    KEPT.append(list(csv.DictReader(io.StringIO("a,b\\n" + "1,2\\n" * 9000))))
load(); match(); table()
"""
STANDARD = re.compile(r"^(std::|__gnu_cxx::|operator_new|_M_)|^(json|re|csv|io|enum|importlib)\.")


class OwnFrames(Native):
    def record(self, command, *options, environment=None):
        """Returns the path of a recording without its suffix, which is {} in the command, and the summary."""
        base = os.path.join(self.fresh(), "run")
        command = [word.replace("{}", base) for word in command]
        done = run([CENSUS, "run", "-i0.05", *harness.files_of(base, ".hp", ".eventlog"), *options, "--", *command], environment)
        self.assertEqual(done.status, 0, done.errors)
        return base, done.errors

    def names(self, path, *options, least=0.005):
        """Returns the names of the bands that have more than a share of the memory over time."""
        printed = run([CENSUS, "report", "--format", "json", *options, path])
        self.assertEqual(printed.status, 0, printed.errors)
        return [row["name"].partition(")")[2] or row["name"] for row in json.loads(printed.output)["bands"]
                if row["share"] > least]

    def assert_own(self, names):
        """What the interpreter does before the program has no function of it."""
        self.assertTrue(names)
        self.assertFalse([name for name in names if STANDARD.search(name) and ("/main" in name or "/app." in name)], names)

    def check(self, command, expected):
        base, summary = self.record(command)
        sites = re.findall(r"block[s ]  (\S+@\S+)", summary)
        self.assert_own(sites)
        for path in base + ".hp", base + ".eventlog":
            self.assert_own(self.names(path))
        for part in "function", "line":
            self.assert_own(self.names(base + ".eventlog", "--by", part))
            names = self.names(base + ".eventlog", "--by", part, least=0)  # how many samples see a band depends on time
            for name in expected:
                self.assertTrue([n for n in names if n.split()[0] == name], (name, names))
        self.assertTrue([n for n in self.names(base + ".eventlog", "--by", "function", "--no-skip")
                         if n not in expected])
        return base

    def test_own_frames_of_cxx(self):
        base = self.check([program("shop")],
                          ["Pages::render", "Journal::note", "Shop::report"])
        # The flame graph has all frames, the bands of the page are named as everywhere else.
        page = base + ".html"
        self.assertEqual(run([CENSUS, "plot", "-o", page, base + ".eventlog"]).status, 0)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn('["operator_new"', text)
        self.assertRegex(text, r'\["std::[^"]*","shop"')
        bands = re.findall(r'"name":"([^"]*)","colour"', text)
        self.assert_own(bands)
        self.assertEqual(len(set(bands)), len(bands))

    def test_own_frames_in_limits(self):
        """The names in rules are those that are shown."""
        base, _ = self.record([program("shop")])
        for suffix in ".hp", ".eventlog":  # the names in .hp files have numbers, which are not shown
            done = run([CENSUS, "report", "--fail-if", "band:^Shop::report.max > 1M", base + suffix])
            self.assertNotEqual(done.status, 0, done.output)
            self.assertIn("Shop::report", done.output + done.errors)

    def test_own_frames_that_were_cut(self):
        """A flame graph of names that were cut says so."""
        base, _ = self.record([program("shop")], environment={"CENSUS_NAME_BYTES": "30"})
        self.assertEqual(run([CENSUS, "plot", "-o", base + ".html", base + ".hp"]).status, 0)
        with open(base + ".html", encoding="utf-8") as file:
            text = file.read()
        self.assertIn('["(callers were cut)","",""]', text)
        self.assertNotRegex(text, r'\["[^"]*\.\.\.","",""\]')

    def test_own_frames_and_symbols(self):
        """The package of a file in /lib has it in /usr/lib, where /lib is a link."""
        tools = self.path("tools")
        os.mkdir(tools)
        with open(tools + "/dpkg-query", "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nfor path; do case $path in\n/usr/lib/*/libstdc++.so.6)'
                       ' echo "libstdc++6:amd64: $path";; esac; done\n')
        os.chmod(tools + "/dpkg-query", 0o755)
        environment = {"PATH": tools + ":" + os.environ["PATH"]}
        done = run([CENSUS, "run", "-o", self.path("run.hp"), "--", program("shop")], environment)
        if "/libstdc++.so.6 (" not in done.errors:
            self.skipTest("libstdc++ has symbols here")
        self.assertIn("install libstdc++6-dbgsym", done.errors)

    def test_own_frames_on_request(self):
        base, _ = self.record([program("shop")], "--skip", "^Shop::")
        self.assertFalse([n for n in self.names(base + ".hp") if n.startswith("Shop::report")])
        base, summary = self.record([program("shop"), "{}.hp"], "--no-skip", "-hy")
        types = self.names(base + ".hp", least=0)  # they are found all the same
        self.assertIn("array of std::vector<std::string>", types, summary)
        base, _ = self.record([program("shop")], "--no-skip")
        self.assertTrue([n for n in self.names(base + ".hp") if STANDARD.search(n)])
        names = self.names(base + ".eventlog", "--by", "function", "--skip", "^Shop::report")
        self.assertNotIn("Shop::report", names)
        self.assertIn("main", names)

    def test_own_frames_of_wrappers(self):
        """The summary says how to see who calls an allocator of the program, and a known one is passed over."""
        command = [program("stacks"), "wraps"]
        base, summary = self.record(command)
        self.assertRegex(summary, r"block.*  pool_alloc@stacks\.c:\d+ < add_(line|user)/wraps/")
        advice = re.findall("callers instead: --skip '(.*)'", summary)
        self.assertEqual(advice, ["^pool_alloc$"])
        base, summary = self.record(command, "--skip", advice[0])
        self.assertRegex(summary, r"60%  .*  add_line@stacks\.c:\d+ < wraps/")
        self.assertRegex(summary, r"40%  .*  add_user@stacks\.c:\d+ < wraps/")
        self.assertNotIn("callers instead", summary)

    def test_own_frames_of_python(self):
        path = self.path("app.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PYTHON_PROGRAM)
        self.check(["/usr/bin/python3", "-s", "-S", path], ["app.load", "app.table"])


if __name__ == "__main__":
    harness.main()
