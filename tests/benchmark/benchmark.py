"""Measures matchpoint's performance goals, as ratios within one run, and prints a table.

python3 tests/benchmark/benchmark.py --matchpoint build/release/matchpoint [NAME...]

Not a test: results from a loaded machine mean little. Standard library only."""

import argparse
import importlib
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from backwards import backwards
from cluster import cluster
from disk import disk
from interactive import checkpoints, prompt, web
from recording import recording
from worlds import shards, spawn

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")


class Bench:
    def __init__(self, options, directory):
        self.matchpoint = os.path.abspath(options.matchpoint)
        self.mpicc = options.mpicc
        self.mpiexec = options.mpiexec
        self.repeat = options.repeat
        self.directory = directory
        self.rows = []
        self.workload = self.compile(self.mpicc, os.path.join(HERE, "workload.c"))
        self.master_worker = self.compile(self.mpicc, os.path.join(EXAMPLES, "master_worker.c"))
        self.polling = self.compile(self.mpicc, os.path.join(HERE, "polling.c"))
        self.small_calls = self.compile(self.mpicc, os.path.join(HERE, "small_calls.c"))
        self.ping_pong = self.compile("cc", os.path.join(HERE, "ping_pong.c"))

    def compile(self, compiler, source):
        program = os.path.join(self.directory, os.path.basename(source)[:-2])
        subprocess.run([compiler, "-O2", "-g", source, "-o", program], check=True)
        return program

    def time(self, command, **environment):
        begin = time.monotonic()
        done = subprocess.run(command, cwd=self.directory, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})
        return time.monotonic() - begin, done

    def plain(self, ranks, *command):
        seconds, done = self.time([self.mpiexec, "-n", str(ranks), *command])
        if done.returncode:
            sys.exit("%s: %s" % (command, done.stderr))
        return seconds, done.stdout

    def explore(self, ranks, *command, buffering="zero", verb="explore", options=()):
        seconds, done = self.time([self.matchpoint, verb, "-n", str(ranks), "--buffering",
                                   buffering, *options, "--json", "out.json", "--", *command])
        if done.returncode:
            sys.exit("%s: %s %s" % (command, done.stdout, done.stderr))
        with open(os.path.join(self.directory, "out.json")) as file:
            return seconds, json.load(file)

    def median(self, function):
        return statistics.median(function() for _ in range(self.repeat))

    @staticmethod
    def borrow(name, row):
        """A module of the end-to-end tests; None, with the reason, where what it makes cannot be
        made."""
        sys.path.insert(0, os.path.join(HERE, "../e2e"))
        module = importlib.import_module(name)
        why = module.obstacle()
        if why:
            print("%s: not measured: %s" % (row, why))
        return None if why else module

    def row(self, what, figure, got, good):
        self.rows.append((what, figure, got, "yes" if good else "NO"))
        print("%-58s %-18s %-26s %s" % self.rows[-1], flush=True)


def senders(bench):
    for ranks in (3, 4, 5, 6):
        for buffering in ("zero", "infinite"):
            _, report = bench.explore(ranks, bench.workload, "senders", buffering=buffering)
            expected = math.factorial(ranks - 1)
            bench.row("interleavings of %d senders, %s" % (ranks - 1, buffering),
                      "%d, wasted 0" % expected,
                      "%d, wasted %d" % (report["interleavings"], report["wasted"]),
                      report["interleavings"] == expected and report["wasted"] == 0)


def master_worker(bench):
    for tasks in (4, 6, 8):
        _, report = bench.explore(3, bench.master_worker, str(tasks))
        bench.row("interleavings of a master, 2 workers, %d tasks" % tasks, str(2 ** (tasks - 1)),
                  "%d, wasted %d" % (report["interleavings"], report["wasted"]),
                  report["interleavings"] == 2 ** (tasks - 1) and report["wasted"] == 0)


