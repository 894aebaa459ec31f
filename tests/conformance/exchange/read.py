#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that other profilers write are read by census; sums equal the ones that the profilers' own programs print.

read.py FORMAT CENSUS FOLDER   exit status 77 if the programs of the format are not installed
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

from judge import HERE, SKIPPED, compiled, main, need, run, sums


def massif(census, folder):
    need("cc", "valgrind", "ms_print")
    program = compiled(folder)
    path = folder / "massif.out"
    run("valgrind", "-q", "--tool=massif", "--stacks=yes", "--time-unit=B", "--detailed-freq=4", "--threshold=0.1",
        f"--massif-out-file={path}", program)
    printed = run("ms_print", path)
    rows = [[int(cell.replace(",", "")) for cell in line.split()]
            for line in re.findall(r"^ *\d+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+$", printed, re.M)]
    detailed = [int(n) for n in re.findall(r"\d+", re.search(r"Detailed snapshots: \[(.*)\]", printed)[1])]
    assert len(rows) > 20 and len(detailed) > 5, printed
    profile = census.profile(path)
    assert profile["sample_unit"] == "bytes allocated", profile
    # The parts are known where the tree is printed, and where there is no heap.
    wanted = [(time, total) for n, time, total, heap, *_ in rows if n in detailed or heap == 0]
    assert sums(profile) == wanted, (sums(profile), wanted)
    assert [(p["time"], p["value"]) for p in profile["lines"]] == [(row[1], row[2]) for row in rows]

    # The functions that allocate, at the peak.
    peak = int(re.search(r"(\d+) \(peak\)", printed)[1])
    tree = re.split(r"^ *%d +[\d,]+ .*$" % peak, printed, flags=re.M)[1].split("\n----")[0]
    leaves = collections.Counter()
    for amount, function, place in re.findall(r"^->[\d.]+% \(([\d,]+)B\) 0x\w+: (\S+) \((\S+)\)", tree, re.M):
        file, _, line = place.rpartition(":")
        leaves[function, file, int(line)] += int(amount.replace(",", ""))
    found = census.frames("--at", str(rows[peak][1]), path)
    assert len(leaves) == 2 and leaves == {key: found[key] for key in leaves}, (leaves, found)
    assert ("main", "middle", "leaf") in census.stacks(path), census.stacks(path)


def pprof_top(path, kind, *options):
    """Returns the flat amounts of `go tool pprof -top` by function and source line."""
    found = collections.Counter()
    unit = [] if kind.endswith("objects") else ["-unit=B"]
    printed = run("go", "tool", "pprof", "-top", "-lines", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0",
                  f"-sample_index={kind}", *unit, *options, path)
    for flat, name in re.findall(r"^ *(-?\d+)B? +-?[\d.e-]+% +-?[\d.e-]+% +-?\d+B? +-?[\d.e-]+% +(.*)$", printed, re.M):
        if int(flat) == 0:
            continue
        name, _, place = name.removesuffix(" (inline)").rpartition(" ")
        file, _, line = place.rpartition(":")
        found[name, file, int(line)] += int(flat)
    return +found


def pprof(census, folder):
    need("go")
    go = {"GOCACHE": str(folder / "cache"), "GOFLAGS": "-mod=mod"}
    program = folder / "heaps"
    run("go", "build", "-o", program, HERE / "heaps.go", env=go)
    run(program, folder / "go.")
    paths = [folder / f"go.{n}.pb.gz" for n in (11, 10, 9)]  # by time
    for kind in ("inuse_space", "alloc_space", "inuse_objects", "alloc_objects"):
        top = pprof_top(paths[0], kind)
        assert len(top) > 3 and top == census.frames("--value", kind, paths[0]), kind
    assert census.stacks(paths[0]) == census.stacks("--value", "inuse_space", paths[0])

    # Three files are three samples, in the order in which they were taken.
    series = census.profile(*sorted(paths))
    totals = [sum(pprof_top(path, "inuse_space").values()) for path in paths]
    assert [total for _, total in sums(series)] == totals, (sums(series), totals)
    times = [time for time, _ in sums(series)]
    assert times[0] == 0 and sorted(set(times)) == times and times[2] < 3600, times
    assert census.frames("--at", str(times[1]), *paths) == pprof_top(paths[1], "inuse_space")


