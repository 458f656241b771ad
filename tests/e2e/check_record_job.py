"""matchpoint replay DIR: the whole job of a recording, under control. Each kind of choice is made
as it was recorded, the same is printed, and the path that is told shows the same again. Hangs,
crashes, killed runs; programs that do something else than they did."""

import os
import re
import shutil
import tempfile

import harness
from harness import check
from recording import kill_ranks, place_of, start_recording, wait_until_recorded

KINDS = ("receive", "probe", "mprobe", "poll", "count", "waitany", "testany", "waitsome",
         "testsome", "test")
RANKS = 4
POLLED_OTHERWISE = "rank 0: polls were answered \"not yet\" "


def folder_of(tool, name):
    folder = os.path.join(tool.directory, name)
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def record(tool, program, *arguments, **how):
    folder = folder_of(tool, "recorded")
    run = tool.run("record", "-n", str(RANKS), "--to", folder, "--", program, *arguments,
                   cwd=tool.directory, **how)
    return folder, run


def printed(run):
    """What rank 0 printed under control."""
    return "".join(line[4:] + "\n" for line in run.out.splitlines() if line.startswith("[0] "))


def without_asked(text):
    """How often a poll is answered "not yet" may be another number; then it is told."""
    return re.sub(r"^asked .*\n", "", text, flags=re.M)


def replay(tool, *words):
    return tool.run("replay", *words, "-v", "--store", os.path.join(tool.directory, "store"))


def check_followed(run, status=0):
    """All of it was followed. Returns the path."""
    found = re.search(r"^followed (\d+) of (\d+) matches of .*\npath: (mp1:\S+)$", run.out, re.M)
    check(run.status == status and found and found[1] == found[2] and int(found[1]) > 0, str(run))
    return found[3]


def check_kinds(tool, program, seeds):
    for seed in range(1, seeds + 1):
        for kind in KINDS:
            folder, recorded = record(tool, program, kind, str(seed))
            check(recorded.status == 0 and recorded.out, str(recorded))
            run = replay(tool, folder)
            path = check_followed(run)
            check(without_asked(printed(run)) == without_asked(recorded.out),
                  "recorded:\n%s\n%s" % (recorded.out, run))
            check(printed(run) == recorded.out or POLLED_OTHERWISE in run.err,
                  "recorded:\n%s\n%s" % (recorded.out, run))
            again = replay(tool, path, "--", program, kind, str(seed))
            check(without_asked(printed(again)) == without_asked(recorded.out),
                  "recorded:\n%s\n%s" % (recorded.out, again))


def wait_until_standing(tool, folder):
    """Whether rank 0 stands in a receive while the others wait for it at their end."""
    report = ""

    def stands_or_ends():
        nonlocal report
        report = tool.run("report", folder).out if os.path.isdir(folder) else ""
        return report.count("has ended") == RANKS or (
            re.search(r"rank 0: stands in call \d+, MPI_Recv", report)
            and report.count("MPI_Finalize") == RANKS - 1)

    harness.wait_until(stands_or_ends, lambda: "rank 0 stands or ends: " + report, pause=0.1)
    return report.count("has ended") < RANKS


def check_hang(tool, program):
    """Whether it hangs depends on who came first: in one of several runs it does. A rank that the
    machine leaves waiting for a message that has been sent stands, too: what it printed tells."""
    for seed in range(1, 40):
        folder = folder_of(tool, "hanging")
        with tempfile.TemporaryFile("w+") as output:
            process = start_recording(tool, folder, RANKS, program, "hang", str(seed),
                                      output=output)
            stands = wait_until_standing(tool, folder)
            kill_ranks(folder, process)
            output.seek(0)
            first = re.search(r"^first (\d+)$", output.read(), re.M)
        if not stands or not first or first[1] == "1":
            continue
        run = replay(tool, folder)
        path = check_followed(run, 1)
        check("deadlock #1" in run.out and "the recording ends in call" in run.err, str(run))
        again = replay(tool, path, "--", program, "hang", str(seed))
        check("deadlock #1" in again.out and printed(again) == printed(run), str(again))
        return
    check(False, "it never hung")


def check_crash(tool, program):
    for seed in range(1, 40):
        folder, recorded = record(tool, program, "crash", str(seed))
        if recorded.status == 0:
            continue
        run = replay(tool, folder)
        check_followed(run, 1)
        check("crash #1" in run.out and "SIGABRT" in run.out, str(run))
        check("the recording ends behind call 2, MPI_Recv" in run.err, str(run))
        return
    check(False, "it never crashed")


