#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records what GHC and the real hpc make of the programs in cases/.

record.py [CASE...]

Compiles each program with -fhpc, runs it with its inputs, keeps the .mix and .tix files, runs the commands of
commands.py with the real hpc, and keeps what they print and write. Needs ghc and hpc (Debian: ghc). The hashes in the
files depend on the times of the sources, so that a new record differs everywhere.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import commands

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"

# Program: how it is compiled, and its runs: arguments and standard input.
PROGRAMS = {
    "recip": (["ghc -fhpc -v0 -w -o program Recip.hs"],
              [([], "3\n"), ([], "7\n8\n12\n"), ([], "1\n")]),
    "shapes": (["ghc -fhpc -v0 -w -o program Main.hs"],
               [([], ""), (["circle", "square", "nothing"], ""), (["big", "rectangle", "triangle", "circle"], "")]),
    "calc": (["ghc -fhpc -v0 -w -o program Main.hs"],
             [([], "1+2*3\n\n(4-1)/0\n"), ([], "-(2)*x\n(1\n"), ([], "8/2-3\n1 2\n*\n")]),
    "search": (["ghc -fhpc -v0 -w -o program Main.hs"],
               [(["b", "a", "c"], ""), (["a", "b", "c", "d", "b"], ""), (["fail", "quiet", "zero"], "")]),
    "unicode": (["ghc -fhpc -v0 -w -o program Main.hs"],
                [([], "Straße\nλ\n"), ([], ""), ([], "ein sehr langes Wort\nzwei\na\n")]),
    "queens": (["ghc -fhpc -v0 -w -o program Main.hs"],
               [(["4"], ""), (["3", "6"], ""), (["1"], "")]),
    "packages": (["ghc -fhpc -v0 -w -igeometry -this-unit-id geometry-1.0 -c geometry/Vector.hs geometry/Path.hs",
                  "ar rcs libHSgeometry-1.0.a geometry/Vector.o geometry/Path.o",
                  "ghc-pkg init packages.db",
                  "ghc-pkg register -v0 --package-db=packages.db geometry.conf",
                  "ghc -fhpc -v0 -w -package-db packages.db -iapp -o program app/Main.hs"],
                 [(["uull", "ud"], ""), (["uurrx"], ""), ([], "")]),
    "literate": (["ghc -fhpc -v0 -w -o program Main.lhs"],
                 [([], "a b a\n"), ([], ""), ([], "remarkable well-known\n")]),
    "machine": (["ghc -fhpc -v0 -w -o program Main.hs"],
                [([], "Push 1\nPush 2\nAdd\nHalt\n"),
                 ([], "Push 0\nJump {target = 3, condition = True}\nJump 0 False\nSwap\n"),
                 ([], "Jump 0 False\n")]),
    "cycle": (["ghc -fhpc -v0 -w -o program Main.hs"],
              [(["4"], ""), (["3", "0"], ""), ([], "")]),
    "guards": (["ghc -fhpc -v0 -w -o program Main.hs"],
               [(["one", "12", "a1", ""], ""), (["all", "x", "boxes", "quiz", "9999", "word"], ""), ([], "")]),
    "faults": (["ghc -fhpc -v0 -w -o program Main.hs"],
               [([], "set a 1\nget a\n\n"), ([], "try b\nget b\n"), ([], "set a 1\nset b 2\nset c 3\nset d 4\n"),
                ([], "div 6 0\n")]),
    "folders": (["ghc -fhpc -v0 -w -hpcdir hpc/library -isrc -c src/Roman.hs src/Text/Wrap.hs",
                 "ghc -fhpc -v0 -w -hpcdir hpc/program -isrc -iapp -o program app/Main.hs"],
                [(["12"], "the quick brown fox jumps\n"), (["30", "-"], "a line\n"), (["5"], "")]),
}


def compile_and_run(name, folder):
    """Leaves the .mix files in the folder, and run1.tix, run2.tix, ..."""
    builds, runs = PROGRAMS[name]
    for build in builds:
        subprocess.run(build.split(), cwd=folder, check=True)
    for number, (arguments, text) in enumerate(runs, 1):
        subprocess.run(["./program", *arguments], cwd=folder, input=text.encode(), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        (folder / "program.tix").rename(folder / f"run{number}.tix")


def record(name):
    case = CASES / name
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / name
        sources = [path for path in case.rglob("*") if path.suffix in (".hs", ".lhs", ".hs-boot", ".conf")]
        for path in sources:
            (folder / path.relative_to(case)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / path.relative_to(case))
        compile_and_run(name, folder)
        kept = [*folder.rglob("*.mix"), *folder.glob("*.tix")]
        for old in [*case.rglob("*.mix"), *case.glob("*.tix")]:
            old.unlink()
        for path in kept:
            (case / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, case / path.relative_to(folder))
    commands.record(case, shutil.which("hpc"))


def main():
    for name in sys.argv[1:] or PROGRAMS:
        record(name)
        print(name)


if __name__ == "__main__":
    main()
