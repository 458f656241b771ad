#include "partition.h"

#include <string.h>

#include "explorer_internal.h"
#include "frontier.h"

/* Parts for each shard: with several, a large part delays no shard for long. */
#define PARTS_EACH 4

struct piece {
	guint tree;
	struct explorer *explorer;
	double share; /* estimate: the part of its tree that waits there */
	bool whole;   /* cannot be split without running a plan */
};

struct partition {
	struct explorer_options options;
	guint shards, trees, runs;
	GPtrArray *pieces; /* struct piece; includes those in which nothing waits any more */
	struct piece *running;
};

static void piece_free(gpointer pointer)
{
	struct piece *piece = pointer;

	explorer_free(piece->explorer);
	g_free(piece);
}

struct partition *partition_new(const struct explorer_options *options, guint shards)
{
	struct partition *partition = g_new0(struct partition, 1);

	partition->options = *options;
	partition->shards = shards;
	partition->pieces = g_ptr_array_new_with_free_func(piece_free);
	return partition;
}

void partition_free(struct partition *partition)
{
	if (!partition)
		return;
	g_ptr_array_free(partition->pieces, true);
	g_free(partition);
}

static bool is_open(const struct piece *piece)
{
	return !explorer_is_done(piece->explorer);
}

/* The part of its tree that waits there. */
static double share_waiting(const struct explorer *explorer)
{
	return explorer->started ? explorer_waiting_share(explorer) : 1;
}

static struct piece *add(struct partition *partition, guint tree, struct explorer *explorer)
{
	struct piece *piece = g_new0(struct piece, 1);

	piece->tree = tree;
	piece->explorer = explorer;
	piece->share = share_waiting(explorer);
	g_ptr_array_add(partition->pieces, piece);
	return piece;
}

void partition_add_tree(struct partition *partition)
{
	add(partition, partition->trees++, explorer_new(&partition->options));
}

void partition_statistics(const struct partition *partition, struct explorer_statistics *ret)
{
	*ret = (struct explorer_statistics){0};
	for (guint i = 0; i < partition->pieces->len; i++) {
		const struct piece *piece = partition->pieces->pdata[i];
		const struct explorer_statistics *one = &piece->explorer->statistics;

		ret->outcomes += one->outcomes;
		ret->wasted += one->wasted;
		ret->visited += one->visited;
		ret->waiting += one->waiting;
		ret->pruned += one->pruned;
		ret->vouched += one->vouched;
		ret->sets_left |= one->sets_left;
		ret->events += one->events;
		ret->share += one->share;
	}
}

static guint count_open(const struct partition *partition)
{
	guint count = 0;

	for (guint i = 0; i < partition->pieces->len; i++)
		count += is_open(partition->pieces->pdata[i]);
	return count;
}

/* Whether to run a plan of the largest piece in order to split it. Every shard runs the stem. So
 * the stem must not cost more than the rest costs each shard; if a shard would have nothing to do,
 * not more than the largest piece. */
static bool is_worth_it(const struct partition *partition, const struct piece *largest)
{
	struct explorer_statistics known;
	double each; /* estimated interleavings in a tree */

	partition_statistics(partition, &known);
	if (partition->runs == 0)
		return true;
	each = known.share > 0 ? (double)known.outcomes / known.share : 0;
	return (double)partition->runs * partition->shards < each * partition->trees
	       || (partition->runs < each * largest->share
	           && count_open(partition) < partition->shards);
}

static struct piece *heaviest(const struct partition *partition)
{
	struct piece *best = NULL;

	for (guint i = 0; i < partition->pieces->len; i++) {
		struct piece *piece = partition->pieces->pdata[i];

		if (!piece->whole && is_open(piece) && (!best || piece->share > best->share))
			best = piece;
	}
	return best;
}

static gint compare_choices(gconstpointer one, gconstpointer other)
{
	return memcmp(one, other, sizeof(struct choice));
}

/* The order does not depend on when a search found the alternatives. */
static gint compare_alternatives(gconstpointer one, gconstpointer other, gpointer data)
{
	const struct alternative *a = one, *b = other;
	guint left = a->needs ? a->needs->len : 0, right = b->needs ? b->needs->len : 0;
	g_autoptr(GArray) some = NULL, others = NULL;
	gint order = compare_choices(&a->choice, &b->choice);

	(void)data;
	if (order != 0 || left != right || left == 0)
		return order != 0 ? order : (left > right) - (left < right);
	some = g_array_copy(a->needs);
	others = g_array_copy(b->needs);
	g_array_sort(some, compare_choices);
	g_array_sort(others, compare_choices);
	return memcmp(some->data, others->data, left * sizeof(struct choice));
}

static void split(struct partition *partition, struct piece *piece)
{
	struct explorer *other;

	for (guint i = 0; i < piece->explorer->steps->len; i++)
		g_queue_sort(&step_at(piece->explorer, i)->waiting, compare_alternatives, NULL);
	other = explorer_split(piece->explorer, 1, 1);
	piece->share = share_waiting(piece->explorer);
	add(partition, piece->tree, other);
}

