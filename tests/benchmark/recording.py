"""Rows on recording a run and replaying one rank alone: plain and recorded runs and replays are
taken in turn. Seconds of runs are those between MPI_Init and MPI_Finalize; those of replays are
all that the command takes."""

import glob
import os
import re
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 4
KERNELS = (("is", 0.5), ("cg", 1), ("mg", 1), ("ep", 1), ("lu", 1), ("mw", 1))


def compiled(bench):
    program = os.path.join(bench.directory, "kernels")
    if not os.path.exists(program):
        subprocess.run([bench.mpicc, "-O2", "-g", os.path.join(HERE, "kernels.c"), "-o", program,
                        "-lm"], check=True)
    return program


def told(bench, word, *command):
    """The number behind `word` on standard error, and the lines of output."""
    _, done = bench.time(command)
    found = re.search(r"^%s (\S+)$" % word, done.stderr, re.MULTILINE)
    if done.returncode or not found:
        sys.exit("%s: %d %s" % (" ".join(command), done.returncode, done.stderr))
    return float(found.group(1)), set(done.stdout.splitlines())


def record(bench, word, *command):
    folder = os.path.join(bench.directory, "recording")
    shutil.rmtree(folder, ignore_errors=True)
    return folder, told(bench, word, bench.matchpoint, "record", "-n", str(RANKS), "--to", folder,
                        "--", *command)


def replay(bench, folder, rank, lines):
    """Seconds from the start of the process to its end."""
    seconds, done = bench.time([bench.matchpoint, "replay", folder, "--rank", str(rank)])
    if done.returncode or not lines.issuperset(done.stdout.splitlines()):
        sys.exit("the replay of rank %d: %d %s" % (rank, done.returncode, done.stderr))
    return seconds


def measure(bench, kernel, scale):
    """Of so many rounds: recorded / plain, replayed / plain."""
    command = (compiled(bench), kernel, str(scale))
    recorded, replayed = [], []
    for round_ in range(bench.repeat):
        plain, _ = told(bench, "seconds", bench.mpiexec, "-n", str(RANKS), *command)
        folder, (seconds, lines) = record(bench, "seconds", *command)
        recorded.append(seconds / plain)
        replayed.append(replay(bench, folder, round_ % RANKS, lines) / plain)
    return statistics.median(recorded), statistics.median(replayed)


def bytes_of_a_call(bench, kernel):
    """Of the logs of programs that send nothing."""
    folder, (calls, _) = record(bench, "calls", compiled(bench), kernel)
    return max(map(os.path.getsize, glob.glob(os.path.join(folder, "rank.*.log")))) / calls


def recording(bench):
    ratios = {}
    for kernel, scale in KERNELS:
        ratios[kernel] = measure(bench, kernel, scale)
        bench.row("kernel %s on 4 ranks, recorded; one rank alone" % kernel, "",
                  "%.2f; %.2f of plain" % ratios[kernel], True)
    costs, alone = zip(*ratios.values())
    bench.row("recorded / plain, mean; worst", "<= 1.10; <= 1.35",
              "%.2f; %.2f" % (statistics.mean(costs), max(costs)),
              statistics.mean(costs) <= 1.10 and max(costs) <= 1.35)
    bench.row("replay of one rank / the run, mean", "<= 0.4", "%.2f" % statistics.mean(alone),
              statistics.mean(alone) <= 0.4)
    size = bytes_of_a_call(bench, "tokens")
    bench.row("log of calls without payload", "<= 40 B a call", "%.1f B" % size, size <= 40)
    size = bytes_of_a_call(bench, "polls")
    bench.row("log of polls that find nothing", "<= 1 B a poll", "%.2f B" % size, size <= 1)
