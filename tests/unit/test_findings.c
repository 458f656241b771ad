#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/session/findings.h"

#define CANCELLED (-1) /* instead of a source */

/* An interleaving with one choice: rank 0's call 3 takes a message of `source`, or is cancelled. */
static struct record_execution *execution_of(int source, GArray *choices)
{
	struct taken taken = source == CANCELLED ? taken_plain(TAKEN_CANCELLED)
	                                         : taken_message((struct op_id){source, 2, 0});
	struct taken instead = taken_message((struct op_id){3 - source, 2, 0});
	struct record_execution *execution = record_execution_new();
	struct record_choice *record = record_choice_new();
	struct choice choice = {point_call(0, 3, 0), taken};
	struct record_message other = record_message_of(&instead);

	execution->buffering = RECORD_ZERO;
	record->call = 3;
	record->point = choice.point;
	record->taken = record_message_of(&taken);
	g_array_append_val(record->alternatives, other);
	g_ptr_array_add(execution->choices, record);
	g_array_set_size(choices, 0);
	g_array_append_val(choices, choice);
	return execution;
}

static struct record_finding *remark(int rank, const char *does)
{
	struct record_finding *finding = record_finding_new(FINDING_TYPE_MISMATCH);
	struct record_rank *line = record_rank_new(rank);

	line->does = g_strdup(does);
	g_ptr_array_add(finding->ranks, line);
	finding->path = g_strdup("mp1:n3:zero:0.3=1");
	return finding;
}

static struct record_finding *deadlock(void)
{
	struct record_finding *finding = record_finding_new(FINDING_DEADLOCK);

	g_ptr_array_add(finding->ranks, record_rank_new(0));
	finding->path = g_strdup("mp1:n3:zero:0.3=1");
	return finding;
}

/* Adds one interleaving. Takes ownership of the findings; NULL: none. */
static void interleaving(struct findings *findings, int source, struct record_finding *first,
                         struct record_finding *second, bool good)
{
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(RecordExecution) execution = execution_of(source, choices);
	struct record_finding *shown[] = {first, second};

	for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
		if (!shown[i])
			continue;
		shown[i] = findings_add(findings, shown[i], execution, choices);
		g_array_append_val(execution->findings, shown[i]->id);
	}
	if (good)
		findings_add_good(findings, execution, choices);
}

static void test_remarks_are_equal_for_any_rank(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO);
	GPtrArray *all = findings_all(findings);

	(void)state;
	interleaving(findings, 1, remark(1, "sends"), NULL, true);
	interleaving(findings, 2, remark(2, "sends"), remark(1, "frees"), true);
	assert_int_equal(all->len, 2);
	assert_int_equal(((struct record_finding *)all->pdata[0])->count, 2);
	assert_int_equal(((struct record_finding *)all->pdata[1])->count, 1);
	assert_false(findings_same_route(findings, 1, 2));
	findings_free(findings);
}

static void test_a_remark_in_every_interleaving_hides_no_blame(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO);
	GPtrArray *all = findings_all(findings);
	struct record_finding *finding;

	(void)state;
	interleaving(findings, 1, deadlock(), remark(1, "leaks"), false);
	interleaving(findings, 2, remark(1, "leaks"), NULL, true);
	assert_true(findings_same_route(findings, 1, 2));
	findings_blame(findings);
	finding = all->pdata[0];
	assert_non_null(finding->blame);
	assert_int_equal(finding->blame->taken.source, 1);
	finding = all->pdata[1]; /* no choice avoids it */
	assert_null(finding->blame);
	findings_free(findings);
}

static void test_a_remark_is_blamed_on_its_choice(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO);
	struct record_finding *finding;

	(void)state;
	interleaving(findings, 1, NULL, NULL, true);
	interleaving(findings, 2, remark(2, "sends"), NULL, true);
	findings_blame(findings);
	finding = findings_all(findings)->pdata[0];
	assert_non_null(finding->blame);
	assert_int_equal(finding->blame->taken.source, 2);
	findings_free(findings);
}

/* The same with a poll of rank 1 that returns "not yet", before that choice or after it. */
static struct record_execution *execution_with_poll(int source, bool before, GArray *choices)
{
	struct choice poll = {point_call(1, 2, 0), taken_plain(TAKEN_NO)};
	struct record_execution *execution = execution_of(source, choices);
	struct record_choice *record = record_choice_new();

	record->rank = 1;
	record->call = 2;
	record->point = poll.point;
	record->taken = record_message_of(&poll.taken);
	g_ptr_array_insert(execution->choices, before ? 0 : -1, record);
	g_array_insert_val(choices, before ? 0 : 1, poll);
	return execution;
}

