"""A client of the Debug Adapter Protocol, for tests of `matchpoint dap`."""

import json
import os
import select
import subprocess
import time
import uuid

from harness import Failed, Patience, check, check_soon, communicate

SECONDS = 60


class Client:
    """One adapter, started like an editor does. What it sends is kept in order."""

    def __init__(self, tool, environment=None):
        self.tool, self.mark = tool, uuid.uuid4().hex
        self.process = tool.start(["dap"], self.mark, environment, stdin=subprocess.PIPE)
        self.buffer, self.sequence = b"", 0
        self.messages = []  # all that has come
        self.seen = 0  # how many of them `event` has passed

    # --- sending -------------------------------------------------------------------------------

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, arguments=None):
        self.sequence += 1
        message = {"seq": self.sequence, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.sequence

    # --- receiving -----------------------------------------------------------------------------

    def read_message(self):
        """Reads one message, and keeps it."""
        patience = Patience(SECONDS)
        while True:
            head, end, rest = self.buffer.partition(b"\r\n\r\n")
            if end:
                size = int(head.split(b":")[1])
                if len(rest) >= size:
                    self.buffer = rest[size:]
                    self.messages.append(json.loads(rest[:size].decode()))
                    return self.messages[-1]
            if not select.select([self.process.stdout], [], [], 1)[0]:
                check(not patience.has_ended(), "nothing comes after: %s" % self.messages[-5:])
                continue
            data = os.read(self.process.stdout.fileno(), 65536)
            check(data, "the adapter has ended after: %s" % self.messages[-5:])
            self.buffer += data

    def response(self, number):
        while True:
            for message in self.messages:
                if message["type"] == "response" and message["request_seq"] == number:
                    return message
            self.read_message()

    def ask(self, command, **arguments):
        """The body of the response to a request, which must be granted."""
        done = self.response(self.send(command, arguments))
        check(done["success"] and done["command"] == command, "%s %s: %s" % (
            command, arguments, done))
        return done["body"]

    def refused(self, command, **arguments):
        """The message of the response to a request, which must be refused."""
        done = self.response(self.send(command, arguments))
        check(not done["success"] and done["message"], "%s %s: %s" % (command, arguments, done))
        return done["message"]

    def event(self, name):
        """The body of the next event of that name."""
        while True:
            while self.seen < len(self.messages):
                self.seen += 1
                message = self.messages[self.seen - 1]
                if message["type"] == "event" and message["event"] == name:
                    return message.get("body", {})
            self.read_message()

    def output(self, category):
        return "".join(message["body"]["output"] for message in self.messages
                       if message.get("event") == "output"
                       and message["body"]["category"] == category)

    # --- steps of a session --------------------------------------------------------------------

    def launch(self, folder, rank, **more):
        self.ask("initialize", adapterID="matchpoint", linesStartAt1=True)
        self.ask("launch", recording=folder, rank=rank, gdbArguments=["-nx"], **more)
        self.event("initialized")

    def go(self, command, reason, **arguments):
        """Moves the rank, and returns the event of its stop."""
        self.ask(command, threadId=1, **arguments)
        stop = self.event("stopped")
        check(stop["reason"] == reason, "%s: %s, not %s" % (command, stop, reason))
        return stop

    def frames(self):
        return self.ask("stackTrace", threadId=1)["stackFrames"]

    def check_at(self, function, line):
        frame = self.frames()[0]
        check(frame["name"] == function and frame["line"] == line, str(frame))
        return frame

    def value(self, expression, frame=None, context="watch"):
        more = {} if frame is None else {"frameId": frame["id"]}
        return self.ask("evaluate", expression=expression, context=context, **more)["result"]

    def scope(self, frame, name):
        """The variables of a scope by their names."""
        scopes = self.ask("scopes", frameId=frame["id"])["scopes"]
        found = [scope for scope in scopes if scope["name"].startswith(name)]
        check(len(found) == 1, str(scopes))
        return self.parts(found[0]["variablesReference"])

    def parts(self, reference, **arguments):
        shown = self.ask("variables", variablesReference=reference, **arguments)["variables"]
        return {one["name"]: one for one in shown}

    # --- the end -------------------------------------------------------------------------------

    def wait(self, status, words, limit=20):
        """Waits for its end, which must leave nothing. Returns its standard error."""
        begin = time.monotonic()
        try:
            _, error = communicate(self.process, SECONDS, "%s: the adapter" % words)
        except Failed:
            self.tool.end_marked(self.mark)
            raise
        check_soon(time.monotonic() - begin, limit, words)
        self.tool.check_no_processes(self.mark, words)
        if status is not None:
            check(self.process.returncode == status, "%s: status %d: %s" % (
                words, self.process.returncode, error))
        return error.decode()

    def end(self):
        self.ask("disconnect")
        return self.wait(0, "the client has disconnected")
