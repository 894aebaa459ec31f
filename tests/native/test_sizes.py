#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""All calls and all sizes: the sums are exact, and the calls behave as documented."""

import harness
from harness import Native, program


class Sizes(Native):
    def check(self, case, **more):
        return self.check_program([program("sizes"), case], **more)

    def test_million_blocks(self):
        self.check("million", verify=100)

    def test_huge_block(self):
        """Overcommit: a block may exceed the memory while its pages are untouched."""
        with open("/proc/sys/vm/overcommit_memory", encoding="ascii") as file:
            if file.read().strip() == "2":
                self.skipTest("the kernel grants only what there is")
        plain, _ = self.check("huge")
        self.assertEqual(plain.printed("live"), {"keep_huge": 8 << 30})

    def test_aligned(self):
        self.check("aligns")

    def test_realloc(self):
        self.check("resizes")

    def test_zero_and_excessive_sizes(self):
        self.check("zero")

    def test_usable_size(self):
        self.check("usable")

    def test_each_call_has_its_own_band(self):
        """With -hT the bands are the used calls, and their sums equal the counting library's."""
        command = [program("sizes"), "aligns"]
        counted = harness.run_counted(command, self.fresh())
        census = harness.run_census(command, self.fresh(), "-hT")
        self.assertEqual(counted.counts.aligned, counted.counts.allocations)
        self.assertEqual(list(census.profile.last().values()), [counted.counts.live_bytes])


class Allocators(Native):
    """With any preloaded allocator the sums are exact, including its own operators."""

    CASES = [("sizes", "usable"), ("objects", "throws"), ("threads", "hands_over"),
             ("processes", "forks_many")]

    def check(self, name, *more):
        paths = [path for path in harness.allocators() if name in path]
        for path in paths or self.skipTest(f"there is no {name} here"):
            for other, case in [*self.CASES, *more]:
                with self.subTest(case=case):
                    self.check_with({"LD_PRELOAD": path}, program(other), case)

    def check_with(self, environment, *command):
        plain = harness.run(command, environment)
        peer = harness.run_peer(command, self.fresh(), 1000, environment=environment)
        census = harness.run_census(command, self.fresh(), "-hd", environment=environment)
        self.assertEqual(plain.status, 0, plain.errors)
        self.assert_unharmed(plain, peer)
        self.assert_unharmed(plain, census)
        self.assert_nothing_lost(peer.windows[0])
        self.check_printed(plain, census)

    # The first two do not have all guarantees that the other cases need.
    def test_jemalloc(self):
        self.check("jemalloc", ("sizes", "aligns"), ("objects", "makes"))

    def test_mimalloc(self):
        self.check("mimalloc")

    def test_tcmalloc(self):
        self.check("tcmalloc", ("sizes", "aligns"), ("sizes", "resizes"),
                   ("objects", "makes"))


if __name__ == "__main__":
    harness.main()
