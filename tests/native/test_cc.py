#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that `census cc` compiled: blocks belong to stacks of functions and scopes that were written down
by hand, whatever the compiler inlined."""
import glob
import os
import re
import shutil
import subprocess
import unittest

import harness
from harness import Native
from test_lives import PHASES, held_in, sets_of, windows_of

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
INCLUDES = ["-I" + os.path.join(SOURCES, "../../..", room, "include") for room in ("profiler", "hpfile")]
C_FLAGS = ["-O2", "-g", "-fno-builtin-malloc", "-pthread"]


def have(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return unittest.skipIf(missing, "needs " + ", ".join(missing))


class Compiled(Native):
    def compile(self, command, *arguments, compiler="gcc"):
        done = harness.run([harness.CENSUS, command, "--compiler=" + compiler, *arguments], cwd=self.directory)
        self.assertEqual((done.status, done.errors), (0, ""))

    def stacks(self, *command, options=()):
        """Returns {stack: bytes} of the last sample, without the numbers of stacks and what libc allocates for
        itself."""
        result = harness.run_census(command, self.fresh(), "-hc", *options)
        self.assertEqual((result.status, result.errors), (0, ""))
        return self.named(result.profile), [self.named(profile) for profile in result.others]

    @staticmethod
    def named(profile):
        names = {re.sub(r"^\(\d+\)", "", name): size for name, size in profile.last().items()}
        return {name: size for name, size in names.items()
                if not re.search("_dl_|libstdc|^_IO", name)}


class Centres(Compiled):
    def check_c(self, compiler):
        self.compile("cc", *C_FLAGS, *INCLUDES, os.path.join(SOURCES, "centres.c"), "-o", "centres",
                     compiler=compiler)
        own, (child,) = self.stacks(self.path("centres"), options=["--no-skip"])  # what libc allocates has its names
        expected = {
            "inlined/main": 10, "recursive/main": 600,
            "even/main": 2 * 7, "odd/even/main": 2 * 9, "last/tail/main": 6,
            "last/first_jumper/jumps/main": 100, "last/second_jumper/jumps/main": 60, "jumps/main": 70,
            "last/compare/main": 11, "last/on_signal/main": 13, "last/thread": 17,
            "last/outer/scopes/main": 19 + 29, "last/inner/outer/scopes/main": 23,
            "last/made_here/captured/main": 31, "last/under/main": 37, "main": 5,
        }
        self.assertEqual(own, expected)
        expected["last/tail/main"] += 41
        del expected["main"]
        self.assertEqual(child, expected)

    @have("gcc")
    def test_cc_stacks_of_gcc(self):
        self.check_c("gcc")

    @have("clang")
    def test_cc_stacks_of_clang(self):
        self.check_c("clang")

    def check_cxx(self, compiler):
        self.compile("c++", "-O2", "-g", "-fno-builtin-malloc", os.path.join(SOURCES, "centres.cc"), "-o", "centres",
                     compiler=compiler)
        own, _ = self.stacks(self.path("centres"))
        self.assertEqual([own.pop(name) for name in list(own) if name.endswith("fills/main")], [66])
        self.assertEqual(own, {
            "main": 2 * 8, "Part::Part/main": 2 * 21, "last/thrower/catches/main": 33, "last/catches/main": 55,
            "last/other/catches/main": 44, "last/main": 77})

    @have("g++")
    def test_cc_stacks_of_gxx(self):
        self.check_cxx("g++")

    @have("clang++")
    def test_cc_stacks_of_clangxx(self):
        self.check_cxx("clang++")


PART = """
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
extern "C"
#endif
void *PART_make(void)
{
    void *block = malloc(BYTES);
    return memset(block, 1, BYTES);
}
"""
MAIN = """
#include <stdlib.h>
void *one_make(void);
void *two_make(void);
void *volatile kept[2];
int main(void)
{
    kept[0] = one_make();
    kept[1] = two_make();
    return 0;
}
"""


class Builds(Compiled):
    """Programs that build systems compile: one part in C, and one in C++ in a shared object."""

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        return self.path(name)

    def setUp(self):
        super().setUp()
        self.write("main.c", MAIN)
        self.write("one.c", PART.replace("PART", "one").replace("BYTES", "123"))
        self.write("two.cc", PART.replace("PART", "two").replace("BYTES", "456"))

    def call(self, *words, **environment):
        result = harness.run(words, environment, cwd=self.directory)
        self.assertEqual(result.status, 0, result.output + result.errors)
        return result

    def check(self, program):
        self.call(program)
        self.assertEqual(self.stacks(program)[0], {"one_make/main": 123, "two_make/main": 456})

    @have("make")
    def test_cc_with_make(self):
        self.write("Makefile", "CFLAGS = -O2 -g -fno-builtin-malloc\nCXXFLAGS = $(CFLAGS)\nLDLIBS = libtwo.so\n"
                               "LDFLAGS = -Wl,-rpath,'$$ORIGIN'\nmain: main.o one.o libtwo.so\n"
                               "libtwo.so: two.cc\n\t$(CXX) $(CXXFLAGS) -fPIC -shared -o $@ $<\n")
        self.call("make", "-s", "CC=%s cc" % harness.CENSUS, "CXX=%s c++" % harness.CENSUS)
        self.check(self.path("main"))

    def check_cmake(self, *options, **environment):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(parts C CXX)\n"
                                     "add_compile_options(-fno-builtin-malloc)\n"
                                     "add_library(two SHARED two.cc)\nadd_executable(main main.c one.c)\n"
                                     "target_link_libraries(main two)\n")
        self.call("cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", *options, **environment)
        self.call("cmake", "--build", "build")
        self.check(self.path("build/main"))

    def test_cc_with_cmake(self):
        self.check_cmake("-DCMAKE_C_COMPILER=%s;cc" % harness.CENSUS, "-DCMAKE_CXX_COMPILER=%s;c++" % harness.CENSUS)

    def test_cc_with_environment_of_cmake(self):
        self.check_cmake(CC=harness.CENSUS + " cc", CXX=harness.CENSUS + " c++")

    @have("autoconf", "make")
    def test_cc_with_autoconf(self):
        self.write("configure.ac", "AC_INIT([parts], [1])\nAC_PROG_CC\nAC_PROG_CXX\nAC_CHECK_FUNCS([malloc])\n"
                                   "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n")
        self.write("Makefile.in", "main: main.c one.c two.cc\n"
                                  "\t@CC@ -g -O2 -fno-builtin-malloc -c main.c one.c\n"
                                  "\t@CXX@ -g -O2 -fno-builtin-malloc main.o one.o two.cc -o main\n")
        self.call("autoconf")
        self.call("./configure", CC=harness.CENSUS + " cc", CXX=harness.CENSUS + " c++")
        self.call("make", "-s")
        self.check(self.path("main"))

    def test_cc_links_as_the_compiler(self):
        """Objects and sources, response files, -x, several outputs, static programs; with gcc and clang."""
        for compiler in filter(shutil.which, ("gcc", "clang")):
            flags = ["-O2", "-g", "-fno-builtin-malloc"]
            self.write("two.c", PART.replace("PART", "two").replace("BYTES", "456"))
            self.write("words", '-O2 -g "-fno-builtin-malloc" main.o -x c \'one.c\' two.c')
            self.compile("cc", *flags, "-c", "main.c", compiler=compiler)
            self.compile("cc", "@words", "-o", "main", compiler=compiler)
            self.check(self.path("main"))
            self.compile("cc", *flags, "-c", "one.c", "two.c", compiler=compiler)
            self.compile("cc", "main.o", "one.o", "two.o", "-o", "main", compiler=compiler)
            self.check(self.path("main"))
            self.compile("cc", *flags, "-static", "main.o", "one.o", "two.o", "-o", "static", compiler=compiler)
            self.call(self.path("static"))

    def test_cc_passes_errors_on(self):
        self.write("wrong.c", "int main(void) { return x; }\n")
        for arguments in (["-c", "wrong.c"], ["wrong.c"], ["absent.c"], ["-E", "one.c"], ["--version"], []):
            plain = harness.run(["cc", *arguments], cwd=self.directory)
            census = harness.run([harness.CENSUS, "cc", *arguments], cwd=self.directory)
            self.assertEqual((census.status, census.output, census.errors),
                             (plain.status, plain.output, plain.errors))


class Exact(Compiled):
    """Biographies are equal to the truth, to the byte."""

    def compile_case(self, name, compiler):
        self.compile("cc", "-O2", "-g", "-D_GNU_SOURCE", "-fno-builtin-malloc", "-pthread", INCLUDES[0],
                     os.path.join(SOURCES, name + ".c"), os.path.join(SOURCES, "case.c"), "-o", name,
                     compiler=compiler)

    def check_lives(self, compiler, *cases):
        self.compile_case("lives", compiler)
        for case in cases:
            base = os.path.join(self.fresh(), "profile")
            done = harness.run([harness.CENSUS, "run", "-hb", "-i0.03", "-o", base + ".hp", "--", self.path("lives"),
                                case, base + ".hp"])
            self.assertEqual(done.status, 0, done.errors)
            self.assertIn("from all accesses of code that census cc compiled", done.errors)
            truths = [[int(n) for n in line.split()[2:]] for line in done.output.splitlines()]
            windows = windows_of(base + ".hp")
            self.assertEqual(len(windows), len(truths))
            self.assertTrue(any(windows))
            for truth, samples in zip(truths, windows):
                for sample in samples:
                    self.assertEqual([sample[name] for name in PHASES], truth, case)

    @have("gcc")
    def test_cc_lives_of_gcc(self):
        self.check_lives("gcc", "all_lag", "all_drag", "half_void", "use_now_and_then", "buffers", "by_system_calls")

    @have("gcc")
    def test_cc_lives_by_holder(self):
        """By retainer set and phase, in both directions; blocks pass from one holder to others."""
        self.compile_case("lives", "gcc")
        for options in ("-hr", "-hblag,drag"), ("-hb", "-hrfirst_table"):
            base = os.path.join(self.fresh(), "profile")
            done = harness.run([harness.CENSUS, "run", "-hmlives", *options, "-i0.03", "-o", base + ".hp", "--",
                                self.path("lives"), "handed_over", base + ".hp"])
            self.assertEqual(done.status, 0, done.errors)
            windows = windows_of(base + ".hp")
            truths = held_in(done.output)
            self.assertEqual((len(windows), all(windows)), (len(truths), True))
            for held, samples in zip(truths, windows):
                if options[0] == "-hb":
                    truth = {phase: sum(phases[phase] for name, phases in held.items() if "first_table" in name)
                             for phase in PHASES}
                else:
                    wanted = options[1][3:].upper().split(",")
                    truth = {name: sum(phases[phase] for phase in wanted) for name, phases in held.items()}
                for sample in samples:
                    self.assertEqual(sets_of(sample), {name: size for name, size in truth.items() if size > 0}, options)

    @have("gcc")
    def test_cc_lives_of_programs(self):
        self.check_lives("gcc", "cache", "interpreter")

    def check_all_void(self, case, least_bytes, *options):
        base = os.path.join(self.fresh(), "profile")
        done = harness.run([harness.CENSUS, "run", "-q", "-hb", "-hmlives", *options, "-o", base + ".hp", "--",
                            self.path("lives"), case])
        self.assertEqual(done.status, 0, done.errors)
        largest = max((bands for _, bands in harness.Profile(base + ".hp").samples), key=lambda bands: sum(bands.values()))
        self.assertGreater(largest["VOID"], least_bytes)
        self.assertEqual({name for name, size in largest.items() if size > 0}, {"VOID"}, largest)

    @have("gcc")
    def test_cc_lives_of_blocks_that_are_filled_slowly(self):
        """What fills a block is not a use of it, also when eras begin meanwhile: by a tick, or several at once."""
        self.compile_case("lives", "gcc")
        self.check_all_void("fills_slowly", 100 * 100000, "--clock=cpu", "-i0.1")
        self.check_all_void("fills_after_waits", 10 * 1000, "-i0.01")

    @have("clang")
    def test_cc_lives_of_clang(self):
        self.check_lives("clang", "interpreter", "by_system_calls")

    @have("gcc")
    def test_cc_entries(self):
        """Each call is an entry, of recursive functions too. Of a program as it is, they are not known."""
        with open(self.path("calls.c"), "w", encoding="utf-8") as file:
            file.write("static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
                       "int main(void) { return fib(20) != 6765; }\n")
        for command, entries in (([harness.CENSUS, "cc"], {"main": 1, "fib": 21891}), (["gcc"], {})):
            subprocess.run([*command, "-O1", "-g", "-o", self.path("calls"), self.path("calls.c")], check=True)
            base = os.path.join(self.fresh(), "profile")
            done = harness.run([harness.CENSUS, "run", "-q", "-hc", "-p", "-o", base + ".hp", "--", self.path("calls")])
            self.assertEqual((done.status, done.errors), (0, ""))
            with open(base + ".prof", encoding="utf-8") as file:
                tree = file.read().rpartition("%alloc\n")[2]
            rows = [line.split() for line in tree.splitlines() if line.strip()]
            found = {row[0]: int(row[4]) for row in rows if row[0] in ("main", "fib") and len(row) == 9}
            self.assertEqual(found, entries)
            report = harness.run([harness.CENSUS, "report", base + ".prof"]).output
            self.assertEqual("entries" in report, bool(entries))

    def check_accesses(self, compiler):
        """Every kind of access is seen once, and what is not accessed is void; also in a forked child."""
        self.compile_case("exact", compiler)
        base = os.path.join(self.fresh(), "profile")
        done = harness.run([harness.CENSUS, "run", "-q", "-hb", "-i0.03", "-o", base + ".hp", "--", self.path("exact"), base])
        self.assertEqual((done.status, done.errors), (0, ""))
        for line, path in zip(sorted(done.output.splitlines(), reverse=True), [base + ".hp", *glob.glob(base + ".*.hp")]):
            used, unused = (int(n) for n in line.split()[1:])
            last = harness.Profile(path).last()
            # libc keeps some bytes for the thread that has ended.
            self.assertEqual((last["LAG"], last["USE"], last["DRAG"]), (0, 0, used), line)
            self.assertIn(last["VOID"] - unused, range(512), line)

    @have("gcc")
    def test_cc_accesses_of_gcc(self):
        self.check_accesses("gcc")

    @have("clang")
    def test_cc_accesses_of_clang(self):
        self.check_accesses("clang")

    def check_containers(self, compiler):
        self.compile("c++", "-O2", "-g", "-std=c++17", os.path.join(SOURCES, "exact_containers.cc"), "-o",
                     "containers", compiler=compiler)
        for phases, is_used in ("void,lag", False), ("use,drag", True):
            base = os.path.join(self.fresh(), "profile")
            done = harness.run([harness.CENSUS, "run", "-q", "-hd", "-hb" + phases, "-i0.03", "-o", base + ".hp",
                                "--", self.path("containers"), base])
            self.assertEqual((done.status, done.errors), (0, ""))
            used, unused = (int(n) for n in done.output.split()[1:])
            last = harness.Profile(base + ".hp").last()
            self.assertEqual(sum(size for name, size in last.items() if name.startswith("Counted<")),
                             used if is_used else unused)
            if not is_used:
                # Other lines of main have the buffer of standard output, for example.
                self.assertIn(112, [size for name, size in last.items() if name.startswith("main@")])

    @have("g++")
    def test_cc_containers_of_gxx(self):
        self.check_containers("g++")

    @have("clang++")
    def test_cc_containers_of_clangxx(self):
        self.check_containers("clang++")

    def test_cc_wraps_what_its_library_has(self):
        library = os.path.join(os.path.dirname(harness.PRELOAD), "libcensus-cc.a")
        symbols = harness.run(["nm", "--defined-only", library]).output
        words = harness.run([harness.CENSUS, "cc", "--compiler=echo", "x.o"]).output
        self.assertEqual(sorted(re.findall(r" T __wrap_(\w+)", symbols)), sorted(re.findall(r"--wrap=(\w+)", words)))

    @have("gcc")
    def test_cc_without_address_space(self):
        self.compile_case("exact", "gcc")
        done = harness.run(["sh", "-c", "ulimit -v 4000000; exec " + self.path("exact")])
        self.assertEqual(done.status, 126)
        self.assertIn("census cc: cannot reserve the shadow memory of this program: address space may be limited",
                      done.errors)


class Faults(Compiled):
    """The programs of other tests run unharmed if they are compiled by `census cc`."""

    def check(self, name, *cases):
        calls = ["-fno-builtin-" + call for call in ("malloc", "calloc", "realloc", "free")]
        self.compile("cc", "-O2", "-g", "-D_GNU_SOURCE", "-pthread", INCLUDES[0], *calls, os.path.join(SOURCES, name + ".c"),
                     os.path.join(SOURCES, "case.c"), "-o", name)
        for case in cases:
            command = [self.path(name), *case.split()]
            plain = harness.run(command)
            for options in ["-hc"], ["-hb"]:
                census = harness.run_census(command, self.fresh(), *options)
                self.assert_unharmed(plain, census)
                for function, size in plain.printed("through").items() if options[0] == "-hc" else ():
                    self.assertEqual(census.profile.of(function), size, (case, function))

    def test_cc_faults_of_stacks(self):
        self.check("stacks", "jumps", "yields", "shares_one_stack", "switches", "has_other_stack")

    def test_cc_faults_of_signals(self):
        """The handler allocates at any moment, below the functions that it interrupts; the allocator permits that."""
        subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-shared", "-fPIC", os.path.join(SOURCES, "bump.c"),
                        "-o", self.path("libbump.so")], check=True)
        self.compile("cc", "-O2", "-g", "-D_GNU_SOURCE", "-pthread", "-fno-builtin-malloc",
                     os.path.join(SOURCES, "stacks.c"), os.path.join(SOURCES, "case.c"), "-Wl,--no-as-needed",
                     self.path("libbump.so"), "-o", "signals")
        for option in "-hc", "-hd", "-hb":
            census = harness.run_census([self.path("signals"), "is_signalled", self.path("numbers")], self.fresh(),
                                        option)
            self.assertEqual((census.status, census.errors), (0, ""))
            with open(self.path("numbers"), encoding="ascii") as file:
                numbers = {line.split()[1]: int(line.split()[2]) for line in file}
            self.assertEqual(census.profile.total(), sum(numbers.values()))
            if option != "-hb":
                own = {name: sum(size for band, size in census.profile.last().items()
                                 if re.match(r"(\(\d+\))?%s\b" % name, band)) for name in numbers}
                self.assertEqual(own, numbers)

    def test_cc_faults_of_threads(self):
        self.check("threads", "churns", "detaches", "cancels")

    def test_cc_faults_of_processes(self):
        self.check("processes", "forks_many", "forks_with_threads", "clones_in_memory", "executes_after_vfork", "spawns")

    def test_cc_faults_of_ends(self):
        self.check("ends", "exits_quickly 3", "is_killed 3", "aborts 3", "main_thread_exits 3")


if __name__ == "__main__":
    harness.main()
