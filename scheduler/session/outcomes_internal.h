/* Shared by outcomes.c and outcomes_saved.c. No other file includes it. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOMES_INTERNAL_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOMES_INTERNAL_H

#include "outcomes.h"

struct outcome {
	struct record_execution *first;
	GArray *choices;
	GPtrArray *lines; /* by text: GArray of guint64, a hash for each unit (outcome_text.h) */
	guint stands_for;
};

/* What is not compared of one text. */
struct skipped {
	GHashTable *units; /* set of unit + 1 */
	guint from;        /* the unit from which all are left out */
};

struct outcomes {
	GPtrArray *all;
	GHashTable *by_digest; /* char * to index + 1 */
	GPtrArray *reference;  /* texts */
	GPtrArray *skipped;    /* by text: struct skipped */
	guint files_from;      /* texts from this one on are files, which may be binary */
	guint units;           /* kept */
	struct outcome_difference varying;
};

void outcome_free(gpointer outcome);
void outcomes_bytes_unref(gpointer bytes); /* NULL is allowed */

/* Never NULL. */
struct skipped *outcomes_skipped_of(struct outcomes *outcomes, guint text);
void skipped_add(struct skipped *left_out, guint unit);

/* Merges outcomes that became equal after lines were left out. */
void outcomes_gather(struct outcomes *outcomes);

#endif
