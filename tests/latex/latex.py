#!/usr/bin/env python3
"""Figures in a paper: PDF, EPS and PGF in a document with columns like those of acmart.

usage: latex.py CENSUS PROJECT [KEEP_DIRECTORY]

The document compiles without an error; no figure sticks out of its column; and the text of all
pages can be found again by pdftotext.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage[paperwidth=8.5in,paperheight=11in,textwidth=506.295pt,textheight=630pt]{geometry}
\setlength{\columnsep}{24pt}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{lmodern,graphicx,pgf}
\begin{document}
%s
\end{document}
"""
WITH_DESCRIPTION = r"""\documentclass{article}
\usepackage{graphicx,pgf}
\newcommand\Description[2][]{\typeout{Described: #2}\ignorespaces} %% as in acmart
\begin{document}
%s
\end{document}
"""
FIGURES = [
    ("foldleak-prof-hc", []),
    ("oddnames-prof-hc-long", []),
    ("foldleak-prof-hb", ["--print"]),
    ("interp-prof-hd", ["--lines"]),
    ("pathgrid-prof-hy", ["--lines", "--print"]),
    ("foldleak-prof-hy pathgrid-prof-hy", ["--print", "--same-scale"]),
    ("foldleak-prof-hb pathgrid-prof-hb", ["--lines"]),
]


def missing():
    """What LaTeX lacks here, or None."""
    for program in ("pdflatex", "kpsewhich", "epstopdf", "pdftotext"):
        if not shutil.which(program):
            return program
    for style in ("pgf.sty", "lmodern.sty"):
        if subprocess.run(["kpsewhich", style], capture_output=True).returncode != 0:
            return style
    return None


def draw(census, project, target, profiles, options):
    """One profile, or several between blanks."""
    paths = [project / "samples/hp" / (profile + ".hp") for profile in profiles.split()]
    subprocess.run([census, "plot", "--width", "240pt", "--height", "140pt", "--no-title", *options,
                    "-o", target, *paths], check=True)


def figures(census, project, folder):
    lines = []
    for profiles, options in FIGURES:
        for extension in ("pdf", "eps", "pgf"):
            name = f"{profiles.replace(' ', '+')}.{extension}"
            draw(census, project, folder / name, profiles, options)
            command = "input" if extension == "pgf" else "includegraphics"
            lines.append(rf"\noindent\{command}{{{name}}}" "\n")
    return "\n".join(lines)


def floats(census, project, folder):
    """What --latex prints for a column, as authors use it."""
    lines = ""
    for profile in ("pathgrid-prof-hc-i0.005", "oddnames-prof-hc-long"):
        for extension in ("eps", "pdf", "pgf"):
            run = subprocess.run([census, "plot", "--for", "acm", "--latex", "-o",
                                  f"{profile}-column.{extension}",
                                  project / f"samples/hp/{profile}.hp"], check=True,
                                 cwd=folder, stdout=subprocess.PIPE, text=True)
            lines += rf"\begin{{figure}}{run.stdout}\caption{{Two.}}\end{{figure}}" "\n"
    return lines


def compile_document(folder, name, text):
    (folder / f"{name}.tex").write_text(text)
    run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-shell-escape", name],
                         cwd=folder, capture_output=True, text=True, errors="replace")
    log = (folder / f"{name}.log").read_text(errors="replace")
    errors = re.findall(r"^! .*", log, re.M)
    overfull = re.findall(r"^Overfull .hbox .*", log, re.M)
    if run.returncode != 0 or errors or overfull:
        sys.exit("\n".join([name] + errors + overfull) + run.stdout[-2000:])
    return log


def check_text(folder):
    text = subprocess.run(["pdftotext", folder / "paper.pdf", "-"], check=True,
                          capture_output=True, text=True).stdout
    for wanted in ("MiB", "LAG", "einfügen", "mean"):
        if wanted not in text:
            sys.exit(f"no '{wanted}' in the text of the document")


def main():
    census, project = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    lack = missing()
    if lack:
        print(f"skipped: no {lack}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[3] if len(sys.argv) > 3 else temporary)
        float_lines = floats(census, project, folder)
        compile_document(folder, "paper", DOCUMENT % (float_lines + figures(census, project, folder)))
        check_text(folder)
        log = compile_document(folder, "acm", WITH_DESCRIPTION % float_lines)
        if log.count("Described: ") != float_lines.count(r"\begin{figure}"):
            sys.exit("a figure without its description")
    return 0


if __name__ == "__main__":
    sys.exit(main())
