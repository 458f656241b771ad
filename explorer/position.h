/* A position: what can be gone to. It is a set of choices, under the conditions of their path, and,
 * if wanted, a cut: how many calls each rank has made. In which order choices were made that can be
 * made in any says nothing, so positions are equal when their sets are. Snapshots make it quick to
 * get there, and are no part of it.
 *
 * As text, that of the path (path.h), and behind an '@' the cut: for each rank that has made any
 * calls the last, as "rank.call".
 *
 *   mp1:n3:0.2=1           where these choices lead
 *   mp1:n3:0.2=1@0.3,2.1   on that way; rank 0 has made 3 calls, rank 1 none, rank 2 one
 *   mp1:n3:@               no rank has made a call
 *
 * Whether there is such a state (no rank has made a call that had to wait for what another has not
 * done) is not asked here. Pure. */
#ifndef MATCHPOINT_EXPLORER_POSITION_H
#define MATCHPOINT_EXPLORER_POSITION_H

#include <stdbool.h>

#include "path.h"

struct position;

/* Takes the path over, which no longer changes. No cut. */
struct position *position_new(struct path *path);
/* That of these choices (struct choice), and with the same conditions and cut of others. */
struct position *position_of(int ranks, enum buffering buffering, enum collective_mode collectives,
                             const GArray *choices);
struct position *position_with_choices(const struct position *position, const GArray *choices);
struct position *position_copy(const struct position *position);
void position_free(struct position *position); /* NULL is legal */

const struct path *position_path(const struct position *position);

/* Rank `rank` is cut behind its call `calls`; ranks of which nothing is said, before their first
 * one. */
void position_cut(struct position *position, int32_t rank, uint32_t calls);
bool position_has_cut(const struct position *position);
/* The calls that a rank has made there; 0 without a cut, too. */
uint32_t position_calls(const struct position *position, int32_t rank);

/* Whether nothing has been done there that depends on conditions or other ranks: no choice is made,
 * and no rank has come further than its first call, MPI_Init. Only one with a cut is. */
bool position_is_start(const struct position *position);
/* Whether who stands at `one` can go on to `other`: that has all of its choices, under the same
 * conditions, and no rank has made fewer calls there. From the start one can go anywhere; to a cut,
 * only from what has one. */
bool position_leads_to(const struct position *one, const struct position *other);

/* Order: <0, 0, >0; by conditions, choices, and the cut, none being first. */
int position_compare(const struct position *one, const struct position *other);
bool position_equal(const struct position *one, const struct position *other);
uint64_t position_hash(const struct position *position);

/* For hash tables whose keys are struct position. */
unsigned position_key_hash(const void *position);
int position_key_equal(const void *one, const void *other);

/* Free with g_free. */
char *position_print(const struct position *position);
/* NULL with `error` set (PATH_ERROR) when the text is no position. */
struct position *position_parse(const char *text, GError **error);

/* Bytes that are the same for equal ones, and only for them. */
void position_put(GByteArray *bytes, const struct position *position);

#endif
