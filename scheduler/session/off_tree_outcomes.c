#include "off_tree_outcomes.h"

struct off_tree_outcome {
	guint32 buffering;
	GArray *choices; /* struct choice */
	char *shown;
};

struct off_tree_outcomes {
	GPtrArray *all;
};

static void off_tree_outcome_free(void *data)
{
	struct off_tree_outcome *outcome = data;

	g_array_unref(outcome->choices);
	g_free(outcome->shown);
	g_free(outcome);
}

struct off_tree_outcomes *off_tree_outcomes_new(void)
{
	struct off_tree_outcomes *outcomes = g_new0(struct off_tree_outcomes, 1);

	outcomes->all = g_ptr_array_new_with_free_func(off_tree_outcome_free);
	return outcomes;
}

void off_tree_outcomes_free(struct off_tree_outcomes *outcomes)
{
	g_ptr_array_unref(outcomes->all);
	g_free(outcomes);
}

/* The keys of the findings, in the order shown. */
static char *keys_of(const GPtrArray *shown)
{
	g_autoptr(GString) keys = g_string_new(NULL);

	for (guint i = 0; i < shown->len; i++) {
		g_autofree char *key = record_finding_key(shown->pdata[i]);

		g_string_append_printf(keys, "%s\n", key);
	}
	return g_string_free(g_steal_pointer(&keys), false);
}

bool off_tree_outcomes_take(struct off_tree_outcomes *outcomes, const struct findings *findings,
                            const struct record_execution *execution, const GPtrArray *shown,
                            const GArray *choices)
{
	struct off_tree_outcome *outcome;
	bool known = true;

	for (guint i = 0; i < shown->len; i++)
		known = known
		        && findings_known_under(findings, shown->pdata[i], execution->buffering);
	if (known)
		return false;
	outcome = g_new0(struct off_tree_outcome, 1);
	outcome->buffering = execution->buffering;
	outcome->choices = choices_copy(choices);
	outcome->shown = keys_of(shown);
	g_ptr_array_add(outcomes->all, outcome);
	return true;
}

bool off_tree_outcomes_have(const struct off_tree_outcomes *outcomes,
                            const struct record_execution *execution, const GPtrArray *shown,
                            const GArray *choices)
{
	g_autofree char *keys = outcomes->all->len > 0 ? keys_of(shown) : NULL;

	for (guint i = 0; i < outcomes->all->len; i++) {
		const struct off_tree_outcome *outcome = outcomes->all->pdata[i];

		if (outcome->buffering == execution->buffering && g_str_equal(outcome->shown, keys)
		    && choices_same(outcome->choices, choices))
			return true;
	}
	return false;
}