def check_killed(tool):
    """It is followed to where the recording ends."""
    program = tool.compile(harness.program("many_messages.c"))
    folder = folder_of(tool, "killed")
    process = start_recording(tool, folder, RANKS, program, "100000000", "300")
    wait_until_recorded(folder, RANKS, process)
    harness.wait_for(lambda: all(place_of(folder, rank).call > 20 for rank in range(RANKS)),
                     process, "20 calls of each rank")
    kill_ranks(folder, process)
    run = replay(tool, folder)
    check_followed(run, 3)
    check("ended where the recording ends" in run.out
          and run.err.count("from there on, nothing of it is followed") == RANKS, str(run))


def check_surroundings(tool, program):
    """The recorded folder, environment and standard input, and no others."""
    tool.write("line", "a line")
    with open(os.path.join(tool.directory, "line")) as line:
        folder, recorded = record(tool, program, "surroundings", stdin=line,
                                  environment={"CHOICES": "as recorded"})
    expected = "as recorded %s a line\n" % tool.directory
    check(recorded.out == expected, str(recorded))
    run = tool.run("replay", folder, "-v", "--store", os.path.join(tool.directory, "store"),
                   cwd="/", environment={"CHOICES": "otherwise"})
    check(run.status == 0 and printed(run) == expected, str(run))


def check_others(tool, program):
    """Programs that do something else under control; folders that are no such recording."""
    folder, _ = record(tool, program, "differs")
    run = replay(tool, folder)
    check(run.status == 4 and "rank 0: call 2 was MPI_Recv in the recording, and is MPI_Probe "
          "(call 2) here" in run.err, str(run))
    folder, _ = record(tool, program, "elsewhere")
    run = replay(tool, folder)
    check(run.status == 4 and "rank 0: call 2 has taken the message of rank 3 in the recording; "
          "here it could only take 1" in run.err, str(run))
    run = replay(tool, folder, "-n", "2")
    check(run.status == 2 and "the recording has 4 ranks, not 2" in run.err, str(run))
    run = replay(tool, folder, "--", program)
    check(run.status == 2 and "is replayed without a program" in run.err, str(run))
    run = replay(tool, folder, "--buffering", "both")
    check(run.status == 2 and "one run has one" in run.err, str(run))
    os.unlink(os.path.join(folder, "rank.1.log"))
    run = replay(tool, folder)
    check(run.status == 4 and "no log of rank 1" in run.err, str(run))
    folder, _ = record(tool, program, "receive")
    shutil.copy(tool.compile(harness.program("stands.c")), program)
    run = replay(tool, folder)
    check(run.status == 4 and "the program is not what was recorded" in run.err, str(run))
    os.mkdir(os.path.join(tool.directory, "empty"))
    run = replay(tool, os.path.join(tool.directory, "empty"))
    check(run.status == 2 and "holds no recording" in run.err, str(run))


def check_windows_and_files(tool, seeds):
    """Accesses to windows have numbers only under control, and only MPI knows when a request of a
    file is complete. Their orders are not in a recording."""
    for name in ("random_windows.c", "random_files.c"):
        program = tool.compile(harness.program(name))
        for seed in range(3, 3 + 2 * seeds):
            folder, recorded = record(tool, program, str(seed), "12",
                                      environment={"LD_PRELOAD": tool.yields()})
            check(recorded.status == 0, str(recorded))
            run = replay(tool, folder)
            check(run.status == 0 and "nothing wrong" in run.out
                  and "followed 0 of 0 matches" in run.out, str(run))
            check("does not follow" not in run.err, str(run))


def check_polls_of_nothing(tool):
    """Under control, one in a thousand of them is held, and is answered."""
    program = tool.compile(harness.program("polls_nothing.c"))
    for polls in ("1", "1000", "2500"):
        folder, recorded = record(tool, program, "polls", polls)
        check(recorded.status == 0, str(recorded))
        run = replay(tool, folder)
        check(run.status == 0 and "does not follow" not in run.err, str(run))


def body(tool, options):
    program = tool.compile(harness.program("choices.c"))
    check_kinds(tool, program, options.seeds)
    check_windows_and_files(tool, options.seeds)
    check_polls_of_nothing(tool)
    check_hang(tool, program)
    check_crash(tool, program)
    check_killed(tool)
    check_surroundings(tool, program)
    check_others(tool, program)


def extra(parser):
    parser.add_argument("--seeds", type=int, default=1)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