static void test_another_order_of_choices_hides_no_blame(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO);
	struct record_finding *finding = deadlock();
	g_autoptr(GArray) bad = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(GArray) good = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(RecordExecution) wrong = execution_with_poll(1, true, bad);
	g_autoptr(RecordExecution) well = execution_with_poll(2, false, good);

	(void)state;
	finding = findings_add(findings, finding, wrong, bad);
	findings_add_good(findings, well, good);
	findings_blame(findings);
	assert_non_null(finding->blame);
	assert_int_equal(finding->blame->call, 3);
	assert_int_equal(finding->blame->taken.source, 1);
	findings_free(findings);
}

/* A deadlock after this choice, and a good interleaving without any choice. */
static struct findings *findings_beside_an_end(int32_t taken)
{
	struct findings *findings = findings_new(RECORD_ZERO);
	struct record_execution *good = record_execution_new();
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));

	good->buffering = RECORD_ZERO;
	interleaving(findings, taken, deadlock(), NULL, false);
	findings_add_good(findings, good, none);
	findings_blame(findings);
	record_execution_free(good);
	return findings;
}

/* A match of a receive with a named source is not recorded as a choice. */
static void test_a_cancellation_is_blamed_where_it_came_in_time(void **state)
{
	struct findings *findings = findings_beside_an_end(CANCELLED);
	const struct record_finding *finding = findings_all(findings)->pdata[0];

	(void)state;
	assert_non_null(finding->blame);
	assert_int_equal(finding->blame->taken.taken.kind, TAKEN_CANCELLED);
	findings_free(findings);
}

/* A wildcard's match is recorded. The good interleaving then does not pass the same point. */
static void test_an_end_before_a_choice_blames_nothing(void **state)
{
	struct findings *findings = findings_beside_an_end(1);
	const struct record_finding *finding = findings_all(findings)->pdata[0];

	(void)state;
	assert_null(finding->blame);
	findings_free(findings);
}

/* The path names the choices that a replay does not make by default; for an interleaving read from
 * a store, those that its finding's path named. */
static void test_default_choices_are_left_out_of_paths(void **state)
{
	static const struct {
		bool first;
		const char *path; /* of the finding, not of its interleaving */
		guint named;
	} cases[] = {{true, NULL, 0},
	             {false, NULL, 1},
	             {false, "mp1:n3:zero:", 0},
	             {true, "mp1:n3:0.3=1", 1}};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct findings *findings = findings_new(RECORD_ZERO);
		g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));
		g_autoptr(RecordExecution) execution = execution_of(1, choices);
		struct record_finding *finding = deadlock();

		execution->path = g_strdup(finding->path);
		((struct record_choice *)execution->choices->pdata[0])->is_first = cases[i].first;
		if (cases[i].path) {
			g_free(finding->path);
			finding->path = g_strdup(cases[i].path);
		}
		findings_add(findings, finding, execution, choices);
		assert_int_equal(findings_least(findings, 1)->len, cases[i].named);
		assert_string_equal(findings_whole_path(findings, 1), execution->path);
		findings_free(findings);
	}
}

/* What tries have shown goes before what the exploration has happened to come upon. */
static void test_a_choice_that_tries_have_shown_is_blamed(void **state)
{
	struct findings *findings = findings_new(RECORD_ZERO);
	const struct record_finding *finding;
	const struct taken good = taken_message((struct op_id){2, 2, 0});
	struct choice choice;
	enum buffering buffering;

	(void)state;
	interleaving(findings, 1, deadlock(), NULL, false);
	choice = g_array_index(findings_choices(findings, 1, &buffering), struct choice, 0);
	finding = findings_all(findings)->pdata[0];
	choice.point.call++;
	findings_blame_on(findings, 1, &choice, &good); /* it did not make this one */
	findings_blame(findings);
	assert_null(finding->blame);
	choice.point.call--;
	findings_blame_on(findings, 1, &choice, &good);
	findings_blame(findings);
	assert_non_null(finding->blame);
	assert_int_equal(finding->blame->taken.source, 1);
	findings_free(findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remarks_are_equal_for_any_rank),
		cmocka_unit_test(test_a_remark_in_every_interleaving_hides_no_blame),
		cmocka_unit_test(test_a_remark_is_blamed_on_its_choice),
		cmocka_unit_test(test_another_order_of_choices_hides_no_blame),
		cmocka_unit_test(test_a_cancellation_is_blamed_where_it_came_in_time),
		cmocka_unit_test(test_an_end_before_a_choice_blames_nothing),
		cmocka_unit_test(test_a_choice_that_tries_have_shown_is_blamed),
		cmocka_unit_test(test_default_choices_are_left_out_of_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
