/* Explores a random program in one process. It does with fake ranks, in worlds (play.h), what the
 * scheduler's session does with real ones. */
#ifndef MATCHPOINT_TESTS_SIM_EXPLORATION_H
#define MATCHPOINT_TESTS_SIM_EXPLORATION_H

#include "explorer/explorer.h"
#include "random_program.h"

struct exploration_options {
	enum program_buffering buffering;
	bool snapshots; /* continue from copies of worlds if there are any; else start anew */
	int deviations; /* as in explorer_options */
	guint64 seed;   /* for the order in which ranks move */
	guint some;     /* as in explorer_options; 0: no limit */
	bool apart;     /* from time to time save and load the search, split it, or stop its world;
	                 * continue with a random one of its parts */
	bool pooled;    /* visit waiting plans in varying orders (pool.h), and not always the first
	                 * alternative first */
	guint shard, shards;                 /* explore part `shard` of `shards`; 0: all */
	const struct explorer_bound *bounds; /* as in explorer_options */
	guint bound_count;
	const GArray *from;   /* as in explorer_options */
	const GArray *toward; /* as in explorer_options */
	const struct trace *toward_trace;
	const uint64_t *bounds_of; /* by instruction: the bounds that count it; NULL: none */
};

struct exploration {
	GHashTable *outcomes;    /* outcome (GBytes, see brute_force.h) to the choices (struct
	                          * choice) that first led to it */
	GArray *first;           /* choices that led to the first outcome reached; NULL: none */
	guint strayed;           /* as explorer_strayed */
	GHashTable *conflicting; /* the outcomes in which accesses conflict */
	GHashTable *off_tree;    /* outcomes (GBytes) of worlds that gave up promises */
	guint repeated;          /* outcomes reached more than once */
	guint returned;          /* worlds left as they came back to a state of their own */
	guint dropped;           /* worlds that the explorer gave up */
	guint lost;              /* plans that could not be followed */
	guint runs;
	guint parts;    /* parts that the search was split into */
	guint stem;     /* plans executed before the division into shards */
	char *division; /* how it was divided; NULL: not at all */
	guint cut;      /* worlds stopped before their end */
	guint split;    /* parts split off while a world ran */
	guint turned;   /* first alternatives postponed */
	guint64 pruned, vouched;
	guint64 events; /* trace events read by the explorer */
	guint64 steps;  /* steps of ranks in all worlds */
};

void explore(const struct random_program *program, const struct exploration_options *options,
             struct exploration *ret);

/* A random program of at most that size, and all its outcomes. It is the largest one of this seed
 * whose tree is small enough to be explored in several ways. */
struct random_program *explore_drawn(guint64 seed, int size,
                                     const struct exploration_options *options,
                                     struct exploration *ret);

void exploration_release(struct exploration *exploration);

#endif
