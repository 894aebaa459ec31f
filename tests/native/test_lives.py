#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sampled biographies of programs that log every use: shares of lag, use, drag and void."""
import collections
import json
import os
import re
import signal
import subprocess
import time

import harness
from harness import Native, program

os.environ["CENSUS_BIOGRAPHY_SEED"] = "1"  # watches the same blocks in each run

PHASES = ("LAG", "USE", "DRAG", "VOID")
RATE = 1024  # some thousand watched blocks: the standard error of a share is at most 0.6 points
POINTS = 2.0


def windows_of(path):
    """Returns the samples in the middle of each phase of `lives`: [[{name: bytes}]]. An image that was asked for before
    a mark and taken after it has the time of the mark."""
    profile = harness.Profile(path)
    marks = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("MARK "):
                marks.append(float(line.split()[1]))
    return [[bands for time, bands in profile.samples if begin <= time < end]
            for begin, end in zip(marks[4::10], marks[6::10])]


def naps_of(path):
    """Returns the samples of each nap of the case naps, and those between a nap and the next one: [[{name: bytes}]]."""
    with open(path, encoding="utf-8") as file:
        marks = [float(line.split()[1]) for line in file if line.startswith("MARK ")][10:]
    samples = harness.Profile(path).samples
    parts = [[bands for time, bands in samples if begin <= time < end]
             for begin, end in zip(marks, [*marks[1:], float("inf")])]
    return parts[0::2], parts[1::2]


def sets_of(bands):
    """Returns {"variable+variable": bytes}. Names are without their places."""
    return {"+".join(sorted(member.split("@")[0] for member in re.sub(r"^\(\d+\)", "", name).split(","))): size
            for name, size in bands.items()}


def held_in(output):
    """Returns what the case handed_over prints: for each phase {set: {name of a phase: bytes}}."""
    held = collections.defaultdict(dict)
    for line in output.splitlines():
        if line.startswith("held"):
            _, number, retainers, *sizes = line.split()
            held[int(number)][retainers] = dict(zip(PHASES, map(int, sizes)))
    return [held[number] for number in sorted(held)]


