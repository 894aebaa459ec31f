#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Repeats recorded commands of the real hpc with ours, and compares what they print and write.

run.py CENSUS [CASE...]

Pages are compared span by span (pages.py). A command that the real program refuses must fail with the same status and a
message on standard error.
"""
import difflib
import pathlib
import sys
import tempfile

import commands

# Files that the real program treats in another way, and ours refuses with the place that is wrong.
TOLERATED = {
    "latin.tix": "not UTF-8: the real program says that there is no such file",
    "--srcdir=latin": "not UTF-8: the real program says that there is no such file",
    "/hpc10 ": "a box without a place: the real program reads places only when it uses them",
    "/hpc11 ": "a box without a place: the real program reads places only when it uses them",
}

CASES = pathlib.Path(__file__).resolve().parent / "cases"


def check(case, program):
    """Returns the number of commands, and texts of what differs."""
    expected = {path.name: iter(path.read_text(encoding="utf-8").split("\n$ ")) for path in case.glob("expected*.txt")}
    differences = []
    count = 0
    for count, (name, words, text, messages) in enumerate(commands.records([program], case), 1):
        wanted = next(expected[name], "nothing")
        text = text.removeprefix("$ ").rstrip("\n")
        if any(part in " ".join(words) for part in TOLERATED):
            if not text.endswith("refused\n? 1") or ": " not in messages:
                differences.append(f"{case.name}: hpc {' '.join(words)}: not refused")
        elif text != wanted.removeprefix("$ ").rstrip("\n"):
            lines = difflib.unified_diff(wanted.removeprefix("$ ").rstrip("\n").split("\n"), text.split("\n"), "hpc", "ours", n=0, lineterm="")
            differences.append(f"{case.name}: hpc {' '.join(words)}\n" + "\n".join(list(lines)[:12]) + f"\n{messages}")
        elif "\nrefused\n" in text and ": " not in messages:
            differences.append(f"{case.name}: hpc {' '.join(words)}: no message, but {messages!r}")
    left = [name for name, texts in expected.items() if next(texts, None) is not None]
    if left:
        differences.append(f"{case.name}: {left}: more commands were recorded")
    return count, differences


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "hpc"
        program.symlink_to(pathlib.Path(sys.argv[1]).resolve())
        total, differences = 0, []
        for name in sys.argv[2:] or sorted(path.name for path in CASES.iterdir()):
            count, found = check(CASES / name, program)
            total += count
            differences += found
    print("\n".join(differences))
    print(f"{total} commands, {len(differences)} differ")
    return 1 if differences or not total else 0


if __name__ == "__main__":
    sys.exit(main())
