"""Any program can be stopped, and nothing of it survives: neither children of its ranks nor
daemons, also when matchpoint itself is killed."""

import os
import signal
import time
import uuid

import harness
from harness import Left, check


# After its second receive rank 0 does what the argument names, in those interleavings where rank
# 2's message was the first.
SOURCE = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *const seconds[] = { "sleep", NULL, NULL };

static void daemon_without_ties(char *mark)
{
	char *const words[] = { "sleep", mark, NULL }, *const nothing[] = { NULL };

	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			for (int fd = 0; fd < 1024; fd++)
				close(fd);
			execve("/bin/sleep", words, nothing);
		}
		_exit(0);
	}
}

static void leave_child(const char *kind, char *mark)
{
	char *const words[] = { "sleep", mark, NULL };

	if (strcmp(kind, "daemon") == 0) {
		daemon_without_ties(mark);
	} else if (strcmp(kind, "raw") == 0) { /* no handler of fork closes anything */
		if (syscall(SYS_fork) == 0)
			for (;;)
				pause();
	} else if (fork() == 0) {
		if (strcmp(kind, "session") == 0)
			setsid();
		if (strcmp(kind, "exec") == 0)
			execv("/bin/sleep", words);
		for (;;)
			pause();
	}
}

static void give_up(void *in, void *out, int *count, MPI_Datatype *type)
{
	MPI_Abort(MPI_COMM_WORLD, 7);
}

int main(int argc, char **argv)
{
	int rank, value = 0, first = 0;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(argv[1], "op") == 0) {
		MPI_Op_create(give_up, 1, &op);
		MPI_Allreduce(&rank, &value, 1, MPI_INT, op, MPI_COMM_WORLD);
		MPI_Op_free(&op);
	}
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < 3; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		first = i == 1 ? value : first;
	}
	if (rank == 0 && first == 2) {
		leave_child(argv[1], argv[3]);
		if (strcmp(argv[2], "stay") == 0) {
			sigset_t all;
			sigfillset(&all);
			sigprocmask(SIG_BLOCK, &all, NULL);
			for (;;)
				pause();
		}
	}
	MPI_Finalize();
	return 0;
}
"""
KINDS = ("fork", "session", "exec", "raw", "daemon")


def check_left_behind(tool, program):
    """A process that outlives its rank ends with the interleaving, and delays nothing."""
    for backtrack in ("snapshot", "rerun"):
        for kind in KINDS:
            left = Left()
            run = tool.run("explore", "-n", "3", "--backtrack", backtrack, "--", program, kind,
                           "go", left.mark, report=True)
            words = "%s %s" % (backtrack, kind)
            check(run.status == 0 and run.report["interleavings"] == 4, "%s\n%s" % (words, run))
            harness.check_soon(run.seconds, 10, "%s: %s" % (words, run))
            left.check(words)


def check_stopped(tool, program):
    """A rank that blocks every signal, and its child, delay neither a time limit nor a signal."""
    for kind in ("fork", "raw"):
        left = Left()
        run = tool.run("explore", "-n", "3", "--max-time", "1", "--", program, kind, "stay",
                       left.mark, report=True)
        check(run.status == 3 and "--max-time" in run.report["incomplete_reason"], str(run))
        harness.check_soon(run.seconds, 6, kind)
        left.check(kind)


def started(tool, program, kind, left):
    """Starts matchpoint and waits until rank 0 has got there."""
    mark = uuid.uuid4().hex
    process = tool.start(["explore", "-n", "3", "--", program, kind, "stay", left.mark], mark)
    patience = harness.Patience(60)
    # matchpoint, its janitor, the supervisor, the starter, six ranks and keepers, and the child
    count = len(left.pids())
    while count < 11 and not patience.has_ended():
        time.sleep(0.02)
        count = len(left.pids())  # only once: a process may just start or end
    if count < 11:
        process.terminate()
        raise harness.Failed("%s: rank 0 never came to stay: %d processes\n%s" % (
            kind, count, process.communicate()))
    return process, mark


def check_killed(tool, program):
    for kind, number in (("fork", signal.SIGTERM), ("raw", signal.SIGTERM),
                         ("session", signal.SIGKILL), ("exec", signal.SIGKILL),
                         ("daemon", signal.SIGKILL)):
        left = Left()
        process, mark = started(tool, program, kind, left)
        begin = time.monotonic()
        os.kill(process.pid, number)
        harness.wait_until(lambda: process.poll() is not None, "its end")
        seconds = time.monotonic() - begin
        harness.check_soon(seconds, 5, "%s, until signal %d ended it" % (kind, number))
        process.communicate()
        left.check("%s after signal %d" % (kind, number))
        tool.check_clean(process.pid, mark, "%s, signal %d" % (kind, number))


def check_abort(tool, program):
    """MPI_Abort in the function of an MPI_Op, where MPI waits to be killed."""
    for backtrack in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", "--backtrack", backtrack, "--", program, "op",
                       report=True)
        kinds = [finding["kind"] for finding in run.report["findings"]]
        check(run.status == 1 and kinds == ["abort"], str(run))
        check("MPI_Abort(7)" in run.out, str(run))
        harness.check_soon(run.seconds, 10, run)


def check_stuck_while_parking(tool):
    """A rank inside MPI is ordered to park and does not answer."""
    program = tool.compile(harness.program("operation_hangs.c"))
    run = tool.run("explore", "-n", "3", "--buffering", "infinite", "--fail-fast", "--", program,
                   "test sleeps", report=True, environment={"MATCHPOINT_HASTE": "20"})
    findings = run.report["findings"]
    check(run.status == 1 and [finding["kind"] for finding in findings] == ["stall"], str(run))
    check("rank 1 is inside MPI_Test" in findings[0]["message"], str(run))


def body(tool, _):
    program = tool.compile(tool.write("leaver.c", SOURCE))
    check_abort(tool, program)
    check_stuck_while_parking(tool)
    check_left_behind(tool, program)
    check_stopped(tool, program)
    check_killed(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
