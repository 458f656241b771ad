"""How soon a bug is found in trees far too large to explore, in each order of the search.

python3 tests/benchmark/first_finding.py --matchpoint build/release/matchpoint

Twenty programs with one bug each. The bug depends on what is received in one of four ways (a place
in the order, several places, a count, the buffering), with five sizes or places each. A row for
each: interleavings until the first finding, and seconds; "-": none within the limit. Not a test:
seconds from a loaded machine mean little. Standard library only."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ORDERS = (("depth", ["--order", "depth"]), ("deviations", ["--order", "deviations"]),
          ("random", ["--random", "1"]), ("portfolio", ["--order", "portfolio"]))

# Rank 0 takes ROUNDS messages of each other rank, in any order, and fails if WRONG.
SOURCE = r"""
#include <mpi.h>
enum { ROUNDS = %(rounds)d };
int main(int argc, char **argv)
{
	int rank, size, value, total, from[1000], often[64] = {0}, wrong = 0;
	MPI_Status status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	total = ROUNDS * (size - 1);
	%(before)s
	for (int i = 0; rank > 0 && i < ROUNDS; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < total; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		from[i] = status.MPI_SOURCE;
		often[from[i]]++;
		%(during)s
	}
	if (rank == 0) {
		%(after)s
	}
	if (wrong)
		MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""

# A message of rank 2 overtakes one of rank 1, although rank 2 had to wait for a message that rank 1
# sends later: possible only if sends need not wait.
OVERTAKEN = r"""
	if (rank == 1) {
		MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
		MPI_Send(&rank, 1, MPI_INT, 2, 6, MPI_COMM_WORLD);
	}
	if (rank == 2) {
		MPI_Recv(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	}
	for (int i = 0; rank == 0 && i < 2; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
		wrong |= i == 0 && status.MPI_SOURCE == 2;
	}
"""


def programs():
    """Name, ranks and source of each program."""
    for place, (ranks, rounds) in (("0", (4, 4)), ("1", (5, 4)), ("total / 2", (4, 6)),
                                   ("total - 2", (4, 5)), ("total / 3", (6, 3))):
        yield ("receive %s takes the last rank's" % place, ranks,
               {"rounds": rounds, "before": "", "during": "",
                "after": "wrong = from[%s] == size - 1;" % place})
    for first, second in ((0, "total - 1"), (1, 4), (2, "total / 2"), (0, 1), (3, "total - 3")):
        yield ("receives %s and %s take rank 2's" % (first, second), 4,
               {"rounds": 5, "before": "", "during": "",
                "after": "wrong = from[%s] == 2 && from[%s] == 2;" % (first, second)})
    for lead in (2, 3, 4, 5, 6):
        yield ("rank 3 is %d messages ahead of rank 1" % lead, 4,
               {"rounds": 6, "before": "", "after": "",
                "during": "wrong |= often[3] >= often[1] + %d;" % lead})
    for ranks, rounds in ((3, 6), (4, 4), (4, 6), (5, 4), (6, 4)):
        yield ("a message overtaken, %d ranks" % ranks, ranks,
               {"rounds": rounds, "before": OVERTAKEN, "during": "", "after": ""})


def measure(options, directory, program, ranks, words):
    command = [os.path.abspath(options.matchpoint), "explore", "-q", "-n", str(ranks),
               "--fail-fast", "--max-interleavings", str(options.most), *words, "--json",
               "out.json", "--", program]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode not in (1, 3):
        sys.exit("%s: %s %s" % (command, done.stdout, done.stderr))
    with open(os.path.join(directory, "out.json")) as file:
        report = json.load(file)
    return (report["interleavings"], seconds) if report["findings"] else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matchpoint", required=True)
    parser.add_argument("--mpicc", default="mpicc.mpich")
    parser.add_argument("--most", type=int, default=200, help="interleavings to look at")
    options = parser.parse_args()
    found = {name: [] for name, _ in ORDERS}
    print("%-42s" % "" + "".join("%22s" % name for name, _ in ORDERS))
    with tempfile.TemporaryDirectory() as directory:
        for number, (name, ranks, parts) in enumerate(programs()):
            program = os.path.join(directory, "bug%d" % number)
            with open(program + ".c", "w") as file:
                file.write(SOURCE % parts)
            subprocess.run([options.mpicc, "-g", program + ".c", "-o", program], check=True)
            line = "%-42s" % name
            for order, words in ORDERS:
                one = measure(options, directory, program, ranks, words)
                if one:
                    found[order].append(one)
                line += "%22s" % ("%d, %.2f s" % one if one else "-")
            print(line, flush=True)
    line = "%-42s" % "found; median of those"
    for order, _ in ORDERS:
        median = statistics.median(one[0] for one in found[order]) if found[order] else 0
        line += "%22s" % ("%d of 20; %g" % (len(found[order]), median))
    print(line)


if __name__ == "__main__":
    main()
