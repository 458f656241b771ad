#define _GNU_SOURCE
#include "in_step.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "common/recording_steps.h"
#include "mpi_calls.h"
#include "replay.h"

/* Out of the program's way, as the log (log.c). */
#define PLACE_OF_STEPS ((void *)0x3c2000000000)
/* A wake that comes between a look and the wait is made up for after this time. */
enum { LOOK_AGAIN = 100 * 1000 * 1000 /* ns */ };

static struct recording_steps *steps; /* NULL: nobody is replayed beside this rank */
static struct recording_step *own;
static const struct recording_hold *next, *end; /* holds that are not passed yet */
static uint32_t calls;                          /* communication calls so far */
static bool *told;                              /* by rank: the user knows that it is over */

int in_step_begin(int rank)
{
	struct stat status;
	void *at;

	if (fstat(RECORDING_STEPS_FD, &status) != 0)
		return -errno;
	if ((size_t)status.st_size < sizeof(*steps))
		return -EINVAL;
	at = (void *)syscall(SYS_mmap, PLACE_OF_STEPS, (size_t)status.st_size,
	                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
	                     RECORDING_STEPS_FD, 0L);
	if (at == MAP_FAILED)
		return -errno;
	syscall(SYS_close, RECORDING_STEPS_FD);
	steps = at;
	told = calloc(steps->ranks, sizeof(bool));
	if (!told || rank < 0 || (uint64_t)rank >= steps->ranks)
		return -EINVAL;
	own = &steps->step[rank];
	next = recording_steps_holds(steps) + own->first;
	end = next + own->count;
	return 0;
}

static void futex(_Atomic uint32_t *word, int what, uint32_t value)
{
	const struct timespec most = {.tv_nsec = LOOK_AGAIN};

	syscall(SYS_futex, word, what, value, what == FUTEX_WAIT ? &most : NULL, NULL, 0);
}

static void tell(uint32_t peer, const char *why)
{
	replay_tell(REPLAY_REMARK, "call %llu, %s: goes on without rank %u, which %s",
	            (unsigned long long)log_place->call, mpi_call_name(log_place->function), peer,
	            why);
}

/* Whether the other rank has come there, or it is known that it will not. */
static bool is_free(const struct recording_hold *hold, uint32_t *ret_come)
{
	struct recording_step *peer = &steps->step[hold->rank];
	const bool is_over = atomic_load(&peer->is_over);

	*ret_come = atomic_load(&peer->come);
	if (*ret_come >= hold->until)
		return true;
	if (is_over && !told[hold->rank])
		tell(hold->rank, "has ended before it came to the call that this one needs");
	told[hold->rank] |= is_over;
	if (is_over)
		return true;
	if (atomic_load(&own->let_go) != hold->call)
		return false;
	tell(hold->rank, "waits for this rank");
	return true;
}

static void wait_for(const struct recording_hold *hold)
{
	struct recording_step *peer = &steps->step[hold->rank];
	uint32_t come;

	if (is_free(hold, &come))
		return;
	atomic_store(&own->peer, hold->rank);
	atomic_store(&own->held, hold->call);
	atomic_fetch_add(&peer->waiting, 1);
	while (!is_free(hold, &come))
		futex(&peer->come, FUTEX_WAIT, come);
	atomic_fetch_sub(&peer->waiting, 1);
	atomic_store(&own->held, 0);
}

static void note_call(void)
{
	atomic_store(&own->come, calls);
	if (atomic_load(&own->waiting) > 0)
		futex(&own->come, FUTEX_WAKE, INT_MAX);
}

void in_step_enter(enum mpi_call function)
{
	const int number = errno;

	if (!steps || !mpi_call_counts(function))
		return;
	calls++;
	if (!mpi_call_asks(function)) /* nobody needs a poll, and there may be millions */
		note_call();
	while (next < end && next->call < calls)
		next++;
	for (; next < end && next->call == calls; next++)
		wait_for(next);
	errno = number;
}
