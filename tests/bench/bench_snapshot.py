#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a heap snapshot of any size costs: time and memory of each command, also as a ratio to counting its lines.

    bench_snapshot.py --census build/release/cli/census --tools build/dev/tests/bench [--sessions 1160000]

The default is a file of 4.2 GB with 100 million objects, which takes 3 minutes and as much room in $TMPDIR. Slowness never
fails."""
import argparse
import pathlib
import subprocess
import tempfile

QUESTION = 'type = "Session" and held_by "Bus"'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--census", type=pathlib.Path, required=True)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--sessions", type=int, default=1160000)
    arguments = parser.parse_args()
    census, tools = arguments.census.resolve(), arguments.tools.resolve()
    with tempfile.TemporaryDirectory() as folder:
        snapshot, page = pathlib.Path(folder, "large.heapsnapshot"), pathlib.Path(folder, "page.html")
        with snapshot.open("wb") as out:
            subprocess.run([tools / "make_snapshot", str(arguments.sessions)], stdout=out, check=True)
        print(f"{snapshot.stat().st_size / 1e9:.2f} GB, {86 * arguments.sessions / 1e6:.1f} million objects")
        floor = None
        for what, command in (("wc -l", ["wc", "-l"]), ("report", [census, "report"]),
                              ("plot", [census, "plot", "-o", page]),
                              ("report --where QUESTION", [census, "report", "--where", QUESTION]),
                              ("report --where @ID", [census, "report", "--where", "@13"])):
            done = subprocess.run([tools / "measure", "3600", *command, snapshot], stdout=subprocess.PIPE, text=True, check=True)
            wall_s, cpu_s, kib, status = done.stdout.split()
            assert status == "0", done.stdout
            floor = floor or float(cpu_s)
            print(f"{what:<24} {float(wall_s):6.1f} s, {float(cpu_s):6.1f} s of one processor ({float(cpu_s) / floor:5.1f} x), "
                  f"{float(kib) / 2**20:5.2f} GiB")


main()
