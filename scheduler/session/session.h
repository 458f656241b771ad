/* A session: one program, explored (or run, or replayed) from its first interleaving to the
 * verdict.
 *
 * It starts the job, keeps the snapshots, asks the strategy for plans, has each carried out by an
 * execution (execution.h), gathers findings and writes the store. Everything happens on one libuv
 * loop in one thread. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/position.h"
#include "scheduler/host/wrapper.h"
#include "scheduler/store/record.h"

enum backtrack { BACKTRACK_AUTO, BACKTRACK_SNAPSHOT, BACKTRACK_RERUN, BACKTRACK_REWIND };

#define SESSION_NOT_YET_USUAL 1 /* unless --not-yet says otherwise: no path names it */

/* In which order the tree is explored; what is explored in the end is the same. */
enum session_order {
	SESSION_ORDER_DEPTH,      /* the deepest choice first: the cheapest to return to */
	SESSION_ORDER_DEVIATIONS, /* few deviations first */
	SESSION_ORDER_PORTFOLIO,  /* these, and at random, in turns, under each buffering */
};

struct host;
struct session;

struct session_progress {
	guint64 interleavings, findings, waiting;
	guint64 runs; /* random walks that came to their end; 0: there are none */
	double left;  /* an estimate of the interleavings not explored yet; < 0: none */
	double seconds;
	guint depth;     /* choices made in the current interleaving */
	int silent_rank; /* that has said nothing for so long; < 0: none */
	double silent_seconds;
	/* Where each rank is (char *), told once in each silence that lasts; else NULL. */
	const GPtrArray *stacks;
};

struct session_options {
	const char *command; /* "explore", "run", "replay" or "minimize" */
	char **program;      /* argv, NULL-terminated */
	int ranks;
	const char *launcher; /* NULL: mpiexec.mpich -n N */
	enum backtrack backtrack;
	bool verbose;     /* notes also tell what cost nothing but time */
	guint bufferings; /* of RECORD_BUFFERINGS */
	enum collective_mode collectives;
	guint64 max_interleavings; /* 0: no bound */
	double max_seconds;        /* 0: no bound */
	guint64 max_memory;        /* bytes for snapshots; 0: half of what is free */
	int deviations;            /* -1: no bound */
	enum session_order order;  /* explore: of the search */
	bool states;               /* explore: equal states once, instead of the tree */
	double watch_left;         /* explore: or from when on they are seen to come up and so many
	                      interleavings are thought to be left; 0: never */
	bool verify;               /* of these: goes on from states that are known, and compares */
	bool random;               /* explore: random walks instead of the search */
	guint64 seed;              /* of these */
	const GArray *bounds;      /* of struct bound (bounds.h); NULL: none */
	guint not_yet;       /* how often in a row a poll is told so although it need not be */
	guint some;          /* sets of requests that MPI_Waitsome reports: see explorer_options */
	guint shard, shards; /* explore: this one of so many parts of the tree; 0: all of it */
	guint jobs;          /* explore: worlds side by side; 0: one */
	const char *reason_for_one_world; /* why they cannot run so, for a note; NULL: they may */
	const struct path *from;          /* explore: nothing but what is below it; NULL: all */
	bool resume;                      /* go on with the exploration that the store holds */
	bool fail_fast;
	GStrv ignored; /* kinds of findings (finding_kind.h) that are not reported; NULL: none */
	bool every_call_waits;
	bool virtual_time;      /* who sleeps goes on at once, and its clocks with it */
	bool compare;           /* explore: what interleavings that end well leave */
	bool images;            /* snapshots are images, where they can be (run/image.h) */
	bool contents;          /* what is in messages is kept, as far as it can be shown */
	char **compare_files;   /* besides their output; NULL: none */
	const char *keep_files; /* directory for the files of each outcome, or NULL */
	const struct position *position; /* one interleaving along its choices; NULL: the search */
	/* Instead of the search or `position`: carries out what it likes (scripted_session.h), in one
	 * job that it goes back in; NULL: none. */
	void (*conduct)(struct session *session, void *scripted);
	void *scripted;
	/* Ctrl-C: true, the conductor has seen to it; NULL: it ends the session. */
	bool (*interrupted)(void *scripted);
	/* Where its ranks run; NULL: on this machine. Outlives the session. */
	struct host *host;
	const struct wrapper *wrapper; /* what ranks run under; nobody is hurried then; or NULL */
	const char *store;             /* directory, or NULL: nothing is kept */
	const char *standard_input;    /* file for rank 0's standard input, or NULL: none */
	void (*progress)(void *user, const struct session_progress *progress);
	void *user;
};

struct session_result {
	struct record_exploration *exploration;
	GPtrArray *findings; /* struct record_finding */
	bool lost;           /* replay: the program no longer follows the path */
	char *lost_reason;
};

void session_result_clear(struct session_result *result);

/* Carries the session out. false with `error` set (SESSION_ERROR): the program could not be run or
 * controlled, or the store not be written; what was explored before is in the store and in the
 * result. No process, socket or shared-memory file is left behind either way. */
bool session_run(const struct session_options *options, struct session_result *ret, GError **error);

#define SESSION_ERROR (session_error_quark())
GQuark session_error_quark(void);

#endif
