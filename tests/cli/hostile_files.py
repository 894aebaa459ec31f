#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs census hpc with damaged .mix and .tix files, and with files that name devices, pipes, folders and other files than
texts of modules; and census report with heaptrack recordings of such modules.

hostile_files.py CENSUS FIRST LAST

Each run must end by itself with status 0, or with status 1 and a message; it reads no pipe and no device, prints no text of
another file, and writes only into its destination. Damage is chosen at random, by a
number for each case.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

CENSUS = pathlib.Path(sys.argv[1]).resolve()
TESTS = pathlib.Path(__file__).resolve().parent.parent
CASES = TESTS / "conformance/hpc/cases"
PATIENCE_S = 60  # /dev/zero never ends
PIPED, SECRET = b"text of a pipe", b"text of another file"
NUMBERS = ["0", "-1", "1", "7", "4294967296", "9223372036854775807", "18446744073709551616", "9" * 400]
NAMES = ["/dev/zero", "/dev/tty", "pipe", "pipe.hs", "zero.hs", "folder", "folder.hs", "linked", "../outside/secret.txt",
         "{root}/outside/secret.txt", "..", ".", "", "/", "../" * 40 + "etc/passwd", "x" * 5000 + ".hs", "Main.hs/Main.hs", "\\0.hs"]
MODULES = ["../evil", "../../outside/evil", "{root}/outside/evil", "a/../../../evil", "..", "", "out", "x" * 300]
COMMANDS = [["report"], ["report", "--per-module", "--decl-list", "--xml-output"], ["markup", "--destdir=out"], ["show"],
            ["draft", "--output=out/draft.ovl"], ["sum", "--output=out/sum.tix", "run2.tix"]]
OVERLAY = 'tick;\nmodule "Main" { tick on line 9; inside "main" { tick; } tick at position 3:1-9:4; }\n'


def add_traps(root, folder):
    """Makes what a run must not touch. Returns the pipe, which holds a text until somebody reads it."""
    (root / "outside").mkdir()
    (root / "outside/secret.txt").write_bytes(SECRET)
    (root / "outside/linked.hs").write_bytes(b"a link in a source folder is followed")
    (folder / "linked").symlink_to(root / "outside/linked.hs")
    (folder / "zero.hs").symlink_to("/dev/zero")
    (folder / "folder").mkdir()
    (folder / "folder.hs").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "pipe.hs").symlink_to("pipe")
    pipe = os.open(folder / "pipe", os.O_RDWR | os.O_NONBLOCK)
    os.write(pipe, PIPED)
    return pipe


def files_below(root, without):
    """All files with their contents, and all folders, except those in one folder."""
    return {path: path.read_bytes() if path.is_file() else path.lstat().st_mode
            for path in root.rglob("*") if without not in (path, *path.parents)}


def bend_bytes(chance, data):
    """Cuts the file, or changes, swaps, repeats or removes bytes."""
    at, end = sorted(chance.choices(range(len(data) + 1), k=2))
    some = bytes(chance.choices(b'[](),:"-_ \\\n\0\xff019aM', k=chance.randint(1, 4)))
    return chance.choice([data[:at], data[:at] + some + data[at + len(some):], data[:at] + some + data[at:],
                          data[:at] + data[end:], data[:end] + data[at:], data[end:] + data[at:end]])


def bend_numbers(chance, data):
    """Replaces a few numbers by others of the file or by extreme ones."""
    numbers = list(re.finditer(rb"\d+", data))
    for m in sorted(chance.sample(numbers, min(len(numbers), chance.randint(1, 3))), key=lambda m: -m.start()):
        other = chance.choice([chance.choice(NUMBERS).encode(), chance.choice(numbers)[0]])
        data = data[:m.start()] + other + data[m.end():]
    return data


