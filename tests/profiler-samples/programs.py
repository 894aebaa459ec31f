#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the programs of samples/programs and checks their profiles against numbers worked out by hand.

usage: programs.py PROGRAMS_DIR CENSUS [unittest arguments]

Each program takes censuses at known places; with -i100 there are no others.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, CENSUS = map(os.path.abspath, sys.argv[1:3])
ALL = {"last_init": 3000, "leak": 5000, "drag": 1000, "void": 1000, "costs": 14, "cache": 100,
       "fail": 500, "finite_map": 5, "sets": 2, "threads": 2, "sparks": 8, "partial": 9, "finalizers": 9}

# What stays of main: the cell of each table, and the number of elements, an Int.
CELL, INT = 16, 16


def setUpModule():
    Run.scratch = tempfile.mkdtemp()


def tearDownModule():
    shutil.rmtree(Run.scratch)


class Run:
    """One run of a program, in a directory of its own."""
    scratch = None

    def __init__(self, program, *options, n=None, nursery=None, environment=None):
        self.directory = tempfile.mkdtemp(dir=self.scratch)
        path = os.path.join(self.directory, program)
        argv = [os.path.join(PROGRAMS, program), "--live", path + ".live"]
        argv += ["--nursery", str(nursery)] if nursery else []
        argv += [str(n or ALL[program])]
        argv += ["+RTS", *options, "-RTS"] if options else []
        done = subprocess.run(argv, cwd=self.directory, capture_output=True, text=True,
                              env={**os.environ, **(environment or {})})
        self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr
        self.path = path

    def text(self, extension):
        with open(self.path + extension, encoding="utf-8") as file:
            return file.read()

    def samples(self):
        """The censuses, as dicts; without the empty samples at the beginning and at the end."""
        samples = []
        for line in self.text(".hp").splitlines():
            if line.startswith("BEGIN_SAMPLE"):
                samples.append({})
            elif "\t" in line:
                name, size = line.split("\t")
                samples[-1][name] = samples[-1].get(name, 0) + int(size)
        return samples[1:-1]

    def live(self):
        """What the collector itself says was alive at each census."""
        return [int(line) for line in self.text(".live").splitlines()]

    def entries(self):
        """The tree of the report: {path of cost centres: entries}."""
        tree, path = {}, []
        lines = self.text(".prof").split("individual      inherited\n")[1].splitlines()[2:]
        for line in filter(str.strip, lines):
            match = re.match(r"( *)(\S+) +\S+ +\S+ +\d+ +(\d+) ", line)
            path = path[:len(match[1])] + [match[2]]
            tree["/".join(path)] = int(match[3])
        return tree

    def sets(self):
        """The retainer sets of the report, by number."""
        pairs = re.findall(r"^SET (\d+) = \{(.*)\}$", self.text(".prof"), re.M)
        return {int(number): re.findall(r"<([^\[]*)\[", content) for number, content in pairs}


