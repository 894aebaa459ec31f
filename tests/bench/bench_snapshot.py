#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What heap snapshots of any size cost: time and memory of each command, also as a ratio to counting the lines of the file,
or the bytes of a core file.

    bench_snapshot.py --census build/release/cli/census --tools build/dev/tests/bench [--sessions 1160000] [--blocks 100000000]

The default is a file of 4.2 GB with 100 million objects, as V8 writes them, and then a core file of a native program with
100 million blocks, and its snapshot. That takes 8 minutes, 10 GB of memory and 8 GB in $TMPDIR; 0 leaves one of them out.
Slowness never fails."""
import argparse
import pathlib
import resource
import subprocess
import tempfile

QUESTION = 'type = "Session" and held_by "Bus"'


def measure(tools, commands):
    """Prints what each (name, command) costs, also as a ratio to the first one."""
    floor = None
    for what, command in commands:
        done = subprocess.run([tools / "measure", "3600", *command], stdout=subprocess.PIPE, text=True, check=True)
        wall_s, cpu_s, kib, status = done.stdout.split()
        assert status == "0", done.stdout
        floor = floor or float(cpu_s)
        print(f"{what:<24} {float(wall_s):6.1f} s, {float(cpu_s):6.1f} s of one processor ({float(cpu_s) / floor:5.1f} x), "
              f"{float(kib) / 2**20:5.2f} GiB")


def measure_objects(census, tools, n_sessions, folder):
    snapshot, page = folder / "large.heapsnapshot", folder / "page.html"
    with snapshot.open("wb") as out:
        subprocess.run([tools / "make_snapshot", str(n_sessions)], stdout=out, check=True)
    print(f"{snapshot.stat().st_size / 1e9:.2f} GB, {86 * n_sessions / 1e6:.1f} million objects")
    measure(tools, [("wc -l", ["wc", "-l", snapshot]), ("report", [census, "report", snapshot]),
                    ("plot", [census, "plot", "-o", page, snapshot]),
                    ("report --where QUESTION", [census, "report", "--where", QUESTION, snapshot]),
                    ("report --where @ID", [census, "report", "--where", "@13", snapshot])])
    snapshot.unlink()


def measure_blocks(census, tools, n_blocks, folder):
    """Needs cores that are written to the directory of the program (kernel.core_pattern `core`)."""
    snapshot = folder / "blocks.heapsnapshot"
    subprocess.run([tools / "block_tree", str(n_blocks)], cwd=folder, check=False,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    cores = [path for path in folder.iterdir() if path.name.startswith("core")]
    assert len(cores) == 1, f"no core file in {folder}: see /proc/sys/kernel/core_pattern"
    print(f"{cores[0].stat().st_size / 1e9:.2f} GB, {n_blocks / 1e6:.1f} million native blocks")
    measure(tools, [("wc -l", ["wc", "-l", cores[0]]), ("core", [census, "core", "-o", snapshot, cores[0]]),
                    ("report", [census, "report", snapshot])])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--census", type=pathlib.Path, required=True)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--sessions", type=int, default=1160000)
    parser.add_argument("--blocks", type=int, default=100000000)
    arguments = parser.parse_args()
    census, tools = arguments.census.resolve(), arguments.tools.resolve()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.sessions > 0:
            measure_objects(census, tools, arguments.sessions, pathlib.Path(folder))
        if arguments.blocks > 0:
            measure_blocks(census, tools, arguments.blocks, pathlib.Path(folder))


main()