def heaptrack(census, folder):
    need("cc", "heaptrack", "heaptrack_print")
    program = compiled(folder)
    run("heaptrack", "-o", folder / "ht", program)
    path = next(folder.glob("ht.*"))

    def outside_in(frames):
        """Puts f::g before f again: inlined frames, which flame graphs of heaptrack 1.6 have from the inside out."""
        ordered, inlined = [], []
        for frame, outer in zip(frames, [*frames[1:], ""]):
            inlined.insert(0, frame)
            if not frame.startswith(outer + "::"):
                ordered += inlined
                inlined = []
        return tuple(ordered)

    def printed(cost):
        run("heaptrack_print", "-f", path, "-F", folder / "flame", "--flamegraph-cost-type", cost,
            "--disable-builtin-suppressions", "--disable-embedded-suppressions")
        found = collections.Counter()
        for line in (folder / "flame").read_text().splitlines():
            stack, amount = line.rsplit(" ", 1)
            frames = [re.sub(r" \(.*\)$", "", frame) for frame in stack.split(";") if frame.strip()]
            found[outside_in(frames)] += int(amount)
        return +found

    def check(judged, *words):
        found = census.stacks(*words)
        assert found == judged, (found, judged)

    peak = printed("peak")
    assert len(peak) >= 3 and peak[("main", "middle", "leaf")] > 1000, peak
    check(peak, path)
    end = census.profile(path)["samples"][-1]["time"]
    check(printed("leaked"), "--at", str(end + 1), path)
    check(printed("allocations"), "--value", "allocations", "--at", str(end + 1), path)

    # Raw recordings: census resolves addresses itself, also those of a program that is not moved. It finds more names
    # than heaptrack before main, where the sum must be the same.
    for option in ("-pie", "-no-pie"):
        program = compiled(folder, "allocate.c", option)
        output = run("heaptrack", "--raw", "-o", folder / option, program)
        raw = folder / f"{option}.raw.zst"
        run("sh", "-c", re.search(r"(zstd -dc|heaptrack --interpret) .*$", output, re.M)[0])  # as it prints
        path = folder / f"{option}.zst"
        wanted, found = printed("peak"), census.stacks(raw)
        assert wanted.total() == found.total()
        for stacks in (wanted, found):
            for stack in [stack for stack in stacks if stack[0] != "main"]:
                del stacks[stack]
        assert len(wanted) == 3 and found == wanted, (found, wanted)
        wanted = {frame: n for frame, n in census.frames(path).items() if frame[1].endswith("allocate.c")}
        found = census.frames(raw)
        assert len(wanted) == 2 and wanted == {frame: found[frame] for frame in wanted}, (found, wanted)
        assert sums(census.profile(raw)) == sums(census.profile(path))


def dhat(census, folder):
    need("cc", "valgrind")
    program = compiled(folder)
    path = folder / "dhat.out"
    done = subprocess.run(["valgrind", "--tool=dhat", f"--dhat-out-file={path}", program], capture_output=True,
                          text=True, check=True)
    printed = {name: [int(n.replace(",", "")) for n in numbers]
               for name, *numbers in re.findall(r"(Total|At t-gmax|At t-end): +([\d,]+) bytes in ([\d,]+) blocks",
                                                done.stderr)}
    for column, value in enumerate(("live", "blocks")):
        wanted = [0, printed["At t-gmax"][column], printed["At t-end"][column]]
        found = [total for _, total in sums(census.profile("--value", value, path))]
        assert found == wanted and found[1] > 0, (found, wanted)
    assert sums(census.profile("--value", "total", path))[0][1] == printed["Total"][0]
    peak = census.stacks(path)
    # 60 * 4000 and 1000 * (1 + ... + 60); half of the blocks of each kind are freed at the end.
    assert peak["main", "leaf"] == 240000 and peak["main", "middle", "leaf"] == 1830000, peak
    assert census.stacks("--at", "1e18", path)["main", "leaf"] == 120000


