"""Loads and stores: flags for compilers, what the verdict and `check` say of parts that are not
seen, and that an instrumented program runs without matchpoint, in threads and signal handlers."""

import os
import shutil
import subprocess

import harness
from harness import check

UTIL = """void fill(int *at)
{
	*at = 3;
}
"""

MAIN = """#include <mpi.h>
void fill(int *at);
int main(int argc, char **argv)
{
	int *mine;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	fill(mine);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
"""

# A thread and a signal handler store beside the main program, all into a window.
HANDLERS = """#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
static int *mine;
static volatile int over;
static void tick(int signal)
{
	(void)signal;
	mine[0]++;
}
static void *work(void *unused)
{
	while (!over)
		for (int i = 2000; i < 4000; i += 2)
			mine[i] = i;
	return unused;
}
int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	int provided, ticks;
	pthread_t thread;
	MPI_Win win;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Win_allocate(5000 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
	                 &win);
	mine[0] = 0;
	signal(SIGALRM, tick);
	pthread_create(&thread, NULL, work, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int round = 0; round < atoi(argv[1]); round++) {
		for (int i = 1; i < 2000; i++)
			mine[i] = round;
		MPI_Win_fence(0, win);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	over = 1;
	pthread_join(thread, NULL);
	ticks = mine[0];
	printf("%d\\n", ticks > 0);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
"""


def compile_by_hand(tool, name, *arguments):
    program = os.path.join(tool.directory, name)
    done = subprocess.run([tool.mpicc, "-g", *arguments, "-o", program], capture_output=True,
                          text=True, check=False)
    check(done.returncode == 0 and not done.stderr, "%s\n%s" % (arguments, done.stderr))
    return program


def limits_of(tool, program):
    run = tool.run("explore", "-n", "2", "--", program, report=True)
    check(run.status == 0, str(run))
    return {limit["limit"]: limit["text"] for limit in run.report["not_checked"]}, run


def check_parts(tool):
    """Which source files are seen."""
    compiling = tool.access_flags("--cflags-access")
    linking = tool.access_flags("--ldflags-access")
    main, util = tool.write("main.c", MAIN), tool.write("util.c", UTIL)
    objects = {}
    for source in (main, util):
        for seen in (True, False):
            objects[source, seen] = compile_by_hand(
                tool, "%s-%d.o" % (os.path.basename(source), seen), "-c", source,
                *(compiling if seen else []))
    partly = compile_by_hand(tool, "partly", objects[main, True], objects[util, False], *linking)
    limits, run = limits_of(tool, partly)
    check("window-memory" not in limits and "by util.c are" in limits.get("window-partly", ""),
          "limits %s\n%s" % (limits, run))
    check("--cflags-access" in run.out, "how is that lifted?\n%s" % run)
    shown = tool.run("check", partly)
    check("windows by util.c" in shown.out, str(shown))
    plain = compile_by_hand(tool, "plain", objects[main, False], objects[util, False])
    limits, run = limits_of(tool, plain)
    check("window-memory" in limits and "window-partly" not in limits,
          "limits %s\n%s" % (limits, run))
    check("--cflags-access" in run.out, "how is that lifted?\n%s" % run)
    check("what cannot be seen" in tool.run("check", plain).out, "check does not say it")
    # Both flags in one call, in any order.
    for name, arguments in (("whole", [*compiling, main, util, *linking]),
                            ("before", [*linking, *compiling, main, util]),
                            ("optimised", ["-O2", "-flto", *compiling, main, util, *linking])):
        whole = compile_by_hand(tool, name, *arguments)
        libraries = subprocess.run(["ldd", whole], capture_output=True, text=True, check=True)
        check("libtsan" not in libraries.stdout, "%s\n%s" % (name, libraries.stdout))
        limits, run = limits_of(tool, whole)
        check(not limits, "%s: limits %s\n%s" % (name, limits, run))
        shown = tool.run("check", whole)
        check("cannot be seen" not in shown.out and "dlsym" not in shown.out, str(shown))


def check_shared_library(tool):
    """A library of the program's, with hooks of its own or without any."""
    compiling = tool.access_flags("--cflags-access")
    linking = tool.access_flags("--ldflags-access")
    main, util = tool.write("main.c", MAIN), tool.write("util.c", UTIL)
    for seen in (True, False):
        library = compile_by_hand(tool, "libutil%d.so" % seen, "-shared", "-fPIC", util,
                                  *(compiling + linking if seen else []))
        program = compile_by_hand(tool, "with%d" % seen, *compiling, main, library, *linking,
                                  "-Wl,-rpath," + tool.directory)
        limits, run = limits_of(tool, program)
        check(("libutil" in limits.get("window-partly", "")) == (not seen),
              "seen: %s, limits %s\n%s" % (seen, limits, run))


def check_clang(tool):
    """Clang needs one more flag, or links ThreadSanitizer."""
    if not shutil.which("clang"):
        return
    done = subprocess.run([tool.matchpoint, "--cflags-access", "clang"], capture_output=True,
                          text=True, check=True)
    os.environ["MPICH_CC"] = "clang"
    program = compile_by_hand(tool, "by_clang", *done.stdout.split(),
                              harness.program("shared_stores.c"),
                              *tool.access_flags("--ldflags-access"))
    check(tool.access_flags("--cflags-access") == done.stdout.split(), "MPICH_CC is not heeded")
    del os.environ["MPICH_CC"]
    for how, status in (("bare", 1), ("barrier", 0)):
        run = tool.run("explore", "-n", "2", "--", program, "store", how)
        check(run.status == status and ("rma-conflict" in run.out) == (status == 1), str(run))


def check_handlers(tool):
    program = compile_by_hand(tool, "handlers", *tool.access_flags("--cflags-access"),
                              tool.write("handlers.c", HANDLERS), "-pthread",
                              *tool.access_flags("--ldflags-access"))
    check(tool.run_plain(2, program, "300") == ["1\n", "1\n"], "without matchpoint")
    # The thread never rests, so that each round takes long.
    run = tool.run("explore", "-n", "2", "--max-interleavings", "1", "--", program, "50")
    check(run.status in (0, 3), str(run))


def body(tool, _):
    check_parts(tool)
    check_shared_library(tool)
    check_clang(tool)
    check_handlers(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
