/* What happens in the interleavings of a session, told to whoever listens: the store's writer
 * (session/session_host.c), the log (event_log.h), the recorder (recorder.h). Sinks are told in
 * the order in which they were added, at the moment at which it happens, and change nothing of it.
 *
 * An interleaving's events: BEGIN, then CALL, MATCH, REST and CHOICE as they come, STOP, FINDING
 * for each that it has shown, and END. One that goes on from a snapshot begins behind what is in it
 * (SNAPSHOT told its world's number). STEP is all that its world is asked and does, for those who
 * want to do it once more; the kinds before are made of these. */
#ifndef MATCHPOINT_SCHEDULER_RUN_EVENTS_H
#define MATCHPOINT_SCHEDULER_RUN_EVENTS_H

#include <stdbool.h>

#include "scheduler/store/record.h"
#include "scheduler/world/world_watch.h"

enum run_event_kind {
	RUN_BEGIN,    /* `restored`: from the snapshot of world `from` */
	RUN_SNAPSHOT, /* its state is kept under its number */
	RUN_CALL,     /* step.rank has made MPI call step.call: see world_call_info */
	RUN_MATCH,    /* step: WORLD_STEP_MATCHED or _TOGETHER */
	RUN_CHOICE,   /* step.choice is made; of several: see world_alternatives */
	RUN_REST,     /* every rank stands still; step.open can be chosen, and nothing may be */
	RUN_STOP,     /* it goes no further, for this reason: `text` */
	RUN_FINDING,  /* `finding` was shown; its count is 1 the first time */
	RUN_END,  /* it is over, and counts: `record`, and the findings that this has `changed` */
	RUN_STEP, /* `step` */
	RUN_REFUSED, /* its world has not believed what it was told: `text` */
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
	const char *name; /* for those who are told that it has failed */
	guint kinds;      /* those it wants to be told, a bit each: 1u << RUN_CALL */
	/* false with `error` set: it has failed, and is told nothing more. */
	bool (*tell)(void *user, const struct run_event *event, GError **error);
	void *user; /* the sink's own; outlives the list */
};

struct events;

/* `failed` is told of each sink that has failed (the error stays the caller's). What happens goes
 * on, unless it sees to that. */
struct events *events_new(void (*failed)(void *user, const struct event_sink *sink,
                                         const GError *error),
                          void *user);
void events_free(struct events *events);

/* Copied. */
void events_add(struct events *events, const struct event_sink *sink);

void events_tell(struct events *events, const struct run_event *event);

/* A world has made this step: tells what that amounts to. */
void events_tell_step(struct events *events, guint32 number, const struct world *world,
                      const struct world_step *step);
/* Whether anybody wants to be told what comes of that. */
bool events_want_steps(const struct events *events);

#endif
