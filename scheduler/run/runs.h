/* All executions of a session, and what they share: the host, the job that worlds are copied from,
 * the snapshots. */
#ifndef MATCHPOINT_SCHEDULER_RUN_RUNS_H
#define MATCHPOINT_SCHEDULER_RUN_RUNS_H

#include <stdbool.h>

#include "events.h"
#include "run.h"
#include "scheduler/host/host.h"
#include "scheduler/host/wrapper.h"

/* Whom executions are carried out for: what he is told, and asked. `user` is that of the options,
 * `owner` that of the request. */
struct run_client {
	/* Going on is impossible: the message says what, where, and what to do. */
	void (*fail)(void *user, const char *message);
	/* Going back by snapshots does not work after all, for this reason (taken over): they are
	 * run again from the start from now on. */
	void (*fall_back)(void *user, char *reason);
	/* Something outside has ended an execution, in these words. */
	void (*struck)(void *user, const char *what);
	/* The first line of MPI_Get_library_version. */
	void (*library)(void *user, const char *version);
	/* Before the strategy is asked: `open` (struct open_choice) is to be told for which bounds
	 * each choice counts. */
	void (*open)(void *owner, const struct execution *execution, GArray *open);
	/* A rank has told a call's stack (call 0: where a signal has struck it), which begins at
	 * that place (NULL: with its first frame). Its number, for the world's call; 0: none. */
	guint32 (*stack)(void *owner, const struct execution *execution, int rank,
	                 const struct wire_stack *stack, const struct place *place);
	/* What it comes to is certain, and its ranks are still there. Whether it ends well, and
	 * how, in a word. */
	bool (*end)(void *owner, struct execution *execution, const char **ret_word);
	/* Every process is gone; what each rank has written is in that directory. By
	 * execution_tell_gone. */
	void (*gone)(void *owner, struct execution *execution, const char *directory);
};

/* All of it outlives the runs. */
struct runs_options {
	struct host *host;
	struct communicators *comms;
	struct events *events; /* to be told what happens; NULL: nobody is */
	/* as in struct session_options */
	int ranks;
	const char *program; /* its name */
	const struct wrapper *wrapper;
	bool every_call_waits;
	bool contents; /* ranks tell what is in the messages that they send */
	bool images;   /* ranks may be asked for images, by strategies that compare or stay */
	bool states;   /* ranks are asked for their state, if the strategy compares them */
	guint not_yet, some;
	bool cancels;        /* the program calls MPI_Cancel */
	bool snapshots;      /* goes back by snapshots */
	bool rewinds;        /* and in place, where that is safe (held_ranks.h) */
	guint64 memory_most; /* bytes for these */
	const struct run_client *client;
	void *user;
};

/* Listens for ranks. NULL with `error` set. */
struct runs *runs_new(const struct runs_options *options, GError **error);
/* Ends all keepers, and listens to nothing more: to be called when every execution is dropped, and
 * while the host can still have a turn. NULL is legal, also below. */
void runs_close(struct runs *runs);
void runs_free(struct runs *runs);

/* Nothing more is decided: going on has become impossible. */
void runs_stop(struct runs *runs);
/* Nor is anybody waited for who sits at a debugger, or any other tool. */
void runs_hurry(struct runs *runs);

/* Those that are not dropped. */
guint runs_count(const struct runs *runs);
void runs_each(struct runs *runs, void (*function)(struct execution *execution, void *user),
               void *user);
/* To be called every STALL_LOOK_MS: looks for ranks that wait where they are not seen, or are gone
 * without a word. */
void runs_look(struct runs *runs);
/* Ctrl-C is for the rank in the debugger, which stops it; where that holds it already, for the
 * debugger. false: there is none. */
bool runs_interrupt_debugged(struct runs *runs);

/* What ranks were sent so far is on its way, before anything is waited for. */
void runs_send_off(const struct runs *runs);

/* Has the host tell what it has until the condition holds or seconds have passed (0: no bound);
 * false: they have. */
bool runs_pump(struct runs *runs, bool (*condition)(void *data), void *data, double seconds);

/* How far the clocks that ranks read were put forward in an execution, at most, in milliseconds. */
guint runs_forward_ms(const struct runs *runs);

/* --- snapshots --- */

/* How ranks came to where an interleaving begins. */
struct rewinding {
	guint64 rewound, forked;
	guint64 refused;       /* could not be rewound */
	guint refused_in_turn; /* since one could */
	char *reason;          /* the first one's; NULL: there is none */
};
const struct rewinding *runs_rewinding(const struct runs *runs);

/* Whether they are gone back to (still). */
bool runs_go_back(const struct runs *runs);
/* Seconds for which it was waited until ranks had told their states. */
double runs_fingerprint_seconds(const struct runs *runs);
/* From now on no rank is asked for its state any more: what tells it costs less. */
void runs_leave_states(struct runs *runs);

/* Gives up those for which nobody needs the choices that were made (but for a few that were taken
 * along paths), and those beyond the budget. */
void runs_release_snapshots(struct runs *runs,
                            bool (*needed)(const struct world *world, void *user), void *user);
/* All that there are: the world as it was parked. */
void runs_each_snapshot(const struct runs *runs,
                        void (*look)(const struct world *world, void *user), void *user);
/* After executions that are to be begun again were dropped: the job of all snapshots is ended, too,
 * if they are not gone back to any more. */
void runs_renew_job(struct runs *runs);

#define RUNS_ERROR (runs_error_quark())
GQuark runs_error_quark(void);

#endif
