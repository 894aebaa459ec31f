#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Logs that census writes, read by the ghc-events library: as many costs, and the same sum. They
are converted profiles, one of them with names that the library would not read as they are, one
that census run has written with a heap profile, and logs of GHC. All other records are compared one by one.

run.py CENSUS LEAK FOLDER     LEAK is a sample program; FOLDER is where the programs on ghc-events are built, once
"""
import lzma
import os
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


# Records of `census info --events`, and which of their fields records.hs prints.
FIELDS = {"GC_START": [], "GC_END": [], "GC_STATS_GHC": ["generation", "copied_bytes"],
          "HEAP_ALLOCATED": ["allocated_bytes"], "HEAP_SIZE": ["size_bytes"], "HEAP_LIVE": ["live_bytes"],
          "CREATE_THREAD": ["thread"], "RUN_THREAD": ["thread"], "STOP_THREAD": ["thread", "status"],
          "THREAD_LABEL": ["thread", "label"], "TASK_CREATE": ["task", "cap", "kernel_thread"],
          "TASK_DELETE": ["task"], "CREATE_SPARK_THREAD": ["spark_thread"],
          "SPARK_COUNTERS": ["created", "dud", "overflowed", "converted", "collected", "fizzled", "remaining"],
          **{"SPARK_" + name: [] for name in ("CREATE", "DUD", "OVERFLOW", "RUN", "FIZZLE", "GC")},
          "NONMOVING_HEAP_CENSUS": ["log2_block", "n_active", "n_filled", "n_live_blocks"],
          "TICKY_COUNTER_DEF": ["counter", "arity", "kinds", "name"], "TICKY_COUNTER_BEGIN_SAMPLE": [],
          "TICKY_COUNTER_SAMPLE": ["counter", "entries", "allocs", "allocd"], "USER_MSG": ["message"],
          "USER_MARKER": ["marker"], "HEAP_PROF_BEGIN": ["module", "type_descr", "biography"],
          "HEAP_BIO_PROF_SAMPLE_BEGIN": ["taken_ns"], "PROF_BEGIN": ["tick_ns"],
          "PROF_SAMPLE_COST_CENTRE": ["tick", "stack"]}


def build_peer(folder, source):
    program = folder / source.stem
    if not program.exists():
        if not shutil.which("ghc"):
            return None
        command = ["ghc", "-O0", "-outputdir", folder / "hs" / source.stem, "-o", program, source]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
    return program


def costs_of(text):
    """How many costs a `.hp` text has, and their sum."""
    amounts = [int(amount) for amount in re.findall(rb"^.*\t(\d+)$", text, re.MULTILINE)]
    return len(amounts), sum(amounts)


def n_costs_of(census, log):
    """How many costs a log has: stacks that differ only in lines of calls are one in `.hp` files."""
    table = subprocess.run([census, "info", log], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^ *([\d,]+) +\d+  HEAP_PROF_SAMPLE_(?:COST_CENTRE|STRING) ", table, re.MULTILINE)
    return sum(int(n.replace(",", "")) for n in rows)


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
    subprocess.run([census, "run", "-q", "-i0.01", "-o", f"{base}.hp", "-o", f"{base}.eventlog", "--", sys.executable,
                    "-c", "import time; x = [bytes(5000) for i in range(900)]; time.sleep(0.1)"],
                   check=True)
    return base.with_suffix(".hp"), base.with_suffix(".eventlog")


def records_of(text, in_bytes=False):
    """The records of `census info --events`, as records.hs prints them, by time. Newer versions of ghc-events have the
    size of blocks in bytes, of 16 bits, in place of its logarithm."""
    records = []
    for line in text.splitlines():
        match = re.match(r"(\d+)\.(\d{9}) \S+ (\w+)(.*)", line)
        if match and match[3] in FIELDS:
            fields = dict(re.findall(r' (\w+)=("(?:[^"\\]|\\.)*"|\[[\d,]*\]|\d+(?::\w+)?)', match[4]))
            fields.setdefault("log2_block", "0")  # newer logs have bytes
            values = [fields[name].strip('"') for name in FIELDS[match[3]]]
            if match[3] == "NONMOVING_HEAP_CENSUS" and in_bytes:
                values[0] = fields.get("block_bytes", str(1 << int(values[0]) & 0xffff))
            if match[3] == "STOP_THREAD":
                values[1] = values[1].split(":")[1]
                owner = fields.get("blocked_on", "0")
                values[1] += f"OwnedBy {owner}" if values[1] == "BlockedOnBlackHole" and owner != "0" else ""
            if match[3] == "PROF_SAMPLE_COST_CENTRE":
                values[1] = str(len(re.findall(r"\d+", values[1])))
            records.append(" ".join([str(int(match[1] + match[2])), match[3], *values]))
    return sorted(records)


def logs_with_records(census, leak, directory):
    """Logs that are converted, written by an embedded profiler, and by census run."""
    directory = pathlib.Path(directory)
    converted, biography = directory / "converted.eventlog", directory / "biography.eventlog"
    fixture = ROOT / "tests/cli/fixtures/time_and_heap.eventlog.xz"
    subprocess.run([census, "convert", "-o", converted, fixture], check=True)
    hp = directory / "biography.hp"
    text = (ROOT / "samples/hp/foldleak-prof-hb.hp").read_text(encoding="utf-8")
    hp.write_text(text.replace("-hb", "-hb -hmMain,Lib -hyInt -hbdrag,void", 1), encoding="utf-8")
    subprocess.run([census, "convert", "-o", biography, hp], check=True)
    for options in (["-hc"], ["-hb"]):
        stem = directory / ("leak" + options[0])
        subprocess.run([leak, "40000", "+RTS", *options, "-p", "-l", "-V0.001", "-i0.01", f"-o{stem}"], check=True,
                       stdout=subprocess.DEVNULL)
    for program, n in (("sparks", 5001), ("threads", 3), ("cache", 9)):
        subprocess.run([pathlib.Path(leak).with_name(program), str(n), "+RTS", "-la", "-i100"], check=True,
                       stdout=subprocess.DEVNULL, cwd=directory)
    base = directory / "timed"
    subprocess.run([census, "run", "-q", "-p", "-o", f"{base}.eventlog", "--", sys.executable, "-c",
                    "print(sum(i * i for i in range(1000000)))"], check=True, stdout=subprocess.DEVNULL)
    names = ("leak-hc", "leak-hb", "sparks", "threads", "cache", "timed")
    return [converted, biography, *(directory / f"{name}.eventlog" for name in names)]


def logs_of_ghc(directory):
    """Logs of four versions of GHC. Older versions of ghc-events do not know eras."""
    logs = []
    for packed in sorted((ROOT / "tests/data/ghc").glob("*.eventlog.xz")):
        if not packed.name.endswith("-he.eventlog.xz"):
            logs.append(pathlib.Path(directory) / packed.stem)
            logs[-1].write_bytes(lzma.decompress(packed.read_bytes()))
    return logs


def compare_records(census, logs, peer):
    """Returns the number of logs that differ."""
    failed = 0
    for log in logs:
        text = subprocess.run([census, "info", "--events", log], check=True, capture_output=True, encoding="utf-8").stdout
        theirs = sorted(subprocess.run([peer, log], capture_output=True, encoding="utf-8",
                                       env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout.splitlines())
        ours = records_of(text)
        ours = ours if ours == theirs else records_of(text, in_bytes=True)
        if ours != theirs or not ours:
            different = set(ours) ^ set(theirs)
            print(f"{log.name}: {len(ours)} records, {len(theirs)} by ghc-events: {sorted(different)[:5]}")
            failed += 1
        else:
            print(f"{log.name}: {len(ours)} records agree")
    return failed


def main():
    census, leak, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    peer = build_peer(folder, ROOT / "tests/bench/heap_samples.hs")
    records_peer = build_peer(folder, pathlib.Path(__file__).with_name("records.hs"))
    if not peer or not records_peer:
        print("skipped: no ghc with the library ghc-events")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        pairs = [(ROOT / profile, None) for profile in PROFILES]
        of_ghc = logs_of_ghc(scratch)
        pairs += [(make_odd_profile(scratch), None), take_profile(census, scratch), *((log, log) for log in of_ghc)]
        for profile, log in pairs:
            is_converted = not log
            if is_converted:
                log = pathlib.Path(scratch) / "written.eventlog"
                subprocess.run([census, "convert", "-o", log, profile], check=True)
            text = subprocess.run([census, "convert", "--format", "hp", profile], check=True,
                                  capture_output=True).stdout
            said = subprocess.run([peer, log], capture_output=True, text=True)
            n_costs, total = costs_of(text)
            expected = f"({n_costs if is_converted else n_costs_of(census, log)},{total})\n"
            if said.returncode != 0 or said.stdout != expected:
                print(f"{profile}: expected {expected.strip()}, got {said.stdout}{said.stderr}")
                failed += 1
        logs = logs_with_records(census, leak, scratch) + of_ghc
        failed += compare_records(census, logs, records_peer)
    print(f"{len(pairs) + len(logs) - failed} of {len(pairs) + len(logs)} agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
