"""A finding whose replays are killed from outside, each of them twice, is not said to have ended
otherwise: nothing is known of how the program would have."""

import harness
from harness import check

# Deadlocks the first time, and is killed ever after. That it has been there already stands in a
# directory that is made behind matchpoint's back, or it would be put back.
SOURCE = r"""
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, value;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && syscall(SYS_mkdirat, AT_FDCWD, argv[1], 0700) != 0)
		kill(getpid(), SIGKILL);
	MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


def body(tool, _options):
    program = tool.compile(tool.write("killed_replay.c", SOURCE))
    for backtrack in "snapshot", "rerun":
        run = tool.run("explore", "-n", "2", "--buffering", "infinite", "--backtrack", backtrack,
                       "--", program, backtrack, report=True)
        check(run.status == 1, str(run))
        check([finding["kind"] for finding in run.report["findings"]] == ["deadlock"], str(run))
        finding = run.report["findings"][0]
        check(not finding["replayed"] and not finding["reproduced"], str(run))
        check("its replay was ended from outside" in run.out, str(run))
        check("otherwise" not in run.out and "no time" not in run.out, str(run))
        check(any("replay of deadlock #1 was ended from outside (rank 0, by SIGKILL)" in note
                  for note in run.report["notes"]), str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
