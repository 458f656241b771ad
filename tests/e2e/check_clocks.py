"""Polling loops that read a clock: their time limits are reached soon, with each kind of clock. No
rank sees time go back, and a rank that polls for ever is reported."""

import harness
from harness import check

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *clock_name;

static double of(const struct timespec *time)
{
	return (double)time->tv_sec + (double)time->tv_nsec * 1e-9;
}

static double now(void)
{
	struct timespec exact;
	struct timeval day;
	struct tms computed;

	switch (*clock_name) {
	case 'w': return MPI_Wtime();
	case 'm': return clock_gettime(CLOCK_MONOTONIC, &exact) == 0 ? of(&exact) : -1;
	case 'u': return timespec_get(&exact, TIME_UTC) == TIME_UTC ? of(&exact) : -1;
	case 'd':
		gettimeofday(&day, NULL);
		return (double)day.tv_sec + (double)day.tv_usec * 1e-6;
	case 's': return (double)time(NULL);
	case 'c': return (double)clock() / CLOCKS_PER_SEC;
	default: return (double)times(&computed) / (double)sysconf(_SC_CLK_TCK);
	}
}

/* How far MPI_Wtime is ahead of a clock that is not advanced. */
static double ahead(void)
{
	struct timespec real;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &real);
	return MPI_Wtime() - of(&real);
}

static void must(int right)
{
	if (!right)
		MPI_Abort(MPI_COMM_WORLD, 9);
}

/* All clocks of the time of day tell the same second. */
static void seconds_agree(void)
{
	struct timespec before, after;

	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	time_t told = time(NULL);
	clock_gettime(CLOCK_REALTIME_COARSE, &after);
	must(before.tv_sec <= told && told <= after.tv_sec);
}

static void *nap(void *seconds)
{
	sleep(*(unsigned *)seconds);
	return NULL;
}

int main(int argc, char **argv)
{
	double limit = atof(argv[2]), begin, last, sent[2];
	unsigned real = argc > 3 ? (unsigned)atoi(argv[4]) : 0;
	pthread_t thread;
	int rank, there = 0;

	clock_name = argv[1];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin = MPI_Wtime(); /* of rank 1, before rank 0 begins */
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		begin = last = now();
	if (rank == 0) {
		if (real > 0 && strcmp(argv[3], "thread") == 0)
			pthread_create(&thread, NULL, nap, &real);
		if (real > 0 && strcmp(argv[3], "child") == 0 && fork() == 0) {
			sleep(real);
			_exit(0);
		}
		while (now() < begin + limit && !there) {
			must(now() >= last);
			seconds_agree();
			last = now();
			MPI_Iprobe(1, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
			there |= real > 0 && strcmp(argv[3], "child") == 0
			         && waitpid(-1, NULL, WNOHANG) > 0;
		}
		printf("%s\n", there ? "answered" : "gave up");
		sent[0] = MPI_Wtime();
		sent[1] = ahead();
		MPI_Send(sent, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		if (real > 0 && strcmp(argv[3], "thread") == 0)
			pthread_join(thread, NULL);
	} else {
		MPI_Recv(sent, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		must(MPI_Wtime() >= sent[0] && ahead() - sent[1] < 2);
		/* Clocks of whole seconds, which may be late. */
		must(*clock_name == 'c' || sent[0] - begin >= limit - 1.1 || real > 0);
	}
	MPI_Finalize();
	return 0;
}
"""
NOTE = "their clocks were advanced"


def check_limits(tool, program):
    for clock in ("wtime", "monotonic", "utc", "day", "seconds", "cpu", "times"):
        run = tool.run("explore", "-n", "2", "--", program, clock, "30", report=True)
        check(run.status == 0 and run.report["complete"], run)
        check({one["output"][0] for one in run.report["executions"]}
              == {run.report["executions"][0]["output"][0]}, run)
        harness.check_soon(run.seconds, 15, "%s\n30 s of %s" % (run, clock))
        check(any(NOTE in note for note in run.report["notes"]), run)
    run = tool.run("explore", "-n", "2", "--virtual-time", "--", program, "wtime", "30")
    check(run.status == 0, run)


def check_without(tool, program):
    """A limit that is reached at once needs no note."""
    run = tool.run("explore", "-n", "2", "--", program, "wtime", "0.001", report=True)
    check(run.status == 0 and not any(NOTE in note for note in run.report["notes"]), run)


def check_endless(tool, program):
    run = tool.run("explore", "-n", "2", "--", program, "wtime", "1e9", report=True)
    check([one["kind"] for one in run.report["findings"]] == ["livelock"], run)
    check("advanced by 60 s without effect" in run.out, run)


def check_real(tool, program):
    """Where threads or child processes also depend on time, the limit is real time."""
    for who, limit in (("child", "60"), ("thread", "4")):
        run = tool.run("run", "-n", "2", "--", program, "wtime", limit, who, "2", report=True)
        check(run.status == 0 and run.seconds > 1.9, run)
        check(not any(NOTE in note for note in run.report["notes"]), run)
        check(who != "child" or "answered" in run.report["executions"][0]["output"][0], run)


def body(tool, _options):
    program = tool.compile(tool.write("limits.c", PROGRAM), "-pthread")
    check_limits(tool, program)
    check_without(tool, program)
    check_endless(tool, program)
    check_real(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
