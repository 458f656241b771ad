/* A random program under the search, in one process: what the scheduler's session does with real
 * ranks, done with fake ones in its worlds (play.h). */
#ifndef MATCHPOINT_TESTS_SIM_EXPLORATION_H
#define MATCHPOINT_TESTS_SIM_EXPLORATION_H

#include "explorer/explorer.h"
#include "random_program.h"

struct exploration_options {
	enum program_buffering buffering;
	bool snapshots; /* go on from copies of worlds where there is one; else from the start */
	int deviations; /* as in explorer_options */
	guint64 seed;   /* of the order in which ranks move */
	guint some;     /* as in explorer_options; 0: as many as there are */
	bool apart;     /* now and then the search is saved and loaded, or split, or its world
	                   stopped; of all its parts a random one goes on */
	bool pooled;    /* what waits is visited in changing orders (pool.h), and now and then not
	                   the first alternative first */
	guint shard, shards;                 /* this one of so many parts; 0: all */
	const struct explorer_bound *bounds; /* as in explorer_options */
	guint bound_count;
	const GArray *from;        /* as in explorer_options */
	const uint64_t *bounds_of; /* by instruction: for which it counts; NULL: for none */
};

struct exploration {
	GHashTable *outcomes;    /* GBytes, see brute_force.h, to the choices (struct choice) that
	                         led to it first */
	GHashTable *conflicting; /* those of them in which accesses to windows conflict */
	GHashTable *off_tree;    /* outcomes (GBytes) of worlds that have let go of promises */
	guint repeated;          /* outcomes reached again */
	guint dropped;           /* worlds given up by the explorer */
	guint lost;              /* plans that could not be followed */
	guint runs;
	guint parts;    /* into which it was split */
	guint stem;     /* plans carried out before it was divided in shards */
	char *division; /* how it was; NULL: not at all */
	guint cut;      /* worlds that were stopped on their way */
	guint split;    /* parts handed over while a world ran */
	guint turned;   /* first alternatives put aside */
	guint64 pruned, vouched;
	guint64 events; /* of traces read by the explorer */
	guint64 steps;  /* taken by ranks in all worlds */
};

void explore(const struct random_program *program, const struct exploration_options *options,
             struct exploration *ret);

/* A random program of at most that size, and all its outcomes: the largest one of this seed whose
 * tree is not so large that looking at it in many ways would say the same over and over. */
struct random_program *explore_drawn(guint64 seed, int size,
                                     const struct exploration_options *options,
                                     struct exploration *ret);

void exploration_release(struct exploration *exploration);

#endif
