# SPDX-License-Identifier: BSD-2-Clause
"""Reads back what hp2ps draws: a PostScript interpreter for the few operators that it uses."""
import re

TOKEN = re.compile(rb"""
    %[^\n]*                                 # comment
  | \((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)   # string, balanced parentheses one level deep
  | /[^\s/()%]+                             # literal name
  | [^\s/()%]+                              # number or name
""", re.X | re.S)
ESCAPE = re.compile(rb"\\(.)", re.S)


class Ink:
    """One page's shapes and texts in drawing order, in points of the drawing area."""

    def __init__(self):
        self.setup = []  # the page's own transformations
        self.items = []  # ("text", string, x, y, turn) or ("path", points, closed, fill)


class Interpreter:
    """Every string is `width` wide, so that running twice tells how a text is aligned."""

    def __init__(self, width):
        self.width = width
        self.stack = []
        self.pages = [Ink()]
        self.path, self.closed, self.fill = [], False, None
        self.point = (0, 0)
        self.origin, self.turn, self.saved = (0, 0), 0, []

    def run(self, text):
        for token in TOKEN.findall(text):
            if token.startswith(b"%"):
                continue
            if token.startswith(b"("):
                self.stack.append(ESCAPE.sub(rb"\1", token[1:-1]))
            elif token.startswith(b"/"):
                self.stack.append(token)
            elif re.fullmatch(rb"-?\d+(\.\d*)?", token):
                self.stack.append(float(token))
            else:
                getattr(self, "do_" + token.decode())()
        assert not self.pages[-1].items, "ink after the last page"
        return self.pages[:-1]

    def take(self, n):
        taken = self.stack[len(self.stack) - n:]
        del self.stack[len(self.stack) - n:]
        return taken

    def do_dup(self):
        self.stack.append(self.stack[-1])

    def do_pop(self):
        self.take(1)

    def do_exch(self):
        a, b = self.take(2)
        self.stack += [b, a]

    def do_sub(self):
        a, b = self.take(2)
        self.stack.append(a - b)

    def do_div(self):
        a, b = self.take(2)
        self.stack.append(a / b)

    def do_stringwidth(self):
        self.take(1)
        self.stack += [self.width, 0.0]

    def do_findfont(self):
        self.take(1)
        self.stack.append(b"font")

    def do_scalefont(self):
        self.take(2)
        self.stack.append(b"font")

    def do_def(self):
        self.take(2)

    def do_HE10(self):
        self.stack.append(10)

    def do_HE12(self):
        self.stack.append(12)

    def do_setfont(self):
        self.size = self.take(1)[0]

    def do_gsave(self):
        self.saved.append((self.origin, self.turn, list(self.path)))

    def do_grestore(self):
        self.origin, self.turn, self.path = self.saved.pop()

    def do_setlinewidth(self):
        assert self.take(1) == [0.5]

    def do_newpath(self):
        self.path, self.closed = [], False

    def do_moveto(self):
        self.point = tuple(self.take(2))
        self.path, self.closed = [self.point], False

    def do_lineto(self):
        self.point = tuple(self.take(2))
        self.path.append(self.point)

    def do_rlineto(self):
        x, y = self.take(2)
        self.point = (self.point[0] + x, self.point[1] + y)
        self.path.append(self.point)

    def do_closepath(self):
        self.closed = True

    def do_setgray(self):
        self.colour = ("gray", self.take(1)[0])

    def do_setrgbcolor(self):
        self.colour = ("rgb", *self.take(3))

    def do_fill(self):
        self.fill = self.colour

    def do_stroke(self):
        self.pages[-1].items.append(("path", self.path, self.closed, self.fill))
        self.path, self.closed, self.fill = [], False, None

    def do_translate(self):
        x, y = self.take(2)
        if self.saved:
            self.origin = (x, y)
        else:
            self.pages[-1].setup.append(("translate", x, y))

    def do_rotate(self):
        angle = self.take(1)[0]
        if self.saved:
            self.turn = angle
        else:
            self.pages[-1].setup.append(("rotate", angle))

    def do_scale(self):
        self.pages[-1].setup.append(("scale", *self.take(2)))

    def do_show(self):
        x, y = self.point
        text = self.take(1)[0].decode("utf-8", "surrogateescape")
        item = ("text", text, self.origin[0] + x, self.origin[1] + y, self.turn, self.size)
        self.pages[-1].items.append(item)

    def do_showpage(self):
        self.pages.append(Ink())


def interpret(text):
    """The pages; texts as ("text", string, x, y, turn, size, alignment)."""
    pages = Interpreter(0.0).run(text)
    for page, moved in zip(pages, Interpreter(1.0).run(text)):
        for index, (item, other) in enumerate(zip(page.items, moved.items)):
            if item[0] == "text":
                shift = (item[2] - other[2]) + (item[3] - other[3])
                align = {0.0: "start", 0.5: "middle", 1.0: "end"}[round(shift, 3)]
                page.items[index] = (*item, align)
    return pages
