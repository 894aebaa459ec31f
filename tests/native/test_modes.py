#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The fault matrix: programs run unharmed in each mode, whatever they do. One test for each fault, with the modes that
no other test (test_images, test_lives, test_cc, test_retained) combines with it."""
import json
import os
import shutil
import subprocess
import unittest

import harness
from harness import CENSUS, Native, program

TYPES = ("-hy", "-i0.005", "--snapshot", "last")  # both by images
USES = ("-hb", "-i0.01", "--biography-rate=200")
os.environ["CENSUS_BIOGRAPHY_SEED"] = "1"  # watches the same blocks in each run
SNAPSHOTS = ("-hc", "-i0.005", "--snapshot", "last")
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


class Modes(Native):
    def check(self, command, *modes, **more):
        """Runs a command alone and in each mode. Returns the profile of the last mode."""
        name, *words = command
        command = [name if os.path.isabs(name) else program(name), *words]
        plain = harness.run(command, **more)
        for mode in modes:
            with self.subTest(" ".join([name, *words[:1], mode[0]])):
                census = harness.run_census(command, self.fresh(), *mode, **more)
                self.assert_unharmed(plain, census)
                self.assertIsNotNone(census.profile)
        return census.profile

    def test_modes_and_threads(self):
        for case in "cancels", "ends_values":
            self.check(["threads", case], TYPES)

    def test_modes_and_plugins(self):
        """Threads load and unload libraries."""
        self.check(["threads", "loads", program("libplugin_one.so"), program("libplugin_two.so"), self.path("numbers")],
                   TYPES, USES)

    def test_modes_and_processes(self):
        """fork, exec, vfork, daemons, and a program that closes all files."""
        for case in "forks_with_threads", "executes_after_vfork", "daemonises", "closes_all":
            self.check(["processes", case, self.path("done")], TYPES)
        self.check(["processes", "executes_itself", "2", "0"], TYPES)

    def test_modes_and_signals(self):
        """Handlers allocate at any moment; the allocator of this program permits that."""
        for mode in TYPES, USES:
            profile = harness.run_census([program("stacks_bump"), "is_signalled", self.path("numbers")], self.fresh(),
                                         *mode).profile
            with open(self.path("numbers"), encoding="ascii") as file:
                self.assertEqual(profile.total(), sum(int(line.split()[2]) for line in file), mode[0])

    def test_modes_and_jumps(self):
        for case in "jumps", "switches":
            self.check(["stacks", case], TYPES, USES)

    def test_modes_and_exceptions(self):
        self.check(["objects", "throws"], TYPES, USES)

    def test_modes_and_allocators(self):
        if not harness.allocators():
            self.skipTest("there are no other allocators here")
        for library in harness.allocators():
            for command in ["sizes", "aligns"], ["threads", "detaches"]:
                self.check(command, TYPES, USES, environment={"LD_PRELOAD": library})

    def test_modes_and_seccomp(self):
        command = program("ticks"), "isolates_itself", "prctl"
        plain = harness.run(command)
        done = harness.run([CENSUS, "run", *TYPES, "-o", self.path("profile"), "--", *command])
        self.assertEqual((done.output, done.status), (plain.output, plain.status))
        self.assertNotIn("under seccomp", done.errors)

    def test_modes_in_namespaces(self):
        """The first process of a namespace ends only when its copies have ended, whose parent it is. Nothing that census
        does must keep its own parent waiting."""
        for words, modes in (["unshare", "-p", "-f"], (TYPES, TYPES, USES)), (["unshare", "-U", "-r"], (TYPES,)):
            command = [*words, program("sizes"), "million"]
            plain = harness.run(command)
            if "unshare failed" in plain.errors:
                self.skipTest("no namespaces here")
            for mode in modes:
                self.assert_unharmed(plain, harness.run_census(command, self.fresh(), *mode))

    @unittest.skipUnless(shutil.which("strace"), "there is no strace here")
    def test_modes_under_a_tracer(self):
        """A program may be traced meanwhile. The tracer itself waits for all its children, and has no images."""
        command = ["strace", "-o", self.path("calls"), program("ends"), "returns", "3"]
        for mode in TYPES, USES:
            done = harness.run([CENSUS, "run", *mode, "-o", self.path("profile"), "--", *command])
            self.assertEqual((done.output, done.status), ("live keep 364000\n", 3), done.errors)
            self.assertNotIn("the end of the program has no sample", done.errors)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("prlimit"), "root and prlimit are needed")
    def test_modes_without_fork(self):
        """The limit of processes does not bind root, so another user runs census, and the program may not fork."""
        os.chown(self.directory, 65534, 65534)
        other = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": self.directory}
        if harness.run(["test", "-x", CENSUS], **other).status != 0:
            self.skipTest("another user cannot run census from its folder")
        for mode in TYPES, SNAPSHOTS:
            done = harness.run([CENSUS, "run", *mode, "--", "prlimit", "--nproc=1", program("ends"), "returns", "3"],
                               **other)
            self.assertEqual((done.status, done.output), (3, "live keep 364000\n"), done.errors)
            self.assertRegex(done.errors, r"\d+ samples? skipped: it cannot start a process that helps: ")
            self.assertEqual("no sample" in done.errors, mode != SNAPSHOTS, done.errors)


    @unittest.skipUnless(shutil.which("gcc") and shutil.which("g++"), "gcc and g++ are needed")
    def test_modes_of_census_cc(self):
        exact = "-hb", "-i0.01"
        plugins = [program("libplugin_one.so"), program("libplugin_two.so"), self.path("numbers")]
        processes, threads, ticks = (self.compile("cc", name + ".c") for name in ("processes", "threads", "ticks"))
        self.check([threads, "loads", *plugins], exact)
        for library in harness.allocators():
            self.check([threads, "detaches"], exact, environment={"LD_PRELOAD": library})
        self.check([processes, "closes_all"], exact)
        self.check([processes, "executes_itself", "1", "0"], exact)
        self.check([processes, "daemonises", self.path("done")], exact)
        self.check([ticks, "isolates_itself", "prctl"], exact)
        self.check([self.compile("c++", "objects.cc"), "throws"], exact)

    def check_lines(self, command, file):
        """Compares the lines of a file in an event log by stack with those of a profile by line, and the bands by stack
        with those of the other file."""
        def report(log, *options):
            found = harness.run([CENSUS, "report", "--format", "json", "-m0", *options, log])
            self.assertEqual(found.status, 0, found.errors)
            return {band["name"].partition(")")[2] or band["name"]: band["max"] for band in json.loads(found.output)["bands"]}
        def of_file(bands):  # by line
            return {os.path.basename(name[name.index(file):]): n_bytes for name, n_bytes in bands.items() if file in name}
        expected = of_file(report(harness.run_census(command, self.fresh(), "-hd").profile.path))
        self.assertGreater(len(expected), 1)
        for suffix in ".eventlog", ".census":
            directory = self.fresh()
            # -L: one long name of Python is longer than names in .hp files usually are.
            census = harness.run_census(command, directory, "-hc", files=(".hp", suffix))
            log, copy = os.path.join(directory, "profile" + suffix), os.path.join(directory, "copy.eventlog")
            converted = harness.run([CENSUS, "convert", "-o", copy, log])
            self.assertEqual(converted.status, 0, converted.errors)
            for path in log, copy:
                lines, allocated = (of_file(report(path, "--by", "line", *value)) for value in ([], ["--value", "allocated"]))
                self.assertEqual({line: n_bytes >> 10 for line, n_bytes in lines.items()},
                                 {line: n_bytes >> 10 for line, n_bytes in expected.items()})
                self.assertEqual([line for line in lines if allocated[line] < lines[line]], [])
            if census.profile:
                self.assertEqual(report(log, "--by", "function"), report(census.profile.path, "--by", "function"))

    def test_modes_have_lines(self):
        self.check_lines([program("variables")], "variables.c:")
        for mode in "-hc", "-hy":
            directory = self.fresh()
            harness.run_census([program("variables")], directory, mode, files=(".eventlog",))
            marked = harness.run([CENSUS, "report", "--bytes", "--source", SOURCES, os.path.join(directory, "profile.eventlog")])
            self.assertRegex(marked.output, r"bytes +[0-9.]+% +65 ", marked.errors)

    def test_modes_have_lines_of_python(self):
        script = os.path.join(self.directory, "lines.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import os\ndef kept(n):\n    a = bytearray(n << 20)\n    b = bytearray(3 * n << 20)\n    return a, b\n"
                       "made = kept(2), kept(4)\nos._exit(0)\n")
        self.check_lines(["/usr/bin/python3", script], "lines.py:")

    def compile(self, wrapper, source):
        """Returns a program that `census cc` compiled."""
        name, case = self.path(source.partition(".")[0]), self.path("case.o")
        if not os.path.exists(case):
            subprocess.run(["gcc", "-c", "-D_GNU_SOURCE", SOURCES + "/case.c", "-o", case], check=True)
        subprocess.run([CENSUS, wrapper, "--compiler=gcc" if wrapper == "cc" else "--compiler=g++", "-O1", "-D_GNU_SOURCE",
                        "-I" + os.path.join(SOURCES, "../../../profiler/include"), "-pthread", "-fno-builtin",
                        SOURCES + "/" + source, case, "-lm", "-o", name], check=True)
        return name


if __name__ == "__main__":
    harness.main()
