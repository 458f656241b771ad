"""--virtual-time: sleeps take no time, and every clock that a rank reads agrees."""

import harness
from harness import check

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void must(int right)
{
	if (!right)
		MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Of a clock that is not virtual. */
static double real_time(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *nap(void *unused)
{
	return usleep(200000) == 0 ? unused : NULL;
}

/* By each clock and each way to sleep: 20 s in all. */
static void sleep_in_all_ways(void)
{
	struct timespec wait = {2, 500000000}, until;
	struct timeval day, later;
	double real = real_time();
	time_t begin = time(NULL);

	gettimeofday(&day, NULL);
	must(sleep(5) == 0);
	must(nanosleep(&wait, NULL) == 0 && usleep(500000) == 0);
	must(clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL) == 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	must(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
	gettimeofday(&later, NULL);
	must(time(NULL) - begin >= 20);
	must((double)(time(NULL) - begin) <= 22 + real_time() - real);
	must(later.tv_sec - day.tv_sec >= 20);
	must((double)(later.tv_sec - day.tv_sec) <= 22 + real_time() - real);
	wait.tv_nsec = -1;
	must(nanosleep(&wait, NULL) == -1);
}

int main(int argc, char **argv)
{
	double begin, sent, real;
	pthread_t thread;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	real = real_time();
	begin = MPI_Wtime();
	for (int i = 1; i < 3 && rank == 0; i++) {
		MPI_Recv(&sent, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		must(MPI_Wtime() >= sent);
	}
	if (rank == 0)
		sleep_in_all_ways();
	if (rank > 0) {
		sleep((unsigned)rank * 10);
		sent = MPI_Wtime();
		must(sent - begin >= rank * 10);
		must(sent - begin < rank * 10 + 2 + real_time() - real);
		MPI_Send(&sent, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
	if (argc > 1) { /* with a thread time is real again, and does not go back */
		begin = MPI_Wtime();
		pthread_create(&thread, NULL, nap, NULL);
		usleep(100000);
		pthread_join(thread, NULL);
		must(MPI_Wtime() - begin > 0.1);
		must(MPI_Wtime() - begin < 60 + real_time() - real);
	}
	MPI_Finalize();
	return 0;
}
"""


def body(tool, _options):
    program = tool.compile(tool.write("sleepers.c", PROGRAM), "-pthread")
    for way in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", "--virtual-time", "--backtrack", way, program,
                       report=True)
        check(run.status == 0 and run.report["complete"], run)
        check(run.report["interleavings"] == 4, run)
        check("time was virtual" in run.out, run)
        harness.check_soon(run.seconds, 18, run)
    run = tool.run("run", "-n", "3", "--virtual-time", program, "threads")
    check(run.status == 0, run)


if __name__ == "__main__":
    harness.main(__doc__, body)
