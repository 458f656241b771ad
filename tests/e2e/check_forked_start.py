"""Ranks are forked from one process just before main(): what the program sees is what it sees
where the launcher starts each rank. Where a library could do something by rank when it is loaded,
the launcher does, and -v says why."""

import os

import harness
from harness import check

BY_LAUNCHER = ("--launcher", "mpiexec.mpich -n 3")
NOTE = "note: each rank was started by the launcher, and loaded the program itself: "

# Prints what differs between ranks, before main() as well.
SEES = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;
#ifdef OWN
int own_rank(void);
#endif
static char early[16];

__attribute__((constructor)) static void look(void)
{
	snprintf(early, sizeof(early), "%s", getenv("PMI_RANK"));
}

static void print_environment(void)
{
	static char block[1 << 20];
	FILE *file = fopen("/proc/self/environ", "r");
	size_t length = fread(block, 1, sizeof(block) - 1, file);

	fclose(file);
	for (char *at = block; at < block + length; at += strlen(at) + 1)
		if (strncmp(at, "PMI_RANK=", 9) == 0 || strncmp(at, "PMI_SIZE=", 9) == 0)
			printf("%s in /proc\n", at);
	for (char **entry = environ; *entry; entry++)
		printf("has %.*s\n", (int)strcspn(*entry, "="), *entry);
}

/* The program two processes above the rank: what has started the starter. */
static void print_supervisor(int starter)
{
	char path[64], program[4096] = "", line[4096];
	int supervisor = 0, preloaded = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", starter);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %*c %d", &supervisor) != 1)
		printf("no supervisor\n");
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/exe", supervisor);
	if (readlink(path, program, sizeof(program) - 1) > 0)
		printf("supervisor %s\n", strrchr(program, '/') + 1);
	snprintf(path, sizeof(path), "/proc/%d/maps", supervisor);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		preloaded |= strstr(line, "libmatchpoint-shim") != NULL;
	printf("with the shim: %d\n", preloaded);
}

int main(int argc, char **argv)
{
	char above[64] = "", path[64];
	FILE *file;
	int rank, size;

	if (argc > 2)
		printf("argument %s\n", argv[2]);
	if (argc > 1 && strcmp(argv[1], "crashes") == 0 && strcmp(early, "1") == 0)
		abort();
	if (argc > 1 && strcmp(argv[1], "leaves") == 0 && strcmp(early, "1") == 0)
		_exit(7);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)getppid());
	file = fopen(path, "r");
	if (file && fgets(above, sizeof(above), file))
		fclose(file);
	print_supervisor(getppid());
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("rank %d of %d, early %s, local %s, by itself %d\n", rank, size, early,
	       getenv("MPI_LOCALRANKID"), getsid(0) == getpid() && getpgrp() == getpid());
#ifdef OWN
	printf("library %d\n", own_rank());
