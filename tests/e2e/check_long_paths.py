"""A path that is too long for a line is cut; the command that repeats its finding names the
store."""

import re
import shlex

import harness
from harness import check

PROGRAM = r"""
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, number;
	MPI_Comm kept;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 0; round < 120; round++) {
		for (int i = 1; i < size && rank == 0; i++)
			MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Comm_dup(MPI_COMM_WORLD, &kept);
	MPI_Finalize();
	return 0;
}
"""


def body(tool, _options):
    program = tool.compile(tool.write("rounds.c", PROGRAM))
    run = tool.run("explore", "-n", "3", "--max-interleavings", "2", "--store", "the store",
                   "--html", "page.html", program, report=True)
    check(run.status == 1, run)
    whole = run.report["findings"][0]["path"]
    check(whole.count(",") > 50, whole)
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
