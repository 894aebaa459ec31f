#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With any limit of memory, either the old picture stays or a complete new one replaces it.

memory.py CENSUS PROJECT

Pango uses GLib, which ends the process when there is no memory, also in a thread of its own when the
picture is complete already; so any status is allowed, and with 0 the picture must be the new one.

Fontconfig, without memory, reads all fonts, and may write a cache that lacks some, which all later programs would use. So
each run has few fonts, and a cache of its own.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MIB = 1 << 20
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><cachedir>%s</cachedir><dir>%s</dir></fontconfig>
"""


def main():
    census, project = (Path(word).resolve() for word in sys.argv[1:3])
    profile = project / "samples/hp/foldleak-prof-hc.hp"
    complaints, n_failed, n_drawn = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "picture.pdf"
        command = [census, "plot", "-o", target, profile]
        cache, clean = Path(folder) / "cache", Path(folder) / "clean"
        font = subprocess.run(["fc-match", "--format", "%{file}", "sans"], check=True, capture_output=True, text=True).stdout
        (Path(folder) / "fonts.conf").write_text(FONTS % (cache, Path(font).parent))
        environment = dict(os.environ, FONTCONFIG_FILE=str(Path(folder) / "fonts.conf"))
        cache.mkdir()
        subprocess.run(command, check=True, env=environment)
        whole = target.read_bytes()
        cache.rename(clean)
        for limit in range(8 * MIB, 200 * MIB, 3 * MIB):
            target.write_bytes(b"old")
            shutil.rmtree(cache, ignore_errors=True)
            shutil.copytree(clean, cache)
            run = subprocess.run(command, capture_output=True, env=environment, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (limit, limit)))
            expected = (whole,) if run.returncode == 0 else (whole, b"old")
            n_failed += run.returncode != 0
            n_drawn += run.returncode == 0
            if target.read_bytes() not in expected:
                complaints.append(f"{limit / MIB} MiB: status {run.returncode}, but the picture is "
                                  f"{len(target.read_bytes())} bytes")
    if not (n_failed and n_drawn):
        complaints.append(f"{n_failed} runs failed, {n_drawn} did not")
    print("\n".join(complaints) or f"{n_failed} runs without memory left the old picture")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
