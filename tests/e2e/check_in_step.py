"""matchpoint replay DIR --in-step: ranks of a recording beside each other. What a rank prints after
it has received something comes after what the sender has printed before it. Ranks that end early,
and ranks that MPI did not let wait for each other, hold nobody for ever."""

import contextlib
import glob
import os
import re
import signal
import uuid

import harness
from harness import Failed, check
from recording import Recording, kill_ranks, start_recording

# Rank 1 sends without end; rank 0 receives.
ENDLESS = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0;; i++) {
		if (rank == 1)
			for (volatile int j = 0; j < 100000; j++)
				;
		if (rank == 1)
			printf("1 gives %d\n", i);
		if (rank == 1)
			MPI_Ssend(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		if (rank == 0)
			printf("0 got %d from 1\n", value);
	}
}
"""
# Rank 1 sleeps before it sends.
SLEEPS = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, value;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		printf("1 sleeps\n");
		sleep(2);
	}
	for (int i = 0; i < 3; i++) {
		if (rank == 1)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	printf("%d is done\n", rank);
	MPI_Finalize();
	return 0;
}
"""
# A broadcast of nothing lets rank 1 go on before rank 0 has come to it.
NOTHING = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, value = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	printf("%d is done\n", rank);
	MPI_Finalize();
	return 0;
}
"""


def in_step(tool, recording, *words):
    return tool.run("replay", recording, "--in-step", *words, cwd=tool.directory)


def early(lines, ranks):
    """What was got before it was given, of these ranks; and how much was looked at."""
    given, wrong, count = set(), [], 0
    for line in lines:
        words = re.fullmatch(r"(\d) (?:gives (.*)|got (.*) from (\d))", line)
        check(words, "not understood: " + line)
        if words[2]:
            given.add((words[1], words[2]))
        elif int(words[4]) in ranks:
            count += 1
            if (words[4], words[3]) not in given:
                wrong.append(line)
    return wrong, count


def check_order(tool):
    recording = Recording(tool, "order", 4, tool.compile(harness.program("in_step.c")))
    printed = [recording.printed(rank).splitlines() for rank in range(4)]
    alone = tool.run("replay", recording.folder, "--rank", "0,1,2,3", cwd=tool.directory)
    lines = alone.out.splitlines()
    check(lines == sum(printed, []) and early(lines, range(4))[0], str(alone))
    for words, ranks in (((), range(4)), (("--rank", "0,3"), (0, 3)),
                         (("--rank", "2,1,2"), (1, 2))):
        run = in_step(tool, recording.folder, *words)
        lines = run.out.splitlines()
        check(run.status == 0 and run.err == "", str(run))
        for rank in range(4):
            own = [line for line in lines if line.startswith("%d " % rank)]
            check(own == (printed[rank] if rank in ranks else []), str(run))
        wrong, count = early(lines, ranks)
        check(not wrong and count > 5, "%s\ntoo early: %s" % (run, wrong))


def check_killed(tool):
    """All that was recorded before a kill is kept in step, and the ranks end where they stood."""
    program = tool.compile(tool.write("endless.c", ENDLESS))
    folder = os.path.join(tool.directory, "killed")
    process = start_recording(tool, folder, 2, program)
    harness.wait_for(lambda: os.path.isdir(folder) and re.search(
        r"call \d\d", tool.run("report", folder).out), process, "messages")
    kill_ranks(folder, process)
    run = in_step(tool, folder)
    check(run.status == 3 and run.err.count("the recording ends in this call") == 2
          and "goes on without" not in run.err, str(run))
    wrong, count = early(run.out.splitlines(), (0, 1))
    check(not wrong and count > 0, "%s\ntoo early: %s" % (run, wrong))


def rank_process(parent, rank):
    """The process of a replayed rank."""
    for name in glob.glob("/proc/%d/task/*/children" % parent):
        with contextlib.suppress(OSError), open(name) as file:
            for pid in file.read().split():
                with open("/proc/%s/environ" % pid, "rb") as environment:
                    if b"PMI_RANK=%d" % rank in environment.read().split(b"\0"):
                        return int(pid)
    raise Failed("there is no process of rank %d" % rank)


def check_ended_early(tool):
    """A rank that is killed while others wait for it."""
    recording = Recording(tool, "asleep", 2, tool.compile(tool.write("sleeps.c", SLEEPS)))
    mark = uuid.uuid4().hex
    process = tool.start(["replay", recording.folder, "--in-step"], mark)
    try:
        check(process.stdout.readline() == b"1 sleeps\n", "rank 1 does not sleep")
        os.kill(rank_process(process.pid, 1), signal.SIGKILL)
        out, err = harness.communicate(process, 60)
    except Failed:
        tool.end_marked(mark)
        raise
    err = err.decode()
    check(process.returncode == 1 and out == b"0 is done\n", err)
    check(err.count("goes on without") == 1 and re.search(
        r"rank 0: call \d+, MPI_Recv: goes on without rank 1, which has ended before it came to "
        "the call that this one needs", err), err)
    check("rank 1: it was ended by signal 9" in err, err)
    tool.check_no_processes(mark, "the replay has ended")


def check_circle(tool):
    recording = Recording(tool, "circle", 2, tool.compile(tool.write("nothing.c", NOTHING)))
    run = in_step(tool, recording.folder)
    check(run.status == 0 and sorted(run.out.splitlines()) == ["0 is done", "1 is done"], str(run))
    check(re.fullmatch(r"matchpoint: rank \d: call \d+, MPI_\w+: goes on without rank \d, which "
                       r"waits for this rank\n", run.err), str(run))


def check_errors(tool, folder):
    for words, status, expected in (
            (("replay", tool.directory, "--in-step"), 2, "need the folder of a record"),
            (("replay", folder, "--in-step", "--rank", "0,7"), 2, "no rank '7' among 4"),
            (("replay", folder, "--in-step", "--rank", "0", "--gdb"), 2, "cannot be combined"),
            (("replay", folder, "--in-step", "--rank", "0", "--listen", "0"), 2,
             "cannot be combined")):
        run = tool.run(*words)
        check(run.status == status and expected in run.err, str(run))
    os.unlink(os.path.join(folder, "rank.2.start"))
    run = in_step(tool, folder)
    check(run.status == 4 and run.err == "matchpoint: rank 2: cannot be kept in step: it left no "
          "log\nmatchpoint: rank 2: it left no log\n", str(run))
    wrong, count = early(run.out.splitlines(), (0, 1, 3))
    check(not wrong and count > 5, "%s\ntoo early: %s" % (run, wrong))


def body(tool, _):
    check_order(tool)
    check_killed(tool)
    check_ended_early(tool)
    check_circle(tool)
    check_errors(tool, os.path.join(tool.directory, "order"))


if __name__ == "__main__":
    harness.main(__doc__, body)
