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
	LOOP_BYTES = 64,   /* at most; MPICH's loop has six instructions */
	LOOKS_MOST = 1000, /* so that slow handling of signals does not stop the thread for ever */
};

static timer_t timer;
static bool started, only_waits;
static int looks;
static uintptr_t last_place;

static uintptr_t place_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t)context->uc_mcontext.pc;
#endif
}

/* One shot: set again when the thread has run, however late that is. */
static void start_timer(void)
{
	const struct itimerspec once = {.it_value = {.tv_nsec = PERIOD_NS}};

	timer_settime(timer, 0, &once, NULL);
}

static void on_timer(int number, siginfo_t *info, void *context)
{
	uintptr_t place = place_of(context);
	int before = errno;

	(void)number;
	(void)info;
	if (only_waits || place - last_place + LOOP_BYTES < 2 * LOOP_BYTES)
		sched_yield();
	last_place = place;
	if (++looks < LOOKS_MOST)
		start_timer();
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
	start_timer();
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
