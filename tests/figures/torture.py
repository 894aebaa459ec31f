#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Unusual combinations of options of `census plot`, and the properties of every picture.

torture.py CENSUS PROJECT [--seed N] [--cases N | --seconds S] [--only CASE] [--folder KEEP]

A case is a number: its profiles, options and format follow from seed and number alone. A case either draws a picture,
or fails with an error message, status 1 or 2 and no picture. In a picture, bands add up to the total, ticks ascend, a
second run gives equal bytes, the page has the requested size, and texts are on the page and do not overlap.
"""
import argparse
import itertools
import json
import math
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

from odd_profiles import write_odd_profiles

FORMATS = ("pdf", "ps", "eps", "png", "svg", "pgf", "json", "html")
PAPERS = {"acm": 241.1, "acm-wide": 506.3, "acmsmall": 395.8, "ieee": 252, "ieee-wide": 516,
          "lncs": 347.1, "usenix": 241, "slide": 398}
POINTS = {"pt": 1, "in": 72, "mm": 72 / 25.4, "cm": 72 / 2.54}
SKIPPED = 77
LONGEST_S = 60  # for one picture; sanitizers are slow

# Each option with its values; None leaves the option out.
OPTIONS = {
    "--order": ("wiggle", "sum", "stddev", "name", "growth"),
    "--reverse": None,
    "--legend": ("auto", "right", "below", "none"),
    "--theme": ("light", "dark", "print", "slide"),
    "--print": None,
    "--for": tuple(PAPERS),
    "--width": ("20pt", "36pt", "60pt", "90pt", "40mm", "9cm", "6in", "20in", "200in"),
    "--height": ("20pt", "36pt", "60pt", "35mm", "5cm", "6in", "20in", "200in"),
    "--font-size": ("4pt", "6.5pt", "7pt", "9pt", "14pt", "30pt"),
    "--font": ("Liberation Serif", "DejaVu Sans Mono"),
    "--bands": ("0", "1", "2", "3", "7", "30", "200"),
    "--trace": ("0", "0.5", "1", "5", "50", "100"),
    "--from": ("-1", "0", "0.1", "0.5", "3", "1e9"),
    "--to": ("0", "0.1", "0.5", "3", "7", "1e9"),
    "--match": (".", "a", "main", "^$", "[0-9]", "(x|GHC)"),
    "--exclude": ("a", "main", "[0-9]", "nothing like it"),
    "--group-by": ("module", "type", "package", "prefix:1", "prefix:2"),
    "--x": ("time", "sample"),
    "--normalise": None,
    "--lines": None,
    "--steps": None,
    "--colours": ("colours.txt",),
    "--overlay": ("all", "none"),
    "--si": None,
    "--no-title": None,
    "--no-marks": None,
    "--dpi": ("10", "72", "300"),
    "--latex": None,
}

NOT_FOR_PAGES = ("--width", "--height", "--font", "--font-size", "--for", "--latex", "--legend", "--no-title",
                 "--same-scale", "--print", "--dpi")


class Case:
    """One command line."""

    def __init__(self, seed, number, profiles):
        rng = random.Random(f"{seed}/{number}")
        self.number = number
        self.form = rng.choice(FORMATS)
        n = 1 if rng.random() < 0.7 else rng.randint(2, 5)
        self.profiles = [rng.choice(profiles) for _ in range(n)]
        # Few options at a time, as people use them, and sometimes many.
        share = rng.choice((0.05, 0.1, 0.2, 0.4))
        self.options = {name: values and rng.choice(values) for name, values in OPTIONS.items()
                        if rng.random() < share}
        if n > 1:
            self.options["--same-scale" if rng.random() < 0.5 else "--si"] = None
            if self.options.get("--font-size") == "30pt":  # wider than a panel may be
                del self.options["--font-size"]
        if n == 1 and self.profiles[0].suffix == ".eventlog" and rng.random() < 0.5:
            self.options["--gc"] = None

    def words(self, form):
        """Returns the options that apply to the format."""
        options = dict(self.options)
        if form != "png":
            options.pop("--dpi", None)
        if form == "html":
            options = {name: value for name, value in options.items() if name not in NOT_FOR_PAGES}
        return [word for name, value in options.items() for word in (name, value) if word is not None]

    def stated_size(self):
        """Returns width and height if the options set them, else None."""
        def points(text):
            found = text and re.fullmatch(r"([\d.]+)(\w+)", text)
            return float(found[1]) * POINTS[found[2]] if found else None
        width = points(self.options.get("--width")) or PAPERS.get(self.options.get("--for"))
        return width, points(self.options.get("--height"))


class Drawer:
    """Runs census in a folder of its own."""

    def __init__(self, census, folder):
        self.census, self.folder = census, folder

    def draw(self, case, form, name):
        """Returns the status, the error message, and the path of the picture."""
        target = self.folder / f"{name}.{form}"
        for old in self.folder.glob(f"{name}*"):
            old.unlink()
        command = [self.census, "plot", *case.words(form), "--format", form, "-o", target, *case.profiles]
        run = subprocess.run(command, cwd=self.folder, timeout=LONGEST_S, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        return run.returncode, run.stderr.decode("utf-8", "replace"), target


def is_close(a, b, scale):
    return abs(a - b) <= 1e-9 * max(abs(scale), 1)


# --- the chart as data ---------------------------------------------------------------------------

def judge_sums(chart, complain):
    """Checks that bands and OTHER add up, and that lines have no OTHER."""
    for i, total in enumerate(chart["totals"]):
        added = math.fsum(band["values"][i] for band in chart["bands"])
        shown = total
        if chart["normalised"]:
            # Of an empty sample there are no percents: shares of its neighbours, or none.
            shown = 100 if total > 0 or added > 0 else 0
        fits = is_close(added, shown, shown) if chart["stacked"] else added < shown * (1 + 1e-9)
        if not fits and added != shown:
            complain(f"bands add up to {added} at sample {i}, not to {shown}")
            return


def judge_axis(chart, axis, complain):
    ticks = chart[f"{axis}_ticks"]
    low, high = chart[f"{axis}_range"]
    if not ticks:
        complain(f"no ticks on {axis}")
    for one, next_one in itertools.pairwise(ticks):
        if not one["value"] < next_one["value"] or not one["at_pt"] < next_one["at_pt"]:
            complain(f"ticks on {axis} do not ascend: {one} {next_one}")
    labels = [tick["label"] for tick in ticks]
    if len(set(labels)) < len(labels) or not all(labels):
        complain(f"ticks on {axis} read {labels}")
    slack = (high - low) * 1e-9
    if any(not low - slack <= tick["value"] <= high + slack for tick in ticks):
        complain(f"ticks on {axis} outside {low} to {high}")


def judge_labels(bands, page, at, complain):
    for band in bands:
        label = band["label"]
        if label["place"] == "none":
            continue
        if not label["text"]:
            complain(f"an empty label {label['place']} for {band['name'][:40]!r}")
        if label["page"] != 1:
            continue
        x, y = (a + b for a, b in zip(label["at"], at))
        if not (0 <= x <= page["width_pt"] and 0 <= y <= page["height_pt"]):
            complain(f"label {label['text']!r} is at {x}, {y}")


def judge_chart(chart, complain):
    judge_sums(chart, complain)
    for axis in "xy":
        judge_axis(chart, axis, complain)
    times = chart["x_positions"]
    if any(b < a for a, b in itertools.pairwise(times)):
        complain("positions go back")
    names = [(band["name"], band["is_other"]) for band in chart["bands"]]
    if len(set(names)) < len(names):
        complain("a name has two bands")
    x, y, width, height = chart["page"]["plot"]
    if width <= 0 or height <= 0 or x < 0 or y < 0 or x + width > chart["page"]["width_pt"] + 0.01 \
            or y + height > chart["page"]["height_pt"] + 0.01:
        complain(f"the plot {chart['page']['plot']} is not in the page")


def judge_data(case, data, complain):
    page = data["page"]
    for got, stated in zip((page["width_pt"], page["height_pt"]), case.stated_size()):
        if stated and abs(got - stated) > 0.01:
            complain(f"{got} points instead of {stated}")
    if "panels" in data:
        judge_labels(data["legend"], page, (0, 0), complain)
        for panel in data["panels"]:
            judge_chart(panel, complain)
            judge_labels(panel["bands"], panel["page"], (0, 0), complain)
    else:
        judge_chart(data, complain)
        judge_labels(data["bands"], page, (0, 0), complain)


# --- texts on paper ------------------------------------------------------------------------------

def ink_of_words(pdf):
    """Returns pages as (width, height, words), words as (text, box of their ink)."""
    run = subprocess.run(["pdftotext", "-bbox", pdf, "-"], check=True, capture_output=True)
    for page in run.stdout.decode("utf-8", "replace").split("<page ")[1:]:
        width, height = (float(x) for x in re.match(r'width="([\d.]+)" height="([\d.]+)"', page).groups())
        words = []
        # A combining character that a font cannot join is a word to pdftotext; it belongs on the one before.
        for found in re.finditer(r'<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)</word>', page):
            if all(unicodedata.combining(character) for character in found[5]):
                continue
            x0, y0, x1, y1 = (float(x) for x in found.groups()[:4])
            # A line of text is higher than its ink.
            words.append((found[5], (x0, y0 + 0.24 * (y1 - y0), x1, y1 - 0.22 * (y1 - y0))))
        yield width, height, words


def do_overlap(a, b, slack):
    return min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack


def judge_texts(pdf, complain):
    for width, height, words in ink_of_words(pdf):
        for text, (x0, y0, x1, y1) in words:
            if x0 < -0.5 or y0 < -0.5 or x1 > width + 0.5 or y1 > height + 0.5:
                complain(f"{text!r} leaves the page: {x0:.1f} {y0:.1f} {x1:.1f} {y1:.1f}")
        words.sort(key=lambda word: word[1][0])
        for i, (text, box) in enumerate(words):
            for other, other_box in itertools.takewhile(lambda word: word[1][0] < box[2], words[i + 1:]):
                if do_overlap(box, other_box, 0.3):
                    complain(f"{text!r} and {other!r} overlap at {box[0]:.1f}, {box[1]:.1f}")


# --- a case --------------------------------------------------------------------------------------

def judge_failure(drawer, case, status, message, complain):
    if status not in (1, 2):
        complain(f"status {status}: {message}")
    elif not re.match(r"census( plot)?: .|--group-by: .|/.*: .", message) or len(message.splitlines()) > 2 + len(case.profiles):
        complain(f"says {message!r}")
    left = [path.name for path in drawer.folder.glob("one*")]
    if left:
        complain(f"left {left}")


def judge(drawer, case, complain):
    """Checks one case, and returns whether it drew a picture."""
    status, message, picture = drawer.draw(case, case.form, "one")
    if status != 0:
        judge_failure(drawer, case, status, message, complain)
        return False
    if drawer.draw(case, case.form, "two")[2].read_bytes() != picture.read_bytes():
        complain("two runs differ")
    if case.form == "html":
        return True
    status, message, picture = drawer.draw(case, "json", "one")
    if status != 0:
        complain(f"no JSON: {message}")
    else:
        judge_data(case, json.loads(picture.read_text()), complain)
    status, message, picture = drawer.draw(case, "pdf", "one")
    if status != 0:
        complain(f"no PDF: {message}")
    else:
        for pdf in drawer.folder.glob("one*.pdf"):
            judge_texts(pdf, complain)
    return True


def find_profiles(project, folder):
    own = [path for where in ("samples/hp", "samples/eventlog", "tests/golden/inputs", "tests/data/hp")
           for path in sorted((project / where).iterdir()) if path.suffix in (".hp", ".eventlog", ".xz")]
    own.append(project / "tests/cli/fixtures/served.hp")
    odd = write_odd_profiles(folder)
    # Odd ones as often as all others.
    return own + odd * max(1, len(own) // len(odd))


def torture(args, folder):
    profiles = find_profiles(args.project, folder)
    (folder / "names.txt").write_text("GHC\nmain\n*\nSYSTEM\nCAF\n")
    (folder / "colours.txt").write_text("# pinned\n#ff0000 SYSTEM\n#000000 CAF\n#ffffff a\n")
    drawer = Drawer(args.census, folder)
    begin = time.monotonic()
    n_drawn = n_cases = n_bad = 0
    for number in [args.only] if args.only is not None else itertools.count():
        if number == args.cases or (args.seconds and time.monotonic() - begin > args.seconds):
            break
        case = Case(args.seed, number, profiles)
        complaints = []
        try:
            n_drawn += judge(drawer, case, complaints.append)
        except subprocess.TimeoutExpired:
            complaints.append(f"more than {LONGEST_S} s")
        n_cases += 1
        if complaints:
            n_bad += 1
            names = " ".join(str(path) for path in case.profiles)
            print(f"case {number}: {case.form}: {' '.join(case.words(case.form))} {names}")
            print("".join(f"    {words}\n" for words in complaints[:4]), end="", flush=True)
    print(f"seed {args.seed}: {n_cases} cases, {n_drawn} pictures, {n_bad} bad")
    return 1 if n_bad or not n_drawn else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("census", type=lambda word: Path(word).resolve())
    parser.add_argument("project", type=lambda word: Path(word).resolve())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=-1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", type=int)
    parser.add_argument("--folder", type=Path, help="keep profiles and the last pictures there")
    args = parser.parse_args()
    if not shutil.which("pdftotext"):
        print("skipped: no pdftotext")
        return SKIPPED
    if args.folder:
        args.folder.mkdir(parents=True, exist_ok=True)
        return torture(args, args.folder.resolve())
    with tempfile.TemporaryDirectory() as folder:
        return torture(args, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
