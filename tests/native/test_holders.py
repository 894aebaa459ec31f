#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Who holds which blocks: programs with known graphs, and random ones that know their own retainer
sets, under `census run -hr`; and what is lost, compared with Valgrind and the leak sanitizer."""
import collections
import os
import json
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree

import harness
from harness import Native, program


STACK = "local_in_wait_with_borrowed_list"


class Waiting:
    """A program under `census run` that waits for the end of its standard input. Its output up to
    "ready", and the profile with `n_samples` samples that were taken after that. Where it prints
    "sample", it is sent a line when a sample was taken after that."""

    def __init__(self, command, directory, *options, files=(".hp",), n_samples=1):
        self.base = os.path.join(directory, "profile")
        own = [harness.CENSUS, "run", "-i0.02", *harness.files_of(self.base, *files), *options, "--", *command]
        self.begin_s = time.monotonic()  # before the time 0 of the profile
        self.process = subprocess.Popen(own, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.lines = []
        for line in self.process.stdout:
            if line == "ready\n":
                break
            if line == "sample\n":
                self.wait_for_samples(1)
                self.process.stdin.write("\n")
                self.process.stdin.flush()
            else:
                self.lines.append(line.split())
        self.wait_for_samples(n_samples)
        self.profile = self.complete_samples()  # not one of the end of the program
        _, self.errors = self.process.communicate(timeout=harness.PATIENCE_S)

    def wait_for_samples(self, n):
        now_s = time.monotonic() - self.begin_s
        while sum(time_s > now_s for time_s in self.sample_times()) < n and self.process.poll() is None:
            assert time.monotonic() - self.begin_s < now_s + harness.PATIENCE_S, "too few samples were taken"
            time.sleep(0.01)

    def sample_times(self):
        try:
            with open(self.base + ".hp", encoding="utf-8", errors="replace") as file:
                return [float(time_s) for time_s in re.findall(r"(?m)^END_SAMPLE (\S+)\n", file.read())]
        except FileNotFoundError:
            return []

    def complete_samples(self):
        path = self.base + ".part"
        with open(self.base + ".hp", encoding="utf-8") as file, \
                open(path, "w", encoding="utf-8") as part:
            part.write(re.match(r"(?s).*END_SAMPLE [^\n]*\n", file.read())[0])
        return harness.Profile(path)

    def printed(self, kind):
        return {line[1]: int(line[2]) for line in self.lines if line[0] == kind}


def sets_of(profile):
    """Returns {"retainer+retainer": bytes} of the last sample. Names are without their places."""
    found = collections.Counter()
    for name, size in profile.last().items():
        members = re.sub(r"^\(\d+\)", "", name).split(",")
        found["+".join(sorted(member.split("@")[0] for member in members))] += size
    return dict(found)


class Holders(Native):
    def check(self, *command, options=(), naming=("--no-skip",)):
        """Compares the sets of the blocks that the program's own functions have allocated themselves."""
        done = Waiting([program(command[0]), *command[1:]], self.fresh(), "-hr",
                       "-hm" + command[0], *naming, *options)
        self.assertEqual(done.process.returncode, 0, done.errors)
        self.assertTrue(done.printed("held"))
        held = {name: size for name, size in sets_of(done.profile).items() if not name.startswith("_IO_2_1_")}
        self.assertEqual(held, done.printed("held"))
        return done

    def test_holder_of_a_list(self):
        done = self.check("holders", "list")
        with open(done.base + ".prof", encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?m)^SET \d+ = {<list_head@holders>}$")

    def test_holders_by_stack_in_event_logs(self):
        """The log has the stacks that allocated what each set holds; its bands are the sets."""
        done = Waiting([program("holders"), "caches"], self.fresh(), "-hr", files=(".hp", ".eventlog"))
        log = done.base + ".eventlog"

        def bands(path, *options):
            shown = harness.run([harness.CENSUS, "report", "--format", "json", "-m0", *options, path])
            self.assertEqual(shown.status, 0, shown.errors)
            return {band["name"]: band["max"] for band in json.loads(shown.output)["bands"]}
        sets = bands(done.base + ".hp")
        self.assertEqual(bands(log), sets)
        self.assertEqual(bands(log, "--by", "retainer"), sets)
        held = done.printed("held")
        [cache] = [name for name in sets if "cache@" in name and "make_cache" not in name]
        self.assertEqual(sum(bands(log, "--by", "line", "--under", "^" + re.escape(cache) + "$").values()), sets[cache])
        self.assertGreaterEqual(sets[cache], held["cache"])
        self.assertIn("add_entry", bands(log, "--by", "function", "--under", "@holders"))
        refused = harness.run([harness.CENSUS, "report", "--by", "type", log])
        self.assertIn("no function of this profile has a type", refused.errors)
        page = done.base + ".html"
        self.assertEqual(harness.run([harness.CENSUS, "plot", "-o", page, log]).status, 0)
        with open(page, encoding="utf-8") as file:
            data = json.loads(re.search(r'id="census-data">(.*?)</script>', file.read(), re.S)[1])
        [profile] = data["profiles"]
        self.assertIn("stacks", profile)
        [name] = [name for name in profile["names"] if name["name"] == cache]
        self.assertIn("cache@holders", name["more"])

    def test_holders_of_a_tree(self):
        self.check("holders", "tree")

    def test_holders_of_python_by_package(self):
        """Small sets are one band for each package, in pictures, pages and reports; a large one keeps its name."""
        done = Waiting(["/usr/bin/python3", os.path.join(os.path.dirname(__file__), "python", "packages.py")], self.fresh(),
                       "-hr", files=(".hp", ".census"))
        self.assertEqual(done.process.returncode, 0, done.errors)
        for recording in done.base + ".hp", done.base + ".census":
            picture, page, report = (harness.run([harness.CENSUS, *command.split(), recording]) for command in
                                     ("plot --format json -o -", "plot --format html -o -", "report"))
            names = {re.sub(r"^\(\d+\)", "", band["name"]) for band in json.loads(picture.output)["bands"]}
            self.assertLessEqual({"alpha", "beta", "gamma", "packages.MINE"}, names)
            self.assertIn("small sets by package", page.output)
            for package in "alpha", "beta", "gamma":
                self.assertIn(f'"name":"{package}"', page.output)
                self.assertRegex(report.output, rf"  {package} in \d+ more sets\n")

    def test_holder_of_a_cycle(self):
        self.check("holders", "cycle")

    def test_holder_is_a_cache(self):
        self.check("holders", "caches")

    def test_holder_is_no_cache_if_the_user_says_so(self):
        done = Waiting([program("holders"), "caches"], self.fresh(), "-hr", "-hmholders",
                       "--no-retainer", "^make_cache$")
        self.assertEqual(sets_of(done.profile), {"cache": sum(done.printed("held").values())})

    def test_holders_are_what_the_user_says(self):
        done = Waiting([program("holders"), "caches"], self.fresh(), "-hr", "-hmholders",
                       "--retainer", "^add_entry@")
        first_bytes = 64 * 16  # of each chain; the keys, and entries further on, are held by entries
        held = done.printed("held")
        self.assertEqual(sets_of(done.profile),
                         {"cache": held["cache"], "make_cache": first_bytes,
                          "add_entry": held["make_cache"] - first_bytes})

    def test_holder_is_an_array(self):
        self.check("holders", "arrays")

    def test_holder_is_thread_local(self):
        self.check("holders", "thread_local_memory")

    def test_holder_is_a_stack(self):
        self.check("holders", "stacks")

    def test_holder_is_the_function_that_had_a_saved_register(self):
        """The register is saved in the frame of another function."""
        self.check("holders", "saved_registers")

    def test_holder_is_a_register_that_no_call_shows(self):
        self.check("holders", "hidden_registers", "1")
        self.check("holders", "hidden_registers", "2")

    def test_holder_is_a_stack_only_if_no_variable_is(self):
        """A stack points to what a variable holds."""
        self.check("holders", "borrows")
        done = Waiting([program("holders"), "borrows"], self.fresh(), "-hr", "-hmholders",
                       "--retainer", "stack_of_")
        held = done.printed("held")
        self.assertEqual(sets_of(done.profile),
                         {"list_head+" + STACK: held["list_head"], STACK: held[STACK]})
        done = Waiting([program("holders"), "borrows"], self.fresh(), "-hr", "-hmholders",
                       "--no-retainer", "^list_head@", "--retainer", "stack_of_")
        self.assertEqual(sets_of(done.profile), {STACK: sum(held.values())})

    def test_holder_is_the_outer_frame(self):
        """An inner frame holds only what no outer one reaches."""
        self.check("holders", "frames")

    def test_holders_are_no_functions_of_the_profiler(self):
        symbols = harness.run(["nm", "--defined-only", harness.PRELOAD]).output
        own = {line.split()[-1].split(".")[0] for line in symbols.splitlines()}
        self.assertIn("hpp__helper_rest", own)
        done = Waiting([program("holders"), "recursion"], self.fresh(), "-hr", n_samples=12)
        self.assertEqual(done.process.returncode, 0, done.errors)
        holders = {holder for _, costs in done.profile.samples for name in costs
                   for holder in re.split(r"[,()]", re.sub(r"^\(\d+\)", "", name))}
        self.assertIn("stack_of_holders", holders)
        self.assertEqual(holders & own, set())

    def test_holders_of_a_server_change_by_what_it_does(self):
        """Its main function sleeps between requests: what earlier calls have left on the stack holds nothing."""
        done = Waiting([program("server")], self.fresh(), "-hr", "-i0.05", "--is-retainer", "roots")
        bands = collections.defaultdict(list)
        samples = [costs for _, costs in done.profile.samples]
        while not any("server_in_main" in name for name in samples[0]):  # it has little yet, or runs all the time
            del samples[0]
        n = len(samples)
        self.assertGreaterEqual(n, 20)
        for i, costs in enumerate(samples):
            for name, size in costs.items():
                bands[re.sub(r"^\(\d+\)", "", name)].append((i, size))
        held, a_page = done.printed("held"), 2000
        for name in "server_in_main", "UNREACHED":  # they only grow, and what grows has no gaps
            indexes, sizes = zip(*bands.pop(name))
            self.assertEqual(indexes, tuple(range(indexes[0], n)), name)
            for earlier, later in zip(sizes, sizes[1:]):
                self.assertGreater(later, earlier - a_page, name)
            self.assertAlmostEqual(sizes[-1], held[name], delta=a_page, msg=name)
        self.assertIn("rows_in_Server::report", bands, dict(bands))
        indexes, sizes = zip(*bands.pop("rows_in_Server::report"))
        self.assertEqual(indexes, tuple(range(indexes[0], indexes[-1] + 1)), "it is one phase of the run")
        peak = sizes.index(max(sizes))  # then they are freed, in which there may be samples
        self.assertEqual(list(sizes[:peak]), sorted(sizes[:peak]))
        self.assertEqual(list(sizes[peak:]), sorted(sizes[peak:], reverse=True))
        self.assertLessEqual(max(sizes), held["rows_in_Server::report"])
        for name in list(bands):
            if re.fullmatch(r"\w+@lib\S+", name):  # variables of libraries
                del bands[name]
        large = [(name, i, size) for name, band in bands.items() for i, size in band if size >= 3 * a_page]
        self.assertEqual(large, [], bands)

    def test_holder_is_a_mapping(self):
        self.check("holders", "mappings")

    def test_holder_is_in_a_loaded_library(self):
        self.check("holders", "library", program("libplugin_one.so"))

    def test_holder_is_not_the_stack_of_an_ended_thread(self):
        self.check("holders", "ended_thread")

    def test_holders_in_cxx(self):
        self.check("holders_cxx", naming=())  # its containers are of the standard library

    def test_holders_at_the_end(self):
        """The last image is from before global variables are destroyed, so what they hold has holders.
        The array of a container is none. What is left in the place for short texts of a std::string holds nothing."""
        for case in "returns", "exits":
            with self.subTest(case=case):
                command = [program("holders_cxx"), case]
                census = harness.run_census(command, self.fresh(), "-hr", "-i100", "-hmholders_cxx")
                self.assert_unharmed(harness.run(command), census)
                self.assertEqual(sets_of(census.profile), {"kept": 8000 + 1000 * 1000, "initial": 24, "worn": 32, "write_over": 41,
                                                           "UNREACHED": 1})

    def test_holders_after_main(self):
        """What variables of main held when it returned, they hold; what was lost stays lost. A variable whose block
        is over holds nothing that another thread holds. Without optimisation, and in calls that wait."""
        directory = self.fresh()
        command = [program("returns"), os.path.join(directory, "profile.hp")]
        census = harness.run_census(command, directory, "-hr", "-i0.02", "-hmreturns")
        self.assertEqual((census.status, census.errors), (0, ""))
        sets = sets_of(census.profile)
        del sets["TLS_of_returns"]  # libc's, of the thread
        self.assertEqual(sets, {"list_in_main": 1500 * 104, "mine_in_work": 201 * 104, "UNREACHED": 60 * 50})

    def test_holders_in_random_graphs(self):
        for seed in "1", "2", "3":
            with self.subTest(seed=seed):
                self.check("holders", "random", seed)

    def test_holders_restrict_other_breakdowns(self):
        """-hd restricted by retainer, and -hr restricted by site."""
        done = Waiting([program("holders"), "caches"], self.fresh(), "-hd", "-hrmake_cache")
        self.assertEqual(done.profile.total(), done.printed("held")["make_cache"])
        self.assertEqual(done.profile.of("make_key"), 1000 * 16)
        done = Waiting([program("holders"), "tree"], self.fresh(), "-hd", "-hmholders",
                       "-hrtree_left")
        held = done.printed("held")
        self.assertEqual(done.profile.of("make_node"),
                         held["tree_left"] + held["tree_left+tree_right"])


