#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the real hp2ps and ours over random small profiles and flags, and wrong flags, and compares.

compare_random.py CENSUS [COUNT [SEED]]

What hp2ps draws is read back from its PostScript, path by path and text by text, and compared with
what our JSON says should be there; its .aux file with ours, byte by byte; and the texts of our SVG,
which our drawing code wrote, with both. Skips (status 77) where hp2ps is not installed.
"""
import html
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import postscript

HEADERS = 'JOB "{job}"\nDATE "{date}"\nSAMPLE_UNIT "{x}"\nVALUE_UNIT "{y}"\n'
SHELF = ["main", "SYSTEM", "OTHER", "GHC.Base", "(123)main/foo.bar", "x)y", "a(b", "step.\\/go",
         "café", "λx", 'a"b', "m" * 40, "ill", "'", "42x", "3.5", "Main.CAF:foo_1", "[]", "{}~`^"]


# Random runs.

def random_names(rng):
    names = [f"mod{i:02}.fun{chr(97 + i % 26)}" for i in range(rng.choice((1, 2, 5, 8, 20, 21, 45)))]
    names += rng.sample(SHELF, rng.randrange(len(SHELF)))
    rng.shuffle(names)
    return names[:rng.choice((1, 3, 8, 19, 20, 21, 22, 41, 60))]


def random_amount(rng, kind):
    if kind == "ties":
        return rng.choice((0, 1, 2, 5))
    if kind == "huge":
        return rng.choice((2**52, 2**53 + 1, 2**62, 2**63, 2**64, 10**24)) + rng.randrange(1000)
    return int(10 ** rng.uniform(0, rng.choice((2, 4, 7, 11))))


def random_profile(rng):
    kind = rng.choice(("ties", "ties", "plain", "plain", "plain", "plain", "huge"))
    names = random_names(rng)
    job = "".join(rng.choices("abc XYZ+-()", k=rng.choice((0, 4, 34, 35, 36, 79, 90))))
    text = HEADERS.format(job=job, date=rng.choice(("Fri Apr 17 11:43 1992", "d", "")),
                          x=rng.choice(("seconds", "s", "mutator ms")),
                          y=rng.choice(("bytes", "ticks", "W" * 30)))
    time = rng.choice((0, 0, 0, 3.7, rng.uniform(0, 1000)))
    step = 10 ** rng.uniform(-4, 4)
    for _ in range(rng.choice((1, 2, 2, 3, 5, 10, 30))):
        text += f"BEGIN_SAMPLE {time:.6f}\n"
        for name in rng.sample(names, rng.randint(0, len(names))):
            for _ in range(rng.choice((1, 1, 1, 1, 1, 2))):
                text += f"{name}\t{random_amount(rng, kind)}\n"
        text += f"END_SAMPLE {time:.6f}\n"
        if rng.random() < 0.1:
            text += f"MARK {rng.uniform(0, 2 * time + 1):.6f}\n"
        time += rng.choice((0, step, step * rng.random(), step * rng.random()))
    return text.encode()


def random_flags(rng):
    flags = [flag for flag in ("-b", "-s", "-c", "-d", "-g", "-M", "-y") if rng.random() < 0.15]
    if rng.random() < 0.2:
        flags.append(rng.choice(("-i", "-i+", "-i-")))
    if rng.random() < 0.3:
        flags.append(f"-m{rng.choice((-1, 0, 1, 2, 5, 19, 20, 21, 30, 50))}")
    if rng.random() < 0.4:
        flags.append(f"-t{rng.choice((0, 0, 0.1, 0.5, 2, 5))}")
    if rng.random() < 0.1:
        flags.append(f"-e{rng.choice(('200', '7in', '150mm', '333.3'))}")
    rng.shuffle(flags)
    return flags


# What our chart says should be drawn, in hp2ps's order and shapes.

def box(x, y, width, height, fill=None):
    corners = [(x, y), (x, y + height), (x + width, y + height), (x + width, y)]
    return ("path", corners, True, fill)


def line(x, y, dx, dy):
    return ("path", [(x, y), (x + dx, y + dy)], False, None)


def fill_of(band):
    if isinstance(band["fill"], dict):
        return ("gray", band["fill"]["gray"])
    return ("rgb", *(int(band["fill"][i:i + 2], 16) / 255 for i in (1, 3, 5)))


def expected_frame(chart):
    title = chart["title"]
    yield box(0, 0, 648, 432)
    if title["box"] == "big":
        yield box(5, 387, 638, 40)
        yield line(5, 407, 638, 0)
        row, area = 393, (11, "start")
    else:
        yield box(5, 407, 638, 20)
        row, area = 413, (319, "middle")
    yield ("text", title["job"], 11, 413, 0, 12, "start")
    yield ("text", title["area"], area[0], row, 0, 12, area[1])
    yield ("text", title["date"], 637, row, 0, 12, "end")


def expected_axes(chart):
    x0, y0, width, height = chart["page"]["plot"]
    yield line(x0, y0, width, 0)
    yield ("text", chart["sample_unit"], x0 + width, 5, 0, 10, "end")
    for tick in chart["x_ticks"]:
        yield line(tick["at_pt"], y0, 0, -4)
        yield ("text", tick["label"], tick["at_pt"], 5, 0, 10, "middle")
    yield line(x0, y0, 0, height)
    yield ("text", chart["value_unit"], 40, y0 + height, 90, 10, "end")
    for tick in chart["y_ticks"]:
        yield line(x0, tick["at_pt"], -4, 0)
        yield ("text", tick["label"], 40, tick["at_pt"], 0, 10, "end")


def expected_key(chart, page):
    for band in chart["bands"]:
        label = band["label"]
        if label["place"] == "key" and label["page"] == page:
            yield box(*label["box"], 14, 14, fill_of(band))
            yield ("text", band["name"], *label["at"], 0, 10, "start")


def expected_bands(chart):
    x0, y0, width, height = chart["page"]["plot"]
    (low, high), top = chart["x_range"], chart["y_range"][1]
    xs = [x0 + (t - low) / (high - low) * width for t in chart["sample_times"]]
    lower = [0.0] * len(xs)
    for band in chart["bands"]:
        upper = [a + b for a, b in zip(lower, band["values"])]
        below = [(x, y0 + v / top * height) for x, v in zip(xs, lower)]
        above = [(x, y0 + v / top * height) for x, v in zip(xs, upper)]
        # hp2ps says where each edge begins twice.
        edge = [below[0], *below, above[-1], *reversed(above)]
        yield ("path", edge, True, fill_of(band))
        lower = upper
    for x in chart["marks_x_pt"]:
        yield ("path", [(x - 4, 20), (x, 16), (x + 4, 20)], True, ("gray", 1))


def expected_pages(chart):
    n = chart["page"]["key_pages"]
    pages = [[*expected_frame(chart), *expected_key(chart, i + 1)] for i in range(n)]
    key = expected_key(chart, 1) if n == 0 else []
    return pages + [[*expected_frame(chart), *expected_axes(chart), *key, *expected_bands(chart)]]


# Comparing.

class Mismatch(Exception):
    pass


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


def same_path(drawn, wanted):
    return len(drawn) == len(wanted) and all(
        near(a, b, 2e-6) for p, q in zip(drawn, wanted) for a, b in zip(p, q))


def same_fill(drawn, wanted):
    """Our colours have 8 bits; levels above 1 mean 1."""
    if drawn is None or wanted is None:
        return drawn == wanted
    return drawn[0] == wanted[0] and all(near(min(a, 1), min(b, 1), 3e-3)
                                         for a, b in zip(drawn[1:], wanted[1:]))


def compare_item(drawn, wanted):
    if drawn[0] == wanted[0] == "text":
        _, text, x, y, turn, size, align = wanted
        good = (drawn[1] == text and near(drawn[2], x, 3e-6) and near(drawn[3], y, 3e-6)
                and drawn[4:] == (turn, size, align))
    elif drawn[0] == wanted[0]:
        good = (same_path(drawn[1], wanted[1]) and drawn[2] == wanted[2]
                and same_fill(drawn[3], wanted[3]))
    else:
        good = False
    if not good:
        raise Mismatch(f"hp2ps drew {drawn}, we say {wanted}")


def compare_pages(drawn, wanted):
    if len(drawn) != len(wanted):
        raise Mismatch(f"{len(drawn)} pages, we say {len(wanted)}")
    for page, items in zip(drawn, wanted):
        for theirs, ours in zip(page.items, items):
            compare_item(theirs, ours)
        if len(page.items) != len(items):
            raise Mismatch(f"{len(page.items)} items, we say {len(items)}")


def texts_of_svg(svg):
    """The texts of the picture that our drawing code made: string, x, y, size, alignment."""
    found = re.findall(r"<text ([^>]*)>([^<]*)</text>", svg)
    for attributes, text in found:
        values = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        turned = re.match(r"translate\(([\d.-]+)[ ,]([\d.-]+)\)", values.get("transform", ""))
        x, y = turned.groups() if turned else (values["x"], values["y"])
        yield (html.unescape(text), float(x), 432 - float(y), float(values["font-size"]),
               values.get("text-anchor", "start"))


def compare_svg(svg, wanted):
    ours = [t for t in texts_of_svg(svg)]
    theirs = [i for i in wanted[-1] if i[0] == "text" and i[1]]
    if len(wanted) > 1:
        return
    if len(ours) != len(theirs):
        raise Mismatch(f"{len(ours)} texts in the SVG, expected {len(theirs)}")
    for (text, x, y, size, align), (_, string, tx, ty, _, tsize, talign) in zip(ours, theirs):
        if not (text == string and near(x, tx, 0.01) and near(y, ty, 0.01) and size == tsize
                and align == talign):
            raise Mismatch(f"the SVG has {(text, x, y, size, align)}, expected {string, tx, ty}")


def same_aux(ours, theirs):
    """Byte for byte, but for the last bit of a sum beyond 2^53, where hp2ps adds in another order."""
    a, b = ours.split(b"\n"), theirs.split(b"\n")
    y, z = float(a[1].split()[1]), float(b[1].split()[1])
    return (a[1] == b[1] or (y > 2**53 and near(y, z, 1e-15 * y))) and a[:1] + a[2:] == b[:1] + b[2:]


class Folder:
    """A profile beside what the last run of one program left."""

    def __init__(self, name, profile):
        self.path = pathlib.Path(name)
        (self.path / "x.hp").write_bytes(profile)

    def run(self, *command):
        done = subprocess.run(command, cwd=self.path, capture_output=True, timeout=60, check=False)
        return done.returncode, done.stderr

    def read(self, suffix):
        file = self.path / f"x.{suffix}"
        return file.read_bytes() if file.exists() else None


def compare_runs(theirs, ours, census, flags):
    """False when hp2ps cannot read its own .aux file."""
    status, message = theirs.run("hp2ps", *flags, "x.hp")
    aux = ours.read("aux")
    if b"Disaster" in message:  # an .aux file of another profile is too long for this one
        if ours.run(census, "hp2ps", *flags, "x.hp")[0] != 1 or ours.read("aux") != aux:
            raise Mismatch(f"hp2ps failed, census did not: {message}")
        return False
    if status != 0:
        if b"must follow" not in message:
            raise Mismatch(f"hp2ps failed: {message}")
        return False
    for form in ("svg", "json"):
        if aux is not None:
            (ours.path / "x.aux").write_bytes(aux)  # as before the run
        status, message = ours.run(census, "hp2ps", "--format", form, *flags, "x.hp")
        if (status, message) != (0, b""):
            raise Mismatch(f"census failed: {status} {message}")
    chart = json.loads(ours.read("json"))
    wanted = expected_pages(chart)
    compare_pages(postscript.interpret(theirs.read("ps")), wanted)
    compare_svg(ours.read("svg").decode(), wanted)
    if not same_aux(ours.read("aux"), theirs.read("aux")):
        raise Mismatch(f".aux: {ours.read('aux')}, hp2ps has {theirs.read('aux')}")
    return True


def compare_once(census, rng):
    flags = []
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        profile = random_profile(rng)
        try:
            for _ in range(rng.choice((1, 1, 2, 3))):
                theirs, ours = Folder(one, profile), Folder(two, profile)
                flags = random_flags(rng)
                if theirs.read("aux") is not None:
                    flags.insert(0, "-p")
                if not compare_runs(theirs, ours, census, flags):
                    return None
                if rng.random() < 0.5:
                    profile = random_profile(rng)
        except (Mismatch, AssertionError) as mismatch:
            return f"flags {flags}: {mismatch}\n{profile.decode()[:600]}"
    return None


# Usage mistakes.

MISTAKES = ["-?", "-x", "-px", "-C", "--", "--help", "-t6", "-t-1", "-pt9", "-e", "-e2in", "-e144",
            "-ex", "-c -q -m3", "-h x.hp"]


def usage_of(program, words):
    """Status, messages, first line, number of lines, files, and the flags that are explained."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["hp2ps", *words.split()], executable=program, cwd=folder, input="",
                              timeout=60, capture_output=True, text=True, check=False)
        files = os.listdir(folder)
    first, _, *lines = done.stdout.splitlines()
    flags = set(re.findall(r" -([a-zA-Z])", "\n".join(lines)))
    return (done.returncode, done.stderr, first, len(lines), files), flags


def compare_usage(census, words):
    """We explain -l, too, which the guide of GHC has and hp2ps does not."""
    ours, flags = usage_of(census, words)
    theirs, their_flags = usage_of(shutil.which("hp2ps"), words)
    if ours != theirs or flags != their_flags | {"l"}:
        return f"{words}: hp2ps has {theirs} {their_flags}, we have {ours} {flags}"
    return None


def main():
    census = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not shutil.which("hp2ps"):
        print("skipped: hp2ps is not installed")
        return 77
    failed = 0
    for words in MISTAKES:
        problem = compare_usage(census, words)
        if problem:
            print(problem)
            failed += 1
    for number in range(seed, seed + count):
        problem = compare_once(census, random.Random(number))
        if problem:
            print(f"seed {number}: {problem}")
            failed += 1
    print(f"{len(MISTAKES) + count - failed} agreed, {failed} did not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
