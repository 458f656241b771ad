/* Random walks, for trees that are too large to search.
 *
 * When the world of a walk has come to rest, one of the open points is drawn, and one of its
 * alternatives, with equal probability. Points that are not drawn stay open, and more messages may
 * come (explorer.c). So every outcome is reached with a probability that is not 0. The probability
 * may be small: that nothing new is found proves nothing.
 *
 * A walk depends only on seed, stream and its number (and on the program). The numbers come from
 * GLib's GRand, a Mersenne Twister (MT19937), seeded anew for each walk. No I/O. */
#ifndef MATCHPOINT_EXPLORER_RANDOM_SEARCH_H
#define MATCHPOINT_EXPLORER_RANDOM_SEARCH_H

#include <stdbool.h>

#include "explorer.h"

struct random_search;

/* Searches with the same seed and different streams are independent. At points that count for one
 * of the `fixed` bounds (see struct open_choice) nothing is drawn: the default is taken at once. */
struct random_search *random_search_new(int ranks, uint64_t seed, uint32_t stream, uint64_t fixed);
void random_search_free(struct random_search *search);

/* Begins the next walk, from the beginning; if the last one was stopped, the same walk again.
 * False: the last walks found nothing new, twice as many as the known outcomes and at least
 * RANDOM_FRUITLESS; or there is nothing to draw. */
bool random_search_next(struct random_search *search);

#define RANDOM_FRUITLESS 100u

/* Call this when the world of the walk is at rest. At its end `open` is empty; the result is then
 * EXPLORER_DONE or EXPLORER_KNOWN. */
enum explorer_step random_search_rest(struct random_search *search, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice);
/* As explorer_returned: the walk ends there, and has found nothing. EXPLORER_KNOWN. */
enum explorer_step random_search_returned(struct random_search *search);

#define RANDOM_SEARCH_TYPE "(ttbat)"

/* random_search_save: the state between two walks, of type RANDOM_SEARCH_TYPE, in this machine's
 * byte order; free with g_variant_unref. random_search_restore: a new search continues from it with
 * its own seed. False: damaged. */
GVariant *random_search_save(const struct random_search *search);
bool random_search_restore(struct random_search *search, GVariant *saved);

struct random_statistics {
	uint64_t runs;      /* walks that reached their end */
	uint64_t outcomes;  /* of these, the number of new outcomes */
	uint64_t fruitless; /* walks since the last new outcome */
};
void random_search_statistics(const struct random_search *search, struct random_statistics *ret);

#endif
