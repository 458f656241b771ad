"""Rows of the benchmark for interactive sessions: at the prompt, and in a browser."""

import os
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


DRAWS = """
const view = window.matchpoint.figures[0].view, done = arguments[0], begin = performance.now();
let frames = 0;
const frame = (now) => {
    frames++;
    view.moveBy(0, 26 * (frames % 2 ? 20 : -20));
    view.drawNow();
    if (now - begin < 1000) requestAnimationFrame(frame);
    else done(frames * 1000 / (performance.now() - begin));
};
requestAnimationFrame(frame)"""
CLICK = """
const view = window.matchpoint.figures[0].view, done = arguments[0], begin = performance.now();
const node = view.graph.count >> 1;
view.goTo(node);
view.drawNow();
view.canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: 0, clientY: 0 }));
view.select(view.at(view.nodeX(node), view.markY(node)));
requestAnimationFrame(() => requestAnimationFrame(() =>
    done(view.selected === node ? (performance.now() - begin) / 1000 : 9)))"""


def web(bench):
    """A session of 100,000 calls at full speed: alone, with a page that reads everything, and in a
    browser."""
    sys.path.insert(0, os.path.join(HERE, "../e2e"))
    import browser as browsers
    import harness
    import live_page
    tool = harness.Tool(bench.matchpoint, bench.mpicc)
    command = ("-n", "4", "--buffering", "infinite", bench.workload, "exchange", "25000", "8")

    def session(page=False, browser=None):
        """Seconds from run to the end, as the program prints them."""
        one = live_page.Session(tool, *command, web=bool(page or browser))
        reader = page and live_page.Page(one.url)
        if reader:
            thread = threading.Thread(
                target=lambda: [None for _ in iter(reader.frame, None)], daemon=True)
            thread.start()
        if browser:
            browser.open(one.url)
        begin = time.monotonic()
        one.type("run")
        while "stopped: " not in one.text:
            if one.process.poll() is not None or time.monotonic() - begin > 120:
                sys.exit(one.text)
            time.sleep(0.002)
        seconds = time.monotonic() - begin
        shown = None
        if browser:
            while browser.run("return Number(document.documentElement.dataset.calls)") < 100000:
                time.sleep(0.05)
            shown = (browser.call("POST", "/execute/async", {"script": DRAWS, "args": []}),
                     browser.call("POST", "/execute/async", {"script": CLICK, "args": []}))
        one.type("quit")
        one.wait(0)
        return (seconds, *shown) if shown else seconds

    def ratio():
        alone, read = session(), session(page=True)
        ratio.text = "%.2f s / %.2f s" % (alone, read)
        return alone / read
    value = bench.median(ratio)
    bench.row("session of 100,000 calls: without a page / with", ">= 0.8",
              "%.2f (%s)" % (value, ratio.text), value >= 0.8)
    browser = browsers.Browser(os.path.join(bench.directory, "browser"))
    try:
        alone, (seconds, frames, click) = session(), session(browser=browser)
    finally:
        browser.close()
        tool.close()
    bench.row("the same: without / in a browser on this machine", ">= 0.8",
              "%.2f (%.2f s / %.2f s)" % (alone / seconds, alone, seconds), alone / seconds >= 0.8)
    bench.row("its frames a second, 100,000 calls", ">= 20", "%.0f" % frames, frames >= 20)
    bench.row("a click on a call is answered", "<= 0.2 s", "%.2f s" % click, click <= 0.2)


