#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks in a page, in a real browser: each figure is compared with sums over random stacks that are made here.

test_stacks.py CENSUS [NAME...]: all tests, or those named. Skips (77) without chromium.
"""
import contextlib
import pathlib
import random
import subprocess
import sys

from browser import expect, in_each_browser, run_tests

N_SAMPLES = 700
BUILD = pathlib.Path(__file__).parents[2] / "samples/native/build.census"
HEADERS = 'JOB "prog · by call stack"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
# All bars as {texts of the frames from the top: bytes}, and of a difference [bytes, change].
BARS = """
    const {flame} = census.app, out = {};
    for (const bar of flame.bars.filter((other) => !other.isRest)) {
        const texts = [];
        for (let at = bar.node; at.parent; at = at.parent) { texts.unshift(flame.textOf(at.frame)); }
        const amount = flame.weightOf(bar.node) + (texts.length ? 0 : flame.rest);
        out[texts.join('/')] = flame.nets ? [amount, flame.netOf(bar.node)] : amount;
    }
    return out;"""


def make_stacks(seed, n_stacks, n_functions=6, most_frames=7):
    """Returns {frames, outermost first: amount by sample}: some grow, some come and go, some repeat a function."""
    chance = random.Random(seed)
    stacks = {}
    while len(stacks) < n_stacks:
        frames = ("main", *(f"f{chance.randrange(n_functions)}" for _ in range(chance.randrange(most_frames))))
        birth = chance.randrange(N_SAMPLES)
        death = chance.randrange(birth, N_SAMPLES + 1)
        size, slope = chance.randrange(50000), chance.randrange(3) * chance.randrange(500)
        stacks[frames] = [size + slope * (t - birth) + chance.randrange(40) if birth <= t < death else 0
                          for t in range(N_SAMPLES)]
    return stacks


def write_hp(path, pairs, step=1, begin=0):
    """Writes pairs of frames and amounts, a sample every `step` seconds; each has a name of its own."""
    names = [f"({i}){'/'.join(reversed(frames))}" for i, (frames, _) in enumerate(pairs, 1)]
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEADERS)
        for t in range(N_SAMPLES):
            costs = "".join(f"{name}\t{amounts[t]}\n" for name, (_, amounts) in zip(names, pairs) if amounts[t])
            out.write(f"BEGIN_SAMPLE {begin + t * step}\n{costs}END_SAMPLE {begin + t * step}\n")
    return path


def write_massif(path, caller, grower, step):
    """Writes snapshots 1 to 3, in which `grower` has `step` bytes more each time, and copy has 500."""
    chain = " n1: {0} 0x1: {1}\n  n1: {0} 0x2: " + caller + "\n   n0: {0} 0x3: main (prog.c:9)\n"
    path.write_text("desc: --time-unit=ms\ncmd: ./prog\ntime_unit: ms\n" + "".join(
        f"#-----------\nsnapshot={i}\n#-----------\ntime={10 * i}\nmem_heap_B={step * i + 500}\nmem_heap_extra_B=0\n"
        f"mem_stacks_B=0\nheap_tree=detailed\n"
        f"n2: {step * i + 500} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
        + chain.format(step * i, grower) + chain.format(500, "copy (text.c:3)") for i in range(1, 4)))
    return path


def write_heaptrack(path, seed):
    """Writes random allocations, of which some stacks free each at once; returns {frames: [allocated, live at the end]}."""
    chance = random.Random(seed)
    stacks = list(make_stacks(seed, 30))
    lines, texts, nodes = ["v 10500 3", "X ./prog", "s 6 prog.c"], {}, {(): 0}
    kinds, sums = [], {frames: [0, 0] for frames in stacks}
    for frames in stacks:
        for i, text in enumerate(frames, 1):
            if text not in texts:
                texts[text] = len(texts) + 2
                lines += [f"s {len(text):x} {text}", f"i {texts[text]:x} 1 {texts[text]:x}"]
            if frames[:i] not in nodes:
                nodes[frames[:i]] = len(nodes)
                lines.append(f"t {texts[text] - 1:x} {nodes[frames[:i - 1]]:x}")
        kinds.append(chance.randrange(1, 90000))
        lines.append(f"a {kinds[-1]:x} {nodes[frames]:x}")
    live = []
    for time in range(200):
        lines.append(f"c {time:x}")
        for _ in range(chance.randrange(9)):
            kind = chance.randrange(len(stacks))
            lines.append(f"+ {kind:x}")
            sums[stacks[kind]][0] += kinds[kind]
            live.append(kind)
            while live and (live[-1] % 3 == 0 or chance.random() < 0.3):
                lines.append(f"- {live.pop(-1 if live[-1] % 3 == 0 else chance.randrange(len(live))):x}")
    for kind in live:
        sums[stacks[kind]][1] += kinds[kind]
    path.write_text("\n".join(lines) + "\n")
    return sums


def sums_of(stacks, amount_of, is_up=False):
    """Returns {frames: sum} of all ends of the stacks that begin alike, from main or from the allocators."""
    sums = {}
    for frames, amounts in stacks.items():
        frames = frames[::-1] if is_up else frames
        for depth in range(len(frames) + 1):
            key = "/".join(frames[:depth])
            sums[key] = sums.get(key, 0) + amount_of(amounts)
    return sums


def peak_of(stacks):
    totals = [sum(amounts[t] for amounts in stacks.values()) for t in range(N_SAMPLES)]
    return totals.index(max(totals))


class Bench:
    """Pages of profiles with stacks."""

    def __init__(self, census, directory, browser):
        self.census, self.directory, self.browser = census, pathlib.Path(directory), browser

    def open(self, profile, *options, fragment=""):
        page = self.directory / "page.html"
        subprocess.run([self.census, "plot", *options, "-o", page, profile], check=True)
        self.browser.open(page.as_uri() + fragment)
        self.browser.settle()

    def open_diff(self, before, after, *options):
        page = self.directory / "page.html"
        options = options if "--align" in options else (*options, "--align", "time")
        subprocess.run([self.census, "diff", *options, "-o", page, before, after], check=True)
        self.browser.open(page.as_uri())
        self.browser.settle()

    def open_stacks(self, stacks, *options, fragment=""):
        self.open(write_hp(self.directory / "p.hp", stacks.items()), *options, fragment=fragment)

    def point(self, time):
        self.browser.run("const {panel} = census.app; panel.point({at: arguments[0], band: null});", time)
        self.browser.settle()

    def choose(self, *texts):
        """Chooses the bar of these frames, one after the other."""
        self.browser.run("""
            const {flame} = census.app;
            let node = flame.order.root;
            for (const text of arguments[0]) {
                node = flame.order.children(node).find((child) => flame.textOf(child.frame) === text);
            }
            flame.zoomTo(node);""", texts)
        self.browser.settle()


def expect_bars(browser, sums, what):
    """Bars show the sums, without the ones that are too narrow to draw."""
    bars = browser.run(BARS)
    assert len(bars) > 5, (what, bars)
    expect(bars, {key: sums[key] for key in bars}, what)
    least = browser.run("return 2 / census.app.flame.px")
    weight = lambda key: abs(sums[key][0] if isinstance(sums[key], list) else sums[key])  # noqa: E731
    expect([key for key in sums if weight(key) > least and key not in bars], [], f"bars that are missing: {what}")


# --- tests -----------------------------------------------------------------------------------------------


@in_each_browser
def test_bars_are_the_sums_at_any_time(bench, browser):
    stacks = make_stacks(1, 120)
    bench.open_stacks(stacks, "--bands", "15")
    expect_bars(browser, sums_of(stacks, lambda a: a[peak_of(stacks)]), "callers first, at the peak")
    expect(browser.run("return document.getElementById('moment').textContent.includes('(peak)')"), True, "it says so")
    for time in (90, 350, 351, 650):
        bench.point(time)
        expect_bars(browser, sums_of(stacks, lambda a: a[time]), f"at {time}")
    browser.press("u")
    expect_bars(browser, sums_of(stacks, lambda a: a[650], is_up=True), "allocators first")
    browser.press("u")
    bench.point(200)
    browser.press("c")
    bench.point(500)
    differences = {key: [wide, net] for (key, wide), net in
                   zip(sums_of(stacks, lambda a: abs(a[500] - a[200])).items(),
                       sums_of(stacks, lambda a: a[500] - a[200]).values())}
    expect_bars(browser, differences, "the difference of two times")
    text = browser.text("#moment").replace("\u00a0", " ")
    assert "3 min 20 s to 8 min 20 s" in text, text


def test_numbers_at_a_place_are_those_of_the_whole_column(bench, browser):
    """Long columns are read from marks, also with decimals and doubles."""
    chance = random.Random(5)
    lists = {kind: [make(chance) if chance.random() < 0.7 else 0 for _ in range(3000)] for kind, make in {
        "whole": lambda c: c.randrange(10**9), "decimals": lambda c: c.randrange(10**6) / 1000,
        "doubles": lambda c: c.random()}.items()}
    bench.open_stacks(make_stacks(2, 20))
    for kind, numbers in lists.items():
        expect(browser.run("""
            const column = new census.columns.Column(census.columns.pack(Float64Array.from(arguments[0])));
            return arguments[0].map((_, i) => column.at(i));""", numbers), numbers, kind)
    expect(browser.run("""
        const column = new census.columns.Column(census.columns.pack(Float64Array.from(arguments[0])));
        column.append(3002, 5);
        return [2999, 3000, 3001, 3002, 3003].map((i) => column.at(i));""", lists["whole"]),
        [lists["whole"][-1], 0, 0, 5, 0], "a column that has grown")


@in_each_browser
def test_frames_and_bands_show_each_other(bench, browser):
    stacks = make_stacks(3, 60)
    bench.open_stacks(stacks, "--bands", "15")
    sums = sums_of(stacks, sum)
    child = max((key for key in sums if key.count("/") == 1), key=sums.get)
    bench.choose(*child.split("/"))
    series = browser.until("const {values} = census.app.flame.series; return values && [...values];")
    expect(series, [sum(a[t] for frames, a in stacks.items() if "/".join(frames[:2]) == child) for t in range(N_SAMPLES)],
           "the bytes of a frame over time")
    assert child.split("/")[1] in browser.text("#crumbs"), browser.text("#crumbs")
    browser.press("Escape")
    expect(browser.run("return census.app.flame.series.values"), None, "no frame is chosen")
    name = browser.run("return census.app.panel.chart.bands.find((band) => !band.isOther).name")
    frames = name.split(")")[1].split("/")[::-1]
    browser.run("census.app.chooseName(arguments[0])", name)
    browser.settle()
    bright = browser.run("""
        const {flame} = census.app;
        return flame.bars.filter((bar) => !bar.isRest && flame.isBright(bar)).map((bar) => {
            const texts = [];
            for (let at = bar.node; at.parent; at = at.parent) { texts.unshift(flame.textOf(at.frame)); }
            return texts.join('/');
        });""")
    expect(set(bright) - {"/".join(frames[:n]) for n in range(len(frames) + 1)}, set(), "frames of another band")
    assert "" in bright
    browser.press("Escape")
    browser.type_into("#search", "^f3$")
    found = browser.run("const {flame} = census.app; return [...new Set(flame.bars.filter((bar) => flame.isBright(bar))"
                        ".map((bar) => flame.labelOf(bar)))];")
    expect(found, ["f3"], "what a search leaves bright")


@in_each_browser
def test_the_area_of_a_frame_has_no_seams(bench, browser):
    bench.open_stacks({("main", "f0"): [1000 + t % 2 for t in range(N_SAMPLES)], ("main", "f1"): [3000] * N_SAMPLES})
    bench.choose("main", "f0")
    browser.until("return census.app.flame.series.values")
    browser.settle()
    alpha = browser.run("""
        const {drawing, over} = census.app.panel, {left, width} = drawing.frame, y = Math.round(drawing.y(500));
        return [...over.getContext('2d').getImageData(Math.ceil(left) + 3, y, Math.floor(width) - 6, 1).data]
            .filter((_, i) => i % 4 === 3);""")
    assert 0 < min(alpha) and max(alpha) - min(alpha) <= 1, (min(alpha), max(alpha))


def test_frames_have_the_colours_of_their_bands(bench, browser):
    sizes = {("main", "f0"): 9000, ("main", "f0", "f1"): 4000, ("main", "f2"): 3000, ("main", "f2", "f3"): 5000, ("main", "f4", "f5"): 7000}
    bench.open_stacks({frames: [size] * N_SAMPLES for frames, size in sizes.items()}, "--bands", "9")
    colours, bands = browser.run("""
        const {flame, panel} = census.app, colours = {}, bands = {};
        flame.bars.forEach((bar) => { colours[flame.labelOf(bar)] = flame.colourOf(bar); });
        panel.chart.bands.forEach(({name, colour}) => { bands[name.replace(/^.*[)]/, '')] = colour; });
        return [colours, bands];""")
    for frame, band in (("f0", "f0/main"), ("f1", "f1/f0/main"), ("f3", "f3/f2/main"), ("f4", "f5/f4/main"), ("f5", "f5/f4/main")):
        expect(colours[frame], bands[band], f"the colour of {frame}")
    for frame in ("main", "f2"):
        assert colours[frame] not in bands.values(), f"{frame}, most of which others have allocated, has the colour of a band"
    open_all_rows(browser)
    indents = browser.run("return Object.fromEntries(census.app.flame.table.rows.map(({key, indent}) => [key.split('\\n').at(-1), indent]))")
    expect(indents, {"main": 0, "f0": 1, "f1": 1, "f2": 1, "f3": 1, "f4": 1, "f5": 1}, "depths: one more where a path divides")


def table_rows(browser):
    """Returns the rows of the table as [frames, total, self, peak, end], as shown."""
    return browser.run("""
        return census.app.flame.table.rows.map(({key, parts: {total, self, peak, end}}) =>
            [key.replaceAll('\\n', '/'), total, self, peak, end]);""")


def test_table_has_the_sums_of_the_tree(bench, browser):
    stacks = make_stacks(8, 30)
    bench.open_stacks(stacks)
    bench.point(300)
    browser.run("const {app} = census; app.view.matcher = /./; app.view.stackSort = {column: 'peak', isDown: true};"
                "app.draw();")
    peak, end = peak_of(stacks), max(t for t in range(N_SAMPLES) if any(a[t] for a in stacks.values()))
    for is_up in (False, True):
        browser.run("census.app.flame.turn(arguments[0]); census.app.draw();", "up" if is_up else "down")
        open_all_rows(browser)
        now, at_peak, at_end = (sums_of(stacks, lambda a: a[t], is_up) for t in (300, peak, end))  # noqa: B023
        own = {"/".join(frames): amounts[300] for frames, amounts in stacks.items()}
        rows = table_rows(browser)
        expected = {key: [now[key], (now[key] if "/" not in key else None) if is_up else own.get(key, 0),
                          at_peak[key], at_end[key]]
                    for key in now if key and (now[key] or at_peak[key] or at_end[key])}
        expect({key: parts for key, *parts in rows}, expected, f"rows, {is_up}")
        top = [row for row in rows if "/" not in row[0]]
        expect(top, sorted(top, key=lambda row: -row[3]), "the order")
    browser.press("u")
    browser.run("census.app.view.matcher = null; census.app.flame.table.opened.clear(); census.app.draw();")
    browser.press_button("th[data-stack-sort=name] button")
    browser.settle()
    rows = table_rows(browser)
    expect([row[0] for row in rows[1:]], sorted(row[0] for row in rows[1:]), "rows by name, below the only one")
    browser.run("document.querySelector('#stack-rows tr').focus()")
    closed = [row[0] for row in rows if row[0].count("/") == 1]
    browser.press("ArrowDown", "ArrowRight", "ArrowDown", "Enter")
    opened = table_rows(browser)
    assert opened[2][0].startswith(closed[0] + "/"), opened[:4]
    expect("/".join(browser.run("return census.app.entry().own.frame")), opened[2][0], "the chosen frame")
    browser.press("ArrowLeft", "ArrowLeft", "Escape")
    expect(table_rows(browser), rows, "after closing the row")
    browser.type_into("#search", "^f3$")
    browser.settle()
    found = table_rows(browser)
    expect({"f3" in key.split("/") or any(other.startswith(key + "/") for other, *_ in found) for key, *_ in found},
           {True}, "each row leads to f3")


def open_all_rows(browser):
    browser.run("""
        const {app} = census, {table} = app.flame;
        table.nShown = 1e6;
        for (let n = 0; n !== table.rows.length;) {
            n = table.rows.length;
            table.rows.filter((row) => row.hasChildren).forEach(({key}) => table.opened.set(key, true));
            table.show();
        }""")


def test_table_has_what_was_allocated(bench, browser):
    """Also of stacks whose blocks are never live at a sample, and of the stacks of groups."""
    profile = bench.directory / "heaptrack.prog.1"
    stacks = write_heaptrack(profile, 11)
    assert sum(allocated > 0 and not live for allocated, live in stacks.values()) > 5, stacks
    rows = """return Object.fromEntries(census.app.flame.table.rows.map(({key, parts: {end, allocated, temporary}}) =>
        [key.replaceAll('\\n', '/'), [end, allocated, temporary]]));"""
    for options in ([], ["--group-by", "prefix:1"]):
        bench.open(profile, *options)
        for is_up in (False, True):
            open_all_rows(browser)
            allocated, live = (sums_of(stacks, lambda sums: sums[which], is_up) for which in (0, 1))  # noqa: B023
            expect(browser.run(rows), {key: [live[key], allocated[key], allocated[key] - live[key]]
                                       for key in allocated if key and allocated[key]}, f"rows, {options}, {is_up}")
            browser.press("u")
            browser.settle()
    cells = browser.run("return [...document.querySelectorAll('#stack-rows tr:first-child td')].map((td) => td.textContent)")
    amount = lambda which: browser.run("return census.app.flame.amount(arguments[0])",  # noqa: E731
                                       sum(sums[which] for sums in stacks.values()))
    expect([cells[5], cells[6]], [amount(1), amount(0)], "what the first row shows")
    heads = "return [...document.querySelectorAll('th[data-stack-sort]')].filter((head) => head.checkVisibility()).length"
    browser.press_button("th[data-stack-sort=temporary] button")
    browser.settle()
    expect(browser.run(heads), 7, "columns")
    temporary = browser.run("return census.app.flame.table.rows.filter(({node}) => node.depth === 2).map(({parts}) => parts.temporary)")
    expect(temporary, sorted(temporary, reverse=True), "the order")
    bench.open_stacks(make_stacks(8, 30))
    expect(browser.run(heads), 5, "columns without what was allocated")


@in_each_browser
def test_keyboard_and_spoken_text(bench, browser):
    stacks = make_stacks(4, 60)
    bench.open_stacks(stacks)
    sums = sums_of(stacks, lambda a: a[peak_of(stacks)])
    browser.run("document.getElementById('flame').focus()")
    expect(browser.text("#flame-spoken").split(",")[0], "all stacks", "the first bar")
    browser.press("ArrowDown", "ArrowDown")
    label, value = browser.text("#flame-spoken").split(", ")[:2]
    amount = browser.run("return census.app.flame.amount(arguments[0])", sums[f"main/{label}"])
    assert value.startswith(amount), (value, amount)
    browser.press("ArrowRight")
    assert browser.text("#flame-spoken").split(", ")[0] != label
    browser.press("ArrowLeft", "Enter")
    browser.settle()
    expect(browser.run("return census.app.entry().own.frame"), ["main", label], "what Enter shows in full width")
    browser.press("Escape")
    expect(browser.run("return census.app.entry().own.frame"), [], "after Escape")


@in_each_browser
def test_names_end_inside_their_bars(bench, browser):
    stacks = {("main", *("a_rather_long_function_name_" * 2 + str(i % n) for n in (3, 7, 50))): [1000 + i] * N_SAMPLES
              for i in range(50)}
    bench.open_stacks(stacks)
    for width in (360, 1280):
        browser.metrics(width, 900)
        browser.settle()
        outside = browser.run("""
            const {flame} = census.app;
            return flame.bars.filter((bar) => bar.width >= 30)
                .map((bar) => [flame.fitted(flame.labelOf(bar), bar.width - 8), bar.width])
                .filter(([text, width]) => text && census.surface.measure(text, 12) > width - 8);""")
        expect(outside, [], f"names that are too long at {width}")
        expect(browser.run("return document.documentElement.scrollWidth - innerWidth <= 0"), True, "nothing sticks out")
    browser.metrics(1280, 900)
    shown = browser.run("""
        return arguments[0].map((name) => [900, 84, 40].map((width) => census.app.flame.fitted(name, width)));""",
                        ["std::map<a::b, int>::insert", "app.Row.load.<locals>.<genexpr>", "f.constprop.0", "g libc.so.6+0x12"])
    expect([texts[0] for texts in shown], ["std::map<a::b, int>::insert", "app.Row.load.<locals>.<genexpr>", "f.constprop.0",
                                           "g libc.so.6+0x12"], "names with room")
    expect([texts[1] for texts in shown[:3]], ["…insert", "…<genexpr>", "f.constprop.0"], "functions without their scopes")
    expect([texts[2] for texts in shown[:2]], ["insert", "<g…>"], "names of narrow bars")


@in_each_browser
def test_link_restores_stacks(bench, browser):
    stacks = make_stacks(6, 60)
    bench.open_stacks(stacks)
    frames = max((f for f in stacks if len(f) > 2), key=lambda f: stacks[f][300])[:2]
    bench.choose(*frames)
    bench.browser.run("const {own} = census.app.entry(); own.moment = 300; own.since = 100; census.app.redraw();")
    browser.settle()
    shown = browser.run(BARS)
    address = browser.until("const text = census.app.link.changes().toString();"
                            "return location.hash.slice(1) === text && location.href;")
    browser.open("about:blank")
    browser.open(address)
    browser.settle()
    expect(browser.run(BARS), shown, f"the bars of {address}")


def test_groups_keep_their_stacks(bench, browser):
    """Bands by innermost function; the page has the whole stacks in addition."""
    stacks = make_stacks(7, 80)
    bench.open_stacks(stacks, "--group-by", "prefix:1")
    expect(browser.run("return census.app.entry().profile.names.length") <= 7, True, "few bands")
    bench.point(400)
    expect_bars(browser, sums_of(stacks, lambda a: a[400]), "at 400")


def test_views_and_filters_keep_their_stacks(bench, browser):
    """Bands by what --by and --match choose; the page has the whole stacks of these."""
    stacks = make_stacks(7, 80)
    bench.open_stacks(stacks, "--by", "function")
    expect(browser.run("return census.app.entry().profile.names.length") <= 7, True, "few bands")
    bench.point(400)
    expect_bars(browser, sums_of(stacks, lambda a: a[400]), "by function, at 400")
    under = {frames: amounts for frames, amounts in stacks.items() if "f2" in frames}
    bench.open_stacks(stacks, "--under", "^f2$", "--by", "function")
    bench.point(400)
    expect_bars(browser, sums_of(under, lambda a: a[400]), "under a function, at 400")
    chosen = {frames: amounts for frames, amounts in stacks.items() if frames[-1] == "f3"}
    bench.open_stacks(stacks, "--match", "^f3/")
    bench.point(400)
    expect_bars(browser, sums_of(chosen, lambda a: a[400]), "of one function, at 400")


def test_difference_of_two_recordings(bench, browser):
    """A program and an edited version of it, in which lines moved by 7, one function is new and one is gone."""
    older = {"f0": "f0@x.c:10", "f1": "f1@x.c:20", "f2": "f1@x.c:30", "f4": "f4@y.c:5", "f5": "gone", "f6": "f3"}
    newer = {"f0": "f0@x.c:17", "f1": "f1@x.c:27", "f2": "f1@x.c:37", "f4": "f4@y.c:5", "f5": "new", "f6": "f3"}
    rename = lambda stacks, names: [(tuple(names.get(f, f) for f in frames), amounts)  # noqa: E731
                                    for frames, amounts in stacks.items()]
    before, after = make_stacks(8, 120, 7), make_stacks(9, 120, 7)
    bench.open_diff(write_hp(bench.directory / "a.hp", rename(before, older)),
                    write_hp(bench.directory / "b.hp", rename(after, newer)))
    browser.run("census.app.showProfile(1)")
    browser.settle()

    def differences(since, at, is_up=False):
        """The sums of the changes by stack, in the lines of the new program."""
        nets = {}
        for stacks, names, time, sign in ((before, {**newer, "f5": "gone"}, since, -1), (after, newer, at, 1)):
            for frames, amounts in rename(stacks, names):
                nets[frames] = nets.get(frames, 0) + sign * amounts[time]
        return {key: [wide, net] for (key, wide), net in
                zip(sums_of(nets, abs, is_up).items(), sums_of(nets, lambda net: net, is_up).values())}

    expect_bars(browser, differences(peak_of(before), peak_of(after)), "the peaks")
    bench.point(400)
    expect_bars(browser, differences(peak_of(before), 400), "at 400")
    change = (sum(amounts[400] for amounts in after.values())
              - sum(amounts[peak_of(before)] for amounts in before.values()))
    expect(browser.run("const {total} = census.app.flame; return total > 0 && census.app.flame.amount(arguments[0])",
                       abs(change)), browser.text("#moment").split(": ")[1][1:], "the change of the total")
    browser.run("[...census.app.entries.values()][0].own.moment = 200; census.app.redraw();")
    browser.press("u")
    browser.settle()
    expect_bars(browser, differences(200, 400, is_up=True), "since 200, allocators first")
    shown = browser.run(BARS)
    address = browser.until("const text = census.app.link.changes().toString();"
                            "return location.hash.slice(1) === text && location.href;")
    browser.open("about:blank")
    browser.open(address)
    browser.settle()
    bench.point(400)
    expect(browser.run(BARS), shown, f"the bars of {address}")

    bench.open_diff(write_massif(bench.directory / "a.out", "parse (read.c:20)", "grow (pool.c:7)", 3000),
                    write_massif(bench.directory / "b.out", "parse (read.c:25)", "grow (pool.c:12)", 4000))
    browser.run("census.app.showProfile(1)")
    browser.settle()
    grown = [3 * 4000 - 3 * 3000] * 2
    expect(browser.run(BARS), {
        "": grown, "main prog.c:9": grown, "main prog.c:9/parse read.c:25": grown,
        "main prog.c:9/parse read.c:25/grow pool.c:12": grown}, "places that moved")


OLDER = {"f0": "f0@x.c:10", "f1": "f1@x.c:20", "f5": "gone"}
NEWER = {"f0": "f0@x.c:17", "f1": "f1@x.c:27", "f5": "new"}
STEP = 1.5  # between the samples of the older recording


class Changes:
    """Two programs, of which the second has moved lines, and what differs at a time: on straight lines between samples."""

    def __init__(self):
        self.before, self.after = ({frames: amounts for frames, amounts in make_stacks(seed, 120, 7).items() if any(amounts)}
                                   for seed in (8, 9))

    @staticmethod
    def rename(frames, names):
        return tuple(names.get(frame, frame) for frame in frames)

    def write(self, directory, begin=0):
        pair = lambda stacks, names: [(self.rename(f, names), a) for f, a in stacks.items()]  # noqa: E731
        return (write_hp(directory / "a.hp", pair(self.before, OLDER), STEP, begin),
                write_hp(directory / "b.hp", pair(self.after, NEWER)))

    def at(self, time):
        """Returns the changes by stack, in the lines of the new program."""
        nets = {}
        for stacks, names, step, sign in (self.before, {**NEWER, "f5": "gone"}, STEP, -1), (self.after, NEWER, 1, 1):
            i, share = int(time // step), time % step / step
            for frames, amounts in stacks.items():
                value = amounts[i] if share == 0 else amounts[i] + share * (amounts[i + 1] - amounts[i])
                key = self.rename(frames, names)
                nets[key] = nets.get(key, 0) + sign * value
        return nets


def expect_near(actual, wanted, what):
    assert abs(actual - wanted) <= 1e-6 * (1 + abs(wanted)), f"{what}: {actual}, not {wanted}"


def test_changes_as_bands(bench, browser):
    """The page of a difference begins with bands above and below 0; frames belong to the bands at their time."""
    changes = Changes()
    bench.open_diff(*changes.write(bench.directory))
    expect(browser.run("return [census.app.current, document.querySelector('[aria-selected=true]').textContent]"),
           ["change", "Change"], "the first view")
    expect(browser.text("#subtitle"), "2 moved lines matched", "the subtitle")
    times, total = browser.run("const {times, total} = census.app.entry().profile; return [[...times], [...total]]")
    last = max(t for t in range(N_SAMPLES) if any(amounts[t] for amounts in changes.after.values()))
    expect(times, sorted({*range(last + 1), *(t * STEP for t in range(N_SAMPLES) if t * STEP <= last)}), "times of both")
    for i in range(0, len(times), 37):
        nets = changes.at(times[i])
        expect_near(total[i], sum(nets.values()), f"the total at {times[i]}")
        columns, bands, outer = browser.run("""
            const {profile, panel} = {profile: census.app.entry().profile, panel: census.app.panel}, i = arguments[0];
            return [profile.names.map((name, k) => [[...profile.stacks.paths[k]].map((f) => profile.stacks.frames[f].label),
                                                    name.column.at(i), name.column.values(profile.n)[i]]),
                    panel.chart.bands.map(({name, sign, values, full}) => [name, sign, values[i], full[i]]),
                    [panel.chart.bands[0].upper[i], panel.chart.bands.at(-1).upper[i]]];""", i)
        expect(len(columns), len(nets), "names")
        for frames, at, value in columns:
            expect_near(at, nets[tuple(frames)], f"{frames} at {times[i]}")
            expect_near(value, nets[tuple(frames)], f"{frames} of the column at {times[i]}")
        for name, sign, value, full in bands:
            expect_near(value, max(0, sign * full), f"half of {name}")
        named = {name: full for name, _, _, full in bands}
        expect_near(sum(named.values()), sum(nets.values()), "all bands together")
        expect_near(outer[0], sum(min(0, full) for full in named.values()), "the lower edge")
        expect_near(outer[1], sum(max(0, full) for full in named.values()), "the upper edge")
    bench.point(times.index(300))
    nets = changes.at(300)
    both = {key: [wide, net] for (key, wide), net in zip(sums_of(nets, abs).items(), sums_of(nets, lambda n: n).values())}
    expect_bars(browser, both, "frames at 300")

    frames = max((f for f in changes.before if "f1" in f[1:2]), key=lambda f: sum(changes.before[f]))
    bench.choose("main", "f1@x.c:27")
    series = browser.until("const {values} = census.app.flame.series; return values && [...values];")
    for i in range(0, len(times), 97):
        expect_near(series[i], sum(net for f, net in changes.at(times[i]).items() if f[1:2] == ("f1@x.c:27",)),
                    f"the line of {frames[1]} at {times[i]}")
    expect(browser.run("const {flame} = census.app; return flame.factsOf(flame.bars.find((b) => b.node === flame.zoomed)).more"),
           ["was f1@x.c:20"], "where the lines were")
    browser.press("Escape", "Escape")


def test_changes_are_operated_like_other_bands(bench, browser):
    changes = Changes()
    before, after = changes.write(bench.directory)
    bench.open_diff(before, after)
    name, x, y = browser.run("""
        const {chart, drawing, box} = census.app.panel, {left, top} = box.getBoundingClientRect();
        let best = null;  // the place where a half below 0 is thickest
        chart.bands.filter((b) => b.sign < 0 && !b.isOther).forEach((band) => band.values.forEach((value, i) => {
            best = !best || value > best.value ? {band, value, i} : best; }));
        const {band, value, i} = best;
        return [band.name, left + drawing.x(chart.xs[chart.low + i]), top + drawing.y(band.upper[i] + value / 2)];""")
    browser.move(x, y)
    assert "\u2212" in browser.text("#tooltip .value"), browser.text("#tooltip")
    browser.click(x, y)
    expect(browser.run("return [...new Set(census.app.panel.chart.bands.map((band) => band.name))]"), [name], "it alone")
    moved = {OLDER[f]: NEWER[f] for f in ("f0", "f1")}
    own = [moved.get(frame, frame) for frame in name.split(")")[1].split("/")]
    bright = browser.run("""
        const {flame} = census.app;
        return flame.bars.filter((bar) => bar.node.parent && flame.isBright(bar)).map((bar) => flame.labelOf(bar));""")
    assert bright and set(bright) <= set(own), (bright, own)
    browser.press("Escape", "Escape")
    browser.settle()

    browser.run("document.getElementById('chart').focus()")
    at = browser.run("""
        const {panel} = census.app, {chart} = panel;
        const at = chart.xs.findIndex((_, i) => new Set(chart.bands.filter((b) => b.values[i] > 0).map((b) => b.sign)).size === 2);
        census.app.keys.point({at, band: chart.bands.find((b) => b.values[at] > 0)});
        return at;""")
    spoken = [browser.text("#spoken")]
    for _ in range(browser.run("return census.app.panel.chart.bands.filter((b) => b.values[arguments[0]] > 0).length", at) - 1):
        browser.press("ArrowUp")
        spoken.append(browser.text("#spoken"))
    edges = browser.run("return census.app.panel.chart.bands.filter((b) => b.values[arguments[0]] > 0).map((b) => b.upper[arguments[0]])", at)
    expect(edges, sorted(edges), "from the bottom of the picture to its top")
    signs = [text.split(", ")[1][0] for text in spoken]
    expect(signs, sorted(signs, reverse=True), "decreases, then increases")
    expect(set(signs), {"+", "\u2212"}, "both are spoken")
    expect(browser.run("return [document.querySelector('[data-mode=share]').disabled, document.getElementById('order').disabled]"),
           [True, True], "controls without a meaning")
    browser.press("l")
    browser.settle()
    low, high = browser.run("const {yMin, yMax} = census.app.panel.chart; return [yMin, yMax]")
    assert low < 0 < high, (low, high)
    browser.press("s", "n")
    browser.settle()
    expect(browser.run("return census.app.panel.chart.mode"), "stacked", "changes have no shares")

    browser.run("census.app.choose(census.app.panel.chart.bands.find((b) => b.isOther)); ")
    browser.settle()
    assert browser.run("return census.app.entry().own.skip") > 0, "OTHER opens"
    browser.press_button("#more-rows")
    shares = browser.run("return [...document.querySelectorAll('#rows tr')].map((row) => parseFloat(row.cells[2].textContent))")
    assert shares == sorted(shares, reverse=True) and abs(sum(shares) - 100) < 10, shares

    bench.open_diff(before, after, "--by", "function")
    names = browser.run("return census.app.entry().profile.names.map(({name}) => name).sort()")
    expect(names, sorted({f for frames in changes.at(0) for f in frames[-1:]}), "bands by function")
    bench.point(browser.run("return census.app.entry().profile.times.indexOf(300)"))
    nets = changes.at(300)
    expect_bars(browser, {key: [wide, net] for (key, wide), net in
                          zip(sums_of(nets, abs).items(), sums_of(nets, lambda n: n).values())}, "whole stacks")
    bench.open_diff(before, before)
    expect(browser.run("return document.getElementById('empty').checkVisibility()"), True, "equal recordings")
    bench.open_diff(*changes.write(bench.directory, begin=1000))
    expect(browser.run("return census.app.current"), 1, "recordings of different times have no bands in common")


def test_two_runs_of_one_program_do_not_differ(bench, browser):
    """The second run is a tenth slower, and samples its peak at another moment: the page shows no change in colour."""
    def pairs(slower):
        times = [t / slower for t in range(N_SAMPLES)]  # on the clock of the program, which ends at 500
        return [(("main", "fill"), [3 * int(1000 * min(t, 300)) if t < 500 else 0 for t in times]),
                (("main", "report"), [4000000 if 400 <= t < 401.9 else 0 for t in times])]
    before = write_hp(bench.directory / "a.hp", pairs(1))
    after = write_hp(bench.directory / "b.hp", pairs(1.1))
    bench.open_diff(before, after, "--align", "time")
    colours = "return census.app.flame.bars.map((bar) => census.app.flame.colourOf(bar)).some((c) => /d55e00|0072b2/i.test(c))"
    expect(browser.run(colours), True, "by time they differ")
    bench.open_diff(before, after, "--align", "auto")
    largest = browser.run("const {total} = census.app.entry().profile; return Math.max(...total.map(Math.abs))")
    assert largest < 200000, largest
    expect(browser.run(colours), False, "aligned they do not")
    grey = browser.run("return [...new Set(census.app.flame.bars.map((bar) => census.app.flame.colourOf(bar)))]")
    expect(len(grey), 1, f"one grey: {grey}")


def test_places_of_massif(bench, browser):
    profile = write_massif(bench.directory / "massif.out", "parse (read.c:20)", "grow (pool.c:7)", 3000)
    bench.open(profile)
    expect(browser.run(BARS), {
        "": 9500, "main prog.c:9": 9500, "main prog.c:9/parse read.c:20": 9500,
        "main prog.c:9/parse read.c:20/grow pool.c:7": 9000, "main prog.c:9/parse read.c:20/copy text.c:3": 500},
        "the bars of the last snapshot")
    expect(browser.run("return document.getElementById('source').hidden"), True, "no text of the program")

    folder = bench.directory / "src"
    folder.mkdir()
    for name in ("prog.c", "read.c", "pool.c"):
        (folder / name).write_text("".join(f"\tline {i} of <{name}>;\n" for i in range(1, 101)))
    bench.open(profile, "--source", folder)
    rows = """return [...document.querySelectorAll('#source-rows tr')].map((row) =>
        [row.className, ...[...row.children].map((cell) => cell.textContent)]);"""
    amount = lambda n: browser.run("return census.app.flame.amount(arguments[0])", n)  # noqa: E731
    for frames, name, line, value in ((["main prog.c:9"], "prog.c", 9, 9500),
                                      (["main prog.c:9", "parse read.c:20"], "read.c", 20, 9500),
                                      (["main prog.c:9", "parse read.c:20", "grow pool.c:7"], "pool.c", 7, 9000)):
        bench.choose(*frames)
        expect(browser.run(rows), [["alone" if i == line else "", amount(value) if i == line else "", str(i),
                                    f"    line {i} of <{name}>;"] for i in range(max(1, line - 12), line + 13)], name)
    for width in (1400, 400):
        browser.metrics(width, 800)
        try:
            browser.run("document.getElementById('flame').scrollIntoView({block: 'center'})")
            browser.settle()
            x, y = browser.run("""
                const {flame} = census.app, {left, top} = flame.canvas.getBoundingClientRect();
                const bar = flame.bars.find(({node}) => node === flame.zoomed);
                return [left + bar.x + 9, top + 20 * (flame.rowOf(bar) + .5)];""")
            browser.move(x, y)
            tip, text = browser.run("""return ['flame-tip', 'source'].map((id) => {
                const {top, bottom} = document.getElementById(id).getBoundingClientRect();
                return [top, bottom];})""")
            expect(tip[0] < tip[1] <= text[0], True, f"the tooltip {tip} does not cover the text {text}")
        finally:
            browser.metrics(1280, 900)
    bench.choose("main prog.c:9", "parse read.c:20", "copy text.c:3")
    expect(browser.text("#source-title"), "parse read.c:20", "the caller of a function whose file is not there")


def test_a_frame_shows_the_lines_of_its_calls(bench, browser):
    """Calls of one function are one bar; the text of the program shows all its lines, each with its bytes."""
    folder = bench.directory / "calls"
    folder.mkdir()
    (folder / "worker.c").write_text("".join(f"line {i}\n" for i in range(1, 20)))
    for options in (), ("--match", "^[op]"), ("--by", "function"):
        bench.open(BUILD, "--process=2", "--source", folder, *options)
        bench.choose("main /tmp/format/f/worker.c:6")
        rows = browser.run("""return [...document.querySelectorAll('#source-rows tr.alone')].map((row) =>
            [...row.children].map((cell) => cell.textContent))""")
        expect([row[1:] for row in rows], [["9", "line 9"], ["11", "line 11"]], "the lines of both calls in main")
        amounts = browser.run("""const {flame} = census.app, {stacks, order} = flame;
            return order.children(flame.zoomed).map((node) => [stacks.frames[node.frame].label, flame.amountOf(flame.weightOf(node))])""")
        expect(dict(amounts), {"parse": rows[0][0], "optimise": rows[1][0]}, "the bytes of the calls")
        expect(browser.run("return document.querySelectorAll('#stack-rows tr[aria-level=\"1\"]').length"), 1, "rows of main")


def test_profiles_without_stacks_have_no_flame_graph(bench, browser):
    profile = bench.directory / "plain.hp"
    profile.write_text(HEADERS + "".join(f"BEGIN_SAMPLE {t}\na/b\t5\n(7)c\t6\nEND_SAMPLE {t}\n" for t in range(3)))
    bench.open(profile)
    expect(browser.run("return document.getElementById('stacks').hidden"), True, "no stacks")
    assert '"stacks"' not in (bench.directory / "page.html").read_text().split('id="census-data"')[1].split("</script>")[0]
    browser.press("c", "u")


@contextlib.contextmanager
def at_bench(census, directory, browser):
    yield Bench(census, directory, browser), browser


sys.exit(run_tests(globals(), at_bench))
