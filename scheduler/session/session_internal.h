/* The session as a whole, for those who make it, carry it through and write it down. Its parts know
 * of it what session_context.h tells. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_INTERNAL_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_INTERNAL_H

#include <stdbool.h>

#include "ckpt/journal.h"
#include "findings.h"
#include "scheduler/host/host.h"
#include "scheduler/host/run_directory.h"
#include "scheduler/places/stack_table.h"
#include "scheduler/run/events.h"
#include "scheduler/run/runs.h"
#include "scheduler/store/choice_coverage.h"
#include "scheduler/store/store.h"
#include "scheduler/world/communicators.h"
#include "session_context.h"

struct session {
	const struct session_options *options;
	struct host *host;
	struct session_clock *clock;
	struct runs *runs;         /* NULL: not open */
	struct executor *executor; /* the same */

	struct run_directory *directory; /* these: session_machine.h */
	struct janitor *janitor;         /* cleans up if this process is killed */
	struct journal *journal;         /* NULL: files stay as the program leaves them */

	struct communicators *comms;
	struct stack_table *stacks;
	struct events *events;      /* of all executions */
	struct store *store;        /* NULL: nothing is kept */
	struct source_text *source; /* what the store keeps of it */

	/* what is found */
	struct record_exploration *exploration;
	struct findings *findings;
	struct choice_coverage *choices; /* what calls have taken in all interleavings */
	struct coverage *coverage;
	struct program_facts *facts;
	struct infrastructure_failures *failures;
	struct off_tree_outcomes *off_tree_outcomes;
	guint64 interleavings;
	double longest; /* seconds that one took */

	/* its parts */
	struct lanes *lanes;
	struct random_walks *walks;
	struct state_exploration *states;
	struct shard *shard;
	struct replay *replay;
	struct outcome_watch *outcomes;
	struct past *past;

	/* how it ends */
	char *stop_reason; /* no further interleaving is to be started; NULL: go on */
	bool hurry;        /* Ctrl-C, or time is long up: not even findings are replayed */
	bool stacks_told;  /* in this silence */
	GError *error;     /* the first thing that makes going on impossible */
};

/* Sets the session up for these options; nothing can fail yet. */
void session_init(struct session *session, const struct session_options *options);

/* Makes the run directory, the sockets and the store. */
bool session_open(struct session *session, GError **error);

/* Frees all but what has been found. */
void session_release(struct session *session);

/* What executions tell and ask (session_host.c). */
extern const struct run_client session_run_client;

/* Those who are told what happens (session_host.c): adds them, the store's writer first; one has
 * failed; an interleaving has ended and counts, and has shown these findings. */
void session_add_sinks(struct session *session);
void session_sink_failed(void *user, const struct event_sink *sink, const GError *error);
void session_tell_end(struct session *session, const struct execution *execution,
                      const struct record_execution *record, const GPtrArray *changed);

/* What was left to be done when there is time (session_host.c). */
void session_catch_up(void *session);

/* An interleaving has ended: this one, or (NULL) one known from the store. Takes the findings that
 * it has `shown`. */
void session_add_interleaving(struct session *session, const struct execution *execution,
                              struct record_execution *record, const GArray *choices,
                              GPtrArray *shown, bool ended_well);

/* Adds the notes to the exploration's record; puts the files back (session_notes.c). */
void session_add_notes(struct session *session);

/* Since the exploration began, without the time between sessions. */
double session_seconds(const struct session *session);

/* --- going on later (session_past.c) --- */

struct past *past_new(void);
void past_free(struct past *past);

/* Of sessions that this one goes on from. */
double past_seconds(const struct past *past);

/* Opens the store for this exploration; with --resume for going on with what it holds. */
bool session_open_store(struct session *session, GError **error);

/* Whether ranks are to be able to tell their states: from the beginning, or as a sample. */
static inline bool session_compares_states(const struct session_options *options)
{
	return options->states || options->watch_left > 0;
}

#endif
