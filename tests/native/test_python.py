#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Python programs: stacks, lines and names as Python has them itself, and sums as tracemalloc has them, with each
interpreter that is found.
"""
import collections
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import harness
from harness import Native
from test_holders import Waiting

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python")
MIB = 1 << 20
KINDS = ("in_thread", "in_fork", "in_pool", "in_spawned", "in_module", "in_script", "after_exec")


class Python(Native):
    def profile(self, python, program, *options, words=(), environment=None, before=()):
        environment = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})}
        done = harness.run_census([*before, python, os.path.join(PROGRAMS, program), *words], self.fresh(), "-i100",
                                  *options, environment=environment)
        self.assertEqual(done.status, 0, done.errors)
        return done

    def check_names(self, _, python):
        """Blocks of whole MiB identify the stacks; what else a band has is less than one."""
        done = self.profile(python, "names.py", "-hc", "--no-skip")
        stacks, lines = collections.Counter(), collections.Counter()
        for line in done.output.splitlines():
            number, _, frames = line.partition(" ")
            frames = json.loads(frames)
            stack = shown(frames)
            stacks["/".join(stack[::-1])] += int(number)
            lines["%s@%s:%d" % (stack[-1], os.path.basename(frames[-1][0]), frames[-1][1])] += int(number)
        self.assertGreater(len(stacks), 25)
        found = collections.Counter()
        for name, size in done.profile.last().items():
            name = name.partition(")")[2]
            if name not in stacks:  # it begins with a function in C
                name = name.partition("/")[2]
            found[name] += size // MIB
        found = {name: size for name, size in found.items() if size > 0}
        self.assertEqual(found, dict(stacks))
        done = self.profile(python, "names.py", "-hd", "--no-skip")
        found = {name: size // MIB for name, size in done.profile.last().items()
                 if size >= MIB and "importlib" not in name}
        self.assertEqual(found, dict(lines))

    def test_python_names(self):
        self.with_each(self.check_names)

    def untraced(self, python, n):
        """Returns the bytes that tracemalloc has not in its sum: those from before its start. What the
        interpreter keeps alive depends on addresses, mostly by its cache of attributes of types: the program clears that,
        and addresses are not random."""
        done = self.profile(python, "exact.py", "-hT", words=[str(n)], environment={"PYTHONTRACEMALLOC": "1"},
                            before=["setarch", "-R"])
        bands = done.profile.last()
        return bands["PyMem"] + bands["PyObject"] - int(done.output)

    def check_sums(self, _, python):
        """More objects change nothing, to the byte. Lines may differ by what free lists keep: tracemalloc gives an
        object that is used again to its new line."""
        self.assertEqual(self.untraced(python, 300), self.untraced(python, 900))
        done = harness.run([python, os.path.join(PROGRAMS, "exact.py"), "900", "lines"],
                           {"PYTHONHASHSEED": "0", "PYTHONTRACEMALLOC": "1"})
        theirs = {int(line.split()[0]): int(line.split()[1]) for line in done.output.splitlines()}
        lines = collections.Counter()
        for name, size in self.profile(python, "exact.py", "-hd", "--no-skip", words=["900"]).profile.last().items():
            if "@exact.py:" in name:
                lines[int(name.rpartition(":")[2])] += size
        different = {line: (lines[line], theirs.get(line, 0)) for line in {*lines, *theirs}
                     if lines[line] != theirs.get(line, 0)}
        self.assertLess(sum(abs(mine - its) for mine, its in different.values()), 50000, different)

    def test_python_sums(self):
        if harness.run(["setarch", "-R", "true"]).status != 0:
            self.skipTest("addresses that are not random are not permitted")
        self.with_each(self.check_sums)

    def check_views(self, version, python):
        kept = {}
        for option in ("-hm", "-hc", "--no-skip", "--native"):
            done = self.profile(python, "views.py", *(["-hc"] if option[1] == "-" else []), option)
            kept[option] = {name.partition(")")[2] or name: size // MIB for name, size in
                            done.profile.last().items() if size >= MIB}
        for name in [name for name in kept["-hm"] if "python" in name or name.startswith("importlib.")]:
            del kept["-hm"][name]  # what the start of the interpreter keeps
        self.assertEqual(kept["-hm"], {"views": 4 + 8, "unknown_module": 16})
        self.assertEqual(kept["-hc"], {"views.kept/views.<module>": 4 + 8,
                                     "unknown_module.kept/views.<module>": 16})
        stacks = set(kept["--no-skip"])
        self.assertEqual({re.sub(r"^(?!views|unknown)[^/]*/", "", name) for name in stacks}, set(kept["-hc"]))
        if version == "3.11":  # later ones of Debian have no symbol for it
            self.assertIn("PyByteArray_Resize", {name.split("/")[0] for name in stacks})
        self.assertGreaterEqual(sum(kept["--native"].values()), 28)
        self.assertFalse([name for name in kept["--native"] if "views." in name])

    def test_python_views(self):
        """A stack has the functions of Python; with --no-skip, the C function that allocated is its innermost one.
        --native has no functions of Python."""
        self.with_each(self.check_views, "3.11", "3.13", "3.14", "3.15")

    def test_python_free_threaded(self):
        """Stacks and lines are Python's own, and the summary says what is not known."""
        def check(version, python):
            self.check_names(version, python)
            self.check_views(version, python)
            for option, said in (("-hy", "is free-threaded: types and variables of its objects are not known"),
                                 ("-hb", "objects of a free-threaded build are only counted from its start on")):
                done = harness.run([harness.CENSUS, "run", option, "-o", os.path.join(self.fresh(), "free.hp"), "--",
                                    python, os.path.join(PROGRAMS, "views.py")])
                self.assertEqual(done.status, 0, done.errors)
                self.assertIn(said, done.errors)
        self.with_each(check, *harness.FREE_THREADED)

    def test_python_arrays(self):
        """The data of numpy's arrays have the lines that tracemalloc has for them, to the byte; an array also keeps its
        dimensions there. By type, an array has its data."""
        python = "/usr/bin/python3"
        program = os.path.join(PROGRAMS, "arrays.py")
        if harness.run([python, "-c", "import numpy"]).status != 0:
            self.skipTest("there is no numpy here")
        plain = harness.run([python, program], {"PYTHONTRACEMALLOC": "1"})
        self.assertEqual(plain.status, 0, plain.errors)
        traced = collections.Counter()
        for line in plain.output.splitlines():
            place, _, size = line.rpartition(" ")
            if ":" in place:
                traced[place.replace(" ", "_")] += int(size)
        self.assertGreater(len(traced), 12)
        self.assertGreaterEqual(sum(traced.values()), plain.printed("data")["arrays"])
        done = self.profile(python, "arrays.py", "-hd", "-hTmalloc,calloc,realloc", "--no-skip")
        kept = collections.Counter()
        for name, size in done.profile.last().items():
            kept[name.rpartition("@")[2]] += size
        for place, size in traced.items():
            if size >= 1000:  # numpy caches smaller ones: whose line made them depends on what ran before
                self.assertIn(kept[place] - size, range(0, 257, 8), place)
        done = Waiting([python, program], self.fresh(), "-hy", "-i0.3")
        # Modules of numpy have arrays, too.
        self.assertAlmostEqual(done.profile.last()["numpy.ndarray"], done.printed("type")["numpy.ndarray"], delta=30000)

    def test_python_undefined_bytes(self):
        """What an object has in bytes that it does not use is no reference."""
        done = Waiting(["/usr/bin/python3", os.path.join(PROGRAMS, "undefined.py")], self.fresh(), "-hy", "-i0.3")
        large = {name for name, size in done.profile.last().items() if size >= 8 * MIB}
        self.assertEqual(len(large), 1)
        self.assertNotIn("function", large)

    def test_python_processes(self):
        """Children by os.fork and by multiprocessing have profiles with functions of Python; so have threads, and
        programs that replace this one."""
        done = self.profile("/usr/bin/python3", "processes.py")
        names = [name for profile in (done.profile, *done.others) for name, size in profile.last().items()
                 if size >= MIB]
        functions = {name.partition(")")[2].split("/")[0] for name in names}
        self.assertEqual(functions & {"processes.%s" % name for name in KINDS},
                         {"processes.%s" % name for name in KINDS}, names)

    def install(self, package, function, source):
        """Makes a virtual environment with a package and a console script of that name. Returns the script."""
        place = self.path("environment")
        done = harness.run(["/usr/bin/python3", "-m", "venv", "--without-pip", place])
        if done.status != 0:
            self.skipTest("there is no python3-venv here")
        (packages,) = glob.glob(place + "/lib/python*/site-packages")
        os.mkdir(os.path.join(packages, package))
        with open(os.path.join(packages, package, "__init__.py"), "w", encoding="ascii"):
            pass
        shutil.copy(os.path.join(PROGRAMS, source), os.path.join(packages, package))
        script = os.path.join(place, "bin", package)
        with open(script, "w", encoding="ascii") as file:
            file.write("#!%s/bin/python\nimport sys\nfrom %s.%s import %s\nsys.exit(%s())\n" %
                       (place, package, source[:-3], function, function))
        os.chmod(script, 0o755)
        return script

    def test_python_server(self):
        """A console script of a virtual environment that forks workers: each has a profile with what it keeps for its
        requests, in functions of its package and of asyncio."""
        script = self.install("shop", "main", "prefork.py")
        base = self.path("profile")
        command = [harness.CENSUS, "run", "-q", "-hc", "-o", base + ".hp", "--", script,
                   self.path("socket")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            self.addCleanup(server.kill)
            for _ in range(20):
                self.assertIsNone(server.poll())
                parent = self.ask(self.path("socket"))
            os.kill(parent, signal.SIGTERM)
            printed = [line.split() for line in server.stdout]
            self.assertEqual(server.wait(harness.PATIENCE_S), 0)
        self.assertEqual(sum(int(line[2]) for line in printed), 20)
        self.assertEqual(len(printed), 2)
        for _, process, n in printed:
            bands = harness.Profile("%s.%s.hp" % (base, process)).last()
            kept = {name.partition(")")[2]: size // MIB for name, size in bands.items() if size >= MIB}
            kept.pop("shop.prefork.<module>/shop.<module>", None)  # all modules that the package imports
            self.assertEqual(sum(kept.values()), int(n))
            for name in kept:
                self.assertTrue(name.startswith("shop.prefork.remember/shop.prefork.handle/asyncio.events."), name)
                self.assertTrue(name.endswith("/shop.prefork.main/shop.<module>"), name)

    def ask(self, path):
        """Sends a request, as soon as the server listens. Returns the process of the server."""
        end_s = time.monotonic() + harness.PATIENCE_S
        while True:
            with socket.socket(socket.AF_UNIX) as link:
                try:
                    link.connect(path)
                except (FileNotFoundError, ConnectionRefusedError):
                    self.assertLess(time.monotonic(), end_s)
                    time.sleep(0.01)
                    continue
                link.sendall(b"more\n")
                return int(link.makefile().readline())

    def check_interpreters(self, version, python):
        bands = self.profile(python, "interpreters.py", "-hc").profile.last()
        kept = {name.partition(")")[2].replace("<script>", "<string>"): size // MIB
                for name, size in bands.items() if size >= MIB}
        kept.pop("interpreters.<module>", None)  # the second interpreter itself, from 3.13 on
        self.assertEqual(kept, {"<string>.inside/<string>.<module>": 5, "interpreters.keep/interpreters.<module>": 6})
        done = Waiting([python, os.path.join(PROGRAMS, "interpreters.py")], self.fresh(), "-hr", "-i0.3")
        held = collections.Counter()
        for name, size in done.profile.last().items():
            # From 3.13 on, what is noted of code that is traced has undefined words, which may be another holder.
            holders = set(name.partition(")")[2].split(","))
            for holder in holders & {"__main__.inner", "interpreters.KEPT"}:
                others = holders - {holder, "interpreters.keep"}
                held[holder] += size // MIB if version in ("3.13", "3.14", "3.15") or not others else 0
        self.assertEqual(held, {"__main__.inner": 5, "interpreters.KEPT": 6})

    def test_python_interpreters(self):
        """What a second interpreter keeps has its own functions and variables; tracing and a lock that C code keeps
        change nothing."""
        self.with_each(self.check_interpreters)

    def check_removed_modules(self, _, python):
        folder = self.fresh()
        done = Waiting([python, os.path.join(PROGRAMS, "removed_modules.py"), os.path.join(folder, "profile.hp")], folder,
                       "-hr")
        held = {name.partition(")")[2]: size for name, size in done.profile.last().items()}
        self.assertGreaterEqual(held.get("removed_modules.KEPT", 0), 248 * 20000)  # stacks may hold some, too

    def test_python_removes_modules(self):
        """While the interpreter ends, variables of modules hold what they did."""
        self.with_each(self.check_removed_modules)

    def test_python_ends(self):
        """However the interpreter ends, what it kept is in the profile; each of its checks is content."""
        for words in (["exit"], ["kill"], ["abort"], ["exception"], ["thread"]):
            done = harness.run_census(["/usr/bin/python3", os.path.join(PROGRAMS, "ends.py"), *words], self.fresh(),
                                      "-hd", "-i100")
            peak = max(sum(bands.values()) for _, bands in done.profile.samples)
            self.assertGreater(peak, 64 * MIB, words)
            self.assertTrue(any("ends.keep@ends.py" in name for _, bands in done.profile.samples for name in bands))
        for environment in ({"PYTHONMALLOC": "debug"}, {"PYTHONMALLOC": "malloc"}, {"PYTHONDEVMODE": "1"}):
            plain = harness.run(["/usr/bin/python3", os.path.join(PROGRAMS, "exact.py"), "100"],
                                {"PYTHONTRACEMALLOC": "1", "PYTHONHASHSEED": "0"})
            done = self.profile("/usr/bin/python3", "exact.py", "-hT", words=["100"], environment=environment)
            self.assertEqual((plain.status, plain.errors), (done.status, done.errors))
            bands = done.profile.last()
            self.assertGreater(bands["PyObject"], MIB // 2, environment)

    def check_debugged(self, _, python):
        commands = self.path("commands")
        with open(commands, "w", encoding="ascii") as file:
            file.write("break keep\ncontinue\nwhere\nnext\np n, len(block)\nup\ndown\nreturn\nclear 1\ncontinue\n")
        command = [python, "-m", "pdb", os.path.join(PROGRAMS, "debugged.py")]
        with open(commands, encoding="ascii") as first, open(commands, encoding="ascii") as second:
            plain = harness.run(command, stdin=first)
            done = harness.run_census(command, self.fresh(), "-hd", "-i100", stdin=second)
        for result in (plain, done):
            result.errors = re.sub("0x[0-9a-f]{8,}", "ADDRESS", result.errors)
        self.assert_unharmed(plain, done)
        self.assertEqual(plain.status, 128 + signal.SIGABRT)
        self.assertIn("(Pdb) (3, %d)" % (3 * MIB), plain.output)
        self.assertIn("('return', 'keep', 13)", plain.output)
        self.assertIn("Fatal Python error: Aborted", plain.errors)
        kept = {name: size // MIB for name, size in done.profile.last().items() if size >= MIB}
        self.assertEqual({name: size for name, size in kept.items() if "debugged" in name},
                         {"debugged.keep@debugged.py:11": 8})

    def test_python_debuggers(self):
        """pdb, sys.setprofile and faulthandler print what they print without census."""
        self.with_each(self.check_debugged)

    def test_python_ticks(self):
        """A report has the time by function of Python."""
        base = os.path.join(self.fresh(), "ticks")
        done = harness.run([harness.CENSUS, "run", "-q", "-p", "-o", base + ".hp", "--", "/usr/bin/python3",
                            os.path.join(PROGRAMS, "ticks.py")])
        self.assertEqual(done.status, 0, done.errors)
        with open(base + ".prof", encoding="utf-8") as file:
            lines = file.read().splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("COST CENTRE"))
        time = collections.Counter()
        for line in lines[begin + 2:begin + 6]:
            time[line.split()[0].split(".<")[0]] += float(line.split()[-2])
        self.assertGreater(time["ticks.often"], 1.5 * time["ticks.seldom"])
        self.assertGreater(time["ticks.often"] + time["ticks.seldom"], 60)

    def test_python_unknown(self):
        """An interpreter whose frames are not known is profiled natively, and the summary says so."""
        def check(version, python):
            done = harness.run([harness.CENSUS, "run", "-o", os.path.join(self.fresh(), "old"), "--", python, "-c",
                                "kept = bytes(10000000)"])
            self.assertEqual(done.status, 0)
            self.assertIn("Python %s is profiled as a native program" % version, done.errors)
        self.with_each(check, "3.8")

    def patched(self, python, word, value):
        """Returns a copy of an interpreter that says otherwise in a word of its own offsets (_Py_DebugOffsets), and the
        environment that it needs."""
        home = os.path.dirname(os.path.dirname(os.path.realpath(python)))
        for path in (os.path.realpath(python), *glob.glob(home + "/lib/libpython3.13.so.1.0")):
            with open(path, "rb") as file:
                binary = bytearray(file.read())
            found = re.search(rb"xdebugpy...\x03\0{4}", binary, re.DOTALL)
            if found:
                break
        begin = found.start()
        binary[begin + 8 * word:begin + 8 * word + 8] = value.to_bytes(8, "little")
        copy = os.path.join(self.fresh(), os.path.basename(path))
        with open(copy, "wb") as file:
            file.write(binary)
        os.chmod(copy, 0o755)
        return (python, {"LD_PRELOAD": copy}) if ".so" in path else (copy, {"PYTHONHOME": home})

    def test_python_of_other_builds(self):
        """One that says that it is free-threaded and is not laid out as such a one, and one that keeps a field elsewhere
        than its version does, are profiled natively, and the summary says why. (The copies run as they did: nothing but
        debuggers and census reads these words.)"""
        def check(_, python):
            for word, value, reason in ((2, 1, "this build differs from others of its version"),
                                        (31, 64, "this build differs from others of its version"),
                                        (37, 136, "this build differs from others of its version")):
                base = os.path.join(self.fresh(), "other")
                other, environment = self.patched(python, word, value)
                done = harness.run([harness.CENSUS, "run", "-hd", "-o", base + ".hp", "--", other,
                                    os.path.join(PROGRAMS, "views.py")], environment)
                self.assertEqual(done.status, 0, done.errors)
                self.assertIn("Python 3.13 is profiled as a native program: " + reason, done.errors)
                bands = harness.Profile(base + ".hp").last()
                self.assertGreater(sum(bands.values()), 28 * MIB)
                self.assertFalse([name for name in bands if "views." in name])
        self.with_each(check, "3.13")


def module(file):
    return file[1:-1].replace("frozen ", "") if file.startswith("<frozen") else \
        ("asyncio." if "/asyncio/" in file else "") + os.path.basename(file).replace(".py", "")


def shown(frames):
    """Returns the names of a stack as census shows it: recursion is folded."""
    stack = []
    for file, _, _, name in frames:
        name = "%s.%s" % (module(file), name)
        stack = stack[:stack.index(name)] if name in stack else stack
        stack.append(name)
    return stack


if __name__ == "__main__":
    harness.main()
