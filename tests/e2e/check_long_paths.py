"""A path that is too long for a line is cut; the command that repeats its finding names the
store."""

import re
import shlex

import harness
from harness import check

ROUNDS = 120

# It leaks only if rank 2 comes first in each round, so its path needs all choices.
PROGRAM = r"""
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, number, first = 0;
	MPI_Comm kept;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 2 && rank == 0; i++) {
			MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			first += i == 0 && number == 2;
		}
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (first == ROUNDS)
		MPI_Comm_dup(MPI_COMM_WORLD, &kept);
	MPI_Finalize();
	return 0;
}
"""


def body(tool, _options):
    program = tool.compile(tool.write("rounds.c", PROGRAM), "-DROUNDS=%d" % ROUNDS)
    path = "mp1:n3:zero:" + ",".join("0.%d=2" % (2 + 3 * i) for i in range(ROUNDS))
    run = tool.run("explore", "--from", path, "--store", "the store", "--html", "page.html",
                   program, report=True)
    check(run.status == 1, run)
    whole = run.report["findings"][0]["path"]
    check(whole.count(",") == ROUNDS - 1, whole)
    cut = re.search(r"^  path: (.*),\.\.\. \((\d+) choices; --json has the whole path\)$", run.out,
                    flags=re.M)
    check(cut and whole.startswith(cut.group(1) + ",") and len(cut.group(0)) < 400, run)
    check(int(cut.group(2)) == whole.count(",") + 1, run)
    again = re.search(r"^  again: matchpoint (.*)$", run.out, flags=re.M).group(1)
    check(again == "replay 1 --store 'the store'", again)
    run = tool.run(*shlex.split(again), report=True)
    check(run.status == 1 and run.report["findings"][0]["path"] == whole, run)
    # A store that is removed with the command leaves only the path.
    run = tool.run("report", "the store", "the store")
    check(run.status == 4 or whole in run.out, run)


if __name__ == "__main__":
    harness.main(__doc__, body)
