# SPDX-License-Identifier: BSD-2-Clause
"""The commands that are compared for each case, and how their results are kept.

A record is text: "$ " and a command, what it printed, the pages and files it wrote, and "? " with its exit status. Where
the real program ends with an exception, its message is not recorded: ours is a better one.
"""
import itertools
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

import pages

# More arguments of all commands that look for .mix files, by case.
FOLDERS = {"folders": ["--hpcdir=hpc/program", "--hpcdir=hpc/library"]}

OVERLAYS = {
    "recip": {
        "all.ovl": 'tick;\nmodule "Main" {}\n',
        "lines.ovl": 'module "Main" {\n  tick on line 13;\n  inside "divide" { tick "r == 0"; tick function "divide" on line 9; }\n'
                     '  tick "1" [category one];\n}\n',
        "places.ovl": 'tick at position 17:37-17:49;\nmodule "Main" { inside "main" { inside "main" { tick; } } }\n'
                      'module "Main" { tick function "showRecip"; }\n',
    },
    "unicode": {"words.ovl": 'module "Größe" { tick "\\"klein\\""; inside "\\955" { tick on line 10; } tick function "⊕"; }\n'},
    # The original compares one character too many of an expression of several lines.
    "folders": {"several.ovl": 'module "Main" { tick "(if length words\' > 1\\n      then 2 else 1) "; }\n',
                "exact.ovl": 'module "Main" { tick "(if length words\' > 1\\n      then 2 else 1)"; }\n'},
    "packages": {"package.ovl": 'module "geometry-1.0/Vector" { tick function "dot"; }\nmodule "Main" { }\n'},
}


def of_case(case):
    """Yields the commands of a case, lists of words; some use files that those before them write."""
    tixs = sorted(path.name for path in case.glob("run*.tix"))
    runs = [name.removesuffix(".tix") for name in tixs]
    more = FOLDERS.get(case.name, [])
    for run in runs:
        yield ["report", *more, run]
        yield ["report", *more, "--per-module", "--decl-list", run]
        yield ["draft", *more, run, "--output=draft.ovl"]
        yield ["overlay", *more, "draft.ovl"]
    yield ["report", *more, "--decl-list", runs[0]]
    yield ["report", *more, "--xml-output", "--per-module", runs[1]]
    yield ["report", *more, "--xml-output", tixs[2], "--decl-list", "Main"]
    yield ["report", *more, "--exclude=Main", runs[1]]
    yield ["report", *more, "--include=geometry-1.0:", "--include=:", "--exclude=:Main", runs[1], "--per-module"]
    yield ["show", *more, runs[-1]]
    yield ["show", *more, runs[0], "Main"]
    yield ["draft", *more, runs[-1], "Main"]
    yield ["sum", *tixs]
    yield ["sum", "--union", "--exclude=Main", "--output=new/sum.tix", *tixs]
    for function, (a, b) in itertools.product(("ADD", "DIFF", "sub"), ((0, 1), (-1, 1))):
        yield ["combine", f"--function={function}", tixs[a], tixs[b]]
    yield ["combine", "--include=Main", "--output=main.tix", tixs[0], tixs[1]]
    yield ["combine", "main.tix", tixs[2]]
    yield ["combine", "--union", tixs[2], "main.tix"]
    for function in ("Id", "INV", "ZERO"):
        yield ["map", f"--function={function}", tixs[1], f"--output=mapped{function}.tix"]
    yield ["report", *more, "mappedINV"]
    yield ["markup", *more, runs[0]]
    yield ["markup", *more, "--fun-entry-count", "--verbosity=0", "--destdir=pages/all", "new/sum.tix"]
    yield ["markup", *more, "--highlight-covered", "--exclude=Main", "--destdir=pages", "mappedINV.tix"]
    yield ["markup", *more, "--fun-entry-count", "--verbosity=2", "--destdir=pages", runs[-1], "Main"]
    for name in OVERLAYS.get(case.name, {}):
        yield ["overlay", *more, name]
    if case.name == "recip":
        yield ["overlay", *OVERLAYS["recip"], "--output=overlay.tix"]
        yield ["report", "--srcdir=nothing", "--srcdir=.", "overlay"]
        yield ["report", "run1.exe"]


