# SPDX-License-Identifier: BSD-2-Clause
"""Reads the pages of `hpc markup`, the real program's and ours, for comparison.

A page of a module becomes a list of lines: which columns have which spans, from the outermost to the innermost. Blanks at
the start of a line that continues a span have none: the real program colours them white. An index becomes a list of rows.
"""
import html.parser
import re
import urllib.parse


class ModulePage(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.lines = []      # of [text, [classes of each character], [how often declarations were entered]]
        self.spans = []      # classes of the spans that are open
        self.in_text = False  # after the number of a line
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("class", "")
        if tag == "span":
            self.spans.append(name)
        if (tag, name) in (("span", "lineno"), ("td", "n")):
            self.lines.append(["", [], []])
            self.in_text = tag == "span"
        elif tag == "td":
            self.in_text = True
        if name == "funcount" and self.in_text:
            self.lines[-1][2].append("")

    def handle_endtag(self, tag):
        if tag == "span":
            self.spans.pop()

    def handle_data(self, data):
        if not self.in_text or "lineno" in self.spans:
            return
        if "funcount" in self.spans:
            self.lines[-1][2][-1] += data.removeprefix("-- ")
            return
        spans = () if "spaces" in self.spans else tuple(self.spans)
        for character in data:
            if character == "\n":
                self.in_text = False
                return
            self.lines[-1][0] += character
            self.lines[-1][1].append(spans)


def describe_module(text):
    """One line of text for each line of a page that has spans."""
    described = []
    for number, (characters, spans, entries) in enumerate(ModulePage(text).lines, 1):
        runs = []
        for column, classes in enumerate(spans, 1):
            if runs and runs[-1][2] == classes and runs[-1][1] == column - 1:
                runs[-1][1] = column
            else:
                runs.append([column, column, classes])
        words = [f"{first}-{last}:{'/'.join(classes)}" for first, last, classes in runs if classes]
        words += entries
        if words:
            described.append(f"{number} ({len(characters)}) " + " ".join(words))
    return "\n".join(described)


def describe_index(text):
    """Module and three times "share of" for each row, and the total."""
    rows = []
    table = text[text.index("<table"):]
    table = table[:table.find("<h2")] if "<h2" in table else table
    table = re.sub(r"<table cellpadding.*?</table></td></tr></table>", "", table, flags=re.S)  # bars
    for row in re.split(r"<tr[ >]", table):
        numbers = re.findall(r">(?:(\d+)%|-&nbsp;|-)(?:</td>)?<td>(\d+/\d+)", row)
        link = re.search(r'<a href="([^"]*)\.hs\.html">', row)
        if len(numbers) == 3:
            name = link[1] if link else "total"
            rows.append(" ".join([urllib.parse.unquote(html.unescape(name))] + [f"{share or '-'} {of}" for share, of in numbers]))
    return "\n".join(rows)


def describe_folder(folder):
    """All pages in a folder."""
    parts = []
    for path in sorted(folder.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        describe = describe_index if path.name.startswith("hpc_index") else describe_module
        parts.append(f"== {path.relative_to(folder)}\n{describe(text)}\n")
    return "".join(parts)
