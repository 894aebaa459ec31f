#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Memory and time of `census merge` for many profiles.

bench_merge.py CENSUS [PROFILES [MIB [NAMES]]]: by default 1000 profiles of 1 MiB with 200 names each.
The files are links to ten different ones, so that they fit on the disk; census reads each of them.
"""
import os
import random
import resource
import subprocess
import sys
import tempfile
import time


def write_profile(path, n_bytes, names, chance):
    amounts = [chance.randrange(1, 10**7) for _ in names]
    with open(path, "w", encoding="ascii") as file:
        file.write('JOB "solver"\nDATE "Sun Nov 22 14:57 2026"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n')
        for i in range(10**9):
            if file.tell() >= n_bytes:
                return
            at = f"{i * 0.1 + chance.random() * 0.02:.6f}"
            file.write(f"BEGIN_SAMPLE {at}\n")
            file.writelines(f"({k}){name}\t{amounts[k] + i}\n" for k, name in enumerate(names))
            file.write(f"END_SAMPLE {at}\n")


def main():
    census = os.path.abspath(sys.argv[1])
    n, mib, n_names = [int(word) for word in sys.argv[2:5]] + [1000, 1, 200][len(sys.argv) - 2:]
    chance = random.Random(1)
    names = [f"function_{i}/caller_{i % 17}/main" for i in range(n_names)]
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for i in range(n):
            paths.append(os.path.join(directory, f"solver.{i}.hp"))
            if i < 10:
                write_profile(paths[i], mib << 20, names, chance)
            else:
                os.link(paths[i % 10], paths[i])
        for each in [], ["--each"]:
            begin = time.monotonic()
            subprocess.run([census, "merge", *each, "-o", os.path.join(directory, "all.hp"), *paths], check=True)
            seconds = time.monotonic() - begin
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(f"merge {' '.join(each)}: {n} profiles of {mib} MiB: {seconds:.2f} s, {n * mib / seconds:.0f} MiB/s, "
                  f"at most {peak:.1f} MiB of memory")


main()
