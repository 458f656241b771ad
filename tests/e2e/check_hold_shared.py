"""matchpoint debug: ranks that are held, and go back, in programs with windows. However it was
walked to the end, the end is that of the path."""

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
    check("rank 0 came out of its call 4 only after rank 1 had gone beyond its call 4: the nearest "
          "is goto 0.4,1.4,2.4" in run.out, str(run))
    check(re.findall(r"^  (1\.\d+)  .*is here$", run.out, re.M) == ["1.6"], str(run))


def check_learnt(tool):
    """Rank 1 comes out of its loop when it sees what rank 2 has done to a window."""
    program = tool.compile(source("programs/window_spin"))
    script = tool.write("learnt.mp", "run\nrollback 2.4\nfinish\n")
    run = tool.run("debug", "-n", "3", "-x", script, "--batch", "--", program, "1")
    check(rollbacks(run) == ["0.5 1.4 2.4"] and stops(run)[-1] == "end", str(run))


def check_walks(tool, seeds):
    programs = [(tool.compile(tool.write("locks.c", LOCKS)), 3, ("--buffering", "infinite"))]
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
            check(len(told) == 9, what)
            for line in told:
                check(line in again.out, "%s is printed\n%s\n%s" % (line, what, again))


def body(tool, options):
    check_locks(tool)
    check_learnt(tool)
    check_walks(tool, options.seeds)


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument(
        "--seeds", type=int, default=3, help="random walks for each program"))