def snapshot(bench):
    """216 interleavings of 3 rounds, minus the time of the first."""
    def ratio():
        alone, _ = bench.explore(4, bench.workload, "rounds", "3", verb="run",
                                 buffering="infinite")
        seconds, report = bench.explore(4, bench.workload, "rounds", "3", buffering="infinite")
        plain, _ = bench.plain(4, bench.workload, "rounds", "3")
        each = (seconds - alone) / (report["interleavings"] - 1)
        ratio.text = "%.1f ms / %.0f ms" % (each * 1e3, plain * 1e3)
        return each / plain
    value = bench.median(ratio)
    bench.row("an interleaving by snapshot / one mpiexec, 4 ranks", "<= 1/20",
              "1/%.0f (%s)" % (1 / value, ratio.text), value <= 1 / 20)


def rewound(bench):
    """The same with ranks rewound in place; and whole explorations, start included."""
    rewind = ("--backtrack", "rewind")
    def ratio():
        alone, _ = bench.explore(4, bench.workload, "rounds", "3", verb="run",
                                 buffering="infinite")
        seconds, report = bench.explore(4, bench.workload, "rounds", "3", buffering="infinite",
                                        options=rewind)
        plain, _ = bench.plain(4, bench.workload, "rounds", "3")
        each = (seconds - alone) / (report["interleavings"] - 1)
        ratio.text = "%.1f ms / %.0f ms" % (each * 1e3, plain * 1e3)
        return each / plain
    value = bench.median(ratio)
    bench.row("an interleaving rewound in place / one mpiexec, 4 ranks", "<= 1/150",
              "1/%.0f (%s)" % (1 / value, ratio.text), value <= 1 / 150)
    for what, ranks, most, command in (
            ("120 interleavings of 6 ranks", 6, 1.5, (bench.workload, "senders")),
            ("128 interleavings of 3 ranks", 3, 2.5, (bench.master_worker, "8"))):
        def whole():
            seconds, _ = bench.explore(ranks, *command, options=rewind)
            plain, _ = bench.plain(ranks, *command)
            whole.text = "%.2f s / %.2f s" % (seconds, plain)
            return seconds / plain
        value = bench.median(whole)
        bench.row("%s, start included / one mpiexec" % what, "<= %.1f" % most,
                  "%.2f (%s)" % (value, whole.text), value <= most)


