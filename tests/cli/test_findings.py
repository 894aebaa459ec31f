#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Findings of census report: profiles with known answers, and profiles in which nothing stands out.

test_findings.py CENSUS
"""
import json
import math
import pathlib
import random
import struct
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


def check_growing_band():
    """A band that only grows is a finding, whatever the others do."""
    def samples(amount):
        return [(time, {**costs, "log": amount(i / 200) * MIB}) for i, (time, costs) in
                enumerate(shape(lambda t: 200 if 0.50 <= t < 0.53 else 20, noise=0.1))]
    found = findings(samples(lambda t: 12 * t))
    assert set(found) == {"short peak", "growing band"}, found
    assert found["growing band"]["evidence"] == "log grows by 614 KiB/s from 0 s to 19.9 s (R2 1.00)", found
    found = findings(samples(lambda t: 50 + 6 * t))
    assert found["growing band"]["evidence"] == "log grows by 307 KiB/s from 0 s to 19.9 s (R2 1.00)", "beside what stays"
    for quiet in (lambda t: 12, lambda t: 50 + 6 * t * t, lambda t: 12 * t if t < 0.5 else 6, lambda t: 12 * (1 - t), lambda t: 12 * (t * 9 % 1),
                  lambda t: 0.2 * t):
        assert set(findings(samples(quiet))) == {"short peak"}, "it does not grow, levels off, or is small"


def check_empty():
    """Samples without names, or of 0 bytes."""
    for job in "p", "p -hr", "p -hb", "p · by retainer set", "p · by biography":
        assert findings([(i / 10, {}) for i in range(30)], job) == {}, job
        assert findings([(i / 10, {"UNREACHED": 0}) for i in range(30)], job) == {}, job


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
    # GHC refuses -hr with -hb.
    assert "run with -hc -hbdrag,void" in found["unused memory"]["evidence"], found
    assert not findings(samples(10, 5), job)
    assert not findings(samples(30, 11), "p +RTS -hc"), "only in profiles by use"


def check_retainers():
    samples = [(i, {"(3)cache": 70, "(4)main": 25, "UNREACHED": 5}) for i in range(30)]
    found = findings(samples, "p +RTS -hr")
    assert set(found) == {"one holder", "unreached"}, found
    assert "holds 70.0% of the memory over time: cache" in found["one holder"]["evidence"], found
    assert found["unreached"]["evidence"].startswith("up to 5 B, 5.0% of the memory"), found
    grown = [(i, {"(3)cache": 95, "UNREACHED": 40 if i == 7 else 1}) for i in range(30)]
    assert findings(grown, "p +RTS -hr")["unreached"]["evidence"].startswith("up to 40 B, "), "the largest value over time"
    assert not findings([(i, {"(3)a": 40, "(4)b": 35, "(5)c": 25}) for i in range(30)], "p +RTS -hr")


def check_resident():
    samples = shape(lambda t: 100 if t < 0.5 else 20)
    kept = [(time, what, value) for time, _ in samples for what, value in (("resident", 120 * MIB), ("profiler", MIB))]
    found = findings(samples, rows=kept)
    assert set(found) == {"resident memory"}, found
    assert "keeps 119 MiB for 25 MiB that are live" in found["resident memory"]["evidence"], found
    given_back = [(time, "resident", sum(costs.values()) + 10 * MIB) for time, costs in samples]
    assert not findings(samples, rows=given_back)


def log_with_allocation(folder, rate, live, job, last_s=20, stops_s=1000):
    """Writes an event log with a sample a second, in which `rate` bytes a second were allocated up to a time."""
    path = pathlib.Path(folder) / "p.hp"
    write(path, [(i, {"a": live * (0.9 + 0.01 * (i % 3))}) for i in range(last_s + 1)], job)
    log = path.with_suffix(".eventlog")
    subprocess.run([CENSUS, "convert", "-o", log, path], check=True)
    records = b"".join(struct.pack(">HQIQ", 49, i * 10**9, 0, int(rate * min(i, stops_s))) for i in range(last_s + 1))
    block = struct.pack(">HQIQH", 18, 0, 24 + len(records), last_s * 10**9, 0) + records
    data = log.read_bytes()
    assert data.endswith(b"\xff\xff")
    log.write_bytes(data[:-2] + block + data[-2:])
    return log


def findings_of_file(path, *options):
    printed = subprocess.run([CENSUS, "report", "--format", "json", *options, path], check=True, capture_output=True, text=True)
    return {f["kind"]: f for f in json.loads(printed.stdout)["findings"]}


def check_churn():
    native = "p \u00b7 by call stack"
    with tempfile.TemporaryDirectory() as folder:
        found = findings_of_file(log_with_allocation(folder, 1 << 30, 10 * MIB, native))
        assert set(found) == {"churn"}, found
        assert found["churn"]["evidence"].startswith("20 GiB were allocated in 20 s while 9.1 MiB were live: a byte lives 8.89 ms"), found
        assert found["churn"]["command"] == f"census plot --lanes {folder}/p.eventlog", found
        subprocess.run([*found["churn"]["command"].replace("census", str(CENSUS), 1).split(), "-o", f"{folder}/x.svg"], check=True)
        subprocess.run([CENSUS, "plot", "-o", f"{folder}/x.html", f"{folder}/p.eventlog"], check=True)
        assert '"findings":[{"kind":"churn","text":"20 GiB were allocated' in pathlib.Path(folder, "x.html").read_text()
        for rate, live, job in ((1 << 30, 10 * MIB, "p +RTS -hc"), (100 * MIB, MIB, native), (1 << 30, 200 * MIB, native), (0, MIB, native)):
            assert not findings_of_file(log_with_allocation(folder, rate, live, job)), (rate, live, job)


def check_small_blocks():
    def heap(blocks, size):
        total = f"{blocks}: {blocks * size} [{blocks}: {blocks * size}] @"
        return f"heap profile: {total} heapprofile\n{total} 0x1000 0x2000\n\nMAPPED_LIBRARIES:\n"

    def dhat(blocks, size):
        point = {"tb": blocks * size, "tbk": blocks, "tl": 1, "mb": blocks * size, "mbk": blocks, "gb": blocks * size, "gbk": blocks,
                 "eb": 0, "ebk": 0, "fs": [1]}
        return json.dumps({"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": False, "tu": "instrs",
                           "Mtu": "Minstr", "tuth": 500, "cmd": "p", "pid": 1, "tg": 5, "te": 9, "pps": [point],
                           "ftbl": ["[root]", "0x1: f (a.c:1)"]})
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x"
        for text, value in ((heap, "inuse_objects"), (dhat, "blocks")):
            path.write_text(text(2_000_000, 24))
            found = findings_of_file(path)
            assert set(found) == {"small blocks"}, found
            assert found["small blocks"]["evidence"].startswith("2,000,000 live blocks have 24.0 bytes on average"), found
            assert found["small blocks"]["command"] == f"census report --value {value} {path}", found
            subprocess.run([CENSUS, "report", "--value", value, path], check=True, capture_output=True)
            for blocks, size in ((900_000, 24), (2_000_000, 33), (10, 1)):
                path.write_text(text(blocks, size))
                assert not findings_of_file(path), (blocks, size)
        # More blocks than a computer has, and than 64 bits count.
        many = "18446744073709551615: 8 [0: 0] @"
        path.write_text(f"heap profile: 1: 8 [0: 0] @ heapprofile\n{many} 0x1000\n{many} 0x2000\n")
        assert not findings_of_file(path)


def log_with_totals(folder, blocks, size, job):
    """Writes an event log with the totals of a stack that has `blocks` blocks at the peak."""
    log = log_with_allocation(folder, 0, MIB, job)
    kind = b"etb\0" + struct.pack(">Hhl", 1001, -1, 1) + b"x" + struct.pack(">l", 0) + b"ete\0"
    totals = struct.pack(">BQQQBI", 0, 9 * blocks * size, blocks * size, blocks, 1, 77)
    record = struct.pack(">HQH", 1001, 20 * 10**9, len(totals)) + totals
    data = log.read_bytes().replace(b"hete", kind + b"hete", 1)
    log.write_bytes(data[:-2] + record + data[-2:])
    return log


def check_small_blocks_of_native_programs():
    native = "p \u00b7 by call stack"
    with tempfile.TemporaryDirectory() as folder:
        log = log_with_totals(folder, 2_000_000, 24, native)
        found = findings_of_file(log)
        assert set(found) == {"small blocks"}, found
        assert found["small blocks"]["evidence"].startswith("2,000,000 live blocks have 24.0 bytes on average"), found
        assert found["small blocks"]["command"] == f"census report --value blocks {log}", found
        assert not findings_of_file(log, "--to", "20"), "the peak may be elsewhere"
        for blocks, size, job in ((900_000, 24, native), (2_000_000, 33, native), (2_000_000, 24, "p +RTS -hc")):
            assert not findings_of_file(log_with_totals(folder, blocks, size, job)), (blocks, size, job)


def check_windows():
    """Only the window is searched, and commands show it: its report is the same."""
    samples = shape(lambda t: 40 * t, n=400) + [(40 + i / 10, {"cache": 9 * MIB}) for i in range(400)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.hp"
        write(path, samples)
        text = path.read_text()
        for mark, sample in (("10.05", "10.100"), ("30.05", "30.100")):
            text = text.replace(f"BEGIN_SAMPLE {sample}", f"MARK {mark}\nBEGIN_SAMPLE {sample}")
        path.write_text(text)
        path.with_suffix(".lines").write_text("time\twhat\tvalue\n10.05\tmark\tloaded\n30.05\tmark\tserved\n")
        report = lambda *options: json.loads(subprocess.run(  # noqa: E731
            [CENSUS, "report", "--format", "json", *options, path], check=True, capture_output=True, text=True).stdout)
        assert not report()["findings"] and report()["begin"] == 0, report()
        for options in (["--from", "10.05s", "--to", "30.05s"], ["--from", "loaded", "--to", "served"]):
            part = report(*options)
            assert (part["begin"], part["duration"]) == (10.1, 19.9), part
            assert [f["kind"] for f in part["findings"]] == ["growth"], part
            command = part["findings"][0]["command"]
            assert command == f"census plot --order growth --from 10.1 --to 30 {path}", command
            assert report(*command.split()[4:-1]) == part, command
            subprocess.run([CENSUS, *command.split()[1:], "-o", f"{folder}/x.svg"], check=True)
        log = log_with_allocation(folder, 1 << 30, 10 * MIB, "p \u00b7 by call stack", last_s=60, stops_s=30)
        found = findings_of_file(log, "--to", "25")
        assert found["churn"]["evidence"].startswith("25 GiB were allocated in 25 s"), found
        assert found["churn"]["command"] == f"census plot --lanes --from 0 --to 25 {log}", found
        assert not findings_of_file(log, "--from", "35"), "churn before the window"


for check in (check_growth, check_short_peak, check_growing_band, check_empty, check_quiet, check_biography, check_retainers, check_resident,
              check_churn, check_small_blocks, check_small_blocks_of_native_programs, check_windows):
    check()
