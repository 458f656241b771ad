"""Worlds side by side (-j): the exploration and its findings are the same as with one at a time,
bounds hold, and programs that change files are explored one world at a time."""

import os
import signal
import time
import uuid

import harness
from harness import check, told

# Deadlocks when rank 1's message comes last; the output depends on the order. With "files", rank 0
# appends to a file and reads it again: always, or when rank 1's message comes first.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int lines_after_mine(void)
{
	FILE *file = fopen("log.txt", "a+");
	int count = 0;

	fputs("x\n", file);
	rewind(file);
	for (int c; (c = fgetc(file)) != EOF;)
		count += c == '\n';
	fclose(file);
	return count;
}

int main(int argc, char **argv)
{
	const char *files = argc > 1 ? argv[1] : "never";
	int rank, ranks, value = 0, order = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 0 && !strcmp(files, "always"))
		order = lines_after_mine();
	for (int i = 1; rank == 0 && i < ranks; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (i == 1 && value == 3 && !strcmp(files, "later"))
			order = lines_after_mine();
		order = 10 * order + value;
	}
	if (rank == 0 && value == 1 && strcmp(files, "never") == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("%d\n", order);
	MPI_Finalize();
	return 0;
}
"""
ALONE = "-j was ignored"


def explore(tool, program, *options, ranks=5, arguments=()):
    return tool.run("explore", "-n", str(ranks), "--store",
                    os.path.join(tool.directory, "store"), *options, "--", program, *arguments,
                    report=True)


def check_same(tool, program):
    one = explore(tool, program)
    check(one.status == 1 and one.report["interleavings"] == 48, str(one))
    for options in (("-j", "2"), ("--jobs", "5"), ("-j", "40", "--buffering", "both"),
                    ("-j", "3", "--max-memory", "1M")):
        several = explore(tool, program, *options)
        check(several.status == 1 and told(several.report) == told(one.report),
              "%s\n%s" % (one, several))
        check(not any(ALONE in note for note in several.report["notes"]), str(several))
    few = explore(tool, program, "--deviations", "1")
    check(told(explore(tool, program, "--deviations", "1", "-j", "3").report) == told(few.report),
          str(few))


def check_bounds(tool, program):
    for bound in (1, 2, 7):
        run = explore(tool, program, "-j", "4", "--max-interleavings", str(bound))
        check(run.report["interleavings"] == bound and not run.report["complete"], str(run))
    whole = explore(tool, program)
    resumed = explore(tool, program, "-j", "2", "--max-interleavings", "9")
    resumed = explore(tool, program, "-j", "3", "--resume")
    check(told(resumed.report) == told(whole.report), "%s\n%s" % (whole, resumed))
    run = explore(tool, program, "-j", "3", "--fail-fast")
    check(run.status == 1 and not run.report["complete"]
          and len(run.report["findings"]) == 1, str(run))
    resumed = explore(tool, program, "-j", "2", "--resume")
    check(told(resumed.report) == told(whole.report), "%s\n%s" % (whole, resumed))
    run = explore(tool, program, "-j", "3", "--max-time", "0.6", "--backtrack", "rerun", ranks=7)
    check(not run.report["complete"], str(run))
    harness.check_soon(run.seconds, 5.6, run)
    for bad in ("0", "-1", "x", "100000"):
        run = tool.run("explore", "-n", "5", "-j", bad, "--", program)
        check(run.status == 2 and "-j" in run.err, str(run))


def check_files(tool, program):
    log = os.path.join(tool.directory, "log.txt")
    for files in ("always", "later"):
        one = explore(tool, program, ranks=4, arguments=[files])
        check(one.report["interleavings"] == 12 and not os.path.exists(log), str(one))
        for options in (("-j", "3"), ("-j", "2", "--backtrack", "rerun")):
            several = explore(tool, program, *options, ranks=4, arguments=[files])
            check(told(several.report) == told(one.report), "%s\n%s" % (one, several))
            check(any(ALONE in note for note in several.report["notes"]), str(several))
            check(not os.path.exists(log), "%s is left" % log)


def check_interrupted(tool, program):
    for seconds in (0.2, 0.5, 0.9):
        mark = uuid.uuid4().hex
        process = tool.start(["explore", "-n", "7", "-j", "3", "--", program], mark)
        harness.wait_for(lambda: harness.run_directories(process.pid), process, "its directory")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        harness.communicate(process, harness.TIMEOUT)
        check(process.returncode in (1, 3), "exit status %d" % process.returncode)
        tool.check_clean(process.pid, mark, "interrupted after %g s" % seconds)


def body(tool, options):
    source = tool.write("orders.c", SOURCE)
    program = tool.compile(source)
    check_same(tool, program)
    check_bounds(tool, program)
    check_files(tool, program)
    check_interrupted(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
