#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The pages of `census hpc markup` in Chromium: colours in light and dark, links, and the search.

test_coverage.py CENSUS
"""
import pathlib
import subprocess
import sys
import tempfile

import browser

CASE = pathlib.Path(__file__).resolve().parent.parent / "conformance/hpc/cases/unicode"
COLOURS = ("return [...document.querySelectorAll('.key span')].map(e => getComputedStyle(e).backgroundColor)"
           ".concat(getComputedStyle(document.body).color)")
VISIBLE = "return [...document.querySelectorAll('tbody tr')].filter(r => r.offsetHeight > 0).map(r => r.lastElementChild.textContent.trim())"


def luminance(colour):
    """Of "rgb(r, g, b)", by WCAG 2."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    linear = [part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4 for part in parts]
    return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2]


def check_colours(window, page):
    window.open(page)
    *backgrounds, text = window.run(COLOURS)
    assert len(set(backgrounds[2:])) == 3, backgrounds
    for background in backgrounds[2:]:
        low, high = sorted((luminance(background), luminance(text)))
        assert (high + .05) / (low + .05) >= 4.5, f"{text} on {background}"
    return text


def check_search(window, index):
    window.open(index)
    assert window.run(VISIBLE)[:4] == ["Größe", "Main", "Tabs", "main"], window.run(VISIBLE)
    window.type_into("input[type=search]", "GRÖẞE ⊕")
    assert window.run(VISIBLE) == ["⊕"], window.run(VISIBLE)
    window.type_into("input[type=search]", "")
    window.press_button("input[type=checkbox]")
    assert window.run(VISIBLE) == ["nichts"], window.run(VISIBLE)
    assert window.run("return document.querySelector('output').textContent") == "1 found"
    window.run("document.querySelector('tbody tr:not([hidden]) a').click()")
    line = window.until("const row = document.querySelector('tr:target'); return row && row.textContent")
    assert line.startswith("7") and "nichts = 0" in line, line
    window.run("document.querySelector('p a').click()")
    window.until("return document.title === 'Coverage'")


def main():
    if not browser.find_driver():
        print("skipped: chromium and chromedriver are not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "hpc", "markup", "--verbosity=0", f"--destdir={folder}", "run1"], cwd=CASE, check=True)
        pages = pathlib.Path(folder).as_uri()
        texts = []
        for dark in (False, True):
            with browser.Browser(dark=dark) as window:
                texts.append(check_colours(window, f"{pages}/Tabs.hs.html"))
                check_search(window, f"{pages}/hpc_index.html")
                assert not window.complaints()
        assert texts[0] != texts[1], texts
    return 0


if __name__ == "__main__":
    sys.exit(main())
