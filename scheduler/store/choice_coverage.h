/* Coverage of choices: which calls have taken each of their known alternatives in some
 * interleaving. It describes an exploration that was stopped. Pure. */
#ifndef MATCHPOINT_SCHEDULER_STORE_CHOICE_COVERAGE_H
#define MATCHPOINT_SCHEDULER_STORE_CHOICE_COVERAGE_H

#include <stdbool.h>

#include "record.h"

#define CHOICE_COVERAGE_CALLERS 2

struct choice_coverage;

/* An alternative of a point: an answer, or, if that is NULL, the message of `source`. */
struct choice_coverage_alternative {
	const char *answer;
	int32_t source;
	bool taken; /* in some interleaving */
};

struct choice_coverage_point {
	struct point point;   /* must be first: the key */
	uint32_t call;        /* the call that represents it: struct record_choice; of a lock, the
			       * grant */
	const char *function; /* where it was first seen; on other paths the call may differ */
	struct place place;   /* likewise */
	const GArray *frames; /* its stack (struct record_frame), borrowed; NULL: not known */
	GPtrArray *alternatives; /* struct choice_coverage_alternative, unordered */
	uint32_t taken;          /* number of them taken */
};

/* The points at one place that have several alternatives. A function that makes a call of MPI for
 * others is told apart by them: its points are divided by the frames at which their stacks part. */
struct choice_coverage_place {
	const char *function;
	struct place place;
	GPtrArray *callers;    /* struct record_frame, borrowed, innermost first; at most
			        * CHOICE_COVERAGE_CALLERS. Empty: one caller, or none known */
	GPtrArray *points;     /* struct choice_coverage_point, borrowed; by rank and call */
	uint32_t done;         /* points with all alternatives taken */
	uint32_t known, taken; /* alternatives */
};

struct choice_coverage *choice_coverage_new(void);
void choice_coverage_free(struct choice_coverage *coverage); /* NULL is allowed */

/* Adds the choices (struct record_choice) of an interleaving. */
void choice_coverage_add(struct choice_coverage *coverage, const GPtrArray *choices);

/* Adds the call stack (struct record_frame; a reference is taken) of a rank's call in some
 * interleaving. Where it was first seen, the point of that call must be at the same place. */
void choice_coverage_add_stack(struct choice_coverage *coverage, int32_t rank, uint32_t call,
                               GArray *frames);

/* Whether a stack could tell points apart that are at the same place, and none of them has one. */
bool choice_coverage_wants_stacks(const struct choice_coverage *coverage);

/* Returns the coverage by place (struct choice_coverage_place), the least covered first; empty:
 * there was no choice. Valid until more is added; free with g_ptr_array_unref. */
GPtrArray *choice_coverage_places(const struct choice_coverage *coverage);

/* Returns a sentence without a full stop: the coverage by place, the least covered first, at most
 * `most` places of each kind. NULL: there was no choice. Free with g_free. */
char *choice_coverage_words(const struct choice_coverage *coverage, guint most);

#endif
