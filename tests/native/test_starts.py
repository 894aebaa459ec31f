#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that a profiled program starts: in each way, with the environment of a run without census, and without the
library where it cannot be loaded."""
import os
import re
import shutil
import subprocess
import sys

import harness
from harness import CENSUS, COUNTING, Native, program

NO_CHILDREN = ["-hd", "--no-children"]
SHOWN = (["env"], ["printenv"], ["sh", "-c", "export -p"], ["bash", "-c", "export -p; declare -p | grep -c CENSUS"],
         [sys.executable, "-c", "import os; print(os.environ)"], ["env", "env"], ["env", "-i", "env"],
         ["sh", "-c", "LD_PRELOAD= env; env"], ["env", "-u", "LD_PRELOAD", "env"],
         ["xargs", "-0", "-a", "/proc/self/environ", "-n1"], ["sh", "-c", "cat /proc/self/environ"],
         [program("starts"), "shows"], ["env", program("starts"), "shows"], ["env", program("starts_static"), "shows"])


class Starts(Native):
    def assert_same(self, command, *options, **more):
        """Compares a run with one under census. Returns the latter."""
        # The path of the executed program is not what is tested here.
        hide = lambda text: re.sub(r"(?m)\b_='?[^'\n\0]*", "_", text)  # noqa: E731
        plain = harness.run(command, **more)
        census = harness.run_census(command, self.fresh(), *options, **more)
        self.assertEqual((hide(census.output), census.errors, census.status),
                         (hide(plain.output), plain.errors, plain.status), command)
        return census

    def test_environment_is_that_of_the_program(self):
        """Also the order of the entries, with and without what the program has in LD_PRELOAD itself."""
        for command in SHOWN:
            with self.subTest(command=command):
                self.assert_same(command, "-hd")
        for preloaded in COUNTING, "", ":" + COUNTING + " ":
            for command in SHOWN[:3] + SHOWN[5:6] + SHOWN[-3:-1]:
                with self.subTest(command=command, preloaded=preloaded):
                    self.assert_same(command, "-hd", environment={"LD_PRELOAD": preloaded, "AFTER": "1"})

    def test_environment_in_proc(self):
        """Of a process that may not set the end of its environment alone, too."""
        if harness.run(["setpriv", "--bounding-set=-sys_resource", "true"]).status != 0:
            self.skipTest("capabilities cannot be dropped here")
        self.assert_same(["setpriv", "--bounding-set=-sys_resource", "cat", "/proc/self/environ"], "-hd")

    def test_environment_without_children(self):
        for command in ["env"], ["sh", "-c", "env; cat /proc/self/environ"], ["env", program("starts_static"), "shows"]:
            self.assert_same(command, *NO_CHILDREN)
            self.assert_same(command, *NO_CHILDREN, environment={"LD_PRELOAD": COUNTING})

    def test_each_way_to_start(self):
        census = self.assert_same([program("starts"), "starts_all"], "-hd")
        n_ways = len(census.output.splitlines())
        self.assertGreaterEqual(n_ways, 20)
        kept = sorted(profile.of("keep_as_child") for profile in census.others)
        self.assertEqual([size for size in kept if size], [100 * (i + 1) for i in range(n_ways)])
        census = self.assert_same([program("starts"), "starts_all"], *NO_CHILDREN)
        self.assertEqual(census.others, [])

    def test_starts_that_fail(self):
        self.assert_same([program("starts"), "fails"], "-hd")

    def test_variables_that_do_not_fit(self):
        """The kernel limits the size of an environment. A program whose environment nearly fills it is started
        without the variables."""
        script = ("import os, resource, subprocess, sys\n"
                  "resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.RLIM_INFINITY))\n"
                  "def runs(n):\n"
                  "    words = ['x' * 100000] * (n // 100000) + ['x' * (n % 100000)]\n"
                  "    try:\n"
                  "        return subprocess.run(['/bin/true', *words]).returncode == 0\n"
                  "    except OSError:\n"
                  "        return False\n"
                  "low, high = 0, 4 << 20\n"
                  "while high - low > 1:\n"
                  "    middle = (low + high) // 2\n"
                  "    low, high = (middle, high) if runs(middle) else (low, middle)\n"
                  "print(low)\n")
        self.assert_same([sys.executable, "-c", script], "-hd", environment={"_": sys.executable})

    def test_shells_and_threads(self):
        self.assert_same([program("starts"), "changes_while_shells_run"], "-hd")
        self.assert_same([program("starts"), "cancels_a_shell"], "-hd")

    def test_nested_census(self):
        """The inner run has the program and its children, the outer one the inner census, unless that has a sanitizer."""
        inner = os.path.join(self.fresh(), "inner")
        census = self.assert_same(["sh", "-c", 'rm -f "$0".*; exec "$@"', inner, "env", CENSUS, "run", "-q", "-hd", "-o",
                                   inner + ".hp", "env", program("starts"), "keeps", "3"], "-hd")
        self.assertEqual(harness.Profile(inner + ".hp").of("keep_as_child"), 300)
        self.assertEqual([profile for profile in census.others if profile.of("keep_as_child")], [])

    def test_another_loader(self):
        if not os.path.exists(program("loader")):
            self.skipTest("not for this processor")
        foreign = program("starts_foreign")
        script = self.path("script")
        with open(script, "w", encoding="ascii") as file:
            file.write("#! %s x\n" % foreign)
        os.chmod(script, 0o755)
        for command in ["env", foreign], ["sh", "-c", foreign + "; echo $?"], ["env", script], \
                [sys.executable, "-c", "import os; print(os.system('%s') >> 8)" % foreign]:
            self.assert_same(command, "-hd")
            self.assertIn("hello\n", self.assert_same(command, *NO_CHILDREN).output)
        errors = harness.run([CENSUS, "run", "-o", self.path("p"), "sh", "-c", foreign + "; true"]).errors
        self.assertIn("it started programs that are not linked to glibc", errors)
        refused = harness.run([CENSUS, "run", "-o", self.path("p"), foreign])
        self.assertRegex(refused.errors, "not linked to glibc .its loader is .*/loader")

    def test_musl(self):
        if not shutil.which("musl-gcc"):
            self.skipTest("there is no musl-gcc here")
        with open(self.path("hello.c"), "w", encoding="ascii") as file:
            file.write("#include <stdio.h>\nint main(void) { return puts(\"hello\") < 0 ? 1 : 5; }\n")
        subprocess.run(["musl-gcc", "-o", self.path("hello"), self.path("hello.c")], check=True, timeout=harness.PATIENCE_S)
        for options in ["-hd"], NO_CHILDREN:
            self.assertEqual(self.assert_same(["env", self.path("hello")], *options).status, 5)

    def test_a_subreaper_starts_no_sanitizer(self):
        if not os.path.exists(program("harm")):
            self.skipTest("not for this processor")
        errors = harness.run([CENSUS, "run", "-o", self.path("p"), program("harm"), "adopts"]).errors
        self.assertIn("ran ", errors)
        self.assertNotIn("sanitizer", errors)

    def test_sanitizer_is_not_preloaded(self):
        """A program with a sanitizer, in a library or in itself, runs without a profile, and census says so."""
        for name in "starts_sanitized", "starts_with_sanitizer":
            command = [program(name), "loads", "libcensus-preload.so"]
            plain = harness.run(command)
            self.assertEqual(plain.output, "libcensus-preload.so is not loaded\n")
            census = harness.run_census(command, self.fresh())
            self.assertEqual((census.output, census.status), (plain.output, plain.status))
            self.assertRegex(census.errors, r"\Acensus: .*/%s runs without a profile: it has a sanitizer .*\n\Z" % name)
            self.assert_same(["env", *command], "-hd")
            errors = harness.run([CENSUS, "run", "-o", self.path("p"), "sh", "-c", " ".join([*command, ";"] * 2)]).errors
            self.assertEqual(errors.count("with a sanitizer"), 1, errors)
        preloaded = "LD_PRELOAD=" + program("libasan.so.99")
        self.assert_same(["env", preloaded, program("starts"), "loads", "libcensus-preload.so"], "-hd")

    def test_sanitizers_of_the_compiler(self):
        source = self.path("main.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <stdlib.h>\nint main(void) { free(malloc(100)); return 3; }\n")
        n_tried = 0
        for compiler in filter(shutil.which, ["gcc", "clang"]):
            for kind in "address", "thread", "memory", "undefined":
                path = self.path(compiler + kind)
                built = harness.run([compiler, "-fsanitize=" + kind, "-o", path, source])
                if built.status == 0 and harness.run([path]).status == 3:
                    n_tried += 1
                    self.assert_same(["env", path], "-hd")
                    self.assertEqual(harness.run_census([path], self.fresh()).status, 3, path)
        if n_tried == 0:
            self.skipTest("no compiler has a sanitizer here")

    def test_root_without_the_library(self):
        root = self.path("root")
        loaded = re.findall(r"(/\S+) \(0x", harness.run(["ldd", program("starts")]).output)
        for file in loaded:
            os.makedirs(root + os.path.dirname(file), exist_ok=True)
            shutil.copy(file, root + file)
        shutil.copy(program("starts"), root + "/starts")
        plain = harness.run([program("starts"), "leaves_root", root])
        if plain.status == 77:
            self.skipTest("namespaces of users are not allowed here")
        self.assertEqual((plain.status, plain.errors), (21, ""))
        self.assert_same([program("starts"), "leaves_root", root], "-hd")

    def test_ldd_does_not_show_the_library(self):
        for command in ["ldd", program("starts")], ["env", "LD_TRACE_LOADED_OBJECTS=1", program("starts")]:
            plain = harness.run(command)
            census = harness.run_census(command, self.fresh(), "-hd")
            strip = lambda text: re.sub("0x[0-9a-f]+", "", text)  # noqa: E731
            self.assertEqual((strip(census.output), census.errors), (strip(plain.output), plain.errors))

    def test_script_without_interpreter(self):
        """As env and shells run it."""
        script = self.path("script")
        with open(script, "w", encoding="ascii") as file:
            file.write('echo "$0 $@"; %s keeps 8\n' % program("starts"))
        os.chmod(script, 0o755)
        plain = harness.run(["env", script, "a", "b c"])
        census = harness.run_census([script, "a", "b c"], self.fresh(), "-hd")
        self.assert_unharmed(plain, census)
        self.assertIn(800, [profile.of("keep_as_child") for profile in census.others + [census.profile]])


if __name__ == "__main__":
    harness.main()
