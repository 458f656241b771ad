/* Which calls have had each alternative that they are known to have, in some interleaving: what can
 * be said of an exploration that was stopped. Pure. */
#ifndef MATCHPOINT_SCHEDULER_CHOICE_COVERAGE_H
#define MATCHPOINT_SCHEDULER_CHOICE_COVERAGE_H

#include "record.h"

struct choice_coverage;

struct choice_coverage *choice_coverage_new(void);
void choice_coverage_free(struct choice_coverage *coverage); /* NULL is none */

/* The choices (struct record_choice) of one more interleaving. */
void choice_coverage_add(struct choice_coverage *coverage, const GPtrArray *choices);

/* A sentence without a full stop, by places of the program, the least covered first, at most so
 * many of each sort; NULL: there was nothing to choose. Free with g_free. */
char *choice_coverage_words(const struct choice_coverage *coverage, guint most);

#endif
