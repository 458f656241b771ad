/* The locks of windows as places where choices are made (MPI 3.1, section 11.5.3).
 *
 * To the search a lock is one more rank, which receives from any source. A request is a message,
 * and stays on offer until it is granted. Then the lock receives the holder's release, and so on.
 * An exclusive lock takes the place of the target itself, and then one place for each other rank:
 * those in which that rank could hold a shared lock. A shared lock takes only the place of its own
 * rank. So shared locks do not affect each other, and no order among them is explored; but each of
 * them is before or after each exclusive lock.
 *
 * The words of a target's window are places, too: of 4 bytes, counted from 1. An atomic operation
 * that writes takes them as an exclusive lock does, one that only reads as a shared lock does.
 *
 * Windows are numbered by the lowest rank of their group, in its program order. So the number is
 * the same in every interleaving and for every rank. */
#ifndef MATCHPOINT_EXPLORER_LOCK_H
#define MATCHPOINT_EXPLORER_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Ranks are ranks in MPI_COMM_WORLD. */
struct lock_place {
	int32_t window; /* number, from 1, among the windows whose lowest rank is `first` */
	int32_t first;
	int32_t target;
	int32_t reader; /* rank of a shared lock; -1: the lock itself */
	int32_t word;   /* of the window, from 1; 0: a lock */
};

#define LOCK_WORD_BYTES 4

/* The numbers of words begin here. Few of those in between are in use. */
#define LOCK_FIRST_WORD (1 << 30)

/* A tag that no message of a program has: a rank that slept learns that a word has changed. */
#define LOCK_TAG_CHANGED (-2)

/* The number of a place in a job of `ranks` ranks, at least `ranks`; -1: out of range. */
int32_t lock_number(int ranks, const struct lock_place *place);

/* Whether this number is a place and not a rank; if so, sets *ret_place. */
bool lock_from_number(int ranks, int32_t number, struct lock_place *ret_place);

#endif
