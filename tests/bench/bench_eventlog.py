#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Event logs: CPU time and peak memory, as ratios to a program on the ghc-events library and to `wc -l`.

    bench_eventlog.py --census build/release/cli/census --tools build/dev/tests/bench [--megabytes 100]

`cc` is 50 cost-centre stacks, all alive; `string` 20,000 labels of which 1,000 are alive. Everything
is measured in one run on warm files, and the least of several runs counts, for the peer as for ours. The peer (heap_samples.hs) is built when ghc and
libghc-ghc-events-dev are there. Slowness never fails.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import bench_render

SHAPES = {"cc": (50, 50), "string": (20000, 1000)}


def build_peer(here, folder):
    """The program on ghc-events, or None."""
    source = os.path.join(here, "heap_samples.hs")
    program = os.path.join(folder, "heap_samples")
    command = ["ghc", "-O1", "-outputdir", folder, source, "-o", program]
    if not shutil.which("ghc") or subprocess.run(command, capture_output=True).returncode != 0:
        print("no peer: want ghc and libghc-ghc-events-dev")
        return None
    return program


def make_input(options, folder, shape):
    path = os.path.join(folder, f"{shape}.eventlog")
    names, live = SHAPES[shape]
    with open(path, "wb") as file:
        subprocess.run([os.path.join(options.tools, "make_eventlog"), shape, str(names), str(live),
                        str(options.megabytes)], stdout=file, check=True)
    return path


def bench_shape(options, folder, shape, peer):
    path = make_input(options, folder, shape)
    bench_render.heading(f"{shape}, {options.megabytes:g} MB", "ghc-events")
    floor = bench_render.measure(options, ["wc", "-l", path], folder, 3)
    bench_render.row("wc -l", floor, floor, None)
    cost = bench_render.measure(options, [peer, path], folder, options.runs) if peer else None
    if cost:
        bench_render.row("ghc-events", cost, floor, None)
    commands = [("census report", ["report", path]), ("census info", ["info", path])]
    commands += [(f"census plot, {kind}", ["plot", "-o", os.path.join(folder, "out." + kind), path])
                 for kind in ("pdf", "svg", "png")]
    for what, command in commands:
        ours = bench_render.measure(options, [options.census] + command, folder, 3 * options.runs)
        bench_render.row(what, ours, floor, cost)
    os.remove(path)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--census", default=os.path.join(root, "build/release/cli/census"))
    parser.add_argument("--tools", default=os.path.join(root, "build/dev/tests/bench"),
                        help="where make_eventlog and measure are")
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--runs", type=int, default=3, help="of the peer; ours run three times as often")
    parser.add_argument("--patience", type=float, default=120, help="seconds of CPU for one program")
    options = parser.parse_args()
    options.census = os.path.abspath(options.census)
    options.tools = os.path.abspath(options.tools)
    options.measure = os.path.join(options.tools, "measure")
    with tempfile.TemporaryDirectory() as folder:
        peer = build_peer(here, folder)
        for shape in SHAPES:
            bench_shape(options, folder, shape, peer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
