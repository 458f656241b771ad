#include "coverage.h"

/* The tree of one buffering. */
struct tree {
	bool begun;
	guint64 explored;
	guint64 left; /* plans not carried out when it was stopped; each may lead to more */
	guint64 pruned;
	double outcomes, share; /* sums over the finished parts; see explorer_statistics */
	double own_share;       /* the shard's estimated part of the tree */
};

const char *const coverage_names[] = {[BUFFERING_ZERO] = "zero buffering",
                                      [BUFFERING_INFINITE] = "infinite buffering",
                                      [BUFFERING_PER_SEND] = "a choice for each send"};

struct coverage {
	struct tree trees[BUFFERING_PER_SEND + 1]; /* by buffering */
	struct left_out left_out;
	guint64 bounds; /* bounds that a choice counted against, one bit each */
};

struct coverage *coverage_new(void)
{
	return g_new0(struct coverage, 1);
}

void coverage_free(struct coverage *coverage)
{
	g_free(coverage);
}

void left_out_add(struct left_out *left_out, const struct explorer_statistics *statistics)
{
	left_out->pruned += statistics->pruned;
	left_out->vouched += statistics->vouched;
	left_out->sets |= statistics->sets_left;
}

void coverage_begin(struct coverage *coverage, enum buffering buffering)
{
	coverage->trees[buffering].begun = true;
}

bool coverage_has_begun(const struct coverage *coverage, enum buffering buffering)
{
	return coverage->trees[buffering].begun;
}

void coverage_add(struct coverage *coverage, enum buffering buffering, guint64 interleavings)
{
	coverage->trees[buffering].explored += interleavings;
}

guint64 coverage_explored(const struct coverage *coverage, enum buffering buffering)
{
	return coverage->trees[buffering].explored;
}

void coverage_add_part(struct coverage *coverage, enum buffering buffering,
                       const struct explorer_statistics *statistics)
{
	struct tree *tree = &coverage->trees[buffering];

	tree->pruned += statistics->pruned;
	tree->outcomes += (double)statistics->outcomes;
	tree->share += statistics->share;
	left_out_add(&coverage->left_out, statistics);
}

void coverage_leave(struct coverage *coverage, enum buffering buffering, guint64 plans)
{
	coverage->trees[buffering].left += plans;
}

void coverage_add_own(struct coverage *coverage, enum buffering buffering, double share)
{
	coverage->trees[buffering].own_share += share;
}

void coverage_add_left_out(struct coverage *coverage, const struct left_out *left_out)
{
	coverage->left_out.pruned += left_out->pruned;
	coverage->left_out.vouched += left_out->vouched;
	coverage->left_out.sets |= left_out->sets;
}

struct left_out coverage_left_out(const struct coverage *coverage)
{
	return coverage->left_out;
}

void coverage_add_bounds(struct coverage *coverage, guint64 met)
{
	coverage->bounds |= met;
}

guint64 coverage_bounds(const struct coverage *coverage)
{
	return coverage->bounds;
}

/* Extrapolates from the estimated share of each tree that was explored. Trees not begun are assumed
 * to be as large as the others. For a shard, the estimated size of its parts is known. */
double coverage_estimate_left(const struct coverage *coverage, const struct coverage_now *now)
{
	double total = 0, seen = 0, share_seen = 0, share_own = 0;
	guint begun = 0;

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		const struct tree *tree = &coverage->trees[i];
		double outcomes = tree->outcomes + now->outcomes[i];
		double share = tree->share + now->share[i];

		share_own += tree->own_share;
		share_seen += share;
		if (outcomes <= 0 || share <= 0)
			continue;
		total += outcomes / MIN(share, 1);
		seen += outcomes;
		begun++;
	}
	if (begun == 0)
		return -1;
	if (now->shard)
		return MAX(seen * (share_own / share_seen - 1), (double)now->waiting);
	return MAX(total - seen, (double)now->waiting) + total / begun * now->not_begun;
}

char *coverage_words(const struct coverage *coverage, enum buffering buffering)
{
	const struct tree *tree = &coverage->trees[buffering];
	const char *plural = tree->explored == 1 ? "" : "s";
	GString *text;

	if (!tree->begun)
		return g_strdup("not begun");
	if (tree->left == 0 && tree->pruned == 0)
		return g_strdup_printf("all of %" G_GUINT64_FORMAT " interleaving%s",
		                       tree->explored, plural);
	text = g_string_new(NULL);
	g_string_printf(text, "%" G_GUINT64_FORMAT " interleaving%s", tree->explored, plural);
	if (tree->left > 0)
		g_string_append_printf(text, ", at least %" G_GUINT64_FORMAT " more left",
		                       tree->left);
	if (tree->pruned > 0)
		g_string_append(text, ", those beyond the bounds not counted");
	return g_string_free(text, false);
}

void coverage_save(const struct coverage *coverage, const struct left_out *left_out,
                   GVariantDict *state)
{
	g_variant_dict_insert(state, "pruned", "t", left_out->pruned);
	g_variant_dict_insert(state, "vouched", "t", left_out->vouched);
	g_variant_dict_insert(state, "sets-left", "b", left_out->sets);
	g_variant_dict_insert(state, "bounds-met", "t", coverage->bounds);
}

void coverage_restore(struct coverage *coverage, GVariantDict *state)
{
	gboolean sets = false; /* GVariant writes a gboolean */

	g_variant_dict_lookup(state, "pruned", "t", &coverage->left_out.pruned);
	g_variant_dict_lookup(state, "vouched", "t", &coverage->left_out.vouched);
	if (g_variant_dict_lookup(state, "sets-left", "b", &sets))
		coverage->left_out.sets = sets;
	g_variant_dict_lookup(state, "bounds-met", "t", &coverage->bounds);
}
