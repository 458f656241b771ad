/* The locks of windows as places where choices are made (MPI 3.1, section 11.5.3).
 *
 * To the search a lock is one more rank, which receives from anybody: a request is a message, and
 * stays on offer until it is granted; then the lock receives the holder's release, and so on. An
 * exclusive lock takes the place of the target itself, and then, one for each other rank, those in
 * which that rank could hold a shared lock; a shared lock takes the place of its own rank alone. So
 * shared locks do not know of each other, and no order among them is explored, while each of them
 * stands before or after each exclusive one.
 *
 * Windows are counted by the lowest rank of their group, in its program order: the number is the
 * same in every interleaving, whoever looks. */
#ifndef MATCHPOINT_EXPLORER_LOCK_H
#define MATCHPOINT_EXPLORER_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Ranks are ranks in MPI_COMM_WORLD. */
struct lock_place {
	int32_t window; /* from 1, of those of which `first` is the lowest rank */
	int32_t first;
	int32_t target;
	int32_t reader; /* whose shared lock; -1: the lock itself */
};

/* The number of a place in a job of so many ranks, at least `ranks`; -1: beyond all numbers. */
int32_t lock_number(int ranks, const struct lock_place *place);

/* Whether this number is a place (and no rank); then *ret_place is set. */
bool lock_from_number(int ranks, int32_t number, struct lock_place *ret_place);

#endif