# Usage, right and wrong; in a folder without files.
USAGE = [[], ["help"], ["version"], ["version", "x"], ["nothing"], ["--nothing"], ["help", "nothing"], ["help", "help"],
         *[["help", name] for name in ("report", "markup", "sum", "combine", "map", "overlay", "draft", "show", "version")],
         ["help", "report", "x"], ["report"], ["markup"], ["sum"], ["combine"], ["map"], ["overlay"], ["show"],
         ["report", "none"], ["markup", "none"], ["draft", "none.tix"], ["show", "a.b"],
         ["combine", "a"], ["combine", "a", "b", "c"], ["map", "a", "b"], ["version", "--x"], ["help", "-h"],
         ["report", "--help"], ["report", "--h"], ["report", "--in"], ["report", "--in="], ["report", "--="],
         ["report", "--ver"], ["report", "--verb"], ["markup", "--dest"], ["report", "--per-module=3"],
         ["report", "-abc-", "-a-b", "--x", "--", "--y"], ["markup", "-äb", "--ü=1", "--srcdir"],
         ["sum", "--per-module"], ["draft", "--xml-output", "--reset", "--hp", "--s"], ["report", "-", "--xml"]]


def refusals(case, folder):
    """Damages copies of the files of a case in `folder`. Yields commands on them."""
    tix = (case / "run1.tix").read_text()
    mix = (case / ".hpc/Main.mix").read_text()
    text = (case / "Recip.hs").read_text()
    counts = tix[tix.index("["):]
    counts = counts[counts.index("[", 1):]

    def damaged(name, content):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    other_hash = tix.replace('"Main" ', '"Main" 9', 1)
    for number, content in enumerate((
            "", "Tix", "Tix [", "Tix []x", "tix []", "Tix [] []", tix[:20], tix[:-1], tix[:-2], tix + "]", tix.replace(",", ";", 1),
            tix.replace("TixModule", "Module"), tix.replace('"Main"', "Main"), tix.replace('"Main"', '"Ma\\qin"'),
            tix.replace('"Main"', '"Main'), tix.replace("[1", "[1.5"), tix.replace("[1", "[x"), tix.replace("1,1]]", "1,]]"))):
        name = damaged(f"bad{number}.tix", content)
        yield ["report", name]
        yield ["map", name]
        yield ["combine", "run1.tix", name]
    for name, content in (
            ("hash.tix", other_hash), ("few.tix", tix.replace(counts, "[" + counts[3:])),
            ("many.tix", tix.replace(counts, "[0," + counts[1:])), ("one.tix", tix.replace(counts, "[1]]")),
            ("declared.tix", tix.replace(" 119 [", " 118 [")), ("unknown.tix", tix.replace('"Main"', '"Other"')),
            ("empty.tix", "Tix []"), ("blanks.tix", " Tix\n[ TixModule \"Main\"" + tix[22:] + " \n"),
            ("none.tix", tix[:tix.index(counts)] + "[]]"), ("latin.tix", b'Tix [TixModule "M\xe4in" 1 0 []]')):
        damaged(name, content)
        for command in ("report", "report --per-module --decl-list", "show", "draft", "markup", "sum", "map --function=INV",
                        "combine --function=DIFF run1.tix", "sum run1.tix", "sum --union run1.tix"):
            yield [*command.split(), name]
    for number, content in enumerate((
            "", "Mix", mix[:40], mix[:-1], mix + "x", mix.replace("UTC", "CET"), mix.replace("ExpBox", "Box", 1),
            mix.replace("True", "Maybe", 1), mix.replace("GuardBinBox", "GuardBox", 1), mix.replace('["position"]', "position"),
            mix.replace("(16:21-16:21", "(16-21-16:21", 1), mix.replace("(16:21-16:21", "(a:21-16:21", 1),
            mix.replace('"Recip.hs"', "Recip.hs"), mix.replace("BinBox GuardBinBox False", "ExpBox False", 1))):
        (folder / f"hpc{number}").mkdir()
        damaged(f"hpc{number}/Main.mix", content)
        yield ["report", "--hpcdir=" + os.fspath(folder / f"hpc{number}"), "--reset-hpcdirs", "run1"]
        yield ["draft", f"--hpcdir=hpc{number}", "run1"]
    for number, content in enumerate((
            "x", "tick", "tick function \"main\";", 'module "Main" {', 'module "Main" { tick "x }', 'module "Main" { tick on line; }',
            'module "Main" { tick on line 3 }', 'module "Main" { tick at position 1:2-3; }', 'module "Main" { inside main { } }',
            'module "Main" { tick [x; }', 'module "Nothing" { }', 'module "Main" { } }', 'module "Main" { tick; } tick;', "@",
            'module "Main" { tick "\\q"; }', 'module Main { }', 'module "Main" { tick function divide; }')):
        yield ["overlay", damaged(f"bad{number}.ovl", content)]
    yield ["overlay", "all.ovl", "missing.ovl"]
    yield ["combine", "--function=MUL", "run1.tix", "run2.tix"]
    yield ["map", "--function=ADD", "run1.tix"]
    yield ["markup", "--verbosity=7", "run1"]
    yield ["report", "--verbosity=7", "run1"]
    yield ["report", "--srcdir=nothing", "run1"]
    yield ["report", "--reset-hpcdirs", "--hpcdir=.hpc", "run1"]
    yield ["draft", "--output=no/folder.ovl", "run1"]
    for name, content in (("short", "\n".join(text.split("\n")[:9])), ("empty", ""), ("latin", text.encode() + b"\xe4\n")):
        (folder / name).mkdir()
        damaged(f"{name}/Recip.hs", content)
        hpcdir = "--hpcdir=" + os.fspath(folder / ".hpc")
        yield ["draft", f"--srcdir={name}", hpcdir, "run3"]
        yield ["overlay", f"--srcdir={name}", hpcdir, "lines.ovl"]
    yield ["markup", "--srcdir=latin", hpcdir, "run1"]
    (folder / "Recip.hs").unlink()
    for command in ("draft", "markup"):
        yield [command, "run1"]
    yield ["overlay", "all.ovl"]