def faults(bench):
    """Minor page faults per rank and interleaving, without the first: independent of load."""
    def count(ranks, verb, *command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        _, report = bench.explore(ranks, *command, verb=verb, buffering="infinite",
                                  options=("--backtrack", "rewind") if verb == "explore" else ())
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        return after - before, report["interleavings"] - 1
    for what, ranks, command in (
            ("120 interleavings of 6 ranks", 6, (bench.workload, "senders")),
            ("216 interleavings of 4 ranks", 4, (bench.workload, "rounds", "3")),
            ("128 interleavings of 3 ranks", 3, (bench.master_worker, "8"))):
        def each():
            alone, _ = count(ranks, "run", *command)
            all_of_it, others = count(ranks, "explore", *command)
            return (all_of_it - alone) / ranks / others
        value = bench.median(each)
        bench.row("minor faults / rank and interleaving: " + what, "<= 15", "%.1f" % value,
                  value <= 15)


def states(bench):
    """State search: the number of states, and its time relative to one mpiexec."""
    search = ("--search", "states")
    for ranks in (4, 5, 6, 7, 8):
        _, report = bench.explore(ranks, bench.workload, "adds", options=search)
        found, most = report["search"]["states"], 2 ** (ranks - 1)
        bench.row("states of %d senders whose receiver adds up" % (ranks - 1), "<= %d" % most,
                  str(found), found <= most)
    for what, ranks, most, command in (
            ("8 senders whose receiver adds up", 9, 256, (bench.workload, "adds")),
            ("a master, 2 workers, 16 tasks", 3, 430, (bench.master_worker, "16"))):
        def whole():
            seconds, report = bench.explore(ranks, *command, options=search)
            plain, _ = bench.plain(ranks, *command)
            whole.found = report["search"]["states"]
            whole.text = "%.2f s / %.2f s" % (seconds, plain)
            return seconds / plain
        value = bench.median(whole)
        bench.row("states of " + what, "<= %d" % most, str(whole.found), whole.found <= most)
        bench.row("all of them, start included / one mpiexec", "<= 8",
                  "%.1f (%s)" % (value, whole.text), value <= 8)


def twelve(bench):
    seconds, report = bench.explore(12, bench.workload, "adds", options=("--search", "states"))
    found = report["search"]["states"]
    bench.row("states of 11 senders whose receiver adds up", "<= 2048, < 60 s",
              "%d, %.0f s" % (found, seconds), found <= 2048 and seconds < 60)


def auto(bench):
    """Where no states are equal: the search for equal states costs little, also after looks."""
    for ranks, buffering, all_of_them in (6, "both", 240), (7, "infinite", 720):
        def ratio():
            seconds = {}
            for search in ("tree", "auto"):
                seconds[search], report = bench.explore(
                    ranks, bench.workload, "keeps", buffering=buffering,
                    options=("--search", search, "--compare", "none"))
                assert report["interleavings"] == all_of_them
            ratio.text = "%.2f s / %.2f s" % (seconds["auto"], seconds["tree"])
            return seconds["auto"] / seconds["tree"]
        value = bench.median(ratio)
        bench.row("order kept, %d ranks: --search auto / tree" % ranks, "<= 1.05",
                  "%.2f (%s)" % (value, ratio.text), value <= 1.05)


def sealed(bench):
    """Ranks hash what they send, in case states are compared later."""
    def ratio():
        seconds = {}
        for search in ("tree", "auto"):
            _, report = bench.explore(2, bench.workload, "exchange", "300", "1000000",
                                      options=("--search", search))
            seconds[search] = float(report["executions"][0]["output"][0].split()[0])
        ratio.text = "%.2f s / %.2f s" % (seconds["auto"], seconds["tree"])
        return seconds["auto"] / seconds["tree"]
    value = bench.median(ratio)
    bench.row("exchanges of 1 MB: --search auto / tree", "<= 1.05",
              "%.2f (%s)" % (value, ratio.text), value <= 1.05)


def looks(bench):
    """The cost of looks for equal states that find none, as a part of the time until then."""
    def part():
        done = subprocess.run([bench.matchpoint, "explore", "-q", "-n", "7", "--search", "auto",
                               "--compare", "none", "--", bench.workload, "keeps"],
                              cwd=bench.directory, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, MATCHPOINT_LOG="session"),
                              capture_output=True, text=True, check=False)
        found = re.findall(r"(\S+) session: a look for equal states .* (\S+) s: the tree",
                           done.stderr)
        if not found or "states pay" in done.stderr:
            sys.exit(done.stderr)
        spent, part.text = 0, ""
        worst = 0
        for at, seconds in found:
            spent += float(seconds)
            worst = max(worst, spent / float(at))
            part.text += " %.3f of %.2f s" % (spent, float(at))
        return worst
    value = bench.median(part)
    bench.row("looks for equal states, none found / time so far", "<= 5 %",
              "%.1f %%;%s" % (100 * value, part.text), value <= 0.05)


def merged(bench):
    """Where equal states occur, auto leaves the tree in time."""
    for what, ranks, all_of_them, command in (
            ("8 senders whose receiver adds up", 9, 40320, (bench.workload, "adds")),
            ("a master, 2 workers, 12 tasks", 3, 2048, (bench.master_worker, "12")),
            ("a master, 2 workers, 16 tasks", 3, 32768, (bench.master_worker, "16"))):
        def ratio():
            seconds, report = bench.explore(ranks, *command)
            plain, _ = bench.plain(ranks, *command)
            assert report["interleavings"] == all_of_them
            ratio.text = "%.2f s / %.2f s" % (seconds, plain)
            return seconds / plain
        value = bench.median(ratio)
        bench.row("%s, no options / one mpiexec" % what, "<= 8",
                  "%.1f (%s)" % (value, ratio.text), value <= 8)


