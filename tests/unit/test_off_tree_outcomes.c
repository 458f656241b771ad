#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/session/off_tree_outcomes.h"

struct shown {
	struct record_execution *execution;
	GPtrArray *findings;
	GArray *choices;
};

/* Rank 0's calls 3 and 4 take messages of rank 1, in this order or the reverse. */
static struct shown shown_of(enum buffering buffering, enum finding_kind kind, bool in_order)
{
	struct shown shown = {
		.execution = record_execution_new(),
		.findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free),
		.choices = g_array_new(false, false, sizeof(struct choice))};
	struct record_finding *finding = record_finding_new(kind);
	struct path *path;

	for (guint32 i = 0; i < 2; i++) {
		struct choice choice = {point_call(0, in_order ? 3 + i : 4 - i, 0),
		                        taken_message((struct op_id){1, 2, 0})};

		g_array_append_val(shown.choices, choice);
	}
	path = path_of_choices(2, NULL, buffering, COLLECTIVES_ANY, shown.choices);
	shown.execution->buffering = 1u << buffering;
	shown.execution->path = path_print(path);
	finding->path = g_strdup(shown.execution->path);
	path_free(path);
	if (kind == FINDING_NONE)
		record_finding_free(finding);
	else
		g_ptr_array_add(shown.findings, finding);
	return shown;
}

static void shown_clear(struct shown *shown)
{
	record_execution_free(shown->execution);
	g_ptr_array_unref(shown->findings);
	g_array_unref(shown->choices);
}

/* The result for an outcome, which is freed. */
static bool take(struct off_tree_outcomes *outcomes, struct findings *findings, struct shown shown)
{
	bool taken = off_tree_outcomes_take(outcomes, findings, shown.execution, shown.findings);

	while (taken && shown.findings->len > 0)
		findings_add(findings, g_ptr_array_steal_index(shown.findings, 0), shown.execution,
		             shown.choices);
	shown_clear(&shown);
	return taken;
}

static bool have(const struct off_tree_outcomes *outcomes, struct shown shown)
{
	bool had = off_tree_outcomes_have(outcomes, shown.execution, shown.findings);

	shown_clear(&shown);
	return had;
}

static void test_a_new_outcome_counts_once_under_each_buffering(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO | RECORD_INFINITE);
	struct off_tree_outcomes *outcomes = off_tree_outcomes_new();

	(void)state;
	assert_false(take(outcomes, findings, shown_of(BUFFERING_ZERO, FINDING_NONE, true)));
	assert_true(take(outcomes, findings, shown_of(BUFFERING_ZERO, FINDING_DEADLOCK, true)));
	assert_false(take(outcomes, findings, shown_of(BUFFERING_ZERO, FINDING_DEADLOCK, true)));
	assert_true(take(outcomes, findings, shown_of(BUFFERING_INFINITE, FINDING_DEADLOCK, true)));
	assert_true(take(outcomes, findings, shown_of(BUFFERING_ZERO, FINDING_CRASH, true)));
	assert_int_equal(findings_all(findings)->len, 2);
	off_tree_outcomes_free(outcomes);
	findings_free(findings);
}

static void test_an_outcome_is_found_in_any_order_of_choices(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO | RECORD_INFINITE);
	struct off_tree_outcomes *outcomes = off_tree_outcomes_new();

	(void)state;
	assert_false(have(outcomes, shown_of(BUFFERING_ZERO, FINDING_DEADLOCK, true)));
	take(outcomes, findings, shown_of(BUFFERING_ZERO, FINDING_DEADLOCK, true));
	assert_true(have(outcomes, shown_of(BUFFERING_ZERO, FINDING_DEADLOCK, false)));
	assert_false(have(outcomes, shown_of(BUFFERING_ZERO, FINDING_NONE, false)));
	assert_false(have(outcomes, shown_of(BUFFERING_ZERO, FINDING_CRASH, true)));
	assert_false(have(outcomes, shown_of(BUFFERING_INFINITE, FINDING_DEADLOCK, true)));
	off_tree_outcomes_free(outcomes);
	findings_free(findings);
}

/* The interleavings of the session before are in the store, with their findings or without. */
static void test_interleavings_of_an_earlier_session_do_not_count_again(void **state)
{
	struct off_tree_outcomes *outcomes = off_tree_outcomes_new();
	struct shown before = shown_of(BUFFERING_ZERO, FINDING_NONE, true);

	(void)state;
	off_tree_outcomes_recall(outcomes, before.execution, before.findings);
	shown_clear(&before);
	assert_true(have(outcomes, shown_of(BUFFERING_ZERO, FINDING_NONE, false)));
	assert_false(have(outcomes, shown_of(BUFFERING_ZERO, FINDING_CRASH, false)));
	assert_false(have(outcomes, shown_of(BUFFERING_INFINITE, FINDING_NONE, false)));
	off_tree_outcomes_free(outcomes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_outcome_counts_once_under_each_buffering),
		cmocka_unit_test(test_an_outcome_is_found_in_any_order_of_choices),
		cmocka_unit_test(test_interleavings_of_an_earlier_session_do_not_count_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
