#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces that `census convert --format chrome` writes, in the importer of chrome://tracing (catapult), which is part of
Go's `go tool trace`.

test_trace_viewer.py CENSUS [NAME...]: all tests, or those named. Skips (77) without chromium or Go's trace viewer.
"""
import contextlib
import http.server
import json
import pathlib
import subprocess
import sys
import threading

from browser import SKIPPED, expect, run_tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEWERS = sorted(pathlib.Path("/usr/share").glob("go-*/src/**/static/trace_viewer_full.html"))

PAGE = """<!DOCTYPE html>
<script src="/webcomponents.min.js"></script>
<link rel="import" href="/trace_viewer_full.html">
<style>html, body, #viewer {margin: 0; width: 100%; height: 100%; overflow: hidden; box-sizing: border-box}</style>
<script>document.addEventListener("WebComponentsReady", () => { window.isReady = true; });</script>
"""

# Imports a trace, shows it, and returns what the viewer made of it. Times of the viewer are milliseconds.
IMPORT = """
const [text, done] = arguments;
const options = new tr.importer.ImportOptions();
options.shiftWorldToZero = false;
const model = new tr.Model();
new tr.importer.Import(model, options).importTracesWithProgressDialog([text]).then(() => {
    const container = document.createElement("track-view-container");
    const viewer = document.createElement("tr-ui-timeline-view");
    container.id = "track_view_container";
    viewer.track_view_container = container;
    viewer.id = "viewer";
    Polymer.dom(viewer).appendChild(container);
    Polymer.dom(document.body).appendChild(viewer);
    viewer.model = model;
    const process = model.processes[1];
    const counters = Object.values(process.counters).map((counter) => [counter.name,
        Object.fromEntries(counter.series.map((series) => [series.name,
            series.samples.map((sample) => [sample.timestamp, sample.value])]))]);
    done({warnings: model.importWarnings.map((warning) => warning.message), job: process.name,
        counters: Object.fromEntries(counters),
        marks: model.instantEvents.map((event) => [event.start, event.title])});
}).catch((error) => done({warnings: [error.stack]}));"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = VIEWERS[-1].parent / self.path.lstrip("/")
        is_script = path.suffix == ".js"
        body = PAGE.encode() if self.path == "/" else path.read_bytes() if path.is_file() else b""
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_script else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def stage(census, directory, browser):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        browser.open(f"http://127.0.0.1:{server.server_port}/")
        browser.until("return window.isReady")
        browser.complaints()  # the viewer's own page is old
        yield census, pathlib.Path(directory), browser
    finally:
        server.shutdown()
        server.server_close()


def convert(census, target, path):
    return subprocess.run([census, "convert", "--format", target, path], check=True, capture_output=True,
                          encoding="utf-8", errors="replace").stdout


def compare(census, browser, path, ms_per_unit):
    given = json.loads(convert(census, "json", path))
    seen = browser.post("/execute/async", script=IMPORT, args=[convert(census, "chrome", path)])
    expect(seen["warnings"], [], f"{path}: warnings of the importer")
    expect(seen["job"], given["job"], "the name of the process")
    heap = seen["counters"].pop("heap profile")
    expect(sorted(heap), sorted({name for sample in given["samples"] for name in sample["costs"]}), "series")
    for name, points in heap.items():
        expect(len(points), len(given["samples"]), f"samples of {name}")
        for (time, value), sample in zip(points, given["samples"]):
            expect(value, sample["costs"].get(name, 0), f"{name} at {time} ms")
            assert abs(time - sample["time"] * ms_per_unit) < 1e-3, (time, sample["time"])
    expect([title for _, title in seen["marks"]], [mark.get("label") or "mark" for mark in given["marks"]], "marks")
    points = [(name, value) for name, series in seen["counters"].items() for _, value in series["value"]]
    expect(sorted(points), sorted((line["name"], line["value"]) for line in given.get("lines", [])), "quantities")
    return heap


def test_names_that_appear_and_go(census, directory, browser):
    path = directory / "marked.hp"
    path.write_text('JOB "odd \\u2028 <job>"\nDATE "d"\nSAMPLE_UNIT "ms"\nVALUE_UNIT "bytes"\n'
                    'BEGIN_SAMPLE 0\na\t3\nEND_SAMPLE 0\nMARK 5\nBEGIN_SAMPLE 10\nb "\\\t7\nEND_SAMPLE 10\n'
                    'BEGIN_SAMPLE 20\na\t1\nb "\\\t8\nEND_SAMPLE 20\n')
    path.with_suffix(".lines").write_text("time\twhat\tvalue\n5\tmark\tloaded\n6\tresident\t9\n")
    heap = compare(census, browser, path, 1)
    expect([value for _, value in heap['b "\\']], [0, 7, 8], "a name that is not in the first sample")


def test_event_log(census, directory, browser):
    heap = compare(census, browser, ROOT / "samples/eventlog/foldleak-prof-lu-hc.eventlog", 1000)
    assert max(value for _, value in heap["lazyCount.bump/lazyCount/main"]) > 1e8, "the largest band"


def test_recording(census, directory, browser):
    """Of a native program."""
    command = [census, "run", "-q", "-hd", "-o", directory / "date.eventlog", "--", "date"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    compare(census, browser, directory / "date.eventlog", 1000)


if __name__ == "__main__":
    if not VIEWERS:
        print("skipped: Go's trace viewer is not installed (golang-go)")
        sys.exit(SKIPPED)
    sys.exit(run_tests(globals(), stage))
