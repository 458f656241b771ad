/* All executions of a session, and what they share: the host, the job that worlds are copied from,
 * and the snapshots. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUNS_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUNS_H

#include <stdbool.h>

#include "events.h"
#include "run.h"
#include "scheduler/host/host.h"
#include "scheduler/host/wrapper.h"
#include "scheduler/snapshot/snapshots.h"

/* Callbacks of the session that executions are carried out for. `user` is that of the options,
 * `owner` that of the request. */
struct run_client {
	/* The session cannot go on. The message states what is wrong, where, and what to do. */
	void (*fail)(void *user, const char *message);
	/* Snapshots do not work, for this reason (ownership passes). From now on, executions begin
	 * at the start of the program. */
	void (*fall_back)(void *user, char *reason);
	/* Something outside has ended an execution; `what` describes it. */
	void (*struck)(void *user, const char *what);
	/* The first line of MPI_Get_library_version. */
	void (*library)(void *user, const char *version);
	/* Called before the strategy is asked. It sets in `open` (struct open_choice) for which
	 * bounds each choice counts. */
	void (*open)(void *owner, const struct execution *execution, GArray *open);
	/* Only for executions that are to be saved (struct run_request). A rank has made this call,
	 * and it is not answered: the rank can be held in it. */
	void (*called)(void *owner, struct execution *execution, int rank,
	               const struct wire_call *call);
	/* Likewise, before anything is decided. `beside`: a rank is not at rest. Whether the
	 * execution is to be saved now: it waits then, as for its strategy (EXPLORER_LATER). */
	bool (*is_due)(void *owner, const struct execution *execution, const GArray *open,
	               bool beside);
	/* A rank has reported the stack of a call (call 0: of a signal). The stack begins at
	 * `place` (NULL: with its first frame). Returns the stack's number, for the world's call;
	 * 0: none. */
	guint32 (*stack)(void *owner, const struct execution *execution, int rank,
	                 const struct wire_stack *stack, const struct place *place);
	/* The outcome is certain, and the ranks are still there. Returns whether it ends well, and
	 * a word for how it ends. */
	bool (*end)(void *owner, struct execution *execution, const char **ret_word);
	/* Every process is gone. The output of each rank can be read as that of the world in that
	 * directory (host.h). Called by execution_report_gone, not within the host's `iterate`. */
	void (*gone)(void *owner, struct execution *execution, const char *directory);
};

struct restart;

/* All of it outlives the runs. */
struct runs_options {
	struct host *host;
	struct communicators *comms;
	struct events *events; /* receives the events; NULL: they are dropped */
	/* See struct session_options. */
	int ranks;
	const char *nodes;
	const char *program; /* its name */
	const struct wrapper *wrapper;
	bool every_call_waits;
	bool contents; /* ranks report what their messages contain */
	bool images; /* ranks may be asked for images, by strategies that compare states or stay */
	bool states; /* ranks are asked for their states, if the strategy compares them */
	guint not_yet, some;
	bool cancels;                  /* the program calls MPI_Cancel */
	enum wire_atomics atomics;     /* which of its atomic operations on windows are ordered */
	bool digests;                  /* ranks can report digests: the program polls */
	bool snapshots;                /* return to choices by snapshots */
	bool rewinds;                  /* and by rewinding in place, if it is safe (held_ranks.h) */
	guint64 memory_most;           /* budget of snapshots in bytes */
	const struct restart *restart; /* where executions begin (restart.h); NULL: at the start */
	const struct run_client *client;
	void *user;
};

/* Listens for ranks. Returns NULL with `error` set. */
struct runs *runs_new(const struct runs_options *options, GError **error);
/* runs_close ends all keepers and connections. Call it when every execution is dropped, while the
 * host can still run. NULL is legal, also below. */
void runs_close(struct runs *runs);
void runs_free(struct runs *runs);

/* A spawn that lacks processes: so many more, for the spawn of this number of rank `root`. */
struct runs_need {
	int root, spawn, count;
	char *command; /* owned */
};
/* Those for which the session must begin again (struct runs_need); empty: none. */
const GArray *runs_needs(const struct runs *runs);

/* Nothing more is decided: the session cannot go on. */
void runs_stop(struct runs *runs);
/* Does not wait any more for a user at a debugger, or for other tools. */
void runs_hurry(struct runs *runs);

/* Of executions that are not dropped: how many, and which (struct execution; free the list with
 * g_list_free). */
guint runs_count(const struct runs *runs);
GList *runs_executions(const struct runs *runs);
/* Call it every STALL_LOOK_MS. Looks for ranks that wait unnoticed, or have ended without a
 * report. */
void runs_look(struct runs *runs);
/* Ctrl-C stops the rank in the debugger; if it is stopped already, the debugger gets it. Returns
 * false if there is no such rank. */
bool runs_interrupt_debugged(struct runs *runs);

/* Sends all queued messages to ranks. */
void runs_send_off(const struct runs *runs);

/* Runs the host until the condition holds, or until `seconds` have passed (0: no limit). Returns
 * whether the condition holds. */
bool runs_pump(struct runs *runs, bool (*condition)(void *data), void *data, double seconds);

/* Returns how far the clocks of an execution's ranks were advanced, at most, in milliseconds. */
guint runs_forward_ms(const struct runs *runs);

/* --- snapshots --- */

/* Valid as long as the runs. */
struct snapshots *runs_snapshots(const struct runs *runs);

/* Whether snapshots are (still) returned to. */
bool runs_go_back(const struct runs *runs);
/* Whether an execution may begin while others run. False if snapshots are returned to, and the one
 * that all are copied from is not taken yet: only one job may be started for it. */
bool runs_may_begin_beside(const struct runs *runs);
/* Returns the seconds spent waiting for ranks to report their states. */
double runs_fingerprint_seconds(const struct runs *runs);
/* Ranks are not asked for their states any more; what reports them costs less then. */
void runs_leave_states(struct runs *runs);

/* Whether ranks may be asked for images from now on; between two executions. Only if the options
 * have images or states. */
void runs_keep_images(struct runs *runs, bool images);
/* Ends the job of all snapshots as well, if they are not returned to any more or were lost. Call it
 * after executions that have to begin anew were dropped. */
void runs_renew_job(struct runs *runs);

#define RUNS_ERROR (runs_error_quark())
GQuark runs_error_quark(void);

#endif
