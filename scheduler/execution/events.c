#include "events.h"

struct events {
	GArray *sinks; /* struct event_sink */
	guint kinds;   /* wanted by any sink */
	void (*failed)(void *user, const struct event_sink *sink, const GError *error);
	void *user;
};

struct events *events_new(void (*failed)(void *user, const struct event_sink *sink,
                                         const GError *error),
                          void *user)
{
	struct events *events = g_new0(struct events, 1);

	events->sinks = g_array_new(false, false, sizeof(struct event_sink));
	events->failed = failed;
	events->user = user;
	return events;
}

void events_free(struct events *events)
{
	if (!events)
		return;
	g_array_unref(events->sinks);
	g_free(events);
}

void events_add(struct events *events, const struct event_sink *sink)
{
	g_array_append_val(events->sinks, *sink);
	events->kinds |= sink->kinds;
}

/* Whether any sink wants events of this kind. */
static bool is_wanted(const struct events *events, enum run_event_kind kind)
{
	return events && events->kinds & 1u << kind;
}

void events_emit(struct events *events, const struct run_event *event)
{
	if (!is_wanted(events, event->kind))
		return;
	for (guint i = 0; i < events->sinks->len; i++) {
		struct event_sink *sink = &g_array_index(events->sinks, struct event_sink, i);
		g_autoptr(GError) error = NULL;

		if (!(sink->kinds & 1u << event->kind) || sink->handle(sink->user, event, &error))
			continue;
		sink->kinds = 0;
		events->failed(events->user, sink, error);
	}
}

bool events_want_steps(const struct events *events)
{
	return events
	       && events->kinds
	                  & (1u << RUN_CALL | 1u << RUN_MATCH | 1u << RUN_REST | 1u << RUN_CHOICE
	                     | 1u << RUN_STEP);
}

void events_emit_step(struct events *events, guint32 number, const struct world *world,
                      const struct world_step *step)
{
	struct run_event event = {.kind = RUN_STEP, .number = number, .world = world, .step = step};

	events_emit(events, &event);
	switch (step->kind) {
	case WORLD_STEP_CALLED: event.kind = RUN_CALL; break;
	case WORLD_STEP_MATCHED:
	case WORLD_STEP_TOGETHER: event.kind = RUN_MATCH; break;
	case WORLD_STEP_OFFERED: event.kind = RUN_REST; break;
	case WORLD_STEP_CHOSEN: event.kind = RUN_CHOICE; break;
	default: return;
	}
	events_emit(events, &event);
}