class Prompt:
    """matchpoint debug, connected by pipes."""

    place = None  # the first word of its last stop

    def __init__(self, bench, ranks, *command):
        self.process = subprocess.Popen(
            [bench.matchpoint, "debug", "-n", str(ranks), "--", *command], cwd=bench.directory,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def say(self, line, until="stopped: "):
        """Seconds until a line that starts with `until`."""
        begin = time.monotonic()
        self.process.stdin.write(line + "\n")
        for told in self.process.stdout:
            if told.startswith("stopped: "):
                self.place = told.split()[1]
            if until in told:
                return time.monotonic() - begin
        sys.exit("%s: no answer" % line)

    def count(self, line, last, what):
        """The number of lines of the answer, up to one that starts with `last`, that contain
        `what`."""
        count = 0
        self.process.stdin.write(line + "\n")
        for told in self.process.stdout:
            count += what in told
            if last in told:
                return count
        sys.exit("%s: no answer" % line)

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def step(bench):
    _, report = bench.explore(1, bench.workload, "calls", "20000", verb="run")
    call = float(report["executions"][0]["output"][0]) * 1e-6
    session = Prompt(bench, 4, bench.workload, "behind", "0", "1000")
    session.say("run")
    session.say("rollback 1.2")
    seconds = statistics.median(session.say("step 1") for _ in range(200))
    session.end()
    bench.row("step of one rank, 4 ranks, prompt to prompt / a call", "<= 3",
              "%.1f (%.0f us / %.0f us)" % (seconds / call, seconds * 1e6, call * 1e6),
              seconds / call <= 3)


def back(bench):
    plain = bench.median(lambda: bench.plain(4, bench.workload, "behind", "0", "0")[0])
    session = Prompt(bench, 4, bench.workload, "behind", "0", "0")
    session.say("run")
    times = []
    for _ in range(9):
        session.say("1")
        times.append(session.say("back"))
    session.end()
    seconds = statistics.median(times)
    bench.row("back to the stop before, 4 ranks / one mpiexec", "<= 1/10",
              "1/%.0f (%.1f ms)" % (plain / seconds, seconds * 1e3), seconds <= plain / 10)


def rollback(bench):
    plain = bench.median(lambda: bench.plain(4, bench.workload, "behind", "2", "10000")[0])
    session = Prompt(bench, 4, bench.workload, "behind", "2", "10000")
    session.say("run")
    times = []
    for call in (2, 5000, 9000):
        times.append(session.say("rollback 1.%d" % call))
        session.say("back")
    session.end()
    bench.row("rollback across 10,000 calls behind 2 s / a run", "<= 1/10",
              "1/%.0f (%s s)" % (plain / max(times), ", ".join("%.2f" % t for t in times)),
              max(times) <= plain / 10)


def print_values(bench):
    """Values from a rank where gdb was used before: at the same stop, and at another one."""
    session = Prompt(bench, 4, bench.workload, "behind", "0", "0")
    session.say("run")
    session.say("print 0 rank", "$")
    same = statistics.median(session.say("print 0 rank", "$") for _ in range(9))
    times = []
    for _ in range(9):
        session.say("1")
        session.say("back")
        times.append(session.say("print 0 rank", "$"))
    session.end()
    for where, seconds in (("again", same), ("having gone elsewhere", statistics.median(times))):
        bench.row("print of a variable, " + where, "<= 0.2 s", "%.3f s" % seconds, seconds <= 0.2)


def taken_by(process):
    """Bytes and processes of a session. Bytes are the PSS of its processes (memory shared by n
    processes counts one nth each) and its run directory with files that no process maps."""
    pids, bytes_taken, todo = [], 0, [process.pid]
    while todo:
        pids.append(todo.pop())
        for task in os.listdir("/proc/%d/task" % pids[-1]):
            with open("/proc/%d/task/%s/children" % (pids[-1], task)) as children:
                todo += map(int, children.read().split())
    for pid in pids:
        with open("/proc/%d/smaps_rollup" % pid) as rollup:
            bytes_taken += 1024 * int(rollup.read().split("\nPss:")[1].split()[0])
    for directory in os.listdir("/dev/shm"):
        if directory.startswith("matchpoint-%d-" % process.pid):
            for where, _, files in os.walk(os.path.join("/dev/shm", directory)):
                for name in files:
                    bytes_taken += 512 * os.lstat(os.path.join(where, name)).st_blocks
    return bytes_taken, len(pids)


def checkpoints(bench):
    """1,000 checkpoints of 8 ranks with 10 MB each, one at each stop. All are kept, and the
    session returns to one in the middle."""
    count = 1000
    session = Prompt(bench, 8, bench.workload, "holds", "400", "10")
    session.say("run")
    begin = time.monotonic()
    for number in range(count):
        session.say("checkpoint", "checkpoint %d:" % (number + 1))
        session.say("1")
    seconds = time.monotonic() - begin
    taken, processes = taken_by(session.process)
    live = session.count("info checkpoints", "checkpoint %d:" % count, ", a snapshot")
    back_seconds = session.say("restart %d" % (count // 2))
    session.end()
    bench.row("1,000 checkpoints of 8 ranks with 10 MB each", "<= 4 GB",
              "%.2f GB, %d processes, %.0f s" % (taken / 1e9, processes, seconds),
              taken <= 4e9)
    bench.row("of these, there as snapshots", "1000", "%d" % live, live == count)
    bench.row("restart of the one in the middle", "<= 0.5 s", "%.3f s" % back_seconds,
              back_seconds <= 0.5)


def prompt(bench):
    """The time from one line at the prompt to the next."""
    step(bench)
    back(bench)
    rollback(bench)
    print_values(bench)
