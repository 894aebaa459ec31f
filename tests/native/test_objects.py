#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Objects of Python under `census run`: their types, and what holds them, are those that a program
finds by its own references."""
import os
import re

import harness
from harness import Native
from test_holders import Waiting, sets_of

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
HELD = os.path.join(PROGRAMS, "held.py")


# By how many bytes sets differ from what the program sees.
ROOM = {
    "held.cache": 21000,  # attributes of 300 instances have room for more
    "held.waiting": 3000,  # up to 3.10: a word of each of 300 frames
    "held.names": 300,  # from 3.14 on: room for attributes
    # Keys that classes and instances share, and undefined words in C structures.
    "held.Session+held.cache": 1000, "held.Session": 1500, "held.square": 1000,
    "held.weak": 1000, "work": 1000,
}
ONE_TEXT = 100  # a name that code shares with them


# Types of which the collector knows all objects, and sys.getsizeof all memory. Others have objects that it does not
# know (texts, numbers), that are not allocated (None), or that have attributes.
EXACT = """held.Names held.Point _abc._abc_data _io.FileIO _io.TextIOWrapper array.array bytearray cell classmethod
classmethod_descriptor collections.deque frozenset function functools._lru_cache_wrapper generator getset_descriptor
itertools.count method method_descriptor property set staticmethod types.SimpleNamespace weakref.KeyedRef
wrapper_descriptor""".split()

# Room for attributes; what the system says of the file; objects that are kept to be used again.
INEXACT_SINCE_3_14 = {"held.Names", "_io.FileIO", "method"}


class Python(Native):
    def run_held(self, python, *options, preload=""):
        environment = ["env", "LD_PRELOAD=" + preload] if preload else []
        done = Waiting([*environment, python, "-s", "-S", HELD], self.fresh(), "-i0.3", *options)
        self.assertEqual(done.process.returncode, 0, done.errors)
        return done

    def check_holders(self, python, preload=""):
        """Compares all sets of the program's own data."""
        done = self.run_held(python, "-hr", preload=preload)
        printed = done.printed("held")
        data = set("+".join(printed).split("+"))
        found = {re.sub(r"held\.work\(frame_of_[^)]*\)", "work", name): n_bytes
                 for name, n_bytes in sets_of(done.profile).items()}
        self.assertGreater(len(printed), 18)
        for name, n_bytes in printed.items():
            self.assertAlmostEqual(found.get(name, 0), n_bytes, delta=ROOM.get(name, ONE_TEXT), msg=name)
        others = {name: n for name, n in found.items() if set(name.split("+")) <= data and name not in printed}
        self.assertLess(sum(others.values()), 2000, others)
        self.assertGreater(found["UNREACHED"], 25 * 500)  # rings that no collection has found

    def check_types(self, version, python):
        done = self.run_held(python, "-hy")
        printed, found = done.printed("type"), done.profile.last()
        exact = [name for name in EXACT if int(version.partition(".")[2]) < 14 or name not in INEXACT_SINCE_3_14]
        self.assertEqual({name: found[name] for name in exact}, {name: printed[name] for name in exact})
        # Some belong to the interpreter, and it keeps up to 80 to use them again.
        self.assertAlmostEqual(found["list"], printed["list"], delta=400 + 80 * 56)
        self.assertGreaterEqual(found["held.Session"], printed["held.Session"])

    def test_objects_of_python_at_small_addresses(self):
        """The lower halves of addresses are small numbers."""
        self.with_each(lambda _, python: self.check_holders(python, os.path.join(harness.PROGRAMS, "libarenas.so")))

    def check_growing(self, _, python):
        census = harness.run_census([python, "-S", os.path.join(PROGRAMS, "tables.py")], self.fresh(), "-hr")
        self.assertEqual((census.status, census.errors), (0, ""))
        self.assertGreater(max(sum(bands.values()) for _, bands in census.profile.samples), 20000000)
        self.assertLess(max(bands.get("UNREACHED", 0) for _, bands in census.profile.samples), 200000)

    def test_objects_of_python_in_dicts_that_grow(self):
        """Images of peaks are taken while they do."""
        self.with_each(self.check_growing)

    def check(self, version, python):
        self.check_holders(python)
        self.check_types(version, python)

    def test_objects_of_python_3_9(self):
        self.with_each(self.check, "3.9")

    def test_objects_of_python_3_10(self):
        self.with_each(self.check, "3.10")

    def test_objects_of_python_3_11(self):
        self.with_each(self.check, "3.11")

    def test_objects_of_python_3_12(self):
        self.with_each(self.check, "3.12")

    def test_objects_of_python_3_13(self):
        self.with_each(self.check, "3.13")

    def test_objects_of_python_3_14(self):
        self.with_each(self.check, "3.14")

    def test_objects_of_python_3_15(self):
        self.with_each(self.check, "3.15")


if __name__ == "__main__":
    harness.main()
