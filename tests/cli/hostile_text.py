#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs every command with file names, arguments, thread names and contents that try to control the
terminal, and checks that nothing of it reaches the terminal.

hostile_text.py CENSUS PROGRAM   PROGRAM is hostile.c, compiled
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "samples"
FIXTURES = pathlib.Path(__file__).resolve().parent / "fixtures"
PATIENCE_S = 120

# Sets the title of a terminal, rings, erases, colours, and turns the direction of text; the last
# byte is not UTF-8, and a control character in terminals of 8 bits.
HOSTILE = b"\x1b]0;EVIL\x07\x08\x7f\r\xc2\x9b31m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\x1b[2J\x9b"
SEPARATORS_AND_CHANGES_OF_DIRECTION = {0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F),
                                       *range(0x2066, 0x206A)}


def controls(printed):
    """The characters that a terminal would obey, and bytes that are not UTF-8."""
    return sorted({char for char in printed.decode("utf-8", "surrogateescape")
                   if (char < " " and char not in "\n\t") or 0x7F <= ord(char) < 0xA0
                   or 0xDC80 <= ord(char) <= 0xDCFF
                   or ord(char) in SEPARATORS_AND_CHANGES_OF_DIRECTION})


def write_inputs(folder):
    """Files whose names and contents are hostile, by what they are."""
    def make(suffix, content):
        path = folder / os.fsdecode(b"in" + HOSTILE + suffix.encode())
        path.write_bytes(content)
        return os.fsencode(path.name)

    module = HOSTILE[:-1].replace(b"\x1b]", b"")
    (folder / ".hpc").mkdir()
    (folder / ".hpc" / os.fsdecode(module + b".mix")).write_bytes(
        b'Mix "' + module + b'.hs" 2026-11-22 00:00:00 UTC 7 8 [(1:1-1:9,TopLevelBox ["' + module + b'"]),'
        b'(2:1-2:4,ExpBox False),(9:1-9:2,ExpBox False)]')
    (folder / os.fsdecode(module + b".hs")).write_bytes(module.replace(b"\r", b"") + b"\n" + module + b"\n" * 9)
    head = (b'JOB "' + HOSTILE + b'"\nDATE "' + HOSTILE + b'"\nSAMPLE_UNIT "' + HOSTILE
            + b'"\nVALUE_UNIT "' + HOSTILE + b'"\n')
    sample = (b"BEGIN_SAMPLE %d\n" + HOSTILE.replace(b"\r", b"") + b"\t%d\nother\t2\n"
              b"END_SAMPLE %d\n")
    profile = head + b"".join(sample % (i, i + 1, i) for i in range(3))
    log = (SAMPLES / "eventlog/interp-prof-small-p-lau.eventlog").read_bytes()
    return {
        "profile": make(".hp", profile + b'MARK 1 "' + HOSTILE + b'"\n'),
        "other": make("2.hp", profile.replace(b"EVIL", b"evil")),
        "broken": make("3.hp", head + HOSTILE + b"\n"),
        "cut": make("4.hp", profile + b"BEGIN_SAMPLE 9\n" + HOSTILE),
        "lines": make(".lines", b'LINE 1 "' + HOSTILE + b'" 5\n'),
        "log": make(".eventlog", log.replace(b"interp", b"\x1b]0;\x9b\x07")),
        "ticky": make("5.eventlog", (FIXTURES / "ticky.eventlog").read_bytes()
                      .replace(b"main", b"\x1b]0;")),
        "prof": make(".prof", b"\tSat Nov 21 02:03 2026 " + HOSTILE + b"\n\n" + HOSTILE + b"\n"),
        "costs": make("6.prof", (SAMPLES / "prof/interp-prof-P.prof").read_bytes()
                      .replace(b"eval ", b"\x1b]0;\x07").replace(b"interp ", HOSTILE + b" ")),
        "places": make("7.hp", head + b'BEGIN_SAMPLE 1\nf@' + HOSTILE.replace(b"\r", b"")
                       + b'.txt:2\t5\nEND_SAMPLE 1\n'),
        "snapshot": make(".heapsnapshot", (FIXTURES / "cache.heapsnapshot").read_bytes().replace(
            b'"Cache"', json.dumps(HOSTILE.decode("utf-8", "surrogateescape")).encode())),
        "tix": make(".tix", b'Tix [TixModule "' + module + b'" 7 3 [0,0,0]]'),
        "list": make(".txt", b"#00ff00" + HOSTILE + b"\n" + HOSTILE + b"\n"),
        "missing": b"missing" + HOSTILE,
        "folder": b".",
    }


