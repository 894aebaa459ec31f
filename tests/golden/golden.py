#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws one case of cases.txt and compares it with its reference picture, which a person has checked.

The PNG, and the PDF and EPS as Ghostscript draws them, must look like ref/NAME.png. The SVG must be
well-formed and contain each text of the PDF.

golden.py CENSUS COMPARE SOURCE_DIRECTORY NAME
golden.py CENSUS COMPARE SOURCE_DIRECTORY --update    replaces all pictures; check them by eye
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

FONTS = pathlib.Path("/usr/share/fonts")
LATIN = ["truetype/liberation/LiberationSans-Regular.ttf", "truetype/dejavu/DejaVuSans.ttf"]
SCRIPTS = ["opentype/fonts-hosny-amiri/Amiri-Regular.ttf",
           "truetype/lohit-devanagari/Lohit-Devanagari.ttf", "truetype/wqy/wqy-microhei.ttc"]
DPI = 72
SKIPPED = 77


def read_cases(source):
    """Returns the arguments of each case, by name."""
    lines = (source / "tests/golden/cases.txt").read_text().splitlines()
    cases = (line.split(": ", 1) for line in lines if not line.startswith("#"))
    return {name: words.split() for name, words in cases}


def draw_classic(census, source, words, form, directory):
    """The same for hp2ps, which names the picture, and has no option for the resolution of PNG."""
    profile = source / words[-1]
    vector = "pdf" if form == "png" else form
    subprocess.run([census, "hp2ps", "--format", vector, *words[:-1], profile], cwd=directory, check=True)
    target = directory / f"{profile.stem}.{vector}"
    return rasterise(target, directory) if form == "png" else target


def draw(census, source, words, form, directory):
    """Draws in one format and returns the path of the picture."""
    if words[0] == "hp2ps":
        return draw_classic(census, source, words[1:], form, directory)
    target = directory / f"x.{form}"
    more = ["--format", form, "-o", str(target)]
    more += ["--dpi", str(DPI)] if form == "png" else []
    command, rest = ("diff", words[1:]) if words[0] == "diff" else ("plot", words)
    environment = dict(os.environ, FONTCONFIG_FILE=str(source / "tests/golden/fonts.conf"))
    subprocess.run([census, command, *more, *rest], cwd=source, check=True, env=environment,
                   stderr=subprocess.DEVNULL)
    return target


def rasterise(path, directory):
    """Converts a vector picture to PNG without hinting, which would move small letters. Only the older
    PDF interpreter of Ghostscript has that option."""
    out = directory / f"{path.suffix[1:]}.png"
    subprocess.run(["gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=png16m",
                    f"-r{DPI}", "-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", "-dGridFitTT=0",
                    "-dNEWPDF=false", f"-sOutputFile={out}", str(path)], check=True)
    return out


def compare(tool, got, reference, difference, per_mille, what):
    done = subprocess.run([tool, str(got), str(reference), str(difference), str(per_mille)],
                          capture_output=True, text=True)
    print(f"{what}: {done.stdout}{done.stderr}", end="")
    return done.returncode == 0


def texts_agree(svg, pdf):
    """Returns whether the SVG contains each word of the PDF. Skips Arabic words, because Poppler
    changes the order of the letters of a ligature."""
    text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
    words = subprocess.run(["pdftotext", str(pdf), "-"], capture_output=True, text=True,
                           check=True).stdout.split()
    lost = [word for word in words if word not in text and not re.search("[\u0600-\u06ff\u202b]", word)]
    print(f"svg: {len(words)} words, not there: {lost}")
    return not lost


def check(census, tool, source, name, words, directory):
    reference = source / f"tests/golden/ref/{name}.png"
    png = draw(census, source, words, "png", directory)
    most = 4 if "scripts" in name else 3  # per mille; HarfBuzz 2.7 makes some scripts narrower
    good = compare(tool, png, reference, 100 if words[0] == "hp2ps" else 60, most, "png")
    pdf = draw(census, source, words, "pdf", directory)
    good &= compare(tool, rasterise(pdf, directory), reference, 100, most, "pdf")
    eps = draw(census, source, words, "eps", directory)
    good &= compare(tool, rasterise(eps, directory), reference, 100, most, "eps")
    good &= texts_agree(draw(census, source, words, "svg", directory), pdf)
    if not good:
        print("Is the change meant to be seen? Build the target update_pictures, then look at\n"
              f"{reference}")
    return 0 if good else 1


def missing_font(name):
    """Returns a font file that a case needs and that is not installed, or None."""
    wanted = LATIN + (SCRIPTS if "scripts" in name else [])
    return next((str(FONTS / file) for file in wanted if not (FONTS / file).exists()), None)


def main():
    census, tool, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    cases = read_cases(source)
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        if sys.argv[4] != "--update":
            if missing_font(sys.argv[4]):
                print(f"skipped: {missing_font(sys.argv[4])} is not installed")
                return SKIPPED
            return check(census, tool, source, sys.argv[4], cases[sys.argv[4]], directory)
        for name, words in cases.items():
            png = draw(census, source, words, "png", directory)
            (source / f"tests/golden/ref/{name}.png").write_bytes(png.read_bytes())
    return 0


sys.exit(main())
