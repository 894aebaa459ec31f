#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pages by keyboard alone, and as assistive technology gets them, in a real browser.

test_access.py CENSUS [NAME...]: all tests, or those named. Skips (77) without chromium.
"""
import contextlib
import pathlib
import subprocess
import sys

from browser import expect, run_tests

PLACES = {"main": "prog.c:9", "parse": "read.c:20", "grow": "pool.c:7", "copy": "text.c:3"}
STACKS = [("main", "parse", "grow"), ("main", "parse", "copy"), ("main", "copy")]
N_SNAPSHOTS = 30
# All that a mouse can operate, except what has another path: rows of the treegrid and unchosen radio buttons and tabs
# have arrow keys, options belong to their list.
OPERABLE = """
    return [...document.querySelectorAll('button, input, select, summary, [tabindex]')].filter((e) =>
        e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.closest('details:not([open]) > :not(summary)'))"""
NAME_OF = """
    const e = document.activeElement;
    return e === document.body ? '' : e.id || e.dataset.mode || e.dataset.tree || `${e.tagName} ${e.textContent.trim()}`;"""


def write_massif(path, factor=1):
    """Writes snapshots in which each stack has other bytes."""
    text = "desc: --time-unit=ms\ncmd: ./prog\ntime_unit: ms\n"
    for i in range(1, N_SNAPSHOTS + 1):
        sizes = [factor * 1000 * (k + 1) + 100 * i * ((i + k) % 3) for k in range(len(STACKS))]
        text += (f"#-----------\nsnapshot={i}\n#-----------\ntime={10 * i}\nmem_heap_B={sum(sizes)}\nmem_heap_extra_B=0\n"
                 f"mem_stacks_B=0\nheap_tree=detailed\nn{len(STACKS)}: {sum(sizes)} (heap allocation functions) malloc/new/new[], "
                 "--alloc-fns, etc.\n")
        for frames, size in zip(STACKS, sizes):
            for depth, frame in enumerate(reversed(frames), 1):
                text += f"{' ' * depth}n{int(depth < len(frames))}: {size} 0x{hash((frames, depth)) & 0xfff:x}: {frame} ({PLACES[frame]})\n"
    path.write_text(text)
    return path


class Bench:
    """Pages with stacks and the text of their program."""

    def __init__(self, census, directory, browser):
        self.census, self.directory, self.browser = census, pathlib.Path(directory), browser

    def open(self, *command):
        page = self.directory / "page.html"
        subprocess.run([self.census, *command, "-o", page], check=True)
        self.browser.open(page.as_uri())
        self.browser.settle()

    def open_one(self):
        folder = self.directory / "src"
        folder.mkdir()
        for name in ("prog.c", "read.c", "pool.c", "text.c"):
            (folder / name).write_text("".join(f"line {i} of {name};\n" for i in range(1, 101)))
        self.open("plot", "--source", folder, write_massif(self.directory / "massif.out.1"))

    def open_difference(self):
        self.open("diff", "--source", self.directory / "src", write_massif(self.directory / "a.out"),
                  write_massif(self.directory / "b.out", 2))


def walk(browser):
    """Returns what the Tab key reaches from the beginning of the page to its end."""
    browser.run("document.activeElement.blur(); window.getSelection().removeAllRanges(); document.body.tabIndex = -1;"
                "document.body.focus(); document.body.removeAttribute('tabindex');")
    reached = []
    while len(reached) < 300:
        browser.press("Tab")
        name = browser.run(NAME_OF)
        browser.run("(window.reached = window.reached || new Set()).add(document.activeElement)")
        if not name or (reached and name == reached[0]):
            break
        reached.append(name)
    missed = browser.run("const all = (() => {" + OPERABLE + "})(); return all.filter((e) => !window.reached.has(e)).map((e) => e.id || e.outerHTML)")
    expect(missed, [], "what the Tab key does not reach")
    return reached


# --- tests -----------------------------------------------------------------------------------------------


def test_all_parts_have_names_and_are_reached(bench, browser):
    bench.open_one()
    browser.run("const {flame} = census.app; flame.zoomTo(flame.bars.find((bar) => flame.labelOf(bar) === 'grow').node)")
    browser.settle()
    expect(browser.unnamed(), [], "nameless parts of a page")
    roles = {node["role"] for node in browser.accessible()}
    assert {"banner", "main", "heading", "radiogroup", "searchbox", "combobox", "treegrid", "table", "region"} <= roles, roles
    reached = walk(browser)
    order = [name for name in reached if name in ("search", "chart", "flame", "source-lines")]
    expect(order, ["search", "chart", "flame", "source-lines"], "the order of the large parts")

    bench.open_difference()
    browser.run("const {flame} = census.app; flame.zoomTo(flame.bars.find((bar) => flame.labelOf(bar) === 'grow').node)")
    browser.settle()
    line = browser.run("return [...document.querySelectorAll('#source-rows tr.alone td')].map((cell) => cell.textContent)")
    expect(line, [browser.run("const {flame} = census.app; return flame.amountOf(flame.netOf(flame.zoomed))"), "line 7 of pool.c;"],
           "the text of the program, with the changes of its lines")
    expect(browser.unnamed(), [], "nameless parts of a difference")
    walk(browser)
    browser.press("a")
    browser.settle()
    expect(browser.unnamed(), [], "nameless parts of the overview")
    walk(browser)
    browser.press("?")
    expect(browser.unnamed(), [], "nameless parts of the help")
    browser.press("Escape")


def test_controls(bench, browser):
    bench.open_one()
    focus = "document.querySelector(arguments[0]).focus()"
    browser.run(focus, "[data-mode=stacked]")
    browser.press("ArrowRight")
    expect([browser.run("return census.app.view.mode"), browser.run(NAME_OF)], ["share", "share"], "the next radio button")
    browser.press("ArrowLeft", "ArrowLeft")
    expect([browser.run("return census.app.view.mode"), browser.run(NAME_OF)], ["lines", "lines"], "around to the last one")
    browser.press("s")
    browser.run(focus, "[data-tree=down]")
    browser.press("ArrowDown")
    expect(browser.run("return census.app.view.tree"), "up", "allocators first")
    browser.press("ArrowUp")

    browser.run(focus, "#save summary")
    browser.press("Enter", "Tab")
    expect(browser.run("return document.activeElement.dataset.save"), "svg", "the first choice of the menu")
    browser.press("Escape")
    expect(browser.run("return [document.getElementById('save').open, document.activeElement.tagName]"), [False, "SUMMARY"],
           "a closed menu gives the focus back")

    browser.press("/")
    browser.press(*"grow")
    browser.settle()
    expect(browser.text("#search-note"), "1 name", "the search note")
    n_findings = browser.run("return document.querySelectorAll('#findings button').length")
    expect(n_findings > 0, True, "the heap grows")
    browser.press("Tab", *["Tab"] * n_findings, "Tab")
    expect(browser.run(NAME_OF), "chart", "after the search and what stands out")
    browser.press("Escape")
    expect(browser.run("return document.getElementById('search').value"), "", "Escape ends the search")


def test_a_stretch_of_time(bench, browser):
    bench.open_one()
    browser.run("document.getElementById('chart').focus()")
    xs = browser.run("return [...census.app.panel.chart.xs]")
    browser.press("Home", "ArrowRight", "ArrowRight", "ArrowRight", "b")
    assert browser.text("#spoken").startswith("selecting from "), browser.text("#spoken")
    browser.press("ArrowRight", "ArrowRight")
    brush, places = browser.run("const {panel} = census.app; return [panel.brush, [3, 5].map((i) => panel.drawing.x(panel.chart.xs[i]))]")
    first = browser.run("return census.app.panel.pointed.at") - 2
    expect(brush, [places[0] + (places[1] - places[0]) / 2 * (first - 3), places[1] + (places[1] - places[0]) / 2 * (first - 3)],
           "the selection")
    browser.press("Escape")
    expect(browser.run("return [census.app.panel.brush, census.app.entry().own.window]"), [None, None], "Escape leaves it")
    browser.press("b", *["ArrowRight"] * 10, "b")
    browser.settle()
    expect(browser.run("return census.app.entry().own.window"), [xs[first + 2], xs[first + 12]], "the window")
    assert browser.text("#spoken").startswith("zoomed to "), browser.text("#spoken")
    browser.press("ArrowLeft")
    browser.run("document.querySelector('#crumbs button').focus()")
    browser.press("Enter")
    browser.settle()
    expect([browser.run("return census.app.entry().own.window"), browser.run(NAME_OF)], [None, "chart"],
           "the way back keeps a place for the focus")


def test_from_a_band_to_its_source(bench, browser):
    """Flame graph, table and text of the chosen frame, and what is spoken on the way."""
    bench.open_one()
    browser.run("document.getElementById('flame').focus()")
    browser.press("ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    browser.settle()
    frame = browser.run("return census.app.entry().own.frame.at(-1)")
    spoken = browser.text("#flame-spoken")
    assert spoken.startswith(frame.split()[0] + ", "), (frame, spoken)
    nodes = browser.accessible()
    assert any(node["role"] == "group" and node["name"] == frame for node in nodes), frame
    rows = browser.run("return [...document.querySelectorAll('[aria-current=true]')].map((row) => row.textContent)")
    expect(len(rows), 2, "the chosen line and the chosen row of the table")
    browser.press("Tab")
    expect(browser.run(NAME_OF), "source-lines", "the text of the program is next")
    browser.run("document.querySelector('#stack-rows tr[tabindex=\"0\"]').focus()")
    browser.press("ArrowDown")
    focused = [node for node in browser.accessible() if node.get("focused") and node["role"] == "row"]
    expect([node["level"] for node in focused], [2], "the row below main")
    browser.press("Enter")
    browser.settle()
    expect(len(browser.run("return census.app.entry().own.frame")), 2, "chosen from the table")


@contextlib.contextmanager
def at_bench(census, directory, browser):
    yield Bench(census, directory, browser), browser


sys.exit(run_tests(globals(), at_bench))
