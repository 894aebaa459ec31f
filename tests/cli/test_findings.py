#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Findings of census report: profiles with known answers, and profiles in which nothing stands out.

test_findings.py CENSUS
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

CENSUS = pathlib.Path(sys.argv[1]).resolve()
MIB = 1 << 20


def write(path, samples, job="p"):
    """Writes samples (time, {name: amount}) as a .hp file."""
    lines = [f'JOB "{job}"', 'DATE "d"', 'SAMPLE_UNIT "seconds"', 'VALUE_UNIT "bytes"']
    for time, costs in samples:
        lines += [f"BEGIN_SAMPLE {time:.3f}", *(f"{n}\t{int(v)}" for n, v in costs.items()), f"END_SAMPLE {time:.3f}"]
    path.write_text("\n".join(lines) + "\n")


def findings(samples, job="p", rows=()):
    """Returns the findings of a profile by kind, with `rows` as its sidecar."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a b.hp"
        write(path, samples, job)
        if rows:
            path.with_suffix(".lines").write_text("time\twhat\tvalue\n" + "".join(f"{t}\t{w}\t{v}\n" for t, w, v in rows))
        printed = subprocess.run([CENSUS, "report", "--format", "json", path], check=True, capture_output=True, text=True)
        text = subprocess.run([CENSUS, "report", path], check=True, capture_output=True, text=True).stdout
        found = {f["kind"]: f for f in json.loads(printed.stdout)["findings"]}
        for finding in found.values():
            assert f"{finding['kind']}: {finding['evidence']}\n  {finding['command']}\n" in text, text
            words = finding["command"].replace(f"'{path}'", "FILE").split()
            assert words[0] == "census" and words[-1] == "FILE", words
            subprocess.run([CENSUS, *words[1:-1], "-o", pathlib.Path(folder) / "x.svg" if words[1] == "plot" else "-", path],
                           check=words[1] == "plot", capture_output=True)
        return found


def shape(amount, n=200, noise=0.0, seed=1):
    """Samples of a cache whose size is `amount` of the time from 0 to 1, besides 5 MiB that stay."""
    chance = random.Random(seed)
    return [(i / 10, {"cache": max(0, amount(i / n) + noise * chance.gauss(0, 1)) * MIB, "base": 5 * MIB})
            for i in range(n)]


def check_growth():
    for seed in range(10):
        found = findings(shape(lambda t: 40 * t, noise=2, seed=seed))
        assert set(found) == {"growth"}, found
        assert "cache by" in found["growth"]["evidence"] and "base" not in found["growth"]["evidence"], found
    # 40 MiB in 20 s, exactly.
    assert "grows by 2 MiB/s" in findings(shape(lambda t: 40 * t))["growth"]["evidence"]


def check_short_peak():
    found = findings(shape(lambda t: 200 if 0.50 <= t < 0.53 else 20, noise=1))
    assert set(found) == {"short peak"}, found
    assert "cache by" in found["short peak"]["evidence"], found


def check_quiet():
    quiet = {
        "constant": lambda t: 20,
        "warm-up": lambda t: 40 * (1 - math.exp(-8 * t)),
        "phases": lambda t: 40 if int(t * 8) % 2 else 10,
        "saw": lambda t: 40 * (t * 9 % 1),
        "bell": lambda t: 40 * math.sin(math.pi * t),
        "shrinking": lambda t: 40 * (1 - t),
    }
    for name, amount in quiet.items():
        for seed in range(5):
            found = findings(shape(amount, noise=1, seed=seed))
            assert not found, (name, found)
    assert not findings(shape(lambda t: 40 * t, n=10)), "ten samples say nothing"


def check_biography():
    def samples(drag, void):
        return [(i, {"USE": 100 - drag - void, "DRAG": drag, "VOID": void}) for i in range(30)]
    job = "p +RTS -hb"
    found = findings(samples(30, 11), job)
    assert set(found) == {"unused memory"}, found
    assert found["unused memory"]["evidence"].startswith("30.0% of the memory"), found
    assert "11.0% is never used" in found["unused memory"]["evidence"], found
    assert not findings(samples(10, 5), job)
    assert not findings(samples(30, 11), "p +RTS -hc"), "only in profiles by use"


def check_retainers():
    samples = [(i, {"(3)cache": 70, "(4)main": 25, "UNREACHED": 5}) for i in range(30)]
    found = findings(samples, "p +RTS -hr")
    assert set(found) == {"one holder", "unreached"}, found
    assert "holds 70.0% of the memory over time: (3)cache" in found["one holder"]["evidence"], found
    assert found["unreached"]["evidence"].startswith("5.0% of the memory"), found
    assert not findings([(i, {"(3)a": 40, "(4)b": 35, "(5)c": 25}) for i in range(30)], "p +RTS -hr")


def check_resident():
    samples = shape(lambda t: 100 if t < 0.5 else 20)
    kept = [(time, what, value) for time, _ in samples for what, value in (("resident", 120 * MIB), ("profiler", MIB))]
    found = findings(samples, rows=kept)
    assert set(found) == {"resident memory"}, found
    assert "keeps 119 MiB for 25 MiB that are live" in found["resident memory"]["evidence"], found
    given_back = [(time, "resident", sum(costs.values()) + 10 * MIB) for time, costs in samples]
    assert not findings(samples, rows=given_back)


for check in (check_growth, check_short_peak, check_quiet, check_biography, check_retainers, check_resident):
    check()