class Biography(unittest.TestCase):
    def test_drag_is_what_the_table_takes_after_its_last_use(self):
        table = 16 * 1000
        self.assertEqual(Run("drag", "-hb", "-i100").samples(), [
            {"LAG": table, "USE": INT, "INHERENT_USE": CELL},
            {"USE": table, "DRAG": INT, "INHERENT_USE": CELL},
            {"DRAG": table + INT, "INHERENT_USE": CELL},
            {"DRAG": table + INT, "INHERENT_USE": CELL},
            {"DRAG": INT},
        ])

    def test_void_is_never_used_and_lag_is_used_late(self):
        lag, void, cells = 16 * 1000, 32 * 1000, 2 * CELL
        self.assertEqual(Run("void", "-hb", "-i100").samples(), [
            {"LAG": lag, "VOID": void, "USE": INT, "INHERENT_USE": cells},
            {"LAG": lag, "VOID": void, "DRAG": INT, "INHERENT_USE": cells},
            {"LAG": lag, "VOID": void, "DRAG": INT, "INHERENT_USE": cells},
            {"USE": lag, "VOID": void, "DRAG": INT, "INHERENT_USE": cells},
            {"DRAG": INT},
        ])

    def test_a_black_hole_dies_unused_when_its_thunk_has_a_value(self):
        holes = Run("leak", "-hb", "-hdBLACKHOLE", "-i0").samples()
        self.assertGreater(len(holes), 20)
        # That of `mean` is there all the time.
        self.assertGreaterEqual(min(sample["VOID"] for sample in holes[1:-1]), 16)
        self.assertEqual({name for sample in holes for name in sample}, {"VOID"})

    def test_restriction_to_a_phase_tells_who_made_what_drags(self):
        dragging = Run("drag", "-hc", "-hbdrag", "-i100").samples()
        self.assertEqual([list(sample.values()) for sample in dragging],
                         [[], [INT], [INT, 16000], [INT, 16000], [INT]])
        self.assertRegex(list(dragging[2])[1], r"^\(\d+\)make/main/Main\.CAF$")

    def test_the_life_of_one_object_is_recorded(self):
        def life(program, name, *options):
            run = Run(program, "--life", name, *options)
            marks = re.findall(r"^(\S+)\tmark\t(.*)$", run.text(".life.lines"), re.M)
            bands = re.findall(r"^([A-Z_]+)\t(\d+)$", run.text(".life.hp"), re.M)
            self.assertEqual([float(time) for time, _ in marks],
                             sorted(float(time) for time, _ in marks))
            done = subprocess.run([CENSUS, "plot", "-o", run.path + ".svg", run.path + ".life.hp"],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return [label for _, label in marks], bands
        used = ["LAG", "USE", "DRAG"]
        # The first Branch is read by the sum of the left half, and by the lookups at the end.
        self.assertEqual(life("finite_map", "Branch"), (
            ["creation", "first use", "last use", "destruction"],
            [(phase, "24") for phase in used for _ in range(2)]))
        self.assertEqual(life("finite_map", "Branch", "-hb", "-i0.0005")[0],
                         ["creation", "first use", "last use", "destruction"])
        self.assertEqual(life("cache", "ARR_WORDS"), (
            ["creation", "destruction"], [("INHERENT_USE", str(32 * 1024 + 16))] * 2))
        labels, bands = life("drag", "table.\\\\")
        self.assertEqual(labels, ["creation", "only use", "destruction"])
        self.assertEqual(bands, [("LAG", "16")] * 2 + [("DRAG", "16")] * 2)
        self.assertIn("no object 'nothing'", Run("drag", "--life", "nothing").errors)

    def test_phases_restricted_to_add_up_to_the_whole(self):
        for program in ALL:
            whole = Run(program, "-hd", "-i100").samples()
            parts = [Run(program, "-hd", "-hb" + phase, "-i100").samples()
                     for phase in ("lag", "drag", "void", "use", "inherent_use")]
            for i, sample in enumerate(whole):
                together = {}
                for part in parts:
                    for name, size in part[i].items():
                        together[name] = together.get(name, 0) + size
                self.assertEqual(together, sample, program)


class Census(unittest.TestCase):
    def test_bands_add_up_to_what_the_collector_has_kept(self):
        for program in ALL:
            for breakdown in "c", "m", "d", "y", "r", "b", "T":
                with self.subTest(program=program, breakdown=breakdown):
                    run = Run(program, "-h" + breakdown, "-i0")
                    sums = [sum(sample.values()) for sample in run.samples()]
                    self.assertEqual(sums, run.live())
                    self.assertEqual(run.status, 0)

    def test_there_are_censuses_without_the_programs_asking(self):
        self.assertGreater(len(Run("last_init", "-hc", "-i0").samples()), 20)

    def test_when_garbage_is_collected_makes_no_difference(self):
        for program in ALL:
            for breakdown in "c", "d", "r", "b":
                with self.subTest(program=program, breakdown=breakdown):
                    runs = [Run(program, "-h" + breakdown, "-i0", nursery=nursery)
                            for nursery in (1000, 20000, 100000000)]
                    for run in runs[1:]:
                        self.assertEqual(run.samples(), runs[0].samples())
                        self.assertEqual(run.output, runs[0].output)

    def test_a_static_list_lives_as_long_as_code_refers_to_it(self):
        first, second, third = Run("cache", "-hd", "-i100").samples()
        self.assertEqual(first, {":": 1000 * 24, "I#": 1000 * 16 + INT})
        self.assertEqual(second, {":": 250 * 24, "I#": 100 * 16 + INT, "WEAK": 100 * 40,
                                  "ARR_WORDS": 100 * (32 * 1024 + 16)})
        self.assertEqual(third, {":": 150 * 24, "I#": 50 * 16 + INT, "WEAK": 50 * 40,
                                 "DEAD_WEAK": 50 * 40, "ARR_WORDS": 50 * (32 * 1024 + 16)})

    def test_stacks_count_when_asked_for(self):
        without, with_stacks = [Run("cache", "-hT", "-i100", *more).samples()
                                for more in ((), ("-xt",))]
        for a, b in zip(without, with_stacks):
            self.assertEqual(b.pop("TSO"), Threads.TSO)
            self.assertGreater(b.pop("STACK"), 0)
            self.assertEqual(a, b)


class Retainers(unittest.TestCase):
    def named(self, run):
        """Samples with the sets written out."""
        sets = run.sets()
        return [{",".join(sorted(sets[int(name[1:name.index(")")])])): size
                 for name, size in sample.items()} for sample in run.samples()]

    def test_a_mutable_cell_holds_its_table_and_the_stack_holds_the_cell(self):
        held = self.named(Run("drag", "-hr", "-i100"))
        self.assertEqual(held, 4 * [{"SYSTEM": INT + CELL, "main": 16000}] + [{"SYSTEM": INT}])

    def test_weak_pointers_hold_and_share(self):
        squares, full, half = self.named(Run("cache", "-hr", "-i100"))
        value = 32 * 1024 + 16
        # The constant has been evaluated, so it retains nothing itself: the stack holds its value.
        self.assertEqual(squares, {"SYSTEM": 40000 + INT})
        # Keys and weak pointers are held by the weak pointers and by lists on the stack.
        self.assertEqual(full, {"second": 100 * value, "SYSTEM,second": 100 * (INT + 40),
                                "SYSTEM": INT + 250 * 24})
        self.assertEqual(half, {"second": 50 * value, "SYSTEM,second": 50 * (INT + 40),
                                "SYSTEM": INT + 150 * 24 + 50 * 40})

    def test_thunks_hold_what_they_suspend(self):
        run = Run("leak", "-hr", "-i0", n=20000)
        bands = {name for sample in self.named(run) for name in sample}
        # The running sums, the numbers in them, and what hangs on both them and the list.
        self.assertIn("total", bands)
        self.assertIn("SYSTEM,total", bands)
        self.assertNotIn("count", bands)

    def test_figures_of_each_pass_are_quantities_over_time(self):
        run = Run("cache", "-hr", "-i100")
        rows = [line.split("\t") for line in run.text(".lines").splitlines()]
        values = {}
        for _, what, value in rows[1:]:
            values.setdefault(what, []).append(float(value))
        # One set of one; then 200 keys and weak pointers with two retainers among 551 objects.
        self.assertEqual(values["largest set (retainers)"], [1, 2, 2])
        means = [1, 1 + 200 / 551, 1 + 100 / 351]
        for value, mean in zip(values["mean set (retainers)"], means, strict=True):
            self.assertAlmostEqual(value, mean)
        report = run.text(".prof")
        numbers = re.findall(r"Number of retainer sets = (\d+)", report)
        self.assertEqual(values["sets (number)"], [int(n) for n in numbers])
        visits = re.findall(r"visits per object = (\S+)", report)
        self.assertEqual(["%.6f" % value for value in values["visits (per object)"]], visits)
        with_log = Run("cache", "-hr", "-hbdrag", "-l", "-i100")
        self.assertIn("visits (per object)", with_log.text(".lines"))

    def test_chains_of_retainers_in_one_run(self):
        run = Run("finite_map", "-hr", "-i100")
        done = subprocess.run([CENSUS, "report", "--chains", run.path + ".hp"], text=True,
                              capture_output=True, check=True)
        chain = done.stdout[done.stdout.index("C_lookup\n"):].split("\n\n")[0]
        self.assertEqual(re.findall(r"<- (\w+)\[.*?\]  (.* objects?(?:, root)?)$", chain, re.M)[:3], [
            ("C_lookup", "1.56 KiB in 100 objects"), ("B_scale", "1.56 KiB in 100 objects"),
            ("A_total", "16 B in 1 object")])
        self.assertRegex(chain.splitlines()[-1], r"<- SYSTEM\[SYSTEM\],MAIN\[MAIN\] .*, root$")

    def test_savings_have_phase_producer_and_retainers_at_once(self):
        run = Run("drag", "--savings", "-i100")
        third = {re.sub(r"\(\d+\)", "", name): size for name, size in run.samples()[2].items()}
        self.assertEqual(third, {"DRAG make/main/Main.CAF <- main": 16000, "DRAG Main.CAF <- SYSTEM": INT})
        for program in ALL:
            phases = [sum(sample.get(phase, 0) for phase in ("LAG", "DRAG", "VOID"))
                      for sample in Run(program, "-hb", "-i100").samples()]
            savings = Run(program, "--savings", "-i100")
            self.assertEqual([sum(sample.values()) for sample in savings.samples()], phases)
            if sum(phases) > 0:
                done = subprocess.run([CENSUS, "report", "--savings", savings.path + ".hp"],
                                      text=True, capture_output=True, check=True)
                share = re.search(r"([\d.]+)% of all live memory", done.stdout)
                self.assertLessEqual(float(share[1]), 100)
        only_drag = Run("drag", "--savings", "-hbdrag", "-i100").samples()
        self.assertEqual({name[:5] for sample in only_drag for name in sample}, {"DRAG "})
        self.assertIn("--savings", Run("drag", "--savings", "-l").errors)

    def test_life_times_have_the_areas_of_the_phases(self):
        """Bytes x time of each phase, over all producers, is that of the profile: eras last from census to census."""
        for program in ("drag", "void", "leak", "finite_map"):
            run = Run(program, "-hb", "--life-times", "-i0.0005")
            times = [float(time) for time in re.findall(r"BEGIN_SAMPLE (\S+)", run.text(".hp"))][:-1]
            areas = collections.Counter()
            for begin, end, sample in zip(times, times[1:], run.samples()):
                for phase, size in sample.items():
                    areas[phase] += size * (end - begin)
            done = subprocess.run([CENSUS, "report", "--life-times", "-m0", "--format", "json", run.path + ".lives.hp"],
                                  text=True, capture_output=True, check=True)
            found = collections.Counter()
            for row in json.loads(done.stdout)["rows"]:
                found[row["phase"]] += row["bytes"] * row["mean_seconds"]
                self.assertLessEqual(row["median_seconds"], row["p90_seconds"])
                self.assertLessEqual(row["p90_seconds"], row["longest_seconds"])
            for phase in ("LAG", "USE", "DRAG", "VOID"):
                self.assertAlmostEqual(found[phase], areas[phase], delta=0.13 * sum(areas.values()) + 1e-6, msg=program)
        make = [row for row in json.loads(subprocess.run(
            [CENSUS, "report", "--life-times", "--format", "json", self.drag_lives()],
            text=True, capture_output=True, check=True).stdout)["rows"] if row["phase"] == "DRAG"]
        self.assertIn("make", make[0]["producer"])
        self.assertIn("-hb", Run("drag", "-hc", "--life-times").errors)

    def drag_lives(self):
        return Run("drag", "-hb", "--life-times", "-i100").path + ".lives.hp"

    def test_schemes_choose_what_retains_and_its_name(self):
        def bands(*options):
            run = Run("cache", "-hr", "-i100", *options)
            sets = dict(re.findall(r"^SET (\d+) = \{(.*)\}$", run.text(".prof"), re.M))
            return [{sets[name[1:name.index(")")]]: size for name, size in sample.items()}
                    for sample in run.samples()][1]
        value, shared, lists = 100 * (32 * 1024 + 16), 100 * (INT + 40), INT + 250 * 24
        self.assertEqual(bands("--retainer-by", "type"), {
            "<Weak#>": value, "<STACK>, <Weak#>": shared, "<STACK>": lists})
        self.assertEqual(bands("--retainer-by=kind", "--is-retainer=kind:WEAK"), {
            "<WEAK>": value, "<STACK>, <WEAK>": shared, "<STACK>": lists})
        # Keys and weak pointers (which are roots, too) are in lists; the first cells of these and
        # n are in slots of the stack.
        everything = bands("--retainer-by", "description", "--is-retainer", "all", "--count")
        self.assertEqual(everything, {"<WEAK>": 100, "<:>, <WEAK>": 200, "<:>": 250 - 3,
                                      "<STACK>": 3 + 1})

    def test_schemes_are_compared_on_one_heap(self):
        both = Run("cache", "-hr", "-i100", "--is-retainer=all,roots", "--retainer-by=type,info")
        rows = re.findall(r"^ +[\d.]+ +[\d.]+ +\d+ +(\d+) +[\d.]+ +(type|info) +(all|roots)$", both.text(".prof"), re.M)
        self.assertEqual([row[1:] for row in rows], [(by, rule) for rule in ("all", "roots") for by in ("type", "info")])
        for n_sets, by, rule in rows:
            alone = Run("cache", "-hr", "-i100", "--is-retainer", rule, "--retainer-by", by)
            self.assertEqual(re.findall(r"Number of retainer sets = (\d+)", alone.text(".prof"))[-1], n_sets)
            if (by, rule) == ("type", "all"):
                self.assertEqual(alone.samples(), both.samples())

    def test_objects_are_counted(self):
        run = Run("cache", "-hd", "--count", "-i100")
        self.assertIn('VALUE_UNIT "objects"', run.text(".hp"))
        self.assertEqual(run.samples()[2], {":": 150, "I#": 51, "WEAK": 50, "DEAD_WEAK": 50,
                                            "ARR_WORDS": 50})
        phases = Run("drag", "-hb", "--count", "-i100").samples()
        self.assertEqual(phases[2], {"DRAG": 1001, "INHERENT_USE": 1})
        self.assertIn("Current total costs = 351",
                      Run("cache", "-hr", "--count", "-i100").text(".prof"))

    def test_an_event_log_has_no_unit_for_objects(self):
        run = Run("cache", "-hd", "--count", "-l", "-i100")
        self.assertEqual((run.status, os.listdir(run.directory)), (1, ["cache.live"]))
        self.assertIn("--count", run.errors)

    def test_an_event_log_has_collections_and_ticks(self):
        """In the order of GHC's records; also with a biography."""
        for options in (["-hc"], ["-hb"]):
            run = Run("leak", *options, "-p", "-l", "-V0.001", "-i100", n=20000, nursery=100000)
            log = run.path + ".eventlog"
            events = subprocess.run([CENSUS, "info", "--events", log], capture_output=True, text=True,
                                    check=True).stdout
            names = re.findall(r" 0 (GC_\w+|HEAP_ALLOCATED)", events)
            one = ["GC_START", "HEAP_ALLOCATED", "GC_END", "GC_STATS_GHC"]
            self.assertGreater(len(names), 5 * len(one))
            self.assertEqual(names, one * (len(names) // len(one)))
            allocated = [int(n) for n in re.findall(r"allocated_bytes=(\d+)", events)]
            self.assertEqual(allocated, sorted(allocated))
            self.assertIn("PROF_BEGIN tick_ns=1000000", events)
            times = subprocess.run([CENSUS, "report", "--time", log], capture_output=True, text=True)
            ticks = re.search(r"\((\d+) ticks? @", run.text(".prof"))[1]
            if ticks == "0":
                self.assertIn("no time profile", times.stderr)
            else:
                self.assertIn(f"({ticks} tick", times.stdout)

    def test_retainers_and_biography_go_together(self):
        both = Run("drag", "-hr", "-hbdrag", "-i100")
        self.assertEqual([sum(sample.values()) for sample in both.samples()],
                         [0, INT, 16000 + INT, 16000 + INT, INT])
        held = self.named(both)
        self.assertEqual(held[2], {"SYSTEM": INT, "main": 16000})


class FiniteMap(unittest.TestCase):
    """The hints of GHC's guide, each with the numbers of a tree of 2^depth leaves."""
    BRANCH, LEAF, DEPTH = 24, 16 + INT, 5
    HALF = (2 ** (DEPTH - 1) - 1) * BRANCH + 2 ** (DEPTH - 1) * LEAF
    MAP = 2 * HALF + BRANCH
    PATH = DEPTH * BRANCH + LEAF
    C, B, LIST, A = 100 * 16, 100 * 16, 100 * 24, 16

    def run_with(self, *options):
        return Run("finite_map", *options, "-i100", n=self.DEPTH)

    def held(self, *options):
        """Samples by the cost centre of the only retainer."""
        run = self.run_with("-hr", *options)
        sets = run.sets()
        return [{sets[int(name[1:name.index(")")])][0].split(",")[0]: size
                 for name, size in sample.items()} for sample in run.samples()]

    def test_producer(self):
        made = [{re.sub(r"\(\d+\)|/main|/Main\.CAF", "", name): size for name, size in sample.items()}
                for sample in self.run_with("-hc").samples()]
        asked = {"build": self.MAP, "main": self.LIST, "A_total": self.A, "B_scale": self.B,
                 "C_lookup": self.C, "Main.CAF": INT}
        self.assertEqual(made, [{"build": self.MAP, "Main.CAF": INT}, asked, asked, asked,
                                {"Main.CAF": INT}])

    def test_biography(self):
        rest = self.HALF - (self.PATH - self.BRANCH)
        chain = {"LAG": self.A + self.B + self.LIST + self.C, "VOID": self.HALF + INT}
        self.assertEqual(self.run_with("-hb").samples(), [
            {"LAG": rest + self.PATH, "VOID": self.HALF + INT},
            {"USE": rest + self.PATH, **chain},
            {"DRAG": rest, "USE": self.PATH, **chain},
            {"DRAG": rest, "USE": self.PATH, **chain},
            {"VOID": INT}])

    def test_retainers_of_branches_and_leaves(self):
        nodes = self.MAP - 2 ** self.DEPTH * INT
        self.assertEqual(self.held("-hdBranch,Leaf"),
                         [{"SYSTEM": nodes}, *3 * [{"C_lookup": nodes}], {}])

    def test_the_chain_of_retainers_step_by_step(self):
        for restriction, band in {"-hcC_lookup": {"B_scale": self.C},
                                  "-hcB_scale": {"A_total": self.B},
                                  "-hcA_total": {"SYSTEM": self.A}}.items():
            self.assertEqual(self.held(restriction), [{}, band, band, band, {}], restriction)

    def test_all_steps_of_the_chain_in_one_report(self):
        run = self.run_with("-hr")
        report = subprocess.run([CENSUS, "report", "--chains", "--bytes", run.path + ".hp"],
                                capture_output=True, text=True, check=True).stdout
        chain = report.split("C_lookup\n", 1)[1].split("\n\n")[0]
        links = re.findall(r"<- (\w+)\S* +([\d,]+) bytes in (\d+) object", chain)
        self.assertEqual(links[:3], [("C_lookup", f"{self.C:,}", "100"), ("B_scale", f"{self.B:,}", "100"),
                                     ("A_total", str(self.A), "1")])
        self.assertEqual([name for name, _, _ in links[3:]], ["SYSTEM"])

    def test_who_retains_what_drags_or_is_void(self):
        rest = self.HALF - (self.PATH - self.BRANCH)
        stack = {"SYSTEM": INT}
        self.assertEqual(self.held("-hbdrag,void"), [
            {"SYSTEM": self.HALF + INT}, {"C_lookup": self.HALF, **stack},
            *2 * [{"C_lookup": self.HALF + rest, **stack}], stack])


class Snapshots(unittest.TestCase):
    """Who would free what: the chain of the finite map, byte by byte."""

    def groups(self, run, *options):
        done = subprocess.run([CENSUS, "report", "--dominators", "--format", "json", *options,
                               run.path + ".heapsnapshot"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [(g["depth"], g["name"], g["retained_bytes"], g["self_bytes"], g["objects"])
                for g in json.loads(done.stdout)["groups"]]

    # Trees of depth 5: 31 branches of 24 bytes, 32 leaves of 16 with a number of 16. A lookup and what
    # scales it take 16 each, in a list of 100 of 24; the thunk of the sum takes 16, n another 16.
    MAP = 31 * 24 + 32 * (16 + 16)
    LIST = 100 * (24 + 16 + 16)

    def test_a_thunk_retains_its_list_of_lookups_and_these_the_map(self):
        # All lookups lead to the map: the list as a whole holds it, no single lookup does.
        total = self.MAP + self.LIST + 16
        self.assertEqual(self.groups(Run("finite_map", "-hd", "-i100", "--snapshot", "largest")), [
            (0, "(root)", total + 16, 0, 0),
            (1, "STACK", total + 16, 0, 0),
            (2, "total", total, 16, 1),
            (3, ":", total - 16, 2400, 100),
            (4, "scale", 3200, 1600, 100),
            (5, "lookup", 1600, 1600, 100),
            (4, "Branch", self.MAP, 31 * 24, 31),
            (5, "Leaf", 32 * 32, 32 * 16, 32),
            (6, "I#", 32 * 16, 32 * 16, 32),
            (2, "I#", 16, 16, 1),
        ])

    def test_the_last_census_replaces_those_before(self):
        self.assertEqual(self.groups(Run("finite_map", "-i100", "--snapshot", "last")), [
            (0, "(root)", 16, 0, 0), (1, "STACK", 16, 0, 0), (2, "I#", 16, 16, 1)])

    def test_a_weak_pointer_retains_its_value_and_not_its_key(self):
        value, weak = 32 * 1024 + 16, 40
        groups = self.groups(Run("cache", "-i100", "--snapshot", "largest"), "-m0", "--depth", "2")
        self.assertIn((1, "WEAK", 100 * (value + weak), 100 * weak, 100), groups)
        self.assertIn((2, "ARR_WORDS", 100 * value, 100 * value, 100), groups)

    def test_stacks_have_a_size_with_xt(self):
        plain, with_stacks = (dict((g[1], g) for g in self.groups(
            Run("threads", "-i100", "--snapshot", "largest", *options)))
            for options in ([], ["-xt"]))
        self.assertEqual(plain["STACK"][3:], (0, 0))
        self.assertGreater(with_stacks["STACK"][3], 0)
        self.assertGreater(with_stacks["STACK"][4], 1)

    def test_the_way_of_references_to_an_object(self):
        run = Run("finite_map", "-hd", "-i100", "--snapshot", "largest")
        done = subprocess.run([CENSUS, "report", "--bytes", "--holders", "Leaf",
                               run.path + ".heapsnapshot"], capture_output=True, text=True)
        way = [line.split(None, 2) for line in done.stdout.splitlines()[1:]]
        self.assertEqual([(step[0], step[2]) for step in way[2:]], [
            (f"{self.MAP + self.LIST + 16:,}", "total"), (f"{self.MAP + self.LIST:,}", ":"),
            ("32", "scale"), ("16", "lookup"), ("88", "Branch (5 in a row)"), ("32", "Leaf")])


class Threads(unittest.TestCase):
    """Words of 8 bytes. A thread: header, and 10 more; a stack: header, slots, and 2 a frame."""
    TSO = 8 * (1 + 10)
    MAIN = 8 * (1 + 2 + 2)        # the frame of main: itself and n
    FORKED = 8 * (1 + 2 + 1)      # a frame that holds the thunk
    EVALUATED = 8 * (2 + 2)       # the frame of the thunk: itself and the depth
    CALL = 8 * (2 + 3)            # of descend: itself, its argument, the number

    def expected(self, n, census):
        calls = [census for i in range(1, n + 1) if census <= 4 * i + 1]
        if census == 0:
            return {"TSO": (n + 1) * self.TSO, "STACK": self.MAIN + n * self.FORKED,
                    "I#": (n + 1) * INT, "work": n * 16}
        stacks = sum(self.FORKED + self.EVALUATED + self.CALL * k for k in calls)
        bands = {"TSO": (len(calls) + 1) * self.TSO, "STACK": self.MAIN + stacks,
                 "I#": INT + sum(INT * (k + 1) for k in calls), "BLACKHOLE": len(calls) * 16}
        return {name: size for name, size in bands.items() if size}

    def test_xt_shows_threads_and_their_stacks(self):
        for n in 1, 3:
            samples = Run("threads", "-hd", "-xt", "-i100", n=n).samples()
            self.assertEqual(samples, [self.expected(n, k) for k in range(4 * n + 3)])

    def test_they_belong_to_the_code_that_forked_them(self):
        made = Run("threads", "-hc", "-hTTSO,STACK", "-xt", "-i100", n=2).samples()[0]
        made = {re.sub(r"^\(\d+\)", "", name): size for name, size in made.items()}
        self.assertEqual(made, {"worker/main/Main.CAF": 2 * (self.TSO + self.FORKED),
                                "SYSTEM": self.TSO + self.MAIN})

    def test_all_runs_are_equal(self):
        runs = [Run("threads", "-hr", "-xt", "-i100", n=6).samples() for _ in range(3)]
        self.assertEqual(runs[1:], 2 * runs[:1])


class Log(unittest.TestCase):
    """What the runtime adds to event logs."""

    def records(self, program, *options, n=None):
        """The records as [name, fields]."""
        run = Run(program, "-i100", *options, n=n)
        done = subprocess.run([CENSUS, "info", "--events", run.path + ".eventlog"], text=True,
                              capture_output=True, check=True)
        return [line.split(" ", 3)[2:] for line in done.stdout.splitlines()]

    def test_threads_take_turns(self):
        records = self.records("threads", "-l", n=2)
        numbers = [fields for name, fields in filter(lambda r: len(r) == 2, records)
                   if name == "CREATE_THREAD"]
        self.assertEqual(numbers, ["thread=1", "thread=2", "thread=3"])
        self.assertIn(["THREAD_LABEL", 'thread=3 label="worker 2"'], records)
        self.assertIn(["USER_MSG", 'message="all workers wait"'], records)
        self.assertIn(["USER_MARKER", 'marker="all workers have ended"'], records)
        # Each RUN is followed by a STOP of the same thread. A worker i ends in its turn 4 i + 2.
        turns = [[name, *re.findall(r"thread=(\d+)(?: status=\d+:(\w+))?", rest[0])[0]]
                 for name, *rest in records if name in ("RUN_THREAD", "STOP_THREAD")]
        for run, stop in zip(turns[::2], turns[1::2], strict=True):
            self.assertEqual((run[0], stop[0], run[1]), ("RUN_THREAD", "STOP_THREAD", stop[1]))
        ends = {thread: [why for _, t, why in turns[1::2] if t == thread] for thread in "123"}
        self.assertEqual(ends["2"], 5 * ["ThreadYielding"] + ["ThreadFinished"])
        self.assertEqual(ends["3"], 9 * ["ThreadYielding"] + ["ThreadFinished"])
        self.assertEqual((ends["1"].count("ThreadYielding"), ends["1"][-1]), (10, "ThreadFinished"))
        self.assertEqual([fields for name, *fields in records if name == "TASK_DELETE"],
                         [["task=2"], ["task=3"]])

    def test_sparks_run_fizzle_and_are_collected(self):
        records = self.records("sparks", "-lf", n=101)
        names = [name for name, *_ in records]
        for name, n in {"CREATE": 101, "DUD": 1, "OVERFLOW": 0, "FIZZLE": 25, "GC": 26, "RUN": 50}.items():
            self.assertEqual(names.count("SPARK_" + name), n, name)
        counters = [fields for name, *fields in records if name == "SPARK_COUNTERS"]
        self.assertEqual(counters[-1], ["created=101 dud=1 overflowed=0 converted=50 collected=26 "
                                        "fizzled=25 remaining=0"])
        self.assertIn(["CREATE_SPARK_THREAD", "spark_thread=2"], records)
        full = [fields for name, *fields in self.records("sparks", "-l", n=5000)
                if name == "SPARK_COUNTERS"]
        self.assertRegex(full[-1][0], "created=4096 dud=1 overflowed=904 ")

    def test_ticky_counters_count_entries_and_bytes(self):
        run = Run("sparks", "-lT", "-i100", n=101)
        done = subprocess.run([CENSUS, "report", "--ticky", "--format", "json", run.path + ".eventlog"],
                              text=True, capture_output=True, check=True)
        counters = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
        # The first 75 sums [1 .. i] create i + 1 thunks each, and enter them once.
        self.assertEqual(counters["sum"]["entries"], 75)
        self.assertEqual(counters["enumFromTo"]["entries"], sum(i + 1 for i in range(1, 76)))

    def test_ticky_counters_over_time_add_up_to_the_table(self):
        run = Run("sparks", "-lT", "-i100", n=101)
        read = lambda *words: json.loads(subprocess.run([CENSUS, *words, run.path + ".eventlog"], text=True,
                                                        capture_output=True, check=True).stdout)
        rows = read("report", "--ticky", "--format", "json")["rows"]
        for amount, column in [("entries", "entries"), ("allocs", "allocs_bytes"), ("allocd", "allocd_bytes")]:
            profile = read("convert", "--format", "json", "--value", "ticky-" + amount)
            sums = collections.Counter()
            for sample in profile["samples"]:
                sums.update(sample["costs"])
            self.assertGreater(len(profile["samples"]), 1)
            self.assertEqual(sums, {row["name"]: row[column] for row in rows if row[column]})

    def test_large_objects_are_those_that_do_not_move(self):
        records = self.records("cache", "-ln", n=100)
        live = [re.findall(r"log2_block=16 .* n_live_blocks=(\d+)", fields[0])[0]
                for name, *fields in records if name == "NONMOVING_HEAP_CENSUS"]
        self.assertEqual(live[-2:], ["100", "50"])


class RetainerSets(unittest.TestCase):
    N, LIST = 2, 2 * 128 * 24

    def expected(self, n_readers):
        """Bytes by set, with the stack as 8: the lists, the numbers, the thunks, and n."""
        sizes = {}

        def add(members, size):
            key = frozenset(members)
            sizes[key] = sizes.get(key, 0) + size
        for reader in range(8):
            add({reader if reader < n_readers else 8}, self.LIST)
        for number in range(1, 256):
            bits = {i for i in range(8) if number >> i & 1}
            add({i if i < n_readers else 8 for i in bits}, self.N * 16)
        add({8}, n_readers * 16 + INT)
        return sizes

    def test_all_combinations_of_eight_readers(self):
        run = Run("sets", "-hr", "-i100", n=self.N)
        sets = {number: frozenset(8 if name.startswith("SYSTEM") else int(name[6])
                                  for name in members) for number, members in run.sets().items()}
        samples = [{sets[int(name[1:name.index(")")])]: size for name, size in sample.items()}
                   for sample in run.samples()]
        self.assertEqual(samples[:-1], [self.expected(j) for j in range(9)])
        self.assertEqual([len(sample) for sample in samples], [2 ** j - 1 for j in range(1, 9)]
                         + [256, 1])

    def test_larger_sets_are_many(self):
        for most in 1, 4:
            run = Run("sets", "-hr", "-i100", f"-R{most}", n=self.N)
            for j, sample in enumerate(run.samples()[:-1]):
                many = sum(size for key, size in self.expected(j).items() if len(key) > most)
                self.assertEqual(sample.get("MANY", 0), many)


class Report(unittest.TestCase):
    def test_the_tree_of_the_guides_list_example(self):
        run = Run("last_init", "-p", n=20000)
        main = "MAIN/CAF/main"
        self.assertEqual(run.entries(), {
            "MAIN": 0, "MAIN/CAF": 0, main: 1, main + "/last_xs": 1, main + "/last_init_xs": 1,
            main + "/last_ys": 1, main + "/last_init_ys": 1, main + "/main.xs": 1,
            main + "/main.ys": 1})
        # The guide's own %alloc; GHC's representation differs a little.
        guide = {"last_init_ys": 27.4, "main.ys": 39.2, "last_ys": 0.0, "last_init_xs": 13.7,
                 "main.xs": 19.6, "last_xs": 0.0}
        for name, percent in guide.items():
            row = re.search(r"^   %s +\S+ +\S+ +\d+ +\d+ +\S+ +(\S+)" % re.escape(name),
                            run.text(".prof"), re.M)
            self.assertAlmostEqual(float(row[1]), percent, delta=1.5, msg=name)

    def test_recursion_is_folded_and_callers_are_distinct(self):
        run = Run("costs", "-p", n=20)
        main = "MAIN/CAF/main"

        def calls(n):
            return 1 if n < 2 else 1 + calls(n - 1) + calls(n - 2)
        self.assertEqual(run.entries(), {
            "MAIN": 0, "MAIN/CAF": 0, main: 1,
            main + "/main.f": 1, main + "/main.f/fib": calls(20),
            main + "/main.g": 1, main + "/main.g/fib": calls(10),
            main + "/isEven": 11, main + "/isEven/isOdd": 10,
            main + "/outer": 21, main + "/outer/inner": 20,
            main + "/adder": 1,
            main + "/caller": 1, main + "/caller/adder": 0})

    def test_programs_run_without_a_profile(self):
        for program in ALL:
            self.assertEqual(os.listdir(Run(program).directory), [program + ".live"])


class Options(unittest.TestCase):
    def test_options_come_from_the_environment_too(self):
        run = Run("drag", environment={"HPP_OPTIONS": "-hd -i100"})
        self.assertEqual(run.samples()[0], {"table.\\": 16000, "I#": INT, "MUT_VAR": CELL})

    def test_the_command_line_goes_over_the_environment(self):
        run = Run("drag", "-hT", environment={"HPP_OPTIONS": "-hd -i100"})
        self.assertEqual(run.samples()[0], {"FUN": 16000, "CONSTR": INT, "MUT_VAR": CELL})

    def test_nonsense_is_refused(self):
        run = Run("drag", "-hz")
        self.assertEqual((run.status, run.output), (1, ""))
        self.assertIn("-hz", run.errors)


    def test_all_options_of_the_guide_are_accepted(self):
        for options in ("-h", "-hc", "-hm", "-hd", "-hy", "-hr", "-hb", "-hcmake -hdI#,MUT_VAR",
                        "-hCmain -hr", "-hmMain -hy[] -hc", "-hrmain -hr", "-hbdrag,void -hr",
                        "-i0.2", "-xt -hd", "-xc", "-L40 -hc", "-R4 -hr", "-p", "-P", "-pa",
                        "-V0.02 -p"):
            run = Run("drag", *options.split())
            self.assertEqual((run.status, run.output, run.errors), (0, "1000\n", ""), options)

    def test_options_of_the_runtime_are_read_or_refused_with_a_reason(self):
        self.assertEqual(Run("fail", "-F1.5", "-N1", "-hd", "-i100").output, "125250\n")
        for option, reason in {"-c": "cannot compact", "-N4": "one processor",
                               "-F1": "a factor above 1", "-Fx": "a factor above 1"}.items():
            run = Run("fail", option)
            self.assertEqual((run.status, run.output), (1, ""))
            self.assertIn(reason, run.errors)


class Failure(unittest.TestCase):
    def test_an_error_prints_the_stack_of_its_code(self):
        run = Run("fail", "-xc", "-p", n="0")
        self.assertEqual((run.status, run.errors), (1,
            "*** head: empty list (reporting due to -xc), stack trace:\n"
            "  Main.first,\n  called from Main.choose,\n  called from Main.main,\n  called from Main.CAF\n"
            "head: empty list\n"))
        main = "MAIN/CAF/main"
        self.assertEqual(run.entries(), {"MAIN": 0, "MAIN/CAF": 0, main: 1, main + "/choose": 1,
                                         main + "/choose/first": 1})

    def test_a_stack_overflow_prints_the_folded_stack(self):
        run = Run("fail", "-xc", n=130000)
        self.assertEqual(run.status, 1)
        # A sanitizer may warn of the deep C stack before.
        self.assertEqual(run.errors[run.errors.find("***"):],
                         "*** stack overflow (reporting due to -xc), stack trace:\n"
                         "  Main.total,\n  called from Main.main,\n  called from Main.CAF\nstack overflow\n")

    def test_without_xc_there_is_only_the_message(self):
        self.assertEqual(Run("fail", n="0").errors, "head: empty list\n")


    def test_each_exception_that_is_caught_prints_its_stack(self):
        head = "*** head: empty list (reporting due to -xc), stack trace:\n"
        chosen = "  called from Main.main,\n  called from Main.CAF\n"
        run = Run("fail", "-xc", "-hd", "-i0", n="-1")
        self.assertEqual((run.status, run.output), (0, 2 * "head: empty list\n"))
        # The thunk raises it again.
        self.assertEqual(run.errors, head + "  Main.first,\n  called from Main.choose,\n" + chosen
                         + head + "  Main.choose,\n" + chosen)
        self.assertEqual([sum(sample.values()) for sample in run.samples()], run.live())

    def test_calls_have_cost_centres_with_prof_auto_calls(self):
        errors = Run("fail_calls", "-xc", n="0").errors
        self.assertEqual(re.findall(r"Main\.\w+", errors), ["Main." + name for name in
                         ("first", "first", "choose", "main", "CAF")])


class Statistics(unittest.TestCase):
    """-s and -S."""

    def test_times_of_program_collector_and_profiler_are_the_whole(self):
        for option in "-s", "-S":
            text = Run("leak", "-hr", "-i0", option).errors
            times = {name: float(time) for name, time in
                     re.findall(r"^  (MUT|GC|PROF|Total) +time +([\d.]+)s  \( *[\d.]+s elapsed\)$", text, re.M)}
            self.assertEqual(list(times), ["MUT", "GC", "PROF", "Total"])
            self.assertAlmostEqual(times.pop("Total"), sum(times.values()), delta=0.003)
            n = int(re.search(r"^  Gen  0 +(\d+) colls,", text, re.M)[1])
            lines = re.findall(r"^(?: +[\d.]+){7}  \(Gen:  0\)$", text, re.M)
            self.assertEqual(len(lines), n if option == "-S" else 0)
            self.assertIn(" bytes allocated in the heap\n", text)

    def test_they_go_to_a_file(self):
        run = Run("drag", "-sstatistics")
        self.assertEqual(run.errors, "")
        with open(os.path.join(run.directory, "statistics"), encoding="utf-8") as file:
            self.assertIn("Productivity", file.read())

    def test_help_lists_options(self):
        done = subprocess.run([os.path.join(PROGRAMS, "leak"), "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in "-s[FILE]", "-hL", "-xc", "-l[LETTERS]":
            self.assertIn(option, done.stdout)


class PartialApplications(unittest.TestCase):
    def test_they_hold_functions_and_arguments(self):
        n = 7
        first, second, third = Run("partial", "-hd", "-i100", n=n).samples()
        self.assertEqual(first, {":": 24 * n, "PAP": 24 * n, "I#": INT * n + INT})
        self.assertEqual(second, {":": 24 * n, "PAP": 24 * n, "AP": 24 * n, "I#": INT * n + 2 * INT})
        self.assertEqual(third, {"I#": INT})
        run = Run("partial", "-hb", "-hdPAP", "-i100", n=n)
        self.assertEqual(run.output, f"{sum(range(1, n + 1)) + 10 * n}\n")
        self.assertEqual(run.samples()[:2], 2 * [{"LAG": 24 * n}])
        kinds = Run("partial", "-hT", "-i100", n=n).samples()[1]
        self.assertEqual((kinds["PAP"], kinds["AP"]), (24 * n, 24 * n))


class Finalizers(unittest.TestCase):
    def test_they_live_until_they_have_run(self):
        first, second, third = Run("finalizers", "-hd", "-i100", n=9).samples()
        common = {"I#": INT * (9 + 2), "MUT_VAR": CELL, ":": 24 * (9 + 5)}
        self.assertEqual(first, {**common, "WEAK": 9 * 40, "count": 9 * 16})
        self.assertEqual(second, {"I#": INT * (5 + 2), "MUT_VAR": CELL, ":": 24 * 5, "WEAK": 5 * 40, "count": 9 * 16})
        self.assertEqual(third, {"I#": INT * (5 + 2), "MUT_VAR": CELL, ":": 24 * 5, "WEAK": 5 * 40, "count": 5 * 16})
        self.assertEqual(Run("finalizers", n=9).output, "4\n")
        held = Run("finalizers", "-hr", "-i100", n=9)
        self.assertNotIn("UNREACHED", held.text(".hp"))


class Drawing(unittest.TestCase):
    def check(self, *command):
        for program in ALL:
            for breakdown in "c", "r", "b":
                run = Run(program, "-h" + breakdown, "-i0")
                done = subprocess.run([*command, run.path + ".hp"], capture_output=True,
                                      cwd=run.directory)
                self.assertEqual((done.returncode, done.stderr), (0, b""), program)
                self.assertIn("%!PS-Adobe", run.text(".ps"))

    def test_census_hp2ps_draws_all(self):
        self.check(CENSUS, "hp2ps", "-c")

    @unittest.skipUnless(shutil.which("hp2ps"), "hp2ps is not installed")
    def test_hp2ps_draws_all(self):
        self.check("hp2ps", "-c")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
