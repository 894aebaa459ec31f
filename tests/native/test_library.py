#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Allocations of the C and C++ libraries for a program, before, during and after main."""
import os
import re
import shutil

import harness
from harness import Native, program


class CLibrary(Native):
    def test_strings_and_streams(self):
        command = [program("library"), "strings"]
        self.check_program(command)
        self.check_through(command)

    def test_buffered_output(self):
        plain, _ = self.check_program([program("library"), "prints"])
        self.assertEqual((plain.status, plain.output.count("\n")), (4, 2000))

    def test_before_and_after_main(self):
        plain, _ = self.check_program([program("library"), "begins_and_ends"])
        self.assertEqual(plain.status, 21)


class CxxLibrary(Native):
    def check(self, case, **more):
        plain, census = self.check_program([program("objects"), case], **more)
        self.assertEqual(plain.status, 0)

    def test_exceptions(self):
        self.check("throws")
        self.check_through([program("objects"), "throws"])

    def test_exceptions_of_libraries_that_come_late(self):
        """The C++ run time is not in the global scope, or there are two."""
        for library in ("libthrows.so", "libthrows_static.so"):
            for scope in ("local", "global", "deep"):
                with self.subTest(library=library, scope=scope):
                    census = harness.run_census([program("library"), "catches_late", program(library), scope],
                                                self.fresh())
                    self.assertEqual((census.status, census.output), (0, "caught 101\n"))

    def test_exceptions_of_libraries_in_the_place_of_others(self):
        """The C++ run time of a library is not that of one that was there before."""
        command = [program("library"), "throws_by_turns", program("libplugin_one.so"), program("libplugin_two.so")]
        self.assertEqual(harness.run(command).status, 0)
        for options in ((), ("-xc",)):
            census = harness.run_census(command, self.fresh(), *options)
            self.assertEqual((census.status, census.output), (0, ""), census.errors)

    def test_stacks_of_exceptions(self):
        """-xc: once for each type and place, and how many at the end; the program is as before."""
        census = harness.run_census([program("throws"), "100"], self.fresh(), "-xc")
        self.assertEqual((census.status, census.output), (0, "101\n"))
        lines = re.sub(r"\[\d+\]| \S*throws\.cc:\d+", "", census.errors).splitlines()
        head = "*** %s (reporting due to -xc) in throws, stack trace:"
        self.assertEqual(lines, [
            head % "std::runtime_error", "  (anonymous_namespace)::throw_below,", "  called from count_caught,",
            "  called from main",
            head % "int", "  (anonymous_namespace)::throw_number,", "  called from count_caught,",
            "  called from main",
            "*** std::runtime_error: thrown 100 times by (anonymous_namespace)::throw_below"])
        self.assertRegex(census.errors, r"called from main \S*throws\.cc:\d+\n")

    def test_stacks_of_exceptions_in_a_child(self):
        """A child reports what it throws itself."""
        census = harness.run_census([program("throws"), "100", "fork"], self.fresh(), "-xc")
        self.assertEqual((census.status, census.output), (0, "101\n2\n"))
        self.assertEqual(census.errors.count("*** std::runtime_error (reporting"), 2)
        self.assertEqual(census.errors.count("*** int (reporting"), 2)
        self.assertEqual(census.errors.count(": thrown "), 1)

    def test_stacks_of_exceptions_in_late_libraries(self):
        for library in ("libthrows.so", "libthrows_static.so"):
            census = harness.run_census([program("library"), "catches_late", program(library), "local"],
                                        self.fresh(), "-xc")
            self.assertEqual((census.status, census.output), (0, "caught 101\n"))
            self.assertIn("*** std::runtime_error (reporting due to -xc) in library[", census.errors)
            self.assertIn("thrown 100 times", census.errors)

    def test_exceptions_that_cannot_be_seen(self):
        done = harness.run([harness.CENSUS, "run", "-xc", "-o", self.path("profile"), "--",
                            program("throws_alone"), "3"])
        self.assertEqual((done.status, done.output), (0, "4\n"))
        self.assertIn("linked to it statically cannot be seen", done.errors)

    def test_operators(self):
        self.check("makes")

    def test_operators_by_call(self):
        """What each was asked for, with and without the C++ library's own."""
        for library in (None, *harness.allocators()):
            with self.subTest(library=library):
                census = harness.run_census([program("objects"), "counts"], self.fresh(), "-hT",
                                            environment={"LD_PRELOAD": library} if library else None)
                found = census.profile.last()
                for call, size in census.printed("call").items():
                    room = 100 if library and call == "new" else 0  # of the library itself
                    self.assertIn(found[call] - size, range(room + 1), call)

    def test_containers_in_threads(self):
        self.check("contains", is_repeatable=False)
        self.check_through([program("objects"), "contains"])

    def test_debugger_knows_malloc(self):
        """A debugger can call the functions of the library without being told their types."""
        if not shutil.which("gdb") or os.uname().machine != "x86_64":
            self.skipTest("there is no gdb here, or the library has no types for this processor")
        def asks(*questions):
            return ["gdb", "-q", "-batch", "-ex", "break _exit", "-ex", "run", *(word for q in questions for word in ("-ex", q)),
                    "-ex", "continue", "--args", program("ends"), "returns"]

        plain = harness.run(asks("print (int)getpid() > 0"))
        if "$1 = 1\n" not in plain.output:
            self.skipTest("gdb cannot call functions here: " + " ".join(plain.errors.splitlines()[-1:]))
        census = harness.run_census(asks("print malloc(10) != 0", "ptype realloc"), self.fresh())
        # Clang describes no parameters of naked functions.
        self.assertRegex(census.output, r"\$1 = 1\ntype = void \*\((void \*, size_t|void)\)\n", census.errors)

    def test_static_destructors(self):
        self.check("outlives")


if __name__ == "__main__":
    harness.main()
