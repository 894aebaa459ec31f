#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks where functions are declared, and the direction of calls between the floors of a room.

functions.py SOURCE_DIRECTORY

Declarations: a function that X.c defines for other files is declared in X.h, public or not, or in a header of its
family: of two names, one is the beginning of the other up to an underscore (live.h and live_bytes.c).
Calls: a function uses functions of its own floor and of the floors before it, whatever header declares them.
"""
import collections
import pathlib
import re
import sys

import includes

IGNORED = re.compile(r'\bHPF_(?:BEGIN|END)_DECLS\b|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
FUNCTION = re.compile(r"\b([a-z]+_\w+)\(")


def statements(code):
    """Yields (text, ends_in_body) for each statement that is not inside braces, except those of extern "C"."""
    depth = 0
    start = 0
    for mark in re.finditer(r"[{};]", code):
        if mark.group() == "{":
            if depth == 0 and code[start:mark.start()].strip() == "extern":
                start = mark.end()
                continue
            if depth == 0:
                yield code[start:mark.start()], True
            depth += 1
        elif mark.group() == "}":
            depth = max(depth - 1, 0)
            start = mark.end() if depth == 0 else start
        elif depth == 0:
            yield code[start:mark.start()], False
            start = mark.end()


def functions(code, are_defined):
    for text, is_body in statements(code):
        found = FUNCTION.search(text)
        if found and is_body == are_defined and "=" not in text and not re.match(r"\s*(static|typedef)\b", text):
            yield found.group(1)


def stem(file):
    return pathlib.PurePosixPath(file).stem


def is_family(header, source):
    header = header.removesuffix("_state")
    return f"{source}_".startswith(f"{header}_") or f"{header}_".startswith(f"{source}_")


def room_problems(room):
    code = {file: IGNORED.sub(" ", (room.folder / file).read_text()) for file in room.files}
    sources = {file: text for file, text in code.items() if file.endswith(".c")}
    defined = collections.defaultdict(set)
    declared = collections.defaultdict(set)
    for file, text in code.items():
        for function in functions(text, file in sources):
            (defined if file in sources else declared)[function].add(file)
    for function, files in sorted(defined.items()):
        headers = {file for file in declared[function] if not room.is_below_all(file)}
        if headers and not any(is_family(stem(header), stem(source)) for header in headers for source in files):
            yield f"{room.name}/{min(files)}: {function} is declared in {min(headers)}"
    floors = includes.FLOORS[room.name]
    for file, text in sources.items():
        floor = room.floor(file)
        for function in sorted(set(FUNCTION.findall(text)) & set(declared) & set(defined)):
            above = min(room.floor(source) for source in defined[function])
            may = includes.SIDEWAYS.get((room.name, floors[floor]), ())
            if above > floor and floors[above] not in may:
                yield f"{room.name}/{file}: {function} is of {floors[above]}, above {floors[floor]}"


def main():
    root = pathlib.Path(sys.argv[1])
    problems = [problem for name in includes.FLOORS for problem in room_problems(includes.Room(root, name))]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
