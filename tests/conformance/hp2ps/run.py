#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Repeats recorded runs of the real hp2ps with ours and compares everything.

run.py CENSUS [CASE...]

Each case runs twice: with --format json, whose numbers are compared one by one, and without, where
Ghostscript (if installed) must accept the PostScript. Usage mistakes also run under the name hp2ps.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).parent / "cases"

# Profiles that hp2ps refuses and we read (docs/hp2ps.md). All others that it refuses, we refuse.
TOLERATED = {
    "e-10-time-int": "times may be whole numbers",
    "e-11-end-int": "times may be whole numbers",
    "e-13-time-exp": "times may have exponents",
    "e-14-value-float": "amounts may have fractions",
    "e-16-value-exp": "amounts may have exponents",
    "e-20-name-keyword": "marks may stand inside samples, with whole numbers as times",
    "e-22-mark-int": "times of marks may be whole numbers",
    "e-24-truncated": "a last sample cut short is left out, with a warning",
    "e-25-truncated-name": "a last sample cut short is left out, with a warning",
    "e-28-value-after-last-big": "costs after the last sample are left out, with a warning",
}

# Profiles that hp2ps reads without a word and we with a warning: they end inside a sample.
WARNED = {"e-27-value-after-last", "s-10-trailing-begin"}

# Where hp2ps does not escape a text, what can be read back from its PostScript is cut short.
UNREADABLE = {"r-65-bad-unit-paren"}


class Mismatch(Exception):
    pass


def expect(what, got, wanted):
    if got != wanted:
        raise Mismatch(f"{what}: {got!r}, expected {wanted!r}")


def expect_near(what, got, wanted, tolerance):
    if not abs(got - wanted) <= tolerance:
        raise Mismatch(f"{what}: {got!r}, expected {wanted!r} within {tolerance!r}")


def expect_points(what, got, wanted):
    """Coordinates in points; the recorded ones have six decimals."""
    expect(f"number of {what}", len(got), len(wanted))
    for index, (ours, theirs) in enumerate(zip(got, wanted)):
        expect_near(f"{what} {index}", ours, theirs, 2e-6)


class Run:
    """A case in a folder of its own."""

    def __init__(self, case, program, flags, argv0=None):
        folder = CASES / case["id"]
        with tempfile.TemporaryDirectory() as name:
            self.folder = pathlib.Path(name)
            for file in case["files"]:
                if (folder / file).exists():
                    shutil.copy(folder / file, self.folder)
            before = self.read_all()
            stdin = before[case["stdin"]] if case["stdin"] else b""
            self.done = subprocess.run(
                [argv0 or program, *flags, *case["argv"]], executable=program, cwd=name,
                input=stdin, capture_output=True, timeout=60, check=False)
            after = self.read_all()
        self.status = self.done.returncode
        self.files = after
        self.changed = {n: b for n, b in after.items() if before.get(n) != b}

    def read_all(self):
        return {p.name: p.read_bytes() for p in self.folder.iterdir()}


def colour_matches(fill, colour):
    if "gray" in colour:
        return isinstance(fill, dict) and abs(fill["gray"] - colour["gray"]) < 1e-6
    text = "#" + "".join(f"{int(min(max(c, 0), 1) * 255 + 0.5):02x}" for c in colour["rgb"])
    return fill == text


def compare_bands(chart, ps):
    ours, theirs = chart["bands"], ps["bands_bottom_to_top"]
    expect("bands", [b["name"] for b in ours], [b["name"] for b in theirs])
    expect("positions", [b["position"] for b in ours], list(range(1, len(ours) + 1)))
    x0, y0, _, height = chart["page"]["plot"]
    low, high = chart["y_range"]
    lower = [0.0] * len(chart["sample_times"])
    for band, wanted in zip(ours, theirs):
        name = band["name"]
        if not colour_matches(band["fill"], wanted["colour"]):
            raise Mismatch(f"fill of {name}: {band['fill']}, expected {wanted['colour']}")
        expect(f"points of {name}", len(band["values"]), len(wanted["values"]))
        for got, value in zip(band["values"], wanted["values"]):
            expect_near(f"values of {name}", got, value, ps["value_resolution"] + abs(value) * 1e-12)
        lower = [a + b for a, b in zip(lower, band["values"])]
        expect_points(f"upper edge of {name}", [y0 + v / (high - low) * height for v in lower],
                      wanted["upper_y"])


