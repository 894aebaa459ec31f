#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks docs/documents.md: each row names what shows it, or says why nothing does; tests, their cases, sources and
linked files exist.

documents.py SOURCE BUILD CTEST
"""
import json
import pathlib
import re
import subprocess
import sys

COLUMNS = ["feature", "command", "shown by", "remark"]


def sources_of_tests(source, build, ctest):
    """Returns the text of the sources of each test: its script, or the file of a unit test."""
    listed = subprocess.run([ctest, "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    texts = {}
    for test in json.loads(listed.stdout)["tests"]:
        files = [pathlib.Path(word) for word in test.get("command", []) if word.endswith(".py")]
        files += source.glob(f"tests/unit/**/test_{test['name'].split('.')[-1]}.c")
        texts[test["name"]] = "".join(file.read_text() for file in files)
    return texts


def rows_of(text):
    """Returns the rows of all tables as (number of the line, cells)."""
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if line.startswith("|") and cells != COLUMNS and set(line) - set("|- "):
            rows.append((number, cells))
    return rows


def problems_of_row(cells, docs, tests):
    if len(cells) != len(COLUMNS):
        return [f"{len(cells)} cells instead of {len(COLUMNS)}"]
    feature, command, shown, remark = cells
    problems = [f"no file {target}" for target in re.findall(r"\]\(([^)#]*)", " ".join(cells))
                if not (docs / target).exists()]
    for name, cases in re.findall(r"`([\w./-]+)`(?:: ([\w, ]+))?", shown):
        if "/" in name:
            problems += [] if (docs.parent / name).exists() else [f"no file {name}"]
            continue
        meant = [test for test in tests if test == name or test.startswith(name + ".")]
        problems += [] if meant else [f"no test {name}"]
        for case in filter(None, cases.split(", ")):
            pattern = rf"(Test\(\w+, |class |def ){case.strip()}\b"
            if not any(re.search(pattern, tests[test]) for test in meant):
                problems.append(f"no case {case.strip()} of {name}")
    if not shown and not remark:
        problems.append("nothing shows it, and no remark says why")
    if not feature:
        problems.append("no feature")
    return problems


def main():
    source, build, ctest = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    path = source / "docs" / "documents.md"
    tests = sources_of_tests(source, build, ctest)
    rows = rows_of(path.read_text())
    problems = [f"{path}:{number}: {problem}" for number, cells in rows
                for problem in problems_of_row(cells, path.parent, tests)]
    print("\n".join(problems) or f"{len(rows)} rows")
    return 1 if problems or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
