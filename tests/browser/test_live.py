#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The live page of `census open` in a real browser, while a profile grows.

test_live.py CENSUS PROGRAM [NAME...]: all tests, or those named. Skips (77) without chromium. PROGRAM is `watched`
of the tests of native programs.
"""
import contextlib
import http.client
import pathlib
import re
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "watch"))
import logs
from browser import PATIENCE_S, expect, in_each_browser, keep_port, run_tests

PROGRAM = pathlib.Path(sys.argv.pop(2)).resolve()
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
BUILD = SAMPLES / "native/build.census"
NAMES = ["worker", "cache", "parse", "</script><script>document.title='taken'</script>"]


class Growing:
    """A profile that a test writes, and the server that watches it. As a context manager it ends the server."""

    def __init__(self, census, directory):
        self.census, self.directory = census, pathlib.Path(directory)
        self.file, self.n, self.server, self.url = None, 0, None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if self.file:
            self.file.close()

    def add(self, n, more=()):
        if not self.file:
            self.file = open(self.directory / "prog.hp", "wb", buffering=0)
            self.file.write(b'JOB "prog"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n')
        for _ in range(n):
            costs = [(name, 1000 * (i + 1) + 10 * (self.n % 50)) for i, name in enumerate(NAMES)] + list(more)
            lines = "".join(f"{name}\t{amount}\n" for name, amount in costs)
            self.file.write(f"BEGIN_SAMPLE {self.n}\n{lines}END_SAMPLE {self.n}\n".encode())
            self.n += 1

    def start(self, port=0, word=None, options=()):
        self.server = subprocess.Popen(
            [self.census, "open", "--no-browser", "--listen", f"127.0.0.1:{port}", "--token-file",
             self.directory / "token", *options, word or self.directory / "prog.hp"], stderr=subprocess.PIPE, text=True)
        said = next(line for line in self.server.stderr if "http://" in line)
        self.url = re.search(r"http://\S+", said).group(0)
        return self.url

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.wait()
            self.server.stderr.close()
            self.server = None


def wait_for_samples(browser, n):
    browser.until("""
        const entry = window.census && census.app && census.app.entry();
        return Boolean(entry && entry.profile && entry.profile.n === arguments[0]);""", n)
    browser.settle()


def wait_for_last_drawn(browser, time_):
    browser.until("const c = census.app.panel.chart; return c.xs[c.to] === arguments[0]", time_)


# --- tests -----------------------------------------------------------------------------------------------


@in_each_browser
def test_samples_appear_without_a_reload(growing, browser):
    growing.add(20)
    browser.open(growing.start())
    wait_for_samples(browser, 20)
    browser.run("window.wasHere = true")
    first = browser.run("return document.getElementById('picture').toDataURL()")
    for _ in range(10):
        growing.add(5)
        wait_for_samples(browser, growing.n)
    expect(browser.run("return window.wasHere"), True, "not loaded again")
    wait_for_last_drawn(browser, 69)
    browser.until("return document.getElementById('picture').toDataURL() !== arguments[0]", first)
    browser.until("return /^live · last sample /.test(document.getElementById('state-text').textContent"
                  ".replace(/\u00a0/g, ' '))")
    expect(browser.run("return document.title.includes('taken')"), False, "a name that is a script")
    expect(browser.run("return document.querySelectorAll('#rows tr').length"), len(NAMES), "rows of the table")


def test_new_stacks_join_the_flame_graph(growing, browser):
    """A profile gets its first stack after the page was opened; only its frames are sent."""
    growing.add(5)
    browser.open(growing.start())
    wait_for_samples(browser, 5)
    expect(browser.run("return document.getElementById('stacks').hidden"), True, "no stacks yet")
    growing.add(5, [("(1)leaf/mid/main", 700)])
    growing.add(5, [("(1)leaf/mid/main", 800), ("(2)other/mid/main", 90)])
    wait_for_samples(browser, 15)
    expected = {"main": 890, "mid": 890, "leaf": 800, "other": 90, "worker": 1140, "parse": 3140}
    shown = """
        const {flame} = census.app, out = {};
        flame.bars.filter((bar) => !bar.isRest).forEach((bar) => { out[flame.labelOf(bar)] = flame.weightOf(bar.node); });
        return out;"""
    browser.until("return census.app.flame.order && census.app.panel.chart.to === 14")
    browser.settle()
    bars = browser.run(shown)
    expect({label: bars.get(label) for label in expected}, expected, "the stacks of the last sample")
    browser.open("about:blank")
    browser.open(growing.url)
    wait_for_samples(browser, 15)
    expect(browser.run(shown), bars, "the same in a snapshot")
    growing.add(300, [("(1)leaf/mid/main", 900)])
    wait_for_samples(browser, 315)
    growing.stop()
    browser.open(growing.start(options=["--callers-of", "leaf"]))
    wait_for_samples(browser, 315)
    growing.add(1, [("(3)leaf/newcomer/main", 77), ("(1)leaf/mid/main", 900)])
    wait_for_samples(browser, 316)
    browser.until("return census.app.panel.chart.to === 315")
    browser.settle()
    bars = browser.run(shown)
    expect([bars.get("newcomer"), bars.get("leaf/newcomer/main"), bars.get("main")], [77, None, 977],
           "a new stack of which the name has no number")
    slowest = max(browser.run("return performance.getEntriesByName('census-flame').map((entry) => entry.duration)"))
    print(f"        slowest flame graph: {slowest:.1f} ms")


def log_of(first, last):
    """Returns samples and collections of an event log, of which each second has one."""
    return b"".join(logs.block(logs.sample(i, {(0, "x"): 1000 + i})) + logs.collected(i, i + 0.1 * (i % 7), i**2 << 20)
                    for i in range(first, last))


def test_lanes(growing, browser):
    """Lanes of a log that grows: in the end they are the same as in a page of the whole log."""
    begin = logs.header() + logs.block(logs.started(), logs.begun()) + log_of(1, 30)
    end = log_of(30, 40) + logs.END
    page, path, whole_log = (growing.directory / name for name in ("page.html", "prog.eventlog", "whole.eventlog"))
    whole_log.write_bytes(begin + end)
    subprocess.run([growing.census, "plot", "--lanes", "-o", page, whole_log], check=True)
    lanes = "const {all, begin, cell} = census.app.entry().profile.lanes; return {all, begin, cell}"
    browser.open(page.as_uri())
    browser.settle()
    whole = browser.run(lanes)
    expect([lane["name"] for lane in whole["all"]], ["allocation", "GC"], "lanes")
    with open(path, "wb", buffering=0) as file:
        file.write(begin)
        browser.open(growing.start(word=path, options=["--lanes"]))
        wait_for_samples(browser, 29)
        expect(browser.run(lanes)["cell"] * 4096, 28, "length of the lanes so far")
        browser.run("window.wasHere = true")
        file.write(end)
        browser.until("return census.app.entry().profile.lanes.cell === arguments[0]", whole["cell"])
    browser.until("return census.app.entry().state === 'ended'")
    browser.settle()
    expect(browser.run(lanes), whole, "lanes of the whole log")
    expect(browser.run("return census.app.panel.drawing.lanesHeight > 0"), True, "lanes are drawn")
    expect(browser.run("return window.wasHere"), True, "not loaded again")


def test_profile_created_later(growing, browser):
    browser.open(growing.start(options=("--wait",)))
    browser.until("return document.getElementById('state-text').textContent.startsWith('waiting')")
    growing.add(3)
    wait_for_samples(browser, 3)


def test_new_names_and_marks(growing, browser):
    growing.add(3)
    browser.open(growing.start())
    wait_for_samples(browser, 3)
    growing.add(3, more=[("late", 90000)])
    growing.file.write(b"MARK 5.5\n")
    growing.add(1)
    wait_for_samples(browser, 7)
    browser.until("return census.app.entry().profile.marks.length === 1")
    for _ in range(600):  # it may take its band with one of the next samples
        names = browser.run("return census.app.panel.chart.bands.map((band) => band.name)")
        if "late" in names:
            return
        growing.add(1, more=[("late", 90000)])
        time.sleep(0.1)
    raise AssertionError(f"it has no band: {names}")


@in_each_browser
def test_server_restarts(growing, browser):
    growing.add(10)
    with keep_port() as keeper:
        check_another_start(growing, browser, keeper.getsockname()[1])


def check_another_start(growing, browser, port):
    browser.open(growing.start(port))
    wait_for_samples(browser, 10)
    browser.run("window.wasHere = true")
    growing.stop()
    browser.until("return document.getElementById('state-text').textContent === 'census has ended'")
    growing.add(10)
    growing.start(port)
    wait_for_samples(browser, 20)
    growing.add(5)
    wait_for_samples(browser, 25)
    expect(browser.run("return window.wasHere"), True, "not loaded again")
    expect(browser.complaints(without="net::ERR_"), [], "what the console says besides lost connections")


@in_each_browser
def test_two_viewers(growing, browser):
    growing.add(10)
    browser.open(growing.start())
    wait_for_samples(browser, 10)
    with type(browser)() as other:
        growing.add(10)
        other.open(growing.url)
        wait_for_samples(other, 20)
        wait_for_samples(browser, 20)
        growing.add(10)
        wait_for_samples(other, 30)
        expect(other.complaints(), [], "the other console")
    growing.add(10)
    wait_for_samples(browser, 40)


def test_another_run_replaces_the_profile(growing, browser):
    growing.add(10)
    browser.open(growing.start())
    wait_for_samples(browser, 10)
    fresh = growing.directory / "fresh.hp"
    fresh.write_bytes(b'JOB "second"\nDATE "today"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
                      b"BEGIN_SAMPLE 0\na\t1\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\na\t2\nEND_SAMPLE 1\n")
    fresh.rename(growing.directory / "prog.hp")
    wait_for_samples(browser, 2)
    expect(browser.text("#title"), "second", "the title")


@in_each_browser
def test_paused_view_does_not_change(growing, browser):
    growing.add(10)
    browser.open(growing.start())
    wait_for_samples(browser, 10)
    wait_for_last_drawn(browser, 9)
    browser.press_button("#pause")
    growing.add(10)
    time.sleep(0.5)
    browser.settle()
    expect(browser.run("return census.app.panel.chart.xs[census.app.panel.chart.to]"), 9, "the last one that is drawn")
    browser.press_button("#pause")
    wait_for_last_drawn(browser, 19)


@in_each_browser
def test_commands_to_the_program(growing, browser):
    """The program sends half of an event log, and the rest when a sample is requested."""
    log = (SAMPLES / "eventlog" / "foldleak-prof-lu-hc.eventlog").read_bytes()
    with socket.socket(socket.AF_UNIX) as program:
        program.bind(str(growing.directory / "socket"))
        program.listen()
        program.settimeout(PATIENCE_S)
        browser.open(growing.start(word=f"unix:{growing.directory}/socket"))
        connection, _ = program.accept()
        with connection:
            connection.settimeout(PATIENCE_S)
            expect(browser.run("return document.getElementById('control').hidden"), True, "no buttons yet")
            connection.sendall(log[:len(log) // 2])
            browser.until("return !document.getElementById('control').hidden")
            for command, number, said in ("stop", 4, "sampling switched off"), \
                    ("start", 3, "sampling switched on"), \
                    ("start-ticks", 1, "ticks switched on"), ("stop-ticks", 2, "ticks switched off"), ("census", 5, "sample requested"):
                browser.press_button(f"[data-control={command}]")
                expect(connection.recv(100), b"\xf0\x9e\x97\x8c\x00\x0feventlog-socket" + bytes([number]), command)
                browser.until("return document.getElementById('state-text').textContent.endsWith(arguments[0])", said)
            connection.sendall(log[len(log) // 2:])
            browser.until("return !document.getElementById('state-text').textContent.includes('asked')")
        browser.until("return document.getElementById('control').hidden")


def massif_of(places, n_snapshots=3):
    """Returns a file of massif with a function f0, f1, ... at each place, below main."""
    lines = "".join(f" n1: 1000 0x{i + 1}: f{i} ({place})\n  n0: 1000 0xff: main (prog.c:9)\n" for i, place in enumerate(places))
    total = 1000 * len(places)
    return "desc: --time-unit=ms\ncmd: ./prog\ntime_unit: ms\n" + "".join(
        f"#-----------\nsnapshot={i}\n#-----------\ntime={10 * i}\nmem_heap_B={total}\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
        f"heap_tree=detailed\nn{len(places)}: {total} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n{lines}"
        for i in range(1, n_snapshots + 1))


SOURCE_ROWS = """return [...document.querySelectorAll('#source-rows tr')].filter((row) => row.checkVisibility())
    .map((row) => [row.className, row.cells[1].textContent, row.cells[2].textContent]);"""
CHOOSE = """
    const {flame} = census.app, found = flame.bars.find((bar) => flame.labelOf(bar) === arguments[0]);
    return Boolean(found && (flame.zoomTo(found.node), true));"""


@in_each_browser
def test_source_of_the_chosen_frame(growing, browser):
    """The server sends lines near places of the profile, of files in the folder, and nothing else."""
    secret, folder = growing.directory / "secret", growing.directory / "src"
    (folder / ".git").mkdir(parents=True)
    (secret / "deep").mkdir(parents=True)
    for path in (secret / "passwd", secret / "deep" / "key.c", folder / ".git" / "config", folder / ".env"):
        path.write_text("a secret\n" * 99)
    (folder / "passwd").symlink_to(secret / "passwd")
    (folder / "deep").symlink_to(secret / "deep")
    for name in ("prog.c", "read.c"):
        (folder / name).write_text("".join(f"\tline {i} of <{name}>;\n" for i in range(1, 101)))
    hostile = ["../secret/passwd", f"{secret}/passwd", "passwd", "deep/key.c", "key.c", ".git/config", ".env", "src/../.env",
               "/etc/passwd", "x" * 3000]
    profile = growing.directory / "massif.out.1"
    profile.write_text(massif_of(["read.c:20", "read.c:25", *(f"{path}:3" for path in hostile)]))
    url = growing.start(word=profile, options=["--source", folder])
    browser.open(url)
    browser.until("return census.app.entry() && census.app.entry().profile && census.app.flame.bars.length > 3")
    browser.until(CHOOSE, "f0")
    browser.until("return document.querySelectorAll('#source-rows tr').length === 30")
    expect(browser.run(SOURCE_ROWS), [["alone" if i == 20 else "", str(i), f"    line {i} of <read.c>;"] for i in range(8, 38)],
           "the lines of f0 and f1")
    browser.press("Escape")
    browser.until(CHOOSE, "f1")
    browser.settle()
    expect([row[1] for row in browser.run(SOURCE_ROWS) if row[0] == "alone"], ["25"], "the line of f1")
    expect(browser.unnamed(), [], "parts without a name for assistive technology")
    asked = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('/source/')).length"
    expect(browser.run(asked), 1, "requests for one file")
    for i in range(len(hostile)):
        browser.press("Escape")
        browser.until(CHOOSE, f"f{i + 2}")
        browser.until(asked + " === arguments[0]", i + 3) if i < len(hostile) - 1 else browser.settle()
        browser.until("return document.getElementById('source-title').textContent === 'main prog.c:9'")  # the caller's

    def answer(path, host="127.0.0.1", method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.read()

    port, token = re.search(r":(\d+)/(\w+)/", url).groups()
    at = f"/{token}/source"
    expect(answer(f"{at}/0/{b'prog.c'.hex()}")[0], 200, "a file of the profile")
    for path in hostile:
        expect(answer(f"{at}/0/{path.encode().hex()}"), (200, b"[]"), f"what is sent of {path[:40]}")
    expect(answer(f"{at}/0/{b'other.c'.hex()}"), (200, b"[]"), "a file that the profile does not name")
    for wrong in ("", "/", "/0", "/0/", "/0/6", "/0/zz", "/0/612E63", "/0/read.c", "/0/../../read.c", "/0/%72ead.c", "/1/" + b"read.c".hex(),
                  "/-1/61", "/0x0/61", "/99999999999999999999/61", "/0/" + "61" * 4097, "/0/61?x=1/../2e"):
        status, body = answer(at + wrong)
        assert status in (404, 200) and body in (b"", b"[]"), (wrong, status, body)
    right = f"{at}/0/{b'read.c'.hex()}"
    expect(answer(right.replace(token, "0" * len(token)))[0], 404, "without the secret")
    expect(answer(right, host="evil.example")[0], 404, "another host")
    expect(answer(right, method="POST")[0], 405, "POST")
    growing.stop()
    profile.write_text(massif_of([f"{folder}/read.c:20", *(f"{path}:3" for path in hostile), f"{folder}/.git/x.c:3"]))
    browser.open(growing.start(word=profile))
    browser.until("return census.app.entry() && census.app.entry().profile && census.app.flame.bars.length > 3")
    browser.until(CHOOSE, "f0")
    browser.until("return document.querySelectorAll('#source-rows tr').length === 25")
    port, token = re.search(r":(\d+)/(\w+)/", growing.url).groups()
    for path in (*hostile, f"{folder}/.git/x.c", f"{folder}/prog.c"):
        status, body = answer(f"/{token}/source/0/{str(path).encode().hex()}")
        expect((status, body), (200, b"[]"), path)


# All bars: the frames from the top, the bytes, and the lines where the frame calls the next.
CALLS = """
    const {flame} = census.app, {order, stacks} = flame, bars = {};
    const visit = (node, path) => {
        bars[path.join('/')] = [flame.weightOf(node), flame.callText(node)];
        order.children(node).forEach((child) => visit(child, [...path, stacks.frames[child.frame].label]));
    };
    order.children(order.root).forEach((child) => visit(child, [stacks.frames[child.frame].label]));
    return bars;"""
HAS_CALLS = "return Boolean(window.census && census.app && census.app.flame.order && census.app.flame.stacks.places.some((place) => /worker.c:(9|11)$/.test(place)))"


SOURCE_TITLE = "return document.getElementById('source-title').textContent"
# As the server answers when all stacks with a name call from several lines.
SEVERAL_LINES = """
    const {stacks} = census.app.flame;
    stacks.takeCalls({places: [], calls: stacks.paths.map((path, name) => [name, ...path.map(() => 0)])});
    census.app.redraw();"""


def test_lines_of_calls(growing, browser):
    """The page of a finished recording has the calls of a page file, and the text around them; that of a growing one asks for those
    that all stacks with a name share, and gets the others at its end."""
    folder, page, log = (growing.directory / name for name in ("src", "page.html", "grows.eventlog"))
    folder.mkdir()
    (folder / "worker.c").write_text("".join(f"line {i}\n" for i in range(1, 60)))
    subprocess.run([growing.census, "plot", "--process=2", BUILD, "-o", page], check=True)
    browser.open(page.as_uri())
    browser.until(HAS_CALLS)
    browser.settle()
    wanted = browser.run(CALLS)
    assert any(re.search(r"worker.c:\d+ and 1 more$", places) for _, places in wanted.values()), wanted
    subprocess.run([growing.census, "convert", "--process=2", BUILD, "-o", log], check=True)
    whole = log.read_bytes()
    subprocess.run(["xz", "-k", log], check=True)
    with open(log, "wb", buffering=0) as file:
        file.write(whole[:len(whole) - 2])
        browser.open(growing.start(word=log, options=["--source", folder]))
        browser.until("return Boolean(window.census && census.app && census.app.flame.stacks && census.app.flame.bars.length > 2)")
        expect(browser.run(HAS_CALLS), False, "lines of calls while it grows, before a frame is chosen")
        browser.until(CHOOSE, "main")
        browser.until(HAS_CALLS)
        browser.settle()
        growing_calls = browser.run(CALLS)
        expect({path: wanted[path][1] for path in ("main/parse", "main/optimise")},
               {path: growing_calls[path][1] for path in ("main/parse", "main/optimise")}, "the calls while it grows")
        browser.until("return document.querySelectorAll('#source-rows tr.alone').length === 1")
        expect([row[1:] for row in browser.run(SOURCE_ROWS) if row[0] == "alone"], [["9", "line 9"]], "the call in main")
        expect(browser.run(SOURCE_TITLE), "main /tmp/format/f/worker.c:9", "its title")
        browser.run(SEVERAL_LINES)
        browser.until(SOURCE_TITLE + ".includes('several calls')")
        file.write(whole[-2:])
    browser.until(CALLS.replace("return bars", "return bars.main && bars.main[0] === arguments[0]"), wanted["main"][0])
    browser.settle()
    expect(browser.run(CALLS), wanted, "the calls at the end of a log")
    growing.stop()
    for word, options in ((f"{log}.xz", []), (BUILD, ["--process=2"])):
        browser.open(growing.start(word=word, options=["--source", folder, *options]))
        browser.until(HAS_CALLS)
        browser.settle()
        expect(browser.run(CALLS), wanted, f"the calls of {word}")
        browser.until(CHOOSE, "main")
        browser.until("return document.querySelectorAll('#source-rows tr.alone').length === 2")
        expect([row[1:] for row in browser.run(SOURCE_ROWS) if row[0] == "alone"], [["9", "line 9"], ["11", "line 11"]], "both calls in main")
        growing.stop()


@in_each_browser
def test_findings_lead_to_bands_and_lines(growing, browser):
    """A name of a finding selects its band, its stack at the peak, and the line of the program's own text."""
    text = growing.directory / "own.c"
    text.write_text("".join(f"line {i};\n" for i in range(1, 60)))
    stacks = (f" n1: 5000 0x1: keep (own.c:3)\n  n0: 5000 0xff: main ({text}:9)\n",
              f" n1: 900000 0x2: append (/usr/include/string.h:5)\n  n1: 900000 0x3: spike ({text}:30)\n   n0: 900000 0xff: main ({text}:9)\n")
    profile = growing.directory / "massif.out.1"
    profile.write_text("desc: --time-unit=ms\ncmd: ./prog\ntime_unit: ms\n" + "".join(
        f"#-----------\nsnapshot={i}\n#-----------\ntime={10 * i}\nmem_heap_B={total}\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
        f"heap_tree=detailed\nn{n}: {total} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n{''.join(stacks[:n])}"
        for i in range(60) for n in [2 if i == 20 else 1] for total in [905000 if n == 2 else 5000]))
    browser.metrics(800, 600)
    try:
        browser.open(growing.start(word=profile))
        browser.until("return document.querySelectorAll('#finding-rows li').length === 1")
        assert browser.text("#finding-rows .text").startswith("short peak: the peak of "), browser.text("#finding-rows")
        expect(browser.text("#below"), "↓ stacks, source and names", "what is below at 800 x 600")
        expect(browser.run("return document.getElementById('below').checkVisibility()"), True, "the hint")
        browser.press_button("#finding-rows .name")
        browser.until("return document.querySelector('#source-rows .alone') !== null")
        expect([row for row in browser.run(SOURCE_ROWS) if row[0] == "alone"], [["alone", "30", "line 30;"]], "the line of spike")
        assert "append" in browser.run("return census.app.entry().own.isolated"), "the band"
        expect(browser.run("return census.app.flame.labelOf({node: census.app.flame.zoomed})"), "spike", "the frame")
        browser.until("return !document.getElementById('below').checkVisibility()")
        expect(browser.unnamed(), [], "parts without a name for assistive technology")
    finally:
        browser.metrics(1280, 900)


