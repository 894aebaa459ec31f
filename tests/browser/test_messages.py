#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A page that shows the messages of a server, in a real browser. The server is written in Python and follows
docs/formats/page.md; census packs the profiles.

test_messages.py CENSUS [NAME...]: all tests, or those named. Skips (77) without chromium.
"""
import contextlib
import http.server
import json
import pathlib
import queue
import re
import subprocess
import sys
import threading

from browser import expect, keep_port, run_tests

PLACE = "<script type=\"application/json\" id=\"census-data\">"
HEADERS = 'JOB "live"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'


def page_of(census, directory, samples, name="live.hp"):
    """Returns the text of a page with one profile."""
    path = pathlib.Path(directory, name)
    path.write_text(HEADERS + "".join(
        f"BEGIN_SAMPLE {t}\n" + "".join(f"{n}\t{v}\n" for n, v in costs.items()) + f"END_SAMPLE {t}\n"
        for t, costs in samples))
    target = path.with_suffix(".html")
    subprocess.run([census, "plot", "-o", target, path], check=True)
    return target.read_text()


def data_of(page):
    begin = page.index(PLACE) + len(PLACE)
    return json.loads(page[begin:page.index("</script>", begin)])


def live_page(page):
    """Returns the same page without profiles, as a server sends it."""
    data = {**data_of(page), "events": "events", "profiles": []}
    page = re.sub(re.escape(PLACE) + "[^<]*", lambda _: PLACE + json.dumps(data).replace("<", "\\u003c"), page)
    return page.replace("connect-src 'none'", "connect-src 'self'")


class Server:
    """Serves a live page, and to each viewer all messages so far and those to come."""

    def __init__(self, page, keeper=None):
        self.keeper = keeper or keep_port()
        self.page, self.messages, self.viewers, self.last_ids = page, [], [], []
        self.lock, self.is_stopped = threading.Lock(), False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(self.keeper.getsockname(), Handler)
        self.http.daemon_threads = True
        self.http.block_on_close = False
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, request):
        if self.is_stopped:  # on a connection that the browser had opened in advance
            return
        is_page = request.path == "/"
        if request.path == "/events":
            self.last_ids.append(request.headers.get("Last-Event-ID"))
        request.send_response(200 if is_page or request.path == "/events" else 404)
        request.send_header("Content-Type", "text/html; charset=utf-8" if is_page else "text/event-stream")
        request.end_headers()
        if is_page:
            request.wfile.write(self.page.encode())
        elif request.path == "/events":
            self.stream(request)

    def stream(self, request):
        pending = queue.Queue()
        with self.lock:
            for message in self.messages:
                pending.put(message)
            self.viewers.append(pending)
        while (message := pending.get()) is not None:
            request.wfile.write(message.encode())

    def send(self, kind, data):
        with self.lock:
            text = f"id: T-{len(self.messages)}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"
            self.messages.append(text)
            for viewer in self.viewers:
                viewer.put(text)

    def stop(self):
        """Accepts no new viewers, then closes the connections of the others."""
        self.is_stopped = True
        self.http.shutdown()
        self.http.server_close()
        with self.lock:
            for viewer in self.viewers:
                viewer.put(None)
            self.viewers = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"


def steady(n):
    return [(float(t), {"big": 1000, "small": 10 + t}) for t in range(n)]


class Stage:
    """A server with a live page that is open in a browser and has its first profile."""

    def __init__(self, census, directory, browser, samples):
        page = page_of(census, directory, samples)
        self.snapshot = {**data_of(page)["profiles"][0], "state": "growing"}
        self.server = Server(live_page(page))
        self.browser = browser
        self.time = samples[-1][0]
        browser.open(self.server.url)
        self.server.send("snapshot", self.snapshot)
        self.wait_for(len(samples))

    def wait_for(self, n):
        self.browser.until("const e = census.app.entry(); return e && e.profile && e.profile.nSamples >= arguments[0]", n)
        self.browser.settle()

    def sample(self, *pairs, names=(), rest=0, step=1):
        self.time += step
        total = rest + sum(pairs[1::2])
        self.server.send("samples", {"id": 0, "names": [{"name": n, "colour": ["#3ea2e8", "#3ea2e8"]} for n in names],
                                     "samples": [[self.time, total, list(pairs)]]})


# --- tests -----------------------------------------------------------------------------------------------


def test_new_samples_appear(stage):
    browser = stage.browser
    stage.sample(0, 1000, 1, 77, rest=5)
    stage.wait_for(11)
    last = browser.run("""
        const {profile} = census.app.entry(), at = profile.n - 1;
        return [profile.times[at], profile.total[at], profile.restValues()[at],
            ...profile.names.map((name) => name.column.values(profile.n)[at])];""")
    expect(last, [10, 1082, 5, 1000, 77], "the last sample")
    stage.sample(0, 1000, 2, 5000, names=["newcomer"])
    stage.wait_for(12)
    browser.until("census.app.forgetRanking(); census.app.redraw();"
                  "return census.app.panel.chart.bands.some((b) => b.name === 'newcomer')")
    expect(browser.run("return census.app.panel.chart.bands.find((b) => b.name === 'newcomer').full.slice(-3).join()"),
           "0,0,5000", "a name that came later")
    assert "live" in browser.text("#state-text") and "last sample" in browser.text("#state-text")
    expect(browser.run("return performance.getEntriesByType('navigation').length"), 1, "pages loaded")


def test_marks_lines_and_the_end(stage):
    browser = stage.browser
    stage.server.send("mark", {"id": 0, "time": 4.5, "label": "phase <b>two</b>"})
    stage.server.send("line", {"id": 0, "name": "heap size", "points": [[1, 1010], [8, 1430]]})
    stage.server.send("state", {"id": 0, "name": "live.hp", "state": "ended", "message": "the program is done",
                                "age_s": 3})
    browser.until("return document.getElementById('state').dataset.state === 'ended'")
    browser.settle()
    expect(browser.text("#state-text"), "ended · the program is done", "the state")
    expect(browser.run("return census.app.entry().profile.marks.map((m) => m.label).join()"), "phase <b>two</b>", "mark")
    expect(browser.run("return census.app.panel.chart.lines.map((l) => l.name).join()"), "heap size", "a line that fits")
    assert not browser.run("return document.getElementById('lines').hidden")


def test_waiting_profile_shows_its_message(stage):
    browser = stage.browser
    stage.server.send("state", {"id": 7, "name": "later.hp", "state": "waiting", "message": "the file does not exist yet",
                                "age_s": None})
    browser.until("return document.querySelectorAll('#tabs button').length === 3")
    browser.run("census.app.showProfile(7)")
    browser.settle()
    expect(browser.text("#empty"), "the file does not exist yet", "the reason of waiting")
    stage.server.send("snapshot", {**stage.snapshot, "id": 7, "file": "later.hp"})
    browser.until("return census.app.panel.chart !== null")


def test_caveats_are_shown(stage):
    browser = stage.browser
    lacking = {"id": 0, "name": "live.hp", "state": "growing", "message": "", "caveat": "only <i>half</i> of it",
               "age_s": 1}
    stage.server.send("state", {**lacking, "id": 7, "name": "later", "caveat": "its samples come later"})
    stage.server.send("state", lacking)
    browser.until("return !document.getElementById('note').hidden")
    expect(browser.text("#note"), "Only <i>half</i> of it.", "the message below the picture")
    browser.run("census.app.showProfile(7)")
    browser.settle()
    expect(browser.text("#empty"), "Its samples come later.", "the message in place of a picture")
    browser.run("census.app.showProfile(0)")
    stage.server.send("state", {**lacking, "caveat": ""})
    browser.until("return document.getElementById('note').hidden")


def test_largest_of_many_profiles_is_shown(stage):
    browser = stage.browser
    for number in range(20, 40):
        stage.server.send("snapshot", {**stage.snapshot, "id": number, "file": f"child.{number}.hp"})
    browser.until("return census.app.entries.has(39)")
    expect(browser.run("return census.app.current"), 0, "what came first")
    stage.server.send("samples", {"id": 31, "names": [], "samples": [[100, 1e9, [0, 1e9]]]})
    browser.until("return census.app.current === 31")
    browser.settle()
    tabs = browser.run("return [...document.querySelectorAll('#tabs button')].map((b) => b.textContent)")
    assert len(tabs) < 24 and "child.31.hp" in tabs, tabs
    browser.run("census.app.showProfile(25)")
    stage.server.send("samples", {"id": 32, "names": [], "samples": [[100, 1e12, [0, 1e12]]]})
    browser.until("return census.app.entries.get(32).largest === 1e12")
    expect(browser.run("return census.app.current"), 25, "what the reader chose")
    browser.settle()
    browser.run("document.querySelector('#tabs button:last-child').click()")
    browser.settle()
    n_entries = browser.run("return census.app.entries.size")
    expect(browser.run("return document.querySelectorAll('#tabs button').length"), n_entries + 1, "all tabs")
    browser.run("census.app.tabs.isWhole = false; census.app.showProfile(0)")


def test_link_waits_for_its_profile(stage):
    browser, server = stage.browser, stage.server
    browser.open("about:blank")
    browser.open(server.url + "#profile=7&from=2&to=6&alone=small&last=60")
    stage.wait_for(10)
    expect(browser.run("return [census.app.current, location.hash.includes('profile=7')]"), [0, True], "until it is there")
    server.send("snapshot", {**stage.snapshot, "id": 7, "file": "later.hp"})
    browser.until("return census.app.current === 7 && census.app.panel.chart && census.app.panel.chart.profile.id === 7")
    view = browser.run("""
        const {app} = census, {chart, own} = {chart: app.panel.chart, own: app.entry().own};
        return [chart.window, own.isolated, app.isFollowing(), app.live.length];""")
    expect(view, [[2, 6], "small", False, 60], "the view of the link")
    browser.run("census.app.zoomOut()")
    browser.until("return location.hash === '#profile=7&last=60&alone=small'")


def test_name_keeps_its_colour_on_the_page(stage):
    browser = stage.browser
    names = [{**name, "colour": ["#123456", "#654321"]} for name in stage.snapshot["names"]]
    before = browser.run("return census.app.entry().profile.names.map(({colours}) => colours)")
    stage.server.send("snapshot", {**stage.snapshot, "epoch": 99, "names": names})
    browser.until("return census.app.entry().profile.epoch === 99")
    expect(browser.run("return census.app.entry().profile.names.map(({colours}) => colours)"), before, "colours")


def test_window_follows_or_stays(stage):
    browser = stage.browser
    browser.run("const w = document.getElementById('window'); w.value = '60';"
                "w.dispatchEvent(new Event('change', {bubbles: true}))")
    for _ in range(100):
        stage.sample(0, 1000, 1, 50)
    stage.wait_for(110)
    expect(browser.run("return census.app.entry().own.window"), [49, 109], "the last minute")
    browser.press("p")
    stage.sample(0, 1000)
    stage.wait_for(111)
    expect(browser.run("return census.app.panel.chart.window"), [49, 109], "paused")
    assert "paused" in browser.text("#state-text"), browser.text("#state-text")
    browser.press_button("#pause")
    expect(browser.run("return census.app.panel.chart.window"), [50, 110], "follows again")


def test_axis_ends_at_few_round_numbers(stage):
    browser = stage.browser
    tops = set()
    for i in range(30):
        stage.sample(0, 1000 + 200 * i, 1, 5)
        stage.wait_for(11 + i)
        tops.add(browser.run("const c = census.app.panel.chart; return c.yMax / c.yUnit.factor"))
    assert len(tops) <= 10 and all(top in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) for top in tops), tops


def test_page_reconnects_after_the_server(stage):
    browser = stage.browser
    colours = "return census.app.panel.chart.bands.map((b) => b.colour).join()"
    before = browser.run(colours)
    stage.server.stop()
    browser.until("return document.getElementById('state').dataset.state === 'reconnecting'")
    expect(browser.text("#state-text"), "reconnecting…", "the state")
    stage.server = Server(stage.server.page, stage.server.keeper)
    stage.server.send("snapshot", stage.snapshot)
    browser.until("return document.getElementById('state').dataset.state === 'growing'")
    expect(stage.server.last_ids[0], "T-0", "the last message that it had")
    stage.sample(0, 1000)
    stage.wait_for(11)
    expect(browser.run(colours), before, "colours")
    expect(browser.complaints(without="net::ERR_"), [], "what the console says besides lost connections")


def test_restarted_profile_replaces_the_old_one(stage):
    browser = stage.browser
    browser.run("census.app.chooseName('small')")
    stage.server.send("snapshot", {**stage.snapshot, "epoch": 1, "title": "again"})
    browser.until("return document.title === 'again'")
    expect(browser.run("return census.app.entry().own.isolated"), None, "what was wished of the old one")


def test_two_viewers(stage):
    with type(stage.browser)(800, 600) as other:
        other.open(stage.server.url)
        stage.sample(0, 1000)
        stage.wait_for(11)
        other.until("const e = census.app.entry(); return e && e.profile.nSamples === 11")
        expect(other.complaints(), [], "the console")


def test_long_profile_stays_bounded(stage):
    browser = stage.browser
    figures = browser.run("""
        const {profile} = census.app.entry();
        let time = profile.times[profile.n - 1], slowest = 0, peak = 0;
        for (let batch = 0; batch < 400; batch++) {
            const samples = [];
            for (let i = 0; i < 250; i++) {
                const value = (batch * 7919 + i * 104729) % 100003;
                peak = Math.max(peak, value);
                samples.push([++time, value + 1, [0, value, 1, 1]]);
            }
            const began = performance.now();
            profile.addSamples({id: 0, names: [], samples});
            slowest = Math.max(slowest, performance.now() - began);
        }
        let sums = 0;
        const columns = [...profile.names.map((n) => n.column.values(profile.n).slice()), profile.restValues()];
        for (let i = 0; i < profile.n; i++) {
            sums += columns.reduce((sum, c) => sum + (c ? c[i] : 0), 0) !== profile.total[i] ? 1 : 0;
        }
        return {n: profile.n, all: profile.nSamples, first: profile.times[0], last: profile.times[profile.n - 1], time,
            peak: profile.total.reduce((a, b) => Math.max(a, b)) - 1, wanted: peak, sums, slowest};""")
    print(f"        slowest batch of 250 samples, thinning included: {figures['slowest']:.1f} ms")
    assert figures["n"] <= 16384 and figures["all"] == 100010, figures
    expect([figures["first"], figures["last"]], [0, figures["time"]], "all of the time")
    expect(figures["peak"], figures["wanted"], "the peak")
    expect(figures["sums"], 0, "samples whose parts are not their total")
    browser.settle()


@contextlib.contextmanager
def on_stage(census, directory, browser):
    stage = Stage(census, directory, browser, steady(10))
    try:
        yield (stage,)
    finally:
        browser.open("about:blank")
        stage.server.stop()


sys.exit(run_tests(globals(), on_stage))
