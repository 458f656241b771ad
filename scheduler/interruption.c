#include "interruption.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>

/* All that the handler sees. */
static volatile sig_atomic_t asked, held;
static uv_async_t *volatile watcher;

static void on_signal(int number)
{
	int error = errno;

	if (asked && !held) {
		signal(number, SIG_DFL);
		raise(number); /* pending until this handler returns */
	}
	asked = number;
	if (watcher)
		uv_async_send(watcher); /* the one call of libuv that handlers may make */
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
	asked = 0;
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