def heapprofile(census, folder):
    need("node")
    run("node", "--heap-prof", "--heap-prof-name=js.heapprofile", "--heap-prof-interval=2048", HERE / "heap.js",
        cwd=folder)
    path = folder / "js.heapprofile"
    document = json.loads(path.read_text())
    wanted = collections.Counter()

    def walk(node):
        frame = node["callFrame"]
        name = frame["functionName"] or "(anonymous)"
        line = frame["lineNumber"] + 1 if frame["url"] else 0
        wanted[name, frame["url"], line] += node["selfSize"]
        for child in node["children"]:
            walk(child)

    walk(document["head"])
    wanted = +wanted
    assert len(wanted) > 5, wanted
    assert census.frames(path) == wanted, (census.frames(path), wanted)
    assert any(stack[-1] == "make" for stack in census.stacks(path))


def library(*names):
    """Returns the path of a library that is preloaded; ends the test as skipped if it is not installed."""
    for name in names:
        for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"):
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
    print(f"skipped: {names[0]} is not installed")
    sys.exit(SKIPPED)


def gperftools(census, folder):
    need("cc", "google-pprof")
    preloaded = library("libtcmalloc.so.4")
    program = compiled(folder)
    run(program, env={"LD_PRELOAD": preloaded, "HEAPPROFILE": str(folder / "heap"),
                      "HEAP_PROFILE_ALLOCATION_INTERVAL": "500000"})
    paths = sorted(folder.glob("heap.*.heap"))
    assert len(paths) > 3, paths
    for kind in ("inuse_space", "alloc_objects"):
        printed = run("google-pprof", "--text", "--show_bytes", "--nodefraction=0", "--nodecount=1000", f"--{kind}",
                      program, paths[-1])
        wanted = {name: int(flat) for flat, name in re.findall(r"^ *(\d+) +[\d.]+% .* (\S+)$", printed, re.M)}
        found = collections.Counter()
        for (name, _, _), amount in census.frames("--value", kind, paths[-1]).items():
            found[name] += amount
        assert found and found == {name: n for name, n in wanted.items() if n > 0}, (found, wanted)
    if shutil.which("go"):  # which makes pprof of it, without names
        run("go", "tool", "pprof", "-symbolize=none", "-proto", "-output", folder / "raw.pb.gz", paths[-1])
        assert census.frames("--symbolise", folder / "raw.pb.gz") == census.frames(paths[-1])
        census("convert", "--symbolise", "-o", folder / "named.pb.gz", folder / "raw.pb.gz")
        for kind in ("inuse_space", "inuse_objects", "alloc_space", "alloc_objects"):
            assert pprof_top(folder / "named.pb.gz", kind) == census.frames("--value", kind, paths[-1]), kind
    heads = [re.match(r"heap profile: +\d+: +(\d+) ", path.read_text()) for path in paths]
    assert [total for _, total in sums(census.profile(*paths))] == [int(head[1]) for head in heads]
    assert census.profile(*paths)["sample_unit"] == "files"
    assert ("leaf", "allocate.c", 13) in {(name, os.path.basename(file), line)
                                          for name, file, line in census.frames(paths[-1])}


def jemalloc(census, folder):
    need("cc")
    preloaded = library("libjemalloc.so.2")
    program = compiled(folder)
    run(program, env={"LD_PRELOAD": preloaded,
                      "MALLOC_CONF": f"prof:true,prof_final:true,lg_prof_sample:0,prof_prefix:{folder}/je"})
    paths = list(folder.glob("je.*.heap"))
    if not paths:
        print("skipped: this jemalloc cannot profile")
        sys.exit(SKIPPED)
    objects, total = map(int, re.search(r"^  t\*: (\d+): (\d+)", paths[0].read_text(), re.M).groups())
    assert sum(census.stacks(paths[0]).values()) == total
    assert sum(census.stacks("--value", "inuse_objects", paths[0]).values()) == objects
    # Half of 60 blocks of 4000 bytes, in pages of 4096.
    assert census.stacks(paths[0])["main", "leaf"] == 30 * 4096, census.stacks(paths[0])
    assert census.stacks("--value", "inuse_objects", paths[0])["main", "middle", "leaf"] == 30


if __name__ == "__main__":
    main({function.__name__: function
          for function in (massif, pprof, heaptrack, dhat, heapprofile, gperftools, jemalloc)})
