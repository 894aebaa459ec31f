#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With any limit of memory, either the old picture stays or a complete new one replaces it.

memory.py CENSUS PROJECT

Pango uses GLib, which ends the process when there is no memory; so any status but 0 is allowed,
and the picture must not have changed then.
"""
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MIB = 1 << 20


def main():
    census, project = (Path(word).resolve() for word in sys.argv[1:3])
    profile = project / "samples/hp/foldleak-prof-hc.hp"
    complaints, n_failed, n_drawn = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "picture.pdf"
        command = [census, "plot", "-o", target, profile]
        subprocess.run(command, check=True)
        whole = target.read_bytes()
        for limit in range(8 * MIB, 200 * MIB, 3 * MIB):
            target.write_bytes(b"old")
            run = subprocess.run(command, capture_output=True, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (limit, limit)))
            expected = whole if run.returncode == 0 else b"old"
            n_failed += run.returncode != 0
            n_drawn += run.returncode == 0
            if target.read_bytes() != expected:
                complaints.append(f"{limit / MIB} MiB: status {run.returncode}, but the picture is "
                                  f"{len(target.read_bytes())} bytes")
    if not (n_failed and n_drawn):
        complaints.append(f"{n_failed} runs failed, {n_drawn} did not")
    print("\n".join(complaints) or f"{n_failed} runs without memory left the old picture")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
