#include "session_clock.h"

#include "interruption.h"
#include "scheduler/liveness/stall.h"

#define TICK_MS 200

struct session_clock {
	struct session_clock_calls calls;
	void *user;
	struct host *host;
	uv_async_t *interruption; /* NULL: no signals */
	struct host_timer *deadline, *ticker, *looker;
	gint64 started;
};

static void on_interruption(uv_async_t *interruption)
{
	const struct session_clock *clock = interruption->data;

	clock->calls.interrupted(clock->user);
}

static void on_deadline(void *user)
{
	const struct session_clock *clock = user;

	clock->calls.deadline(clock->user);
}

static void on_tick(void *user)
{
	const struct session_clock *clock = user;

	clock->host->operations->timer_start(clock->ticker, TICK_MS);
	clock->calls.tick(clock->user);
}

static void on_look(void *user)
{
	const struct session_clock *clock = user;

	clock->host->operations->timer_start(clock->looker, STALL_LOOK_MS);
	clock->calls.look(clock->user);
}

static void listen_to_signals(struct session_clock *clock, uv_loop_t *loop)
{
	clock->interruption = g_new0(uv_async_t, 1);
	uv_async_init(loop, clock->interruption, on_interruption);
	clock->interruption->data = clock;
	interruption_watch(clock->interruption);
}

struct session_clock *session_clock_new(struct host *host, uv_loop_t *loop,
                                        const struct session_clock_calls *calls, void *user)
{
	const struct host_operations *operations = host->operations;
	struct session_clock *clock = g_new0(struct session_clock, 1);

	clock->calls = *calls;
	clock->user = user;
	clock->host = host;
	clock->started = host_now(host);
	clock->deadline = operations->timer_new(host, on_deadline, clock);
	clock->ticker = operations->timer_new(host, on_tick, clock);
	clock->looker = operations->timer_new(host, on_look, clock);
	if (loop)
		listen_to_signals(clock, loop);
	operations->timer_start(clock->looker, STALL_LOOK_MS);
	if (calls->tick)
		operations->timer_start(clock->ticker, TICK_MS);
	return clock;
}

void session_clock_close(struct session_clock *clock)
{
	const struct host_operations *operations = clock->host->operations;

	if (clock->interruption) {
		interruption_watch(NULL);
		uv_close((uv_handle_t *)clock->interruption, (uv_close_cb)(void (*)(void))g_free);
	}
	operations->timer_free(clock->deadline);
	operations->timer_free(clock->ticker);
	operations->timer_free(clock->looker);
	g_free(clock);
}

void session_clock_set_deadline(struct session_clock *clock, double seconds)
{
	clock->host->operations->timer_start(clock->deadline, (guint64)(seconds * 1000));
}

double session_clock_seconds(const struct session_clock *clock)
{
	return (double)(host_now(clock->host) - clock->started) / G_USEC_PER_SEC;
}
