#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `census run` costs Python programs, in comparison with the program alone, tracemalloc and heaptrack.

    bench_python.py --build build/dev [--rounds 3] [--python /usr/bin/python3] [--only NAME,...]

Each round runs each workload plainly, under `census run -hc`, with tracemalloc of one frame and of 25, and under
heaptrack's preloaded library; the least CPU time and memory of the rounds count. Everything is measured in one run.
The CPU time is that of the program itself from its first line on; what starting the interpreter costs is the
workload "start". Slowness never fails.
"""
import argparse
import os
import shutil
import subprocess
import tempfile

HEAPTRACK = "/usr/lib/heaptrack/libheaptrack_preload.so"

WORKLOADS = {
    "start": "pass",
    "json": """
import json
data = [{"id": i, "name": "user %d" % i, "tags": ["a", str(i)], "v": {"x": i * 1.5}} for i in range(2000)]
for _ in range(100):
    json.loads(json.dumps(data))
""",
    "dict": """
for _ in range(12):
    made = {"key%d" % i: (i, [i]) for i in range(60000)}
    found = sorted({k: v[0] for k, v in made.items()}.items(), key=lambda item: -item[1])
""",
    "ast": """
import argparse, ast, datetime, inspect, typing
for module in (argparse, datetime, inspect, typing):
    tree = ast.parse(inspect.getsource(module))
    sum(1 for _ in ast.walk(tree))
    ast.unparse(tree)
""",
    "recursion": """
def tree(n):
    return (tree(n - 1), tree(n - 1)) if n else [n]
for _ in range(24):
    tree(15)
""",
    "asyncio": """
import asyncio
async def leaf(i):
    await asyncio.sleep(0)
    return [i] * 3
async def main():
    for _ in range(60):
        await asyncio.gather(*(leaf(i) for i in range(1000)))
asyncio.run(main())
""",
    "objects": """
class Node:
    def __init__(self, i, next_node):
        self.i, self.next_node, self.name = i, next_node, "node %d" % i
for _ in range(8):
    node = None
    for i in range(60000):
        node = Node(i, node)
    while node:
        node = node.next_node
""",
}

PROGRAM = """import os, sys, time
frames = int(sys.argv[1])
if frames:
    import tracemalloc
    tracemalloc.start(frames)
begin = time.process_time()
exec(compile(open(sys.argv[2]).read(), "workload.py", "exec"))
spent = time.process_time() - begin if sys.argv[3] != "start" else time.process_time()
peak_kib = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
open(sys.argv[4], "w").write("%f %s" % (spent, peak_kib))
"""


class Bench:
    def __init__(self, options):
        self.census = os.path.join(os.path.abspath(options.build), "cli/census")
        self.python, self.rounds = options.python, options.rounds
        self.folder = tempfile.mkdtemp(prefix="census-bench-")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, name, before=(), frames=0, environment=None):
        subprocess.run([*before, self.python, self.path("program.py"), str(frames), self.path("workload"), name,
                        self.path("cost")], check=True, env={**os.environ, **(environment or {})},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.path("cost"), encoding="ascii") as file:
            spent, peak_kib = file.read().split()
        return float(spent), float(peak_kib) / 1024

    def best(self, name):
        """Returns the least seconds and MiB of each way to run a workload; the ways take turns."""
        with open(self.path("program.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with open(self.path("workload"), "w", encoding="utf-8") as file:
            file.write(WORKLOADS[name])
        census = [self.census, "run", "-q", "-hc", "--no-children", "-o", self.path("profile"), "--"]
        ways = {"plain": {}, "census": {"before": census}, "tracemalloc 1": {"frames": 1},
                "tracemalloc 25": {"frames": 25}}
        if os.path.exists(HEAPTRACK):
            ways["heaptrack"] = {"environment": {"LD_PRELOAD": HEAPTRACK, "PYTHONMALLOC": "malloc",
                                                 "DUMP_HEAPTRACK_OUTPUT": self.path("raw")}}
        costs = {way: [] for way in ways}
        for _ in range(self.rounds):
            for way, words in ways.items():
                costs[way].append(self.run(name, **words))
        return {way: tuple(map(min, zip(*all_costs))) for way, all_costs in costs.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--only", default=",".join(WORKLOADS))
    options = parser.parse_args()
    bench = Bench(options)
    try:
        for name in options.only.split(","):
            costs = bench.best(name)
            plain_s, plain_mib = costs.pop("plain")
            print("%-10s %6.2f s %7.1f MiB" % (name, plain_s, plain_mib), end="")
            for way, (spent, mib) in costs.items():
                print(" | %s x %.2f, memory x %.2f" % (way, spent / plain_s, mib / plain_mib), end="")
            print(flush=True)
    finally:
        shutil.rmtree(bench.folder)


if __name__ == "__main__":
    main()
