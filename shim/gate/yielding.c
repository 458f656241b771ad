#define _GNU_SOURCE
#include "yielding.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	SIGNAL = SIGVTALRM,
	PERIOD_NS = 200 * 1000,
	AGAIN_NS = 100 * 1000, /* after a pause: each signal costs some 10 us */
	PAUSE_NS = 300 * 1000, /* the first pause of a wait */
	PAUSE_MOST_NS = 1000 * 1000,
	LOOP_BYTES = 64,   /* at most; MPICH's loop has six instructions */
	LOOKS_MOST = 1000, /* so that slow handling of signals does not stop the thread for ever */
};

static timer_t timer;
static bool started, only_waits;
static int looks;
static long pause_ns;        /* the next one */
static uintptr_t last_place; /* where the thread was when the timer last looked */
static uintptr_t loop_place; /* where it has waited */

static uintptr_t place_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t)context->uc_mcontext.pc;
#endif
}

/* One shot: set again when the thread has run, however late that is. */
static void start_timer(long nanoseconds)
{
	const struct itimerspec once = {.it_value = {.tv_nsec = nanoseconds}};

	timer_settime(timer, 0, &once, NULL);
}

/* Each pause is longer than the one before, so that a long wait costs little, and a short one ends
 * soon. Not nanosleep(): that may be the program's, or virtual. */
static void pause_thread(void)
{
	syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = pause_ns}, NULL);
	pause_ns += pause_ns / 8;
	if (pause_ns > PAUSE_MOST_NS)
		pause_ns = PAUSE_MOST_NS;
}

static bool is_near(uintptr_t place, uintptr_t other)
{
	return place - other + LOOP_BYTES < 2 * LOOP_BYTES;
}

static void on_timer(int number, siginfo_t *info, void *context)
{
	uintptr_t place = place_of(context);
	bool again = is_near(place, last_place);
	long period = PERIOD_NS;
	int before = errno;

	(void)number;
	(void)info;
	if (!again)
		pause_ns = PAUSE_NS;
	if (only_waits) {
		sched_yield();
	} else if (again || is_near(place, loop_place)) {
		loop_place = place;
		pause_thread();
		period = AGAIN_NS;
	}
	last_place = place;
	if (++looks < LOOKS_MOST)
		start_timer(period);
	errno = before;
}

static bool signal_is_free(void)
{
	struct sigaction now;
	sigset_t blocked;

	return sigaction(SIGNAL, NULL, &now) == 0 && now.sa_handler == SIG_DFL
	       && pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGNAL);
}

void yielding_begin(bool waits)
{
	const struct sigaction action = {.sa_sigaction = on_timer,
	                                 .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (!signal_is_free() || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		return;
	sigaction(SIGNAL, &action, NULL);
	started = true;
	only_waits = waits;
	looks = 0;
	pause_ns = PAUSE_NS;
	start_timer(PERIOD_NS);
}

void yielding_end(void)
{
	struct sigaction was;

	if (!started)
		return;
	started = false;
	timer_delete(timer); /* a pending signal arrives before this returns */
	sigaction(SIGNAL, &(struct sigaction){.sa_handler = SIG_DFL}, &was);
	if (was.sa_sigaction != on_timer)
		sigaction(SIGNAL, &was, NULL); /* another thread set it meanwhile */
}
