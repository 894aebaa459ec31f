#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that census writes for other tools are read by the tools' own programs; sums equal those of the profile.

write.py FORMAT CENSUS FOLDER   exit status 77 if the programs of the format are not installed
"""
import collections
import datetime
import json
import re
import subprocess
import sys

from judge import HERE, SKIPPED, main, need, run, sums

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


def massif(census, folder):
    need("ms_print")
    for profile in (MASSIF, LOG, STACKS):
        path = folder / "massif.out"
        census("convert", "--format", "massif", "-o", path, profile)
        printed = run("ms_print", "--threshold=0", path)
        rows = [[int(cell.replace(",", "")) for cell in line.split()]
                for line in re.findall(r"^ *\d+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+$", printed, re.M)]
        given = census.profile(profile)
        assert [row[2] for row in rows] == [total for _, total in sums(given)] and len(rows) > 2, profile
        peak = max(rows, key=lambda row: row[2])
        assert f"{peak[0]} (peak)" in printed, peak
        back = census.profile(path)
        assert [total for _, total in sums(back)] == [row[2] for row in rows]
        scale = 1000 if given["sample_unit"] == "seconds" else 1
        assert [row[1] for row in rows] == [round(time * scale) for time, _ in sums(given)]
        stacks = census.stacks(profile)
        assert census.stacks(path) == stacks, (census.stacks(path), stacks)
        # The functions that allocate, at the peak.
        tree = re.split(r"^ *%d +[\d,]+ .*$" % peak[0], printed, flags=re.M)[1].split("\n----")[0]
        leaves = collections.Counter()
        for amount, function in re.findall(r"^->[\d.]+% \(([\d,]+)B\) 0x\w+: (\S+) \(", tree, re.M):
            leaves[function] += int(amount.replace(",", ""))
        wanted = collections.Counter()
        for stack, amount in stacks.items():
            wanted[stack[-1]] += amount
        assert leaves and leaves == {name: wanted[name] for name in leaves}, (leaves, wanted)


def chrome(census, folder):
    """By the rules of the trace event format: its viewers have no program for a command line."""
    marked = folder / "marked.hp"
    marked.write_text('JOB "j"\nDATE "d"\nSAMPLE_UNIT "ms"\nVALUE_UNIT "bytes"\n'
                      'BEGIN_SAMPLE 0\na\t1\na\t2\nEND_SAMPLE 0\nMARK 5\n'
                      'BEGIN_SAMPLE 10\nb\t7\nEND_SAMPLE 10\nBEGIN_SAMPLE 20\nb\t8\nEND_SAMPLE 20\n')
    (folder / "marked.lines").write_text("time\twhat\tvalue\n5\tmark\tloaded\n6\tresident\t9\n")
    for profile in (MASSIF, LOG, STACKS, marked):
        given = census.profile(profile)
        per_us = {"seconds": 1e6, "ms": 1e3}.get(given["sample_unit"], 1e6)
        trace = json.loads(census("convert", "--format", "chrome", profile))
        assert trace["otherData"]["job"] and trace["traceEvents"][0]["ph"] == "M"
        for event in trace["traceEvents"]:
            assert event["ph"] in "MCi" and event["pid"] == 1 and isinstance(event["name"], str), event
            assert event["ph"] == "M" or event["ts"] >= 0, event
            assert event["ph"] != "C" or all(isinstance(n, (int, float)) for n in event["args"].values()), event
            assert event["ph"] != "i" or event["s"] == "g", event
        counters = [event for event in trace["traceEvents"] if event["ph"] == "C" and event["name"] == "heap profile"]
        shown = {}  # as viewers do: a series keeps its value until it has another one
        for event, (time, total) in zip(counters, sums(given), strict=True):
            shown.update(event["args"])
            assert abs(event["ts"] - time * per_us) < 1e-3 * (1 + time) and sum(shown.values()) == total, event
        marks = [event for event in trace["traceEvents"] if event["ph"] == "i"]
        assert len(marks) == len(given["marks"]), marks
        points = [event for event in trace["traceEvents"] if event["ph"] == "C" and event["name"] != "heap profile"]
        assert sorted(event["args"]["value"] for event in points) == sorted(p["value"] for p in given.get("lines", []))
    assert [mark["name"] for mark in marks] == ["loaded"] and points[0]["args"] == {"value": 9}, marks
    assert counters[1]["args"] == {"b": 7, "a": 0} and counters[2]["args"] == {"b": 8}, counters


def openmetrics(census, folder):
    need("promtool")
    odd = folder / "odd.hp"
    odd.write_bytes(b'JOB "j"\nDATE "Sun Nov 22 17:38 2026"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
                    b'BEGIN_SAMPLE 0\na "\\\xff\t9007199254740993\nEND_SAMPLE 0\n'
                    b'BEGIN_SAMPLE 1\nb\t5\nEND_SAMPLE 1\nBEGIN_SAMPLE 1.0001\nb\t6\nEND_SAMPLE 1.0001\n')
    for profile in (odd, LOG, STACKS):
        path, data = folder / "metrics.om", folder / f"{profile.stem}.data"
        census("convert", "-o", path, profile)
        run("promtool", "tsdb", "create-blocks-from", "openmetrics", path, data)
        (data / "wal").mkdir()
        dumped = collections.defaultdict(dict)
        for labels, value, time in re.findall(r"^{(.*)} (\S+) (\d+)$", run("promtool", "tsdb", "dump", data), re.M):
            dumped[labels][int(time)] = float(value)
        given = census.profile(profile)
        start = datetime.datetime.strptime(given["date"][:24], "%a %b %d %H:%M %Y").replace(
            tzinfo=datetime.timezone.utc).timestamp()
        wanted = {round((start + time) * 1000): float(total) for time, total in sums(given)}  # the last of a millisecond
        assert dumped.pop('__name__="census_heap_total_bytes"') == wanted and wanted, profile
        bands = {labels: points for labels, points in dumped.items() if "census_heap_live_bytes" in labels}
        shown = collections.Counter()
        for time in sorted(wanted):
            for labels, points in bands.items():
                shown[labels] = points.get(time, shown[labels])
            assert sum(shown.values()) == wanted[time], (profile, time)
        quantities = sum(len(points) for labels, points in dumped.items() if "census_quantity_bytes" in labels)
        assert (quantities > 0) == ("lines" in given), quantities
        if profile == odd:
            assert {re.search('band="(.*)"', labels)[1] for labels in bands} == {'a \\"\\\\\ufffd', "b"}, bands


def sqlite(census, folder):
    need("sqlite3")
    odd = folder / "odd.hp"
    odd.write_bytes(b'JOB "j"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
                    b"BEGIN_SAMPLE 0\nit's\t9223372036854775807\nb\t1.5\nb\t2\nEND_SAMPLE 0\nMARK 1\n"
                    b"BEGIN_SAMPLE 2\nEND_SAMPLE 2\n")
    (folder / "odd.lines").write_text("time\twhat\tvalue\n1\tmark\tloaded\n1\tresident\t9\n")
    for profile in (odd, MASSIF, LOG, STACKS):
        path = folder / f"{profile.stem}.sqlite"
        written = subprocess.run([census.path, "convert", "-o", path, profile], capture_output=True, text=True)
        if "SQLite is not built in" in written.stderr:
            print("skipped: census has no SQLite")
            sys.exit(SKIPPED)
        assert written.returncode == 0, written.stderr

        def ask(query):
            return json.loads(run("sqlite3", "-json", path, query) or "[]")

        given = census.profile(profile)
        assert ask("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
        assert {row["key"]: row["value"] for row in ask("SELECT * FROM profile")} == {
            key: given[key] for key in ("job", "date", "sample_unit", "value_unit")}
        found = collections.defaultdict(dict)
        for row in ask("SELECT * FROM samples"):
            found[row["id"]] = {"time": row["time"], "costs": {}}
        for row in ask("SELECT sample, names.name, amount FROM costs JOIN names ON id = costs.name"):
            found[row["sample"]]["costs"][row["name"]] = row["amount"]
        assert [found[n + 1] for n in range(len(found))] == given["samples"], profile
        assert ask("SELECT time, label FROM marks") == given["marks"]
        assert ask("SELECT time, name, value FROM quantities") == given.get("lines", [])
        assert ask("SELECT sum(amount) AS n FROM points GROUP BY time ORDER BY n DESC LIMIT 1")[0]["n"] == max(
            total for _, total in sums(given))
        has_frames = len(ask("SELECT * FROM frames")) > 0
        assert has_frames == (profile in (MASSIF, LOG)), profile
    # The tables and columns are as documented.
    page = (HERE.parents[2] / "docs/formats/sqlite.md").read_text()
    run("sqlite3", folder / "documented", re.search(r"```sql\n(CREATE.*?)```", page, re.S)[1])
    columns = ("SELECT m.type, m.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_master m, pragma_table_info(m.name) c "
               "WHERE m.type != 'index' ORDER BY m.name, c.cid")
    written, documented = (run("sqlite3", path, columns) for path in (folder / "massif.sqlite", folder / "documented"))
    assert written == documented and "view|points|amount" in written, (written, documented)
    inner = ask_functions(folder / "massif.sqlite")
    assert inner == {name for name, _, _ in census.frames(MASSIF)} - {"extra heap", "stacks"}, inner


def ask_functions(path):
    """Returns the functions that allocate, as docs/formats/sqlite.md asks for them."""
    rows = json.loads(run("sqlite3", "-json", path, "SELECT DISTINCT function FROM frames WHERE depth = 0"))
    return {row["function"] for row in rows}


if __name__ == "__main__":
    main({function.__name__: function for function in (pprof, massif, chrome, openmetrics, sqlite)})
