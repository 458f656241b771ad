/* How far the search has come in each of its trees, one for each buffering, and what bounds have
 * left out of them. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_COVERAGE_H
#define MATCHPOINT_SCHEDULER_SESSION_COVERAGE_H

#include <stdbool.h>

#include "explorer/explorer.h"
#include "explorer/path.h"

struct coverage;

/* Alternatives that were not explored. */
struct left_out {
	guint64 pruned;  /* by bounds */
	guint64 vouched; /* by bounds beyond which there is nothing new */
	bool sets;       /* there were sets of complete requests that were not reported: --some */
};
void left_out_add(struct left_out *left_out, const struct explorer_statistics *statistics);

/* What its trees are called, by buffering. */
extern const char *const coverage_names[BUFFERING_PER_SEND + 1];

struct coverage *coverage_new(void);
void coverage_free(struct coverage *coverage);

/* This tree, or a part of it, is being explored. */
void coverage_begin(struct coverage *coverage, enum buffering buffering);
bool coverage_has_begun(const struct coverage *coverage, enum buffering buffering);

/* So many more interleavings of it have been. */
void coverage_add(struct coverage *coverage, enum buffering buffering, guint64 interleavings);
guint64 coverage_explored(const struct coverage *coverage, enum buffering buffering);

/* What has come of a part of it (explorer_statistics_take). */
void coverage_add_part(struct coverage *coverage, enum buffering buffering,
                       const struct explorer_statistics *statistics);

/* So many plans of it will not be carried out any more; each may have led to more. */
void coverage_leave(struct coverage *coverage, enum buffering buffering, guint64 plans);

/* An estimate of how much of it, from 0 to 1, is this shard's. */
void coverage_add_own(struct coverage *coverage, enum buffering buffering, double share);

/* What was left out by the parts that were added, and otherwise. */
void coverage_add_left_out(struct coverage *coverage, const struct left_out *left_out);
struct left_out coverage_left_out(const struct coverage *coverage);

/* Bounds for which some choice counted, a bit each. */
void coverage_add_bounds(struct coverage *coverage, guint64 met);
guint64 coverage_bounds(const struct coverage *coverage);

/* In parts of the trees that are being explored. */
struct coverage_now {
	double outcomes[BUFFERING_PER_SEND + 1], share[BUFFERING_PER_SEND + 1]; /* by buffering */
	guint64 waiting;                                                        /* plans */
	guint not_begun;                                                        /* trees */
	bool shard; /* it is a shard that is explored */
};

/* An estimate of the interleavings that are left; < 0: none can be given. */
double coverage_estimate_left(const struct coverage *coverage, const struct coverage_now *now);

/* "12 interleavings, at least 4 more left"; free with g_free. */
char *coverage_words(const struct coverage *coverage, enum buffering buffering);

/* For a session that goes on from here, with what is `left_out` up to now, and back from it: what
 * is left is counted anew. */
void coverage_save(const struct coverage *coverage, const struct left_out *left_out,
                   GVariantDict *state);
void coverage_restore(struct coverage *coverage, GVariantDict *state);

#endif
