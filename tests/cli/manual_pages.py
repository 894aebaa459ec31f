#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the manual pages with --help: the same commands, options and arguments in both.

manual_pages.py CENSUS DIRECTORY
"""
import pathlib
import re
import subprocess
import sys


def help_of(census, *words):
    return subprocess.run([census, *words], capture_output=True, text=True, check=True).stdout


def all_help_of(census, name):
    """Help with all options, of commands that leave some out of --help."""
    short = help_of(census, name, "--help")
    assert len(re.findall(r"^ +(?:-\w, )?--", short, re.M)) <= 20, f"census {name} --help has too many options"
    return help_of(census, name, "--help-all") if "--help-all" in short else ""


def options_of_help(text):
    """Rows such as `  -m, --bands N   ...` or `  -h, --heap[=KIND]` as (letter, name, argument)."""
    row = re.compile(r"^ +(?:-(\w), )?--([\w-]+)(?: ([A-Z][A-Z-]*)|(\[=[A-Z]+\]))?(?:  .*)?$", re.M)
    return {(m[1] or "", m[2], m[3] or m[4] or "") for m in row.finditer(text)}


def options_of_page(text):
    """Lines such as `.It Fl m , Fl Fl bands Ar N` as (letter, name, argument)."""
    row = re.compile(r"^\.It (?:Fl (\w) , )?Fl Fl ([\w-]+)(?: Ar ([A-Z][A-Z-]*)| Ns Op = Ns Ar ([A-Z]+))?$",
                     re.M)
    return {(m[1] or "", m[2], m[3] or (f"[={m[4]}]" if m[4] else "")) for m in row.finditer(text)}


def commands_of_help(text):
    return set(re.findall(r"^  (\w+) ", text, re.M)) - {"help"}


def main():
    census, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    overview = (directory / "census.1").read_text()
    for name in sorted(commands_of_help(help_of(census, "--help"))):
        if f".Xr census-{name} 1" not in overview:
            problems.append(f"census.1 does not mention census-{name}(1)")
        page = directory / f"census-{name}.1"
        if not page.exists():
            problems.append(f"{page.name} is missing")
            continue
        printed = options_of_help(help_of(census, name, "--help")) | options_of_help(all_help_of(census, name))
        written = options_of_page(page.read_text())
        if not {("", "help", ""), ("h", "help", "")} & printed:
            continue  # a command that reads its flags by itself; its own test compares them
        problems += [f"{page.name} lacks {row}" for row in sorted(printed - written)]
        problems += [f"census {name} --help lacks {row}" for row in sorted(written - printed)]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
