/* A random program under random walks (explorer/random_search.h), each in a world of its
 * own. */
#ifndef MATCHPOINT_TESTS_SIM_WALKS_H
#define MATCHPOINT_TESTS_SIM_WALKS_H

#include "exploration.h"

struct walks {
	GPtrArray *outcomes; /* of GBytes (brute_force.h), a walk each */
	GArray *known;       /* bool by walk: it was told to be known */
};

/* Until the search has enough; `moves` is the seed of the order in which ranks move. */
void walk_randomly(const struct random_program *program, enum program_buffering buffering,
                   guint64 seed, guint64 moves, struct walks *ret);
void walks_release(struct walks *walks);

#endif
