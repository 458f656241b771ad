/* Progress of the search in each tree (one for each buffering), and what bounds have left out. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_COVERAGE_H
#define MATCHPOINT_SCHEDULER_SESSION_COVERAGE_H

#include <stdbool.h>

#include "explorer/explorer.h"
#include "explorer/path.h"

struct coverage;

/* Alternatives that were not explored. */
struct left_out {
	guint64 pruned;  /* by bounds */
	guint64 vouched; /* by bounds that are proved to hide no new outcome */
	bool sets;       /* sets of completed requests were not returned: --some */
};
void left_out_add(struct left_out *left_out, const struct explorer_statistics *statistics);

/* The name of each tree, by buffering. */
extern const char *const coverage_names[BUFFERING_PER_SEND + 1];

struct coverage *coverage_new(void);
void coverage_free(struct coverage *coverage);

/* Marks this tree as begun: it, or a part of it, is being explored. */
void coverage_begin(struct coverage *coverage, enum buffering buffering);
bool coverage_has_begun(const struct coverage *coverage, enum buffering buffering);

/* Adds interleavings explored in this tree. */
void coverage_add(struct coverage *coverage, enum buffering buffering, guint64 interleavings);
guint64 coverage_explored(const struct coverage *coverage, enum buffering buffering);

/* Adds the statistics of a part of it (explorer_statistics_take). */
void coverage_add_part(struct coverage *coverage, enum buffering buffering,
                       const struct explorer_statistics *statistics);

/* Adds plans of it that will not be carried out. Each may have led to more. */
void coverage_leave(struct coverage *coverage, enum buffering buffering, guint64 plans);

/* Adds to the estimated share of it, from 0 to 1, that belongs to this shard. */
void coverage_add_own(struct coverage *coverage, enum buffering buffering, double share);

/* Adds alternatives left out that the added parts do not include. The sum of both. */
void coverage_add_left_out(struct coverage *coverage, const struct left_out *left_out);
struct left_out coverage_left_out(const struct coverage *coverage);

/* Bounds that a choice counted against, one bit each. */
void coverage_add_bounds(struct coverage *coverage, guint64 met);
guint64 coverage_bounds(const struct coverage *coverage);

/* The state of the parts that are being explored. */
struct coverage_now {
	double outcomes[BUFFERING_PER_SEND + 1], share[BUFFERING_PER_SEND + 1]; /* by buffering */
	guint64 waiting;                                                        /* plans */
	guint not_begun;                                                        /* trees */
	bool shard; /* this session explores a shard */
};

/* Estimates the number of interleavings left. Negative: there is no estimate. */
double coverage_estimate_left(const struct coverage *coverage, const struct coverage_now *now);

/* "12 interleavings, at least 4 more left"; free with g_free. */
char *coverage_words(const struct coverage *coverage, enum buffering buffering);

/* Saves for a session that continues this one, with `left_out` as it is now, and restores it. Plans
 * that are left are not saved; they are counted anew. */
void coverage_save(const struct coverage *coverage, const struct left_out *left_out,
                   GVariantDict *state);
void coverage_restore(struct coverage *coverage, GVariantDict *state);

#endif
