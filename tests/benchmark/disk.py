"""Checkpoints on disk: how long they take, and what they save."""

import os
import re
import shutil
import statistics
import subprocess
import time

from interactive import Prompt

RANKS = 4
MEGABYTES = "100"
LINKS = 11  # checkpoints that build on each other


def pages(bench, folder):
    """Saves one full checkpoint, and then one after each round. The seconds of each."""
    session = Prompt(bench, RANKS, bench.pages, "0", MEGABYTES)
    session.say("break MPI_Barrier", "reakpoint")
    seconds = []
    for number in range(1, LINKS + 1):
        session.say("run" if number == 1 else "continue")
        while session.place != "breakpoint":
            session.say("continue")
        seconds.append(session.say("checkpoint n%d --to %s" % (number, folder), "saved: "))
    session.end()
    return seconds


def restart(bench, place):
    """Seconds until the prompt."""
    quit_at_once = os.path.join(bench.directory, "quit")
    with open(quit_at_once, "w") as file:
        file.write("quit\n")
    begin = time.monotonic()
    done = subprocess.run([bench.matchpoint, "restart", place, "--batch", "-x", quit_at_once],
                          cwd=bench.directory, capture_output=True, text=True, check=False)
    if "stopped: " not in done.stdout:
        raise SystemExit("%s: %s %s" % (place, done.stdout, done.stderr))
    return time.monotonic() - begin


def disk(bench):
    bench.pages = bench.compile(bench.mpicc, os.path.join(os.path.dirname(
        os.path.abspath(__file__)), "disk_pages.c"))
    folder = os.path.join(bench.directory, "disk-saved")
    full, next_ones = [], []
    for _ in range(bench.repeat):
        shutil.rmtree(folder, ignore_errors=True)
        seconds = pages(bench, folder)
        full.append(seconds[0])
        next_ones += seconds[1:]
    bench.row("4 ranks of 100 MB are saved on disk", "<= 1.5 s",
              "%.2f s" % min(full), min(full) <= 1.5)
    bench.row("the next checkpoint, 1 % of the pages written", "<= 0.2 s",
              "%.2f s" % min(next_ones), min(next_ones) <= 0.2)
    times = {1: [], LINKS: []}
    for _ in range(3 * bench.repeat):
        for number, seconds in times.items():
            seconds.append(restart(bench, "%s/n%d" % (folder, number)))
    bench.row("restart, to the prompt", "<= 1.5 s", "%.2f s" % min(times[1]),
              min(times[1]) <= 1.5)
    one, last = (min(seconds) for seconds in times.values())
    bench.row("restart of the 11th in a chain / of the first", "<= 1.05",
              "%.2f (%.2f s / %.2f s)" % (last / one, last, one), last / one <= 1.05)
    stop(bench, folder)
    saved_time(bench, folder)


def stop(bench, folder):
    """How long the ranks stand still for the children that are written."""
    log = os.path.join(bench.directory, "disk-log")
    shutil.rmtree(folder)
    _, done = bench.time([bench.matchpoint, "run", "-n", str(RANKS), "--checkpoint-to", folder,
                          "--checkpoint-at", "MPI_Barrier", "--", bench.pages, "0", MEGABYTES,
                          "10"], MATCHPOINT_LOG=log + ":snapshots")
    with open(log) as file:
        forked = [float(ms) for ms in re.findall(r"forked in ([\d.]+) ms", file.read())]
    if done.returncode or len(forked) != 10:
        raise SystemExit("%s: %s %s" % (forked, done.stdout, done.stderr))
    bench.row("ranks wait while keepers of 100 MB fork writers", "<= 20 ms",
              "%.1f ms, median %.1f ms" % (min(forked), statistics.median(forked)),
              min(forked) <= 20)


def saved_time(bench, folder):
    """A program that takes 5 s before its first choice, explored from there and from its start."""
    def ratio():
        shutil.rmtree(folder, ignore_errors=True)
        words = ["-n", "3", "--buffering", "zero", "--compare", "none"]
        begin, done = bench.time([bench.matchpoint, "explore", *words, "--checkpoint-to", folder,
                                  "--", bench.pages, "5", "1", "2"])
        again, other = bench.time([bench.matchpoint, "restart", folder, "--explore",
                                   "--compare", "none"])
        for run in (done, other):
            if run.returncode not in (0, 3) or "4 interleavings" not in run.stdout:
                raise SystemExit("%s %s" % (run.stdout, run.stderr))
        ratio.text = "%.2f s / %.2f s" % (again, begin)
        return again / begin
    value = bench.median(ratio)
    bench.row("5 s before the first choice: explore from disk / all", "<= 1/3",
              "%.2f (%s)" % (value, ratio.text), value <= 1 / 3)
