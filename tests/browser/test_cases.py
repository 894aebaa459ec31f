#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The cases that the script of the page shares with the C code (tests/cases), in a real browser.

test_cases.py CENSUS [NAME...]: all tests, or those named. Skips (77) without chromium.
"""
import contextlib
import json
import pathlib
import subprocess
import sys

from browser import expect, run_tests

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"
HEADERS = 'JOB "case"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'


def read(name):
    return json.loads((CASES / name).read_text())


def to_bytes(name):
    """Returns the bytes of a name, of which some may be written as lone surrogates."""
    return name.encode("utf-8", "surrogateescape")


def hp(profile):
    """Returns the text of a profile of a case."""
    out = [HEADERS.encode()]
    for i, time in enumerate(profile["times"]):
        out += [b"BEGIN_SAMPLE %r\n" % time]
        out += [b"%s\t%r\n" % (to_bytes(name), amounts[i]) for name, amounts in profile["names"].items()]
        out += [b"END_SAMPLE %r\n" % time]
    return b"".join(out)


def open_page(bench, *profiles):
    """Opens a page of profiles. In the browser, `chartOf(i, settings)` is a chart of one of them."""
    census, directory, browser = bench
    paths = []
    for i, profile in enumerate(profiles):
        paths.append(directory / f"p{i}.hp")
        paths[-1].write_bytes(hp(profile))
    subprocess.run([census, "plot", "-o", directory / "page.html", *paths], check=True)
    browser.open((directory / "page.html").as_uri())
    browser.run("""
        window.chartOf = (i, settings) => {
            const {profile, ranking} = [...census.app.entries.values()][i];
            const view = {...census.app.view, hasGivenOrder: false, ...settings};
            return new census.Chart(profile, view, census.view.makeOwn(), ranking);
        };""")
    return browser


def expect_all(browser, cases, script):
    """Runs a script for each case `c`; it returns an error message, or nothing, and may call `same(found,
    expected)`."""
    wrong = browser.run("""
        const same = (found, expected) => JSON.stringify(found) !== JSON.stringify(expected) &&
            `${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
        const plain = (text) => text.replaceAll('\\u00a0', ' ');
        return JSON.parse(arguments[0]).map((c, i) => [i, ((c) => {""" + script + """})(c)]).filter(([, wrong]) => wrong)
            .map(([i, wrong]) => `case ${i}: ${wrong}`);""", json.dumps(cases))
    assert cases
    expect(wrong, [], "what is wrong")


# --- tests -----------------------------------------------------------------------------------------------

ONE = {"times": [0, 1], "names": {"a": [1, 2]}}


def test_amounts_times_and_growth(*bench):
    browser, units = open_page(bench, ONE), read("units.json")
    expect_all(browser, units["amounts"], "return same(plain(census.units.amount(c.amount, c.unit, c.si)), c.text);")
    expect_all(browser, units["margins"], """
        return same(plain(census.units.margin(c.amount, {rateBytes: c.rate, valueUnit: 'bytes'}, false, c.spread)), c.text);""")
    expect_all(browser, units["times"], "return same(plain(census.units.time(c.time, c.unit)), c.text);")
    expect_all(browser, units["times_within"], """
        const axis = census.units.ofTimes(c.unit, c.span);
        return same(plain(census.units.timeWithin(c.time, c.unit, axis, c.span)), c.text);""")
    expect_all(browser, units["growth"], """
        const text = census.units.growth(c.growth, c.value_unit, c.time_unit, false);
        return same(plain(text).replace('\\u2212', '-'), c.text);""")


def test_ticks(*bench):
    expect_all(open_page(bench, ONE), read("units.json")["ticks"], """
        const unit = c.axis === 'percent' ? census.units.PERCENT
            : c.axis === 'values' ? census.units.ofValues(c.unit, c.high, c.si)
            : census.units.ofTimes(c.unit, c.high - c.low);
        const labels = census.units.ticks(c.low, c.high, c.most, unit).map(({label}) => label);
        return same([unit.name, labels], [c.name, c.labels]);""")


def test_bands_and_their_order(*bench):
    table = read("order.json")
    names = list(table["profiles"])
    browser = open_page(bench, *table["profiles"].values())
    expect_all(browser, [{**case, "profile": names.index(case["profile"])} for case in table["cases"]], """
        const settings = {order: c.order, reverse: c.reverse, bands: c.bands, trace: c.trace};
        return same(chartOf(c.profile, settings).bands.map(({name}) => name), c.expected);""")


def test_statistics(*bench):
    profiles = read("statistics.json")["profiles"]
    expect_all(open_page(bench, *profiles), [{**profile, "i": i} for i, profile in enumerate(profiles)], """
        const chart = chartOf(c.i, {}), {profile, stretch, peak} = chart;
        const isNear = (x, y) => y === null ? Number.isNaN(x) : Math.abs(x - y) <= 1e-9;
        const wrong = [[peak.y, c.peak], [peak.x, c.peak_time]].filter(([x, y]) => !isNear(x, y));
        for (const {name, column} of profile.names) {
            const figures = stretch.sumUp(column.values(profile.n), {from: 0, to: profile.n});
            for (const key of ['share', 'mean', 'max', 'growth', 'r2']) {
                if (!isNear(figures[key], c[name][key])) wrong.push([name, key, figures[key], c[name][key]]);
            }
        }
        return same(wrong, []);""")


def test_shown_and_shortened_names(*bench):
    texts = read("texts.json")
    browser = open_page(bench, ONE)
    expect_all(browser, texts["shown"], "return same(census.shown(c.name), c.text);")
    expect_all(browser, texts["shortened"], """
        const {measure} = census.surface;
        census.surface.measure = (text, size) => Array.from(text).length * size / 2;
        const shown = census.labels.elide(c.text, c.width, 10);
        census.surface.measure = measure;
        return same(shown, c.shown);""")


def test_colours(*bench):
    table = read("colours.json")
    for profile in table["profiles"]:
        browser = open_page(bench, profile)
        expect_all(browser, [profile], """
            return ['light', 'dark'].map((theme, side) => {
                const found = chartOf(0, {}).profile.names.map(({name, colours}) => [name, colours[side]]);
                return same(Object.fromEntries(found.sort()), Object.fromEntries(Object.entries(c[theme]).sort()));
            }).find(Boolean);""")
    expect_all(browser, table["texts"], "return same(census.colours.inkOn(c.background), c.text);")
    expect_all(browser, table["lines"], "return same(census.colours.visible(c.colour, c.background), c.line);")


@contextlib.contextmanager
def at_bench(census, directory, browser):
    yield census, pathlib.Path(directory), browser


sys.exit(run_tests(globals(), at_bench))
