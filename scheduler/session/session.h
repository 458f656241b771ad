/* A session: one program, explored (or run, or replayed) from its first interleaving to the
 * verdict.
 *
 * It starts the job, keeps the snapshots, asks the strategy for plans, has each carried out by an
 * execution (execution/run.h), gathers findings and writes the store. Everything happens on one
 * libuv loop in one thread. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/position.h"
#include "scheduler/host/wrapper.h"
#include "scheduler/store/record.h"

enum backtrack { BACKTRACK_AUTO, BACKTRACK_SNAPSHOT, BACKTRACK_RERUN, BACKTRACK_REWIND };

#define SESSION_NOT_YET_USUAL 1 /* the default of --not-yet; paths do not name it */

/* The order in which the tree is explored. A complete exploration has the same result in any
 * order. */
enum session_order {
	SESSION_ORDER_DEPTH,      /* the deepest choice first: the cheapest to return to */
	SESSION_ORDER_DEVIATIONS, /* few deviations first */
	SESSION_ORDER_PORTFOLIO,  /* these and random order in turns, under each buffering */
};

struct communicators;
struct host;
struct restart;
struct session;
struct strategy;

struct session_progress {
	guint64 interleavings, findings, waiting;
	guint64 runs;   /* random walks that have ended; 0: none */
	guint64 states; /* found by a search over states; 0: none, or another search */
	double left;    /* estimated number of unexplored interleavings; < 0: none */
	double seconds;
	guint depth;     /* choices made in the current interleaving */
	int silent_rank; /* the rank silent for longest; < 0: none */
	double silent_seconds;
	/* where each rank is (char *), once in each long silence; else NULL */
	const GPtrArray *stacks;
};

/* Which positions are saved on disk (session_saving.h). Neither a function nor a call: by time; no
 * time either: before the first choice. */
struct save_options {
	const char *folder; /* where; NULL: none are saved */
	double every;       /* seconds; 0: not by time. With a function, at most so often */
	guint16 function;   /* where ranks stand in it (mpi_calls.h); 0: none */
	int rank;           /* where this rank stands in */
	guint32 call;       /* this call; 0: none */
	/* Tells the user, where that is wanted; NULL: nobody is told */
	void (*tell)(void *user, const char *text, bool problem);
	void *user;
};

struct session_options {
	const char *command; /* "explore", "run", "replay" or "minimize" */
	char **program;      /* argv, NULL-terminated */
	int ranks;
	const char *launcher; /* NULL: mpiexec.mpich -n N */
	const char *nodes;    /* virtual nodes, from nodes_parse; NULL: one */
	enum backtrack backtrack;
	bool verbose;     /* notes also mention what only cost time */
	guint bufferings; /* of RECORD_BUFFERINGS */
	enum collective_mode collectives;
	guint64 max_interleavings; /* 0: no bound */
	double max_seconds;        /* 0: no bound */
	guint64 max_memory;        /* bytes for snapshots; 0: half of the free memory */
	int deviations;            /* -1: no bound */
	enum session_order order;  /* explore: order of the search */
	bool states;               /* explore: equal states once, instead of the tree */
	double watch_left;         /* explore: try states if so many are left; 0: never */
	guint64 watch_from;        /* after so many interleavings at the earliest */
	double watch_gain;         /* and if the tree would be so many times the work */
	const char *watch_not;     /* why states are not tried, for a note; NULL: they are */
	bool verify;               /* of `states`: continues from known states, and compares */
	bool random;               /* explore: random walks instead of the search */
	guint64 seed;              /* of `random` */
	const GArray *bounds;      /* of struct bound (bounds.h); NULL: none */
	guint not_yet;             /* how often in a row a poll may return "not yet" without need */
	guint some;          /* sets of requests that MPI_Waitsome returns: see explorer_options */
	guint shard, shards; /* explore: part `shard` of `shards`; 0: the whole tree */
	guint jobs;          /* explore: worlds side by side; 0: one */
	const char *reason_for_one_world; /* a note why worlds run one by one; NULL: side by side */
	const char *run_parent;           /* directory for the run directory; NULL: the usual */
	bool output_on_disk;              /* what ranks print, from the beginning */
	const struct path *from;          /* explore: only the part below this path; NULL: all */
	/* explore: the path and the trace of a run that is known. What it led to is explored first,
	 * and its buffering first. NULL: none */
	const struct path *toward;
	const struct trace *toward_trace;
	const char *toward_name;  /* for notes: where it was recorded */
	const char *toward_words; /* how well it could be followed */
	bool resume;              /* continue the exploration in the store */
	bool fail_fast;
	GStrv ignored; /* kinds of findings (finding_kind.h) that are not reported; NULL: none */
	bool errors_returned; /* errors that MPI returned to the program are findings */
	bool every_call_waits;
	bool virtual_time;  /* sleeps end at once, and the clocks advance */
	bool compare;       /* explore: compare the outcomes of interleavings that end well */
	bool keeps_history; /* so that positions can be saved on disk (session_save_on_disk) */
	struct save_options save;
	/* Executions begin there; NULL: at the start of the program. */
	const struct restart *restart;
	bool images;            /* snapshots are images where possible (execution/image.h) */
	bool contents;          /* keep the contents of messages, as far as they can be shown */
	bool native;            /* explore: also run the program without control (native_check.h) */
	char **compare_files;   /* besides their output; NULL: none */
	bool compare_written;   /* besides their output: all files that ranks change */
	const char *keep_files; /* directory for the files of each outcome, or NULL */
	const struct position *position; /* one interleaving along its choices; NULL: the search */
	/* Makes the strategy that decides what `position` leaves open; NULL: the first
	 * alternative is taken. Freed by its own function. */
	struct strategy *(*guide)(void *guided, const struct communicators *comms);
	void *guided;
	/* Called instead of the search or `position`. It carries out executions of its own in one
	 * job (scripted_session.h). NULL: none. */
	void (*conduct)(struct session *session, void *scripted);
	void *scripted;
	/* The program spawns processes for which the job has no room: takes this larger program,
	 * on so many ranks, and returns whether the conductor can begin again with it. NULL: it
	 * cannot. */
	bool (*take_larger)(void *scripted, char *const *program, int ranks);
	/* Called on Ctrl-C; true: it was handled. NULL: Ctrl-C ends the session. */
	bool (*interrupted)(void *scripted);
	/* Where ranks run; NULL: on this machine. Must outlive the session. */
	struct host *host;
	const struct wrapper *wrapper; /* wraps ranks, without time limits; NULL: none */
	const char *store;             /* directory; NULL: nothing is stored */
	const char *standard_input;    /* file for rank 0's standard input; NULL: none */
	char **environment;            /* of the launcher and its ranks; NULL: our own */
	void (*progress)(void *user, const struct session_progress *progress);
	void *user;
};

struct session_result {
	struct record_exploration *exploration;
	GPtrArray *findings; /* struct record_finding */
	bool lost;           /* replay: the program did not follow the path */
	char *lost_reason;
};

void session_result_clear(struct session_result *result);

/* Carries the session out. false with `error` set (SESSION_ERROR): the program could not be run or
 * controlled, or the store could not be written. What was explored before is in the store and in
 * the result. In either case no process, socket or shared-memory file is left behind. */
bool session_run(const struct session_options *options, struct session_result *ret, GError **error);

#define SESSION_ERROR (session_error_quark())
GQuark session_error_quark(void);

#endif
