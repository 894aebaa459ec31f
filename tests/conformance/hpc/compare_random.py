#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the real hpc and ours on random counts, boxes, texts, overlays and options, and compares.

compare_random.py CENSUS [COUNT [SEED]]

Each round takes a program of cases/, gives its modules random counts, sometimes makes up boxes that GHC would not write
(overlapping spans, spans after the end of a line, declarations without conditions), and runs random commands. Skips
(status 77) where hpc is not installed.
"""
import difflib
import pathlib
import random
import re
import shutil
import sys
import tempfile

import commands

CASES = pathlib.Path(__file__).resolve().parent / "cases"


def random_counts(rng, n):
    likely = rng.random()
    return [0 if rng.random() < likely else rng.choice((1, 1, 2, 17, 999, 1000, 9999, 10000, 123456, 7654321, 2**63, 2**64 - 1))
            for _ in range(n)]


def write_tix(rng, folder, name, modules):
    """Writes counts of some of the modules, a list of name, hash and number of boxes."""
    chosen = [module for module in modules if rng.random() < .9]
    rng.shuffle(chosen)
    blank = rng.choice(("", " ", "\n"))
    texts = []
    for module, number, n in chosen:
        counts = ",".join(map(str, random_counts(rng, n)))
        texts.append(f'TixModule "{module}" {number} {n} [{counts}]')
    (folder / name).write_text(f"Tix [{blank}{(',' + blank).join(texts)}{blank}]", encoding="utf-8")


def random_span(rng, widths):
    """A part of a text whose lines have these widths; sometimes it ends after a line."""
    first, last = sorted(rng.choice(range(1, len(widths) + 1)) for _ in range(2))
    if rng.random() < .7:
        last = first
    a, b = rng.randrange(1, widths[first - 1] + 2), rng.randrange(1, widths[last - 1] + (3 if rng.random() < .1 else 2))
    if first == last:
        a, b = sorted((a, b))
    return f"{first}:{a}-{last}:{b}"


def random_boxes(rng, text):
    """Boxes in any order and anywhere."""
    widths = [max(1, len(line)) for line in text.splitlines()]
    spans = [random_span(rng, widths) for _ in range(rng.choice((1, 3, 12)))]
    boxes = []
    for _ in range(rng.randrange(40)):
        span = rng.choice(spans) if rng.random() < .5 else random_span(rng, widths)
        kind = rng.choice(("exp", "exp", "exp", "alt", "top", "local", "bin"))
        if kind == "bin":
            condition = rng.choice(("Guard", "Cond", "Qual"))
            boxes += [f"({span},BinBox {condition}BinBox {value})" for value in (True, False)]
        else:
            name = rng.choice(("main", "f", "λ1", "x'", "==")).replace("λ", "\\955\\&")
            label = {"exp": "ExpBox False", "alt": "ExpBox True", "top": f'TopLevelBox ["{name}"]',
                     "local": f'LocalBox ["f","{name}"]'}[kind]
            boxes.append(f"({span},{label})")
    return "[" + ",".join(boxes) + "]"


def modules_of(rng, folder):
    """Reads the .mix files of a case, changes some. Returns name, hash and number of boxes of each module."""
    found = {}
    for path in sorted(folder.rglob("*.mix")):
        mix = path.read_text(encoding="utf-8")
        name = path.relative_to(next(parent for parent in path.parents if parent.name in (".hpc", "library", "program")))
        source, hash_ = re.match(r'Mix ("(?:[^"\\]|\\.)*") .* UTC (\d+)', mix).groups()
        source = re.sub(r"\\(\d+)", lambda m: chr(int(m[1])), source.strip('"'))
        text = (folder / source).read_text(encoding="utf-8")
        name = name.as_posix().removesuffix(".mix")
        if name not in found and rng.random() < .4:
            mix = mix[:mix.index("[")] + random_boxes(rng, text)
            for same in folder.rglob(path.name):
                if same.parent.name == path.parent.name or ".hpc" not in folder.joinpath(name).parts and same.name == path.name:
                    same.write_text(mix, encoding="utf-8")
        found.setdefault(name, (name, hash_, len(re.findall(r"(?:ExpBox|TopLevelBox|LocalBox|BinBox) ?(?:True|False|\[|Guard|Cond|Qual)", mix))))
    return list(found.values())


def random_overlay(rng, modules, texts):
    """An overlay for some of the modules."""
    words = [word for text in texts for word in re.findall(r"[\w']+|\([^()\"\\]*\)|\[[^\]\"\\]*\]", text)]

    def place():
        line = rng.randrange(1, 30)
        column = rng.randrange(1, 40)
        return rng.choice(("", "", f" on line {line}", f" at position {line}:{column}-{line}:{column + rng.randrange(9)}"))

    def tick(level):
        choice = rng.random()
        function = rng.choice(words)
        if level > 0 and choice < .25:
            return f'tick function "{function}"{place()};\n'
        if level > 0 and choice < .5 and level < 4:
            return f'inside "{function}" {{\n' + "".join(tick(level + 1) for _ in range(rng.randrange(4))) + "}\n"
        return rng.choice((f'tick "{rng.choice(words)}"{place()} [why not];\n', f'tick "{rng.choice(words)}"{place()};\n', f"tick{place()};\n"))

    text = "".join(tick(0) for _ in range(rng.choice((0, 0, 1))))
    for name, _, _ in modules:
        if rng.random() < .7:
            text += f'module "{name}" {{\n' + "".join(tick(1) for _ in range(rng.randrange(6))) + "}\n"
    return text


def random_words(rng, more, modules):
    """A command on a.tix, b.tix and c.tix."""
    names = [name for name, _, _ in modules]
    module = rng.choice(names)
    package, _, short = module.rpartition("/")
    limits = rng.choice(([], [], [], [f"--include={short}"], [f"--exclude={package}:{short}"], [f"--excl={package}:"],
                         [f"--include={package}:", "--exclude", short], ["--inc=:", f"--exclude={module}"]))
    files = rng.sample(["a.tix", "b.tix", "c.tix"], 3)
    operands = [files[0].removesuffix(".tix"), *rng.choice(([], [], [short]))]
    options = {
        "report": ["--per-module", "--decl-list", "--xml-output", "--verbosity=2"],
        "markup": ["--fun-entry-count", "--highlight-covered", "--verbosity=0", "--destdir=pages/deep"],
        "show": ["--output=nothing"], "draft": ["--output=draft.ovl"], "overlay": ["--output=o.tix"],
        "sum": ["--union", "--output=s.tix"], "combine": ["--union", "--function=DIFF", "--function=sub", "--output=k/c.tix"],
        "map": ["--function=INV", "--function=ZERO", "--function=id", "--output=m.tix", "--union"],
    }
    command = rng.choice((*options, "report", "markup", "draft"))
    chosen = [option for option in options[command] if rng.random() < .4]
    if command == "overlay":
        words = [*more, *chosen, *rng.choice((["x.ovl"], ["y.ovl", "x.ovl"]))]
    elif command in ("sum", "combine", "map"):
        n = {"sum": rng.randrange(1, 4), "combine": 2, "map": 1}[command]
        words = [*limits, *chosen, *files[:n]]
    else:
        words = [*more, *limits, *chosen, *operands]
    return [command, *words]


def compare(rng, case, ours, real):
    """One round. Yields the command and what differs, or "" for nothing."""
    with tempfile.TemporaryDirectory() as temporary:
        folders = [pathlib.Path(temporary).resolve() / name for name in ("ours", "real")]
        commands.copy_case(case, folders[0])
        modules = modules_of(rng, folders[0])
        texts = [path.read_text(encoding="utf-8") for path in sorted(folders[0].rglob("*.*hs"))]
        for name in ("a.tix", "b.tix", "c.tix"):
            write_tix(rng, folders[0], name, modules)
        for name in ("x.ovl", "y.ovl"):
            (folders[0] / name).write_text(random_overlay(rng, modules, texts), encoding="utf-8")
        shutil.copytree(folders[0], folders[1])
        more = commands.FOLDERS.get(case.name, [])
        for _ in range(12):
            words = random_words(rng, more, modules)
            got, messages = commands.run([ours], words, folders[0])
            wanted, _ = commands.run([real], words, folders[1])
            for folder in folders:  # one may lack what the other has written
                for path in (folder / name for name in ("s.tix", "o.tix", "m.tix", "k/c.tix", "draft.ovl")):
                    path.unlink(missing_ok=True)
            if "2^64" in messages:  # a limit of ours
                continue
            lines = difflib.unified_diff(wanted.split("\n"), got.split("\n"), "hpc", "ours", n=0, lineterm="")
            yield words, "\n".join(list(lines)[:8]) + messages if got != wanted else ""


def main():
    real = shutil.which("hpc")
    if not real:
        print("skipped: hpc is not installed")
        return 77
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    total = n_different = 0
    with tempfile.TemporaryDirectory() as folder:
        ours = pathlib.Path(folder) / "hpc"
        ours.symlink_to(pathlib.Path(sys.argv[1]).resolve())
        cases = sorted(path for path in CASES.iterdir())
        for number in range(seed, seed + count):
            rng = random.Random(number)
            case = rng.choice(cases)
            for words, difference in compare(rng, case, ours, real):
                total += 1
                if difference:
                    n_different += 1
                    print(f"seed {number}, {case.name}: hpc {' '.join(words)}\n{difference}\n")
    print(f"{total} commands, {n_different} differ")
    return 1 if n_different or not total else 0


if __name__ == "__main__":
    sys.exit(main())
