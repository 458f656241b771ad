"""Recordings of the benchmark's kernels, and of random accesses to windows and files, that are
killed at random moments: one rank, all ranks, or matchpoint and its launcher as well. Each rank
alone is replayed up to the call in which it stood, and all in step. By hand: --kills 100."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness
from harness import check
from recording import killing, place_of, start_recording, wait_until_gone

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "benchmark", "kernels.c")
RANKS = 4
RANDOM = ("random_windows", "random_files")
# Of each, how much of the benchmark's work: more than is done until the kill. ep only computes,
# which a replay does to the end, so it has little to do, and some ranks may have ended.
SCALES = {"is": 0.5, "cg": 5, "mg": 5, "ep": 0.1, "lu": 5, "mw": 5, "tokens": 50, "polls": 10000}
LATEST = 0.4  # seconds


def wait_for_moment(folder, process, dice):
    """Some time in the beginning, or while all ranks work."""
    call = dice.choice((0, 2, 2, 2, 5))
    harness.wait_for(lambda: all(
        os.path.exists(os.path.join(folder, "rank.%d.start" % rank))
        and place_of(folder, rank).call >= call for rank in range(RANKS)), process,
        "call %d of each rank" % call)
    time.sleep(dice.random() * LATEST)


def command_of(dice, program, kernel):
    if kernel in RANDOM:
        return [program, str(dice.randrange(1000)), "100000000"]
    return [program, kernel, str(SCALES[kernel])]


def record_killed(tool, dice, program, kernel):
    """Returns the folder."""
    folder = os.path.join(tool.directory, "killed")
    shutil.rmtree(folder, ignore_errors=True)
    process = start_recording(tool, folder, RANKS, *command_of(dice, program, kernel))
    wait_for_moment(folder, process, dice)
    with killing(folder) as pids:
        what = dice.choice(("rank", "ranks", "all"))
        for pid in [dice.choice(pids)] if what == "rank" else pids:
            with contextlib.suppress(ProcessLookupError):  # the launcher has killed it
                os.kill(pid, signal.SIGKILL)
        if what == "all":
            os.killpg(process.pid, signal.SIGKILL)
        harness.communicate(process, 60)
        wait_until_gone(folder)
    return folder


def check_rank(run, rank, place):
    """A call whose record is whole may still stand as the one that the rank is in: then the replay
    comes to the next one. Returns whether it did."""
    if place.has_ended:
        return False
    found = re.search(r"rank %d: call (\d+), .*: the recording ends (in|behind) this call" % rank,
                      run.err)
    check(found, "no end of rank %d, which stood at %s: %s" % (rank, place, run))
    end = int(found[1]) + (found[2] == "behind")
    check(end == place.call + 1 or (place.is_inside and end == place.call),
          "rank %d stood at %s: %s" % (rank, place, run))
    return place.is_inside and end > place.call


def check_killed(tool, dice, program, kernel, in_step):
    """Returns how many ranks stood in calls that their logs have as a whole."""
    folder = record_killed(tool, dice, program, kernel)
    places = [place_of(folder, rank) for rank in range(RANKS)]
    further = 0
    for rank, place in enumerate(places):
        run = tool.run("replay", folder, "--rank", str(rank), cwd=tool.directory)
        check(run.status == (0 if place.has_ended else 3), str(run))
        further += check_rank(run, rank, place)
    if in_step:
        run = tool.run("replay", folder, "--in-step", cwd=tool.directory)
        check(run.status in (0, 3) and "goes on without" not in run.err, str(run))
        for rank, place in enumerate(places):
            check_rank(run, rank, place)
    return further


def body(tool, options):
    dice = random.Random(options.seed)
    kernels = os.path.join(tool.directory, "kernels")
    subprocess.run([tool.mpicc, "-O2", "-g", KERNELS, "-o", kernels, "-lm"], check=True)
    for kernel in options.kernels.split(","):
        program = tool.compile(harness.program(kernel + ".c")) if kernel in RANDOM else kernels
        further = sum(check_killed(tool, dice, program, kernel, time == 0)
                      for time in range(options.kills))
        print("seed %d, %s: %d kills, %d ranks behind the call they stood in" % (
            options.seed, kernel, options.kills, further), flush=True)


def extra(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--kernels", default=",".join((*SCALES, *RANDOM)))


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