class Leaks(Native):
    CASES = ["cycle", "arrays", "ended_thread", "leaks"]

    def lost(self, case):
        done = Waiting([program("holders"), case], self.fresh(), "-hr")
        found = {"direct": 0, "indirect": 0}
        for line in done.errors.splitlines():
            match = re.search(r"(\d+) B directly in .* (\d+) B indirectly in", line)
            if match:
                found["direct"] += int(match[1])
                found["indirect"] += int(match[2])
        return found, done

    def test_leaks_are_those_of_the_program(self):
        for case in self.CASES:
            with self.subTest(case=case):
                found, done = self.lost(case)
                self.assertEqual(found, {"direct": 0, "indirect": 0, **done.printed("lost")})

    def test_leaks_are_those_of_valgrind(self):
        valgrind = shutil.which("valgrind")
        if not valgrind:
            self.skipTest("valgrind is not installed")
        for case in self.CASES:
            with self.subTest(case=case):
                path = self.path(case + ".xml")
                done = harness.run([valgrind, "--leak-check=full", "--xml=yes", "--xml-file=" + path,
                                    "--show-leak-kinds=all", program("holders"), case])
                if "debuginfo reader" in done.errors:
                    self.skipTest("this valgrind cannot read the debugging information of the compiler")
                sums = collections.Counter()
                for error in xml.etree.ElementTree.parse(path).iter("error"):
                    sums[error.find("kind").text] += int(error.find("xwhat/leakedbytes").text)
                # The first includes what was lost indirectly.
                self.assertEqual(self.lost(case)[0],
                                 {"direct": sums["Leak_DefinitelyLost"] - sums["Leak_IndirectlyLost"],
                                  "indirect": sums["Leak_IndirectlyLost"]})

    def test_leaks_are_those_of_the_sanitizer(self):
        sanitized = program("holders_sanitized")
        if not os.path.exists(sanitized):
            self.skipTest("the compiler has no leak sanitizer")
        for case in self.CASES:
            with self.subTest(case=case):
                sums = {"direct": 0, "indirect": 0}
                for line in harness.run([sanitized, case]).errors.splitlines():
                    match = re.match(r"(Direct|Indirect) leak of (\d+) byte", line)
                    if match:
                        sums[match[1].lower()] += int(match[2])
                found = self.lost(case)[0]
                self.assertEqual(sum(found.values()), sum(sums.values()))
                if case != "cycle":  # The sanitizer calls all of it indirect.
                    self.assertEqual(found, sums)


if __name__ == "__main__":
    harness.main()
