#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Types of blocks (-hy): the bytes of each type are the same that the program itself prints."""
import collections
import json
import os
import re
import shutil
import subprocess

import harness
from harness import Native, program
from test_holders import Waiting


class Types(Native):
    def types_of(self, name, case, *options):
        """Returns the types that a program printed, and the types of its profile."""
        done = Waiting([program(name), case], self.fresh(), *(options or ["-hy"]))
        self.assertEqual(done.process.returncode, 0, done.errors)
        printed = {" ".join(words[1:-1]): int(words[-1]) for words in done.lines if words[0] == "type"}
        self.assertTrue(printed)
        return printed, done.profile.last()

    def assert_types(self, name, case):
        """Compares all printed types. Other blocks belong to the libraries."""
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

    def check_log(self, base, parts):
        """Compares the bytes of each type and function in an event log with `parts`, {(type, function): bytes}, of
        the given types, and the bands of its samples with those of the .hp file."""
        def census(*words):
            return harness.run([harness.CENSUS, *words]).output

        found = collections.Counter()
        for line in census("convert", "--format", "folded", base + ".eventlog").splitlines():
            stack, size = line.rsplit(" ", 1)
            frames = stack.split(";")
            for path in {path for type, path in parts if type == frames[-1]}:
                if set(path.split(";")) <= set(frames[:-1]):
                    found[frames[-1], path] += int(size)
        self.assertEqual(found, parts)
        for type, path in parts:
            function = path.split(";")[-1]
            shown = json.loads(census("report", "--format", "json", "--by", "type", "--under", f"^{function}$",
                                      "-m0", base + ".eventlog"))
            most = {band["name"]: band["max"] for band in shown["bands"]}
            self.assertEqual(most.get(type), sum(size for (other, at), size in parts.items()
                                                 if other == type and at.split(";")[-1] == function))
        allocated = census("report", "--value", "allocated", base + ".eventlog")
        self.assertTrue(allocated.splitlines()[0].endswith("by call stack"), allocated)  # the types are not known
        census("convert", "-o", base + ".again.hp", base + ".eventlog")
        whole, again = harness.Profile(base + ".hp"), harness.Profile(base + ".again.hp")
        self.assertEqual(*([costs for _, costs in profile.samples if costs] for profile in (again, whole)))
        with open(base + ".again.hp", encoding="utf-8") as file:
            last = file.read().rsplit("BEGIN_SAMPLE", 1)[1].splitlines()
        self.assertEqual(len(last), len({line.split("\t")[0] for line in last}))  # each name once
        log = base + ".eventlog"
        for words in (["plot", log], ["diff", log, log]):
            census(*words, "-o", base + ".html")
            with open(base + ".html", encoding="utf-8") as file:
                data = json.loads(re.search(r'id="census-data">(.*?)</script>', file.read(), re.S)[1])
            self.assertEqual(len(data["profiles"]), len(words) - 1)
            page = data["profiles"][-1]
            self.assertEqual({name["name"] for name in page["names"]},
                             set().union(*(costs for _, costs in whole.samples)))
            labels = {frame[0] for frame in page["stacks"]["frames"]}
            self.assertLessEqual({label for part in parts for label in (part[0], *part[1].split(";"))}, labels)

    def test_types_by_stack_in_event_logs(self):
        done = Waiting([program("types_of_calls")], self.fresh(), "-hy", files=(".hp", ".eventlog"))
        parts = {(words[2], words[1]): int(words[3]) for words in done.lines if words[0] == "part"}
        self.assertEqual(len(parts), 5)
        self.check_log(done.base, parts)

    def test_types_of_python_by_stack_in_event_logs(self):
        script = os.path.join(self.directory, "nodes.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import os, sys\n"
                       "class Node:\n    __slots__ = ('value',)\n"
                       "def parse():\n    return [Node() for _ in range(300)]\n"
                       "def copy():\n    return [Node() for _ in range(200)]\n"
                       "kept = parse(), copy()\n"
                       "print(sys.getsizeof(Node()))\n"
                       "print('ready', flush=True)\nsys.stdin.read()\nos._exit(0)\n")
        done = Waiting(["/usr/bin/python3", script], self.fresh(), "-hy", files=(".hp", ".eventlog"))
        size = int(done.lines[0][0])
        self.check_log(done.base, {("nodes.Node", "nodes.parse"): 300 * size,
                                   ("nodes.Node", "nodes.copy"): 200 * size})

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
