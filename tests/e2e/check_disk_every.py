"""Positions that explore, run and debug save by themselves (--checkpoint-to, -every, -at): which
they are, that each can be restarted in each way, that nothing else changes; several programs; and
what is wrong with the options."""

import os
import re

import harness
from check_debug import stops
from harness import check

# Computes long before the first choice, and between two of them.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, size, value, sum = 0;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 0; round < 3; round++) {
		usleep(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
		for (int i = 1; rank == 0 && i < size; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			sum = sum * 10 + value;
		}
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("sum %d\n", sum);
	MPI_Finalize();
	return 0;
}
"""

LONE = r"""
#include <mpi.h>
#include <stddef.h>
int main(void)
{
	MPI_Init(NULL, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

THREADED = r"""
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}
int main(void)
{
	int rank, value;
	pthread_t thread;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	for (int i = 0; rank == 0 && i < 4; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; rank > 0 && i < 2; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def saved(run):
    """What it says that it has saved: positions, and their folders."""
    return re.findall(r"saved (\S+): matchpoint restart (\S+)$", run.err, flags=re.M)


def cut(position):
    """By rank: the number of the call where it stands."""
    return [int(part.split(".")[1]) for part in position.split("@")[1].split(",")]


def choices(position):
    return re.findall(r"\d+\.\d+=\d+", position.split("@")[0])


def printed(run):
    return re.findall(r"sum (\d+)", run.out)


def sums(report):
    return sorted(one["output"][0] for one in report["executions"])


class Folders:
    def __init__(self, tool):
        self.tool = tool
        self.count = 0

    def new(self):
        self.count += 1
        return os.path.join(self.tool.directory, "kept-%d" % self.count)


def run_with(tool, folder, *options, program, command="run", ranks="3"):
    run = tool.run(command, "-n", ranks, "--checkpoint-to", folder, *options, "--", *program)
    whole = tool.run("checkpoint", "check", folder)
    count = whole.out.count("whole")
    check(count == len(saved(run)) or "-q" in options, "%s\n%s" % (run, whole))
    check(whole.status == (0 if os.path.exists(folder) else 4), str(whole))
    return run


def check_restarts(tool, folder, end):
    """To the end, at the prompt and exploring: each position leads on, and to the end only."""
    for _, place in folder:
        once = tool.run("restart", place, "--run", "-v")
        check(once.status == 0 and printed(once) == end, "%s: %s" % (place, once))
        script = tool.write("onward", "continue\n" * 12)
        there = tool.run("restart", place, "--batch", "-x", script)
        check(stops(there)[-1] == "end", str(there))


def check_first_choice(tool, folders, program):
    """Without a time or a place: before the first choice. Exploring from there finds what exploring
    from the start does."""
    folder = folders.new()
    explored = tool.run("explore", "-n", "3", "--checkpoint-to", folder, "--", program, "30000",
                        report=True)
    kept = saved(explored)
    check(len(kept) == 2 and all(not choices(position) for position, _ in kept), str(explored))
    below = [sums(tool.run("restart", place, "--explore", report=True).report)
             for _, place in kept]
    check(sorted(below[0] + below[1]) == sums(explored.report) and len(below[0]) == 8,
          "%s\n%s" % (below, explored))
    alone = tool.run("explore", "-n", "3", "--", program, report=True)
    check(sums(alone.report) == sums(explored.report), "it changes what is explored")
    for options in (["--search", "states"], ["--random", "1", "--max-interleavings", "3"],
                    ["-j", "2"]):
        other = run_with(tool, folders.new(), "-q", *options, program=[program], command="explore")
        check(not saved(other), "-q prints it: %s" % other)
        listed = tool.run("checkpoint", "list", os.path.join(tool.directory,
                                                            "kept-%d" % folders.count))
        check(len(listed.out.splitlines()) == 2, str(listed))
    once = run_with(tool, folders.new(), "-v", program=[program])
    check(len(saved(once)) == 1, str(once))
    check_restarts(tool, saved(once), printed(once))


def check_function(tool, folders, program):
    """Each time ranks stand in it; a function that only one rank has not come to is waited for."""
    once = run_with(tool, folders.new(), "-v", "--checkpoint-at", "mpi_barrier", program=[program])
    kept = saved(once)
    check([len(choices(position)) for position, _ in kept] == [2, 4, 6], str(once))
    check([cut(position) for position, _ in kept] == [[4, 3, 3], [7, 5, 5], [10, 7, 7]], str(once))
    check_restarts(tool, kept, printed(once))
    again = tool.run("restart", kept[0][1], "--run", "-v", "--checkpoint-to", folders.new(),
                     "--checkpoint-at", "MPI_Barrier")
    check(printed(again) == printed(once)
          and [cut(position) for position, _ in saved(again)] == [[7, 5, 5], [10, 7, 7]],
          str(again))
    sends = run_with(tool, folders.new(), "--checkpoint-at", "MPI_Send", "--buffering", "infinite",
                     program=[program])
    check([cut(position)[1:] for position, _ in saved(sends)] == [[2, 2], [4, 4], [6, 6]],
          str(sends))
    seldom = run_with(tool, folders.new(), "--checkpoint-at", "MPI_Barrier", "--checkpoint-every",
                      "1h", program=[program])
    check(not saved(seldom) and "no rank called MPI_Barrier after" in seldom.out, str(seldom))


def check_call(tool, folders, program):
    """Where a rank stands in its call: once in each interleaving that is begun with."""
    explored = run_with(tool, folders.new(), "--checkpoint-at", "0.5", program=[program],
                        command="explore")
    check([cut(position)[0] for position, _ in saved(explored)] == [5, 5], str(explored))
    once = run_with(tool, folders.new(), "-v", "--checkpoint-at", "1:4", program=[program])
    check([cut(position)[1] for position, _ in saved(once)] == [4], str(once))
    check_restarts(tool, saved(once), printed(once))
    never = run_with(tool, folders.new(), "--checkpoint-at", "1:4000", program=[program])
    check(not saved(never) and "rank 1 made no call 4000" in never.out, str(never))


def check_time(tool, folders, program):
    """As long as it runs, one after another; the last is behind the first."""
    once = run_with(tool, folders.new(), "-v", "--checkpoint-every", "0.2",
                    program=[program, "300000"])
    kept = saved(once)
    check(2 <= len(kept) <= 4, str(once))
    check(cut(kept[0][0]) < cut(kept[-1][0]), str(once))
    check_restarts(tool, kept, printed(once))


def check_prompt(tool, folders, program):
    """The stops are the same; a position that is come back to is not saved twice."""
    way = tool.write("way", "run\ncontinue\nchoose 2\ncontinue\nback\nback\nback\ncontinue\n"
                            "break MPI_Barrier\ncontinue\ncontinue\n")
    options = ["debug", "-n", "3", "--batch", "-x", way]
    folder = folders.new()
    plain = tool.run(*options, "--", program)
    kept = tool.run(*options, "--checkpoint-to", folder, "--checkpoint-at", "MPI_Barrier", "--",
                    program)
    check(stops(plain) == stops(kept), "%s\n%s" % (plain, kept))
    positions = [position for position, _ in saved(kept)]
    check(len(positions) > 2 and len(set(positions)) == len(positions), str(kept))
    listed = tool.run("checkpoint", "list", folder)
    check(len(listed.out.splitlines()) == len(positions), str(listed))


def check_programs(tool, folders, program):
    """Several programs are one world, and each rank comes back as its own."""
    other = tool.compile(tool.write("other.c", PROGRAM.replace("sum %d", "another %d")))
    once = run_with(tool, folders.new(), "-v", "--checkpoint-at", "MPI_Barrier", ranks="1",
                    program=[program, "1000", ":", "-n", "2", other, "2000"])
    check(len(saved(once)) == 3, str(once))
    check_restarts(tool, saved(once), printed(once))
    below = tool.run("restart", saved(once)[1][1], "--explore", report=True)
    check(below.report["interleavings"] == 2, str(below))


def check_nothing(tool, folders):
    """There is nothing to save, or the ranks cannot be: it is said, and changes nothing."""
    lone = tool.compile(tool.write("lone.c", LONE))
    once = run_with(tool, folders.new(), program=[lone])
    check(once.status == 0 and "no position was saved: there was no choice" in once.out, str(once))
    threaded = tool.compile(tool.write("threaded.c", THREADED), "-pthread")
    folder = folders.new()
    run = run_with(tool, folder, "--checkpoint-at", "MPI_Recv", program=[threaded])
    check(len(saved(run)) == 4 and run.err.count("only positions are saved") == 1
          and "thread of its own" in run.err, str(run))
    again = tool.run("restart", saved(run)[1][1], "--explore", report=True)
    check("the program is run again" in again.err and again.report["interleavings"] == 3,
          str(again))
    blocked = tool.write("blocked", "a file\n")
    run = tool.run("run", "-n", "2", "--checkpoint-to", blocked + "/x", "--", lone)
    check(run.status == 2, str(run))


def check_bad(tool, program):
    """Each says what is wrong, and nothing is run."""
    for words, said in (
            (["--checkpoint-every", "1"], "--checkpoint-to DIR"),
            (["--checkpoint-at", "MPI_Barrier"], "--checkpoint-to DIR"),
            (["--checkpoint-to", "x", "--checkpoint-every", "0"], "above 0"),
            (["--checkpoint-to", "x", "--checkpoint-every", "-1"], "negative"),
            (["--checkpoint-to", "x", "--checkpoint-every", "soon"], "cannot be 'soon'"),
            (["--checkpoint-to", "x", "--checkpoint-at", "MPI_Barier"], "did you mean MPI_Barrier"),
            (["--checkpoint-to", "x", "--checkpoint-at", "main"], "an MPI function"),
            (["--checkpoint-to", "x", "--checkpoint-at", "3:1"], "no rank 3 among 3"),
            (["--checkpoint-to", "x", "--checkpoint-at", "0:0"], "from 1 up"),
            (["--checkpoint-to", "x", "--checkpoint-at", "0:x"], "from 1 up"),
            (["--checkpoint-to", "x", "--checkpoint-at", "0:3", "--checkpoint-every", "2"],
             "is made once"),
            (["--checkpoint-to", "/dev/null"], "no folder"),
            (["--checkpoint-to", "missing/folder/x"], "cannot be made")):
        for command in ("explore", "run", "debug"):
            run = tool.run(command, "-n", "3", *words, "--", program)
            check(run.status == 2 and said in run.err, "%s: %s" % (words, run))
    check(not os.path.exists(os.path.join(tool.directory, "x")), "a folder was made")


def body(tool, options):
    del options
    program = tool.compile(tool.write("rounds.c", PROGRAM))
    folders = Folders(tool)
    check_bad(tool, program)
    check_first_choice(tool, folders, program)
    check_function(tool, folders, program)
    check_call(tool, folders, program)
    check_time(tool, folders, program)
    check_prompt(tool, folders, program)
    check_programs(tool, folders, program)
    check_nothing(tool, folders)


if __name__ == "__main__":
    harness.main(__doc__, body)
