"""A debugger that knows only the MPIR Process Acquisition Interface acquires the ranks of explore,
run, replay, debug and record before main, also from a stripped matchpoint, and after going back. So
it does below srun, which has a table of its own."""

import copy
import glob
import os
import shutil
import subprocess
import sys
import uuid

import harness
import private_slurm
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "result_order.c")
PATH = "mp1:n4:0.3=3"
ABORTS = """#include <mpi.h>
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 7);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
"""


# Loads MPI when it has begun, as Python does.
LATE = """#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *mpi = dlopen("libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
	int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "MPI_Init");
	int (*finalize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize");
	return !mpi || init(&argc, &argv) || finalize();
}
"""


# Spawns twice; one of the children connects to it.
WORLDS = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME], *words[] = {port, NULL};
	MPI_Comm parent, children, more, other;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Comm_spawn(argv[0], words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
		               MPI_ERRCODES_IGNORE);
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
		MPI_Comm_disconnect(&other);
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &more,
		               MPI_ERRCODES_IGNORE);
		MPI_Comm_disconnect(&more);
		MPI_Comm_disconnect(&children);
	} else {
		if (argc > 1 && rank == 0) {
			MPI_Comm_connect(argv[1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
			MPI_Comm_disconnect(&other);
		}
		MPI_Comm_disconnect(&parent);
	}
	printf("done\\n");
	MPI_Finalize();
	return 0;
}
"""


class Session:
    """What the debugger printed about a run of matchpoint."""

    is_data = True

    def __init__(self, tool, how, *arguments, matchpoint=None, environment=None):
        mark = uuid.uuid4().hex
        # The debug information of matchpoint and MPI is indexed once, not in each session.
        index = os.path.join(tool.directory, "index")
        command = ["gdb", "-q", "-batch", "-iex", "set index-cache directory " + index,
                   "-iex", "set index-cache enabled on",
                   "-ex", "python import sys; sys.argv = ['', '%s']" % how,
                   "-x", os.path.join(HERE, "mpir_tool.py"), "--args",
                   matchpoint or tool.matchpoint, *arguments]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, cwd=tool.directory,
                                   env=dict(os.environ, **{harness.MARK: mark},
                                            **environment or {}),
                                   start_new_session=True)
        try:
            self.text = harness.communicate(process, harness.TIMEOUT)[0]
        finally:
            tool.check_no_processes(mark, "after a session")
        self.lines = [line[6:] for line in self.text.splitlines() if line.startswith("tool: ")]
        check("missing" in self.lines, "%s\nis to have all symbols" % self)

    def __str__(self):
        return self.text

    def jobs(self):
        """For each time that ranks were acquired: the process numbers."""
        jobs = []
        for line in self.lines:
            words = line.split()
            if words == ["state", "1"]:
                jobs.append([])
            elif words[0] == "process":
                check(words[1] == str(len(jobs[-1])) and words[2] == os.uname().nodename
                      and len(words) == 5, "%s\nhas a wrong row: %s" % (self, line))
                jobs[-1].append(int(words[4]))
        return jobs

    def check_acquired(self, ranks, least, place="__libc_start_main"):
        """`place`: where the ranks of the first job are; before main."""
        jobs = self.jobs()
        check(len(jobs) >= least, "%s\nis to acquire %d jobs" % (self, least))
        for rank in range(ranks):
            first = next(line for line in self.lines if line.startswith("rank %d is in" % rank))
            check(first == "rank %d is in %s" % (rank, place),
                  "%s\nis to find rank %d in %s" % (self, rank, place))
        for before, after in zip(jobs, jobs[1:]):
            check(len(after) == ranks and before != after,
                  "%s\nis to be told only of other processes" % self)


def check_stripped(tool, program):
    stripped = os.path.join(tool.directory, "matchpoint")
    shutil.copy(tool.matchpoint, stripped)
    for library in glob.glob(os.path.join(os.path.dirname(tool.matchpoint), "libmatchpoint-*.so")):
        shutil.copy(library, tool.directory)
    subprocess.run(["strip", stripped], check=True)
    session = Session(tool, "detach", "replay", PATH, "--", program, matchpoint=stripped)
    session.check_acquired(4, 1)


def check_follower(tool, program):
    """A rank that stays in a debugger is that of the first interleaving, not a copy's parent. It
    stops at a breakpoint that was set before main."""
    session = Session(tool, "stay", "explore", "--buffering", "zero", "-n", "3", "--", program)
    check(any("Temporary breakpoint 1, main (" in line for line in session.lines),
          "%s\nis to stop in main" % session)
    check(any("hit Temporary breakpoint" in line and "MPI_Finalize" in line
              for line in session.lines), "%s\nis to stop in MPI_Finalize" % session)
    check("by rerunning: rank 1: a debugger is attached to it" in session.text,
          "%s\nis to say why it reruns" % session)
    session.check_acquired(3, 2)


def check_free_runs(tool, program):
    """Ranks that run freely, by the recorder. What MPI is loaded by is seen in MPI_Init."""
    Session(tool, "detach", "record", "-n", "2", "--to", "rec", "--",
            program).check_acquired(2, 1, "_dl_start_user")
    late = tool.compile(tool.write("late.c", LATE), "-Wl,--as-needed")
    check(b"libmpi" not in subprocess.run(["ldd", late], check=True, capture_output=True).stdout,
          "%s loads MPI itself" % late)
    for command in ("run", "record"):
        Session(tool, "detach", command, "-n", "2", "--",
                late).check_acquired(2, 1, "MPI_Init main")


def check_worlds(tool):
    """Processes that are to be spawned are in the table from the beginning, and are acquired before
    main. A larger job is another one, with another notice; a spawn or a connection is none."""
    program = tool.compile(tool.write("worlds.c", WORLDS))
    session = Session(tool, "detach", "run", "-n", "1", "--", program)
    jobs = session.jobs()
    check([len(job) for job in jobs] == [1, 3, 4], "%s\nis to acquire each larger job" % session)
    check(len({pid for job in jobs for pid in job}) == 8, "%s\nis to be of new processes" % session)
    places = [line for line in session.lines if line.startswith("rank ")]
    check(places == ["rank %d is in __libc_start_main" % rank for job in jobs
                     for rank in range(len(job))],
          "%s\nis to find all processes before main" % session)
    check(session.text.count("done") == 4, "%s\nis to let the program run" % session)
    line = (program, ":", "-n", "2", "-spawned", "0.1", program, ":", "-n", "1", "-spawned", "0.2",
            program)
    session = Session(tool, "stay", "explore", "--compare", "none", "--buffering", "zero", "-n",
                      "1", "--backtrack", "rerun", "--", *line)
    check([len(job) for job in session.jobs()] == [4],
          "%s\nis to acquire the whole job at once" % session)
    check(any("Temporary breakpoint 1, main (" in line for line in session.lines)
          and any("hit Temporary breakpoint" in line and "MPI_Finalize" in line
                  for line in session.lines), "%s\nis to follow a spawned process" % session)


def check_below_srun(tool, program):
    """The tool starts srun, whose table has matchpoint. A second one has matchpoint's."""
    why = private_slurm.obstacle()
    if why:
        print("no srun: %s: not tried" % why)
        return
    slurm = private_slurm.PrivateSlurm(os.path.join(tool.directory, "slurm"))
    try:
        session = Session(tool, "nested", "--mpi=none", "-n", "1", tool.matchpoint, "explore",
                          "--backtrack", "rerun", "--buffering", "zero", "-n", "3", "--",
                          program, matchpoint=shutil.which("srun"),
                          environment=slurm.environment)
        inner = copy.copy(session)
        inner.lines = [line[16:] for line in session.lines if line.startswith("follower: tool: ")]
        rows = [line.split() for line in session.lines if line.startswith("process ")]
        check([row[1:4] for row in rows] == [["0", "node1", tool.matchpoint]],
              "%s\nis to have matchpoint alone in srun's table" % session)
        inner.check_acquired(3, 2)
        launcher = tool.write("launcher", "#!/bin/sh\nexec srun --mpi=pmi2 -n 3 \"$@\"\n")
        os.chmod(launcher, 0o755)
        session = Session(tool, "detach", "run", "-n", "3", "--launcher", launcher, "--", program,
                          environment=slurm.environment)
        session.check_acquired(3, 1)
    finally:
        slurm.end()


def body(tool, _):
    if not shutil.which("gdb") or not shutil.which("strip"):
        print("no gdb or no strip here: not tried")
        sys.exit(77)
    program = tool.compile(EXAMPLE)
    Session(tool, "detach", "explore", "--backtrack", "rerun", "--buffering", "zero", "-n", "3",
            "--", program).check_acquired(3, 2)
    Session(tool, "detach", "explore", "--backtrack", "snapshot", "--buffering", "zero", "-n", "3",
            "--", program).check_acquired(3, 3)
    script = tool.write("back.mp", "run\n2\nfinish\nback\n1\nfinish\nquit\n")
    Session(tool, "detach", "debug", "-x", script, "-n", "3", "--",
            program).check_acquired(3, 2)
    check_stripped(tool, program)
    check_follower(tool, program)
    Session(tool, "detach", "run", "-n", "3", "--", program).check_acquired(3, 1)
    check_free_runs(tool, program)
    check_worlds(tool)
    check_below_srun(tool, program)
    session = Session(tool, "detach", "explore", "-n", "2", "--buffering", "zero", "--",
                      tool.compile(tool.write("aborts.c", ABORTS)))
    check("state 2" in session.lines
          and "abort rank 1 called MPI_Abort with error code 7" in session.lines,
          "%s\nis to tell of the abort" % session)


harness.main(__doc__, body)
