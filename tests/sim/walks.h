/* A random program under random walks (explorer/random_search.h), each in its own world. */
#ifndef MATCHPOINT_TESTS_SIM_WALKS_H
#define MATCHPOINT_TESTS_SIM_WALKS_H

#include "exploration.h"

struct walks {
	GPtrArray *outcomes; /* GBytes (brute_force.h), by walk */
	GArray *known;       /* bool, by walk: the outcome was reported as known */
};

/* Walks until the search ends. `moves` is the seed for the order in which ranks move. */
void walk_randomly(const struct random_program *program, enum program_buffering buffering,
                   guint64 seed, guint64 moves, struct walks *ret);
void walks_release(struct walks *walks);

#endif