def cases(files, program):
    """Command lines by command. An argument in braces is one of the files."""
    bad = HOSTILE
    name = {key: b"{" + key.encode() + b"}" for key in files}
    every_input = [name[key] for key in files if key not in ("list", "tix")]
    one_input = {
        "report": [[], [b"--format", b"csv"], [b"--time"], [b"--ticky"], [b"--nonmoving"],
                   [b"--source", b"."], [b"--source", name["missing"]], [b"--sets", name["prof"]],
                   [b"--holders", b"text"], [b"--holders", bad], [b"--where", b"@5"], [b"--where", b"@" + bad],
                   [b"--where", bad], [b"-o", name["folder"]]],
        "explain": [[], [name["profile"]]],
        "info": [[], [b"--events"]],
        "convert": [[b"-o", b"out" + bad + b".hp"], [b"--format", b"folded", b"-o", b"out"],
                    [b"-o", b"out" + bad], [b"--format", b"eventlog", b"-o", b"no" + bad + b"/x"]],
        "merge": [[b"-o", b"out" + bad + b".hp"], [b"--each"], [b"--format", bad],
                  [b"-o", b"no" + bad + b"/x.hp"], [b"--clock", b"date", b"-o", b"out.csv"]],
        "plot": [[b"-o", b"out" + bad + b".pdf"], [b"-o", b"out.svg", b"--overlay", bad],
                 [b"-o", b"out.svg", b"--colours", name["list"]],
                 [b"-o", b"out.svg", b"--colours", name["missing"]],
                 [b"-o", b"out.svg", b"--match", b"(" + bad],
                 [b"-o", b"out" + bad + b".pgf", b"--latex"],
                 [b"-o", b"out.svg", b"--sets", name["broken"]],
                 [b"-o", b"no" + bad + b"/out.svg"]],
        "watch": [[b"--once", b"-o", b"out" + bad + b".svg"],
                  [b"--once", b"-o", b"no" + bad + b"/out.svg"]],
        "open": [[b"--once", b"--listen=unix:socket" + bad, b"--no-browser"], [b"--once", b"--listen=" + bad],
                 [b"--once", b"--source", b"no" + bad]],
        "hp2ps": [[], [b"-e" + bad], [b"--format", bad]],
    }
    lines = {command: [words + [given] for words in options for given in every_input]
             for command, options in one_input.items()}
    for command in ("watch", "open"):
        lines[command] = [line for line in lines[command] if line[-1] not in (name["missing"], name["folder"])]
    lines["diff"] = [words + [name["profile"], other] for other in every_input
                     for words in ([], [b"--format", b"csv"], [b"-o", b"out" + bad + b".pdf"])]
    lines["hpc"] = [words + [name["tix"]] for words in (
        [bad], [b"help", bad], [b"report", b"--decl-list"], [b"report", b"--per-module"], [b"report", b"--" + bad],
        [b"report", b"-" + bad], [b"report", b"--srcdir=" + bad], [b"report", b"--xml-output"], [b"show"], [b"draft"],
        [b"markup"], [b"markup", b"--destdir=" + bad], [b"sum"], [b"sum", b"--output=no" + bad + b"/x.tix"],
        [b"map", b"--function=" + bad], [b"combine", name["tix"]], [b"overlay"], [b"overlay", name["list"]])]
    lines["mark"] = [[b"999999999", bad], [bad, bad], [b"1", bad]]
    run = os.fsencode(program.name)
    lines["run"] = [
        [b"-o", b"base" + bad, b"./" + run, bad], [b"-p", b"-o", b"base", b"./" + run, bad],
        [b"-o", b"base", b"-o", b"out" + bad + b".svg", b"./" + run],
        [b"-o", b"base", b"--watch", b"./" + run],
        [b"-o", b"base", b"--watch=out" + bad + b".svg", b"./" + run],
        [b"-o", b"base", b"--listen=" + bad, b"./" + run],
        [b"-o", b"base", b"sh", b"-c", b"'./" + run + b"' '" + bad + b"' & wait"],
        [b"-o", b"no" + bad + b"/base", b"./" + run], [b"./missing" + bad], [b"missing" + bad],
        [name["profile"]], [b"-o", b"base", b"--skip", b"(" + bad, b"./" + run],
    ]
    return lines


