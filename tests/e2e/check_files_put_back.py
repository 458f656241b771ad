"""Explorations leave no changes of the program's files; run and replay leave all of them."""

import os
import signal
import stat
import time

import harness
from harness import check

# What is left in files depends on the choices here.
SAME = ("--compare", "output")

COUNTS = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, ranks, value = 0, count = 0, order = 0;
	FILE *file;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < ranks; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		order = 10 * order + value;
	}
	if (rank == 0) {
		file = fopen("count.txt", "r");
		if (file && (fscanf(file, "%d", &count) != 1 || fclose(file) != 0))
			return 1;
		if (count == 0 && order == 321)
			MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		file = fopen("count.txt", "w");
		fprintf(file, "%d\n", count + 1);
		fclose(file);
		usleep(50000);
	}
	MPI_Finalize();
	return 0;
}
"""
LARGE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	FILE *file = fopen(argv[1], "r+");
	if (!file || fputs("changed", file) < 0 || fclose(file) != 0)
		abort();
	MPI_Finalize();
	return 0;
}
"""


def make_inputs(directory):
    def write(name, text):
        with open(os.path.join(directory, name), "w") as file:
            file.write(text)
        os.utime(os.path.join(directory, name), (1e9, 1e9))

    os.mkdir(directory)
    write("input.txt", "input\n")
    write("log", "log\n")
    write("gone.txt", "gone\n")
    os.makedirs(os.path.join(directory, "old/sub"))
    os.chmod(os.path.join(directory, "old"), 0o750)
    write("old/sub/deep.txt", "deep\n")
    os.symlink("input.txt", os.path.join(directory, "link"))


def tree(directory):
    """Everything below a directory, by path: type and mode, contents, time of modification."""
    found = {}
    for here, directories, files in os.walk(directory):
        for name in directories + files:
            path = os.path.join(here, name)
            status = os.lstat(path)
            contents = None
            if stat.S_ISLNK(status.st_mode):
                contents = os.readlink(path)
            elif stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    contents = (file.read(), int(status.st_mtime))
            found[os.path.relpath(path, directory)] = (stat.filemode(status.st_mode), contents)
    return found


def check_same(before, after, what):
    names = [n for n in sorted(set(before) | set(after)) if before.get(n) != after.get(n)]
    check(not names, "%s: %s" % (what, ["%s: %s, %s" % (n, before.get(n), after.get(n))
                                        for n in names]))


def check_explore(tool, program, directory, store):
    before = tree(directory)
    for backtrack in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", *SAME, "--backtrack", backtrack, "--store", store,
                       "--",
                       program, cwd=directory)
        check(run.status == 0, str(run))
        check_same(before, tree(directory), backtrack)
    check(os.listdir(store) == ["matchpoint.db"], "left in the store: %s" % os.listdir(store))


def check_interrupted(tool, program, directory, store):
    before = tree(directory)
    run = tool.run("explore", "-n", "3", *SAME, "--max-time", "0.2", "--store", store, "--",
                   program,
                   cwd=directory)
    check(run.status == 3, str(run))
    check_same(before, tree(directory), "interrupted")


def start_and_wait(tool, arguments, directory, name, mark):
    """Starts matchpoint and waits until its program has made a file."""
    process = tool.start(arguments, mark, cwd=directory)
    patience = harness.Patience(20)
    while not os.path.exists(os.path.join(directory, name)):
        check(process.poll() is None and not patience.has_ended(), name + " is not made")
        time.sleep(0.001)
    return process


def janitor_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        for child in map(int, file.read().split()):
            with open("/proc/%d/comm" % child) as name:
                if name.read().strip() == "mp-janitor":
                    return child
    return None


def check_killed(tool, program, directory, store):
    """Files are put back at once when matchpoint is killed."""
    before = tree(directory)
    process = start_and_wait(tool, ["explore", "-n", "3", *SAME, "--store", store, "--", program],
                             directory, "log.1", "killed")
    process.kill()
    process.communicate()
    tool.check_clean(process.pid, "killed", "killed", patience=20)
    check_same(before, tree(directory), "killed")
    check(not any(name.startswith("files-") for name in os.listdir(store)), "a journal is left")


def check_killed_with_all(tool, directory, store):
    """If matchpoint's helpers are killed too, the next start puts the files back, and then
    continues. The program deadlocks in one order only, and only if no earlier interleaving has
    left its count. Other tests that run at the same time do not look here for leftovers."""
    place = os.path.join(tool.directory, "run")
    os.mkdir(place)
    tool.environment["MATCHPOINT_RUNDIR"] = place
    program = tool.compile(tool.write("counts.c", COUNTS))
    whole = tool.run("explore", "-n", "4", *SAME, "--store", store + "-whole", "--", program,
                     report=True, cwd=directory)
    check(whole.status == 1 and whole.report["complete"], str(whole))
    arguments = ["explore", "-n", "4", *SAME, "--store", store, "--", program]
    for again in range(3):
        process = start_and_wait(tool, arguments, directory, "count.txt", "all %d" % again)
        janitor = janitor_of(process.pid)
        check(janitor is not None, "no janitor")
        os.kill(janitor, signal.SIGKILL)
        process.kill()
        if again == 1: # still a zombie then
            process.communicate()
        run = tool.run("explore", "-n", "4", *SAME, "--store", store, "--resume",
                       "--max-interleavings",
                       str(1 + 3 * again), "--", program, report=True, cwd=directory)
        process.communicate()
        check(not os.listdir(place), "left behind: %s" % os.listdir(place))
        check(any("that is done now" in note for note in run.report["notes"]), str(run))
        check(not os.path.exists(os.path.join(directory, "count.txt")), "not put back")
        arguments = ["explore", "-n", "4", *SAME, "--store", store, "--resume", "--", program]
    last = tool.run(*arguments, report=True, cwd=directory)
    check(harness.told(last.report) == harness.told(whole.report), "%s\n%s" % (whole, last))


def check_run(tool, program, directory, store):
    run = tool.run("run", "-n", "3", "--store", store, "--", program, cwd=directory)
    check(run.status == 0, str(run))
    left = tree(directory)
    check("made.txt" in left and "older/sub/deep.txt" in left, "run put files back: %s" % left)


def check_large(tool, directory, store):
    """A file too large to be kept, and larger than its contents on disk."""
    source = tool.write("large.c", LARGE)
    program = tool.compile(source)
    large = os.path.join(directory, "large.dat")
    with open(large, "wb") as file:
        file.truncate(300 << 20)
    run = tool.run("explore", "-n", "1", "--store", store, "--", program, large, report=True)
    check(run.status == 0, str(run))
    check(any("large.dat" in note for note in run.report["notes"]), "no note\n%s" % run)


def body(tool, _):
    program = tool.compile(harness.program("files_changed.c"))
    checks = (check_explore, check_interrupted, check_killed, check_run)
    for number, one in enumerate(checks):
        directory = os.path.join(tool.directory, "d%d" % number)
        make_inputs(directory)
        one(tool, program, directory, os.path.join(tool.directory, "store%d" % number))
    check_large(tool, directory, os.path.join(tool.directory, "store"))
    directory = os.path.join(tool.directory, "killed")
    os.mkdir(directory)
    check_killed_with_all(tool, directory, os.path.join(tool.directory, "store-killed"))


if __name__ == "__main__":
    harness.main(__doc__, body)