def run(program, words, folder):
    """Runs a command. Returns its record."""
    before = set(folder.rglob("*"))
    result = subprocess.run([*program, *words], cwd=folder, capture_output=True, check=False)
    printed = result.stdout.decode("utf-8", "replace")
    has_failed = bool(result.returncode and (result.stderr or not printed.startswith(("Error", "hpc failed", "no such"))))
    lines = ["$ " + shlex.join(words).replace(os.fspath(folder), "."), printed.removesuffix("\n")]
    if has_failed:
        lines[1] = "refused"
    written = [path for path in folder.rglob("*") if path not in before and path.is_file() and not path.suffix == ".html"]
    for path in sorted(written) if not has_failed else []:
        content = path.read_text(encoding="utf-8")
        lines += [f"> {path.relative_to(folder)}" + ("" if content.endswith("\n") else " without line feed"), content.removesuffix("\n")]
    if words and words[0] == "markup" and not has_failed:
        lines.append(pages.describe_folder(folder).removesuffix("\n"))
    if words and words[0] == "markup":
        for path in folder.rglob("*.html"):
            path.unlink()
    lines.append(f"? {result.returncode}")
    return "\n".join(lines) + "\n", result.stderr.decode("utf-8", "replace")


def copy_case(case, folder):
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected*"))
    for name, content in OVERLAYS.get(case.name, {}).items():
        (folder / name).write_text(content, encoding="utf-8")


def records(program, case):
    """Yields file name, command, record and messages for everything that is compared with the case."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary).resolve() / "case"
        copy_case(case, folder)
        for words in of_case(case):
            yield "expected.txt", words, *run(program, words, folder)
        if case.name == "recip":
            damaged = folder.parent / "damaged"
            copy_case(case, damaged)
            for words in refusals(case, damaged):
                yield "expected-refusals.txt", words, *run(program, words, damaged)
            empty = folder.parent / "empty"
            empty.mkdir()
            for words in USAGE:
                yield "expected-usage.txt", words, *run(program, words, empty)


def record(case, hpc):
    """Writes the records of the real program."""
    files = {}
    for name, _, text, _ in records([hpc], case):
        files.setdefault(name, []).append(text)
    for name, texts in files.items():
        (case / name).write_text("\n".join(texts), encoding="utf-8")