#endif
	printf("above %s", above);
	print_environment();
	MPI_Finalize();
	return 0;
}
"""

OWN = r"""
#include <stdlib.h>
static int rank = -1;
int own_rank(void) { return rank; }
__attribute__((constructor)) static void look(void)
{
	rank = getenv("PMI_RANK") ? atoi(getenv("PMI_RANK")) : -1;
}
"""

# Under a name of the compiler's libraries, which are not asked what they do.
OPENS = r"""
#include <fcntl.h>
int own_rank(void) { return 0; }
__attribute__((constructor)) static void look(void)
{
	open("/dev/zero", O_RDONLY | O_CLOEXEC);
}
"""
STARTS = r"""
#include <pthread.h>
#include <unistd.h>
int own_rank(void) { return 0; }
static void *wait(void *unused) { for (;;) pause(); return unused; }
__attribute__((constructor)) static void look(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, wait, NULL);
}
"""


def lines(run):
    """What each rank has printed."""
    return [text.splitlines() for text in run.report["executions"][0]["output"]]


def sees(tool, program, *words, options=()):
    run = tool.run("run", "-v", "-n", "3", *options, "--", program, *words, report=True)
    check(run.status == 0 and run.report["interleavings"] == 1, str(run))
    return run


def check_forked(tool, program):
    forked = sees(tool, program, "stays", "two words")
    launched = sees(tool, program, "stays", "two words", options=BY_LAUNCHER)
    check(NOTE not in forked.out, str(forked))
    check(NOTE + "--launcher is given" in launched.out, str(launched))
    for rank, (one, other) in enumerate(zip(lines(forked), lines(launched))):
        first = "rank %d of 3, early %d, local %d, by itself 1" % (rank, rank, rank)
        for seen in (one, other):
            check(seen[0] == "argument two words" and first in seen, str(forked))
            check("PMI_RANK=%d in /proc" % rank in seen and "PMI_SIZE=3 in /proc" in seen,
                  "%s\n%s" % (seen, forked))
        check("supervisor matchpoint-supervisor" in one and "with the shim: 0" in one, str(one))
        check("above mp-starter" in one and "above hydra_pmi_proxy" in other, str((one, other)))
        names, before = ({line for line in seen if line.startswith("has ")}
                         for seen in (one, other))
        # Hydra's own
        check(names == before - {"has HYDI_CONTROL_FD", "has MPIR_CVAR_CH3_INTERFACE_HOSTNAME"},
              "%s" % (names ^ before))


def check_early_ends(tool, program):
    """Before MPI_Init: the verdict is that of ranks that the launcher has started."""
    for what in ("crashes", "leaves"):
        both = [tool.run("explore", "-n", "3", *options, "--", program, what, report=True)
                for options in ((), BY_LAUNCHER)]
        kinds = [(run.status, [one["kind"] for one in run.report["findings"]],
                  [one["text"] for one in run.report["findings"]]) for run in both if run.report]
        check(len(kinds) in (0, 2) and both[0].status == both[1].status
              and (not kinds or kinds[0] == kinds[1]), "%s\n%s" % tuple(map(str, both)))


def with_library(tool, name, text):
    source = tool.write(name + ".c", text)
    library = os.path.join(tool.directory, name)
    tool.call_compiler([tool.mpicc, "-shared", "-fPIC", source, "-o", library, "-lpthread",
                        "-Wl,-soname," + name])
    program = tool.compile(tool.write("with_%s.c" % name.partition(".")[0], SEES), "-DOWN",
                           library, "-Wl,-rpath," + tool.directory)
    return program


def check_libraries(tool):
    """One that could do something by rank, and two whose deeds are seen only when they are done."""
    for name, text, reason in (
            ("libown.so", OWN, "libown.so runs functions when it is loaded"),
            ("libatomic.so.9", OPENS, "a library has opened something when it was loaded"),
            ("libatomic.so.8", STARTS, "a library has started a thread when it was loaded")):
        run = sees(tool, with_library(tool, name, text))
        check(NOTE + reason in run.out, str(run))
        for rank, seen in enumerate(lines(run)):
            check("above hydra_pmi_proxy" in seen
                  and "library %d" % (rank if text == OWN else 0) in seen, str(seen))


def check_others(tool, program):
    """A script; and what the user has preloaded."""
    script = tool.write("script", "#!/bin/sh\nexec %s\n" % program)
    os.chmod(script, 0o755)
    run = sees(tool, script)
    check(NOTE + "the program is not linked with MPI itself" in run.out, str(run))
    run = tool.run("run", "-v", "-n", "3", "--", program,
                   environment={"LD_PRELOAD": tool.yields()})
    check(NOTE + "LD_PRELOAD is set" in run.out, str(run))


def body(tool, _options):
    program = tool.compile(tool.write("sees.c", SEES))
    check_forked(tool, program)
    check_early_ends(tool, program)
    check_libraries(tool)
    check_others(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