def damage(chance, root, folder):
    """Damages a file of the program in `folder`."""
    mixes = sorted((folder / ".hpc").rglob("*.mix"))
    victim = chance.choice([*mixes, folder / "run1.tix"])
    kind = chance.choice(["bytes", "numbers", "text", "text", "module", "file"])
    if kind == "bytes":
        victim.write_bytes(bend_bytes(chance, victim.read_bytes()))
    elif kind == "numbers":
        victim.write_bytes(bend_numbers(chance, victim.read_bytes()))
    elif kind == "text":
        victim, name = chance.choice(mixes), chance.choice(NAMES).format(root=root)
        victim.write_bytes(re.sub(rb'Mix "[^"]*"', lambda _: f'Mix "{name}"'.encode(), victim.read_bytes(), count=1))
    elif kind == "module":  # whose .mix file exists, if there can be one
        name = chance.choice(MODULES).format(root=root)
        try:
            shutil.copy(folder / ".hpc/Main.mix", folder / ".hpc" / f"{name}.mix")
        except OSError:
            pass
        tix = folder / "run1.tix"
        tix.write_bytes(re.sub(rb'"Main"', lambda _: f'"{name}"'.encode(), tix.read_bytes()))
    else:
        victim.unlink()
        victim.symlink_to(chance.choice(["/dev/zero", folder / "pipe", folder / "folder", folder / "linked", "nothing"]))
    return f"{kind} of {victim.relative_to(folder)}"


def run(words, folder, pipe, what):
    """Runs census. Returns texts of what is wrong."""
    try:
        done = subprocess.run([CENSUS, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return [f"{what}: {words} did not end"]
    printed = done.stdout + done.stderr
    try:
        left = os.read(pipe, 100)
    except BlockingIOError:
        left = b""
    os.write(pipe, PIPED)
    faults = {"status": done.returncode not in (0, 1), "no message": done.returncode == 1 and b": " not in done.stderr,
              "the pipe was read": left != PIPED, "printed another file": PIPED in printed or SECRET in printed,
              "sanitizer": b"Sanitizer" in printed or b"runtime error:" in printed}
    return [f"{what}: {words}: {fault}, status {done.returncode}\n{done.stderr.decode(errors='replace')[:2000]}"
            for fault, is_true in faults.items() if is_true]


def check_coverage(chance, root):
    case = chance.choice([path for path in sorted(CASES.iterdir()) if (path / ".hpc/Main.mix").exists()])
    folder = root / "work/case"
    shutil.copytree(case, folder)
    (folder / "given.ovl").write_text(OVERLAY)
    pipe = add_traps(root, folder)
    what = f"{case.name}, {damage(chance, root, folder)}"
    before = files_below(root, folder / "out")
    problems = []
    for words in [*([*words, "run1.tix"] for words in COMMANDS), ["overlay", "--output=out/overlay.tix", "given.ovl"]]:
        (folder / "out").mkdir(exist_ok=True)
        problems += run(["hpc", *words], folder, pipe, what)
    os.close(pipe)
    if files_below(root, folder / "out") != before:
        problems.append(f"{what}: files outside the destination changed")
    if any(text in path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file() for text in (PIPED, SECRET)):
        problems.append(f"{what}: copied another file")
    return problems


def check_modules(root):
    """A recording whose modules are one of the traps each."""
    recording = (TESTS / "conformance/exchange/samples/heaptrack-raw.txt").read_bytes()
    folder = root / "work"
    folder.mkdir()
    pipe = add_traps(root, folder)
    problems = []
    for name in ("/dev/zero", "/dev/tty", "/", *(folder / name for name in ("pipe", "pipe.hs", "zero.hs", "folder", "linked"))):
        path = os.fsencode(name)
        modules = re.sub(rb"^m \S+ (?!-)\S+", lambda _, path=path: b"m %x %b" % (len(path), path), recording, flags=re.M)
        named = re.sub(rb"^x \S+ .*", lambda _, path=path: b"x %x %b" % (len(path), path), modules, flags=re.M)
        assert modules != recording and named != modules
        (folder / "x.heaptrack").write_bytes(named)
        problems += run(["report", "x.heaptrack"], folder, pipe, f"modules {name}")
    os.close(pipe)
    return problems


def main():
    problems, (first, last) = [], map(int, sys.argv[2:])
    with tempfile.TemporaryDirectory(prefix="census-files-") as root:
        problems += check_modules(pathlib.Path(root).resolve())
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory(prefix="census-files-") as root:
            found = check_coverage(random.Random(seed), pathlib.Path(root).resolve())
            problems += [f"seed {seed}: {problem}" for problem in found]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
