#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Logs that census writes, read by the ghc-events library: as many costs, and the same sum. They
are converted profiles, one of them with names that the library would not read as they are, and one
that census run has written beside a heap profile.

run.py CENSUS FOLDER     FOLDER is where the program on ghc-events is built, once
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77
PROFILES = ["samples/hp/foldleak-prof-hc.hp", "samples/hp/oddnames-prof-hc-long.hp",
            "samples/hp/manycc-prof-hd.hp", "samples/hp/queens-plain-pair-hT.hp",
            "samples/eventlog/foldleak-prof-small-l-hc.eventlog.xz",
            "samples/eventlog/dragvoid-prof-l-au-hb.eventlog",
            "tests/data/eventlog/oddnames-prof-pair-hc.eventlog"]


def build_peer(folder):
    program = folder / "heap_samples"
    if not program.exists():
        if not shutil.which("ghc"):
            return None
        command = ["ghc", "-O0", "-outputdir", folder / "hs", "-o", program,
                   ROOT / "tests/bench/heap_samples.hs"]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
    return program


def costs_of(text):
    """How many costs a `.hp` text has, and their sum."""
    amounts = [int(amount) for amount in re.findall(rb"^.*\t(\d+)$", text, re.MULTILINE)]
    return len(amounts), sum(amounts)


def make_odd_profile(directory):
    """Names that are no UTF-8, equal but for such bytes, and longer than a record."""
    names = [b"ab\xce", b"ab\xcf", b"x" * 70000 + b"1", b"x" * 70000 + b"2", "日本".encode()]
    costs = b"".join(b"%s\t%d\n" % (name, i + 1) for i, name in enumerate(names))
    path = pathlib.Path(directory) / "odd.hp"
    path.write_bytes(b'JOB "%s"\nDATE ""\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
                     b"BEGIN_SAMPLE 0\n%sEND_SAMPLE 0\n" % (b"word\xff " * 20000, costs))
    return path


def take_profile(census, directory):
    """A profile of a native program, with the log that is written beside it."""
    base = pathlib.Path(directory) / "taken"
    subprocess.run([census, "run", "-q", "--eventlog", "-i0.01", "-o", base, "--", sys.executable,
                    "-c", "import time; x = [bytes(5000) for i in range(900)]; time.sleep(0.1)"],
                   check=True)
    return base.with_suffix(".hp"), base.with_suffix(".eventlog")


def main():
    census, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    peer = build_peer(folder)
    if not peer:
        print("skipped: no ghc with the library ghc-events")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        pairs = [(ROOT / profile, None) for profile in PROFILES]
        pairs += [(make_odd_profile(scratch), None), take_profile(census, scratch)]
        for profile, log in pairs:
            if not log:
                log = pathlib.Path(scratch) / "written.eventlog"
                subprocess.run([census, "convert", "-o", log, profile], check=True)
            text = subprocess.run([census, "convert", "--to", "hp", profile], check=True,
                                  capture_output=True).stdout
            said = subprocess.run([peer, log], capture_output=True, text=True)
            expected = "(%d,%d)\n" % costs_of(text)
            if said.returncode != 0 or said.stdout != expected:
                print(f"{profile}: expected {expected.strip()}, got {said.stdout}{said.stderr}")
                failed += 1
    print(f"{len(pairs) - failed} of {len(pairs)} agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
