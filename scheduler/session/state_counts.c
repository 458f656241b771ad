#include "state_counts.h"

#include "explorer/state_graph.h"
#include "scheduler/store/schema.h"

#define ENDS "state-ends"
#define ENDS_TYPE "a(uuu)" /* buffering, end, execution */

G_STATIC_ASSERT(STATE_GRAPH_BEYOND == RECORD_BEYOND);

struct state_counts {
	GArray *bufferings;                       /* guint8 by execution - 1 */
	GHashTable *ends[BUFFERING_PER_SEND + 1]; /* by buffering: end to execution */
	GArray *weights; /* guint64 by execution - 1; NULL: each stands for itself */
	enum record_counts how;
	guint64 all;
};

struct state_counts *state_counts_new(void)
{
	struct state_counts *counts = g_new0(struct state_counts, 1);

	counts->bufferings = g_array_new(false, false, sizeof(guint8));
	for (int i = 0; i <= BUFFERING_PER_SEND; i++)
		counts->ends[i] = g_hash_table_new(NULL, NULL);
	return counts;
}

void state_counts_free(struct state_counts *counts)
{
	if (!counts)
		return;
	if (counts->weights)
		g_array_unref(counts->weights);
	for (int i = 0; i <= BUFFERING_PER_SEND; i++)
		g_hash_table_destroy(counts->ends[i]);
	g_array_unref(counts->bufferings);
	g_free(counts);
}

void state_counts_add(struct state_counts *counts, enum buffering buffering)
{
	guint8 value = (guint8)buffering;

	g_array_append_val(counts->bufferings, value);
}

void state_counts_end(struct state_counts *counts, enum buffering buffering, guint end,
                      guint32 execution)
{
	GHashTable *ends = counts->ends[buffering];

	if (end > 0 && execution > 0 && !g_hash_table_contains(ends, GUINT_TO_POINTER(end)))
		g_hash_table_insert(ends, GUINT_TO_POINTER(end), GUINT_TO_POINTER(execution));
}

void state_counts_forget_ends(struct state_counts *counts)
{
	for (int i = 0; i <= BUFFERING_PER_SEND; i++)
		g_hash_table_remove_all(counts->ends[i]);
}

/* --- the numbers ------------------------------------------------------------------------------ */

static guint64 *weight_of(const struct state_counts *counts, guint32 execution)
{
	return &g_array_index(counts->weights, guint64, execution - 1);
}

static void begin_weights(struct state_counts *counts)
{
	counts->weights = g_array_new(false, false, sizeof(guint64));
	for (guint i = 0; i < counts->bufferings->len; i++) {
		guint64 one = 1;

		g_array_append_val(counts->weights, one);
	}
	counts->all = counts->bufferings->len;
	counts->how = RECORD_COUNTS_STATES;
}

/* The executions of a buffering stand for nothing until their ends are known. Returns their
 * number. */
static guint64 clear_weights(struct state_counts *counts, enum buffering buffering)
{
	guint64 cleared = 0;

	for (guint i = 0; i < counts->bufferings->len; i++) {
		if (g_array_index(counts->bufferings, guint8, i) != (guint8)buffering)
			continue;
		*weight_of(counts, i + 1) = 0;
		cleared++;
	}
	return cleared;
}

void state_counts_weigh(struct state_counts *counts, enum buffering buffering,
                        enum record_counts how, const GArray *ways)
{
	GHashTableIter iter;
	gpointer end, execution;
	guint64 sum = 0, executions;

	if (!counts->weights)
		begin_weights(counts);
	counts->how = MAX(counts->how, how);
	if (!ways)
		return;
	executions = clear_weights(counts, buffering);
	for (guint i = 0; i < ways->len; i++)
		sum = state_graph_sum(sum, g_array_index(ways, guint64, i));
	/* Choices are left: what an execution of the tree has shown may not be among these. */
	if (how == RECORD_COUNTS_SOME)
		sum = MAX(sum, executions);
	counts->all = state_graph_sum(counts->all - executions, sum);
	g_hash_table_iter_init(&iter, counts->ends[buffering]);
	while (g_hash_table_iter_next(&iter, &end, &execution)) {
		guint number = GPOINTER_TO_UINT(end);

		if (number < ways->len && GPOINTER_TO_UINT(execution) <= counts->weights->len)
			*weight_of(counts, GPOINTER_TO_UINT(execution)) = g_array_index(
				ways, guint64, number);
	}
}

enum record_counts state_counts_how(const struct state_counts *counts)
{
	return counts->how;
}

/* Whether executions stand for themselves. */
static bool counts_each(const struct state_counts *counts)
{
	return counts->how == RECORD_COUNTS_EXECUTIONS || counts->how == RECORD_COUNTS_UNKNOWN;
}

guint64 state_counts_all(const struct state_counts *counts)
{
	return counts_each(counts) ? counts->bufferings->len : counts->all;
}

guint64 state_counts_of(const struct state_counts *counts, guint32 execution)
{
	return counts_each(counts) || execution == 0 || execution > counts->weights->len
	               ? 1
	               : *weight_of(counts, execution);
}

/* --- save and restore ------------------------------------------------------------------------- */

void state_counts_insert(const struct state_counts *counts, GVariantDict *common)
{
	GVariantBuilder weights;

	if (counts->how == RECORD_COUNTS_EXECUTIONS)
		return;
	g_variant_builder_init(&weights, G_VARIANT_TYPE("a(ut)"));
	for (guint32 i = 1; !counts_each(counts) && i <= counts->weights->len; i++)
		if (*weight_of(counts, i) != 1)
			g_variant_builder_add(&weights, "(ut)", i, *weight_of(counts, i));
	g_variant_dict_insert_value(
		common, STORE_WEIGHTS,
		g_variant_new("(utt@a(ut))", (guint32)counts->how, (guint64)counts->bufferings->len,
	                      state_counts_all(counts), g_variant_builder_end(&weights)));
}

void state_counts_save(const struct state_counts *counts, GVariantDict *state)
{
	GVariantBuilder all;

	g_variant_builder_init(&all, G_VARIANT_TYPE(ENDS_TYPE));
	for (guint i = 0; i <= BUFFERING_PER_SEND; i++) {
		GHashTableIter iter;
		gpointer end, execution;

		g_hash_table_iter_init(&iter, counts->ends[i]);
		while (g_hash_table_iter_next(&iter, &end, &execution))
			g_variant_builder_add(&all, "(uuu)", i, GPOINTER_TO_UINT(end),
			                      GPOINTER_TO_UINT(execution));
	}
	g_variant_dict_insert_value(state, ENDS, g_variant_builder_end(&all));
}

void state_counts_restore(struct state_counts *counts, GVariantDict *state)
{
	g_autoptr(GVariant)
		all = g_variant_dict_lookup_value(state, ENDS, G_VARIANT_TYPE(ENDS_TYPE));
	guint32 buffering, end, execution;
	GVariantIter iter;

	if (!all)
		return;
	g_variant_iter_init(&iter, all);
	while (g_variant_iter_next(&iter, "(uuu)", &buffering, &end, &execution))
		if (buffering <= BUFFERING_PER_SEND)
			state_counts_end(counts, (enum buffering)buffering, end, execution);
}
