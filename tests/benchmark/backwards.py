"""Rows on going back in one rank of a recording, as a front end sees it: seconds from a packet of
gdb's protocol to its answer, without gdb's own time."""

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BASE = 0x555555554000  # of a program without address randomisation
BEGIN = "replaylog:begin"


class Rank:
    """A front end of one rank: packets and their answers (gdb's manual, "Remote Protocol")."""

    def __init__(self, bench, folder):
        self.path = os.path.join(bench.directory, "gdb.socket")
        self.process = subprocess.Popen(
            [bench.matchpoint, "replay", folder, "--rank", "0", "--listen", self.path],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        while not os.path.exists(self.path):
            if self.process.poll() is not None:
                sys.exit("the rank cannot be replayed")
            time.sleep(0.01)
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(self.path)
        self.heard = b""
        self.ask("QStartNoAckMode")
        self.connection.sendall(b"+")
        self.ask("?")

    def hear(self):
        while True:
            found = re.match(rb"[+]*\$([^#]*)#..", self.heard)
            if found:
                self.heard = self.heard[found.end():]
                return found.group(1).decode("latin-1")
            more = self.connection.recv(65536)
            if not more:
                sys.exit("the rank has gone")
            self.heard += more

    def ask(self, packet):
        data = packet.encode()
        self.connection.sendall(b"$%s#%02x" % (data, sum(data) & 255))
        answer = self.hear()
        while re.match(r"O[0-9a-f]{2}", answer):  # what matchpoint says
            answer = self.hear()
        return answer

    def move(self, packet):
        """Seconds until it stands again, and why it does."""
        begin = time.monotonic()
        answer = self.ask(packet)
        return time.monotonic() - begin, answer

    def go_to(self, call):
        self.ask("qRcmd," + ("goto %d" % call).encode().hex())
        return self.move("vCont;s")[0]

    def end(self):
        self.connection.close()
        self.process.wait()


def address_of(program, name):
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return BASE + int(re.search(r"^(\w+) T %s$" % name, symbols, re.MULTILINE).group(1), 16)


def going_back(rank, first):
    """(forward, back over all of it, the same again) in seconds."""
    forward, _ = rank.move("vCont;c")
    rank.ask("Z0,%x,1" % first)
    back, why = rank.move("bc")
    if BEGIN in why:
        sys.exit("the first function was not found")
    rank.move("vCont;c")
    again, _ = rank.move("bc")
    rank.ask("z0,%x,1" % first)
    return forward, back, again


def single_steps(rank, work):
    """(the first step back after a motion; those that follow), medians in seconds."""
    rank.ask("Z0,%x,1" % work)
    alone, known = [], []
    for _ in range(9):
        rank.move("vCont;c")
        for _ in range(400):
            rank.move("vCont;s")
        rank.move("vCont;c")
        alone.append(rank.move("bs")[0])
        rank.move("bs")
        known += [rank.move("bs")[0] for _ in range(100)]
    rank.ask("z0,%x,1" % work)
    return statistics.median(alone), statistics.median(known)


def returns(rank):
    """(to the first of 11 places; to the last), where the rank was before, medians in seconds."""
    first, last = 9, 99
    for call in range(first, last + 1, 9):
        rank.go_to(call)
    pairs = [(rank.go_to(first), rank.go_to(last)) for _ in range(25)]
    return tuple(statistics.median(one) for one in zip(*pairs))


def backwards(bench):
    program = bench.compile(bench.mpicc, os.path.join(HERE, "computes.c"))
    folder = os.path.join(bench.directory, "computes.recording")
    if not shutil.which("gdbserver"):
        print("no gdbserver here: going back is not measured")
        return
    subprocess.run([bench.matchpoint, "record", "-n", "2", "--to", folder, "--", program],
                   check=True, capture_output=True)
    ratios = []
    for _ in range(bench.repeat):
        rank = Rank(bench, folder)
        forward, back, again = going_back(rank, address_of(program, "begins"))
        ratios.append((back / forward, again / forward))
        rank.end()
    back, again = (statistics.median(one) for one in zip(*ratios))
    bench.row("back over 100 calls / forwards, nothing kept before", "<= 8", "%.2f" % back,
              back <= 8)
    bench.row("the same once more", "<= 1.5", "%.2f" % again, again <= 1.5)
    rank = Rank(bench, folder)
    alone, known = single_steps(rank, address_of(program, "work"))
    rank.go_to(1)
    first, last = returns(rank)
    rank.end()
    bench.row("one instruction back, the first; those before it", "<= 150 ms; <= 1 ms",
              "%.1f ms; %.2f ms" % (alone * 1e3, known * 1e3), alone <= 0.15 and known <= 0.001)
    bench.row("to the 11th place that was visited / to the 1st", "<= 1.05",
              "%.2f" % (last / first), last / first <= 1.05)
