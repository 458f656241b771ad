"""Headless Chromium through its driver, for tests of pages. Standard library only."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

from harness import Failed, check

SKIP = 77


def need():
    """Ends the test as skipped if there is no browser."""
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skipped: chromium and chromedriver (Debian: chromium, chromium-driver) are missing")
        sys.exit(SKIP)


class Browser:
    """The part of WebDriver (www.w3.org/TR/webdriver2) that the tests use."""

    def __init__(self, directory):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True,
                                        start_new_session=True)
        self.session = None
        self.address = None
        try:
            self.start(directory)
        except (Failed, OSError):
            self.close()
            raise

    def start(self, directory):
        for line in self.process.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                self.address = "http://127.0.0.1:%s/session" % found.group(1)
                break
        check(self.address, "chromedriver does not start")
        options = {"args": ["--headless", "--no-sandbox", "--disable-gpu",
                            "--window-size=1200,1000", "--user-data-dir=" + directory]}
        made = self.call("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = made["sessionId"]

    def call(self, method, path, body=None):
        url = self.address + ("/" + self.session if self.session else "") + path
        request = urllib.request.Request(url, method=method, data=json.dumps(body or {}).encode()
                                         if method == "POST" else None)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed("%s %s: %s" % (method, path, error.read().decode()[:600])) from None

    def open(self, file):
        self.call("POST", "/url", {"url": file if "://" in file else "file://" + file})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def resize(self, width, height):
        """Sets the size of the window, and waits until the page is drawn in it."""
        self.call("POST", "/window/rect", {"width": width, "height": height})
        self.call("POST", "/execute/async", {"args": [width], "script":
                  "const [width, done] = arguments;"
                  "const look = () => window.innerWidth === width"
                  " ? requestAnimationFrame(() => requestAnimationFrame(() => done()))"
                  " : requestAnimationFrame(look); look();"})

    def click(self, x, y):
        """Clicks at a point of the first graph."""
        left, top = self.run("const b = document.querySelector('.graph canvas');"
                             "b.scrollIntoView({block: 'center', behavior: 'instant'});"
                             "const r = b.getBoundingClientRect(); return [r.left, r.top]")
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "actions": [
                {"type": "pointerMove", "x": round(left + x), "y": round(top + y)},
                {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def press(self, key):
        self.call("POST", "/actions", {"actions": [{
            "type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def processor_time(self):
        """Seconds that the processes of the browser have computed."""
        parents, computed = {}, {}
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with contextlib.suppress(OSError), open("/proc/%d/stat" % pid) as stat:
                fields = stat.read().rpartition(")")[2].split()
                parents[pid] = int(fields[1])
                computed[pid] = int(fields[11]) + int(fields[12])
        own = {self.process.pid}
        for _ in range(10):  # deeper than they are nested
            own |= {pid for pid, parent in parents.items() if parent in own}
        return sum(computed.get(pid, 0) for pid in own) / os.sysconf("SC_CLK_TCK")

    def complaints(self):
        """The browser's complaints, except those about this test's own reading of pixels."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("WARNING", "SEVERE")
                and "readback operations using getImageData" not in entry["message"]]

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        except (Failed, OSError):
            pass
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
