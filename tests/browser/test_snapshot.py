#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The page of a heap snapshot in a real browser, and the snapshot itself in the browser's own DevTools.

test_snapshot.py CENSUS PROGRAM [NAME...]: all tests, or those named. Skips (77) without chromium. PROGRAM is the
sample program finite_map.
"""
import contextlib
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import urllib.error

from browser import OPENER, expect, run_tests

PROGRAM = pathlib.Path(sys.argv.pop(2)).resolve()
FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "cli/fixtures/cache.heapsnapshot"

# What Chromium's DevTools make of a snapshot, with the script that they run in a worker: the sizes of each node that has
# one, and its name behind those of its dominators.
DEVTOOLS = """
const [text, done] = arguments;
(async () => {
    const tools = await import('/devtools/entrypoints/heap_snapshot_worker/heap_snapshot_worker.js');
    const loader = new tools.HeapSnapshotLoader.HeapSnapshotLoader({sendEvent() {}});
    loader.write(text);
    loader.close();
    const channel = new MessageChannel();
    new tools.HeapSnapshot.SecondaryInitManager(channel.port2);
    const snapshot = await loader.buildSnapshot(channel.port1);
    const nodes = [];
    for (let i = 0; i < snapshot.nodeCount; i++) {
        const node = snapshot.createNode(i * snapshot.nodeFieldCount);
        const path = [node.name()];
        for (let at = node; at.nodeIndex > 0;) {
            at = snapshot.createNode(at.dominatorIndex());
            if (path[0] !== at.name()) {
                path.unshift(at.name());
            }
        }
        nodes.push([path, node.selfSize(), node.retainedSize(), node.distance()]);
    }
    return {total: snapshot.totalSize, nodes};
})().then(done, (error) => done(error.stack));"""


@contextlib.contextmanager
def stage(census, directory, browser):
    browser.open("about:blank")
    yield census, pathlib.Path(directory), browser


def draw(census, directory, browser, snapshot=FIXTURE, *options):
    target = directory / "page.html"
    subprocess.run([census, "plot", "-o", target, *options, snapshot], check=True)
    browser.open(target.as_uri())
    browser.until("return document.querySelector('.flame button')")


def rows(browser):
    return browser.run("return [...document.querySelectorAll('#rows tr')].map("
                       "(row) => [...row.cells].map((cell) => cell.textContent))")


def bars(browser):
    """Name: (left, top, width) of each bar in hundredths of the flame's width and in rows."""
    return {name: (round(left), round(top), round(width)) for name, left, top, width in browser.run("""
        const flame = document.getElementById('flame').getBoundingClientRect();
        return [...document.querySelectorAll('.flame button')].map((bar) => {
            const box = bar.getBoundingClientRect();
            return [(bar.getAttribute('aria-label') || bar.title).split(':')[0], 100 * (box.left - flame.left) / flame.width,
                (box.top - flame.top) / 24, 100 * box.width / flame.width];
        });""")}


def selected(browser):
    return browser.text("#detail-name")


def nodes_in_devtools(census, browser, snapshot):
    """Compares the groups of a snapshot with those that DevTools finds, and returns its nodes."""
    browser.open(f"http://{browser.debugger}/json/version")
    theirs = browser.post("/execute/async", script=DEVTOOLS, args=[snapshot.read_text()])
    assert isinstance(theirs, dict), theirs
    expect(browser.complaints("favicon.ico"), [], "the console of DevTools")
    groups = {}
    for path, self_bytes, retained, distance in theirs["nodes"]:
        assert distance < 1000, (path, "is reached")
        for i in range(1, len(path) + 1):
            sums = groups.setdefault(tuple(path[:i]), [0, 0])
            sums[0] += self_bytes
            sums[1] += self_bytes if i == len(path) else 0
    ours, path = {}, []
    listed = subprocess.run([census, "report", "-m0", "--depth", "100", "--format", "csv", snapshot], check=True,
                            capture_output=True, text=True)
    for row in csv.DictReader(io.StringIO(listed.stdout)):
        path = path[:int(row["depth"])] + [row["name"]]
        if not row["name"].endswith(" more)"):
            ours[tuple(path)] = [int(row["retained_bytes"]), int(row["self_bytes"])]
    expect(theirs["total"], ours[("(root)",)][0], "the size of the heap")
    expect({path: groups[path] for path in ours}, ours, "the groups")
    return theirs["nodes"]


