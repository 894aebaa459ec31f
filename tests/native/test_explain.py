#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`census explain` names the faults of programs that were recorded once, with holders and stacks."""
import json
import os

import harness
from harness import CENSUS, Native, program, run

CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "python", "cache.py")


class Explain(Native):
    def explain(self, command, *options):
        """Returns the explanation of a recording by holder, and its text. {} in the command is the path of the
        recording without its suffix. On a busy machine, the peak of a short program can have no sample."""
        for _ in range(5):
            base = os.path.join(self.fresh(), "run")
            recorded = run([CENSUS, "run", "-i0.02", "-o", base + ".hp", "-o", base + ".census", "-hr", *options, "--",
                            *[word.replace("{}", base) for word in command]])
            self.assertEqual(recorded.status, 0, recorded.errors)
            if "the peak has no sample" not in recorded.errors:
                break
        printed = run([CENSUS, "explain", "--format", "json", base + ".census"])
        self.assertEqual(printed.status, 0, printed.errors)
        return json.loads(printed.output), run([CENSUS, "explain", base + ".census"]).output

    def test_explain_names_the_faults_of_a_server(self):
        found, text = self.explain([program("shop"), "{}.hp"])
        advice = {a["kind"]: a for a in found["advice"]}
        self.assertEqual(advice["leak"]["name"], "Journal::note", text)
        self.assertRegex(advice["leak"]["place"], r"^shop\.cc:\d+$")
        named = " ".join(a["text"] for a in found["advice"])
        self.assertIn("Shop::report (shop.cc:", named, text)
        self.assertIn("Pages::render (shop.cc:", named, text)
        self.assertIn("census run -hb -o next.census -- ", text)

    def test_explain_names_the_cache_of_a_python_program(self):
        def check(version, python):
            found, text = self.explain([python, "-s", "-S", CACHE])
            named = " ".join(a["text"] for a in found["advice"])
            self.assertIn("cache.Answer.__init__", named, text)
            self.assertIn("cache.CACHE", named, text)
        self.with_each(check, "3.11")


if __name__ == "__main__":
    harness.main()
