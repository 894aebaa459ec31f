#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks figures for papers: what publishers ask of fonts, sizes and formats.

figures.py CENSUS PROJECT CHECK

fonts    every font of a PDF is embedded, and none is of Type 3
texts    the text of the PDF contains every label of the chart, in 7 or 8 points
sizes    PDF and EPS have the requested size, in their headers and in Ghostscript
vectors  no PS, EPS or PDF holds a raster image
bytes    equal input and options give equal bytes, in any folder and at any time
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
FORMATS = ("pdf", "ps", "eps", "png", "svg", "pgf", "json")
PAPERS = {"acm": 241.1, "acm-wide": 506.3, "acmsmall": 395.8, "ieee": 252, "ieee-wide": 516,
          "lncs": 347.1, "usenix": 241, "slide": 398}
# Unusual names, a single sample, many bands, marks, overlaid quantities; and different ways to draw.
PROFILES = {
    "samples/hp/foldleak-prof-hb.hp": [],
    "samples/hp/foldleak-prof-hr.hp": [],
    "samples/hp/oddnames-prof-hc-long.hp": [],
    "samples/hp/manycc-prof-hc-live1.hp": ["--legend", "below"],
    "samples/hp/interp-prof-hd.hp": ["--print"],
    "samples/hp/pathgrid-prof-hc-i0.005.hp": ["--normalise"],
    "samples/hp/pathgrid-prof-hy.hp": ["--lines", "--print"],
    "samples/hp/queens-plain-pair-hT.hp": ["--lines", "--theme", "dark"],
    "samples/eventlog/foldleak-prof-lu-hc.eventlog": [],
    "tests/golden/inputs/marks.hp": [],
    "tests/cli/fixtures/served.hp": ["--overlay", "all"],
}
TOOLS = {"fonts": ["pdffonts"], "texts": ["pdftotext", "pdftohtml"], "sizes": ["gs"], "vectors": ["pdfimages"],
         "bytes": []}


class Figures:
    """Draws figures into a folder."""

    def __init__(self, census, project, folder):
        self.census, self.project, self.folder = census, project, folder

    def draw(self, profile, paper, form, name="figure", environment=None):
        """Draws one figure and returns its path."""
        target = self.folder / f"{name}.{form}"
        command = [self.census, "plot", "--for", paper, *PROFILES[profile], "--format", form,
                   "-o", target, self.project / profile]
        run = subprocess.run(command, cwd=self.folder, env=environment, stderr=subprocess.PIPE)
        if run.returncode != 0:
            sys.exit(run.stderr.decode())
        return target

    def some(self):
        """Yields pairs of a profile and a paper: two papers for each profile."""
        names = list(PAPERS)
        for i, profile in enumerate(PROFILES):
            yield profile, names[i % len(names)]
            yield profile, names[(i + 3) % len(names)]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")


def check_fonts(figures, complain):
    for profile, paper in figures.some():
        lines = output_of("pdffonts", figures.draw(profile, paper, "pdf")).splitlines()[2:]
        if not lines:
            complain(profile, paper, "no fonts: texts are outlines")
        for line in lines:
            embedded = line.split()[-5]
            if "Type 3" in line or embedded != "yes":
                complain(profile, paper, line)


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def labels_of(chart):
    """Returns all texts of a chart, except labels of marks, which may be shortened or left out."""
    texts = [chart["x_unit"], chart["y_unit"]]
    texts += [tick["label"] for axis in ("x_ticks", "y_ticks") for tick in chart[axis]]
    texts += [band["label"]["text"] for band in chart["bands"] if band["label"]["place"] != "none"]
    texts += [line["name"] for line in chart["lines"]]
    return [squeeze(text) for text in texts if text]


def sizes_of_text(pdf):
    """Returns the sizes of all texts, in points."""
    zoom = 3  # the largest: thirds of a point
    fonts = output_of("pdftohtml", "-xml", "-i", "-stdout", "-zoom", str(zoom), pdf)
    return {int(size) / zoom for size in re.findall(r'<fontspec [^>]*size="(\d+)"', fonts)}


