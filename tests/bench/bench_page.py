#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What an interactive page of a large profile costs its reader, in Chromium.

    bench_page.py --census build/release/cli/census --tools build/dev/tests/bench [--megabytes 200] [SHAPE...]

The time of the page's own thread is printed before the time by the clock: on a busy machine only the
former says something about the page. A brush is a zoom into a part of the time, until its picture is
drawn; afterwards the figures of the table are worked out in the background. Slowness never fails.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "browser"))
from browser import Browser, find_driver  # noqa: E402

# Names, and how many of them are alive at a time; "stacks" is an event log, the others are .hp files.
SHAPES = {"few names": (50, 50), "many names": (20000, 1000), "short-lived": (20000, 100), "stacks": (20000, 1000)}
BRUSHES = [(0.6, 0.7), (0.1, 0.9), (0.5, 0.505), (0, 1), (0.25, 0.35)]


class Meter:
    """What the page's thread does between two looks, in ms."""

    def __init__(self, browser):
        self.browser = browser
        browser.cdp("Performance.enable", timeDomain="threadTicks")
        self.before = self.busy_ms()

    def busy_ms(self):
        metrics = self.browser.cdp("Performance.getMetrics")["metrics"]
        return next(1000 * m["value"] for m in metrics if m["name"] == "TaskDuration")

    def lap(self):
        now = self.busy_ms()
        cost, self.before = now - self.before, now
        return cost


def brush_ms(browser, meter, begin, end):
    """Thread and wall time of zooming and drawing, the table left out."""
    meter.lap()
    wall = browser.run("""
        const app = census.app, {times, n} = app.entry().profile, show = app.table.show;
        const at = (share) => times[0] + share * (times[n - 1] - times[0]);
        app.table.show = () => {};
        const began = performance.now();
        app.zoomTo([at(arguments[0]), at(arguments[1])]);
        app.draw();
        document.getElementById('picture').getContext('2d').getImageData(0, 0, 1, 1);  // painted, too
        const took = performance.now() - began;
        app.table.show = show;
        return took;""", begin, end)
    return meter.lap(), wall


STEPS = {"pointer at another time": "panel.pointed = {at: at(i * 0.618 % 1), band: null}; flame.draw();",
         "difference of two times": "own.since = times[at(0.3)]; panel.pointed = {at: at(i * 0.618 % 1), band: null}; flame.draw();",
         "largest frame, and back": "own.since = null; flame.choose(flame.bars[1]); app.draw();",
         "search": "app.view.matcher = i % 2 ? /render/ : null; flame.draw();",
         "other direction": "flame.turn(i % 2 ? 'down' : 'up'); app.draw();"}


def measure_stacks(browser, meter):
    """The longest of ten steps of each kind in the flame graph and its table."""
    for what, step in STEPS.items():
        wall, thread = 0, 0
        for i in range(10):
            meter.lap()
            wall = max(wall, browser.run("""
                const app = census.app, {panel, flame} = app, {profile, own} = app.entry(), {times, n} = profile, i = arguments[0];
                const at = (share) => Math.floor(share * n), began = performance.now();
                """ + step + """
                document.getElementById('flame-picture').getContext('2d').getImageData(0, 0, 1, 1);  // painted, too
                return performance.now() - began;""", i))
            thread = max(thread, meter.lap())
        print(f"  stacks, {what:<24} {thread:6.0f} ms of the thread, {wall:6.0f} ms by the clock")
    browser.run("const {app} = census; app.view.matcher = null; app.draw();")


def measure(options, shape, folder):
    n_names, n_live = SHAPES[shape]
    profile, page = folder / "p.hp", folder / "p.html"
    tool = ["make_eventlog", "cc"] if shape == "stacks" else ["make_hp"]
    with open(profile, "wb") as out:
        subprocess.run([f"{options.tools}/{tool[0]}", *tool[1:], str(n_names), str(n_live), str(options.megabytes)],
                       stdout=out, check=True)
    began = time.monotonic()
    subprocess.run([options.census, "plot", "-o", page, profile], check=True)
    print(f"{shape}: {n_names} names, {profile.stat().st_size / 1e6:.0f} MB; page {page.stat().st_size / 1e6:.2f} MB, "
          f"written in {time.monotonic() - began:.1f} s")
    with Browser(1600, 1000) as browser:
        meter = Meter(browser)
        began = time.monotonic()
        browser.open(page.as_uri())
        browser.settle()
        print(f"  load and first picture   {meter.lap():6.0f} ms of the thread, {1000 * (time.monotonic() - began):6.0f} ms "
              "by the clock")
        time.sleep(3)
        print(f"  sums, in the background  {meter.lap():6.0f} ms")
        costs = [brush_ms(browser, meter, *ends) for ends in BRUSHES]
        print(f"  brush, the longest       {max(c for c, _ in costs):6.0f} ms of the thread, {max(w for _, w in costs):6.0f} ms "
              "by the clock")
        meter.lap()
        browser.run("const {panel} = census.app; for (let i = 0; i < 100; i++) {"
                    "panel.point({at: panel.chart.from + i % 2, band: panel.chart.bands[0]}); }")
        print(f"  hover                    {meter.lap() / 100:6.1f} ms")
        measure_stacks(browser, meter)
        memory = browser.run("return performance.memory.usedJSHeapSize") / 1e6
        print(f"  memory of the script     {memory:6.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--census", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=", ".join(SHAPES))
    options = parser.parse_args()
    if not find_driver():
        return "chromium and chromedriver are not installed"
    for shape in options.shapes or SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, shape, pathlib.Path(folder))
    return 0


sys.exit(main())
