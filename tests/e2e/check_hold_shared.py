"""matchpoint debug: ranks are held and go back in programs with windows, and in programs whose
ranks have several threads. Each end reached must be the end of its path."""

import random
import re

import harness
from check_debug import debug, paths, source, stops
from check_hold import rollbacks, walk
from harness import check

# Who has the lock reads what the one before it left there; then each puts to its neighbour between
# fences, and exposes its window to rank 0.
LOCKS = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size, *memory, before, one, here;
	MPI_Win window;
	MPI_Group all, others, first;
	int zero = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(12, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	memory[0] = memory[1] = memory[2] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
	MPI_Get(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
	MPI_Win_flush(0, window);
	one = 10 * before + rank + 1;
	MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
	MPI_Win_unlock(0, window);
	printf("found %d\n", before);
	MPI_Win_fence(0, window);
	MPI_Put(&before, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, window);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
	printf("got %d\n", memory[1]);
	MPI_Win_get_group(window, &all);
	MPI_Group_incl(all, 1, &zero, &first);
	MPI_Group_excl(all, 1, &zero, &others);
	if (rank == 0) {
		MPI_Win_start(others, 0, window);
		for (int i = 1; i < size; i++)
			MPI_Put(&before, 1, MPI_INT, i, 2, 1, MPI_INT, window);
		MPI_Win_complete(window);
	} else {
		MPI_Win_post(first, 0, window);
		MPI_Win_wait(window);
	}
	here = memory[2];
	MPI_Group_free(&all);
	MPI_Group_free(&first);
	MPI_Group_free(&others);
	printf("got %d from rank 0\n", here);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
"""


def check_locks(tool):
    """Who goes back takes along those who had the lock after it, and nobody else."""
    program = tool.compile(tool.write("locks.c", LOCKS))
    run = debug(tool, ["run", "2", "1", "rollback 0.4", "info path", "2", "finish", "rollback 1.4",
                       "info path"], "-n", "3", program)
    check(stops(run) == ["choice w1.0.1", "choice w1.0.2", "end", "choice w1.0.2", "end",
                         "choice w1.0.1"], str(run))
    check(rollbacks(run) == ["0.4 1.6 2.4", "0.4 1.4 2.4"], str(run))
    check(paths(run) == ["mp1:n3:zero:w1.0.1=1", "mp1:n3:zero:"], str(run))
    check(re.findall(r"found (\d+)", run.out) == ["2", "0", "21", "23", "0", "2"], str(run))
    run = debug(tool, ["run", "2", "1", "goto 0.5,1.4", "goto 1.7", "reverse-step 1",
                       "info calls 1"], "-n", "3", program)
    check("rank 0 returned from its call 4 only after rank 1 had passed its call 4: the nearest "
          "is goto 0.4,1.4,2.4" in run.out, str(run))
    here = re.findall(r"^  (1\.\d+)  .*  here(?:, snapshot)?$", run.out, re.M)
    check(here == ["1.6"], str(run))


def check_learnt(tool):
    """Rank 1 comes out of its loop when it sees what rank 2 has done to a window. It goes back to
    the first look that came after that."""
    program = tool.compile(source("programs/window_spin"))
    script = tool.write("learnt.mp", "run\nrollback 2.4\nfinish\n")
    run = tool.run("debug", "-n", "3", "-x", script, "--batch", "--", program, "1")
    check(rollbacks(run) == ["0.5 1.7 2.4"] and stops(run)[-1] == "end", str(run))


# Two threads of rank 0 receive from anybody, one of them a message more.
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static void *receive(void *place)
{
	int value, number = *(int *)place;
	for (int i = 0; i < 2 + number; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, number, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		printf("got %d in thread %d\n", value, number);
		MPI_Send(&value, 1, MPI_INT, value / 10, 7, MPI_COMM_WORLD);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	int level, rank, value, zero = 0, one = 1;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		pthread_create(&thread, NULL, receive, &one);
		receive(&zero);
		pthread_join(thread, NULL);
	}
	for (int i = 0; i < 2 && rank > 0; i++) {
		value = 10 * rank + i;
		MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	value = 12;
	if (rank == 1) {
		MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("got to the end\n");
	MPI_Finalize();
	return 0;
}
"""


def check_threads(tool):
    """A rank with several threads is held, steps, stops at breakpoints, and goes back."""
    program = tool.compile(tool.write("threads.c", THREADS), "-pthread")
    run = debug(tool, ["hold 0", "run", "step 1", "release", "step 0 3", "info calls 0",
                       "tbreak MPI_Send rank 0", "continue", "where 0", "rollback 0.3",
                       "info path", "info calls 0", "step 0", "continue", "finish",
                       "reverse-step 0", "info calls 0", "continue"], "-n", "3", program)
    check(stops(run) == ["held", "choice 0.2", "breakpoint 1", "held", "held", "choice 0.3", "end",
                         "held", "end"], str(run))
    check("rank 1 returns from its MPI_Init_thread together with rank 0" in run.out, str(run))
    at_break = run.out.partition("(matchpoint) where 0")[2].partition("(matchpoint)")[0]
    check(re.search(r"^  rank 0, main thread  MPI_Send\(dest=1, tag=7\) .* is held$", at_break,
                    re.M)
          and re.search(r"^  rank 0, thread 1  MPI_Recv\(ANY_SOURCE, tag=1\) .* waits for",
                        at_break, re.M),
          "each thread has a line\n%s" % run)
    check(rollbacks(run) == ["0.3 1.3 2.2", "0.13 1.9 2.7"], str(run))
    check("a thread waits for its turn, which comes when no rank is held" in run.out, str(run))
    check(re.findall(r"^  (0\.\d+)  .*  here$", run.out, re.M) == ["0.3", "0.3", "0.13"],
          str(run))
    ends = run.out.split("stopped: end")[1:]
    check(len(ends) == 2 and ends[0].partition("(match")[0] == ends[1].partition("(match")[0],
          str(run))
    # In another session the same place; held, nobody has a turn until it is let go.
    place = re.search("^position: (.*)$", run.out, re.M).group(1)
    run = debug(tool, ["goto " + place, "info path", "hold 0", "continue", "release", "finish"],
                "-n", "3", program)
    check("position: %s\n" % place in run.out, str(run))
    check("no rank can go on: use release 0, and continue" in run.out, str(run))
    check(stops(run) == ["held", "end"], str(run))


def check_walks(tool, seeds):
    programs = [(tool.compile(tool.write("locks.c", LOCKS)), 3, ("--buffering", "infinite")),
                (tool.compile(tool.write("threads.c", THREADS), "-pthread"), 3, ())]
    for program, ranks, options in programs:
        for seed in range(seeds):
            lines = walk(ranks, random.Random(seed), 12)
            run = debug(tool, lines, "-n", str(ranks), *options, program)
            what = "%s, seed %d: %s\n%s" % (program, seed, lines, run)
            check(run.status == 0, what)
            again = tool.run("replay", paths(run)[-1], "--json", "-", "--", program)
            check(again.status == 0, "%s\n%s" % (what, again))
            told = re.findall(r"^    ((?:got|found) .*)$", run.out.rpartition("stopped:")[2],
                              flags=re.M)
            check(len(told) in (8, 9), what)
            for line in told:
                check(line in again.out, "%s is printed\n%s\n%s" % (line, what, again))


def body(tool, options):
    check_locks(tool)
    check_learnt(tool)
    check_threads(tool)
    check_walks(tool, options.seeds)


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument(
        "--seeds", type=int, default=3, help="random walks for each program"))
