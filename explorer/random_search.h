/* Random walks, for trees that are too large to be searched.
 *
 * Whenever the world of a walk has come to rest, one of all the points open there is drawn, and one
 * of its alternatives, each alike. That a receive waits its turn lets messages come that are late
 * (explorer.c), so every outcome is reached with a probability that is not 0. Nothing is said of
 * how small it is, and that nothing new is found any more proves nothing.
 *
 * What a walk takes follows from seed, stream and its number alone (and the program): the numbers
 * come from GLib's GRand, a Mersenne Twister (MT19937), begun anew for each walk. Pure. */
#ifndef MATCHPOINT_EXPLORER_RANDOM_SEARCH_H
#define MATCHPOINT_EXPLORER_RANDOM_SEARCH_H

#include <stdbool.h>

#include "explorer.h"

struct random_search;

/* Searches of one seed and different streams are independent. At points that count for one of the
 * `fixed` bounds (see struct open_choice) nothing is drawn: they take the default at once. */
struct random_search *random_search_new(int ranks, uint64_t seed, uint32_t stream, uint64_t fixed);
void random_search_free(struct random_search *search);

/* Begins the next walk, from the very beginning; after one that was stopped on its way, the same
 * again. false: the last walks have brought nothing new, as many as twice the outcomes known, and
 * at least RANDOM_FRUITLESS; or there is nothing to draw. */
bool random_search_next(struct random_search *search);

#define RANDOM_FRUITLESS 100u

/* The world of the walk has come to rest, or to its end: then `open` is empty, and the answer is
 * EXPLORER_DONE, or EXPLORER_KNOWN. */
enum explorer_step random_search_rest(struct random_search *search, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice);

#define RANDOM_SEARCH_TYPE "(ttbat)"

/* What is known between two walks, in RANDOM_SEARCH_TYPE (unref it) and this machine's byte order;
 * and a new search goes on from there, with its own seed. False: damaged. */
GVariant *random_search_save(const struct random_search *search);
bool random_search_restore(struct random_search *search, GVariant *saved);

struct random_statistics {
	uint64_t runs;      /* walks that came to their end */
	uint64_t outcomes;  /* of these, such as were not known */
	uint64_t fruitless; /* the last walks, none of which was */
};
void random_search_statistics(const struct random_search *search, struct random_statistics *ret);

#endif
