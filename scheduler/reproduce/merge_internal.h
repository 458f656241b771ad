/* Internals shared by merge.c, merge_sources.c and merge_outcomes.c. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_INTERNAL_H

#include <stdbool.h>

#include "explorer/position.h"
#include "merge.h"
#include "scheduler/session/findings.h"
#include "scheduler/session/outcomes.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

/* One of the stores to merge. */
struct merge_source {
	char *name; /* "shard 2/3", or the directory */
	const char *store;
	struct store_reader *reader;
	const struct record_exploration *exploration;
	GPtrArray *identity;           /* store_reader_identity */
	struct position *common;       /* an interleaving that the other stores also ran; NULL: not
				        * known */
	GPtrArray *texts;              /* of GBytes: output of its ranks in this store */
	GVariant *left_out;            /* OUTCOMES_LEFT_OUT, or NULL */
	gboolean wrote;                /* (GVariant) files are compared, and there are some */
	GVariant *varying;             /* VARYING_LINES_EVERYWHERE, or NULL */
	GVariant *erratic;             /* VARYING_LINES_SUSPECT, or NULL */
	char *files;                   /* how its files differ from those of the others; or NULL */
	struct record_execution *well; /* path and id of the first that ended well; NULL: none */
	gboolean again;  /* (GVariant) an interleaving of each outcome was run again */
	gboolean struck; /* (GVariant) ranks were killed while it divided the tree */
	char *split;     /* digest of how the tree was divided; NULL: not known */
	GArray *stacks;  /* guint32, by number: the number in the merged store; 0: not yet there */
	GHashTable *ids; /* its interleavings to those in the merged store; NULL: not needed */
	GArray *differ;  /* guint32: interleavings with a different outcome in this store */
};

struct merge {
	GPtrArray *sources; /* of struct merge_source; shards in their order */
	struct store *store;
	struct findings *findings;
	struct record_exploration *exploration;
	struct merge_source *current;
	GHashTable *known; /* interleavings of earlier sources, by stored_run_identity; NULL: there
			    * are no common ones */
	GHashTable *own;   /* of the current one */
	GPtrArray *stacks; /* of the merged store: GArray of struct record_frame, owned by
			    * readers */
	guint well_kept;   /* bufferings with the calls of a good interleaving stored */

	struct outcomes *outcomes;     /* NULL: outcomes are not compared */
	bool certain;                  /* differences come from the choices */
	guint ranks;                   /* number of texts of each interleaving */
	GPtrArray *texts;              /* by outcome: GPtrArray of GBytes */
	GArray *outcome_of;            /* guint32, in pairs: an outcome, an execution */
	guint64 beyond;                /* interleavings with outcomes beyond OUTCOMES_KEPT */
	struct merge_varying *varying; /* NULL: no line varies under some choices only */
};

/* A line that varies under some choices only (merge_varying.c): in one store, or in all
 * interleavings of one store and in none of another. */
struct merge_varying *merge_varying_new(const struct merge *merge); /* NULL: there is none */
void merge_varying_free(struct merge_varying *varying);             /* NULL is legal */
/* An interleaving of the current source ended well with these texts (GBytes). */
void merge_varying_take(struct merge_varying *varying, const struct merge *merge,
                        const struct record_execution *record, const GPtrArray *texts);
/* After the last one: returns the finding, or NULL. *ret_shown: the interleavings (guint32) that
 * show it; free with g_array_unref. */
struct record_finding *merge_varying_finding(const struct merge_varying *varying,
                                             const struct merge *merge, GArray **ret_shown);

/* Opens the stores, checks that they belong together, and sorts shards (merge_sources.c). */
GPtrArray *merge_sources_open(char *const *stores, GError **error);
bool merge_same_store(const char *one, const char *other);
/* Sets the limits of merge->exploration, and whether it is complete. */
void merge_limits(struct merge *merge);
/* Sets merge->exploration from the explorations and notes of all stores. */
void merge_describe(struct merge *merge);
void merge_note(struct merge *merge, char *text);

/* Before the first interleaving: prepares the comparison (merge_outcomes.c). */
void merge_outcomes_begin(struct merge *merge);
/* An interleaving has ended well: compares its outcome. */
void merge_outcomes_take(struct merge *merge, const struct record_execution *record,
                         const GArray *choices);
/* After the last one: adds a finding or a note. */
bool merge_outcomes_judge(struct merge *merge, GError **error);
/* Data for later merges of the merged store; free with g_variant_unref. */
GVariant *merge_outcomes_common(const struct merge *merge);

#endif
