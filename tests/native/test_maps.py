#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Memory that programs map themselves is counted exactly, once, and can be left out."""
import re
import sys

import harness
from harness import CENSUS, Native, program

PYTHON_BYTES = 50 << 20
PYTHON = f"import mmap; kept = mmap.mmap(-1, {PYTHON_BYTES}); kept[0] = 1"


class Maps(Native):
    def check(self, *command):
        """Returns the sums of the window for mappings, and the result by site."""
        command = [program("maps"), *command]
        plain, census = self.check_program(command)
        printed = plain.printed("live")
        self.assertTrue(printed)
        peer = harness.run_peer(command, self.fresh())
        mapped = peer.windows[0].by_call("mmap")
        live = sum(size for name, size in printed.items() if name != "take_object")
        self.assertEqual(mapped["asked_bytes"] - mapped["freed_bytes"], live)
        return mapped, census

    def test_mapping_is_cut_and_replaced(self):
        mapped, _ = self.check("cuts")
        # Pieces of map_to_cut, map_to_replace, map_large and commit; cuts, resize_twice, map_shared.
        self.assertEqual(mapped["allocations"] - mapped["frees"], 2 + 3 + 2 + 2 + 1 + 1 + 1)

    def test_mapping_that_the_kernel_refuses(self):
        self.check("refusals")

    def test_mappings_at_random(self):
        """After thousands of random calls, each page belongs to the function that mapped it last."""
        for seed in "1", "2":
            with self.subTest(seed=seed):
                mapped, census = self.check("at_random", seed)
                pieces = int(re.search(r"^pieces (\d+)$", census.output, re.M).group(1))
                self.assertEqual(mapped["allocations"] - mapped["frees"], pieces)

    def test_mappings_of_threads(self):
        self.check("threads")

    def test_mappings_and_fork(self):
        _, census = self.check("forks")
        child, = census.others
        self.assertEqual((child.of("map_before_fork"), child.of("map_in_child")), (70 << 12, 17 << 12))

    def test_mappings_of_an_allocator_in_the_program(self):
        """An allocator maps its memory before all constructors, with its lock held; later mappings are counted."""
        command = [program("own_malloc")]
        plain, census = harness.run(command), harness.run_census(command, self.fresh(), "-hd")
        self.assert_unharmed(plain, census)
        self.check_printed(plain, census)
        done = harness.run([CENSUS, "run", "-o", self.path("said"), "--", *command])
        self.assertIn("\ncensus: it contains its own malloc, whose blocks cannot be counted", done.errors)

    def test_a_stub_of_malloc_is_no_allocator(self):
        done = harness.run([CENSUS, "run", "-o", self.path("said"), "--", program("stubs")])
        self.assertRegex(done.errors, r"1,\d\d\d allocations")
        self.assertNotIn("its own malloc", done.errors)

    def test_mappings_of_signal_handlers(self):
        command = [program("maps"), "signals"]
        plain, census = harness.run(command), harness.run_census(command, self.fresh(), "-hd")
        self.assert_unharmed(plain, census)
        self.check_printed(plain, census)

    def test_mappings_that_are_pools(self):
        census = harness.run_census([program("maps"), "pool"], self.fresh(), "-hd", "--skip",
                                    "^hpp_pool_allocated$")
        self.check_printed(census, census)
        self.assertEqual(census.profile.total(), 160)

    def test_mappings_have_a_kind_and_can_be_left_out(self):
        command = [program("maps"), "spike"]
        done = harness.run([CENSUS, "run", "-hT", "-o", self.path("all.hp"), "--", *command])
        profile = harness.Profile(self.path("all.hp"))
        self.assertEqual(max(sum(bands.values()) for _, bands in profile.samples), 5000 << 12)
        self.assertEqual(dict(profile.last()), {"mmap": 100 << 12})
        self.assertIn("of this, the program mapped 19.5 MiB itself", done.errors)
        self.assertEqual(harness.run_census(command, self.fresh(), "-hT", "-hdmap").profile.total(), 100 << 12)
        for options in ["-hT", "-hdunmap"], ["-hT", "--no-mmap"], ["-hTmalloc"], ["-hb"]:
            census = harness.run_census(command, self.fresh(), *options)
            self.assertEqual(census.profile.total() if census.profile else 0, 0, options)

    def test_mappings_of_allocators_are_not_counted(self):
        """Of Python, only the mapping that a script asks for and the interpreter's own stack of 16 KiB,
        whatever malloc is."""
        environments = [{}, {"PYTHONMALLOC": "malloc"}]
        environments += [{"LD_PRELOAD": path} for path in harness.allocators()]
        # With a library in between, malloc is in another object than what maps the memory.
        between = [f"{harness.COUNTING}:{each['LD_PRELOAD']}" for each in environments[2:3]]
        environments += [{"LD_PRELOAD": each, "COUNTING_FILE": self.path("counts")} for each in between]
        for environment in environments:
            with self.subTest(environment=environment):
                census = harness.run_census([sys.executable, "-ISc", PYTHON], self.fresh(), "-hT",
                                            environment=environment)
                self.assertEqual(census.status, 0, census.errors)
                largest = max(bands["mmap"] for _, bands in census.profile.samples)
                self.assertIn(largest, range(PYTHON_BYTES, PYTHON_BYTES + 65536))


if __name__ == "__main__":
    harness.main()
