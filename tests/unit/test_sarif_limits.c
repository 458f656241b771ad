#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/report.h"
#include "reports/sarif_limits.h"
#include "scheduler/store/store.h"

static void details_are_shared_out_among_results(void **state)
{
	(void)state;
	for (guint findings = 0; findings < 100000; findings = findings * 3 + 1) {
		struct sarif_limits limits = sarif_limits_for(findings);

		assert_int_equal(limits.results, CLAMP(findings, 1, 5000));
		assert_in_range(limits.locations, 10, 1000);
		assert_in_range(limits.steps, 10, 10000);
		assert_in_range(limits.results * limits.steps, 1, 50000);
	}
}

static void tightening_ends_with_one_result(void **state)
{
	struct sarif_limits limits = sarif_limits_for(5000);
	guint rounds = 0;

	(void)state;
	while (sarif_limits_tighten(&limits))
		assert_in_range(++rounds, 1, 20);
	assert_int_equal(limits.results, 1);
	assert_int_equal(limits.locations, 1);
	assert_in_range(limits.text, 500, 1000);
}

static void a_cut_text_contains_the_missing_length(void **state)
{
	g_autofree char *whole = sarif_limits_cut("abc", 3), *cut = sarif_limits_cut("abcdef", 4);
	g_autofree char *character = sarif_limits_cut("ab\xc3\xa4\x63", 3);

	(void)state;
	assert_string_equal(whole, "abc");
	assert_string_equal(cut, "abcd... (2 bytes more left out)");
	assert_string_equal(character, "ab... (3 bytes more left out)");
}

static void the_size_is_that_of_the_compressed_text(void **state)
{
	g_autofree char *even = g_strnfill(10000000, 'a'), *random = g_malloc(200001);
	g_autoptr(GRand) numbers = g_rand_new_with_seed(1);

	(void)state;
	for (int i = 0; i < 200000; i++)
		random[i] = (char)g_rand_int_range(numbers, 1, 256);
	random[200000] = '\0';
	assert_true(sarif_limits_fit(even, 100000));
	assert_false(sarif_limits_fit(even, 1000));
	assert_true(sarif_limits_fit(random, 210000));
	assert_false(sarif_limits_fit(random, 190000));
	assert_true(sarif_limits_fit("", 100));
}

static void no_notification_if_nothing_is_left_out(void **state)
{
	const struct sarif_left_out none = {0}, some = {.results = 1, .locations = 20};
	g_autofree char *text = sarif_limits_words(&some);

	(void)state;
	assert_null(sarif_limits_words(&none));
	assert_string_equal(text, "left out to stay within the limits of code scanning services: "
	                          "1 result, 20 related locations; --json has them");
}

/* A deadlock of so many ranks, whose path is as long as those of long runs. */
static struct record_finding *huge_finding(uint32_t id, int32_t ranks)
{
	struct record_finding *finding = record_finding_new(FINDING_DEADLOCK);
	GString *path = g_string_new("mp1:n4:0.1=1");

	for (int i = 0; i < 40000; i++)
		g_string_append_printf(path, ",0.%d=1", i + 2);
	finding->id = id;
	finding->count = 1;
	finding->bufferings = RECORD_ZERO;
	finding->path = g_string_free(path, false);
	for (int32_t i = 0; i < ranks; i++) {
		struct record_rank *rank = record_rank_new(i);

		rank->call = 1;
		rank->function = "MPI_Recv";
		rank->place = (struct place){.file = "solver.c", .line = id};
		g_ptr_array_add(finding->ranks, rank);
	}
	return finding;
}

static char *sarif_of(GPtrArray *findings)
{
	g_autofree char *directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(directory, "matchpoint.db", NULL);
	g_autofree char *out = g_build_filename(directory, "out", NULL);
	g_autoptr(RecordExecution) execution = record_execution_new();
	struct record_exploration *e = record_exploration_new();
	struct store *store = store_create(directory, NULL);
	g_autoptr(StoreReader) reader = NULL;
	char *text;

	g_strfreev(e->program);
	e->program = g_strsplit("./solver", "|", -1);
	e->ranks = 4;
	execution->id = 1;
	execution->status = FINDING_DEADLOCK;
	execution->path = g_strdup("mp1:n4:0.3=1");
	for (guint i = 1; i <= findings->len; i++)
		g_array_append_val(execution->findings, i);
	assert_true(store_add(store, execution, findings, NULL));
	assert_true(store_put_exploration(store, e, NULL));
	store_close(store);
	reader = store_reader_open(directory, NULL);
	assert_true(report_write(&report_sarif, reader, NULL, out, NULL));
	assert_true(g_file_get_contents(out, &text, NULL, NULL));
	g_unlink(file);
	g_unlink(out);
	g_rmdir(directory);
	record_exploration_free(e);
	return text;
}

static JsonObject *only_run(JsonParser *parser, const char *text)
{
	assert_true(json_parser_load_from_data(parser, text, -1, NULL));
	return json_array_get_object_element(
		json_object_get_array_member(json_node_get_object(json_parser_get_root(parser)),
	                                     "runs"),
		0);
}

/* The last notification about this run. */
static const char *last_notification(JsonObject *run)
{
	JsonObject *invocation = json_array_get_object_element(
		json_object_get_array_member(run, "invocations"), 0);
	JsonArray *told = json_object_get_array_member(invocation, "toolExecutionNotifications");
	JsonObject *last = json_array_get_object_element(told, json_array_get_length(told) - 1);

	return json_object_get_string_member(json_object_get_object_member(last, "message"),
	                                     "text");
}

static void a_huge_finding_is_cut_with_a_notification(void **state)
{
	g_autoptr(GPtrArray)
		findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *text = NULL;
	JsonObject *run, *result, *properties;

	(void)state;
	g_ptr_array_add(findings, huge_finding(1, 1500));
	text = sarif_of(findings);
	run = only_run(parser, text);
	result = json_array_get_object_element(json_object_get_array_member(run, "results"), 0);
	properties = json_object_get_object_member(result, "properties");
	assert_in_range(json_array_get_length(json_object_get_array_member(result, "locations"))
	                        + json_array_get_length(
					json_object_get_array_member(result, "relatedLocations")),
	                1000, 1000);
	assert_in_range(strlen(json_object_get_string_member(properties, "path")), 1, 1000);
	assert_non_null(strstr(json_object_get_string_member(properties, "path"), "40001 choices"));
	assert_string_equal(last_notification(run),
	                    "left out to stay within the limits of code scanning services: "
	                    "501 related locations, 1 whole path; --json has them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(details_are_shared_out_among_results),
		cmocka_unit_test(tightening_ends_with_one_result),
		cmocka_unit_test(a_cut_text_contains_the_missing_length),
		cmocka_unit_test(the_size_is_that_of_the_compressed_text),
		cmocka_unit_test(no_notification_if_nothing_is_left_out),
		cmocka_unit_test(a_huge_finding_is_cut_with_a_notification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
