"""matchpoint debug: checkpoints, with returns in any order, by images of the ranks, by keepers and
by rerun. Each way must show the same. Images are refused where a rank holds something that they
cannot contain, and are lost where a rank crashes."""

import difflib
import os
import random
import re

import harness
from check_debug import stops
from harness import check

# What each rank sends depends on everything it has received, and on memory allocated since the
# first round. Rank 0 prints without flushing.
ROUNDS = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define BYTES (2 << 20)
enum { ROUNDS = 6, FILES = 1, GROWS, CRASHES, LATE, HANDLES };
static int caught;
static void handle(int number)
{
	caught += number;
}
int main(int argc, char **argv)
{
	int rank, size, kind = argc > 1 ? atoi(argv[1]) : 0, got, sum = 0;
	char *memory;
	FILE *file = NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	memory = malloc(BYTES);
	for (int i = 0; i < BYTES; i++)
		memory[i] = (char)(i % 3);
	for (int round = 0; round < ROUNDS; round++) {
		if (kind == FILES && round == 2 && rank == 0)
			file = fopen("written", "w");
		if (file)
			fprintf(file, "%d\n", sum);
		if (file)
			fflush(file);
		if (kind == GROWS && round % 2 == 1) {
			char *more = malloc(1 << 20);
			more[round * 4096] = (char)sum;
			sum += more[round * 4096] == (char)sum;
		}
		if (kind == HANDLES && round == 1)
			signal(SIGUSR1, handle);
		if (kind == HANDLES && round >= 1)
			raise(SIGUSR1);
		sum += caught;
		for (int i = 1; rank == 0 && i < size; i++) {
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			sum = (sum * 7 + got) % 10007;
			memory[got * 100 % BYTES]++;
			printf("got %d: %d\n", got, sum);
		}
		if (rank > 0) {
			got = (sum + rank * 10 + memory[round * 5000]++) % 10007;
			MPI_Send(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		}
		MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
		memory[round * 5000 + 4096] += (char)sum;
	}
	for (int i = 0; i < BYTES; i++)
		sum = (sum * 3 + memory[i]) % 10007;
	printf("%d\n", sum);
	if (kind == CRASHES && rank == 1)
		abort();
	MPI_Finalize();
	if (kind == LATE)
		_Exit(0);
	return 0;
}
"""

PLAIN, FILES, GROWS, CRASHES, LATE, HANDLES = range(6)


def lines_of(seed, kept):
    """Goes to the end with a checkpoint at each stop; then back to random ones, and on from
    there."""
    chance = random.Random(seed)
    lines = ["run"]
    for number in range(kept):
        lines += ["checkpoint", str(chance.choice((1, 2)))]
        if number % 5 == 4:
            lines += ["step %d" % chance.randrange(3), "hold 0", "checkpoint held%d" % number,
                      "release"]
    lines += ["finish"]
    for _ in range(10):
        number = chance.randrange(kept)
        lines += ["restart %d" % (number + 1), "choices", str(chance.choice((1, 2))), "choices",
                  "checkpoint", "back", "choices", chance.choice(("restart held4", "back")),
                  "where", chance.choice(("finish", "1", "reverse-step 1")), "info messages"]
    return lines + ["finish"]


def walked(tool, program, kind, way, lines):
    log = os.path.join(tool.directory, "snapshots.log")
    tool.environment = {"MATCHPOINT_LOG": log + ":snapshots"}
    script = tool.write("script.mp", "\n".join(lines) + "\n")
    run = tool.run("debug", "-n", "3", "--backtrack", way, "-x", script, "--batch", "--", program,
                   str(kind))
    tool.environment = {}
    with open(log) as file:
        told = file.read()
    os.remove(log)
    return run, told


def check_kind(tool, program, kind, seed, images, refused):
    lines = lines_of(seed, 8)
    ways = ("snapshot", "rerun") if kind == PLAIN else ("snapshot",)
    runs = {way: walked(tool, program, kind, way, lines) for way in ("auto", *ways)}
    outs = {way: re.sub(r", a snapshot|^automatic.*\n", "", run.out)
            for way, (run, _) in runs.items()}
    run, log = runs["auto"]
    check(len(stops(run)) > 30, str(run))
    for way in ways:
        differs = "".join(difflib.unified_diff(outs["auto"].splitlines(True),
                                               outs[way].splitlines(True), "images", way, n=12))
        check(not differs and run.status == runs[way][0].status,
              "kind %d, seed %d, exit statuses %d and %d:\n%s" % (
                  kind, seed, run.status, runs[way][0].status, differs))
    gone_back = len(re.findall("to an image", log))
    check(not images or gone_back > 0,
          "kind %d, seed %d: no rank went back to an image of itself\n%s" % (kind, seed, log))
    check(not refused or refused in log, "%s: not in\n%s" % (refused, log))
    check("to an image" not in runs["snapshot"][1], "images, where keepers are asked for")


def body(tool, options):
    program = tool.compile(tool.write("rounds.c", ROUNDS))
    for seed in range(1, 1 + options.seeds):
        check_kind(tool, program, PLAIN, seed, True, None)
        check_kind(tool, program, FILES, seed, False, "it has read or written files")
        check_kind(tool, program, GROWS, seed, False, "its mappings have changed")
        check_kind(tool, program, CRASHES, seed, True, None)
        check_kind(tool, program, LATE, seed, False, None)
        check_kind(tool, program, HANDLES, seed, True, None)


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument(
        "--seeds", type=int, default=2, help="walks of each program"))
