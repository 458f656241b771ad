/* Which calls have had each alternative that they are known to have, in some interleaving: what can
 * be said of an exploration that was stopped. Pure. */
#ifndef MATCHPOINT_SCHEDULER_STORE_CHOICE_COVERAGE_H
#define MATCHPOINT_SCHEDULER_STORE_CHOICE_COVERAGE_H

#include <stdbool.h>

#include "record.h"

struct choice_coverage;

/* What a point could take: an answer, or (NULL) the message of `source`. */
struct choice_coverage_alternative {
	const char *answer;
	int32_t source;
	bool taken; /* in some interleaving */
};

struct choice_coverage_point {
	struct point point;   /* first: the key */
	uint32_t call;        /* by which it is told: struct record_choice; of a lock the grant */
	const char *function; /* where it was first seen: calls of other paths may differ */
	struct place place;   /* the same */
	GPtrArray *alternatives; /* struct choice_coverage_alternative; in no order */
	uint32_t taken;          /* how many of them */
};

/* Those with several alternatives that stand at one place. */
struct choice_coverage_place {
	const char *function;
	struct place place;
	GPtrArray *points;     /* struct choice_coverage_point, the coverage's; by rank and call */
	uint32_t done;         /* points all of whose alternatives were taken */
	uint32_t known, taken; /* alternatives */
};

struct choice_coverage *choice_coverage_new(void);
void choice_coverage_free(struct choice_coverage *coverage); /* NULL is none */

/* The choices (struct record_choice) of one more interleaving. */
void choice_coverage_add(struct choice_coverage *coverage, const GPtrArray *choices);

/* By place (struct choice_coverage_place), the least covered first; empty: there was nothing to
 * choose. Valid until more is added; free with g_ptr_array_unref. */
GPtrArray *choice_coverage_places(const struct choice_coverage *coverage);

/* A sentence without a full stop, by places of the program, the least covered first, at most so
 * many of each sort; NULL: there was nothing to choose. Free with g_free. */
char *choice_coverage_words(const struct choice_coverage *coverage, guint most);

#endif