def check_texts(figures, complain):
    for profile, paper in figures.some():
        chart = json.loads(figures.draw(profile, paper, "json").read_text())
        pdf = figures.draw(profile, paper, "pdf")
        text = squeeze(output_of("pdftotext", "-raw", pdf, "-"))
        lost = [label for label in labels_of(chart) if label not in text]
        shown = [label for label in chart["mark_labels"] if label and label in text]
        if lost:
            complain(profile, paper, f"not in the text: {lost}")
        if any(chart["mark_labels"]) and not shown:
            complain(profile, paper, "no label of a mark in the text")
        sizes = sizes_of_text(pdf)
        if not sizes or not sizes <= {7, 8}:
            complain(profile, paper, f"text of {sizes} points")


def rasterise(path, dpi):
    """Returns the width and height, in pixels, of an EPS drawn by Ghostscript."""
    out = path.with_suffix(".gs.png")
    output_of("gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=pnggray",
              f"-r{dpi}", f"-sOutputFile={out}", path)
    return struct.unpack(">II", out.read_bytes()[16:24])


def check_sizes(figures, complain):
    for profile, paper in figures.some():
        page = json.loads(figures.draw(profile, paper, "json").read_text())["page"]
        size = [page["width_pt"], page["height_pt"]]
        if size[0] != PAPERS[paper]:
            complain(profile, paper, f"{size[0]} points wide")
        box = re.search(rb"/MediaBox ?\[([^\]]*)\]", figures.draw(profile, paper, "pdf").read_bytes())
        if [float(word) for word in box.group(1).split()] != [0, 0, *size]:
            complain(profile, paper, f"{box.group(0)}, expected {size}")
        eps = figures.draw(profile, paper, "eps")
        check_eps_head(eps.read_bytes(), size, lambda what: complain(profile, paper, what))
        dpi = 144
        if any(abs(got - wanted * dpi / 72) > 1 for got, wanted in zip(rasterise(eps, dpi), size)):
            complain(profile, paper, f"{rasterise(eps, dpi)} pixels at {dpi} dpi, expected {size} points")


def check_eps_head(text, size, complain):
    if not text.startswith(b"%!PS-Adobe-3.0 EPSF-3.0\n"):
        complain("EPS does not say so")
    exact = re.search(rb"^%%HiResBoundingBox: (.*)$", text, re.M)
    if [float(word) for word in exact.group(1).split()] != [0, 0, *size]:
        complain(exact.group(0))
    whole = re.search(rb"^%%BoundingBox: 0 0 (\d+) (\d+)$", text, re.M)
    if any(abs(int(got) - wanted) > 0.5 for got, wanted in zip(whole.groups(), size)):
        complain(whole.group(0))


def check_vectors(figures, complain):
    operators = re.compile(rb"\b(cairo_)?(color|mask)?image(mask)?\b")
    for profile, paper in figures.some():
        pdf = figures.draw(profile, paper, "pdf")
        if output_of("pdfimages", "-list", pdf).splitlines()[2:]:
            complain(profile, paper, "images in the PDF")
        for form in ("ps", "eps"):
            # Cairo's prolog defines the procedures that show images; the pages must not use them.
            text = figures.draw(profile, paper, form).read_bytes().split(b"%%EndProlog")[1]
            program = b"\n".join(line.split(b"%")[0] for line in text.splitlines())
            if operators.search(program):
                complain(profile, paper, f"an image in the {form}")


def check_bytes(figures, complain):
    elsewhere = dict(os.environ, TZ="Asia/Tokyo", LC_ALL="C", HOME="/", COLUMNS="40")
    for profile, paper in figures.some():
        for form in FORMATS:
            first = figures.draw(profile, paper, form)
            second = figures.draw(profile, paper, form, "again", elsewhere)
            if first.read_bytes() != second.read_bytes():
                complain(profile, paper, f"two runs differ in {form}")


def main():
    census, project = (Path(word).resolve() for word in sys.argv[1:3])
    check = sys.argv[3]
    for tool in TOOLS[check]:
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            return SKIPPED
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        figures = Figures(census, project, Path(folder))
        globals()[f"check_{check}"](figures, lambda *words: complaints.append(": ".join(words)))
    print("\n".join(complaints) or f"{2 * len(PROFILES)} figures are fit")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
