/* The events of a session's interleavings, and the sinks that receive them: the store's writer
 * (session/session_host.c), the log (event_log.c), the recorder (recorder.h). Sinks are called at
 * once, in the order in which they were added. They do not change what happens.
 *
 * The events of an interleaving are BEGIN, then CALL, MATCH, REST and CHOICE as they occur, STOP,
 * FINDING for each finding that it has shown, and END. An execution that begins at a snapshot
 * continues after the events of that snapshot's world; SNAPSHOT named the world by its number. STEP
 * is everything that the world is asked and does, so that it can be repeated. CALL, MATCH, REST and
 * CHOICE are derived from steps. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_EVENTS_H
#define MATCHPOINT_SCHEDULER_EXECUTION_EVENTS_H

#include <stdbool.h>

#include "scheduler/store/record.h"
#include "scheduler/world/world_watch.h"

enum run_event_kind {
	RUN_BEGIN,    /* `restored`: from the snapshot of world `from` */
	RUN_SNAPSHOT, /* a snapshot of the world is kept, under its number */
	RUN_CALL,     /* step.rank has made MPI call step.call: see world_call_info */
	RUN_MATCH,    /* step: WORLD_STEP_MATCHED or _TOGETHER */
	RUN_CHOICE,   /* step.choice is made; alternatives: see world_alternatives */
	RUN_REST,     /* every rank waits or is gone; step.open: the open choices, may be empty */
	RUN_STOP,     /* the execution goes no further; `text`: the reason */
	RUN_FINDING,  /* `finding` was shown; its count is 1 the first time */
	RUN_END,      /* the interleaving is over and counts: `record`, and `changed` findings */
	RUN_STEP,     /* `step` */
	RUN_REFUSED,  /* the world has rejected a report of a rank; `text`: why */
	RUN_KINDS,
};

struct run_event {
	enum run_event_kind kind;
	guint32 number;            /* of the world */
	const struct world *world; /* NULL: it is gone */
	bool restored;
	guint32 from;
	const struct world_step *step;
	const char *text;
	const struct record_finding *finding;
	const struct record_execution *record;
	const GPtrArray *changed; /* struct record_finding */
};

struct event_sink {
	const char *name; /* shown if the sink fails */
	guint kinds;      /* wanted kinds, a bit each: 1u << RUN_CALL */
	/* Handles an event. Returns false with `error` set if the sink has failed; it is not called
	 * again. */
	bool (*handle)(void *user, const struct run_event *event, GError **error);
	void *user; /* the sink's own; outlives the list */
};

struct events;

/* `failed` is called when a sink fails (the caller keeps the error). The session goes on unless
 * `failed` ends it. */
struct events *events_new(void (*failed)(void *user, const struct event_sink *sink,
                                         const GError *error),
                          void *user);
void events_free(struct events *events);

/* The sink is copied. */
void events_add(struct events *events, const struct event_sink *sink);

/* Adds a sink that writes to the log, for the kinds whose log categories are enabled
 * (tools/log.h). */
void event_log_add(struct events *events);

void events_emit(struct events *events, const struct run_event *event);

/* Sends the events that follow from a step of a world. */
void events_emit_step(struct events *events, guint32 number, const struct world *world,
                      const struct world_step *step);
/* Whether any sink wants events that follow from steps. */
bool events_want_steps(const struct events *events);

#endif