def option_cases(census, command):
    """Every option of a command with a hostile argument, before the operands."""
    page = subprocess.run([census, command, "--help"], capture_output=True, check=True).stdout
    more = {"watch": [b"--once", b"{profile}"], "open": [b"--once", b"{profile}"], "run": [b"true"],
            "diff": [b"{profile}", b"{other}"], "mark": [b"1", b"text"]}
    for name, argument in re.findall(rb"^  (?:-.,|   ) (--[a-z-]+)([ [=]*)", page, re.M):
        words = [name + b"=" + HOSTILE] if argument.strip() or argument == b"" \
            else [name, HOSTILE]
        yield words + more.get(command, [b"{profile}"])


def is_data(command, words):
    """Whether standard output is data for programs, not text for people."""
    return command in ("convert", "hp2ps", "merge") or b"csv" in words or b"json" in words


def run(census, folder, files, words):
    words = [re.sub(rb"^\{(\w+)\}$", lambda m: files[m[1].decode()], word) for word in words]
    return subprocess.run([census, *words], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=PATIENCE_S, check=False)


def in_terminal(census, folder, words):
    """What the command prints to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([census, *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
                          env={**os.environ, "TERM": "xterm-256color"}) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                more = b""
            if not more:
                break
            printed += more
        process.wait(PATIENCE_S)
    os.close(ours)
    return printed


def main():
    census, compiled = sys.argv[1], pathlib.Path(sys.argv[2])
    os.environ["LC_ALL"] = "C.UTF-8"
    problems, n_runs = [], 0

    def check(words, printed):
        found = controls(printed)
        if found:
            problems.append(f"{words}: printed {found}:\n    {printed!r}")

    with tempfile.TemporaryDirectory(prefix="census-hostile-") as name:
        folder = pathlib.Path(name)
        files = write_inputs(folder)
        program = folder / os.fsdecode(b"program" + HOSTILE)
        shutil.copy(compiled, program)
        listed = subprocess.run([census, "--help"], capture_output=True, check=True).stdout
        commands = [word.decode() for word in re.findall(rb"^  (\w+) ", listed, re.M)]
        lines = cases(files, program)
        plain = [[b"{%s}" % key.encode()] for key in files]  # for a command without cases
        for command in commands:
            if command in ("help", "cc"):  # with cc, a compiler prints
                continue
            for words in [*lines.get(command, plain), *option_cases(census, command)]:
                done = run(census, folder, files, [command.encode(), *words])
                n_runs += 1
                check([command, *words], done.stderr)
                if not is_data(command, words):
                    check([command, *words], done.stdout)
        for words in ([HOSTILE], [b"-" + HOSTILE], [b"help", HOSTILE], [b"cc", b"--compiler", HOSTILE]):
            done = run(census, folder, files, words)
            check(words, done.stdout + done.stderr)
        printed = in_terminal(census, folder, [b"plot", b"-o", b"out" + HOSTILE + b".pdf",
                                               files["profile"]])
        check(["plot", "in a terminal"], printed.replace(b"\r\n", b"\n"))
        for where in (b"unix:", b"tcp:localhost:", name.encode() + b"/missing", b"missing/"):
            words = [b"watch", b"-o", b"out.svg", where + HOSTILE]
            with subprocess.Popen([census, *words], cwd=folder, stderr=subprocess.PIPE) as process:
                first = process.stderr.readline()  # what it waits for, or why it does not
                process.terminate()
                check(words, first + process.stderr.read())
        # The terminal view itself sends control sequences, but none of these.
        for key in ("profile", "broken", "log"):
            printed = in_terminal(census, folder, [b"open", b"--terminal", b"--once", files[key]])
            for text in (b"\x1b]0;", b"\x07", b"\x9b", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\x7f"):
                if text in printed.replace(b"\xe2\x96\x9b", b""):
                    problems.append(f"open --terminal of a {key}: printed {text!r}:\n    {printed!r}")
    print(f"{n_runs} runs")
    for problem in problems:
        print(problem)
    return 1 if problems or n_runs < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