def nodes(bench):
    """The cost of a step from state to state, and the share of fingerprints."""
    search = ("--search", "states")
    for what, ranks, command in (
            ("8 senders whose receiver adds up", 9, (bench.workload, "adds")),
            ("a master, 2 workers, 16 tasks", 3, (bench.master_worker, "16")),
            ("order kept, 6 ranks", 6, (bench.workload, "keeps"))):
        def share():
            done = subprocess.run([bench.matchpoint, "explore", "-q", "-n", str(ranks), *search,
                                   "--buffering", "infinite", "--compare", "none", "--",
                                   *command], cwd=bench.directory, stdin=subprocess.DEVNULL,
                                  env=dict(os.environ, MATCHPOINT_LOG="session"),
                                  capture_output=True, text=True, check=False)
            told = re.search(r"told their states in (\S+) s of (\S+) s", done.stderr)
            if not told:
                sys.exit("%s: %s" % (command, done.stderr))
            share.text = "%s s of %s s" % told.groups()
            return float(told.group(1)) / float(told.group(2))
        value = bench.median(share)
        bench.row("share of naming states: " + what, "<= 15 %",
                  "%.0f %% (%s)" % (100 * value, share.text), value <= 0.15)
    def steps(way, messages):
        seconds, report = bench.explore(16, bench.workload, way, messages, buffering="infinite",
                                        options=search)
        return seconds, report["search"]["states"] - 1 + report["search"]["merged"]
    def ratio():
        """The cost of additional steps. Both runs include the start and the first snapshot."""
        each = {}
        for way in ("few", "all"):
            (little, few), (much, many_steps) = steps(way, "4"), steps(way, "7")
            each[way] = (much - little) / (many_steps - few)
        ratio.text = "%.2f ms / %.2f ms" % (each["few"] * 1e3, each["all"] * 1e3)
        return each["few"] / each["all"]
    value = bench.median(ratio)
    bench.row("a step where 1 of 16 ranks moves / where all do", "<= 1/5",
              "1/%.1f (%s)" % (1 / value, ratio.text), value <= 1 / 5)


