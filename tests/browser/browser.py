# SPDX-License-Identifier: BSD-2-Clause
"""A browser for tests: Chromium, controlled through chromedriver and the WebDriver protocol (W3C), with
only the standard library of Python."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE_S = 240  # for what must happen; a loaded machine is slow, not wrong
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--force-color-profile=srgb"]
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Tab": "\ue004", "Shift": "\ue008"}


def find_driver():
    """Returns the paths of chromedriver and chromium, or None for a missing one."""
    driver = shutil.which("chromedriver") or shutil.which("chromedriver", path="/usr/lib/chromium")
    chromium = shutil.which("chromium")
    return (driver, chromium) if driver and chromium else None


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def keep_port():
    """Returns a socket that reserves a port of 127.0.0.1 for servers that are started one after another."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    return keeper


class Problem(Exception):
    """An error of the driver or the page."""


class Browser:
    """A browser window. As a context manager it ends the browser and its driver, and removes their files."""

    def __init__(self, width=1280, height=900, scale=1, dark=False):
        self.directory = tempfile.mkdtemp(prefix="census-browser-")
        self.downloads = pathlib.Path(self.directory, "downloads")
        self.downloads.mkdir()
        driver, chromium = find_driver()
        self.base = f"http://127.0.0.1:{self.start(driver)}"
        arguments = FLAGS + [f"--user-data-dir={self.directory}/profile", f"--window-size={width},{height}",
                             f"--force-device-scale-factor={scale}"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        options = {"binary": chromium, "args": arguments,
                   "prefs": {"download.default_directory": str(self.downloads),
                             "profile.default_content_setting_values.automatic_downloads": 1}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = None
        try:
            answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = f"/session/{answer['sessionId']}"
            self.debugger = answer["capabilities"]["goog:chromeOptions"]["debuggerAddress"]
            self.metrics(width, height, scale)
        except BaseException:
            self.close()
            raise

    def start(self, driver):
        """Returns the port of the driver. It takes one that is free for IPv4, and ends if that is in use for IPv6."""
        for _ in range(10):
            self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            text=True)
            for line in self.process.stdout:
                if "successfully on port " in line:
                    return line.rsplit(" on port ", 1)[1].strip(" .\n")
            self.process.wait()
        raise Problem("chromedriver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.session:
                self.send("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()
            shutil.rmtree(self.directory, ignore_errors=True)

    # --- the protocol

    def send(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with OPENER.open(request, timeout=2 * PATIENCE_S) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise Problem(json.load(error)["value"]["message"]) from None

    def post(self, path, **body):
        return self.send("POST", self.session + path, body)

    def cdp(self, command, **parameters):
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    # --- actions of tests

    def metrics(self, width, height, scale=1):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                 mobile=False)

    def prefer_dark(self, is_dark):
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark"}] if is_dark else [])

    def open(self, url):
        self.post("/url", url=str(url))

    def run(self, script, *arguments):
        return self.post("/execute/sync", script=script, args=list(arguments))

    def settle(self):
        """Waits until the page has been drawn again."""
        self.post("/execute/async", args=[], script="""
            const done = arguments[0];
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));""")

    def until(self, script, *arguments):
        """Runs the script until it returns a true value, and returns that."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.05)
        raise Problem(f"did not happen: {script}")

    def act(self, *actions, kind="pointer"):
        source = {"type": kind, "id": kind, "actions": list(actions)}
        if kind == "pointer":
            source["parameters"] = {"pointerType": "mouse"}
        self.post("/actions", actions=[source])
        self.settle()

    def move(self, x, y):
        self.act(_move(x, y))

    def click(self, x, y):
        self.act(_move(x, y), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def drag(self, x0, y0, x1, y1):
        self.act(_move(x0, y0), {"type": "pointerDown", "button": 0}, _move((x0 + x1) // 2, y1), _move(x1, y1),
                 {"type": "pointerUp", "button": 0})

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.act(*actions, kind="key")

    def type_into(self, selector, text):
        self.run("const e = document.querySelector(arguments[0]); e.focus(); e.value = arguments[1];"
                 "e.dispatchEvent(new Event('input', {bubbles: true}));", selector, text)
        self.settle()

    def press_button(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def text(self, selector):
        return self.run("const e = document.querySelector(arguments[0]); return e ? e.textContent : null;", selector)

    def screenshot(self, path):
        picture = self.send("GET", self.session + "/screenshot")
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def downloaded(self, name):
        """Returns the bytes of a file that the page offered for download."""
        end = time.monotonic() + PATIENCE_S
        path = self.downloads / name
        while time.monotonic() < end:
            if path.exists() and path.stat().st_size > 0:
                return path.read_bytes()
            time.sleep(0.05)
        raise Problem(f"no {name} was downloaded, but {[p.name for p in self.downloads.iterdir()]}")

    def accessible(self):
        """Returns what assistive technology gets of the page: {role, name, and properties such as focusable}."""
        nodes = self.cdp("Accessibility.getFullAXTree")["nodes"]
        value = lambda node, key: (node.get(key) or {}).get("value") or ""  # noqa: E731
        return [{"role": value(node, "role"), "name": value(node, "name").strip(),
                 **{p["name"]: p["value"].get("value") for p in node.get("properties", [])}}
                for node in nodes if not node.get("ignored")]

    def unnamed(self):
        """Returns parts of the page that can have the focus, or that have parts, without a name or with a sign in it."""
        nodes, areas = self.accessible(), {"table", "treegrid", "region", "tabpanel", "radiogroup", "tablist", "dialog"}
        return [node for node in nodes if (node.get("focusable") or node["role"] in areas)
                and (not node["name"] or set(node["name"]) & set("▾▸↓↑✕"))]

    def complaints(self, without=None):
        """Returns the warnings and errors of the console, except messages that contain `without`."""
        entries = self.post("/se/log", type="browser")
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")
                and not (without and without in entry["message"])]


def _move(x, y):
    return {"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}


# --- the tests of a file

SKIPPED = 77


def expect(actual, wanted, what):
    assert actual == wanted, f"{what}: {actual!r}, not {wanted!r}"


def find_browser():
    """Returns the class of the browser, or None if it is not installed. $CENSUS_BROWSER is chromium or firefox."""
    if os.environ.get("CENSUS_BROWSER") != "firefox":
        return Browser if find_driver() else None
    import firefox  # which imports this file
    return firefox.Firefox if firefox.find_firefox() else None


def in_each_browser(test):
    """Marks a test of what browsers do in their own ways: events, focus, measures of texts, pixels, addresses, downloads,
    connections. Firefox runs these only; what the script calculates is the same in all browsers."""
    test.is_in_each_browser = True
    return test


def run_tests(functions, stage, without=None):
    """Runs the functions test_NAME of a file, all of them for this browser or those that the command line names after
    census. Each gets what `stage(census, directory, browser)`, a context, gives it, and must leave nothing in the console
    but messages that contain `without`. Returns the exit status."""
    census, wanted = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    kind = find_browser()
    if not kind:
        print("skipped: the browser is not installed")
        return SKIPPED
    tests = {name[5:]: test for name, test in functions.items() if name.startswith("test_")}
    own = [name for name, test in tests.items() if kind is Browser or hasattr(test, "is_in_each_browser")]
    failed = []
    with kind() as browser:
        for name in wanted or own:
            with tempfile.TemporaryDirectory() as directory:
                try:
                    with stage(census, directory, browser) as arguments:
                        tests[name](*arguments)
                        expect(browser.complaints(without), [], "the console")
                    print(f"ok      {name}", flush=True)
                except Exception as problem:  # each test says its own
                    failed.append(name)
                    print(f"FAILED  {name}: {type(problem).__name__}: {problem}", flush=True)
                browser.complaints()
    print(f"{len(failed)} failed" if failed else "all passed")
    return 1 if failed else 0