struct explorer *partition_next(struct partition *partition, guint *ret_tree)
{
	double small = (double)partition->trees / (PARTS_EACH * partition->shards);
	struct piece *piece;

	if (partition->shards == 1)
		return NULL;
	if (partition->running)
		partition->running->share = share_waiting(partition->running->explorer);
	partition->running = NULL;
	while ((piece = heaviest(partition)) && piece->share > small) {
		if (piece->explorer->statistics.waiting > 1) {
			split(partition, piece);
			continue;
		}
		if (is_worth_it(partition, piece)) {
			partition->runs++;
			partition->running = piece;
			*ret_tree = piece->tree;
			return piece->explorer;
		}
		piece->whole = true;
	}
	return NULL;
}

/* --- assignment ----------------------------------------------------------------------------- */

static gint compare_shares(gconstpointer one, gconstpointer other)
{
	const struct piece *a = *(struct piece *const *)one, *b = *(struct piece *const *)other;

	return a->share > b->share ? -1 : a->share < b->share;
}

/* Largest piece first, each to the shard with the smallest load. The sort is stable. */
static GHashTable *assign(const struct partition *partition)
{
	GHashTable *owners = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) sorted = g_ptr_array_copy(partition->pieces, NULL, NULL);
	g_autofree double *loads = g_new0(double, partition->shards);

	g_ptr_array_set_free_func(sorted, NULL);
	g_ptr_array_sort(sorted, compare_shares);
	for (guint i = 0; i < sorted->len; i++) {
		const struct piece *piece = sorted->pdata[i];
		guint least = 0;

		if (!is_open(piece))
			continue;
		for (guint shard = 1; shard < partition->shards; shard++)
			if (loads[shard] < loads[least])
				least = shard;
		loads[least] += piece->share;
		g_hash_table_insert(owners, (gpointer)piece, GUINT_TO_POINTER(least + 1));
	}
	return owners;
}

static void part_clear(gpointer part)
{
	g_variant_unref(((struct partition_part *)part)->frontier);
}

GArray *partition_parts(struct partition *partition, guint shard)
{
	GArray *parts = g_array_new(false, false, sizeof(struct partition_part));
	g_autoptr(GHashTable) owners = assign(partition);

	g_array_set_clear_func(parts, part_clear);
	for (guint tree = 0; tree < partition->trees; tree++) {
		for (guint i = 0; i < partition->pieces->len; i++) {
			struct piece *piece = partition->pieces->pdata[i];
			struct partition_part part = {tree, piece->share, NULL};

			if (piece->tree != tree
			    || GPOINTER_TO_UINT(g_hash_table_lookup(owners, piece)) != shard)
				continue;
			part.frontier = explorer_save(piece->explorer);
			g_array_append_val(parts, part);
		}
	}
	return parts;
}

static gint compare_names(gconstpointer one, gconstpointer other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The name of a node is the hash of its tree and the set of its choices. */
static char *name_node(guint tree, const GArray *choices)
{
	g_autoptr(GArray) sorted = g_array_copy((GArray *)choices);
	g_autofree char *sum = NULL;

	g_array_sort(sorted, compare_choices);
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)sorted->data,
	                                  sorted->len * sizeof(struct choice));
	return g_strdup_printf("%u %s", tree, sum);
}

/* Appends the names of the nodes that wait in a piece, in no particular order. */
static void name_waiting(const struct piece *piece, GPtrArray *names)
{
	const struct explorer *explorer = piece->explorer;

	if (!explorer->started)
		g_ptr_array_add(names, g_strdup_printf("%u all", piece->tree));
	for (guint i = 0; i < explorer->steps->len; i++) {
		const struct step *step = step_at(explorer, i);

		for (GList *item = step->waiting.head; item; item = item->next) {
			const struct alternative *alternative = item->data;
			g_autoptr(GArray)
				choices = g_array_new(false, false, sizeof(struct choice));

			g_array_append_vals(choices, explorer->path->data, step->base);
			if (alternative->needs)
				g_array_append_vals(choices, alternative->needs->data,
				                    alternative->needs->len);
			g_array_append_val(choices, alternative->choice);
			g_ptr_array_add(names, name_node(piece->tree, choices));
		}
	}
}

/* Independent of the order in which searches found the nodes. */
char *partition_digest(struct partition *partition)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	char *digest;

	for (guint i = 0; i < partition->pieces->len; i++) {
		g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

		name_waiting(partition->pieces->pdata[i], names);
		g_ptr_array_sort(names, compare_names);
		for (guint j = 0; j < names->len; j++)
			g_checksum_update(sum, names->pdata[j], -1);
		g_checksum_update(sum, (const guchar *)";", 1);
	}
	digest = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return digest;
}
