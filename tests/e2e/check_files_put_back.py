"""What explorations leave of the program's files: nothing; run and replay leave all."""

import os
import stat
import time

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
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
    """Everything below it, by path: type and mode, contents, and when a file was modified."""
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
        run = tool.run("explore", "-n", "3", "--backtrack", backtrack, "--store", store, "--",
                       program, cwd=directory)
        check(run.status == 0, str(run))
        check_same(before, tree(directory), backtrack)
    check(os.listdir(store) == ["matchpoint.db"], "left in the store: %s" % os.listdir(store))


def check_interrupted(tool, program, directory, store):
    before = tree(directory)
    run = tool.run("explore", "-n", "3", "--max-time", "0.2", "--store", store, "--", program,
                   cwd=directory)
    check(run.status == 3, str(run))
    check_same(before, tree(directory), "interrupted")


def check_killed(tool, program, directory, store):
    """What files held is not lost when matchpoint is killed, and said where it is."""
    process = tool.start(["explore", "-n", "3", "--store", store, "--", program], "killed",
                         cwd=directory)
    deadline = time.monotonic() + 20
    while not os.path.exists(os.path.join(directory, "log.1")):
        check(time.monotonic() < deadline, "log is not renamed")
        time.sleep(0.001)
    process.kill()
    process.communicate()
    run = tool.run("explore", "-n", "3", "--max-interleavings", "1", "--store", store, "--",
                   program, report=True, cwd=directory)
    notes = [note for note in run.report["notes"] if "was killed before" in note]
    check(len(notes) == 1 and os.path.isdir(notes[0].rpartition(" ")[2]), "no note\n%s" % run)


def check_run(tool, program, directory, store):
    run = tool.run("run", "-n", "3", "--store", store, "--", program, cwd=directory)
    check(run.status == 0, str(run))
    left = tree(directory)
    check("made.txt" in left and "older/sub/deep.txt" in left, "run put files back: %s" % left)


def check_large(tool, directory, store):
    """One that is too large to be kept, and not a byte more than there is."""
    source = tool.write("large.c", LARGE)
    program = tool.compile(source)
    large = os.path.join(directory, "large.dat")
    with open(large, "wb") as file:
        file.truncate(300 << 20)
    run = tool.run("explore", "-n", "1", "--store", store, "--", program, large, report=True)
    check(run.status == 0, str(run))
    check(any("large.dat" in note for note in run.report["notes"]), "no note\n%s" % run)


def body(tool, _):
    program = tool.compile(os.path.join(HERE, "programs", "files_changed.c"))
    checks = (check_explore, check_interrupted, check_killed, check_run)
    for number, one in enumerate(checks):
        directory = os.path.join(tool.directory, "d%d" % number)
        make_inputs(directory)
        one(tool, program, directory, os.path.join(tool.directory, "store%d" % number))
    check_large(tool, directory, os.path.join(tool.directory, "store"))


if __name__ == "__main__":
    harness.main(__doc__, body)