def compare_axes(chart, ps):
    x0, y0, width, height = chart["page"]["plot"]
    plot = ps["plot"]
    expect_points("plot", [x0, y0, width, height],
                  [plot["x0"], plot["y0"], plot["width"], plot["height"]])
    expect_points("ends of axes", [x0 + width, y0 + height],
                  [ps["x_axis"]["label_anchor"][0], ps["y_axis"]["label_anchor"][1]])
    for ours, theirs, at in ((chart["x_ticks"], ps["x_axis"]["ticks"], "x"),
                             (chart["y_ticks"], ps["y_axis"]["ticks"], "y")):
        expect(f"{at} labels", [t["label"] for t in ours], [t["label"] for t in theirs])
        expect_points(f"{at} ticks", [t["at_pt"] for t in ours], [t[at] for t in theirs])
    for tick in chart["x_ticks"]:
        place = x0 + (tick["value"] - chart["x_range"][0]) / ps["x_range"] * width
        expect_near("place of an x tick", tick["at_pt"], place, 1e-3)
    for tick in chart["y_ticks"]:
        expect_near("place of a y tick", tick["at_pt"],
                    y0 + tick["value"] / ps["y_range"] * height, 1e-3)
    expect_near("x range", chart["x_range"][1] - chart["x_range"][0], ps["x_range"],
                1e-5 + abs(chart["x_range"][0]) * 1e-15)
    expect_near("y range", chart["y_range"][1], ps["y_range"], 1e-9 * ps["y_range"])
    expect("low end of y", chart["y_range"][0], 0)


def compare_key(chart, ps):
    entries = [b for b in chart["bands"] if b["label"]["place"] == "key"]
    expect("key", chart["key"], [e["name"] for e in ps["key"]])
    expect("key labels", [b["name"] for b in entries], chart["key"])
    for band, wanted in zip(entries, ps["key"]):
        expect(f"key page of {band['name']}", band["label"]["page"], wanted["page"])
        expect_points(f"key text of {band['name']}", band["label"]["at"], wanted["text_xy"])
        expect_points(f"key box of {band['name']}", band["label"]["box"], wanted["box_xy"])


def matrix_of(setup):
    """The matrix of a list of operations, as PostScript's concat takes it."""
    a, b, c, d, e, f = 1, 0, 0, 1, 0, 0
    for name, *numbers in setup:
        if name == "rotate":
            expect("angle", numbers, [-90.0])
            a, b, c, d = -c, -d, a, b
        elif name == "translate":
            x, y = numbers
            e, f = e + a * x + c * y, f + b * x + d * y
        else:
            x, y = numbers
            a, b, c, d = a * x, b * x, c * y, d * y
    return [a, b, c, d, e, f]


def compare_texts(chart, ps):
    expect("date", chart["date"], ps["title"]["date"]["text"])
    title = chart["title"]
    for text in ("job", "area", "date"):
        expect(f"title's {text}", title[text], ps["title"][text]["text"])
    expect("job", chart["job"][:len(title["job"])], title["job"])
    expect("sample unit", chart["sample_unit"], ps["x_axis"]["label"])
    expect("value unit", chart["value_unit"], ps["y_axis"]["label"])


def compare_chart(chart, ps):
    expect("look", chart["look"], "classic")
    expect("title box", chart["title"]["box"], ps["title"]["kind"])
    expect_near("area", chart["area"], ps["area_under_curve"],
                1e-6 + 1e-9 * abs(ps["area_under_curve"]))
    expect_points("sample times", chart["sample_times"], ps["sample_times"])
    if ps["sample_x"] is not None:  # without a band no sample has a place
        x0, _, width, _ = chart["page"]["plot"]
        low, high = chart["x_range"]
        expect_points("sample places",
                      [x0 + (t - low) / (high - low) * width for t in chart["sample_times"]],
                      ps["sample_x"])
    compare_bands(chart, ps)
    compare_axes(chart, ps)
    compare_key(chart, ps)
    expect_points("marks", chart["marks_x_pt"], [m["x"] for m in ps["marks"]])
    expect("size", [chart["page"]["width_pt"], chart["page"]["height_pt"]],
           [ps["border"]["w"], ps["border"]["h"]])
    expect("key pages", chart["page"]["key_pages"], ps["pages"] - 1)
    expect_points("paper", chart["page"]["paper"]["matrix"], matrix_of(ps["page_setup"][0]))


def renamed(files, suffix):
    return {name[:-2] + suffix if name.endswith(".ps") else name for name in files}


def expect_done(case, run):
    expect("status", run.status, 0)
    if case["id"] in WARNED:
        expect("a warning", b": warning: " in run.done.stderr, True)
    else:
        expect("standard error", run.done.stderr, b"")


