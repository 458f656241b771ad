"""Ranks poll, and nothing else can go on: some are answered "not yet" without a choice. The path of
an interleaving leads to the same one again, whether it is from `run`, with calls that wait or not,
or from `explore`. (Paths of `explore` with 3 ranks: docs/limits.md.)"""

import harness
from harness import check

# Rank 0 looks for a message that does not come, and then sends. The others test until they have
# what they receive, and send it on. Each prints how often it has looked. The first argument is how
# often rank 0 looks, the second one whom the others receive from.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	int rank, size, there = 0, looked = 0, value = 0, source;
	MPI_Request request;

	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (; looked < atoi(argv[1]); looked++)
			MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	} else {
		source = strcmp(argv[2], "any") == 0 ? MPI_ANY_SOURCE : rank - 1;
		MPI_Irecv(&value, 1, MPI_INT, source, 1, MPI_COMM_WORLD, &request);
		for (; !there; looked++)
			MPI_Test(&request, &there, MPI_STATUS_IGNORE);
	}
	value++;
	if (rank + 1 < size)
		MPI_Send(&value, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
	printf("%d %d\n", looked, value);
	MPI_Finalize();
	return 0;
}
"""


def seen(execution):
    return (execution["path"], execution["status"], execution["output"],
            sorted((one["rank"], one["call"], one["source"], one["send_call"])
                   for one in execution["matches"]))


def check_paths(tool, command, found):
    """Each of these executions is the same again."""
    for execution in found:
        replay = tool.run("replay", execution["path"], "--", *command, report=True)
        check(replay.status == 0, "%s\n%s" % (execution["path"], replay))
        again = replay.report["executions"][0]
        check(seen(again) == seen(execution), "%s, not %s" % (seen(again), seen(execution)))


def body(tool, options):
    program = tool.compile(tool.write("polled_paths.c", SOURCE))
    replayed = 0
    for ranks in (2, 3):
        for looks in range(6):
            for source in ("any", "named"):
                command = (program, str(looks), source)
                for options_of_run in ((), ("--wait-each-call",)):
                    run = tool.run("run", "-n", str(ranks), *options_of_run, "--", *command,
                                   report=True)
                    check_paths(tool, command, run.report["executions"])
                replayed += 2
                if ranks == 2:
                    explored = tool.run("explore", "-n", "2", "--", *command, report=True)
                    check_paths(tool, command, explored.report["executions"])
                    replayed += len(explored.report["executions"])
    check(replayed > 48, "only %d paths" % replayed)


if __name__ == "__main__":
    harness.main(__doc__, body)
