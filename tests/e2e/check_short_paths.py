"""A finding's path names only what it has to. Default choices are left out if a replay of the
short path showed the same finding, and named if not."""

import os
import re

import harness
from harness import check

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")

# By default rank 0's first receive takes rank 2's message; but not after rank 3 has taken rank 5's,
# because rank 1's message exists then, too. The deadlock needs both choices.
HASTY = r"""
#include <mpi.h>
#include <stddef.h>
int main(void)
{
	int rank, value = 0, unused, first = 0;
	MPI_Status status;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	switch (rank) {
	case 0:
		MPI_Recv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		first = status.MPI_SOURCE;
		MPI_Recv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		MPI_Recv(&value, 1, MPI_INT, 3, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (first == 2 && value == 5)
			MPI_Recv(&unused, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Recv(&unused, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		break;
	case 3:
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
		if (value == 5)
			MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
		MPI_Recv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
		if (value != 5)
			MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
		break;
	default: MPI_Send(&rank, 1, MPI_INT, rank == 2 ? 0 : 3, rank == 2 ? 0 : 6, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""

# Deadlocks: with the argument 0 or 1 when sends wait, with 2 when broadcasts do; with 3 always.
BROADCASTS = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, value = 0, kind = atoi(argv[1]);
	MPI_Status status;

	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (kind != 2)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 1; kind == 1 && rank == 0 && i < 3; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
	if (kind == 1 && rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	if (kind < 2 && rank < 2)
		MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	if (kind == 2 && rank == 1) /* its root may leave it before rank 0 has come */
		MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
	if (kind == 2 && rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank < 2 && (kind != 2 || rank == 0))
		MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &status);
	if (kind == 2 && rank != 1)
		MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def again_of(run):
    return re.search(r"^  again: matchpoint replay (.*) -- ", run.out, flags=re.M).group(1)


def check_path(tool, path, ranks, program, *arguments, options=()):
    """The only finding is shown by this path; its replay reports the same path."""
    run = tool.run("explore", "-n", str(ranks), *options, program, *arguments, report=True)
    check(len(run.report["findings"]) == 1, run)
    found = run.report["findings"][0]
    check(found["path"] == path and again_of(run) == path, "not %s\n%s" % (path, run))
    again = tool.run("replay", path, "--", program, *arguments, report=True)
    check(again.status == 1 and again.report["findings"][0]["path"] == path, again)
    for name in ("kind", "message"):
        check(again.report["findings"][0][name] == found[name], "%s\n%s" % (run, again))
    return run


def check_resumed(tool, program):
    """A resumed exploration and a merged store report the same path."""
    store = os.path.join(tool.directory, "resumed")
    tool.run("explore", "-n", "3", "--store", store, "--max-interleavings", "4", program)
    run = tool.run("explore", "-n", "3", "--store", store, "--resume", program, report=True)
    check([one["path"] for one in run.report["findings"]] == ["mp1:n3:0.3=2"], run)
    parts = [os.path.join(tool.directory, "part-%d" % part) for part in (1, 2)]
    for number, part in enumerate(parts, 1):
        tool.run("explore", "-n", "3", "--shard", "%d/2" % number, "--store", part, program)
    run = tool.run("report", *parts, report=True)
    check([one["path"] for one in run.report["findings"]] == ["mp1:n3:0.3=2"], run)


def check_debug(tool, program):
    """The choice to blame is not in the path, but the session stops at it."""
    check_path(tool, "mp1:n3:0.2=1", 3, program)
    check_path(tool, "mp1:n3:zero:", 3, program, options=("--buffering", "zero"))
    script = tool.write("look.mp", "choices\ninfo path\n")
    run = tool.run("debug", "1", "-x", script, "--batch")
    check("choice 0.2: 1 2" in run.out, run)


def body(tool, _options):
    compiled = {name: tool.compile(os.path.join(EXAMPLES, name + ".c"))
                for name in ("probe_then_receive", "uneven_reduce", "wildcard_deadlock")}
    check_path(tool, "mp1:n3:0.3=2", 3, compiled["probe_then_receive"])
    check_path(tool, "mp1:n3:zero:0.2=1,0.3=2", 3, compiled["probe_then_receive"],
               options=("--not-yet", "2", "--buffering", "zero"))
    check_path(tool, "mp1:n3:", 3, compiled["uneven_reduce"])
    check_path(tool, "mp1:n6:0.2=2,3.2=5", 6, tool.compile(tool.write("hasty.c", HASTY)))
    broadcasts = tool.compile(tool.write("broadcasts.c", BROADCASTS))
    check_path(tool, "mp1:n3:zero:", 3, broadcasts, "0")
    check_path(tool, "mp1:n3:zero:", 3, broadcasts, "1")
    check_path(tool, "mp1:n3:zero:sync:", 3, broadcasts, "2")
    check_path(tool, "mp1:n3:", 3, broadcasts, "3")
    check_resumed(tool, compiled["probe_then_receive"])
    check_debug(tool, compiled["wildcard_deadlock"])


if __name__ == "__main__":
    harness.main(__doc__, body)
