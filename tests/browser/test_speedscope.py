#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks that `census convert --format speedscope` writes, in speedscope itself: what it imports, shows and exports.

test_speedscope.py CENSUS [NAME...]: all tests, or those named. Skips (77) without chromium or speedscope, which ./check
installs into build/speedscope.
"""
import base64
import collections
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import time

from browser import PATIENCE_S, SKIPPED, Problem, expect, run_tests

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_speedscope():
    """Returns the page of the newest version that is installed here or for all users, or None."""
    places = [ROOT / "build/speedscope/node_modules/speedscope"]
    program = shutil.which("speedscope")
    if program:
        places.append(pathlib.Path(program).resolve().parents[1])
    pages = [place / "dist/release/index.html" for place in places]
    return next((page for page in pages if page.exists()), None)


@contextlib.contextmanager
def stage(census, directory, browser):
    yield census, pathlib.Path(directory), browser


def convert(census, target, path, *options):
    return subprocess.run([census, "convert", "--format", target, *options, path], check=True, capture_output=True).stdout


def import_profile(census, directory, browser, path, *options):
    """Lets speedscope import a file as its own command does, and returns what it exports again."""
    script = directory / "profile.js"
    text = base64.b64encode(convert(census, "speedscope", path, *options)).decode()
    script.write_text(f"speedscope.loadFileFromBase64('given.json', '{text}')")
    browser.open("about:blank")
    browser.open(f"{find_speedscope().as_uri()}#localProfilePath={script}&view=sandwich")
    browser.until("return document.querySelector('table tr')")
    old = set(browser.downloads.iterdir())
    assert browser.run("const all = [...document.querySelectorAll('div')].filter((e) => /Export$/.test(e.textContent));"
                       "all[all.length - 1].click(); return all.length"), "no button Export"
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        for file in set(browser.downloads.iterdir()) - old:
            if file.name.endswith(".speedscope.json") and file.stat().st_size > 0:
                document = json.loads(file.read_bytes())
                file.unlink()
                return document
        time.sleep(0.05)
    raise Problem("speedscope exported nothing")


def sums(document, index=0):
    """Returns weights by stack, a tuple of names, outermost first."""
    frames, profile = document["shared"]["frames"], document["profiles"][index]
    found, stack, at = collections.Counter(), [], 0
    expect(profile["type"], "evented", "the type of the profile")
    for event in profile["events"]:
        if event["at"] > at:
            found[tuple(frames[i]["name"] for i in stack)] += event["at"] - at
        at = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            expect(stack.pop(), event["frame"], "the frame that ends")
    expect(stack, [], "frames that do not end")
    return found


def folded(census, path, *options, scale=1):
    found = collections.Counter()
    for line in convert(census, "folded", path, *options).decode().splitlines():
        stack, amount = line.rsplit(" ", 1)
        found[tuple(stack.split(";"))] += int(amount) * scale
    return found


def shown(browser):
    """Returns the rows of the table of functions: name, total, self."""
    return {cells[2]: (cells[0], cells[1]) for cells in browser.run(
        "return [...document.querySelectorAll('table tr')].slice(1).map("
        "(row) => [...row.cells].map((cell) => cell.innerText.trim()))")}


def peak_of_hp(path):
    """Returns the costs of the largest sample of a .hp file, by name."""
    samples = []
    for line in path.read_text().splitlines():
        if line.startswith("BEGIN_SAMPLE"):
            samples.append({})
        elif "\t" in line:
            name, amount = line.split("\t")
            samples[-1][name] = int(amount)
    return max(samples, key=lambda sample: sum(sample.values()))


def test_hp(census, directory, browser):
    path = ROOT / "samples/hp/foldleak-plain-hT.hp"
    document = import_profile(census, directory, browser, path)
    costs = {(name,): amount for name, amount in peak_of_hp(path).items() if amount > 0}
    expect(sums(document), costs, "amounts of the peak")
    expect(document["profiles"][0]["unit"], "bytes", "the unit")


def test_event_log(census, directory, browser):
    path = ROOT / "samples/eventlog/foldleak-prof-lu-hc.eventlog"
    document = import_profile(census, directory, browser, path)
    samples = json.loads(convert(census, "json", path))["samples"]
    peak = max(samples, key=lambda sample: sum(sample["costs"].values()))["costs"]
    expect(sums(document), {tuple(reversed(name.split("/"))): amount for name, amount in peak.items()}, "stacks")
    places = {frame["name"]: (frame.get("file"), frame.get("line")) for frame in document["shared"]["frames"]}
    expect(places["lazyCount.bump"], ("foldleak.hs", 17), "the place of a function")
    rows = shown(browser)
    expect(set(rows), {label for name in peak for label in name.split("/")}, "the functions in the table")
    amount = f"{peak['lazyCount.bump/lazyCount/main'] / 2**20:.2f} MB (>99%)"
    expect([rows["lazyCount.bump"], rows["lazyCount"]], [(amount, amount), (amount, "0 B (<0.01%)")], "amounts shown")


def test_ticks(census, directory, browser):
    """Of a log and of a report, which also has bytes."""
    log = ROOT / "samples/eventlog/interp-prof-small-p-lau.eventlog"
    document = import_profile(census, directory, browser, log, "--time")
    expect(sums(document), folded(census, log, "--time", scale=1000000), "ticks in nanoseconds")
    report = ROOT / "samples/prof/interp-prof-pj.prof"
    document = import_profile(census, directory, browser, report)
    expect([profile["unit"] for profile in document["profiles"]], ["microseconds", "bytes"], "units")
    expect(sums(document, 0), folded(census, report, scale=1000), "ticks in microseconds")
    expect(sums(document, 1), folded(census, report, "--alloc"), "bytes")


def test_recording(census, directory, browser):
    """Of a native program."""
    command = [census, "run", "-q", "-hd", "-o", directory / "date.hp", "-o", directory / "date.eventlog", "--", "date"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    document = import_profile(census, directory, browser, directory / "date.eventlog")
    found = sums(document)
    expect(found, folded(census, directory / "date.eventlog"), "stacks")
    expect(sum(found.values()), sum(peak_of_hp(directory / "date.hp").values()), "all bytes")
    expect(set(shown(browser)), {name for stack in found for name in stack}, "the functions in the table")


if __name__ == "__main__":
    if not find_speedscope():
        print("skipped: speedscope is not installed (npm install --prefix build/speedscope speedscope)")
        sys.exit(SKIPPED)
    sys.exit(run_tests(globals(), stage, without="WebGL"))
