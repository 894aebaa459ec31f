#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the sample viewer on a screen without hardware: it draws, follows, zooms, and quits.

viewer.py VIEWER SOURCE_DIRECTORY
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 240


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    sys.exit(f"after {PATIENCE_S} s still not: {what}")


def check(viewer, profile, directory):
    def pixels():  # what is on the screen once it has stopped changing: a file in the format of xwd
        before = (directory / "Xvfb_screen0").read_bytes()
        time.sleep(1)
        head = struct.unpack(">25I", before[:100])
        still = before == (directory / "Xvfb_screen0").read_bytes()
        return before[head[0] + 12 * head[19]:] if still else wait_for("a still screen", pixels)

    def share_of_colour(image):
        some = [image[i:i + 3] for i in range(0, len(image) - 3, 4 * 37)]
        return sum(max(p) - min(p) > 40 for p in some) / len(some)

    def do(*words):
        return subprocess.run(["xdotool", *words], stdout=subprocess.PIPE, text=True).stdout.strip()

    path = directory / "growing.hp"
    with subprocess.Popen([viewer, path], env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0")) as program:
        try:
            window = wait_for("a window", lambda: do("search", "--onlyvisible", "--name", path.name))
            do("windowfocus", window, "mousemove", "450", "300")
            assert share_of_colour(pixels()) < 0.02, "bands without a file"
            path.write_bytes(profile[:len(profile) // 2])
            wait_for("bands", lambda: share_of_colour(pixels()) > 0.1)
            half = pixels()
            with path.open("ab") as file:
                file.write(profile[len(profile) // 2:])
            wait_for("what was appended", lambda: pixels() != half)
            whole = pixels()
            do("click", "4", "click", "4")
            wait_for("a part", lambda: pixels() != whole)
            do("key", "0")
            wait_for("the whole profile again", lambda: pixels() == whole)
            do("key", "q")
            assert program.wait(PATIENCE_S) == 0
        finally:
            program.kill()


if not all(map(shutil.which, ("Xvfb", "xdotool"))) or not os.path.exists(sys.argv[1]):
    print("skipped: needs the viewer, Xvfb and xdotool (Debian: libgtk-3-dev xvfb xdotool)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name, subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "900x600x24", "-noreset", "-fbdir", name],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
    try:
        display = ":" + server.stdout.readline().strip()
        os.environ.update(DISPLAY=display, GDK_BACKEND="x11", NO_AT_BRIDGE="1")
        check(sys.argv[1], pathlib.Path(sys.argv[2], "samples/hp/foldleak-prof-hc.hp").read_bytes(),
              pathlib.Path(name))
    finally:
        server.kill()
