"""What snapshots need is killed (kill -9): a keeper, the launcher, or its supervisor. The program
is started once more for each loss, not for each interleaving from then on. What is found is what
an undisturbed exploration finds. A program that ends its own keepers does not go on for ever. If
copies of a rank cannot be set up, the report has the reason."""

import contextlib
import json
import os
import signal
import time
import uuid

import harness
from check_kills import victims
from harness import check, told

LOSSES = 2  # fewer than after which snapshots are given up

# Along one path rank 0 kills the process that it was forked from.
PARRICIDE = r"""
#include <mpi.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, size, first = 0, other;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(i == 1 ? &first : &other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	if (first == 2)
		syscall(SYS_kill, syscall(SYS_getppid), SIGKILL); /* past the shim */
	if (first == 2)
		usleep(500000);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

# The keepers that rank 0 becomes may not open what their copies need.
FEW_FILES = r"""
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const struct rlimit few = {64, 64}; /* less than AGENT_WORLD_FD */
	int rank, size, other;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		setrlimit(RLIMIT_NOFILE, &few);
	usleep(250000); /* going back here must be worth a snapshot, on a busy machine, too */
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


class Log:
    """From where executions began, so far."""

    def __init__(self, tool):
        self.tool = tool
        self.file = os.path.join(tool.directory, "session.log")
        tool.environment = {"MATCHPOINT_LOG": self.file + ":session"}

    def close(self):
        os.unlink(self.file)
        self.tool.environment = {}

    def plans(self):
        if not os.path.exists(self.file):
            return []
        with open(self.file) as file:
            return [line for line in file if " a plan of " in line]

    def starts(self):
        return sum("from a new job" in line for line in self.plans())

    def copies_since(self):
        """The executions since the program was last started."""
        count = 0
        for line in self.plans():
            count = 0 if "from a new job" in line else count + 1
        return count


def disturbed(tool, program, kind, options):
    """An exploration in which processes of this kind are killed once snapshots are in use. Returns
    its report, and how often the program was started."""
    mark = uuid.uuid4().hex
    log = Log(tool)
    file = os.path.join(tool.directory, "report.json")
    process = tool.start(["explore", "-n", "4", "--json", file, "--json-all", *options, "--",
                          program], mark)
    killed = 0
    while killed < LOSSES and process.poll() is None:
        time.sleep(0.002)
        if log.copies_since() <= 1:
            continue
        process.send_signal(signal.SIGSTOP)  # it does not go on while this looks for them
        starts = log.starts()
        found = victims(mark, kind, process.pid)
        with contextlib.suppress(ProcessLookupError):
            for pid in found[:1]:
                os.kill(pid, signal.SIGKILL)
                killed += 1
        process.send_signal(signal.SIGCONT)
        while found and process.poll() is None and log.starts() == starts:
            time.sleep(0.005)
    out, err = harness.communicate(process, 60, "a %s was killed" % kind)
    run = harness.Run(process.args, process.returncode, out.decode(), err.decode(), 0, None)
    tool.check_clean(process.pid, mark, run)
    check(killed == LOSSES, "%s: killed %d\n%s" % (kind, killed, run))
    with open(file) as text:
        run.report = json.load(text)
    starts = log.starts()
    log.close()
    return run, starts


def check_own(tool):
    """Snapshots are given up then, and the exploration ends."""
    program = tool.compile(tool.write("parricide.c", PARRICIDE))
    log = Log(tool)
    run = tool.run("explore", "-n", "3", "--", program, report=True)
    check(run.report["backtrack"] == "rerun" and LOSSES < log.starts() <= 12, "%d starts\n%s" % (
        log.starts(), run))
    log.close()


def check_reason(tool):
    """A copy that cannot enter the directory of its world."""
    program = tool.compile(tool.write("few_files.c", FEW_FILES))
    run = tool.run("explore", "-n", "4", "--buffering", "zero", "--", program, report=True)
    check(run.status == 0 and run.report["backtrack"] == "rerun", str(run))
    check("rank 0 could not be restored from its snapshot: the directory of its world could not be "
          "entered" in run.out, str(run))


def body(tool, options):
    check_reason(tool)
    program = tool.compile_orders(DEADLOCK="first == 1 && last == ranks - 1", CRASH="last == 1",
                                  PRINTED="0", PAUSE_US=20000)
    whole = tool.run("explore", "-n", "4", "--", program, report=True)
    check(whole.status == 1 and whole.report["backtrack"] == "snapshot", str(whole))
    for kind, ways in (("keeper", ([], ["-j", "2"])), ("starter", ([], ["-j", "2"])),
                       ("mpiexec", (["--launcher", "mpiexec.mpich -n 4"],)),
                       ("supervisor", ([], ["-j", "2"]))):
        for words in ways:
            run, starts = disturbed(tool, program, kind, words)
            check(told(run.report) == told(whole.report), "%s was killed, %s\n%s\n%s\n%s" % (
                kind, words, run, told(whole.report), told(run.report)))
            check(run.report["backtrack"] == "snapshot" and starts <= 2 + LOSSES,
                  "%s was killed %d times, %s: %d starts of the program\n%s" % (
                      kind, LOSSES, words, starts, run))
    check_own(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
