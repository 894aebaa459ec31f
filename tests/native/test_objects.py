#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Objects of Python under `census run`: their types, and what holds them, are those that a program
finds by its own references."""
import glob
import os
import re
import shutil

import harness
from harness import Native
from test_holders import Waiting, sets_of

HELD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "held.py")


def interpreters(version):
    """Returns the interpreters of a version, as 3.11, on this machine."""
    found = glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python{version}"))
    own = shutil.which("python" + version, path="/usr/bin:/usr/local/bin")
    return sorted(found) + ([own] if own else [])


class WaitingLonger(Waiting):
    SAMPLES = 6  # more of them are being read when objects of Python are many


class Python(Native):
    def run_held(self, python, *options):
        done = WaitingLonger([python, "-s", "-S", HELD], self.fresh(), "-i0.3", *options)
        self.assertEqual(done.process.returncode, 0, done.errors)
        return done

    def check_holders(self, python):
        """Compares all sets of the program's own data. Undefined words in blocks may look like
        references, and the attributes of an instance have more room than the program can see."""
        done = self.run_held(python, "-hr")
        printed = done.printed("held")
        data = set("+".join(printed).split("+"))
        found = {re.sub(r"__main__\.work\(frame_of_[^)]*\)", "work", name): n_bytes
                 for name, n_bytes in sets_of(done.profile).items()}
        self.assertGreater(len(printed), 18)
        for name, n_bytes in printed.items():
            room = 0.2 if name == "__main__.cache" else 0.03
            self.assertAlmostEqual(found.get(name, 0), n_bytes, delta=n_bytes * room + 1000, msg=name)
        others = {name: n for name, n in found.items() if set(name.split("+")) <= data and name not in printed}
        self.assertLess(sum(others.values()), 2000, others)
        self.assertGreater(found["UNREACHED"], 5 * 500)  # rings that no collection has found

    def check_types(self, python):
        done = self.run_held(python, "-hy")
        printed, found = done.printed("type"), done.profile.last()
        for name in ["__main__.Point", "__main__.Names", "weakref.KeyedRef", "bytearray", "array.array", "cell",
                     "set", "generator", "collections.deque"]:
            self.assertEqual(found[name], printed[name], name)
        self.assertAlmostEqual(found["list"], printed["list"], delta=printed["list"] * 0.03)
        self.assertGreaterEqual(found["__main__.Session"], printed["__main__.Session"])

    def check(self, version):
        found = interpreters(version)
        if not found:
            self.skipTest(f"no python{version}")
        for python in found:
            with self.subTest(python=python):
                self.check_holders(python)
                self.check_types(python)

    def test_objects_of_python_3_9(self):
        self.check("3.9")

    def test_objects_of_python_3_10(self):
        self.check("3.10")

    def test_objects_of_python_3_11(self):
        self.check("3.11")

    def test_objects_of_python_3_12(self):
        self.check("3.12")

    def test_objects_of_python_3_13(self):
        self.check("3.13")


if __name__ == "__main__":
    harness.main()
