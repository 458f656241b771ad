/* Internals shared by outcome_watch.c and outcome_watch_varying.c. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_WATCH_INTERNAL_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_WATCH_INTERNAL_H

#include "outcome_watch.h"
#include "varying_lines.h"

/* An outcome whose first interleaving was run again. */
struct again {
	guint index;
	guint number; /* of the outcome, for --keep-files; 0: not kept */
	bool same;
	char *path; /* the shortest with the same outcome; NULL: the interleaving's own */
	struct outcome_difference difference; /* from the reference */
};

/* A line that is known to vary under some choices only. */
struct erratic {
	struct varying_suspect suspect;
	char *steady;   /* the line, where it is always the same */
	char *seen;     /* where it varies */
	char *paths[2]; /* to both, the steady first; NULL: the interleavings' own */
};

struct outcome_watch {
	struct session *session;
	struct outcomes *outcomes;     /* NULL: outcomes are not compared */
	struct varying_lines *varying; /* the same */
	struct erratic *erratic;       /* NULL: none */
	guint32 clocks;                /* number of runs with uneven clocks */
	guint64 beyond;                /* interleavings with outcomes beyond OUTCOMES_KEPT */
	guint64 restored;   /* interleavings whose outcomes an earlier session has saved */
	GArray *outcome_of; /* guint32, in pairs: an outcome, an execution with it */
	enum { DOUBT_NONE, DOUBT_NEW, DOUBT_CHECKED } doubt; /* DOUBT_NEW: outcomes differ */
	guint doubts;                                        /* number of checks so far */
	struct again reference;
	struct again sure; /* the first other outcome due to choices; index 0: none */
};

/* Runs an interleaving again, from the start. Its clocks run unevenly, unless the program then goes
 * another way or does not end well: so a line that depends on time varies, even if the time that it
 * shows is coarse. *ret_named: the choices that were forced; free with g_array_unref. NULL: it
 * could not be run again. */
struct execution *outcome_watch_run_first(struct outcome_watch *watch,
                                          const struct record_execution *first,
                                          const GArray *choices, GArray **ret_named);

/* "rank 0's output, line 3"; free with g_free. */
char *outcome_watch_place(const struct outcome_watch *watch,
                          const struct outcome_difference *difference);

/* Adds a finding with all its outcomes. `shown`: the interleavings (guint32) that show it; `first`
 * and `choices`: the one that its path leads to. */
void outcome_watch_add_shown(const struct outcome_watch *watch, struct record_finding *finding,
                             const GArray *shown, const struct record_execution *first,
                             const GArray *choices);

/* Gives an outcome this path. NULL: it keeps its own. */
void outcome_watch_set_path(struct record_outcome *outcome, const char *path);

/* Runs again the interleaving that shows a difference, or the reference, to store its calls for
 * graphs and call stacks. */
void outcome_watch_show(const struct outcome_watch *watch, const struct record_execution *first,
                        const GArray *choices);

/* --- outcome_watch_varying.c ------------------------------------------------------------------ */

/* Makes sure of lines that are suspect (varying_lines.h), until one is certain. */
void outcome_watch_confirm_suspects(struct outcome_watch *watch);

/* At the end: also runs interleavings again to find suspect lines. */
void outcome_watch_look_for_erratic(struct outcome_watch *watch);

/* Adds the finding on the line that is certain. */
void outcome_watch_report_erratic(const struct outcome_watch *watch);

/* Adds what merges need to know of lines that vary. */
void outcome_watch_insert_varying(const struct outcome_watch *watch, GVariantDict *dict);

/* NULL is legal. */
void outcome_watch_free_erratic(struct erratic *erratic);

#endif
