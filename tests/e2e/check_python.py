"""A Python script that calls MPI through an extension module (RTLD_LOCAL) is explored like any
program: its race is found, with the lines of the script."""

import os
import subprocess
import sys

import harness
from harness import check
from recording import Recording

SKIPPED = 77
PYTHON = "/usr/bin/python3"
SOURCE = harness.program("python_extension.c")

# Rank 0 takes the numbers in order of arrival, and assumes that it is the order of ranks.
RACE = """
import python_extension as mpi

rank, size = mpi.init()
if rank == 0:
    numbers = [mpi.receive()[0] for _ in range(1, size)]
    assert numbers == sorted(numbers), "rank 0 took %s" % numbers
else:
    mpi.send(rank, 0)
mpi.finalize()
"""
# With several threads the script's lines are not read: another thread could hold the lock for ever.
THREADS = RACE.replace("\nrank, size", """
import threading
done = threading.Event()
threading.Thread(target=done.wait).start()
rank, size""").replace("    assert", "    done.set()\n    assert") + "done.set()\n"
RIGHT = RACE.replace("    assert", "    numbers.sort()\n    assert")


# Bypasses matchpoint: ctypes finds the functions by dlsym.
UNSEEN = """
import ctypes

mpi = ctypes.CDLL("libmpich.so.12")
mpi.MPI_Init(None, None)
mpi.MPI_Finalize()
"""

# What Python gets from elsewhere: seeds of hashes and random numbers, process ids, addresses.
INPUTS = """
import os
import random
import time
import python_extension as mpi

start = time.time()
rank, size = mpi.init()
random.seed()
if rank == 0:
    print([mpi.receive()[0] for _ in range(1, size)])
else:
    mpi.send(rank, 0)
print({"a", "b", "c"}, hash("text"), random.random(), os.urandom(4), os.getpid(), id(start),
      time.time() - start)
mpi.finalize()
"""


def extension(tool):
    """Builds it beside the scripts. Returns whether its requirements are installed."""
    done = subprocess.run(
        [PYTHON, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])"],
        capture_output=True, text=True, check=False) if os.path.exists(PYTHON) else None
    include = done.stdout.strip() if done and done.returncode == 0 else ""
    if not os.path.exists(os.path.join(include, "Python.h")):
        return False
    command = [tool.mpicc, "-O1", "-g", "-fPIC", "-shared", "-I", include, SOURCE, "-o",
               os.path.join(tool.directory, "python_extension.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, "%s\n%s" % (" ".join(command), done.stderr))
    return True


def explore(tool, name, text, *options):
    script = tool.write(name, text)
    return tool.run("explore", "-n", "3", *options, "--", PYTHON, "-B", script, report=True)


def place(text, file, call):
    """A place in the script, as reports show it."""
    return "%s:%d" % (file, [call in line for line in text.split("\n")].index(True) + 1)


def check_lines(run, receive, send):
    """The stacks are the script's, from function to function, without those of the interpreter."""
    finding, = run.report["findings"]
    for told in [finding["blame"], *finding["ranks"]]:
        check(all(frame["file"] == "race.py" for frame in told["stack"]), str(told))
        check(told["stack"][-1]["function"] == "<module>", str(told))
    check("%s:%d" % (finding["blame"]["file"], finding["blame"]["line"]) == receive, str(finding))
    taken = finding["blame"]["taken"]
    check("%s:%d" % (taken["file"], taken["line"]) == send, str(finding))


def check_prompt(tool, receive, send):
    """Messages name the script's lines, also for a script that names its interpreter."""
    script = tool.write("session.mp",
                        "run\nwhere 0\nlist 0\ninfo calls\ninfo messages\nrollback 1.1\n")
    program = tool.write("race.py", RACE)
    named = tool.write("named.py", "#!%s\n%s" % (PYTHON, RACE))
    os.chmod(named, 0o755)
    for words, place in (([PYTHON, "-B", program], receive), ([named], None)):
        run = tool.run("debug", "-n", "3", "-x", script, "--batch", "--", *words)
        _, stop, where, around, *more = run.out.split("(matchpoint) ")
        for told in stop, *more:
            check("python_extension.c" not in told and ".py:" in told, str(run))
        check(place is None or (receive in stop and stop.count(send) == 3), str(run))
        check(place is None or "(%s)\n" % place in where, str(run))
        check("<module> (" in where and "EvalFrame" not in where, str(run))
        for told in where, around:
            check("->" in told and "mpi.receive()" in told.rpartition("->")[2].split("\n")[0],
                  str(run))


def check_recording(tool):
    """Each rank alone gets the same, with all that MPI's libraries do when they are loaded late."""
    script = tool.write("inputs.py", INPUTS)
    recorded = Recording(tool, "python", 3, PYTHON, "-B", script)
    check(recorded.printed(0).count("\n") == 2, recorded.printed(0))
    recorded.check_replays()
    run = tool.run("replay", recorded.folder)
    check(run.status == 0 and "followed 2 of 2 matches" in run.out, str(run))


def body(tool, _):
    if os.path.exists(PYTHON):
        run = explore(tool, "unseen.py", UNSEEN)
        check(run.status == 4 and "MPI_Init was called past matchpoint" in run.err, str(run))
    if not extension(tool):
        print("%s or its Python.h is missing (package python3-dev)" % PYTHON)
        sys.exit(SKIPPED)
    receive, send = place(RACE, "race.py", "mpi.receive"), place(RACE, "race.py", "mpi.send")
    with open(SOURCE) as file:
        inner = place(file.read(), "python_extension.c", "MPI_Recv(")
    for backtrack in ("snapshot", "rerun"):
        run = explore(tool, "race.py", RACE, "--backtrack", backtrack)
        check(run.status == 1 and run.report["interleavings"] == 4, str(run))
        findings = run.report["findings"]
        check([finding["kind"] for finding in findings] == ["exit"], str(run))
        check("ANY_SOURCE) at %s takes rank 2's message (%s)" % (receive, send) in run.out,
              str(run))
        check_lines(run, receive, send)
        run = explore(tool, "right.py", RIGHT, "--backtrack", backtrack)
        check(run.status == 0 and run.report["interleavings"] == 4, str(run))
        check(not run.report["findings"], str(run))
    check_prompt(tool, receive, send)
    check_recording(tool)
    run = explore(tool, "threads.py", THREADS)
    check(run.status == 1 and "ANY_SOURCE) at %s takes" % inner in run.out, str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
