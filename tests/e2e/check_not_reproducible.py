"""A program that depends on more than matching is reported. What it showed once is marked as not
reproduced, and the first call that differs is a finding. It is no finding which of two ranks'
threads was the first to call MPI against the rules."""

import os

import harness
from harness import check

# The file is outside matchpoint's control: neither a rerun nor a snapshot puts it back. After the
# messages have come in the wrong order once, the program runs correctly.
SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first_time(const char *file)
{
	return syscall(SYS_open, file, O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0;
}

int main(int argc, char **argv)
{
	int rank, one, other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (one > other && first_time(argv[1]))
			MPI_Recv(&one, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""


def check_threads(tool):
    program = tool.compile(harness.program("thread_level_late.c"), "-pthread")
    for _ in range(4):
        run = tool.run("explore", "-n", "2", "--", program, "1", "both", report=True)
        check([one["kind"] for one in run.report["findings"]] == ["thread-level"], str(run))
        check(run.report["findings"][0]["reproduced"], str(run))


def body(tool, _options):
    check_threads(tool)
    source = tool.write("fickle.c", SOURCE)
    program = tool.compile(source)
    for backtrack in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", "--buffering", "infinite", "--backtrack", backtrack,
                       "--", program, os.path.join(tool.directory, backtrack), report=True)
        check(run.status == 1, str(run))
        findings = {finding["kind"]: finding for finding in run.report["findings"]}
        check(sorted(findings) == ["deadlock", "not-reproducible"], str(run))
        check(not findings["deadlock"]["reproduced"], "it was reproduced\n%s" % run)
        check("stack" not in findings["deadlock"]["ranks"][0], "another run's stack\n%s" % run)
        check("its replay ended differently" in run.out, str(run))
        check(findings["not-reproducible"]["message"]
              == "rank 0's call 4 was MPI_Recv(source=1, tag=9), and is MPI_Finalize when the same "
                 "path is followed again", str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