def test_biography_of_a_running_program(growing, browser):
    """Bands are what is known so far, change with the program, and have the colours of the phases that they become."""
    running = growing.server = subprocess.Popen(
        [growing.census, "run", "-hb", "-i0.05", "--biography-rate=1K", "--watch", "--listen=127.0.0.1:0", "-o",
         growing.directory / "profile", "--", PROGRAM, "obeys"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    browser.open(re.search(rb"http://\S+", running.stderr.readline()).group(0).decode())
    colours = {}
    for command, phase in zip(b"mu.u.", ["NOT_YET_USED", "USE", "NOT_USED_SINCE", "USE", "NOT_USED_SINCE"]):
        running.stdin.write(bytes([command]))
        for _ in range(20 * PATIENCE_S):
            band = browser.run("""
                const panel = window.census && census.app && census.app.panel;
                const last = (b) => b.values[b.values.length - 1];
                const band = panel && panel.chart && panel.chart.bands.find((b) => last(b) > 2.5 * 2 ** 20);
                return band ? [band.name, band.colour] : null""")
            if band and band[0] == phase:
                break
            running.stdin.write(bytes([command if phase == "USE" else ord(".")]))
            time.sleep(0.05)
        expect(band and band[0], phase, "the largest band")
        colours[phase] = band[1]
    running.stdin.close()
    browser.until("""return census.app.entry().state === 'ended' &&
                     census.app.panel.chart.bands.some((band) => band.name === 'DRAG')""")
    final = browser.run("return Object.fromEntries(census.app.panel.chart.bands.map((b) => [b.name, b.colour]))")
    expect([colours["USE"], colours["NOT_USED_SINCE"]], [final["USE"], final["DRAG"]], "colours")
    expect(browser.complaints(without="net::ERR_"), [], "what the console says besides a lost connection")


@contextlib.contextmanager
def while_growing(census, directory, browser):
    with Growing(census, directory) as growing:
        try:
            yield growing, browser
        finally:
            browser.open("about:blank")


if __name__ == "__main__":
    sys.exit(run_tests(globals(), while_growing))
