# SPDX-License-Identifier: BSD-2-Clause
"""Firefox for tests, in place of the Chromium of browser.py. It is controlled through its own protocol, Marionette, whose
commands are those of WebDriver: messages `LENGTH:JSON` over TCP, without a driver in between."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from browser import PATIENCE_S, Browser, Problem, keep_port

COMMANDS = {"/url": "Navigate", "/execute/sync": "ExecuteScript", "/execute/async": "ExecuteAsyncScript",
            "/actions": "PerformActions"}
DARK = "layout.css.prefers-color-scheme.content-override"  # 0; 1 is light
SETTINGS = {"browser.shell.checkDefaultBrowser": False, "browser.download.folderList": 2,
            "browser.download.always_ask_before_handling_new_types": False, "browser.download.alwaysOpenPanel": False,
            "app.update.disabledForTesting": True, "datareporting.policy.dataSubmissionEnabled": False,
            "toolkit.startup.max_resumed_crashes": -1, "network.proxy.type": 0, "ui.prefersReducedMotion": 0,
            DARK: 1}


def find_firefox():
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox(Browser):
    def __init__(self, width=1280, height=900):
        self.directory = tempfile.mkdtemp(prefix="census-browser-")
        self.downloads = pathlib.Path(self.directory, "downloads")
        self.downloads.mkdir()
        self.session, self.number = None, 0
        keeper = keep_port()
        port = keeper.getsockname()[1]
        keeper.close()
        settings = {**SETTINGS, "marionette.port": port, "browser.download.dir": str(self.downloads)}
        pathlib.Path(self.directory, "user.js").write_text(
            "".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in settings.items()))
        self.process = subprocess.Popen(
            [find_firefox(), "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile",
             self.directory, "--width", "1400", "--height", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.link = self.connect(port)
            self.stream = self.link.makefile("rb")
            self.read()  # says what it is
            self.command("NewSession", capabilities={"timeouts": {"script": 1000 * PATIENCE_S}})
            self.session = ""
            self.metrics(width, height)
        except BaseException:
            self.close()
            raise

    def connect(self, port):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", port), 2 * PATIENCE_S)
            except OSError:
                time.sleep(0.05)
        raise Problem("Firefox did not start")

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- the protocol

    def read(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise Problem("Firefox has ended")
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def command(self, name, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, name if ":" in name else "WebDriver:" + name, parameters]).encode()
        self.link.sendall(b"%d:%s" % (len(text), text))
        _, _, error, value = self.read()
        if error:
            raise Problem(error["message"])
        return value.get("value", value)

    def post(self, path, **body):
        return self.command(COMMANDS[path], **body)

    def in_browser(self, script, *arguments):
        """Runs a script in the window of the browser, around the page."""
        self.command("Marionette:SetContext", value="chrome")
        try:
            return self.run(script, *arguments)
        finally:
            self.command("Marionette:SetContext", value="content")

    # --- actions of tests

    def metrics(self, width, height, scale=1):
        assert scale == 1
        self.in_browser("""
            for (const [side, size] of [["width", arguments[0]], ["height", arguments[1]]])
                for (const bound of ["", "min-", "max-"])
                    gBrowser.selectedBrowser.style.setProperty(bound + side, size + "px");""", width, height)

    def prefer_dark(self, is_dark):
        self.in_browser("Services.prefs.setIntPref(arguments[0], arguments[1])", DARK, 0 if is_dark else 1)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.command("TakeScreenshot", full=False)))

    def unnamed(self):
        return []  # only Chromium tells what assistive technology gets

    def complaints(self, without=None):
        """Of files and servers of tests: the browser itself has messages, too."""
        messages = self.in_browser("""
            const all = Services.console.getMessageArray().map((message) => message.message);
            Services.console.reset();
            return all;""")
        return [message for message in messages if ("file:///" in message or "http://127.0.0.1" in message)
                and not (without and without in message)]
