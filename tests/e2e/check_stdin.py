"""Rank 0 reads the file of --stdin, or else the file that matchpoint's standard input is
redirected from. The command that repeats a finding includes it."""

import os

import harness
from harness import check

# The second number is wrong if it is the file's.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, number = 0, wrong = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		if (scanf("%d", &wrong) != 1)
			printf("no input\n");
		for (int i = 1; i < size; i++) {
			MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		}
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return number == wrong;
}
"""


def body(tool, _options):
    program = os.path.basename(tool.compile(tool.write("reader.c", PROGRAM)))
    tool.write("input", "1\n")
    tool.write("the other", "7\n")
    explore = ["explore", "-n", "3", "./" + program]
    with open(os.path.join(tool.directory, "input")) as file:
        run = tool.run(*explore, stdin=file)
        check(run.status == 1 and "--stdin input mp1:n3" in run.out, run)
        read = tool.run("explore", "--stdin", "the other", *explore[1:], stdin=file)
        check(read.status == 0, read)
        file.read(1)
        os.lseek(file.fileno(), 1, os.SEEK_SET)  # a script, which its shell reads
        read = tool.run(*explore, "--store", "read", stdin=file)
        check(read.status == 0 and "no input" in tool.run("run", "-n", "3", "./" + program).out,
              read)
    run = tool.run("explore", "--stdin", "input", *explore[1:], report=True)
    check(run.status == 1 and run.report["stdin"] == "input", run)
    for command, *more in (("replay", "1"), ("replay", "1", "--", "./" + program),
                           ("minimize", "1", "--emit-script", "folder")):
        run = tool.run(command, *more)
        check(run.status == (0 if command == "minimize" else 1), run)
        check("exit" in run.out and "--stdin input mp1:n3" in run.out, run)
    os.rename(os.path.join(tool.directory, "input"), os.path.join(tool.directory, "moved"))
    run = tool.run("replay", "folder")  # which has its own
    check(run.status == 1 and "--stdin folder/input mp1:n3" in run.out, run)


if __name__ == "__main__":
    harness.main(__doc__, body)
