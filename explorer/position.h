/* A position: a state that can be reached. It is a set of choices under the conditions of their
 * path, and optionally a cut: how many calls each rank has made. The order of independent choices
 * does not matter, so positions are equal if their sets are. Snapshots make it quick to reach a
 * position, and are not part of it.
 *
 * The text is that of the path (path.h). After an '@' follows the cut: the last call of each rank
 * that has made any, as "rank.call".
 *
 *   mp1:n3:0.2=1           where these choices lead
 *   mp1:n3:0.2=1@0.3,2.1   on the way there: rank 0 has made 3 calls, rank 1 none, rank 2 one
 *   mp1:n3:@               no rank has made a call
 *
 * Whether such a state exists (whether the cut is consistent) is not checked here. No I/O. */
#ifndef MATCHPOINT_EXPLORER_POSITION_H
#define MATCHPOINT_EXPLORER_POSITION_H

#include <stdbool.h>

#include "path.h"

struct position;

/* Takes ownership of the path, which must not change any more. No cut. */
struct position *position_new(struct path *path);
/* position_of: the position of these choices (struct choice). position_with_choices: other choices
 * with the conditions and the cut of a position. */
struct position *position_of(int ranks, const char *nodes, enum buffering buffering,
                             enum collective_mode collectives, const GArray *choices);
struct position *position_with_choices(const struct position *position, const GArray *choices);
struct position *position_copy(const struct position *position);
void position_free(struct position *position); /* NULL is allowed */

const struct path *position_path(const struct position *position);

/* Sets the number of calls of rank `rank` in the cut. Ranks that are not set have made no call. */
void position_cut(struct position *position, int32_t rank, uint32_t calls);
bool position_has_cut(const struct position *position);
/* The number of calls of a rank in the cut; without a cut 0. */
uint32_t position_calls(const struct position *position, int32_t rank);

/* Whether nothing has been done that depends on conditions or other ranks: no choice is made, and
 * no rank is beyond its first call, MPI_Init. True only with a cut. */
bool position_is_start(const struct position *position);
/* Whether ranks at `one` can continue to `other`: `other` has all choices of `one` under the same
 * conditions, and no rank has made fewer calls there. The start leads to everything. Only a
 * position with a cut leads to one with a cut. */
bool position_leads_to(const struct position *one, const struct position *other);

/* Returns <0, 0 or >0. By conditions, then choices, then the cut; no cut comes first. */
int position_compare(const struct position *one, const struct position *other);
bool position_equal(const struct position *one, const struct position *other);
uint64_t position_hash(const struct position *position);

/* For hash tables whose keys are struct position. */
unsigned position_key_hash(const void *position);
int position_key_equal(const void *one, const void *other);

/* Free with g_free. */
char *position_print(const struct position *position);
/* NULL and `error` set (PATH_ERROR) if the text is not a position. */
struct position *position_parse(const char *text, GError **error);

/* Equal positions have the same bytes; different ones do not. */
void position_put(GByteArray *bytes, const struct position *position);

#endif
