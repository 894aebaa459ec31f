#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What readers do with a page, in a real browser.

test_page.py CENSUS [NAME...]: all tests, or those named. Skips (77) without the browser, which is $CENSUS_BROWSER.
"""
import contextlib
import csv
import io
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree
from time import monotonic, sleep

from browser import PATIENCE_S, expect, in_each_browser, run_tests

HEADERS = 'JOB "{}"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
HOSTILE = [b'</script><script>document.title="taken"</script>', b"<img src=x onerror=document.title=1>", b"q\"'`&amp;",
           "naïve 漢字 \U0001f389".encode(), b"bad\xff\xfebytes", b"a,b", b"=1+1", b"__proto__", b"constructor"]


def profile(job, samples, marks=()):
    """Returns the text of a profile: samples are (time, {name: amount})."""
    out = [HEADERS.format(job).encode()]
    for time, costs in samples:
        out += [b"BEGIN_SAMPLE %g\n" % time]
        out += [(n if isinstance(n, bytes) else n.encode()) + b"\t%d\n" % v for n, v in costs.items()]
        out += [b"END_SAMPLE %g\n" % time] + [b"MARK %g\n" % m for m in marks if time <= m < time + 1]
    return b"".join(out)


def steady(n_names=40, n_samples=100):
    """Returns samples of names n00, n01, ..., the largest first; `late` exists only at the end, and is
    the largest there."""
    return [(t, {**{f"n{i:02}": 1000 * (n_names - i) + t for i in range(n_names)},
                 **({"late": 90000} if t >= 90 else {})}) for t in range(n_samples)]


class Bench:
    """Pages of profiles made for a test."""

    def __init__(self, census, directory):
        self.census, self.directory = census, pathlib.Path(directory)

    def page(self, *profiles, options=()):
        paths = []
        for i, text in enumerate(profiles):
            paths.append(self.directory / f"p{i}.hp")
            paths[-1].write_bytes(text)
        target = self.directory / "page.html"
        subprocess.run([self.census, "plot", *options, "-o", target, *paths], check=True, cwd=self.directory)
        return target.as_uri()


def names_shown(browser):
    """Returns the names of the bands, bottom first."""
    return json.loads(browser.run("return JSON.stringify(census.app.panel.chart.bands.map((band) => band.name))"))


def place_of(browser, name, share=0.5):
    """Returns the middle of a band on the screen, at a share of the way through the samples."""
    return browser.run("""
        const {chart, drawing, box} = census.app.panel, r = box.getBoundingClientRect();
        const band = chart.bands.find((b) => b.name === arguments[0]);
        const at = Math.round(chart.from + arguments[1] * (chart.to - chart.from)), i = at - chart.low;
        const y = band.inner ? (band.inner[i] + band.upper[i]) / 2 : band.upper[i];
        return [r.left + drawing.x(chart.xs[at]), r.top + drawing.y(y)];""", name, share)


def x_of(browser, time):
    return browser.run("""
        const {drawing, box} = census.app.panel;
        return box.getBoundingClientRect().left + drawing.x(arguments[0]);""", time)


def brush(browser, begin, end):
    top = browser.run("return document.getElementById('chart').getBoundingClientRect().top")
    browser.drag(x_of(browser, begin), top + 150, x_of(browser, end), top + 160)


def rows(browser):
    return browser.run("return [...document.querySelectorAll('#rows tr')].map((row) => row.dataset.name)")


# --- tests -----------------------------------------------------------------------------------------------


@in_each_browser
def test_hover_shows_name_value_share_time_and_total(bench, browser):
    browser.open(bench.page(profile("hover", steady(3, 11))))
    browser.settle()
    browser.move(*place_of(browser, "n01"))
    tip = browser.text("#tooltip").replace("\u00a0", " ")
    for part in ("n01", "1.96 KiB", "33.3 %", "of 5.87 KiB", "at 5 s"):
        assert part in tip, f"no {part!r} in {tip!r}"
    browser.move(2, 2)
    assert browser.run("return document.getElementById('tooltip').hidden")


@in_each_browser
def test_click_isolates_and_second_click_returns(bench, browser):
    browser.open(bench.page(profile("isolate", steady(5))))
    browser.settle()
    all_names = names_shown(browser)
    browser.click(*place_of(browser, "n02"))
    expect(names_shown(browser), ["n02"], "alone")
    assert "only n02" in browser.text("#crumbs")
    browser.run("census.app.pointer.lastClick = -1e9")  # two clicks, not a double one
    browser.click(*place_of(browser, "n02"))
    expect(names_shown(browser), all_names, "all again")
    browser.press_button("#rows tr[data-name='n03'] button")
    expect(names_shown(browser), ["n03"], "by the table")
    browser.press("Escape")
    expect(names_shown(browser), all_names, "Escape goes back")


@in_each_browser
def test_brush_zooms_and_ranks_again(bench, browser):
    browser.open(bench.page(profile("brush", steady())))
    browser.settle()
    assert "n00" in names_shown(browser)
    before = browser.run("return census.app.panel.chart.ranked.map(({k}) => census.app.entry().profile.names[k].name)")
    brush(browser, 89.6, 98.4)
    chart = browser.run("const c = census.app.panel.chart; return [c.window, c.xs[c.from], c.xs[c.to]]")
    assert 89 < chart[0][0] < 90 and 98 < chart[0][1] < 99, chart
    expect(chart[1:], [90, 98], "the samples within")
    after = browser.run("return census.app.panel.chart.ranked.map(({k}) => census.app.entry().profile.names[k].name)")
    expect(after[0], "late", "the largest name there")
    assert before[0] != "late"
    expect(after, ["late"] + [f"n{i:02}" for i in range(len(after) - 1)], "ranking of the window")
    browser.press("Escape")
    expect(browser.run("return census.app.entry().own.window"), None, "all of the time again")
    brush(browser, 20, 40)
    top = browser.run("return document.getElementById('chart').getBoundingClientRect().top")
    browser.click(x_of(browser, 30), top + 20)
    browser.run("census.app.pointer.lastClick = Infinity")  # a double click, also on a slow machine
    browser.click(x_of(browser, 30), top + 20)
    expect(browser.run("return [census.app.entry().own.window, census.app.entry().own.isolated]"), [None, None],
           "a double click zooms out")


@in_each_browser
def test_wheel_zooms_and_moves(bench, browser):
    browser.open(bench.page(profile("wheel", steady(5))))
    browser.settle()
    turn = """
        const box = document.getElementById('chart'), r = box.getBoundingClientRect();
        box.dispatchEvent(new WheelEvent('wheel', {...arguments[0], clientX: r.left + r.width / 2, clientY: r.top + 99,
            cancelable: true}));"""
    browser.run(turn, {"deltaY": -240, "ctrlKey": True})
    browser.settle()
    low, high = browser.run("return census.app.panel.chart.window")
    assert 45 < high - low < 55, (low, high)
    browser.run(turn, {"deltaY": 240, "shiftKey": True})
    browser.settle()
    later = browser.run("return census.app.panel.chart.window")
    assert later[0] > low and abs(later[1] - later[0] - (high - low)) < 1e-6, later
    browser.run(turn, {"deltaY": 240})
    browser.settle()
    expect(browser.run("return census.app.panel.chart.window"), later, "the page scrolls")


def test_ranking_is_exact_in_any_window(bench, browser):
    import random
    chance = random.Random(7)
    samples = [(t, {f"x{i}": chance.randrange(1, 1 << chance.randrange(1, 20)) for i in range(300)
                    if (t * 7 + i) % 40 < 20}) for t in range(300)]
    browser.open(bench.page(profile("rank", samples)))
    browser.settle()
    wrong = browser.run("""
        const {profile, ranking} = census.app.entry(), problems = [];
        for (const [from, to] of [[0, 299], [3, 4], [10, 10], [17, 150], [250, 299], [100, 101]]) {
            const weight = census.stats.weights(profile.times, from, to);
            const all = profile.names.map((name, k) =>
                [k, census.stats.area(name.column.values(profile.n), from, weight)]);
            all.sort((a, b) => b[1] - a[1]);
            const found = ranking.top(from, to, 12).map(({area}) => area);
            if (found.join() !== all.slice(0, 12).map(([, area]) => area).join()) problems.push([from, to]);
        }
        return problems;""")
    expect(wrong, [], "windows that are ranked wrongly")


@in_each_browser
def test_search_marks_and_filters(bench, browser):
    browser.open(bench.page(profile("search", steady(20))))
    browser.settle()
    browser.type_into("#search", "^N0[12]$")
    expect(rows(browser), [], "capital letters mean themselves")
    browser.type_into("#search", "^n0[12]$")
    expect(rows(browser), ["n01", "n02"], "rows")
    expect(browser.text("#search-note"), "2 names", "the note")
    browser.press_button("#only")
    expect(sorted(names_shown(browser)), ["n01", "n02"], "only these")
    browser.press_button("#only")
    browser.type_into("#search", "n0[")
    assert "not a regular expression yet" in browser.text("#search-note")
    expect(browser.run("return document.getElementById('search').getAttribute('aria-invalid')"), "true", "invalid")
    browser.type_into("#search", "zzz")
    expect(browser.text("#search-note"), "no name has it", "the note")
    browser.type_into("#search", "")
    expect(len(rows(browser)), 21, "all rows again")


def test_other_opens(bench, browser):
    browser.open(bench.page(profile("other", steady())))
    browser.settle()
    expect(names_shown(browser)[-1], "OTHER", "on top")
    browser.click(*place_of(browser, "OTHER"))
    expect(sorted(names_shown(browser)), sorted([f"n{i:02}" for i in range(15, 30)] + ["OTHER"]), "the next names")
    assert "names 16 to 30" in browser.text("#crumbs")
    browser.press("Escape")
    assert "n00" in names_shown(browser)


def test_modes_and_bands(bench, browser):
    browser.open(bench.page(profile("modes", steady())))
    browser.settle()
    browser.press("n")
    expect(browser.run("return census.app.panel.chart.yMax"), 100, "percents")
    total = browser.run("const b = census.app.panel.chart.bands; return b[b.length - 1].upper[50]")
    assert abs(total - 100) < 1e-9
    browser.press("l")
    assert "OTHER" not in names_shown(browser)
    browser.press("s")
    n = browser.run("return census.app.panel.chart.ranked.length")
    browser.press("]", "]")
    expect(browser.text("#n-bands"), f"{n + 2} bands", "two more")
    browser.press_button("#fewer")
    expect(len(names_shown(browser)), n + 2, "one less, and OTHER")


def test_steps_stay_until_the_next_sample(bench, browser):
    browser.open(bench.page(profile("steps", [(0, {"a": 10}), (10, {"a": 20})]), options=["--steps"]))
    curve = browser.run("const {drawing} = census.app.panel, [{curve}] = drawing.chart.bands; return curve")
    expect(len(curve), 6, "three points")
    expect([curve[2] == curve[4], curve[3] == curve[1], curve[5] < curve[3]], [True] * 3, "level, then up")
    for time, at in ((9, 0), (10, 1)):
        expect(browser.run("return census.app.panel.chart.nearest(arguments[0])", time), at, "the sample of a step")


def test_modes_keep_order_and_colours(bench, browser):
    browser.open(bench.page(profile("stay", [(t, {f"m{i}": 100 + (t * (i + 3)) % (20 * i + 50) for i in range(12)})
                                             for t in range(80)])))
    browser.settle()
    look = "return census.app.panel.chart.bands.map((b) => b.name + b.colour).join()"
    before = browser.run(look)
    for key in "nls":
        browser.press(key)
        shown = browser.run(look)
        assert key == "l" or shown == before, (key, shown, before)


@in_each_browser
def test_light_and_dark(bench, browser):
    browser.open(bench.page(profile("dark", steady(5))))
    browser.settle()
    ground = "return getComputedStyle(document.body).backgroundColor"
    expect(browser.run(ground), "rgb(255, 255, 255)", "light")
    browser.prefer_dark(True)
    browser.settle()
    expect(browser.run(ground), "rgb(23, 26, 31)", "as the reader likes it")
    browser.press_button("#theme")
    expect(browser.run(ground), "rgb(255, 255, 255)", "the button")
    browser.prefer_dark(False)
    browser.open(bench.page(profile("dark", steady(5)), options=["--theme", "dark"]))
    browser.settle()
    expect(browser.run(ground), "rgb(23, 26, 31)", "--theme dark")


def test_table_sorts_and_agrees_with_report(bench, browser):
    samples = [(t, {"up": 100 * t + 7, "down": 5000 - 40 * t, "odd": (t * 37) % 101 * 30}) for t in range(60)]
    browser.open(bench.page(profile("table", samples)))
    browser.settle()
    for column, order in [("name", ["down", "odd", "up"]), ("growth", ["up", "odd", "down"]), ("max", ["up", "down", "odd"])]:
        browser.press_button(f"th[data-sort={column}] button")
        expect(rows(browser), order, column)
    browser.press_button("th[data-sort=max] button")
    expect(rows(browser), ["odd", "down", "up"], "the other way round")
    expect(browser.run("return document.querySelector('th[data-sort=max]').getAttribute('aria-sort')"), "ascending",
           "said to those who listen")
    report = subprocess.run([bench.census, "report", "--format", "csv", bench.directory / "p0.hp"], check=True,
                            capture_output=True, text=True).stdout
    figures = browser.run("return census.app.table.figures")
    for row in csv.DictReader(io.StringIO(report)):
        mine = next(figure for figure in figures if figure["name"] == row["name"])
        for theirs, ours in [("share", "share"), ("mean", "mean"), ("max", "max"), ("growth", "growth"), ("r_squared", "r2")]:
            assert abs(float(row[theirs]) - mine[ours]) <= 1e-9 * max(1, abs(mine[ours])), (row, mine)


def test_growth_of_rounding_errors_is_none(bench, browser):
    browser.open(bench.page(profile("even", [(i / 10, {"even": 3000000 * (1 + 3 * (i // 4 % 2))}) for i in range(12)])))
    browser.settle()
    expect(browser.run("return census.app.table.figures.map((figure) => figure.growth)"), [0], "growth")


@in_each_browser
def test_downloads(bench, browser):
    samples = [(t, {**costs, "=1+2": 30000, "'@x": 30000}) for t, costs in steady(20)]
    browser.open(bench.page(profile("save", samples), options=["-m", "6"]))
    browser.settle()
    brush(browser, 9.6, 20.4)
    for kind in ("svg", "png", "csv"):
        browser.press_button(f"[data-save={kind}]")
    table = list(csv.reader(io.StringIO(browser.downloaded("p0.csv").decode())))
    expect([float(row[0]) for row in table[1:]], [float(t) for t in range(10, 21)], "times")
    expect(sorted(name for name in table[0] if name.startswith("'")), ["''@x", "'=1+2"], "guarded from spreadsheets")
    for row in table[1:]:
        cells = dict(zip(table[0], map(float, row)))
        costs = samples[int(cells["time"])][1]
        expect(cells["n02"], float(costs["n02"]), "an amount")
        expect(cells["total"], float(sum(costs.values())), "the total")
        expect(cells["total"], sum(cells[name] for name in table[0][1:-1]), "all bands together")
    picture = browser.downloaded("p0.svg")
    texts = ["".join(e.itertext()) for e in xml.etree.ElementTree.fromstring(picture).iter()
             if e.tag.endswith("}text") or e.tag.endswith("}title")]
    assert "n02" in texts, texts
    assert browser.downloaded("p0.png").startswith(b"\x89PNG\r\n")


def test_lanes_of_event_logs(bench, browser):
    """Lanes are below the bands and above the labels of the x axis, and agree with the picture."""
    log = pathlib.Path(__file__).resolve().parents[2] / "tests/cli/fixtures/time_and_heap.eventlog.xz"
    page, picture = bench.directory / "lanes.html", bench.directory / "lanes.json"
    for target in (page, picture):
        subprocess.run([bench.census, "plot", "--lanes", "-o", target, log], check=True)
    lanes = json.loads(picture.read_text())["lanes"]
    browser.open(page.as_uri())
    browser.settle()
    found = browser.run("""
        const {all, begin, cell} = census.app.entry().profile.lanes;
        const mean = (shares) => shares.reduce((sum, share) => sum + share, 0) / 4096;
        return all.map((lane) => [lane.name, lane.note, mean(lane.values), begin, begin + 4096 * cell]);""")
    expect([lane[:2] for lane in found], [[lane["name"], lane["note"]] for lane in lanes], "lanes")
    for (name, _, share, begin, end), lane in zip(found, lanes):
        edges = lane["times"]
        sums = (value * (b - a) for value, a, b in zip(lane["values"], edges, edges[1:]))
        mean = sum(sums) / (edges[-1] - edges[0]) / lane["high"]
        assert abs(share - mean) < 0.02, (name, share, mean)
        assert abs(begin - edges[0]) + abs(end - edges[-1]) < 1e-9, name
    browser.press_button("[data-save=svg]")
    root = xml.etree.ElementTree.fromstring(browser.downloaded("time_and_heap.svg"))
    texts = [(float(e.get("y")), "".join(e.itertext())) for e in root.iter() if e.tag.endswith("}text")]
    heights = {text: y for y, text in texts}
    order = [heights[text] for text in ("0", "allocation", "GC", "cap 0", "600")]
    expect(order, sorted(order), "from the axis of the bands down to the labels of the x axis")
    assert lanes[1]["note"] in heights, heights
    browser.run("census.app.zoomAround(0.6, 0.5); census.app.draw();")
    expect(browser.run("return census.app.panel.drawing.lanesHeight > 0"), True, "lanes of a part")
    browser.open(bench.page(profile("plain", steady(3, 11))))
    browser.settle()
    expect(browser.run("return census.app.panel.drawing.lanesHeight"), 0, "no lanes without a log")


@in_each_browser
def test_keyboard(bench, browser):
    browser.open(bench.page(profile("keys", steady(4, 20))))
    browser.settle()
    browser.run("document.getElementById('chart').focus()")
    browser.press("ArrowRight", "ArrowRight", "ArrowRight")
    expect(browser.run("return census.app.panel.pointed.at"), 2, "the third sample")
    first = browser.run("return census.app.panel.pointed.band.name")
    browser.press("ArrowDown")
    second = browser.run("return census.app.panel.pointed.band.name")
    assert first != second
    spoken = browser.text("#spoken")
    assert second in spoken and "at 2" in spoken, spoken
    browser.press("Enter")
    expect(names_shown(browser), [second], "alone")
    browser.press("Escape", "End")
    expect(browser.run("return census.app.panel.pointed.at"), 19, "the last sample")
    browser.press("+")
    assert browser.run("return census.app.entry().own.window !== null")
    browser.press("0")
    assert browser.run("return census.app.entry().own.window === null")
    browser.press("?")
    assert browser.run("return document.getElementById('help').open")
    browser.press("Escape")
    assert not browser.run("return document.getElementById('help').open")
    browser.press("/")
    expect(browser.run("return document.activeElement.id"), "search", "the search has the focus")


@in_each_browser
def test_hostile_names_are_only_texts(bench, browser):
    samples = [(t, {name: 1000 * (i + 1) for i, name in enumerate(HOSTILE)}) for t in range(5)]
    browser.open(bench.page(profile("</title><script>document.title=2</script>", samples)))
    browser.settle()
    expect(browser.run("return document.title"), "</title><script>document.title=2</script>", "the title")
    expect(browser.run("return document.querySelectorAll('img, #main script').length"), 0, "elements of names")
    shown = rows(browser)
    expect(shown[0], "constructor", "a name")
    assert HOSTILE[0].decode() in shown and "bad\ufffd\ufffdbytes" in shown and "naïve 漢字 \U0001f389" in shown, shown
    for name in HOSTILE:
        name = name.decode(errors="surrogateescape")
        browser.run("census.app.chooseName(arguments[0])", name.encode("utf-8", "replace").decode()
                    if "\udcff" in name else name)
        browser.settle()
        browser.press("Escape")
    browser.press_button("[data-save=svg]")
    xml.etree.ElementTree.fromstring(browser.downloaded("p0.svg"))


def test_odd_profiles(bench, browser):
    for samples in ([(1.5, {"a": 10, "b": 5})], [(1, {"a": 1}), (1, {"a": 2})], [(0, {}), (1, {"a": 1}), (2, {})],
                    [(t / 7, {"a": 2 ** 60 + t}) for t in range(5)]):
        browser.open(bench.page(profile("odd", samples)))
        browser.settle()
        for key in "nls+-0o[]":
            browser.press(key)
        browser.move(400, 400)
        browser.click(400, 400)
        browser.press("Escape")


def test_options_set_the_first_view(bench, browser):
    browser.open(bench.page(profile("options", steady()), options=["-m", "3", "--lines", "--order", "name", "--from",
                                                                   "20", "--to", "60", "--match", "n[01]"]))
    browser.settle()
    expect(browser.run("const c = census.app.panel.chart; return [c.mode, c.xs[0], c.xs[c.xs.length - 1]]"),
           ["lines", 20, 60], "lines of a window")
    expect(names_shown(browser), ["n02", "n01", "n00"], "by name, the first on top")
    expect(len(rows(browser)), 20, "matching names")


def test_several_profiles(bench, browser):
    browser.open(bench.page(profile("one", steady(5, 10)), profile("two", steady(6, 20)), options=["--same-scale"]))
    browser.settle()
    tabs = "return [...document.querySelectorAll('#tabs button')].map((tab) => tab.textContent)"
    expect(browser.run(tabs), ["All", "p0", "p1"], "tabs")
    expect(browser.run("return document.querySelectorAll('#grid canvas').length"), 2, "small pictures")
    assert browser.run("return document.getElementById('same-scale').checked")
    assert "n05" in browser.text("#legend") and "n00" in browser.text("#legend")
    browser.press_button("#grid button:nth-child(2)")
    expect(browser.text("#title"), "two", "the profile of the second picture")
    expect(len(names_shown(browser)), 6, "its bands")
    browser.press("1")
    expect(browser.text("#title"), "one", "by its number")
    browser.press("a")
    assert not browser.run("return document.getElementById('overview').hidden")


@in_each_browser
def test_small_pictures_of_long_words(bench, browser):
    peak_first = profile("peak", [(t, {"x" * 10000: 3 << 20 >> t, "small": 1000}) for t in range(9)])
    browser.open(bench.page(peak_first, peak_first))
    browser.settle()
    heights = browser.run("return [...document.querySelectorAll('#legend li')].map((item) => item.offsetHeight)")
    assert len(heights) == 2 and max(heights) < 40, heights
    unit, peak = browser.run(TEXTS_DRAWN + """
        return ['MiB', 'peak'].map((words) => spans.find((span) => span.words.startsWith(words)));""")
    assert abs(unit["y"] - peak["y"]) < 12, "at one height"
    assert unit["right"] < peak["left"], (unit, peak)

TEXTS_DRAWN = """
    const {prototype} = census.surface.CanvasSurface, {text} = prototype, spans = [];
    prototype.text = function (words, x, y, style) {
        const width = census.surface.measure(words, style.size);
        const left = {middle: x - width / 2, end: x - width}[style.anchor] ?? x;
        spans.push({words, y, left, right: left + width});
        text.call(this, words, x, y, style);
    };
    census.app.draw();
    prototype.text = text;"""


@in_each_browser
def test_level_bands_have_no_seams(bench, browser):
    uneven = [(t / 100 + (t + 1) % 2 * 0.0098, {"a": 1000, "b": 1000, "c": 1000}) for t in range(1107)]
    browser.open(bench.page(profile("seams", uneven)))
    browser.settle()
    seams = browser.run("""
        const {chart, drawing, picture} = census.app.panel, {left, width} = drawing.frame;
        const {width: rowLength, height} = picture, first = Math.ceil(left) + 3, last = left + width - 3;
        const {data} = picture.getContext('2d').getImageData(0, 0, rowLength, height);
        return chart.bands.map((band) => {  // the row a quarter above the bottom of the band: names are in the middle
            const row = rowLength * Math.round(drawing.y(band.inner[5] * 0.75 + band.upper[5] * 0.25));
            let most = 0;
            for (let i = 4 * (row + first); i < 4 * (row + last); i++) {
                most = Math.max(most, Math.abs(data[i] - data[4 * (row + first) + i % 4]));
            }
            return most;
        });""")
    assert max(seams) <= 1, f"how much colours differ along the bands: {seams}"


@in_each_browser
def test_every_tick_of_the_x_axis_has_a_label(bench, browser):
    try:
        for last in (10, 14, 59, 61, 7000):
            browser.open(bench.page(profile("ticks", [(t * last / 20, {"a": 1000}) for t in range(21)])))
            for width in (360, 700, 1280):
                browser.metrics(width, 900)
                browser.settle()
                ticks, spans, edge = browser.run(TEXTS_DRAWN + """
                    const {drawing} = census.app.panel, at = drawing.frame.bottom + 18.5;
                    return [drawing.xTicks().map(({label}) => label), spans.filter(({y}) => y === at), drawing.width];""")
                unit = {7000: "min"}.get(last, "s")
                expect([span["words"] for span in spans], [*ticks, unit], f"labels up to {last} at {width}")
                for before, after in zip(spans, spans[1:]):
                    assert before["right"] + 2 < after["left"], (width, before, after)
                assert spans[-1]["right"] <= edge, (width, spans[-1], edge)
    finally:
        browser.metrics(1280, 900)


def test_names_at_the_right_are_at_the_last_non_empty_sample(bench, browser):
    samples = [(t, {"large": 9000, **{f"thin{i}": 300 for i in range(4)}, "tiny": 1} if t < 200 else {}) for t in range(201)]
    browser.open(bench.page(profile("right", samples), options=["--trace", "0"]))
    browser.settle()
    right, last = browser.run("""
        const {drawing} = census.app.panel;
        return [drawing.names.right.map(({band, x, isThere}) => ({name: band.name, x, isThere})), drawing.x(199)];""")
    expect(sorted(row["name"] for row in right), [f"thin{i}" for i in range(4)], "bands too thin to see have no names")
    assert all(row["isThere"] and abs(row["x"] - last) < 1 for row in right), (right, last)


def test_leaders_are_never_steep(bench, browser):
    samples = [(t, {"large": 90000, **{f"thin{i:02}": 600 for i in range(14)}}) for t in range(20)]
    browser.open(bench.page(profile("leaders", samples), options=["--trace", "0"]))
    browser.settle()
    leaders, n_names = browser.run("""
        const {prototype} = census.surface.CanvasSurface, {polyline} = prototype, {frame, names} = census.app.panel.drawing;
        const leaders = [];
        prototype.polyline = (points) => { leaders.push(points); };
        census.app.draw();
        prototype.polyline = polyline;
        return [leaders.filter(([x]) => x > frame.right + 1), names.right.length];""")
    expect(n_names, 14, "names at the right")
    assert 0 < len(leaders) < n_names and all(abs(y0 - y1) < 50 for _, y0, _, y1 in leaders), leaders


def test_lines_of_similar_colours_have_different_dashes(bench, browser):
    pins = bench.directory / "pins"
    pins.write_text("#0040c0 a\n#1048c8 b\n#0038b8 c\n#d08000 d\n")
    samples = [(t, {name: 100 * (i + 1) for i, name in enumerate("dcba")}) for t in range(5)]
    browser.open(bench.page(profile("dashes", samples), options=["--lines", "--colours", str(pins)]))
    browser.settle()
    dashes = browser.run("return Object.fromEntries(census.app.panel.chart.bands.map(({name, dash}) => [name, dash.join()]))")
    expect(dashes["a"], "", "the dashes of the largest line")
    expect(dashes["d"], "", "the dashes of another colour")
    expect(len({dashes[name] for name in "abc"}), 3, "different dashes of similar colours")


def test_names_without_leaders_are_in_the_order_of_the_stack(bench, browser):
    samples = [(t, {"long": 9000, **({f"gone{i}": 900 - 100 * (i * 5 % 7) for i in range(7)} if t < 2 else {})})
               for t in range(100)]
    browser.open(bench.page(profile("stack", samples), options=["--trace", "0"]))
    browser.settle()
    right, bands = browser.run("""
        const {drawing, chart} = census.app.panel;
        return [[...drawing.names.right].sort((a, b) => b.y - a.y).map(({band}) => band.name), chart.bands.map((b) => b.name)];""")
    assert len(right) == 7, right
    expect(right, [name for name in bands if name in right], "from bottom to top")


PROFILES = [path for folder in ("samples/hp", "tests/data/hp")
            for path in sorted(pathlib.Path(__file__, "../../..", folder).resolve().glob("*.hp"))]


def pages_and_pictures(bench, paths, options):
    """Yields the path of each profile that is not empty, its page and its picture as JSON."""
    for path in paths:
        page, picture = bench.directory / "page.html", bench.directory / "picture.json"
        commands = [[bench.census, "plot", *options, "-o", target, path] for target in (page, picture)]
        failed = [subprocess.run(command, capture_output=True).returncode for command in commands]
        expect(failed[0], failed[1], f"the exit status for {path.name}")
        if not failed[0]:
            yield path, page, picture


def fills_shown(browser):
    """Returns the names and fills of the bands, bottom first."""
    return [tuple(pair) for pair in json.loads(browser.run(
        "return JSON.stringify(census.app.panel.chart.bands.map((band) => [band.name, band.colour]))"))]


def test_first_view_equals_the_picture(bench, browser):
    """Bands, their order and their fills are the same in other formats; fills of some do not change with the view."""
    n_compared, some, unlike = 0, PROFILES[::9], ["-m", "6", "--order", "growth", "--reverse", "--theme", "dark"]
    changes = "changeBands(3)", "setMode('share')", "setOrder('name')", "zoomAround(census.app.panel.chart.xs[0], 0.5)", "openOther()"
    for paths, options in ((PROFILES[::3], []), (some, unlike)):
        for path, page, picture in pages_and_pictures(bench, paths, options):
            fills = [(band["name"], band["fill"]) for band in json.loads(picture.read_text())["bands"]]
            browser.open(page.as_uri())
            browser.settle()
            found = fills_shown(browser)
            # Pictures count names that are always 0 as names of OTHER.
            if not browser.run("return census.app.entry().profile.names.some(({column}) => !column.values(1e5).some(Boolean))"):
                expect(found, fills, f"bands of {path.name} with {options}")
                n_compared += 1
            known = dict(found)
            for change in changes if path in some else ():
                browser.run(f"census.app.{change}; census.app.draw();")
                for name, fill in fills_shown(browser):
                    expect(fill, known.setdefault(name, fill), f"the fill of {name} of {path.name} after {change}")
    assert n_compared > len(PROFILES) / 6, n_compared


def test_subtitle_says_how_names_were_chosen(bench, browser):
    equal = [(t, {f"(1)f{i}/main": 10 for i in range(36)}) for t in range(3)]
    browser.open(bench.page(profile("equal", equal)))
    browser.settle()
    assert "the largest 18 of 36 names" in browser.text("#subtitle"), browser.text("#subtitle")
    browser.run("census.app.changeBands(1); census.app.draw();")
    assert "largest" not in browser.text("#subtitle"), "no longer true"

    modules = [(t, {f"base:M{i % 7}.f{i}": 10 for i in range(100)}) for t in range(3)]
    browser.open(bench.page(profile("modules", modules)))
    browser.settle()
    browser.run("census.app.changeBands(-10); census.app.draw();")
    assert "by module" in browser.text("#subtitle"), "groups stay"


def test_profiles_of_a_page_share_colours(bench, browser):
    one = [(t, {f"({i})n{i}": 1000 - 30 * i for i in range(30)}) for t in range(3)]
    other = [(t, {f"({i + 50})n{i}": 1000 + 30 * i for i in range(40)}) for t in range(3)]
    browser.open(bench.page(profile("one", one), profile("other", other), options=["-m", "0"]))
    first, second = browser.run("""
        return [...census.app.entries.values()].map(({profile}) =>
            Object.fromEntries(profile.names.map(({name, colours}) => [name.replace(/^.*[)]/, ''), colours[0]])));""")
    expect(len(first), 30, "names of the first")
    expect({name: second[name] for name in first}, first, "colours of the second")


VIEW = """
    const {app} = census, {view} = app, {chart} = app.panel, {own} = app.entry();
    return JSON.stringify([app.current, view.mode, view.theme, view.order, view.sort, view.only, document.getElementById('search').value,
        chart.bands.map((band) => band.name + band.colour), chart.window, own.skip, own.isolated])"""


@in_each_browser
def test_link_restores_the_view(bench, browser):
    odd = ["a&b=c", "#%41+", "naïve 漢字", b"bad\xff"]
    first = profile("link", [(t, {**costs, **{name: 35500 + i for i, name in enumerate(odd)}}) for t, costs in steady()])
    page = bench.page(first)
    steps = [
        [], ["n]]"], ["l[[t"], ["o"],
        ["s", lambda: brush(browser, 19.6, 70.4), "]"],
        [lambda: browser.run("census.app.setOrder('growth')")],
        [lambda: browser.press_button("th[data-sort=growth] button")],
        [lambda: browser.type_into("#search", "^n[01]"), lambda: browser.press_button("#only")],
        [lambda: browser.run("census.app.chooseName('a&b=c')")], [lambda: browser.run("census.app.chooseName('#%41+')")],
        [lambda: browser.run("census.app.chooseName('bad\\udcff')")],
    ]
    addresses = set()
    for actions in steps:
        browser.open("about:blank")
        browser.open(page)
        browser.settle()
        for action in actions:
            browser.press(*action) if isinstance(action, str) else action()
        browser.settle()
        expected = browser.run(VIEW)
        address = browser.until("const {link} = census.app, text = link.changes().toString();"
                                "return location.hash.slice(1) === text && location.href;")
        addresses.add(address)
        for again in (lambda: browser.open("about:blank"), lambda: None):
            again()
            browser.open(address)
            browser.settle()
            expect(browser.run(VIEW), expected, f"the view of {address}")
    assert page in addresses, "nothing is written for the first view"
    expect(len(addresses), len(steps), "different views have different addresses")


def test_cut_names_differ(bench, browser):
    names = [f"call_with_frames_removed/package.Builder.{what}_module/package.Loader.load/package.run/main"
             for what in ("exec", "create")] + ["PyDict_SetDefault/PyDict_SetItemString/Py_Initialize/main",
                                                "PyDict_SetDefault/PyType_Ready/Py_Initialize/main", "main"]
    browser.open(bench.page(profile("stacks", [(t, {name: 100 for name in names}) for t in range(5)])))
    shown = browser.run("return census.labels.elideAll(arguments[0], 170, 12)", names)
    expect(shown[2:], ["…/PyDict_SetItemString/…", "…/PyType_Ready/…", "main"], "names that would be cut to the same")
    assert len(set(shown)) == len(names) and all(name.endswith("_module") for name in shown[:2]), shown


@in_each_browser
def test_another_fragment_changes_the_view(bench, browser):
    page = bench.page(profile("one", steady()), profile("two", steady(5)))
    browser.open(page + "#profile=0&bands=3&theme=dark")
    browser.settle()
    expect(names_shown(browser)[-1], "OTHER", "OTHER is on top")
    expect(len(names_shown(browser)), 4, "three bands and OTHER")
    browser.run("location.hash = '#profile=1&mode=lines&order=name'")
    browser.until("return census.app.view.mode === 'lines'")
    browser.settle()
    expect(names_shown(browser), ["n04", "n03", "n02", "n01", "n00", "late"], "the bands of the second profile by name")
    expect(browser.run("return census.app.view.theme"), "auto", "what is not in the fragment is as at first")
    # The page may write its own view into the address before it hears of the new one.
    browser.run("location.hash = '#profile=1&mode=share'; history.replaceState(null, '', '#profile=1&mode=lines&order=name')")
    browser.until("return census.app.view.mode === 'share'")
    browser.open(page + "#profile=7&bands=-3&order=up&theme=pink&mode=x&from=9&to=1&sort=zz&skip=1e9&alone=none&last=5&overlay=q")
    browser.until("return census.app.view.mode !== 'share'")
    browser.settle()
    expect(browser.run("return [census.app.current, census.app.view.mode, census.app.view.bands]"), ["all", "stacked", 15],
           "nonsense is ignored")


def test_details_of_a_name(bench, browser):
    sets = bench.directory / "sets.prof"
    sets.write_text("SET 7 = {<main[Main]>, <worker[Main]>}\n")
    browser.open(bench.page(profile("sets", [(t, {"(7)main,wo...": 100, "b": 30}) for t in range(5)]),
                            options=["--sets", str(sets)]))
    browser.settle()
    browser.move(*place_of(browser, "(7)main,wo..."))
    tip = browser.text("#tooltip")
    assert "(7)main,worker" in tip and "<worker[Main]>" in tip, tip


def test_equal_input_gives_equal_bytes(bench, browser):
    text = profile("equal", steady(5))
    first = bench.page(text)
    before = (bench.directory / "page.html").read_bytes()
    bench.page(text)
    expect((bench.directory / "page.html").read_bytes(), before, "the page again")
    assert b"http://www.w3.org" in before and b"https://" not in before and b"src=" not in before, first
    browser.open(first)


@in_each_browser
def test_narrow_and_wide(bench, browser):
    browser.open(bench.page(profile("sizes", steady(), marks=[30.5])))
    for width, height in ((360, 640), (400, 800), (800, 600), (1400, 900), (2560, 1400), (1280, 900)):
        browser.metrics(width, height)
        browser.settle()
        overflow = browser.run("""
            return [document.documentElement, ...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth - e.clientWidth);""")
        expect(set(overflow), {0}, f"what sticks out at {width}: of the page, of tables")


# Keeps every tenth of 20,000 blocks of Python, which pin the others' pages.
KEEPER = "import sys; kept = [bytes(1000) for _ in range(20000)][::10]; sys.stdin.read()"
SECTION = """
    const table = (rows) => Object.fromEntries([...document.querySelectorAll(`#${rows} tr`)].map((row) =>
        [row.querySelector('.text').title, [...row.querySelectorAll('.number')].map((cell) => cell.textContent)]));
    return {shown: !document.getElementById('resident').hidden, parts: table('resident-rows'), pinned: table('pinned-rows')};"""


def resident_rows(bench, path, value):
    """Returns (time, {name: bytes}) of each sample."""
    done = subprocess.run([bench.census, "convert", "--value", value, "--format", "csv", "-o", "-", path], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    names, *rows = csv.reader(io.StringIO(done.stdout or "time\n"))
    return [(float(row[0]), {name: float(n) for name, n in zip(names[1:], row[1:]) if float(n) > 0}) for row in rows]


def test_resident_set(bench, browser):
    path = bench.directory / "keeper.census"
    with subprocess.Popen([bench.census, "run", "-q", "--resident", "-i0.02", "-o", path, "--", "/usr/bin/python3", "-c", KEEPER],
                          stdin=subprocess.PIPE):
        end = monotonic() + PATIENCE_S
        while len(resident_rows(bench, path, "resident")) < 3:
            assert monotonic() < end, "waited in vain for the resident set"
            sleep(0.05)
    subprocess.run([bench.census, "plot", "-o", bench.directory / "page.html", path], check=True)
    browser.open((bench.directory / "page.html").as_uri())
    parts, pinned = resident_rows(bench, path, "resident"), dict(resident_rows(bench, path, "pinned-64K"))
    amount = lambda n: browser.run("return census.units.amount(arguments[0], 'bytes', false)", n)  # pylint: disable=unnecessary-lambda-assignment
    for at, expected in (parts[0], parts[len(parts) // 2], parts[-1]):
        browser.run("census.app.flame.moments.choose(arguments[0])", at)
        browser.settle()
        found = browser.run(SECTION)
        assert found["shown"]
        total = found["parts"].pop("resident set")[0]
        expect(total, amount(sum(expected.values())), f"the resident set at {at}")
        expect({name: cells[0] for name, cells in found["parts"].items() if not cells[0].startswith("0")},
               {name: amount(n) for name, n in expected.items()}, f"its parts at {at}")
        sites = sorted(pinned[at].items(), key=lambda item: -item[1])[:1]
        expect([found["pinned"][name][1] for name, _ in sites], [amount(n) for _, n in sites], f"who pins most at {at}")
    for width in (1280, 400):
        browser.metrics(width, 900)
        browser.settle()
        overflow = browser.run("return [document.documentElement, ...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth - e.clientWidth)")
        expect(set(overflow), {0}, f"what sticks out at {width}")
    browser.run("document.getElementById('resident-chart').dispatchEvent(new MouseEvent('click', {clientX: 300, bubbles: true}))")
    browser.until("return census.app.entry().own.moment !== null")


def test_no_resident_set(bench, browser):
    browser.open(bench.page(profile("none", steady())))
    assert not browser.run(SECTION)["shown"]


@contextlib.contextmanager
def at_bench(census, directory, browser):
    yield Bench(census, directory), browser


sys.exit(run_tests(globals(), at_bench))
