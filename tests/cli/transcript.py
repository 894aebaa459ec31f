#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Replays a transcript of shell commands and compares what they print.

A transcript is a text file. A line `$ COMMAND` is run by sh, in an empty directory with links
`samples` and `fixtures` and with `census` on the PATH. The lines below it are standard output, then
standard error with the prefix `! `, then `? N` for an exit status other than 0. A line `...` matches
any number of lines. Lines before the first command, and lines that start with `#` after a blank
line, are comments.

transcript.py CENSUS FILE            compares; exit status 1 when anything differs
transcript.py CENSUS FILE --update   writes the actual output into the file; check the difference
"""
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def parse(text):
    """The transcript as a list of [command or None, lines below it]; None holds comments."""
    parts = [[None, []]]
    for line in text.splitlines():
        after_blank = not parts[-1][1] or parts[-1][1][-1] == ""
        if line.startswith("$ "):
            parts.append([line[2:], []])
        elif line.startswith("#") and after_blank and parts[-1][0] is not None:
            parts.append([None, [line]])
        else:
            parts[-1][1].append(line)
    return parts


def run(command, directory, environment):
    """Runs one command; its transcript lines."""
    done = subprocess.run(["/bin/sh", "-c", command], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    lines = done.stdout.decode("utf-8", "backslashreplace").splitlines()
    lines += ["! " + line for line in done.stderr.decode("utf-8", "backslashreplace").splitlines()]
    if done.returncode != 0:
        lines.append(f"? {done.returncode}")
    return lines


def matches(expected, actual):
    """Whether the lines agree, `...` being any lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def set_up(directory, census):
    (directory / "samples").symlink_to(HERE.parent.parent / "samples")
    (directory / "fixtures").symlink_to(HERE / "fixtures")
    return {
        "PATH": f"{pathlib.Path(census).resolve().parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "TMPDIR": str(directory),
        **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS") or k == "QEMU_LD_PREFIX"},
    }


def main():
    census, name = sys.argv[1:3]
    path = pathlib.Path(name)
    parts = parse(path.read_text())
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        environment = set_up(directory, census)
        for part in parts:
            if part[0] is None:
                continue
            blanks = len(part[1]) - len("\n".join(part[1]).rstrip("\n").split("\n"))
            expected = part[1][:len(part[1]) - blanks] if any(part[1]) else []
            actual = run(part[0], directory, environment)
            if not matches(expected, actual):
                failed += 1
                print(f"$ {part[0]}")
                print("\n".join(difflib.unified_diff(expected, actual, "expected", "printed",
                                                     lineterm="")))
                part[1] = actual + [""]
    if "--update" in sys.argv:
        text = "\n".join(line for command, lines in parts
                         for line in ([f"$ {command}"] if command else []) + lines)
        path.write_text(text.rstrip("\n") + "\n")
        return 0
    return 1 if failed else 0


sys.exit(main())
