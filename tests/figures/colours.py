#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A name has one colour in all pictures of a profile, except where a larger neighbour has it: at most 2 % of all.

colours.py CENSUS PROJECT

Draws each sample in SVG, PGF, HTML and JSON, and every second one in many views, and compares the colours of every name. A page zooms and
ranks on its own, but takes the colours from its data.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def views_of(chart):
    """Returns options for views of a profile: bands, windows, selections, orders, kinds."""
    first, last = chart["x_range"]
    names = [band["name"] for band in chart["bands"] if not band["is_other"]]
    largest = re.escape(max(chart["bands"], key=lambda band: band["area"])["name"])[:40].rstrip("\\")
    smallest = re.escape(names[0])[:40].rstrip("\\")
    middle = (first + last) / 2
    yield []
    for n in (1, 5, 14, 16, 20, 0):
        yield ["-m", str(n)]
    yield ["-t", "20"]
    yield ["-t", "5"]
    yield ["-m", "0", "-t", "0"]
    for window in ((first, middle), (middle, last), (first + (last - first) / 3, last - (last - first) / 3)):
        yield ["--from", repr(window[0]), "--to", repr(window[1])]
        yield ["--from", repr(window[0]), "--to", repr(window[1]), "-m", "0", "-t", "0"]
    for option in ("--match", "--exclude"):
        for pattern in (largest, smallest, "[a-m]"):
            yield [option, pattern, "-m", "20"]
    yield ["--normalise"]
    yield ["--lines"]
    yield ["--x", "sample"]
    yield ["--group-by", "none"]
    for order in ("sum", "name", "growth"):
        yield ["--order", order, "--reverse"]
    yield ["--for", "acm"]
    yield ["--theme", "slide"]


class Profile:
    def __init__(self, census, path):
        self.census, self.path = census, path
        self.colours, self.n_views, self.n_noted, self.moved, self.failures = {}, 0, 0, [], []

    def draw(self, form, options, may_be_empty=True):
        """Returns the picture, or None if nothing is in this window or has this name."""
        command = [self.census, "plot", *options, "--format", form, "-o", "-", self.path]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode == 1 and may_be_empty:
            return None
        if run.returncode != 0:
            sys.exit(f"{command}: {run.stderr.decode()}")
        return run.stdout.decode()

    def note(self, name, colour, view):
        known = self.colours.setdefault(name, (colour, view))
        self.n_noted += 1
        if known[0] != colour:  # it has a larger neighbour of its colour in one of both
            self.moved.append(f"{self.path}: {name} is {known[0]} with {known[1]}, {colour} with {view}")

    def check(self, has_views):
        chart = json.loads(self.draw("json", [], False))
        for view in views_of(chart) if has_views else [[]]:
            text = self.draw("json", view)
            drawn = json.loads(text) if text else {"bands": []}
            self.n_views += bool(drawn["bands"])
            for band in drawn["bands"]:
                self.note(band["name"], band["fill"], view)
        self.check_formats(chart)

    def check_formats(self, chart):
        svg = self.draw("svg", [], False)
        groups = re.findall(r'<title>([^<]*)</title>\n<path [^>]*?fill="(#[0-9a-f]+)"', svg)
        colours = [colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:]) for _, colour in groups]
        expected = [band["fill"] for band in reversed(chart["bands"])]
        self.compare("SVG", colours, expected)
        pgf = re.findall(r"\\F\{([0-9A-F]{6})\}\\M", self.draw("pgf", [], False))
        self.compare("PGF", ["#" + colour.lower() for colour in pgf[:len(expected)]], expected)
        page = self.draw("html", [], False)
        data = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))
        for name in data["profiles"][0]["names"]:
            self.note(name["name"], name["colour"][0], "HTML")
        self.note("OTHER", data["look"]["light"]["other"], "HTML")

    def compare(self, form, colours, expected):
        if colours != expected:
            self.failures.append(f"{self.path}: {form} has {colours}, JSON {expected}")


def main():
    census, project = sys.argv[1], Path(sys.argv[2])
    paths = sorted([*(project / "samples/hp").glob("*.hp"), *(project / "samples/eventlog").glob("*-h*")])
    paths = [path for path in paths if "nosample" not in path.name]
    n_views, n_noted, moved, failures = 0, 0, [], []
    for i, path in enumerate(paths):
        profile = Profile(census, str(path))
        profile.check(i % 2 == 0)
        n_views += profile.n_views
        n_noted += profile.n_noted
        moved += profile.moved
        failures += profile.failures
    print("\n".join([*failures, *moved][:30]))
    print(f"{len(paths)} profiles, {n_views} views, {len(moved)} of {n_noted} colours moved, {len(failures)} differences")
    sys.exit(1 if failures or len(moved) > 0.02 * n_noted or n_views < 10 * len(paths) else 0)


main()