def test_devtools_finds_the_same_dominators(census, directory, browser):
    subprocess.run([PROGRAM, "6", "+RTS", "-hd", "-i100", "--snapshot", "largest"], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL)
    nodes = nodes_in_devtools(census, browser, directory / "finite_map.heapsnapshot")
    # What one object retains: the thunk holds 63 branches of 24 bytes, 64 leaves and numbers of 16, and its list.
    expect([retained for path, _, retained, _ in nodes if path[-1] == "total"],
           [16 + 100 * 56 + 63 * 24 + 64 * 32], "the retained size of the thunk")


def test_devtools_reads_ids_and_sites_of_native_programs(census, directory, browser):
    subprocess.run([census, "run", "-hy", "--snapshot", "last", "-o", "native", "--", PROGRAM, "6"], cwd=directory,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = (directory / "native.heapsnapshot").read_text()
    expect([f'"{name}"' in text for name in ("site", "process", "waste")], [True] * 3, "members")
    nodes_in_devtools(census, browser, directory / "native.heapsnapshot")


def test_page_shows_bars_figures_and_table(census, directory, browser):
    draw(census, directory, browser)
    expect(browser.text("#title"), "cache.heapsnapshot", "title")
    expect(browser.text("#subtitle"), "10 objects, 1.79\xa0KiB", "sums")
    # Of 1832 bytes: 1808, 1000, 744, 696, 600, 64 and 24.
    expect(bars(browser), {"(root)": (0, 0, 100), "stack of main": (0, 1, 99), "shared": (0, 2, 55), "Cache": (55, 2, 41),
                           "entry": (55, 3, 38), "text": (55, 4, 33), "config": (95, 2, 3), "(unreached)": (99, 1, 1),
                           "leaked node": (99, 2, 1)}, "bars")
    expect(rows(browser)[3], ["Cache", "40.6 %", "744\xa0B", "48\xa0B", "1"], "row")
    browser.press_button("[data-sort=self] button")
    expect([row[0] for row in rows(browser)][:3], ["shared", "text", "entry"], "by self")


def test_click_zooms_and_the_path_of_holders_is_shown(census, directory, browser):
    draw(census, directory, browser)
    browser.press_button("[aria-label^='entry:']")
    expect(selected(browser), "entry", "selected")
    expect(bars(browser)["text"], (0, 4, 86), "600 of 696 bytes")
    expect(bars(browser)["stack of main"], (0, 1, 100), "the way to the group")
    expect([row[0] for row in rows(browser)], ["entry", "text"], "table")
    expect(browser.run("return [...document.querySelectorAll('#holders li')].map((item) => item.textContent)"),
           ["1.79\xa0KiB(root)", "1.77\xa0KiBstack of main", "744\xa0BCache", "332\xa0Bentry"], "holders")
    expect(browser.text("#detail-figures"), "retains696\xa0B in 6 objectsshare38.0 %itself96\xa0B in 3 objects", "figures")
    browser.press_button("#whole")
    expect(bars(browser)["stack of main"], (0, 1, 99), "the whole heap")


def test_keys_move_zoom_and_go_back(census, directory, browser):
    draw(census, directory, browser)
    browser.run("document.querySelector('.flame [tabindex=\"0\"]').focus()")
    browser.press("ArrowDown", "ArrowDown")
    expect(selected(browser), "shared", "down, down")
    browser.press("ArrowRight")
    expect(selected(browser), "Cache", "right")
    browser.press("Enter")
    expect(bars(browser)["entry"], (0, 3, 94), "zoomed")
    browser.press("Escape")
    expect(selected(browser), "stack of main", "back")
    browser.press("ArrowUp", "0", "?")
    expect(browser.run("return document.getElementById('help').open"), True, "help")
    browser.press("Escape", "t")
    expect(browser.run("return document.documentElement.dataset.theme"), "dark", "theme")


def test_search_fades_other_bars_and_filters_the_table(census, directory, browser):
    draw(census, directory, browser)
    browser.press("/")
    browser.press(*"t.xt")
    expect(browser.text("#search-note"), "1 group", "found")
    expect([row[0] for row in rows(browser)], ["text"], "table")
    expect(browser.run("return [...document.querySelectorAll('.flame button:not(.faded)')].map((bar) => bar.textContent)"),
           ["text"], "bars")
    browser.type_into("#search", "(")
    expect(browser.text("#search-note"), "not a regular expression yet", "complaint")
    browser.press("Escape")
    expect(len(rows(browser)), 9, "all again")


def test_page_of_two_has_both_trees(census, directory, browser):
    # One of three entries becomes five times as large, the configuration goes, a text comes.
    after = directory / "after.heapsnapshot"
    after.write_text(FIXTURE.read_text().replace("8,4,9,100,0,", "8,4,9,900,0,").replace("8,5,19,64,1", "8,4,19,64,1"))
    page = directory / "page.html"
    subprocess.run([census, "diff", "-o", page, FIXTURE, after], check=True)
    browser.open(page.as_uri())
    browser.until("return document.querySelector('.flame button')")
    expect(browser.text("#title"), "cache.heapsnapshot → after.heapsnapshot", "title")
    expect(browser.text("#subtitle"), "+800\xa0B: 1.79\xa0KiB → 2.57\xa0KiB", "sums")
    heads = browser.run("return [...document.querySelectorAll('#table-heads th')].map((head) => head.textContent)")
    expect(heads, ["Name", "Growth", "Before", "After", "Objects before", "Objects after"], "heads")
    expect(rows(browser)[2:5], [["Cache", "+800\xa0B", "744\xa0B", "1.51\xa0KiB", "1", "1"],
                                ["entry", "+800\xa0B", "696\xa0B", "1.46\xa0KiB", "3", "3"],
                                ["text", "+800\xa0B", "600\xa0B", "1.37\xa0KiB", "3", "3"]], "what has grown is first")
    expect([row[:4] for row in rows(browser) if row[0] == "config"], [["config", "−64\xa0B", "64\xa0B", "0\xa0B"]], "gone")
    before, now = ("#flame-before", "#flame")
    wide = [browser.run("return document.querySelector(`${arguments[0]} [aria-label^='Cache:']`).getBoundingClientRect().width", flame)
            for flame in (before, now)]
    expect(round(wide[1] / wide[0] * 744), 1544, "a byte is as wide in both")
    browser.press_button(f"{before} [aria-label^='config:']")
    expect(selected(browser), "config", "selected")
    expect(browser.text("#detail-figures"), "growth−64\xa0Bretained64\xa0B → 0\xa0Bobjects1 → 0", "figures")
    expect(browser.run("return [...document.querySelectorAll('#holders li')].map((item) => item.textContent)")[-1],
           "64\xa0Bconfig", "what held it")
    expect(browser.run("return document.querySelector(\"#flame [aria-label^='config:']\")"), None, "no bar now")
    browser.press("Escape", "ArrowUp")
    browser.run("document.querySelector('#flame-before [tabindex=\"0\"]').focus()")
    browser.press("ArrowDown")
    expect(browser.run("return document.activeElement.closest('.flame').id"), "flame-before", "keys stay in their tree")


def test_ways_to_what_matches_a_question(census, directory, browser):
    draw(census, directory, browser, FIXTURE, "--where", 'type = "text" and size > 100')
    expect(browser.text("#subtitle"), '2 objects, 500\xa0B: type = "text" and size > 100', "the question")
    expect(rows(browser), [["(root)", "100.0 %", "500\xa0B", "2"], ["stack of main", "100.0 %", "500\xa0B", "2"],
                           ["Cache", "100.0 %", "500\xa0B", "2"], ["entry", "100.0 %", "500\xa0B", "2"],
                           ["text", "100.0 %", "500\xa0B", "2"]], "ways")
    browser.press_button("[aria-label^='text:']")
    expect(browser.text("#detail-figures"), "leads to500\xa0B in 2 objectsshare100.0 %", "figures")
    browser.press_button("#whole")
    expect(selected(browser), "(root)", "all ways")


def ask(browser, question):
    """Returns the note below the box, and the rows of the answer."""
    browser.run("document.getElementById('ask-note').textContent = 'searching …'")
    browser.type_into("#question", question)
    browser.press_button("#ask button")
    browser.until("return document.getElementById('ask-note').textContent !== 'searching …'")
    return browser.text("#ask-note"), browser.run("return [...document.querySelectorAll('#answer tr')].map("
                                                  "(row) => [...row.cells].map((cell) => cell.textContent))")


def test_questions_are_answered_as_in_a_report(census, directory, browser):
    draw(census, directory, browser)
    expect(browser.run("return document.getElementById('ask').hidden"), True, "a file has nobody to ask")
    served = subprocess.Popen([census, "open", "--no-browser", FIXTURE], stderr=subprocess.PIPE, text=True)
    try:
        url = next(found[0] for found in map(re.compile(r"http://\S+").search, served.stderr) if found)
        browser.open(url)
        browser.until("return document.querySelector('.flame button')")
        question = 'retained > 600 and not type ~ "stack"'
        report = json.loads(subprocess.run([census, "report", "--format", "json", "-m0", "--where", question, FIXTURE],
                                           check=True, capture_output=True, text=True).stdout)
        note, table = ask(browser, question)
        expect(note, f"{report['matches']} objects; if they went, {report['freed_bytes'] / 1024:.3g}\xa0KiB in "
               f"{report['freed_objects']} objects would be freed", "the sums")
        expect([row[2] for row in table], ["Type", *(row["type"] for row in report["objects"])], "the objects")
        browser.press_button("#answer-rows tr:nth-child(2) button")
        expect(selected(browser), report["objects"][1]["type"], "the group of the type")
        expect(ask(browser, 'type = "é" and size >> 3')[1], [[]], "no rows")
        expect(browser.text("#complaint").splitlines()[1].index("^"), 'type = "é" and size >'.index(">") + 1, "the place")
        expect(ask(browser, "size = 12345"), ("no object matches", [[]]), "nothing")
        expect(ask(browser, "@12345"), ("no object has this id", [[]]), "no such object")
        expect(ask(browser, "@7")[1],
               [["Field", "Retained", "Self", "Type", "Held by", "Id"], ["", "132\xa0B", "32\xa0B", "entry", "Cache", "@7"],
                ["refers to 2 objects"], ["[1]", "232\xa0B", "32\xa0B", "entry", "Cache", "@11"],
                ["[0]", "100\xa0B", "100\xa0B", "text", "entry", "@9"],
                ["referred to by 1 object"], ["[0]", "744\xa0B", "48\xa0B", "Cache", "stack of main", "@5"]], "an object")
        expect(browser.run("return [...document.querySelectorAll('#way-steps li')].map((item) => item.textContent)"),
               ["1.79\xa0KiB(root)", "1.77\xa0KiBstack of main", "744\xa0BCache", "132\xa0Bentry"], "its holders")
        browser.press_button("#answer-rows tr:nth-child(6) td:last-child button")
        browser.until("return document.querySelector('#answer-rows td:last-child').textContent === '@5'")
        expect(browser.run("return document.getElementById('question').value"), "@5", "the object that refers to it")
        browser.press("Escape")
        expect(browser.text("#ask-note"), "", "back")
        place = url.replace("#", "/").rstrip("/") + "/question/"
        for path, status in ((place, 404), (place + "7", 404), (place + "zz", 404), (place + "00", 404), (place + "41" * 4097, 404),
                             (place + "ff", 200), (re.sub(r"/\w{32}/", f"/{'0' * 32}/", place + "41"), 404)):
            try:
                with OPENER.open(path) as response:
                    found = response.status
            except urllib.error.HTTPError as error:
                found = error.code
            expect(found, status, path)
    finally:
        served.terminate()
        served.wait()


def make_small_groups(path):
    """A group of a million bytes, ten of 150 and fifty of 20 with a child of 4, which the page leaves out."""
    meta = json.loads(FIXTURE.read_text())["snapshot"]["meta"]
    names = ["(root)", "large", *(f"medium {i}" for i in range(10)), *(f"small {i}" for i in range(50)), "part"]
    sizes = [0, 1000000, *[150] * 10, *[20] * 50]
    nodes = [n for i, size in enumerate(sizes) for n in (9 if i == 0 else 8, i, 2 * i + 1, size, 61 if i == 0 else int(i > 11))]
    nodes += [n for i in range(50) for n in (8, 62, 1001 + 2 * i, 4, 0)]
    edges = [n for i in range(61) for n in (1, i, 5 * (i + 1))] + [n for i in range(50) for n in (1, 0, 5 * (62 + i))]
    path.write_text(json.dumps({"snapshot": {"meta": meta, "node_count": 112, "edge_count": 111}, "nodes": nodes,
                                "edges": edges, "strings": names}))


def open_rest(browser, title):
    browser.press_button(f".flame button.rest[title^='{title}']")
    browser.until(f"return document.getElementById('detail-name').textContent === '{title}'")


def test_small_groups_can_be_opened(census, directory, browser):
    snapshot = directory / "small.heapsnapshot"
    make_small_groups(snapshot)
    draw(census, directory, browser, snapshot)
    # 1500 bytes of groups that are too narrow, and 1200 that are not in the file.
    expect(browser.text(".flame button.rest"), "", "narrow")
    open_rest(browser, "(60 more)")
    expect(rows(browser)[0], ["(60 more)", "0.3 %", "2.64\xa0KiB", "0\xa0B", "0"], "the groups that are left out")
    expect(rows(browser)[1], ["medium 0", "0.0 %", "150\xa0B", "150\xa0B", "1"], "one of ten")
    expect(len(rows(browser)), 11, "those that the page has")
    expect(bars(browser)["medium 9"], (50, 2, 6), "150 of 2700 bytes")
    expect(browser.run("return [...document.querySelectorAll('.flame button.rest')].map(({title}) => title)"),
           ["(50 more): 1.17\xa0KiB"], "the others")
    browser.press("Escape")
    expect(selected(browser), "(root)", "back")
    served = subprocess.Popen([census, "open", "--no-browser", snapshot], stderr=subprocess.PIPE, text=True)
    try:
        browser.open(next(found[0] for found in map(re.compile(r"http://\S+").search, served.stderr) if found))
        browser.until("return document.querySelector('.flame button')")
        open_rest(browser, "(60 more)")
        listed = rows(browser)
        expect(len(listed), 1 + 10 + 2 * 50, "all groups")
        expect(listed[11:13], [["small 0", "0.0 %", "24\xa0B", "20\xa0B", "1"], ["part", "0.0 %", "4\xa0B", "4\xa0B", "1"]],
               "what the server had")
        browser.press_button("[aria-label^='small 49:']")
        expect(bars(browser)["part"], (0, 3, 17), "below it")
    finally:
        served.terminate()
        served.wait()


def test_dark_page_of_hostile_names(census, directory, browser):
    hostile = directory / "hostile.heapsnapshot"
    hostile.write_text(FIXTURE.read_text().replace('"Cache"', '"</script><b>\\udc9b\\u202e"'))
    draw(census, directory, browser, hostile, "--theme", "dark", "--si")
    expect(browser.run("return document.documentElement.dataset.theme"), "dark", "theme")
    expect(rows(browser)[3][0], "</script><b>\ufffd\u202e", "name")
    expect(browser.text("#subtitle"), "10 objects, 1.83\xa0kB", "units")


if __name__ == "__main__":
    sys.exit(run_tests(globals(), stage))
