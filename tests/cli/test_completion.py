#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completion scripts in the shells that they are for: after each command the shell offers the options of --help.

test_completion.py CENSUS bash|zsh|fish
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time

CENSUS, SHELL = sys.argv[1:]
LIBRARY = pathlib.Path("/usr/share/bash-completion/bash_completion")


def printed(*words):
    return subprocess.run([CENSUS, *words], capture_output=True, text=True, check=True).stdout


def helped(command):
    """All options of a command."""
    text = printed(command, "--help")
    return printed(command, "--help-all") if "--help-all" in text else text


def bash(script, folder, lines):
    """Returns the completions of each line."""
    program = f"source {LIBRARY}\nsource {script}\n"
    for line in lines:
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        program += (f"COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1} COMP_LINE='{line}' COMP_POINT={len(line)}\n"
                    "COMPREPLY=()\n_census census 2>/dev/null\nprintf '%s\\n' \"${COMPREPLY[@]}\" END\n")
    done = subprocess.run(["bash", "--norc", "-c", program], cwd=folder, capture_output=True, text=True)
    return [part.split() for part in done.stdout.split("END\n")[:-1]]


def fish(script, folder, lines):
    program = f"source {script}\n" + "".join(f"complete -C '{line}'\necho END\n" for line in lines)
    done = subprocess.run(["fish", "--no-config", "-c", program], cwd=folder, capture_output=True, text=True)
    return [[row.split("\t")[0] for row in part.splitlines()] for part in done.stdout.split("END\n")[:-1]]


def wait_for(terminal, is_true, patience_s):
    """Reads the terminal until a condition holds. Returns whether it does."""
    deadline = time.monotonic() + patience_s
    while not is_true() and time.monotonic() < deadline:
        try:
            os.read(terminal, 65536)
        except BlockingIOError:
            time.sleep(0.01)
    return is_true()


def zsh(script, folder, lines):
    """Types the lines and the tabulator; a function in place of compadd writes what it is given."""
    record = folder / "record"
    (folder / ".zshrc").write_text(f"""
        PS1= RPS1= LISTMAX=10000
        autoload -Uz compinit && compinit -u -D
        source {script}
        compadd() {{
            if [[ ${{@[1,(i)(-|--)]}} != *-(O|A|D)\\ * ]]; then
                local -a recorded_
                builtin compadd -O recorded_ "$@"
                print -rl -- $recorded_ >>{record}
            fi
            builtin compadd "$@"
        }}
    """)
    record.write_text("")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(ZDOTDIR=str(folder), TERM="dumb", COLUMNS="500", LINES="500")
        os.execvp("zsh", ["zsh", "-d", "-i"])
    os.set_blocking(terminal, False)
    results = []
    for line in [None, *lines]:
        if line is not None:
            # Later input could end the completion before it begins.
            os.write(terminal, f"{line}\t".encode())
            wait_for(terminal, lambda: record.read_text() != "", 3)
        os.write(terminal, f"\x15 print END >>{record}\r".encode())
        is_done = wait_for(terminal, lambda: record.read_text().endswith("END\n"), 60)
        assert is_done, (line, record.read_text())
        results.append(record.read_text().split("\n")[:-2])
        record.write_text("")
    os.close(terminal)
    os.waitpid(child, 0)
    return results[1:]


def main():
    if not shutil.which(SHELL) or (SHELL == "bash" and not LIBRARY.exists()):
        print(f"skipped: {SHELL} (Debian: {'bash-completion' if SHELL == 'bash' else SHELL})")
        return 77
    commands = set(re.findall(r"^  ([\w+]+) ", printed("--help"), re.M))
    tables = sorted(name for name in commands - {"help", "cc", "c++", "hp2ps", "hpc"})  # without tables of options
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        script = folder / "script"
        script.write_text(printed("--completion", SHELL))
        for name in "run.hp", "other.hp", "rules.txt":
            (folder / name).write_text("")
        (folder / "sources").mkdir()
        cases = {
            "census ": commands,
            "census report --format ": {"text", "json", "csv"},
            "census report --format j": {"json"},
            "census convert --format ope": {"openmetrics"},
            "census merge --format sq": {"sqlite"},
            "census diff --format j": {"json"},
            "census diff --format p": {"pdf", "png", "ps", "pgf"},
            "census plot --format p": {"pdf", "png", "ps", "pgf"},
            "census plot --theme d": {"dark"},
            "census plot --order s": {"sum", "stddev"},
            "census hp2ps oth": {"other.hp"},
            "census hpc oth": {"other.hp"},
            "census cc ru": {"run.hp", "rules.txt"},
            "census report -m 5 ru": {"run.hp", "rules.txt"},
            "census report -o oth": {"other.hp"},
            "census report --source ": {"sources"},
            "census help co": {"convert", "core"},
            "census run -o run.hp -- ech": {"echo"},
            "census run -i 1 ech": {"echo"},
            "census run cat --no": None,  # options of cat, if the shell has a completion for it
        }
        lines = list(cases) + [f"census {name} --" for name in tables]
        found = {"bash": bash, "zsh": zsh, "fish": fish}[SHELL](script, folder, lines)
    assert len(found) == len(lines), (len(found), lines)
    for line, words in zip(lines, found):
        words = {word.rstrip("/=") for word in words} - {""}
        if line in cases and cases[line] is None:
            assert "--no-children" not in words, (line, words)
        elif line == "census ":
            assert words >= cases[line], (line, words)
        elif line in cases:
            assert words == cases[line], (line, words)
        else:
            expected = set(re.findall(r"^  (?:-\w, |    )(--[\w-]+)", helped(line.split()[1]), re.M))
            assert {word for word in words if word.startswith("--")} == expected, (line, words ^ expected)
    print(f"{len(lines)} command lines")
    return 0


sys.exit(main())