def check_drawn(case, census):
    run = Run(case, census, ["hp2ps", "--format", "json"])
    expect_done(case, run)
    # Our .aux says the same, so it is "changed" just when hp2ps's is.
    expect("files", set(run.changed), renamed(case["files_written"], "json"))
    outputs = [b for n, b in run.changed.items() if n.endswith(".json")] or [run.done.stdout]
    chart = json.loads(outputs[0].decode())
    compare_chart(chart, case["ps"])
    if case["id"] not in UNREADABLE:
        compare_texts(chart, case["ps"])
    if case["aux"]:
        name = next(n for n in run.files if n.endswith(".aux"))
        expect(".aux", run.files[name], case["aux"]["raw"].encode("utf-8", "surrogateescape"))


def pages_of(postscript, folder):
    """How many pages Ghostscript draws."""
    file = pathlib.Path(folder) / "drawn.ps"
    file.write_bytes(postscript)
    done = subprocess.run(["gs", "-q", "-dSAFER", "-dNOPAUSE", "-dBATCH", "-sDEVICE=bbox", file.name],
                          cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or "rror" in done.stdout:
        raise Mismatch(f"Ghostscript: {done.stdout[-300:]} {done.stderr[-300:]}")
    return len(re.findall(r"^%%BoundingBox", done.stderr, re.M))


def check_postscript(case, census):
    run = Run(case, census, ["hp2ps"])
    expect_done(case, run)
    expect("files", set(run.changed), set(case["files_written"]))
    outputs = [b for n, b in run.changed.items() if n.endswith(".ps")] or [run.done.stdout]
    if case["ps"]["dsc"]["bounding_box"] and case["ps"]["pages"] == 1:
        box = re.search(rb"^%%BoundingBox: (\d+) (\d+) (\d+) (\d+)$", outputs[0], re.M)
        expect("bounding box", [int(n) for n in box.groups()] if box else None,
               case["ps"]["dsc"]["bounding_box"])
    if shutil.which("gs"):
        with tempfile.TemporaryDirectory() as folder:
            expect("pages", pages_of(outputs[0], folder), case["ps"]["pages"])


def check_usage(case, census):
    run = Run(case, census, ["hp2ps"])
    expect("files", set(run.changed), set())
    if case["argv"] in (["-?"], ["--help"]):
        expect("status", (run.status, run.done.stderr), (0, b""))
    else:
        expect("status", run.status, 2)
        expect("standard output", run.done.stdout, b"")
        expect("a message", bool(run.done.stderr), True)
    check_usage_as_hp2ps(case, census)


def check_usage_as_hp2ps(case, census):
    with tempfile.TemporaryDirectory() as folder:
        link = os.path.join(folder, "hp2ps")
        os.symlink(census, link)
        run = Run(case, link, [], argv0="hp2ps")
    lines = run.done.stdout.decode().splitlines()
    expect("status", (run.status, run.done.stderr), (0, b""))
    expect("files", set(run.changed), set())
    expect("complaint", lines[0], case["stdout"].splitlines()[0])
    expect("usage", lines[1].split(" [")[0], "usage: hp2ps")
    expect("lines of usage", len(lines), 15)


def check_refused(case, census):
    for flags in (["hp2ps"], ["hp2ps", "--format", "json"]):
        run = Run(case, census, flags)
        expect("status", run.status, 1)
        expect("files", set(run.changed), set())
        expect("standard output", run.done.stdout, b"")
        expect("a message", bool(run.done.stderr), True)


def check_tolerated(case, census):
    for flags, suffix in ((["hp2ps"], "ps"), (["hp2ps", "--format", "json"], "json")):
        run = Run(case, census, flags)
        expect("status", run.status, 0)
        expect("files", set(run.changed), {"input.aux", f"input.{suffix}"})
        warned = b"warning" in run.done.stderr
        expect("a warning", warned, "warning" in TOLERATED[case["id"]])


def check(case, census):
    if case["stdout"].startswith("error: "):
        check_usage(case, census)
    elif case["id"] in TOLERATED:
        check_tolerated(case, census)
    elif case["exit_status"] != 0:
        check_refused(case, census)
    else:
        check_drawn(case, census)
        check_postscript(case, census)


def main():
    census = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:] or sorted(p.name for p in CASES.iterdir())
    failed = 0
    for name in chosen:
        case = json.loads((CASES / name / "case.json").read_text())
        try:
            check(case, census)
        except Mismatch as mismatch:
            print(f"{name}: {mismatch}")
            failed += 1
    if not shutil.which("gs"):
        print("Ghostscript is not installed: PostScript was not interpreted")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


sys.exit(main())
