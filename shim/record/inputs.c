#define _GNU_SOURCE
#include "inputs.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "common/virtual_nodes.h"
#include "memory.h"
#include "processes.h"
#include "replay.h"
#include "shim/mpi/next.h"
#include "shim/state/heap_place.h"
#include "threads.h"

static const char *const names[] = {
	"clock_gettime",
	"gettimeofday",
	"time",
	"clock",
	"times",
	"getrusage",
	"getpid",
	"getppid",
	"getrandom",
	"getentropy",
	"gethostname",
	"uname",
	"sched_getcpu",
	"open",
	"open for writing",
	"a function that changes or asks for the name of a file",
	"stat",
	"a function that asks for an id",
	"a function that asks what the machine has",
	"a source of random numbers",
	"a function that makes a temporary file",
	"open of a device",
	"read of a device",
	"a function that reads a directory",
	"system",
	"popen",
	"a function that reads or writes a stream of popen",
	"pclose",
	"fork",
	"posix_spawn",
	"a function that waits for a child process",
	"kill",
	"a function that names a process by its number",
	"a function that makes a pipe or a pair of sockets",
	"a function that waits for a pipe or a device",
};
_Static_assert(sizeof(names) / sizeof(*names) == INPUTS_END - MPI_CALL_COUNT, "");

const char *inputs_name(uint64_t function)
{
	if (function < MPI_CALL_COUNT)
		return mpi_call_name((unsigned)function);
	return function < INPUTS_END ? names[function - MPI_CALL_COUNT] : "something unknown";
}

bool inputs_enter(enum inputs_function function, const void *site)
{
	uint64_t recorded;

	if (!record_is_on || record_inside > 0 || memory_is_mpis(site) || !threads_begin_input())
		return false;
	record_inside++;
	record_breaks_polls();
	if (!log_replaying)
		log_room(256);
	recorded = log_number((uint64_t)function);
	if (recorded != (uint64_t)function)
		replay_stop(REPLAY_DIFFERS,
		            "behind this call, the recorded run called %s, and now %s is called",
		            inputs_name(recorded), inputs_name((uint64_t)function));
	return true;
}

void inputs_leave(void)
{
	if (!log_replaying)
		log_commit();
	record_inside--;
	threads_end_input();
}

int64_t inputs_result(int64_t result)
{
	result = log_signed(result);
	if (result < 0)
		errno = (int)log_signed(errno);
	return result;
}

#define SITE __builtin_return_address(0)

/* A function that fills `size` bytes at `at`. */
#define FILLS(function, name, parameters, values, at, size) \
	INPUTS_REPEAT(function, name, parameters, values, log_data(at, size))

FILLS(INPUTS_CLOCK_GETTIME, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time),
      time, sizeof(*time))
FILLS(INPUTS_GETTIMEOFDAY, gettimeofday, (struct timeval *restrict time, void *restrict zone),
      (time, zone), time, sizeof(*time))
FILLS(INPUTS_GETENTROPY, getentropy, (void *buffer, size_t size), (buffer, size), buffer, size)
FILLS(INPUTS_GETRUSAGE, getrusage, (__rusage_who_t who, struct rusage *usage), (who, usage), usage,
      sizeof(*usage))

/* The name of a virtual node, which MPI asks for as well. */
static int ask_host_name(char *name, size_t size)
{
	const struct virtual_node *node = virtual_node_own();

	return node ? virtual_node_name(node, name, size) : NEXT(gethostname)(name, size);
}

static int ask_names(struct utsname *name)
{
	const struct virtual_node *node = virtual_node_own();
	const int result = NEXT(uname)(name);

	if (result == 0 && node)
		virtual_node_name(node, name->nodename, sizeof(name->nodename));
	return result;
}

EXPORTED int gethostname(char *name, size_t size)
{
	int result = 0;

	if (!inputs_enter(INPUTS_GETHOSTNAME, SITE))
		return ask_host_name(name, size);
	if (!log_replaying)
		result = ask_host_name(name, size);
	result = (int)inputs_result(result);
	if (result == 0)
		log_data(name, size);
	inputs_leave();
	return result;
}

EXPORTED int uname(struct utsname *name)
{
	int result = 0;

	if (!inputs_enter(INPUTS_UNAME, SITE))
		return ask_names(name);
	if (!log_replaying)
		result = ask_names(name);
	result = (int)inputs_result(result);
	if (result == 0)
		log_data(name, sizeof(*name));
	inputs_leave();
	return result;
}

INPUTS_GIVE(INPUTS_CLOCK, clock_t, clock, (void), ())
INPUTS_GIVE(INPUTS_GETPID, pid_t, getpid, (void), ())
INPUTS_GIVE(INPUTS_GETPPID, pid_t, getppid, (void), ())
INPUTS_GIVE(INPUTS_SCHED_GETCPU, int, sched_getcpu, (void), ())

/* It returns `base`, or 0. */
INPUTS_REPEAT(INPUTS_CLOCK_GETTIME, timespec_get, (struct timespec * time, int base), (time, base),
              log_data(time, sizeof(*time)))

EXPORTED time_t time(time_t *ret)
{
	time_t now = 0;

	if (!inputs_enter(INPUTS_TIME, SITE))
		return NEXT(time)(ret);
	if (!log_replaying)
		now = NEXT(time)(NULL);
	now = (time_t)log_signed(now);
	inputs_leave();
	if (ret)
		*ret = now;
	return now;
}

EXPORTED clock_t times(struct tms *ret)
{
	clock_t ticks = 0;

	if (!inputs_enter(INPUTS_TIMES, SITE))
		return NEXT(times)(ret);
	if (!log_replaying)
		ticks = NEXT(times)(ret);
	ticks = (clock_t)log_signed(ticks);
	if (ret)
		log_raw(ret, sizeof(*ret));
	inputs_leave();
	return ticks;
}

static ssize_t random_from(const void *site, void *buffer, size_t size, unsigned flags)
{
	ssize_t got = 0;

	if (!inputs_enter(INPUTS_GETRANDOM, site))
		return NEXT(getrandom)(buffer, size, flags);
	if (!log_replaying)
		got = NEXT(getrandom)(buffer, size, flags);
	got = (ssize_t)inputs_result(got);
	if (got > 0)
		log_data(buffer, (size_t)got);
	inputs_leave();
	return got;
}

EXPORTED ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
	return random_from(SITE, buffer, size, flags);
}

bool heap_answers(const void *site, long number, const long arguments[6], long *ret_given)
{
	if (number == SYS_getrandom) {
		*ret_given = random_from(site, (void *)arguments[0], (size_t)arguments[1],
		                         (unsigned)arguments[2]);
		return true;
	}
	if (processes_answer(site, number, arguments, ret_given))
		return true;
	if ((number != SYS_gettid && number != SYS_getpid) || !inputs_enter(INPUTS_ID, site))
		return false;
	*ret_given = log_signed(log_replaying ? 0 : NEXT(syscall)(number));
	inputs_leave();
	return true;
}
