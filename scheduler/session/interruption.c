#include "interruption.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SAME_MS 100 /* a signal sent to the process and to its group arrives twice */
#define LAST_S 3    /* seconds, from the second signal on */

/* State shared with the signal handlers. */
static volatile sig_atomic_t asked, held, last;
static volatile gint64 asked_when;
static uv_async_t *volatile watcher;

static gint64 milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (gint64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void end_at_once(int number)
{
	signal(number, SIG_DFL);
	raise(number); /* blocked here: pending until the handler returns */
}

static void on_alarm(int unused)
{
	(void)unused;
	end_at_once(asked);
}

static void on_signal(int number)
{
	int error = errno;

	if (!asked) {
		asked_when = milliseconds();
	} else if (!held) {
		end_at_once(number);
	} else if (!last && milliseconds() - asked_when > SAME_MS) {
		last = 1;
		signal(SIGALRM, on_alarm);
		alarm(LAST_S);
	}
	/* SIGINT may be dismissed: the others must not go with it. */
	if (number != SIGINT || !asked)
		asked = number;
	if (watcher)
		uv_async_send(watcher); /* the only libuv call that is safe in a handler */
	errno = error;
}

void interruption_catch(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;

	sigfillset(&action.sa_mask);
	for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

int interruption_asked(void)
{
	return asked;
}

void interruption_dismiss(void)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before); /* none may come between the look and the change */
	if (asked == SIGINT) {
		asked = last = 0;
		alarm(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void interruption_hold(void)
{
	held++;
}

void interruption_release(void)
{
	held--;
}

void interruption_watch(uv_async_t *async)
{
	watcher = async;
	if (async && asked)
		uv_async_send(async);
}
