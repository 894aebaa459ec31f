#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Types of blocks (-hy): the bytes of each type are those that the program itself prints."""
import os
import re
import shutil
import subprocess

import harness
from harness import Native, program
from test_holders import Waiting


class Types(Native):
    def types_of(self, name, case, *options):
        """Returns the types that a program printed, and those of its profile."""
        done = Waiting([program(name), case], self.fresh(), *(options or ["-hy"]))
        self.assertEqual(done.process.returncode, 0, done.errors)
        printed = {" ".join(words[1:-1]): int(words[-1]) for words in done.lines if words[0] == "type"}
        self.assertTrue(printed)
        return printed, done.profile.last()

    def assert_types(self, name, case):
        """Compares all printed types. Other blocks are those of the libraries."""
        printed, found = self.types_of(name, case)
        self.assertEqual({name: found[name] for name in printed}, printed)
        of_classes = {name for name in found if re.search("Foo|Circle|Session", name)}
        self.assertEqual(of_classes - set(printed), set())

    def test_types_of_containers(self):
        self.assert_types("types", "containers")

    def test_types_of_containers_by_symbols_alone(self):
        self.assert_types("types_plain", "containers")

    def test_types_of_classes(self):
        self.assert_types("types", "classes")

    def test_types_of_classes_in_stripped_code(self):
        self.assert_types("types_stripped", "classes")

    def test_types_of_owners(self):
        self.assert_types("types", "owners")

    def test_types_of_owners_in_stripped_code(self):
        self.assert_types("types_stripped", "owners_stripped")

    def assert_variables(self, name):
        printed, found = self.types_of(name, "")
        # A block without a type has the place of its call.
        by_name = {re.sub(r"@.*", "", name): size for name, size in found.items()}
        self.assertEqual({name: by_name.get(name) for name in printed}, printed)

    def test_types_of_variables(self):
        self.assert_variables("variables")

    def test_types_of_variables_in_plain_code(self):
        self.assert_variables("variables_plain")

    def test_types_of_rust(self):
        if not shutil.which("rustc"):
            self.skipTest("no rustc")
        boxes = os.path.join(self.directory, "boxes")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "boxes.rs")
        subprocess.run(["rustc", "-g", "-C", "symbol-mangling-version=v0", "-o", boxes, source], check=True,
                       stderr=subprocess.DEVNULL)
        printed, found = self.types_of(boxes, "")
        self.assertEqual({name: found[name] for name in printed}, printed)
        self.assertGreater(found["node of BTreeMap<u64,boxes::Node>"], 11 * 72)

    def test_types_restrict(self):
        printed, found = self.types_of("types", "containers", "-hd", '-hy"node of std::map<int, Foo>"')
        self.assertEqual(sum(found.values()), printed["node of std::map<int,Foo>"])
        self.assertTrue(all("Foo" not in name or "map" in name for name in found), found)

    def test_types_restrict_retainers(self):
        session = "(anonymous namespace)::Session"
        printed, found = self.types_of("types", "owners", "-hr", f'-hy"data of {session}"')
        self.assertEqual(sum(found.values()), printed["data of " + session])
        self.assertTrue(all("fill" in name or "make_sessions" in name for name in found), found)


if __name__ == "__main__":
    harness.main()
