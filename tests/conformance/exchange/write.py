#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that census writes for other tools are read by the tools' own programs; sums equal those of the profile.

write.py FORMAT CENSUS FOLDER   exit status 77 if the programs of the format are not installed
"""
import collections
import re

from judge import HERE, main, need, run

ROOT = HERE.parents[2]
MASSIF = HERE / "samples" / "massif.out"
LOG = ROOT / "samples" / "eventlog" / "foldleak-prof-lu-hc.eventlog"
STACKS = ROOT / "samples" / "hp" / "foldleak-prof-hc.hp"
REPORT = ROOT / "samples" / "prof" / "interp-prof-pj.prof"


def pprof(census, folder):
    need("go")

    def pprof_of(*words):
        return run("go", "tool", "pprof", "-nodefraction=0", "-edgefraction=0", "-nodecount=100000", *words)

    def top(path, *words):
        """Returns the flat and the cumulated amount by function."""
        printed = pprof_of("-top", "-unit=B", *words, path)
        rows = re.findall(r"^ *(-?\d+)B? +-?[\d.e-]+% +-?[\d.e-]+% +(-?\d+)B? +-?[\d.e-]+% +(.*)$", printed, re.M)
        return {name: (int(flat), int(cumulated)) for flat, cumulated, name in rows}

    def totals(stacks):
        flat, cumulated = collections.Counter(), collections.Counter()
        for stack, amount in stacks.items():
            flat[stack[-1]] += amount
            for name in set(stack):
                cumulated[name] += amount
        return {name: (flat[name], n) for name, n in cumulated.items()}

    for profile in (MASSIF, LOG, STACKS):
        path = folder / "peak.pb.gz"
        census("convert", "-o", path, profile)
        stacks = census.stacks(profile)
        assert top(path) == totals(stacks), (profile, top(path), totals(stacks))
        assert sum(census.stacks(path).values()) == sum(stacks.values())
        if profile != STACKS:  # whose names are only labels when they are read back
            assert census.stacks(path) == stacks, profile

    # Callees, and differences of two moments.
    peak, early = folder / "massif.pb.gz", folder / "early.pb.gz"
    census("convert", "-o", peak, MASSIF)
    assert re.search(r"\| main\n(.*\|   .*\n)*.*\|   leaf\n", pprof_of("-peek", "^main$", peak))
    times = [sample["time"] for sample in census.profile(MASSIF)["samples"]]
    census("convert", "--at", str(times[1]), "-o", early, MASSIF)
    wanted = census.stacks(MASSIF)
    wanted.subtract(census.stacks("--at", str(times[1]), MASSIF))
    found = top(peak, f"-diff_base={early}")
    assert {name: flat for name, (flat, _) in found.items() if flat} == {
        name: flat for name, (flat, _) in totals(wanted).items() if flat}, found

    # A time profile has two sample types.
    census("convert", "-o", folder / "report.pb.gz", REPORT)
    assert top(folder / "report.pb.gz", "-sample_index=alloc_space") == totals(census.stacks("--alloc", REPORT))
    assert "Type: time" in pprof_of("-top", folder / "report.pb.gz")


if __name__ == "__main__":
    main({function.__name__: function for function in (pprof,)})
