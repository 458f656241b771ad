/* The whole session, for the files that create it, run it and store it. Its parts use
 * session_context.h. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_INTERNAL_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_INTERNAL_H

#include <stdbool.h>

#include "ckpt/journal.h"
#include "findings.h"
#include "scheduler/execution/events.h"
#include "scheduler/execution/runs.h"
#include "scheduler/host/cluster_words.h"
#include "scheduler/host/host.h"
#include "scheduler/host/output_place.h"
#include "scheduler/host/run_directory.h"
#include "scheduler/places/stack_table.h"
#include "scheduler/store/choice_coverage.h"
#include "scheduler/store/store.h"
#include "scheduler/world/communicators.h"
#include "session_context.h"
#include "session_saving.h"

struct session {
	const struct session_options *options;
	struct host *host;
	struct session_clock *clock;
	struct runs *runs;         /* NULL: not open */
	struct executor *executor; /* the same */

	struct run_directory *directory; /* see session_machine.h for these */
	struct output_place *output;     /* of what ranks print; NULL: not open */
	struct cluster_words cluster;    /* whether ranks are on several machines, and how */
	struct janitor *janitor;         /* cleans up if this process is killed */
	struct journal *journal;         /* NULL: the program's changes of files stay */

	struct communicators *comms;
	struct stack_table *stacks;
	struct events *events;      /* of all executions */
	struct history *history;    /* of all worlds; NULL: not kept */
	struct store *store;        /* NULL: nothing is stored */
	struct source_text *source; /* the source text that the store keeps */

	/* results */
	struct record_exploration *exploration;
	struct findings *findings;
	struct choice_coverage *choices; /* what calls have taken in all interleavings; NULL: the
	                                    verdict does not tell */
	struct coverage *coverage;
	struct program_facts *facts;
	struct infrastructure_failures *failures;
	struct off_tree_outcomes *off_tree_outcomes;
	guint64 interleavings;
	double longest; /* seconds of the longest interleaving */

	/* its parts */
	struct lanes *lanes;
	struct random_walks *walks;
	struct state_exploration *states;
	struct shard *shard;
	struct replay *replay;
	struct outcome_watch *outcomes;
	struct compared_files *compared;
	struct returned_errors *returned;
	struct past *past;
	struct session_saving *saving;

	/* end of the session */
	char *stop_reason;   /* no further interleaving starts; NULL: go on */
	bool hurry;          /* Ctrl-C, or long past the deadline: no replays */
	bool stacks_told;    /* in this silence */
	bool callers_sought; /* look_for_callers has run an interleaving again */
	bool cut_short;      /* it fails as there was no room for what ranks print */
	GError *error;       /* the first error after which it cannot continue */
};

/* Sets the session up for these options. Cannot fail. */
void session_init(struct session *session, const struct session_options *options);

/* Creates the run directory, the sockets and the store. */
bool session_open(struct session *session, GError **error);

/* Frees everything except the results. */
void session_release(struct session *session);

/* The callbacks of executions (session_host.c). */
extern const struct run_client session_run_client;

/* Event sinks (session_host.c). Adds all sinks, the store's writer first; handles the failure of a
 * sink; reports an interleaving that has ended and counts, with these new or changed findings. */
void session_add_sinks(struct session *session);
void session_sink_failed(void *user, const struct event_sink *sink, const GError *error);
void session_tell_end(struct session *session, const struct execution *execution,
                      const struct record_execution *record, const GPtrArray *changed);

/* The program with the processes that a spawn lacks, so that the session begins again with them
 * (session_spawn.c); free with g_strfreev. NULL: it does not; `error` says why, if a spawn lacks
 * some. */
char **session_larger_job(struct session *session);
/* With --resume: the program as the store has it, if it was that of the options with processes
 * that it spawned; free with g_strfreev. NULL: it was not. */
char **session_known_job(const struct session_options *options);
/* Adds a note about such processes, if it is wanted. */
void session_note_spawned(struct session *session);

/* Does work that was postponed (session_host.c). */
void session_catch_up(void *session);

/* Adds an interleaving that has ended: `execution`, or NULL: it was read from the store. Takes the
 * findings in `shown`. */
void session_add_interleaving(struct session *session, const struct execution *execution,
                              struct record_execution *record, const GArray *choices,
                              GPtrArray *shown, bool ended_well);

/* Whether every interleaving is wanted: not for run, replay, minimize and debug. */
bool session_explores(const struct session *session);
/* Adds the limits to the exploration's record, and what follows from them: whether it is complete
 * (session_limits.c). */
void session_add_limits(struct session *session);
/* Adds the notes to the exploration's record and restores files (session_notes.c). */
void session_add_notes(struct session *session);

/* Seconds since the exploration began, without the time between sessions. */
double session_seconds(const struct session *session);

/* --- resume (session_past.c) ----------- */

struct past *past_new(void);
void past_free(struct past *past);

/* Seconds used by the sessions that this one continues. */
double past_seconds(const struct past *past);

/* Opens the store for this exploration; with --resume, to continue the one it holds. */
bool session_open_store(struct session *session, GError **error);

/* Whether ranks must be able to report their states: always, or as a sample. */
static inline bool session_compares_states(const struct session_options *options)
{
	return options->states || options->watch_left > 0;
}

#endif
