"""For any order of the search the result is the same. Where time is limited, interleavings that
differ in an early choice or in the buffering are not left to the end."""

import os
import shutil

import harness
from harness import check, told

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")

# Far more interleavings than there is time for. Deadlocks when the receive that the argument names
# (from 0) takes the last rank's message. With -1 it deadlocks only under infinite buffering, where
# rank 1's first message to rank 2 may be overtaken by what it sends next.
SOURCE = r"""
#include <mpi.h>
#include <stdlib.h>
enum { ROUNDS = 4 };
int main(int argc, char **argv)
{
	int rank, size, value = 0, which = atoi(argv[1]), wrong = 0;
	MPI_Status status;

	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; rank > 0 && i < ROUNDS; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < ROUNDS * (size - 1); i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		wrong |= i == which && status.MPI_SOURCE == size - 1;
	}
	if (which < 0 && rank == 1)
		MPI_Send(&value, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
	if (which < 0 && rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	if (which < 0 && rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&value, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
	}
	for (int i = 0; which < 0 && rank == 2 && i < 2; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
		wrong |= i == 0 && status.MPI_SOURCE == 0;
	}
	if (wrong)
		MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


def check_found(tool, program):
    """Orders find it where depth-first finds nothing, and the same each time."""
    for which in ("0", "5", "-1"):
        arguments = ("explore", "-n", "4", "--max-interleavings", "60")
        run = tool.run(*arguments, program, which, report=True)
        check([one["kind"] for one in run.report["findings"]] == ["deadlock"], str(run))
        paths = [one["path"] for one in run.report["executions"]]
        check(len(set(paths)) == 60, "run twice: %s" % sorted(paths))
    again = tool.run(*arguments, program, which, report=True)
    check(told(run.report) == told(again.report), "not the same again: %s" % again)
    depth = tool.run(*arguments, "--order", "depth", program, "0", report=True)
    check(depth.status == 3 and not depth.report["findings"], str(depth))


def check_all(tool):
    """All interleavings, each once."""
    program = tool.compile(os.path.join(EXAMPLES, "mixed_rounds.c"))
    whole = tool.run("explore", "-n", "4", program, report=True)
    check(whole.report["complete"], str(whole))
    for options in (("--order", "portfolio"), ("--order", "deviations"),
                    ("--max-time", "1000", "-j", "3")):
        run = tool.run("explore", "-n", "4", *options, program, report=True)
        check(told(run.report) == told(whole.report), "%s\n%s" % (whole, run))
    return program, tool.run("explore", "-n", "3", program, report=True)


def check_resumed(tool, program, whole):
    """Stopped repeatedly, and resumed in one order or another."""
    order = ["portfolio", "deviations", "depth"]
    bound = 3
    run = tool.run("explore", "-n", "3", "--max-interleavings", str(bound), program, report=True)
    while not run.report["complete"]:
        bound += 4
        order.append(order.pop(0))
        run = tool.run("explore", "-n", "3", "--resume", "--order", order[0],
                       "--max-interleavings", str(bound), program, report=True)
        check(run.status in (1, 3), str(run))
    check(told(run.report) == told(whole.report), "%s\n%s" % (whole, run))


def check_shards(tool, program, whole):
    stores = [os.path.join(tool.directory, "shard-%d" % shard) for shard in (1, 2)]
    for shard, store in enumerate(stores, 1):
        tool.run("explore", "-n", "3", "--shard", "%d/2" % shard, "--order", "portfolio", "--store",
                 store, program)
    run = tool.run("report", *stores, report=True)
    check(told(run.report) == told(whole.report), "%s\n%s" % (whole, run))
    for store in stores:
        shutil.rmtree(store)


def check_refused(tool, program):
    for options, word in ((("--order", "wide"), "use portfolio, depth or deviations"),
                          (("--order", "depth", "--random", "1"), "an order of their own")):
        run = tool.run("explore", "-n", "3", *options, program)
        check(run.status == 2 and word in run.err, str(run))


def body(tool, _):
    check_found(tool, tool.compile(tool.write("early_choice.c", SOURCE)))
    program, whole = check_all(tool)
    check_resumed(tool, program, whole)
    check_shards(tool, program, whole)
    check_refused(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