def start(bench):
    """The first interleaving, and a whole small exploration, by processor time of all processes:
    ranks that start on few processors wait for each other in turns."""
    def cost(command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _, done = bench.time(command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit("%s: %s %s" % (command, done.stdout, done.stderr))
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for what, most, program in (
            ("one interleaving of 4 ranks", 0.35, ("ring", "1")),
            ("6 interleavings of 4 ranks", 0.4, ("senders",))):
        def ratio():
            explored = cost([bench.matchpoint, "explore", "-q", "-n", "4", "--buffering", "zero",
                             "--compare", "none", "--", bench.workload, *program])
            plain = cost([bench.mpiexec, "-n", "4", bench.workload, *program])
            ratio.text = "%.0f ms / %.0f ms" % (explored * 1e3, plain * 1e3)
            return explored / plain
        value = statistics.median(ratio() for _ in range(3 * bench.repeat))
        bench.row(what + ", start included / one mpiexec", "<= %.2f" % most,
                  "%.2f (%s)" % (value, ratio.text), value <= most)


def memory(bench):
    """The scheduler's memory for each interleaving: the slope between two numbers of them."""
    def peak(count):
        process = subprocess.Popen(
            [bench.matchpoint, "explore", "-n", "3", "--buffering", "zero", "--search", "tree",
             "--order", "depth", "--compare", "none", "--max-interleavings", str(count), "--",
             bench.master_worker, "18"], cwd=bench.directory, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        most = 0
        while process.poll() is None:
            most = max(most, own_peak(process.pid))
            time.sleep(0.02)
        text = process.stdout.read()
        if not re.search(r"\b%d interleavings" % count, text) or not most:
            sys.exit("not %d interleavings: %s" % (count, text))
        return most
    few, many_of_them = 10000, 50000
    small, large = peak(few), peak(many_of_them)
    each = (large - small) / (many_of_them - few)
    bench.row("memory of the scheduler / interleaving, 50,000 of them", "<= 2 kB",
              "%.1f kB (%.0f MB at last)" % (each, large / 1024), each <= 2)


def own_peak(pid):
    """In kB, of this process alone; 0: it has ended."""
    try:
        with open("/proc/%d/status" % pid) as file:
            found = re.search(r"VmHWM:\s+(\d+) kB", file.read())
    except OSError:
        return 0
    return int(found.group(1)) if found else 0


def compute(bench):
    for buffering in ("zero", "infinite"):
        def ratio():
            seconds, report = bench.explore(4, bench.workload, "compute", "0.5",
                                            buffering=buffering)
            plain, _ = bench.plain(4, bench.workload, "compute", "0.5")
            assert report["interleavings"] == 6
            ratio.text = "%.2f s / %.2f s" % (seconds, plain)
            return seconds / plain
        value = bench.median(ratio)
        bench.row("6 interleavings after 0.5 s of computing, %s / plain" % buffering, "<= 1.3",
                  "%.2f (%s)" % (value, ratio.text), value <= 1.3)


def replays(bench):
    """Two findings after 2 s of computing, replayed with stacks."""
    def ratio():
        seconds, done = bench.time([bench.matchpoint, "explore", "-q", "-n", "4", "--buffering",
                                    "infinite", "--json", "out.json", "--", bench.workload,
                                    "findings", "2"])
        with open(os.path.join(bench.directory, "out.json")) as file:
            report = json.load(file)
        assert report["interleavings"] == 6 and len(report["findings"]) == 2, done.stdout
        plain, _ = bench.plain(4, bench.workload, "compute", "2")
        ratio.text = "%.2f s / %.2f s" % (seconds, plain)
        return seconds / plain
    value = bench.median(ratio)
    bench.row("6 interleavings after 2 s of computing, 2 findings / plain", "<= 2.2",
              "%.2f (%s)" % (value, ratio.text), value <= 2.2)


def many(bench):
    value = bench.median(lambda: bench.explore(6, bench.workload, "senders")[0])
    bench.row("120 interleavings of 6 ranks, start included", "< 1 s", "%.2f s" % value, value < 1)


def acknowledged(bench):
    def ratio():
        _, report = bench.explore(1, bench.workload, "calls", "20000", verb="run")
        call = float(report["executions"][0]["output"][0])
        bare = float(bench.time([bench.ping_pong, "20000"])[1].stdout)
        ratio.text = "%.1f us / %.1f us" % (call, bare)
        return call / bare
    value = bench.median(ratio)
    bench.row("an acknowledged call / a bare ping-pong", "<= 2",
              "%.2f (%s)" % (value, ratio.text), value <= 2)


def ring(bench):
    def ratio():
        controlled, _ = bench.explore(8, bench.workload, "ring", "200", verb="run",
                                      buffering="infinite")
        plain, _ = bench.plain(8, bench.workload, "ring", "200")
        ratio.text = "%.2f s / %.2f s" % (controlled, plain)
        return controlled / plain
    value = bench.median(ratio)
    bench.row("8 ranks, 200 exchanges and Allreduces: controlled / plain", "<= 1",
              "%.2f (%s)" % (value, ratio.text), value <= 1)


def inside(bench, ranks, *command, buffering="infinite"):
    """Controlled / plain, by the seconds that the program prints."""
    def ratio():
        _, report = bench.explore(ranks, bench.workload, *command, verb="run",
                                  buffering=buffering)
        controlled = float(report["executions"][0]["output"][0])
        plain = float(bench.plain(ranks, bench.workload, *command)[1])
        ratio.text = "%.2f s / %.2f s" % (controlled, plain)
        return controlled / plain
    return bench.median(ratio), ratio


def mixed(bench):
    """180 microseconds of computing before each call: 2 plain ranks make 10,000 calls a second."""
    value, ratio = inside(bench, 2, "mixed", "300", "180")
    bench.row("2 ranks, 10,000 mixed calls a second: controlled / plain", "<= 1.3",
              "%.2f (%s)" % (value, ratio.text), value <= 1.3)


def exchange(bench):
    for buffering in ("zero", "infinite"):
        value, ratio = inside(bench, 2, "exchange", "300", "1048576", buffering=buffering)
        bench.row("2 ranks, exchanges of 1 MB, %s: controlled / plain" % buffering, "<= 1.2",
                  "%.2f (%s)" % (value, ratio.text), value <= 1.2)


def small(bench):
    """Applications with many small calls, by the seconds and calls that rank 0 prints. A second
    row counts what a busy machine does not change: context switches for each of these calls."""
    def run(what, count, controlled):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
        if controlled:
            _, report = bench.explore(2, bench.small_calls, what, str(count), verb="run",
                                      buffering="infinite")
            output = report["executions"][0]["output"][0]
        else:
            output = bench.plain(2, bench.small_calls, what, str(count))[1]
        seconds, calls = output.split()
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
        return float(seconds), int(calls), after - before
    for what, count in ("blocks", 100), ("setup", 10):
        def ratio():
            controlled, calls, switches = run(what, 3 * count, True)
            _, fewer_calls, fewer = run(what, count, True)
            plain, _, _ = run(what, 3 * count, False)
            ratio.text = "%.2f s / %.2f s" % (controlled, plain)
            ratio.switches = (switches - fewer) / (calls - fewer_calls)
            return controlled / plain
        value = bench.median(ratio)
        bench.row("2 ranks, small calls, %s: controlled / plain" % what, "<= 1.5",
                  "%.2f (%s)" % (value, ratio.text), value <= 1.5)
        bench.row("  context switches of all processes / call of rank 0", "<= 0.5",
                  "%.2f" % ratio.switches, ratio.switches <= 0.5)


def sixteen(bench):
    value, ratio = inside(bench, 16, "mixed", "20", "0")
    bench.row("16 ranks, mixed calls: controlled / plain", "<= 1",
              "%.2f (%s)" % (value, ratio.text), value <= 1)


def pending(bench):
    """Time, and the growth of the larger of scheduler and rank at its peak."""
    def measure(calls):
        process = subprocess.Popen([bench.matchpoint, "run", "-n", "2", "--", bench.workload,
                                    "pending", str(calls)], cwd=bench.directory,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit("pending: %s" % output)
        return float(output.split("]")[1].split()[0]), usage.ru_maxrss / 1024
    few, some, many_calls = measure(25000), measure(50000), measure(100000)
    times = many_calls[0] / some[0]
    memory = (many_calls[1] - some[1]) / (some[1] - few[1])
    bench.row("a wildcard open during 100,000 calls / during 50,000", "2 (linear)",
              "time %.2f (%.1f s), growth %.2f (%.0f MB)" % (times, many_calls[0], memory,
                                                            many_calls[1]),
              times <= 2.6 and memory <= 2.6)


def scale(bench):
    """The scheduler alone, without processes. sim_scale lies beside matchpoint where that was
    built."""
    program = os.path.join(os.path.dirname(bench.matchpoint), "tests/sim_scale")

    def measure(name):
        _, done = bench.time([program, "--program", name])
        if done.returncode:
            sys.exit("%s: %s" % (name, done.stderr))
        words = done.stdout.split()
        return [float(words[words.index(unit) - 1]) for unit in ("events/s", "s", "bytes/event")]

    for name in "ring", "barriers":
        rate = bench.median(lambda: measure(name)[0])
        bench.row("1,024 simulated ranks, %s: events a second" % name, ">= 500,000",
                  "%.0f" % rate, rate >= 500000)
        each = measure(name)[2]
        bench.row("1,024 simulated ranks, %s: bytes an event" % name, "<= 200", "%.0f" % each,
                  each <= 200)
    seconds = bench.median(lambda: measure("waitany")[1])
    bench.row("400 times Waitany of up to 400 requests, search included", "<= 0.1 s",
              "%.3f s" % seconds, seconds <= 0.1)


def store(bench):
    """The cost of writing the store, as matchpoint reports it (MATCHPOINT_LOG=store)."""
    def share(ranks, *command):
        def once():
            environment = dict(os.environ, MATCHPOINT_LOG="store")
            begin = time.monotonic()
            process = subprocess.Popen(
                [bench.matchpoint, "explore", "-q", "-n", str(ranks), "--", *command],
                cwd=bench.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True, env=environment)
            log = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            told = re.findall(r" store: .* written in (\S+) s, (\S+) s of it computing", log)
            if process.returncode or not told:
                sys.exit("%s: %s" % (command, log))
            written, computing = (sum(map(float, column)) for column in zip(*told))
            once.text = "%.1f %% (of computing: %.1f %%)" % (
                100 * written / seconds, 100 * computing / (usage.ru_utime + usage.ru_stime))
            return written / seconds
        return bench.median(once), once
    for what, ranks, command in (
            ("48 interleavings of 5 ranks", 5, (bench.workload, "senders")),
            ("240 interleavings of 6 ranks", 6, (bench.workload, "senders")),
            ("256 interleavings, 2 workers", 3, (bench.master_worker, "8")),
            ("10,000 mixed calls a second", 2, (bench.workload, "mixed", "300", "180")),
            ("2 x 100,000 bare calls", 2, (bench.workload, "pending", "50000"))):
        value, once = share(ranks, *command)
        bench.row("store / exploration: " + what, "<= 5 %",
                  "%.1f %%; last: %s" % (100 * value, once.text), value <= 0.05)


def polls(bench):
    """An interleaving of a program that polls with MPI_Test, relative to one that waits."""
    def each(what):
        alone, _ = bench.explore(4, bench.workload, what, "3", verb="run", buffering="infinite")
        seconds, report = bench.explore(4, bench.workload, what, "3", buffering="infinite")
        return (seconds - alone) / (report["interleavings"] - 1), report["interleavings"]
    def ratio():
        waits, few = each("rounds")
        asks, many = each("polls")
        ratio.text = "%.1f ms / %.1f ms; %d for %d" % (asks * 1e3, waits * 1e3, many, few)
        return asks / waits
    value = bench.median(ratio)
    bench.row("an interleaving that polls / one that waits, 4 ranks", "<= 2",
              "%.2f (%s)" % (value, ratio.text), value <= 2)


def applications(bench):
    """Programs that poll between pieces of work, by the seconds that they print."""
    for what, count in (("events", "100"), ("halo", "100"), ("stealing", "500")):
        def ratio():
            _, report = bench.explore(4, bench.polling, what, count, "100", verb="run",
                                      buffering="infinite")
            controlled = float(report["executions"][0]["output"][0].split()[0])
            plain = float(bench.plain(4, bench.polling, what, count, "100")[1].split()[0])
            ratio.text = "%.2f s / %.2f s" % (controlled, plain)
            return controlled / plain
        value = bench.median(ratio)
        bench.row("polling %s, 4 ranks: controlled / plain" % what, "<= 2",
                  "%.2f (%s)" % (value, ratio.text), value <= 2)


def jobs(bench):
    """Interleavings a second, without the start. In snapshot mode, the ranks of one small world
    already keep both cores busy; not so if one of them computes and the others wait for it."""
    for what, ranks, options, command in (
            ("24 of 5 ranks, rank 0 computes 0.1 s", 5, (), ("digest", "0.1")),
            ("120 of 6 ranks, rank 0 computes 10 ms", 6, (), ("digest", "0.01")),
            ("216 of 4 ranks", 4, (), ("rounds", "3")),
            ("24 of 5 ranks, by rerun", 5, ("--backtrack", "rerun"), ("senders",))):
        def ratio():
            alone, _ = bench.explore(ranks, bench.workload, *command, verb="run")
            one, report = bench.explore(ranks, bench.workload, *command, options=options)
            two, again = bench.explore(ranks, bench.workload, *command,
                                       options=(*options, "-j", "2"))
            assert report["interleavings"] == again["interleavings"]
            begun = 0 if options else alone
            ratio.text = "%.2f s / %.2f s" % (one - begun, two - begun)
            return (one - begun) / (two - begun)
        value = bench.median(ratio)
        bench.row("-j 2 / -j 1: " + what, ">= 1.6", "%.2f (%s)" % (value, ratio.text),
                  value >= 1.6)


ALL = [senders, master_worker, states, twelve, auto, sealed, looks, merged, nodes, snapshot,
       rewound, start, memory, faults, compute, replays, many, acknowledged, ring, mixed, small,
       exchange, sixteen, pending, scale, store, polls, applications, jobs, web, prompt,
       checkpoints, disk, recording, backwards, cluster,
       spawn, shards]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matchpoint", required=True)
    parser.add_argument("--mpicc", default="mpicc.mpich")
    parser.add_argument("--mpiexec", default="mpiexec.mpich")
    parser.add_argument("--repeat", type=int, default=3, help="medians of so many")
    parser.add_argument("names", nargs="*", help="only these: %s" % ", ".join(
        f.__name__ for f in ALL))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="matchpoint-benchmark-") as directory:
        bench = Bench(options, directory)
        print("%-58s %-18s %-26s %s" % ("what", "figure", "measured", "reached"))
        for function in ALL:
            if not options.names or function.__name__ in options.names:
                function(bench)
    sys.exit(any(row[3] == "NO" for row in bench.rows))


if __name__ == "__main__":
    main()
