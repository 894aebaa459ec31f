#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""From a profile to a picture: CPU time and peak memory, as ratios to hp2ps and to `wc -l`.

    bench_render.py --census build/release/cli/census --tools build/dev/tests/bench [--big]

`few` is 50 names, all alive; `many` 20,000 names of which 1,000 are alive; `noise` 20 names of white
noise, whose curves need the most points. Both looks are drawn in four formats. Then 3,000 and 30,000
names in about 40 samples, each name a band: the time grows at most as the input, tenfold. Last, the page
of a compressed profile in which 2 million names occur once. Everything is
measured in one run on warm files. hp2ps, which takes the square of the number of samples, is stopped
when it has used the CPU time of --patience. Slowness never fails.
"""
import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

Cost = namedtuple("Cost", "wall_s cpu_s peak_mb is_stopped")

SHAPES = {"few": ["50", "50"], "many": ["20000", "1000"], "noise": ["20", "20"]}
NOISE_MB = 410  # 700,000 samples
FORMATS = ("ps", "eps", "pdf", "png")


def measure(options, command, folder, repeat=1):
    """The least cost of some runs, or None when the program fails."""
    best = None
    for _ in range(repeat):
        run = subprocess.run([options.measure, str(options.patience)] + command, cwd=folder,
                             stdout=subprocess.PIPE, text=True, check=True)
        wall_s, cpu_s, peak_kib, status = run.stdout.split()
        if status not in ("0", "-1"):
            return None
        cost = Cost(float(wall_s), float(cpu_s), float(peak_kib) / 1024, status == "-1")
        best = cost if best is None or cost.cpu_s < best.cpu_s else best
    return best


def ratio(a, b):
    if b <= 0:
        return "-"
    value = a / b
    return f"{value:.0f}x" if value >= 20 else f"{value:.1f}x"


def row(what, cost, floor, peer):
    if cost is None:
        print(f"  {what:<24} failed")
        return
    to_floor = ratio(cost.wall_s, floor.wall_s)
    to_floor_cpu = ratio(cost.cpu_s, floor.cpu_s)
    to_peer = ratio(peer.cpu_s, cost.cpu_s) if peer else "-"
    if peer and peer.is_stopped:
        to_peer = "> " + to_peer
    if cost.is_stopped:
        what += ", stopped"
    print(f"  {what:<24} {cost.wall_s:8.3f} {cost.cpu_s:8.3f} {cost.peak_mb:8.1f} "
          f"{to_floor:>9} {to_floor_cpu:>9} {to_peer:>12}", flush=True)


def heading(title, peer="hp2ps"):
    print(f"\n{title}")
    print(f"  {'':<24} {'wall s':>8} {'CPU s':>8} {'peak MB':>8} {'wall':>9} {'CPU':>9} "
          f"{'less CPU':>12}")
    print(f"  {'':<24} {'':>8} {'':>8} {'':>8} {'/ wc -l':>9} {'/ wc -l':>9} {'than ' + peer:>12}")


def make_input(options, folder, shape, megabytes):
    path = os.path.join(folder, f"{shape}-{megabytes}.hp")
    more = ["noise"] if shape == "noise" else []
    with open(path, "wb") as file:
        subprocess.run([options.make, *SHAPES[shape], str(megabytes), *more], stdout=file, check=True)
    return path


def plot_rows(options, folder, path, repeat, floor, peer):
    """A row for each look and format; the costs by look and format."""
    costs = {}
    for ending in FORMATS:
        words = {"modern": ["plot", "-o", os.path.join(folder, "out." + ending)], "classic": ["hp2ps", "--format", ending]}
        for look, rest in words.items():
            costs[look, ending] = measure(options, [options.census, *rest, path], folder, repeat)
            row(f"{look}, {ending}", costs[look, ending], floor, peer)
    return costs


def bench_size(options, folder, shape, megabytes):
    path = make_input(options, folder, shape, megabytes)
    heading(f"{shape}, {megabytes} MB")
    repeat = 3 if megabytes <= 10 else 1
    measure(options, ["wc", "-l", path], folder)
    floor = measure(options, ["wc", "-l", path], folder, 3)
    row("wc -l", floor, floor, None)
    peer = measure(options, [options.hp2ps, "-c", path], folder) if options.hp2ps else None
    if peer:
        row("hp2ps -c", peer, floor, None)
    row("census hp2ps -c", measure(options, [options.census, "hp2ps", "-c", path], folder, repeat), floor,
        peer)
    plot_rows(options, folder, path, repeat, floor, peer)
    row("census report", measure(options, [options.census, "report", path], folder, repeat), floor, peer)
    os.remove(path)


def bench_small(options, folder):
    path = os.path.abspath(options.small)
    heading(f"start to end: {os.path.basename(path)}, {os.path.getsize(path)} bytes, best of 30")
    floor = measure(options, ["wc", "-l", path], folder, 30)
    row("wc -l", floor, floor, None)
    peer = measure(options, [options.hp2ps, "-c", path], folder, 30) if options.hp2ps else None
    if peer:
        row("hp2ps -c", peer, floor, None)
    row("census hp2ps -c", measure(options, [options.census, "hp2ps", "-c", path], folder, 30), floor, peer)
    pdf = plot_rows(options, folder, path, 30, floor, peer)["modern", "pdf"]
    if peer and pdf:
        print(f"  {'':<24} the PDF takes {pdf.cpu_s / max(peer.cpu_s, 1e-4):.1f} times the CPU of hp2ps")


def bench_names(options, folder):
    heading("each name a band, about 40 samples")
    inputs = []
    for n_names, megabytes in ((3000, 3), (30000, 30)):
        path = os.path.join(folder, f"names-{n_names}.hp")
        with open(path, "wb") as file:
            subprocess.run([options.make, str(n_names), str(n_names), str(megabytes)], stdout=file,
                           check=True)
        inputs.append((n_names, path, measure(options, ["wc", "-l", path], folder, 3)))
    for ending in ("svg", "png", "pdf"):
        for theme in ([], ["--print"]):
            costs = []
            for n_names, path, floor in inputs:
                command = [options.census, "plot", "-m", "0", "-t", "0", *theme, "-o", "out." + ending, path]
                costs.append(measure(options, command, folder, 3))
                row(" ".join([f"{n_names} names,", ending, *theme]), costs[-1], floor, None)
            if all(costs):
                print(f"  {'':<24} ten times the names take {ratio(costs[1].cpu_s, costs[0].cpu_s)} the CPU")
    for _, path, _ in inputs:
        os.remove(path)


def bench_page_of_names(options, folder):
    n_names = 2000000
    heading(f"a page of {n_names} names, compressed")
    path = os.path.join(folder, "names.hp.gz")
    with gzip.open(path, "wt") as file:
        file.write('JOB "x"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\nBEGIN_SAMPLE 0\n')
        file.writelines(f"n{i}\t{i % 997 + 8}\n" for i in range(n_names))
        file.write("END_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n")
    floor = measure(options, ["gzip", "-t", path], folder, 3)
    row("gzip -t", floor, floor, None)
    row("html", measure(options, [options.census, "plot", "-o", "out.html", path], folder), floor, None)
    os.remove(path)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--census", default=os.path.join(root, "build/release/cli/census"))
    parser.add_argument("--tools", default=os.path.join(root, "build/dev/tests/bench"),
                        help="where make_hp and measure are")
    parser.add_argument("--hp2ps", default=shutil.which("hp2ps"))
    parser.add_argument("--small", default=os.path.join(root, "samples/hp/foldleak-prof-hc.hp"))
    parser.add_argument("--sizes", default="10,100", help="megabytes, with commas")
    parser.add_argument("--big", action="store_true", help="1 GB too")
    parser.add_argument("--noise", action="store_true", help="700,000 samples of white noise too")
    parser.add_argument("--patience", type=int, default=60, help="CPU seconds for one command")
    parser.add_argument("--folder", help="where the inputs are made (default: a temporary one)")
    options = parser.parse_args()
    options.census = os.path.abspath(options.census)
    options.make = os.path.abspath(os.path.join(options.tools, "make_hp"))
    options.measure = os.path.abspath(os.path.join(options.tools, "measure"))
    for program in (options.census, options.make, options.measure):
        if not os.access(program, os.X_OK):
            sys.exit(f"{program} is not there: build it, or name another (--help)")
    if not options.hp2ps:
        print("no hp2ps here: its columns are empty")
    sizes = [int(size) for size in options.sizes.split(",")] + ([1000] if options.big else [])
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        bench_small(options, folder)
        for shape in ("few", "many"):
            for size in sizes:
                bench_size(options, folder, shape, size)
        bench_names(options, folder)
        bench_page_of_names(options, folder)
        if options.noise:
            bench_size(options, folder, "noise", NOISE_MB)
    return 0


if __name__ == "__main__":
    sys.exit(main())
