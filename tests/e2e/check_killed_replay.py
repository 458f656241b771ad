"""The replays of a finding are killed from outside, each of them twice. The report must not say
that they ended otherwise: how the program would have ended is not known."""

import os

import harness
from harness import check

# Deadlocks the first time, and is killed every later time. A directory made without matchpoint's
# knowledge marks the first run; otherwise it would be put back.
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


# A launcher that takes longer to end than its ranks, as on a loaded machine; and one that loses
# their exit status, as Hydra of MPICH 4.2 sometimes does.
LAUNCHERS = {
    "slow": '#!/bin/sh\nmpiexec.mpich "$@"\nstatus=$?\nsleep 3\nexit $status\n',
    "forgetful": '#!/bin/sh\nmpiexec.mpich "$@" >/dev/null 2>&1\nexit 0\n',
}


KILLED = "by SIGKILL"
UNTOLD = "probably: the job launcher did not report how it ended"


def check_run(run, *words):
    check(run.status == 1, str(run))
    check([finding["kind"] for finding in run.report["findings"]] == ["deadlock"], str(run))
    finding = run.report["findings"][0]
    check(not finding["replayed"] and not finding["reproduced"], str(run))
    check("its replay was killed from outside" in run.out, str(run))
    check("otherwise" not in run.out and "no time" not in run.out, str(run))
    check(any(f"replay of deadlock #1 was ended from outside (rank 0, {how})" in note
              for how in words for note in run.report["notes"]), str(run))


def body(tool, _options):
    program = tool.compile(tool.write("killed_replay.c", SOURCE))
    options = "-n", "2", "--buffering", "infinite"
    for backtrack in "snapshot", "rerun":
        check_run(tool.run("explore", *options, "--backtrack", backtrack, "--", program, backtrack,
                           report=True), KILLED, *([UNTOLD] if backtrack == "rerun" else []))
    for name, script in LAUNCHERS.items():
        launcher = tool.write(name, script)
        os.chmod(launcher, 0o755)
        run = tool.run("explore", *options, "--backtrack", "rerun", "--launcher",
                       f"{launcher} -n 2", "--", program, "been_" + name, report=True)
        check_run(run, UNTOLD, *([KILLED] if name == "slow" else []))
    # Killed from the beginning: the finding must not say more than is known.
    run = tool.run("explore", *options, "--backtrack", "rerun", "--launcher", f"{launcher} -n 2",
                   "--", program, "been_" + name, report=True)
    check([finding["kind"] for finding in run.report["findings"]] == ["exit"], str(run))
    words = "rank 0 ended without MPI_Finalize (it is not known how), twice along this path"
    check(words in run.out, str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
