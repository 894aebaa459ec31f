#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Addresses get the functions and lines that addr2line finds, wherever the program and its debugging symbols are.

symbolise.py FORMAT CENSUS FOLDER   exit status 77 if the programs are not installed
"""
import collections
import ctypes.util
import functools
import gzip
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

from judge import compiled, main, need, run

BYTES = 100  # of each stack


class Stacks:
    """What symbolise.c printed: stacks of addresses, innermost first, and mappings."""

    def __init__(self, program):
        printed = run(program)
        self.program = program
        self.stacks = [[int(word, 16) for word in line.split()] for line in printed.splitlines() if line[0] == " "]
        self.maps = "".join(line + "\n" for line in printed.splitlines() if line[0] != " ")
        self.mappings = [(int(begin, 16), int(end, 16), int(offset, 16), path) for begin, end, offset, path in
                         re.findall(r"^([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+ +(/.+)$", self.maps, re.M)]
        # The program is loaded where its first mapping begins.
        first = int(next(line for line in self.maps.splitlines() if line.endswith(str(program))).split("-")[0], 16)
        self.bias = 0 if b"EXEC" in subprocess.run(["readelf", "-h", program], capture_output=True).stdout else first

    def judged(self, judge=None):
        """Returns the frames of the program up to main, as addr2line names them, by stack."""
        def frames(address):
            lines = run("addr2line", "-f", "-i", "-e", judge or self.program, hex(address - 1 - self.bias)).splitlines()
            places = [re.sub(r" \(discriminator .*", "", place) for place in lines[1::2]]
            return list(zip(lines[::2], places))
        stacks = [[frame for address in stack for frame in frames(address)] for stack in self.stacks]
        return [stack[:[frame[0] for frame in stack].index("main") + 1] for stack in stacks]

    def text(self):
        """The stacks as gperftools writes them."""
        total = BYTES * len(self.stacks)
        head = f"heap profile: {len(self.stacks)}: {total} [{len(self.stacks)}: {total}] @ heapprofile\n"
        stacks = "".join(f"1: {BYTES} [1: {BYTES}] @ {' '.join(map(hex, stack))}\n" for stack in self.stacks)
        return (head + stacks + "\nMAPPED_LIBRARIES:\n" + self.maps).encode()

    def pprof(self, path=str, build_id=None, is_own=False, named=()):
        """The stacks as pprof. `path` changes the path of a file, `build_id` gives its id; addresses are the program's
        own, of a mapping at 0; addresses in `named` have the function "known"."""
        texts = {"": 0}

        def text(word):
            return texts.setdefault(word, len(texts))

        locations = {}
        out = b"".join(message(1, number(1, text(kind)) + number(2, text(unit)))
                       for kind, unit in (("inuse_objects", "count"), ("inuse_space", "bytes")))
        label = message(3, number(1, text("bytes")) + number(3, BYTES))
        for stack in self.stacks:
            ids = [locations.setdefault(address - 1, len(locations) + 1) for address in stack]
            out += message(2, message(1, b"".join(map(varint, ids))) + message(2, varint(3) + varint(BYTES)) + label)
        for i, (begin, end, offset, name) in enumerate(self.mappings, 1):
            is_moved = not (is_own and name == str(self.program))
            place = number(2, begin) + number(3, end) + number(4, offset) if is_moved else b""
            out += message(3, number(1, i) + place + number(5, text(path(name))) +
                           number(6, text(build_id(name) if build_id else "")))
        for address, i in locations.items():
            mapping = next((k for k, m in enumerate(self.mappings, 1) if m[0] <= address < m[1]), 0)
            is_moved = not (is_own and mapping and self.mappings[mapping - 1][3] == str(self.program))
            line = message(4, number(1, 1) + number(2, 7)) if address + 1 in named else b""
            out += message(4, number(1, i) + number(2, mapping) +
                           number(3, address if is_moved else address - self.bias) + line)
        out += message(5, number(1, 1) + number(2, text("known")) + number(4, text("known.c")))
        return out + b"".join(message(6, word.encode()) for word in texts)


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def build_id_of(path):
    found = re.search(r"Build ID: (\w+)", run("readelf", "-nW", path))
    return found[1] if found else ""


def named(census, folder, content, *options, env=None):
    """Writes a profile, and returns its frames up to main by stack, and what census says of it."""
    path = folder / "profile"
    path.write_bytes(content)
    done = subprocess.run([census.path, "convert", *options, "--format", "speedscope", path], capture_output=True,
                          text=True, check=True, env={**os.environ, "DEBUGINFOD_URLS": "", **(env or {})})
    document = json.loads(done.stdout)
    frames = [(f["name"], f"{f.get('file', '??')}:{f.get('line', '?')}") for f in document["shared"]["frames"]]
    assert set(document["profiles"][0]["weights"]) == {BYTES}, document["profiles"]
    stacks = [[frames[i] for i in reversed(stack)] for stack in document["profiles"][0]["samples"]]
    return sorted(stacks), done.stderr


def fields(data):
    """Returns the contents of the fields of a message that are messages and texts, by number."""
    def take():
        nonlocal data
        n = shift = 0
        while True:
            byte, data = data[0], data[1:]
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    found = collections.defaultdict(list)
    while data:
        key, n = take(), take()
        assert key & 7 == 2, key
        found[key >> 3].append(data[:n])
        data = data[n:]
    return found


def copied(census, folder, content):
    """Writes a profile with functions for its addresses, which has all that the profile has. Returns its frames up to
    main by stack."""
    (folder / "raw.pb").write_bytes(content)
    census("convert", "--symbolise", "-o", folder / "named.pb.gz", folder / "raw.pb")
    copy = gzip.decompress((folder / "named.pb.gz").read_bytes())
    before, after = fields(content), fields(copy)
    for kind in (1, 2):  # types and samples, which have labels
        assert before[kind] == after[kind], (before, after)
    for kind in (3, 4, 6):  # mappings, locations and texts
        assert len(before[kind]) <= len(after[kind])
        assert all(new.startswith(old) for old, new in zip(before[kind], after[kind])), (before, after)
    stacks, said = named(census, folder, copy)
    assert said == "", said
    assert census.stacks("--value", "inuse_objects", folder / "named.pb.gz").total() == 3 * len(stacks)
    return sorted(stack[:[frame[0] for frame in stack].index("main") + 1] for stack in stacks)


def built(folder, name, *options):
    program = compiled(folder, "symbolise.c", "-Wl,--build-id", *options)
    return program.rename(folder / name)


def layouts(census, folder):
    """Programs that are moved, that are not, and with segments that are moved apart (lld)."""
    need("cc", "addr2line", "readelf")
    for name, options in (("pie", ["-pie"]), ("fixed", ["-no-pie"]), ("apart", ["-pie", "-fuse-ld=lld"])):
        if name == "apart" and not shutil.which("ld.lld"):
            continue
        stacks = Stacks(built(folder, name, *options))
        wanted = sorted(stacks.judged())
        assert [[frame[0] for frame in stack] for stack in wanted] == [
            ["print_stack", "first", "main"], ["print_stack", "first", "second", "main"],
            ["print_stack", "second", "main"]], wanted
        for content in (stacks.text(), stacks.pprof(), stacks.pprof(build_id=build_id_of), stacks.pprof(is_own=True)):
            found = named(census, folder, content, "--symbolise")
            assert found == (wanted, ""), (name, found, wanted)
        assert named(census, folder, stacks.text()) == (wanted, "")
        assert copied(census, folder, stacks.pprof(build_id=build_id_of)) == wanted
        # Only where it is asked for.
        found, said = named(census, folder, stacks.pprof())
        assert all(frame[0].startswith("0x") for stack in found for frame in stack), found
        assert "100% of the amounts have addresses instead of functions: census convert --symbolise" in said, said


def names(census, folder):
    """Names that a file has remain; what is not found remains an address, and is said."""
    need("cc", "addr2line", "readelf")
    program = built(folder, "program")
    stacks = Stacks(program)
    wanted = stacks.judged()
    has_name = stacks.stacks[0][0]
    found, said = named(census, folder, stacks.pprof(named=[has_name]), "--symbolise")
    known = [("known", "known.c:7")]
    assert found == sorted([known + stack[2:] if addresses[0] == has_name else stack
                            for stack, addresses in zip(wanted, stacks.stacks)]), (found, wanted)
    assert said == "", said

    n_addresses = len({address for stack in stacks.stacks for address in stack
                       if any(m[3] == str(program) and m[0] <= address < m[1] for m in stacks.mappings)})
    elsewhere = stacks.pprof(lambda path: path.replace(str(program), "/gone/program"), build_id_of)
    other = stacks.pprof(build_id=lambda path: "0123456789" if path == str(program) else build_id_of(path))
    for content, path in ((elsewhere, "/gone/program"), (other, str(program))):
        found, said = named(census, folder, content, "--symbolise")
        addresses = {frame[0] for stack in found for frame in stack if frame[0].startswith("0x")}
        assert len(addresses) == n_addresses, (found, n_addresses)
        assert f"{n_addresses} in {path} (not found, or of another build)" in said, said
        assert said.count("\n") == 1 and "DEBUGINFOD_URLS" in said, said


def debug_files(census, folder):
    """Debugging symbols beside a stripped program; a program that only a debuginfod server has."""
    need("cc", "addr2line", "readelf", "objcopy", "strip")
    program = built(folder, "program")
    whole = folder / "whole"
    shutil.copy(program, whole)
    build_id = build_id_of(program)
    run("objcopy", "--only-keep-debug", program, folder / "program.debug")
    run("strip", program)
    run("objcopy", f"--add-gnu-debuglink={folder / 'program.debug'}", program)
    stacks = Stacks(program)
    wanted = sorted(stacks.judged(whole))
    assert len(wanted[0]) == 3, wanted
    for content in (stacks.text(), stacks.pprof(build_id=build_id_of)):
        assert named(census, folder, content, "--symbolise") == (wanted, "")

    if not ctypes.util.find_library("debuginfod"):
        print("not tested: libdebuginfod is not installed")
        return
    served = folder / "buildid" / build_id
    served.mkdir(parents=True)
    shutil.copy(program, served / "executable")
    shutil.copy(folder / "program.debug", served / "debuginfo")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}", "DEBUGINFOD_CACHE_PATH": str(folder / "cache"),
           "no_proxy": "127.0.0.1"}
    content = stacks.pprof(lambda path: "/gone" + path if path == str(program) else path, build_id_of)
    found = named(census, folder, content, "--symbolise", env=env)
    server.shutdown()
    assert found == (wanted, ""), (found, wanted)


if __name__ == "__main__":
    main({function.__name__: function for function in (layouts, names, debug_files)})
