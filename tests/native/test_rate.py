#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Profiles of a sample of the blocks (--rate): estimates are right within their margins, and not biased."""
import json
import math
import os
import re

import estimates
import harness
from harness import Native, program

RATE = 8192
N_PROGRAMS = 25
SEEDS = range(1, 13)
MOST_SDS = 4.5  # of the mean of all seeds


def variance(size, rate=RATE):
    """Returns the variance of the estimate of a block."""
    sampled = -math.expm1(-size / rate)
    return size * size * (1 - sampled) / sampled


def sizes_of():
    """Returns the sizes of the live blocks of each function of sampled.c."""
    return {"make_small": [16 + i % 80 for i in range(0, 100000, 2)],
            "make_medium": [2000 + i * 7919 % 8000 for i in range(1000)],
            "make_large": [(50000 + i * 7919 % 100000) // 64 * 64 for i in range(20)], "make_grown": [900000]}


class Rate(Native):
    def sample(self, command, seed, *options, files=(".hp",)):
        folder = self.fresh()
        done = harness.run_census(command, folder, f"--rate={RATE}", *options, files=files,
                                  environment={"CENSUS_BIOGRAPHY_SEED": str(seed)})
        self.assertEqual(done.status, 0, done.errors)
        done.base = os.path.join(folder, "profile")
        return done

    def report(self, path, *options):
        text = harness.run([harness.CENSUS, "report", "--format", "json", *options, path])
        self.assertEqual(text.status, 0, text.errors)
        return json.loads(text.output)

    def check_mean(self, found, true, deviation, what):
        mean = sum(found) / len(found)
        self.assertLess(abs(mean - true), MOST_SDS * deviation / math.sqrt(len(found)) + 0.001 * true, (what, mean, true))

    def test_estimates_of_samples(self):
        """Over some seeds, means are right; and nearly all estimates are within their margins."""
        sizes, found, n_within = sizes_of(), {}, 0
        for seed in SEEDS:
            done = self.sample([program("sampled"), "sizes"], seed)
            true = done.printed("live")
            for function, blocks in sizes.items():
                self.assertEqual(true[function], sum(blocks))
                estimate = done.profile.of(function)
                found.setdefault(function, []).append(estimate)
                margin = 1.96 * math.sqrt(sum(map(variance, blocks)))
                n_within += abs(estimate - true[function]) <= margin + 0.001 * true[function]
        for function, blocks in sizes.items():
            self.check_mean(found[function], sum(blocks), math.sqrt(sum(map(variance, blocks))), function)
        self.assertGreater(n_within, 0.85 * len(SEEDS) * len(sizes))

    def test_estimates_of_all_that_was_allocated(self):
        found, true = [], 0
        for seed in SEEDS:
            done = self.sample([program("sampled"), "sizes"], seed, files=(".hp", ".census"))
            true = int(re.search(r"(?m)^all (\d+)", done.output)[1])
            found.append(self.report(done.base + ".census", "--value", "allocated")["peak"]["value"])
        self.check_mean(found, true, math.sqrt(true * RATE), "all")

    def test_samples_of_threads(self):
        found, true = [], 0
        for seed in SEEDS:
            done = self.sample([program("sampled"), "threads"], seed)
            true = done.printed("live")["pass"]
            found.append(done.profile.of("pass"))
        self.check_mean(found, true, math.sqrt(true * RATE), "pass")

    def test_mean_grows_while_samples_cost_too_much(self):
        """Blocks of each mean are weighed by it. The largest one is in the log, and makes the margins."""
        done = self.sample([program("sampled"), "busy"], 0, "--rate=1K", "-i0.02", files=(".hp", ".census"))  # not a seed for all
        true = done.printed("live")["busy"]
        report = self.report(done.base + ".census", "-m0")
        doubled = math.log2(report["rate_bytes"] / 1024)
        self.assertGreaterEqual(doubled, 1)
        self.assertEqual(doubled % 1, 0)
        self.assertLess(abs(done.profile.of("busy") - true), 5 / 1.96 * report["peak_margin"], (true, report))
        self.assertGreater(report["peak_margin"], 1.8 * math.sqrt(true * report["rate_bytes"]))

    def test_samples_of_forked_children(self):
        """What a child frees was a sample of its parent; its own samples are other ones than its siblings'."""
        done = self.sample([program("sampled"), "children"], 0)  # not a seed for all
        last = sorted(profile.of("make_small") for profile in done.others)
        self.assertEqual(len(set(last)), 3, last)
        inherited = [profile.last() for profile in done.others]
        deviation = math.sqrt(2000 * variance(3000))
        for bands in inherited:
            left = sum(size for name, size in bands.items() if "make_small" not in name)
            self.assertLess(abs(left - 2000 * 3000), 5 * deviation, bands)

    def test_samples_by_type(self):
        """Blocks of an image count for what they represent."""
        sizes = sum(sizes_of().values(), [])
        found = [self.sample([program("sampled"), "sizes"], seed, "-hy").profile.total() for seed in list(SEEDS)[:4]]
        self.check_mean(found, sum(sizes), math.sqrt(sum(map(variance, sizes))), "all types")

    def test_margins_of_random_programs(self):
        """By site, and in all, about 95 of 100 are within their margins, and the mean error is none. The bounds are
        six standard deviations wide."""
        found = estimates.Estimates()
        for seed in range(1, N_PROGRAMS + 1):
            found.add(harness.CENSUS, program("sampled"), seed, self.fresh())
        text = found.text()
        self.assertGreater(found.n, 100, text)
        self.assertGreater(found.share_within, 0.95 - 6 * math.sqrt(0.95 * 0.05 / found.n), text)
        self.assertLess(abs(found.mean_error), 6 / math.sqrt(found.n), text)
        self.assertLess(abs(found.mean_square_error - 1), 6 * math.sqrt(3 / found.n), text)

    def test_margins_by_the_size_of_blocks(self):
        """A block much larger than the rate is a sample, and its site has no margin; the smallest ones have the largest."""
        done = self.sample([program("sampled"), "sizes"], 7, files=(".census",))
        margins = {band["name"].split("/")[0]: (band["max"], band["max_margin"])
                   for band in self.report(done.base + ".census", "-m0")["bands"]}
        self.assertEqual(margins["make_grown"][0], 900000)
        self.assertLess(margins["make_grown"][1], 1)
        size, margin = margins["make_small"]
        self.assertAlmostEqual(margin, 1.96 * math.sqrt(size * RATE), delta=0.01 * margin)
        size, margin = margins["make_medium"]
        self.assertLess(margin, 0.9 * 1.96 * math.sqrt(size * RATE))

    def check_holders(self, allocator=None):
        """Blocks that are not in the sample hold those that are."""
        sizes = {"first": [40] * 15000 + [20 + i % 60 for i in range(15000)],
                 "table": [300 + i * 7919 % 700 for i in range(2000)] + [16000], "UNREACHED": [1000] * 500}
        found = {holder: [] for holder in sizes}
        for seed in list(SEEDS)[:6]:
            before = ["env", "LD_PRELOAD=" + allocator] if allocator else []
            done = self.sample([*before, program("sampled"), "held"], seed, "-hr")
            self.assertEqual(done.printed("live"), {holder: sum(blocks) for holder, blocks in sizes.items()})
            for holder, estimates_of in found.items():
                estimates_of.append(done.profile.of(holder))
        for holder, blocks in sizes.items():
            self.check_mean(found[holder], sum(blocks), math.sqrt(sum(map(variance, blocks))), holder)

    def test_holders_of_samples(self):
        self.check_holders()

    def test_few_samples_stand_for_many_blocks(self):
        """So a site with few of them is no holder, as one with few blocks is."""
        names = set()
        for seed in SEEDS:
            done = self.sample([program("sampled"), "held"], seed, "--rate=512K", "-hr")
            names |= {name for _, bands in done.profile.samples for name in bands}
        self.assertGreaterEqual({re.sub(r"^\(\d+\)|@.*", "", name) for name in names}, {"first", "table", "UNREACHED"})
        self.assertFalse([name for name in names if "make_held" in name], names)

    def test_snapshot_of_samples(self):
        """It has all blocks, each with its size: that which malloc gave to blocks that are not in the sample."""
        done = self.sample([program("sampled"), "held"], 1, "-hr", "--snapshot=last")
        true = sum(done.printed("live").values())
        found = self.report(done.base + ".heapsnapshot")
        self.assertGreaterEqual(found["objects"], 2 * 15000 + 2001 + 500)
        self.assertTrue(true <= found["bytes"] < true + 24 * found["objects"], (true, found["bytes"]))

    def run_held(self, option, *before, rates=("--rate=8K",)):
        return harness.run([harness.CENSUS, "run", *rates, option, "--", *before, program("sampled"), "held"],
                           cwd=self.fresh())

    def test_summary_of_samples_and_holders(self):
        amount = r"[\d.]+ [KM]iB ± [\d.]+ KiB"
        done = self.run_held("-hr")
        self.assertRegex(done.errors, rf"unreachable, at most: {amount} in")
        self.assertRegex(done.errors, rf"census: +{amount} +\d+%  table@sampled\n")

    def test_holders_of_samples_of_another_allocator(self):
        """Its other blocks cannot be found, unless it is jemalloc."""
        for allocator in harness.allocators() or self.skipTest("there are no other allocators here"):
            done = self.run_held("-hr", "env", "LD_PRELOAD=" + allocator)
            if "jemalloc" not in allocator:
                self.assertIn("skipped: with --rate, -hr and --snapshot need glibc's malloc", done.errors)

    def test_holders_of_samples_of_jemalloc(self):
        self.check_holders(harness.jemalloc_5_3() or self.skipTest("no jemalloc 5.3"))

    def test_margins_of_what_watched_blocks_tell(self):
        """With -hb, totals are exact, and have no margin; the bytes of names are estimates, and within theirs."""
        true, n_names, n_within = {name: sum(sizes) for name, sizes in sizes_of().items()}, 0, 0
        for seed in SEEDS:
            folder = self.fresh()
            done = harness.run_census([program("sampled"), "sizes"], folder, "-hb", "-hr", files=(".eventlog",),
                                      environment={"CENSUS_BIOGRAPHY_SEED": str(seed)})
            self.assertEqual(done.status, 0, done.errors)
            log, copy = os.path.join(folder, "profile.eventlog"), os.path.join(folder, "copy.eventlog")
            harness.run([harness.CENSUS, "convert", "-o", copy, log])
            for path in copy, log:
                report = self.report(path, "--by", "function", "-m0")
                self.assertEqual((report["rate_bytes"], report["peak_margin"]), (65536, 0))
            found = {band["name"]: band for band in report["bands"]}
            for name, n_bytes in true.items():
                n_names += 1
                band = found.get(name, {"max": 0, "max_margin": 0})
                n_within += abs(band["max"] - n_bytes) <= band["max_margin"]
        self.assertGreaterEqual(n_within, 0.9 * n_names)

    def test_phases_of_samples(self):
        """Each block of the sample has a phase, also by type and holder, and its bytes are those that it represents."""
        for options in ["-hb"], ["-hb", "-hy", "-hr"]:
            done = self.sample([program("sampled"), "held"], 3, *options, "-i0.05", files=(".census",))
            report = self.report(done.base + ".census", "-m0")
            true = sum(done.printed("live").values())
            self.assertAlmostEqual(report["peak"]["value"] / true, 1, delta=0.25, msg=report)  # five standard deviations
            self.assertEqual({band["name"] for band in report["bands"]} - {"LAG", "USE", "DRAG", "VOID"}, set())

    def test_samples_are_the_watched_blocks(self):
        done = self.run_held("-hb", rates=["--rate=8K", "--biography-rate=4K"])
        self.assertNotEqual(done.status, 0)
        self.assertIn("leave out --biography-rate", done.errors)

    def amounts(self, done):
        """Returns the bytes that `keep` made, and all that were allocated."""
        bands = self.report(done.base + ".census", "-m0")["bands"]
        return (max(band["max"] for band in bands if "keep" in band["name"]),
                self.report(done.base + ".census", "--value", "allocated")["peak"]["value"])

    def check_python(self, version, python):
        """Blocks of pymalloc, and larger ones that it gets from malloc, count once; and whether all frees or only
        those of samples are noticed, each sample ends. tracemalloc is between two hooks."""
        text = ("def keep(i): return bytes(100 + i % 800)\nkept = [keep(i) for i in range(40000)]\n"
                "all(bytes(700) + b'y' for i in range(20000))\nall([[i]] + [0] for i in range(100000))\n")
        others = ([["-X", "tracemalloc"], 65536], [["-X", "dev"], 65536]) if python == "/usr/bin/python3" else ()
        for options, rate in ([], RATE), ([], 65536), *others:
            command = [python, *options, "-c", text]
            exact = self.sample(command, 0, "--rate=1", files=(".census",))  # each block is a sample
            true, live, everything = self.amounts(exact), [], []
            for seed in list(SEEDS)[:4]:
                done = self.sample(command, seed, f"--rate={rate}", files=(".census",))
                for amounts, found in zip((live, everything), self.amounts(done)):
                    amounts.append(found)
            self.check_mean(live, true[0], math.sqrt(true[0] * rate), (version, options, rate, "live"))
            self.check_mean(everything, true[1], math.sqrt(true[1] * rate), (version, options, rate, "all"))

    def test_samples_of_python(self):
        self.with_each(self.check_python)

    def check_functions(self, version, python):
        """A function that gets the address of a dead one has its own lines, also with the same name and first line."""
        text = ("kept = []\nfor i in range(30000):\n    names = {}\n"
                "    text = 'def f():\\n' + '\\n' * (i >= 15000) + '  return bytes(400)'\n"
                "    exec(compile(text, 'made.py', 'exec'), names)\n    kept.append(names.pop('f')())\n")
        done = self.sample([python, "-c", text], 1, "--rate=32K", files=(".census",))
        bands = {band["name"]: band["max"] for band in self.report(done.base + ".census", "--by", "line", "-m0")["bands"]}
        found = [size for name, size in bands.items() if re.search(r"\bf\b.*made.py:[23]", name)]
        self.assertEqual(len(found), 2, bands)
        for size in found:  # each a half of all
            self.assertAlmostEqual(size / (15000 * 433), 1, delta=4.5 * math.sqrt(32768 / (15000 * 433)))

    def test_samples_of_functions_at_one_address(self):
        self.with_each(self.check_functions)

    def check_counts(self, version, python):
        """What the interpreter says of its own blocks is as it is alone."""
        text = ("import sys\nkept = [[str(i)] * 3 for i in range(30000)]\nkept.sort()\nn = sys.getallocatedblocks()\n"
                "kept = [bytearray(i % 900) for i in range(50000)]\nfor b in kept: b.extend(bytes(9))\n"
                "print(sys.getallocatedblocks() - n)\ndel kept, b\nprint(sys.getallocatedblocks() - n)\n")
        alone = harness.run([python, "-c", text]).output
        done = self.sample([python, "-c", text], 1, "--rate=32K", files=(".census",))
        self.assertEqual(done.output, alone, version)

    def test_samples_change_no_count_of_python(self):
        self.with_each(self.check_counts)

    def test_small_samples_of_python(self):
        """The memory that pymalloc cuts into small blocks is none of the program's own mappings."""
        text = "kept = [[i] for i in range(200000)]\n"
        done = self.sample(["/usr/bin/python3", "-c", text], 1, "--rate=64K", files=(".census",))
        report = self.report(done.base + ".census", "-m0")
        true = 200000 * (56 + 8 + 8 + 32)  # a list, its room, its place in the list of all, and a number
        self.assertAlmostEqual(report["peak"]["value"] / true, 1, delta=0.2)
        self.assertEqual([band["name"] for band in report["bands"] if "mmap" in band["name"]], [])


if __name__ == "__main__":
    harness.main()
