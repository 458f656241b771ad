#include "off_tree_outcomes.h"

#include "stored_run.h"

struct off_tree_outcomes {
	GHashTable *identities; /* char *: of interleavings that have counted */
};

struct off_tree_outcomes *off_tree_outcomes_new(void)
{
	struct off_tree_outcomes *outcomes = g_new0(struct off_tree_outcomes, 1);

	outcomes->identities = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return outcomes;
}

void off_tree_outcomes_free(struct off_tree_outcomes *outcomes)
{
	g_hash_table_unref(outcomes->identities);
	g_free(outcomes);
}

void off_tree_outcomes_recall(struct off_tree_outcomes *outcomes,
                              const struct record_execution *execution, const GPtrArray *shown)
{
	g_hash_table_add(outcomes->identities, stored_run_identity(execution, shown));
}

bool off_tree_outcomes_take(struct off_tree_outcomes *outcomes, const struct findings *findings,
                            const struct record_execution *execution, const GPtrArray *shown)
{
	bool known = true;

	for (guint i = 0; i < shown->len; i++)
		known = known
		        && findings_known_under(findings, shown->pdata[i], execution->buffering);
	if (!known)
		off_tree_outcomes_recall(outcomes, execution, shown);
	return !known;
}

bool off_tree_outcomes_have(const struct off_tree_outcomes *outcomes,
                            const struct record_execution *execution, const GPtrArray *shown)
{
	g_autofree char *identity = NULL;

	if (g_hash_table_size(outcomes->identities) == 0)
		return false;
	identity = stored_run_identity(execution, shown);
	return g_hash_table_contains(outcomes->identities, identity);
}
