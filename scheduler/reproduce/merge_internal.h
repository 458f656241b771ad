/* What merge.c, merge_sources.c and merge_outcomes.c share. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_MERGE_INTERNAL_H

#include <stdbool.h>

#include "explorer/position.h"
#include "merge.h"
#include "scheduler/session/findings.h"
#include "scheduler/session/outcomes.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

/* One of the stores. */
struct merge_source {
	char *name; /* "shard 2/3", or the directory */
	const char *store;
	struct store_reader *reader;
	const struct record_exploration *exploration;
	GPtrArray *identity;           /* store_reader_identity */
	struct position *common;       /* of one that the others ran, too; NULL: not known */
	GPtrArray *texts;              /* of GBytes: what its ranks printed here */
	GVariant *left_out;            /* OUTCOMES_LEFT_OUT, or NULL */
	char *files;                   /* says how its files differ from the others'; or NULL */
	struct record_execution *well; /* path and id of the first that ended well; NULL: none */
	gboolean again;  /* (GVariant) an interleaving of each outcome was run again */
	gboolean struck; /* (GVariant) ranks were killed while it split the tree */
	char *split;     /* digest of how the tree was split; NULL: not known */
	GArray *stacks;  /* guint32, by number: those of the merged store; 0: not there yet */
	GHashTable *ids; /* interleavings there, to those in the merged store; NULL: not asked */
	GArray *differ;  /* guint32: those that it says differ in their outcome */
};

struct merge {
	GPtrArray *sources; /* of struct merge_source; shards in their order */
	struct store *store;
	struct findings *findings;
	struct record_exploration *exploration;
	struct merge_source *current;
	GHashTable *known; /* interleavings of earlier sources; NULL: shards have none in common */
	GHashTable *own;   /* of the current one */
	GPtrArray *stacks; /* of the merged store: GArray of struct record_frame, the readers' */
	guint well_kept;   /* bufferings under which the calls of one that ended well are kept */

	struct outcomes *outcomes; /* NULL: they are not compared */
	bool certain;              /* differences come from the choices */
	guint ranks;               /* texts that each interleaving leaves */
	GPtrArray *texts;          /* by outcome: GPtrArray of GBytes */
	GArray *outcome_of;        /* as the session's */
	guint64 beyond;            /* interleavings whose outcomes were too many */
};

/* Opens them, sees that they belong together, and sorts shards (merge_sources.c). */
GPtrArray *merge_sources_open(char *const *stores, GError **error);
bool merge_same_store(const char *one, const char *other);
/* Why not all of the tree is explored; NULL: it is. The caller's. */
char *merge_incomplete(const struct merge *merge);
/* Unites what they are and their notes in merge->exploration. */
void merge_describe(struct merge *merge);
void merge_note(struct merge *merge, char *text);

/* Before the first interleaving: what is compared (merge_outcomes.c). */
void merge_outcomes_begin(struct merge *merge);
/* One has ended well. */
void merge_outcomes_take(struct merge *merge, const struct record_execution *record,
                         const GArray *choices);
/* After the last one: a finding, or a note. */
bool merge_outcomes_judge(struct merge *merge, GError **error);
/* What a merge must know of the merged store; unref it. */
GVariant *merge_outcomes_common(const struct merge *merge);

#endif
