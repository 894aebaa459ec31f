#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Several break-downs in one run: the recording answers each of them, and how they cross."""
import json
import os
import re

import harness
from harness import Native, program
from test_holders import Waiting

os.environ["CENSUS_BIOGRAPHY_SEED"] = "1"  # watches the same blocks in each run

RATE = 512  # larger blocks are all watched


class Several(Native):
    def run_several(self, *options):
        folder = self.fresh()
        done = Waiting([program("several"), os.path.join(folder, "profile.hp")], folder, f"--biography-rate={RATE}", *options,
                       files=(".hp", ".census"))
        self.assertEqual(done.process.returncode, 0, done.errors)
        self.recording = done.base + ".census"
        return done.printed("type"), done.errors

    def most(self, *view):
        """Returns {band: largest bytes} of the recording."""
        text = harness.run([harness.CENSUS, "report", "--format", "json", "-m0", *view, self.recording])
        self.assertEqual(text.status, 0, text.errors)
        return {re.sub(r"^\(\d+\)|@.*", "", band["name"]): band["max"] for band in json.loads(text.output)["bands"]}

    def large(self, *view):
        """Returns the names of the bands that are not of some small blocks."""
        return {name for name, size in self.most(*view).items() if size > 20000}

    def check_part(self, expected, *view):
        """Checks the bands of a view: these names, and no other one of their size."""
        found = self.most(*view)
        self.assertEqual({name: found.get(name) for name in expected}, expected, view)
        others = {name: size for name, size in found.items() if name not in expected}
        self.assertLess(sum(others.values()), min(expected.values()) / 10, view)

    def test_holders_and_types_in_one_run(self):
        own, errors = self.run_several("-hr", "-hy")
        self.assertIn("at the peak, with --by type:", errors)
        by_type = self.most("--by", "type")
        self.assertEqual({name: by_type[name] for name in own}, own)
        info = harness.run([harness.CENSUS, "info", self.recording]).output
        self.assertRegex(info, r"\nbreakdown +retainer set \(-hr\), a sample [^\n]*\nmore +--by type \(-hy\)\n")
        self.assertEqual(json.loads(harness.run([harness.CENSUS, "info", "--format", "json", self.recording]).output)["more"],
                         ["type"])
        self.assertEqual(self.most("--by", "retainer"), self.most())
        self.assertEqual(self.most("--by", "type", "--under", "cache@")["Page"], own["Page"])
        self.check_part({"load_page": own["Page"]}, "--by", "function", "--under", "^Page$")
        self.check_part({"Session": own["Session"]}, "--by", "type", "--under", "open_session")

    def test_the_first_break_down_names_the_bands(self):
        own, errors = self.run_several("-hc", "-hy", "-hm", "-hr")
        self.assertIn("at the peak, with --by retainer:", errors)
        bands = self.most()
        self.assertEqual({name: bands[name] for name in own}, own)
        self.assertEqual(self.most("--by", "type"), bands)
        self.assertIn("cache", self.most("--by", "retainer", "--under", "^Page$"))
        self.assertEqual(self.most("--by", "module", "--under", "^Page$"), {"several": own["Page"]})

    def test_use_with_holders_and_types(self):
        own, errors = self.run_several("-hr", "-hb", "-hy")
        self.assertIn("at the peak, with --by use:", errors)
        self.assertEqual(self.large("--by", "use", "--under", "^Page$"), {"VOID"})
        self.assertIn("USE", self.large("--by", "use", "--under", "^Session$"))
        self.assertEqual(self.large("--by", "function", "--under", "^VOID$"), {"load_page"})
        self.assertEqual(self.large("--by", "type", "--under", "^VOID$"), {"Page"})
        self.check_near(own["Page"], self.most("--by", "type")["Page"])

    def check_near(self, expected, found):
        """A biography counts the blocks that are watched for all."""
        self.assertLess(abs(found - expected), expected / 7)

    def test_use_types_and_holders_explain_it(self):
        """One recording answers all questions of `census explain`."""
        self.run_several("-hr", "-hb", "-hy")
        done = harness.run([harness.CENSUS, "explain", self.recording])
        self.assertEqual((done.status, done.errors), (0, ""))
        self.assertNotIn("Not known", done.output)
        for row in (r"made by +\S+%  load_page", r"consists of +\S+%  Page", r"held by +\S+%  cache@several",
                    r"use +\S+%  VOID  never used", r"(?s)Of what is not in use\n  made by +9.*%  load_page"):
            self.assertRegex(done.output, row)

    def test_use_has_stacks(self):
        """Also without images: the last samples are written again with the phases that are known at the end."""
        for options in ["-hb"], ["-hb", "-hy"]:
            own, _ = self.run_several(*options)
            self.assertEqual(self.large("--by", "function", "--under", "^VOID$"), {"load_page"})
            self.check_near(own["Page"], self.most("--by", "function")["load_page"])
            self.assertEqual(self.most("--by", "use"), self.most())
            found = harness.run([harness.CENSUS, "report", self.recording]).output
            command = re.search(r"(?m)^unused memory: .*\n  census (report .*)$", found)[1]
            self.assertIn("load_page", harness.run(["sh", "-c", harness.CENSUS + " " + command]).output)
        self.assertEqual(self.large("--by", "type", "--under", "^USE$"), {"Session"})

    def test_pages_of_each_break_down(self):
        self.run_several("-hr", "-hy")
        for view in [], ["--by", "type"], ["--by", "retainer"], ["--by", "function"]:
            page = self.path("page.html")
            done = harness.run([harness.CENSUS, "plot", *view, "-o", page, self.recording])
            self.assertEqual((done.status, done.errors), (0, ""))
            with open(page, encoding="utf-8") as file:
                self.assertIn("Page" if view[1:] == ["type"] else "cache" if "function" not in view else "load_page",
                              file.read())

    def test_pages_of_differences_by_each_break_down(self):
        self.run_several("-hr", "-hy")
        for part, wanted, not_wanted in ("type", "Page", "cache@several"), ("retainer", "cache@several", "Page"):
            page = self.path("page.html")
            done = harness.run([harness.CENSUS, "diff", "--by", part, "-o", page, self.recording, self.recording])
            self.assertEqual((done.status, done.errors), (0, ""))
            with open(page, encoding="utf-8") as file:
                names = re.findall(r'"name":"(?:\(\d+\))?([^"]*)"', file.read())
            self.assertIn(wanted, names)
            self.assertNotIn(not_wanted, names)


if __name__ == "__main__":
    harness.main()
