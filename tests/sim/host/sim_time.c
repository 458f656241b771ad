/* Time of the simulated host: a heap of events, and timers. */
#include "sim_internal.h"

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void swap(GPtrArray *heap, guint a, guint b)
{
	void *other = heap->pdata[a];

	heap->pdata[a] = heap->pdata[b];
	heap->pdata[b] = other;
}

struct sim_event *sim_plan(struct sim *sim, gint64 time,
                           void (*happen)(void *object, GBytes *frame), void *object, GBytes *frame)
{
	struct sim_event *event = g_new0(struct sim_event, 1);
	guint at = sim->events->len;

	*event = (struct sim_event){MAX(time, sim->now), ++sim->events_made, happen, object, frame};
	g_ptr_array_add(sim->events, event);
	for (; at > 0 && is_before(event, sim->events->pdata[(at - 1) / 2]); at = (at - 1) / 2)
		swap(sim->events, at, (at - 1) / 2);
	return event;
}

static struct sim_event *take_next(GPtrArray *heap)
{
	struct sim_event *next = heap->pdata[0];
	guint at = 0;

	heap->pdata[0] = heap->pdata[heap->len - 1];
	g_ptr_array_set_size(heap, (gint)heap->len - 1);
	for (;;) {
		guint least = at;

		for (guint child = 2 * at + 1; child <= 2 * at + 2 && child < heap->len; child++)
			if (is_before(heap->pdata[child], heap->pdata[least]))
				least = child;
		if (least == at)
			return next;
		swap(heap, at, least);
		at = least;
	}
}

void sim_happen_next(struct sim *sim)
{
	struct sim_event *event = take_next(sim->events);

	sim_invalidate_closed(sim);
	sim->now = MAX(sim->now, event->time);
	sim->hangs |= sim->now > sim->options.longest;
	sim->events_happened++;
	event->happen(event->object, event->frame);
	if (event->frame)
		g_bytes_unref(event->frame);
	g_free(event);
}

gint64 sim_now(struct host *host)
{
	return sim_of(host)->now;
}

static void on_timer(void *object, GBytes *frame)
{
	struct host_timer *timer = object;

	(void)frame;
	timer->event = NULL;
	timer->expired(timer->user);
}

/* The event of a timer that was stopped or freed. */
static void ignore_event(void *object, GBytes *frame)
{
	(void)object;
	(void)frame;
}

struct host_timer *sim_timer_new(struct host *host, void (*expired)(void *user), void *user)
{
	struct host_timer *timer = g_new0(struct host_timer, 1);

	*timer = (struct host_timer){.sim = sim_of(host), .expired = expired, .user = user};
	return timer;
}

void sim_timer_stop(struct host_timer *timer)
{
	if (timer->event)
		timer->event->happen = ignore_event;
	timer->event = NULL;
}

void sim_timer_start(struct host_timer *timer, guint64 milliseconds)
{
	sim_timer_stop(timer);
	timer->event = sim_plan(timer->sim, timer->sim->now + (gint64)milliseconds * 1000, on_timer,
	                        timer, NULL);
}

bool sim_timer_is_active(const struct host_timer *timer)
{
	return timer->event != NULL;
}

void sim_timer_free(struct host_timer *timer)
{
	sim_timer_stop(timer);
	g_free(timer);
}