class Lives(Native):
    def run_case(self, case, *options, rate=RATE, more=(), status=0, command=(), files=(".hp",)):
        """Runs a case of `lives`, or of a command that has the same phases. Returns the path of the profile without
        ".hp", the truth of each phase, the samples in its middle, and the summary."""
        base = os.path.join(self.fresh(), "profile")
        rates = [f"--biography-rate={rate}"] if rate else []
        done = harness.run([harness.CENSUS, "run", *options, "-i0.03", *rates,
                            *harness.files_of(base, *files), "--", *(command or [program("lives")]), case,
                            base + ".hp", *more], patience_s=2 * harness.PATIENCE_S)
        self.assertEqual(done.status, status, done.errors)
        truths = [[int(n) for n in line.split()[2:]] for line in done.output.splitlines() if line.startswith("truth")]
        windows = windows_of(base + ".hp")
        self.assertEqual(len(windows), len(truths))
        self.held = held_in(done.output)
        return base, truths, windows, done.errors

    def check(self, case, *options, delta=None, **more):
        """Compares the profile with the truth; `delta` is that of sums. Returns the summary."""
        _, truths, windows, errors = self.run_case(case, "-hb", *options, **more)
        for number, (truth, samples) in enumerate(zip(truths, windows)):
            self.assertTrue(samples, f"phase {number} has no samples")
            for sample in samples:
                total = sum(sample.values())
                for name, size in zip(PHASES, truth):
                    share, true_share = 100 * sample[name] / total, 100 * size / sum(truth)
                    self.assertLessEqual(abs(share - true_share), POINTS,
                                         f"phase {number}: {name} is {share:.2f} % instead of "
                                         f"{true_share:.2f} %: {dict(sample)}")
                # The profile also has the few blocks that the C library makes. With a restriction, sums are estimates.
                self.assertAlmostEqual(total / sum(truth), 1, delta=delta or (0.04 if options else 0.01))
        return errors

    def test_lives_all_lag(self):
        self.check("all_lag")

    def test_lives_all_use(self):
        self.check("all_use")

    def test_lives_all_drag(self):
        self.check("all_drag")

    def test_lives_all_void(self):
        self.assertRegex(self.check("all_void"),
                         r"lag 0\.0%, use 0\.[0-9]%, drag 0\.[0-9]%, void (99\.[0-9]|100\.0)%, "
                         r"each within 0\.[0-9] points")

    def test_lives_of_no_watched_block(self):
        """The samples are empty, but the peak is known."""
        done = harness.run([harness.CENSUS, "run", "-hb", "--biography-rate=1000000000", "-o", self.path("profile.hp"),
                            "--", program("ends"), "returns", "3"])
        self.assertRegex(done.errors, r"; peak 3\d\d KiB at ")
        self.assertIn("the peak has no sample\n", done.errors)

    def test_lives_half_void(self):
        self.check("half_void")

    def test_lives_used_now_and_then(self):
        self.check("use_now_and_then")

    def test_lives_of_cache(self):
        self.check("cache")

    def test_lives_of_buffers(self):
        self.check("buffers", rate=8192)

    def test_lives_of_blocks_that_are_filled_slowly(self):
        """What fills a block is not a use of it, also when an era ends meanwhile."""
        census = harness.run_census([program("lives"), "fills_slowly"], self.fresh(), "-hb", f"--biography-rate={RATE}",
                                    "--clock=cpu", "-i0.1")
        last = max(census.profile.samples, key=lambda sample: sum(sample[1].values()))[1]
        self.assertGreater(last["VOID"], 0.99 * sum(last.values()), last)

    def test_lives_of_samples(self):
        """With --rate, the blocks of the sample are those that are watched."""
        for case in "half_void", "cache", "use_now_and_then":
            with self.subTest(case):
                errors = self.check(case, f"--rate={RATE // 2}", rate=None, delta=0.06)
                self.assertRegex(errors, r"each within [\d.]+ points")

    def test_lives_of_interpreter(self):
        self.check("interpreter")

    def test_lives_used_by_system_calls(self):
        self.check("by_system_calls")

    def test_lives_used_by_threads(self):
        self.check("by_threads")

    def test_lives_with_children(self):
        """Blocks are watched in a process without threads after it has forked."""
        self.assertNotIn("until the program forked", self.check("with_children"))

    def test_lives_of_killed_program(self):
        """All that was recorded is in the profile of a program that SIGKILL ends."""
        self.check("use_now_and_then", more=["kill"], status=128 + 9)

    def test_lives_of_python(self):
        """Small and large blocks of Python; the garbage collector uses an object, and not what is in a block of its own."""
        python = ["/usr/bin/python3", os.path.join(os.path.dirname(os.path.abspath(__file__)), "python/lives.py")]
        for case in ("bytes", "bytearray", "list"):
            with self.subTest(case):
                self.check(case, "--clock=cpu", "-hdlives.make", command=python, rate=RATE // 2)

    def check_restricted(self, phase, *options):
        """Half of the bytes of the case are in the phase, all of them made by one function."""
        base, truths, windows, errors = self.run_case("half_void", *options)
        largest = max(sum(bands.values()) for _, bands in harness.Profile(base + ".hp").samples)
        for text in re.search(rf"; peak {harness.AMOUNT} at .*(?s:.*)at the peak:\ncensus: +{harness.AMOUNT} ", errors).groups():
            self.assertAlmostEqual(harness.number(text) / largest, 1, delta=0.01, msg=errors)
        for truth, samples in zip(truths, windows):
            self.assertTrue(samples)
            for sample in samples:
                self.assertEqual(len(sample), 1, sample)
                share = sum(sample.values()) / sum(truth)
                self.assertAlmostEqual(100 * share, 100 * truth[phase] / sum(truth), delta=POINTS)
        return windows[0][0]

    def test_lives_restrict_sites(self):
        self.assertRegex(next(iter(self.check_restricted(3, "-hd", "-hbvoid"))), r"^make@lives\.c:\d+$")

    def test_lives_restrict_types(self):
        """Types are those of the blocks in each image."""
        self.assertEqual(list(self.check_restricted(3, "-hy", "-hbvoid")), ["unsigned char"])

    def test_lives_restrict_types_of_python(self):
        """The types are those of objects, not of sites."""
        text = "import os, time; kept = [bytes(5000) for _ in range(2000)]; time.sleep(1); os._exit(0)"
        census = harness.run_census(["/usr/bin/python3", "-c", text], self.fresh(), "-hy", "-hbvoid", "-i0.1",
                                    "--biography-rate=4K")
        largest = max((bands for _, bands in census.profile.samples), key=lambda bands: bands["bytes"])
        self.assertAlmostEqual(largest["bytes"] / 1e7, 1, delta=0.1, msg=str(largest))

    def test_lives_restrict_modules(self):
        self.assertEqual(list(self.check_restricted(1, "-hm", "-hblag,use,drag", "-hmlives", "-hdmake")),
                         ["lives"])

    def test_lives_restrict_lives(self):
        self.assertEqual(list(self.check_restricted(3, "-hb", "-hbvoid")), ["VOID"])

    def check_held(self, options, truth_of):
        """Compares the bands of each sample with what `truth_of` returns for its phase, in points of all bytes."""
        _, truths, windows, errors = self.run_case("handed_over", *options)
        self.assertTrue(all(windows), errors)
        for truth, held, samples in zip(truths, self.held, windows):
            expected = truth_of(held)
            for sample in samples:
                found = sets_of(sample)
                self.assertLessEqual(set(found), {name for name, size in expected.items() if size > 0})
                for name, size in expected.items():
                    self.assertAlmostEqual(100 * found.get(name, 0) / sum(truth), 100 * size / sum(truth), delta=POINTS)

    def test_lives_by_holder(self):
        """-hr restricted by phase: blocks that pass from one holder to others."""
        self.check_held(("-hr", "-hblag,drag", "-hmlives"),
                        lambda held: {name: phases["LAG"] + phases["DRAG"] for name, phases in held.items()})

    def test_lives_of_what_is_held(self):
        """-hb restricted by retainer."""
        self.check_held(("-hb", "-hrsecond_table", "-hmlives"),
                        lambda held: {phase: sum(phases[phase] for name, phases in held.items() if "second_table" in name)
                                      for phase in PHASES})

    def test_lives_between_marks(self):
        """A sample is between the marks that the program set before and after its image."""
        base = os.path.join(self.fresh(), "profile")
        done = harness.run([harness.CENSUS, "run", "-q", "-hr", "-hmlives", "-i0.005", "-o", base + ".hp", "--", program("lives"),
                            "marks_blocks"])
        self.assertEqual((done.status, done.errors), (0, ""))
        n_marked = n_samples = 0
        with open(base + ".hp", encoding="utf-8") as file:
            for line in file:
                if line.startswith("MARK "):
                    n_marked += 1
                elif line.startswith("BEGIN_SAMPLE"):
                    n_bytes = 0
                elif "\t" in line:
                    n_bytes += int(line.split("\t")[1])
                elif line.startswith("END_SAMPLE"):
                    self.assertIn(n_bytes, (1000 * n_marked, 1000 * n_marked + 1000), line)
                    n_samples += 1
        self.assertGreater(n_samples, 1)

    def test_lives_in_event_log(self):
        """The event log has the final phases of the heap profile."""
        base, _, _, _ = self.run_case("all_drag", "-hb", files=(".hp", ".eventlog"))
        again = self.path("again.hp")
        done = harness.run([harness.CENSUS, "convert", "-o", again, base + ".eventlog"])
        self.assertEqual(done.status, 0, done.errors)
        self.assertEqual([bands for _, bands in harness.Profile(again).samples if bands],
                         [bands for _, bands in harness.Profile(base + ".hp").samples if bands])

    def test_lives_in_recording(self):
        """So has a recording, which is the only file."""
        base = os.path.join(self.fresh(), "profile")
        harness.run_census([program("ends"), "returns"], os.path.dirname(base), "-hb", "--biography-rate=1", files=(".census",))
        self.assertEqual(os.listdir(os.path.dirname(base)), ["profile.census"])
        done = harness.run([harness.CENSUS, "convert", "-o", base + ".hp", base + ".census"])
        self.assertEqual(done.status, 0, done.errors)
        profile = harness.Profile(base + ".hp")
        self.assertEqual({name for _, bands in profile.samples for name in bands} - {*PHASES}, set())
        self.assertEqual(profile.total(), 364000)

    def test_lives_while_the_program_runs(self):
        """The profile shows what is known; at the end, it shows the final phases."""
        base = self.path("running")
        with subprocess.Popen([harness.CENSUS, "run", "-q", "-hb", "-i0.05", "--biography-rate=1", "-o", base + ".hp",
                               "--", program("ends"), "waits"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as running:
            self.addCleanup(running.kill)
            deadline = time.monotonic() + harness.PATIENCE_S
            while not (os.path.exists(base + ".hp") and harness.Profile(base + ".hp").samples and
                       "NOT_YET_USED" in harness.Profile(base + ".hp").last()):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            running.communicate(timeout=harness.PATIENCE_S)
        for _, bands in harness.Profile(base + ".hp").samples:
            self.assertLessEqual(set(bands), set(PHASES))


    def check_naps(self, *options):
        """A use is in the era in which it happened, though the program has slept through others before and after it."""
        base, few, large = os.path.join(self.fresh(), "profile"), 100 * 512, 4 * 300000
        with subprocess.Popen([harness.CENSUS, "run", "-q", *options, "-i0.03", "--biography-rate=1", "-o", base + ".hp", "--",
                               program("lives"), "naps", base + ".hp"], stdin=subprocess.PIPE) as running:
            self.addCleanup(running.kill)
            deadline = time.monotonic() + harness.PATIENCE_S
            for n in (1, 2, 3):
                while not os.path.exists(base + ".hp") or [len(nap) >= 4 for nap in naps_of(base + ".hp")[0]].count(True) < n:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                running.stdin.write(b"n\n")
                running.stdin.flush()
        naps, between = naps_of(base + ".hp")
        # What is used is in the sample that follows. The last one of the nap before may see some of it, and on a busy
        # machine, there are samples between the naps.
        for n, used in ((1, 2 * few), (2, few + large)):
            around = [naps[n - 1][-1], *between[n - 1], naps[n][0]]
            self.assertAlmostEqual(sum(bands["USE"] for bands in around), used, delta=few / 2, msg=f"{n}: {around}")
        for n, (lag, drag) in enumerate(((3 * few + large, 0), (few + large, 2 * few), (0, 3 * few + large))):
            for bands in naps[n][1:-1]:
                for name, size in (("LAG", lag), ("USE", 0), ("DRAG", drag), ("VOID", few)):
                    self.assertAlmostEqual(bands[name], size, delta=few / 2, msg=f"nap {n}: {naps}")

    def test_lives_used_between_naps(self):
        self.check_naps("-hb")

    def test_lives_used_between_naps_by_type(self):
        """The image of a sleeping program shows what it has used before."""
        self.check_naps("-hb", "-hy")


class Watched(Native):
    """Programs whose blocks are watched run unharmed, and all of their bytes have a phase."""

    def check_all(self, name, cases, *arguments, rate=200):
        for case in cases.split():
            with self.subTest(case=case):
                command = [program(name), case, *arguments]
                census = harness.run_census(command, self.fresh(), "-hb", f"--biography-rate={rate}",
                                            files=(".hp", ".eventlog"))
                self.assert_unharmed(harness.run(command), census)
                self.check_residency(census.profile)

    def check_residency(self, profile):
        """In each sample that has a phase, the phases add up to the live bytes, which are counted. The resident set is
        not: the kernel does not count watched blocks."""
        done = harness.run([harness.CENSUS, "convert", "--format", "json", profile.path[:-3] + ".eventlog"])
        self.assertEqual(done.status, 0, done.errors)
        points = [(line["time"], line["name"]) for line in json.loads(done.output)["lines"]]
        self.assertNotIn("resident", [name for _, name in points])
        self.assertEqual([round(time, 6) for time, name in points if name == "live"],
                         [round(time, 6) for time, _ in profile.samples])

    def test_watched_refusals(self):
        """What the allocator refuses is refused."""
        self.check_all("watched", "asks_for_too_much", rate=500)

    def test_watched_blocks_freed_by_libc(self):
        """libc's own free and realloc accept watched blocks, and their lives end."""
        command = [program("watched"), "frees_by_libc"]
        for rate in ("1", "2K"):
            with self.subTest(rate):
                base = os.path.join(self.fresh(), "profile")
                done = harness.run([harness.CENSUS, "run", "-hb", "--no-skip", "--biography-rate", rate, "-i0.05", "-o", base + ".hp",
                                    "--", *command])
                self.assertEqual((done.output, done.status), ("done\n", 0), done.errors)
                if rate == "1":
                    self.assertNotRegex(done.errors, r"not freed at the end: [^\n]*\n[^\n]*frees_by_libc")

    def test_watched_blocks_freed_twice(self):
        """Whoever frees a watched block twice ends as with others: by SIGABRT or SIGSEGV."""
        for kinds in ("oo", "ol", "lo", "ll"):
            with self.subTest(kinds):
                census = harness.run_census([program("watched"), "frees_twice", kinds], self.fresh(), "-hb",
                                            "--biography-rate=1")
                self.assertIn(census.status, (128 + signal.SIGABRT, 128 + signal.SIGSEGV), census.errors)
                self.assertNotIn("nobody noticed", census.output)

    def check_end(self, case, expected):
        done = harness.run([harness.CENSUS, "run", "-hb", "--biography-rate=500", "-o",
                            self.path("end"), "--", program("watched"), case])
        self.assertEqual(done.status, 0, done.errors)
        self.assertIn(expected, done.errors)

    def test_watched_until_memory_is_locked(self):
        self.check_end("locks", "the biography ended early: the program locked its memory")

    def test_watched_until_bare_fork(self):
        self.check_end("forks_bare", "the biography ended early: the program forked by clone")

    def test_watched_without_proc(self):
        if os.geteuid() != 0:
            self.skipTest("only root can change the root directory")
        self.check_end("leaves_proc", "uses of blocks were not seen: the program could not read "
                       "/proc/self/pagemap")


if __name__ == "__main__":
    harness.main()
