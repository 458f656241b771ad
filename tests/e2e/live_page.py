"""A session of matchpoint debug --web for tests: its output (Session), what a page gets over its
websocket (Page, without a browser), and the page in a browser (Watched)."""

import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import urllib.parse
import uuid

import harness
from harness import check

PATIENCE = 60
TEXT, CLOSE = 1, 8
STATE = """
const live = window.matchpoint.live, figure = window.matchpoint.figures[0];
return [live.stop.state, live.writes === true, figure ? figure.view.graph.count : 0,
    figure ? figure.view.graph.offers.length : 0, live.text.textContent]"""


class Session:
    """matchpoint debug --web, with its output."""

    begun = []  # all sessions, to be ended if the test fails

    def __init__(self, tool, *arguments, web=True):
        self.tool = tool
        self.mark = uuid.uuid4().hex
        self.text = ""
        environment = dict(os.environ, HOME=tool.directory, **{harness.MARK: self.mark})
        self.process = subprocess.Popen(
            [tool.matchpoint, "debug", *(["--web"] if web else []), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=environment, cwd=tool.directory, start_new_session=True)
        Session.begun.append(self)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.url = web and self.expect(r"page: (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/)\n")

    def read(self):
        for line in iter(lambda: self.process.stdout.read1(65536), b""):
            self.text += line.decode(errors="replace")

    def expect(self, pattern, count=1):
        """The pattern's group, once the output has the pattern `count` times."""
        patience = harness.Patience(PATIENCE)
        while True:
            found = re.findall(pattern, self.text)
            if len(found) >= count:
                return found[-1]
            if patience.has_ended() or self.process.poll() is not None:
                self.end()
                check(False, "%s does not come: %r" % (pattern, self.text))
            time.sleep(0.005)

    def type(self, line):
        self.process.stdin.write((line + "\n").encode())
        self.process.stdin.flush()

    def wait(self, status):
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        check(self.process.poll() == status, "exit status %s, not %s: %r" % (
            self.process.poll(), status, self.text))
        self.reader.join()
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.stdout.close()
        self.tool.check_clean(self.process.pid, self.mark, self.text)

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.tool.end_marked(self.mark)


class Page:
    """A page without a browser: its websocket (RFC 6455), and what it received."""

    def __init__(self, url, origin=None, host=None, path=None, protocol="matchpoint"):
        parts = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), PATIENCE)
        self.bytes = b""
        self.told = {}
        self.messages = 0
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET %s HTTP/1.1" % (path or parts.path + "session"),
                 "Host: " + (host or parts.netloc), "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Key: " + key, "Sec-WebSocket-Version: 13"]
        if protocol:
            lines.append("Sec-WebSocket-Protocol: " + protocol)
        if origin != "":
            lines.append("Origin: " + (origin or "http://" + parts.netloc))
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        head = self.until(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else 0

    def until(self, end):
        while end not in self.bytes:
            if not self.receive():
                return b""
        head, _, self.bytes = self.bytes.partition(end)
        return head

    def receive(self):
        try:
            some = self.socket.recv(65536)
        except ConnectionError:
            some = b""
        self.bytes += some
        return bool(some)

    def frame(self):
        """The next frame: its kind and its bytes. None: the connection was closed."""
        while True:
            if len(self.bytes) >= 2:
                length, at = self.bytes[1] & 127, 2
                if length == 126:
                    length, at = int.from_bytes(self.bytes[2:4], "big"), 4
                elif length == 127:
                    length, at = int.from_bytes(self.bytes[2:10], "big"), 10
                if len(self.bytes) >= at + length:
                    kind, body = self.bytes[0], self.bytes[at:at + length]
                    self.bytes = self.bytes[at + length:]
                    return kind, body
            if not self.receive():
                return None

    def hear(self):
        """The next whole message."""
        body = b""
        while True:
            got = self.frame()
            if not got or got[0] & 15 == CLOSE:
                return None
            body += got[1]
            if got[0] & 128:
                break
        self.messages += 1
        return json.loads(body)

    def until_told(self, condition, text):
        """Receives messages until the condition holds."""
        told = self.told
        while True:
            if told and condition(told):
                return
            message = self.hear()
            check(message is not None, "the page is closed before %s: %s" % (text, told))
            if "begins" in message:
                for name in ("calls", "matches", "choices"):
                    told.pop(name, None)
            for name, value in message.items():
                if name in ("now", "stop", "ranks", "writes", "pages", "title", "begins",
                            "leftOut", "contents"):
                    told[name] = value
                elif name == "calls":
                    for rank, *shapes in value:
                        told.setdefault("calls", {}).setdefault(rank, []).extend(shapes)
                elif isinstance(value, list):
                    told.setdefault(name, []).extend(value)
                else:
                    told[name] = told.get(name, "") + value

    def send(self, body, kind=TEXT, final=True, masked=True):
        mask = os.urandom(4)
        head = bytes([kind | (128 if final else 0)])
        flag = 128 if masked else 0
        if len(body) < 126:
            head += bytes([flag | len(body)])
        elif len(body) < 65536:
            head += bytes([flag | 126]) + struct.pack(">H", len(body))
        else:
            head += bytes([flag | 127]) + struct.pack(">Q", len(body))
        if masked:
            body = mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(body))
        try:
            self.socket.sendall(head + body)
        except ConnectionError:
            pass

    def say(self, line):
        self.send(b"say " + line.encode())

    def close(self, abruptly=False):
        if abruptly:  # a reset
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class Watched:
    """The page in a browser."""

    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        browser.open(session.url)

    def until(self, condition, text):
        patience = harness.Patience(PATIENCE)
        while True:
            state = self.browser.run(STATE)
            if condition(*state):
                return state
            check(not patience.has_ended(), "the page does not show %s: %s" % (text, state))
            time.sleep(0.02)

    def press(self, line):
        self.browser.run("document.querySelector('.words [data-line=\"%s\"]').click()" % line)


def check_complaints(browser):
    """The browser has nothing to complain of, but connections that end with their session."""
    complaints = [line for line in browser.complaints() if "WebSocket" not in line]
    check(not complaints, "the browser complains:\n%s" % "\n".join(complaints))


def main(documentation, body):
    """harness.main(), with the sessions ended that are left if the test fails."""
    try:
        harness.main(documentation, body)
    finally:
        for left in Session.begun:
            left.end()
