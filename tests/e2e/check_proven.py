"""A run whose ranks go on where MPI itself proves the match is the same as one in which every call
waits: matches, choices, findings and output. It is the same each time. Its ranks wait less
often."""

import os
import resource

import harness
from harness import check, program

SMALL_CALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           "../benchmark/small_calls.c")
WORKLOAD = os.path.join(os.path.dirname(SMALL_CALLS), "workload.c")

# Each rank receives what it names, and something goes wrong: a message that is too long, one of
# another type, one that never comes, and one that an earlier receive from any source must get. Then
# rank 1's MPI_Waitany must not return the second request while its first one is there.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	int rank, values[4] = {0}, one = 0, index = -1;
	const char *what = argv[1];
	MPI_Request requests[2];
	MPI_Status status;

	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		for (int i = 0; i < 4; i++)
			values[i] = i + 1;
		if (strcmp(what, "never") != 0)
			MPI_Send(values, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(&values[3], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else if (strcmp(what, "long") == 0) {
		int code = MPI_Recv(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
		printf("%d\n", code != MPI_SUCCESS);
	} else if (strcmp(what, "type") == 0) {
		MPI_Irecv(values, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Wait(&requests[0], &status);
	} else if (strcmp(what, "any") == 0) {
		MPI_Irecv(values, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
	} else if (strcmp(what, "waitany") == 0) {
		MPI_Recv(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
		MPI_Irecv(&one, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[1]);
		MPI_Irecv(values, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Waitany(2, requests, &index, &status);
		printf("%d %d\n", index, values[3]);
		MPI_Wait(&requests[1], &status);
	} else {
		MPI_Recv(values, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
	}
	printf("%d %d\n", values[0], one);
	MPI_Finalize();
	return 0;
}
"""
WAYS = ("long", "type", "any", "waitany", "never")

# Each rank goes on in collectives for which all have come with the same arguments, of all kinds and
# on communicators that are freed at once. Then something goes wrong in one.
COLLECTIVES = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank, size;
static void right(int rounds)
{
	int values[64] = {0}, all[64] = {0}, counts[64], places[64];
	MPI_Comm half;

	for (int i = 0; i < size; i++)
		counts[i] = 1, places[i] = i;
	for (int i = 0; i < rounds; i++) {
		values[0] = rank + i;
		MPI_Allreduce(values, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		if (all[0] != size * i + size * (size - 1) / 2)
			MPI_Abort(MPI_COMM_WORLD, 9);
		MPI_Bcast(values, 1, MPI_INT, i % size, MPI_COMM_WORLD);
		if (values[0] != i % size + i)
			MPI_Abort(MPI_COMM_WORLD, 10);
		MPI_Reduce(&rank, all, 1, MPI_INT, MPI_MAX, i % size, MPI_COMM_WORLD);
		MPI_Scan(&rank, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Gatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
		if (all[size - 1] != size - 1)
			MPI_Abort(MPI_COMM_WORLD, 11);
		MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_SELF);
		if (i % 8 == 7) {
			MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
			MPI_Allreduce(&rank, all, 1, MPI_INT, MPI_SUM, half);
			MPI_Comm_free(&half);
		}
	}
}
int main(int argc, char **argv)
{
	int values[4] = {0}, all[4];
	const char *what = argv[1];
	MPI_Comm other;

	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; strcmp(what, "behind") == 0 && i < 300; i++) {
		MPI_Request request;
		int later;

		MPI_Iallreduce(&i, &later, 1, MPI_INT, MPI_SUM, other, &request);
		MPI_Allreduce(&rank, all, 1, MPI_INT, MPI_MAX, other);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (all[0] != size - 1 || later != size * i)
			MPI_Abort(MPI_COMM_WORLD, 12);
	}
	for (int i = 0; strcmp(what, "many") == 0 && i < 300; i++) {
		MPI_Allreduce(&rank, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Bcast(values, 1, MPI_INT, i % size, MPI_COMM_WORLD);
		MPI_Barrier(other);
	}
	right(10);
	if (strcmp(what, "root") == 0) {
		MPI_Bcast(values, 1, MPI_INT, rank == 1, MPI_COMM_WORLD);
	} else if (strcmp(what, "kind") == 0 && rank == 1) {
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (strcmp(what, "kind") == 0) {
		MPI_Allreduce(values, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	} else if (strcmp(what, "count") == 0) {
		MPI_Allreduce(values, all, 1 + rank, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	} else if (strcmp(what, "type") == 0) {
		MPI_Bcast(values, 1, rank == 1 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
	} else if (strcmp(what, "op") == 0) {
		MPI_Allreduce(values, all, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM,
		              MPI_COMM_WORLD);
	} else if (strcmp(what, "order") == 0) {
		MPI_Barrier(rank == 1 ? other : MPI_COMM_WORLD);
		MPI_Barrier(rank == 1 ? MPI_COMM_WORLD : other);
	} else if (strcmp(what, "crash") == 0 && rank == 1) {
		*(volatile int *)(intptr_t)values[0] = 1;
	} else if (strcmp(what, "abort") == 0 && rank == 1) {
		MPI_Abort(MPI_COMM_WORLD, 3);
	} else if (strcmp(what, "exit") == 0 && rank == 1) {
		exit(4);
	} else if (strcmp(what, "blocked") == 0 && rank == 1) {
		MPI_Recv(values, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (strcmp(what, "late") == 0) {
		for (int i = 0; i < 6; i++) { /* nobody goes on */
			usleep(rank == i % size ? 30000 : 0);
			MPI_Allreduce(&rank, all, 1, MPI_INT, MPI_SUM,
			              i % 2 ? other : MPI_COMM_WORLD);
			MPI_Bcast(values, 1, MPI_INT, i % size, other);
		}
		MPI_Comm_free(&other);
		MPI_Finalize();
		printf("%d\n", all[0]);
		return 0;
	} else if (strcmp(what, "error") == 0 && rank == 1) {
		printf("%d\n", MPI_Bcast(values, 1, MPI_INT, size, MPI_COMM_WORLD) != MPI_SUCCESS);
	}
	right(5);
	MPI_Comm_free(&other);
	printf("%d\n", rank);
	MPI_Finalize();
	return 0;
}
"""
COLLECTIVE_WAYS = ("root", "kind", "count", "type", "op", "order", "crash", "abort", "exit",
                   "blocked", "error", "late")

# Of large_pairs.c: under infinite buffering, under both. A large message may go from the
# program's buffer only if its receiver certainly waits for it.
LARGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "large_pairs.c")
LARGE_INFINITE = (("late", 2), ("small", 2), ("several", 2), ("probed", 2))
LARGE_BOTH = (("late", 2), ("any", 2), ("ways", 3), ("heads_on", 2), ("pending", 2), ("long", 2),
              ("type", 2), ("tag", 2), ("never", 2), ("gone", 2))
SEEDS = range(1, 7)

PROGRAMS = (("isendrecv", 3), ("statuses", 2))


def outcome(run, timed):
    """In another order of matches, the same. `timed`: the program prints times."""
    execution = run.report["executions"][0]
    return {"status": execution["status"],
            "matches": sorted((one["rank"], one["call"], one["source"], one["send_call"])
                              for one in execution["matches"]),
            "choices": sorted((one["rank"], one["call"], str(one["taken"]))
                              for one in execution["choices"]),
            "output": [] if timed else execution["output"],
            "findings": [(one["kind"], one.get("message")) for one in run.report["findings"]]}


def check_same(tool, ranks, *command, timed=False, first=("--wait-each-call",),
               buffering="infinite"):
    """Returns how often the processes waited: with the options `first`, and without."""
    outcomes, waits = [], []
    for options in (first, ()):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
        run = tool.run("run", "-n", str(ranks), "--buffering", buffering, *options, "--",
                       *command, report=True)
        waits.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before)
        outcomes.append(outcome(run, timed))
    for what, expected in outcomes[0].items():
        got = outcomes[1][what]
        check(got == expected, "%s: %s: %.200s, not %.200s" % (command, what, got, expected))
    check(any(outcomes[0][what] for what in ("matches", "output", "findings")),
          "%s: nothing" % (command,))
    return waits


def exchanges(tool, buffering, *command):
    """Returns how many calls of MPI_Sendrecv there were, and how many of them went on alone."""
    record = os.path.join(tool.directory, "calls.log")
    tool.run("run", "-n", "2", "--buffering", buffering, "--", *command,
             environment={"MATCHPOINT_LOG": record + ":wire"})
    with open(record) as file:
        calls = [line for line in file if "function=MPI_Sendrecv " in line]
    return len(calls), sum(" ahead=1 " in line for line in calls)


def check_large(tool):
    large = tool.compile(LARGE)
    for way, ranks in LARGE_INFINITE:
        check_same(tool, ranks, large, way)
    for way, ranks in LARGE_BOTH:
        for buffering in ("zero", "infinite"):
            check_same(tool, ranks, large, way, buffering=buffering)
    for seed in SEEDS:
        check_same(tool, 3, large, "random", str(seed))
    workload = tool.compile(WORKLOAD)
    for buffering in ("zero", "infinite"):
        calls, alone = exchanges(tool, buffering, workload, "exchange", "100", "1000000")
        # On a busy machine the other rank often comes late.
        check(calls == 200 and alone > 0,
              "%s: %d of %d calls went on alone" % (buffering, alone, calls))


def body(tool, options):
    small = tool.compile(SMALL_CALLS)
    for ranks in (2, 3):
        check_same(tool, ranks, small, "setup", "1", timed=True)
    before, after = check_same(tool, 2, small, "blocks", "40", timed=True)
    check(after < 0.6 * before, "ranks wait %d times, not %d" % (after, before))
    # Where a rest comes before the oldest request is complete, more ranks may go on before it.
    check_same(tool, 3, small, "blocks", "40", timed=True, first=())
    collectives = tool.compile(tool.write("collectives.c", COLLECTIVES))
    before, after = check_same(tool, 2, collectives, "many")
    # On a busy machine many members are missing for longer than a moment.
    check(after < 0.9 * before, "ranks wait %d times in collectives, not %d" % (after, before))
    # MPI gets them in one order in all ranks, though one is posted when all have come to it.
    check_same(tool, 3, collectives, "behind")
    for way in COLLECTIVE_WAYS:
        check_same(tool, 3, collectives, way)
    wrong = tool.compile(tool.write("wrong.c", SOURCE))
    for way in WAYS:
        check_same(tool, 2, wrong, way)
    check_large(tool)
    for name, ranks in PROGRAMS:
        check_same(tool, ranks, tool.compile(program(name + ".c")))


if __name__ == "__main__":
    harness.main(__doc__, body)
