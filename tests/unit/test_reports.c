#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/places.h"
#include "reports/report.h"
#include "reports/words.h"
#include "scheduler/store/store.h"

struct fixture {
	char *directory, *out;
	struct store *store;
	struct record_exploration *exploration;
	GPtrArray *findings;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	struct record_exploration *e = record_exploration_new();

	g_unsetenv("NO_COLOR");
	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->out = g_build_filename(fixture->directory, "out", NULL);
	fixture->store = store_create(fixture->directory, NULL);
	fixture->exploration = e;
	fixture->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	g_strfreev(e->program);
	e->program = g_strsplit("./solver", "|", -1);
	e->ranks = 4;
	e->bufferings = RECORD_ZERO | RECORD_INFINITE;
	e->complete = true;
	e->seconds = 0.31;
	*state = fixture;
	return fixture->store ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *file = g_build_filename(fixture->directory, "matchpoint.db", NULL);

	store_close(fixture->store);
	g_unlink(file);
	g_unlink(fixture->out);
	g_rmdir(fixture->directory);
	record_exploration_free(fixture->exploration);
	g_ptr_array_unref(fixture->findings);
	g_free(fixture->directory);
	g_free(fixture->out);
	g_free(fixture);
	return 0;
}

/* Adds interleavings 1 to `count`. The first `bad` of them show finding 1. */
static void add_executions(struct fixture *fixture, uint32_t count, uint32_t bad,
                           enum finding_kind kind)
{
	for (uint32_t id = 1; id <= count; id++) {
		g_autoptr(RecordExecution) e = record_execution_new();
		uint32_t finding = 1;
		int32_t status = 0;

		e->id = id;
		e->buffering = id % 2 ? RECORD_ZERO : RECORD_INFINITE;
		e->path = g_strdup_printf("mp1:n4:0.3=%u", id);
		if (id <= bad) {
			e->status = kind;
			g_array_append_val(e->findings, finding);
		}
		for (int rank = 0; rank < 4; rank++) {
			g_array_append_val(e->exits, status);
			g_ptr_array_add(e->outputs, g_bytes_new("\"\xff\n", 3));
			g_ptr_array_add(e->errors, g_bytes_new("one\ntwo\n", rank == 2 ? 8 : 0));
		}
		assert_true(store_add(fixture->store, e, id == 1 ? fixture->findings : NULL, NULL));
	}
}

/* Closes the store and writes the report. The caller frees the text. */
static char *report(struct fixture *fixture, const struct report *name)
{
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(GError) error = NULL;
	char *text;

	assert_true(store_put_exploration(fixture->store, fixture->exploration, NULL));
	store_close(g_steal_pointer(&fixture->store));
	reader = store_reader_open(fixture->directory, &error);
	if (!reader)
		fail_msg("%s", error->message);
	if (!report_write(name, reader, NULL, fixture->out, &error))
		fail_msg("%s", error->message);
	assert_true(g_file_get_contents(fixture->out, &text, NULL, NULL));
	return text;
}

static struct record_rank *add_rank(struct record_finding *finding, int32_t number,
                                    const char *ended)
{
	struct record_rank *rank = record_rank_new(number);

	rank->ended = g_strdup(ended);
	if (ended)
		rank->end = g_str_equal(ended, "ended") ? RECORD_END_WELL : RECORD_END_SIGNAL;
	g_ptr_array_add(finding->ranks, rank);
	return rank;
}

static struct record_finding *add_finding(struct fixture *fixture, enum finding_kind kind)
{
	struct record_finding *finding = record_finding_new(kind);

	g_ptr_array_add(fixture->findings, finding);
	finding->id = fixture->findings->len;
	finding->count = 2;
	finding->bufferings = RECORD_ZERO | RECORD_INFINITE;
	finding->path = g_strdup("mp1:n4:0.3=1");
	finding->replayed = finding->reproduced = true;
	return finding;
}

/* The example of the documentation. */
static void add_deadlock(struct fixture *fixture)
{
	struct record_finding *finding = add_finding(fixture, FINDING_DEADLOCK);
	struct record_rank *rank = add_rank(finding, 0, NULL);
	struct taken first = taken_message((struct op_id){1, 2, 0});
	struct taken second = taken_message((struct op_id){2, 2, 0});
	struct record_message other = record_message_of(&second);
	int32_t awaited = 1;

	finding->message = g_strdup("rank 0 waits for rank 1, which has ended");
	rank->call = 4;
	rank->function = "MPI_Recv";
	rank->arguments = g_strdup("source=1, tag=7");
	rank->place = (struct place){.file = "solver.c", .line = 121};
	g_array_append_val(rank->waits_for, awaited);
	for (int32_t i = 1; i < 4; i++)
		add_rank(finding, i, "ended");
	finding->blame = record_choice_new();
	finding->blame->call = 3;
	finding->blame->function = "MPI_Recv";
	finding->blame->place = (struct place){.file = "solver.c", .line = 118};
	finding->blame->taken = record_message_of(&first);
	finding->blame->taken.tag = other.tag = 7;
	finding->blame->taken.place = (struct place){.file = "solver.c", .line = 140};
	g_array_append_val(finding->blame->alternatives, other);
	add_executions(fixture, 6, 2, FINDING_DEADLOCK);
}

static void the_verdict_on_a_deadlock_is_as_documented(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = NULL;

	add_deadlock(fixture);
	text = report(fixture, &report_terminal);
	assert_string_equal(
		text,
		"matchpoint: 6 interleavings of ./solver on 4 ranks, all explored (zero and "
		"infinite buffering), 0.31 s\n"
		"  1 deadlock in 2 interleavings\n"
		"\n"
		"deadlock #1  (2 of 6 interleavings, any buffering)\n"
		"  rank 0  MPI_Recv(source=1, tag=7)         solver.c:121   waits for rank 1, "
		"which has ended\n"
		"  ranks 1-3  ended\n"
		"  rank 0's last line of output: \"\xef\xbf\xbd\n"
		"  rank 1's last line of output: \"\xef\xbf\xbd\n"
		"  rank 2's last line of output: \"\xef\xbf\xbd\n"
		"  rank 3's last line of output: \"\xef\xbf\xbd\n"
		"  it needs: rank 0's MPI_Recv(ANY_SOURCE) at solver.c:118 takes rank 1's message "
		"(solver.c:140), not rank 2's\n"
		"  path: mp1:n4:0.3=1\n"
		"  again: matchpoint replay mp1:n4:0.3=1 -- ./solver\n");
}

static void a_verdict_without_findings(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = NULL;

	fixture->exploration->ranks = 1;
	fixture->exploration->bufferings = RECORD_ZERO;
	fixture->exploration->complete = false;
	fixture->exploration->incomplete_reason = g_strdup("stopped by --max-time 10");
	fixture->exploration->backtrack_reason = g_strdup("rank 0 has 3 threads of its own");
	fixture->exploration->wasted = 2;
	limits_add(fixture->exploration->limits, LIMIT_IGNORED, g_strdup("leaks (--ignore)"));
	limits_add(fixture->exploration->limits, LIMIT_LINES_VARY, g_strdup("line 3 varies"));
	g_ptr_array_add(fixture->exploration->notes, g_strdup("Test was not explored"));
	g_strfreev(fixture->exploration->program);
	fixture->exploration->program = g_strsplit("./solver|it's|", "|", -1);
	add_executions(fixture, 1, 0, FINDING_NONE);
	text = report(fixture, &report_terminal);
	assert_string_equal(
		text,
		"matchpoint: 1 interleaving of ./solver 'it'\\''s' '' on 1 rank, not all: stopped "
		"by "
		"--max-time 10 (zero buffering), 0.31 s, by rerunning: rank 0 has 3 threads of its "
		"own\n"
		"  not checked: line 3 varies; leaks (--ignore)\n"
		"  nothing wrong so far\n"
		"  2 runs led nowhere new\n"
		"  note: Test was not explored\n");
}

static void a_crash_shows_what_the_rank_wrote(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_CRASH);
	struct record_rank *rank;
	g_autofree char *text = NULL;

	add_finding(fixture, FINDING_CRASH)->id = 2;
	finding->message = g_strdup("rank 2 was killed by SIGABRT");
	finding->bufferings = RECORD_INFINITE;
	finding->reproduced = false;
	add_rank(finding, 0, "ended");
	add_rank(finding, 1, NULL);
	rank = add_rank(finding, 2, "killed by SIGABRT");
	rank->function = "MPI_Send";
	rank->place = (struct place){.function = "work", .offset = 47};
	add_rank(finding, 3, "ended");
	add_executions(fixture, 2, 2, FINDING_CRASH);
	text = report(fixture, &report_terminal);
	assert_non_null(strstr(text, "\n  2 crashes in 2 interleavings\n"));
	assert_non_null(strstr(text, "\ncrash #1  (2 of 2 interleavings, infinite buffering)\n"
	                             "  rank 2 was killed by SIGABRT\n"
	                             "  ranks 0, 3  ended\n"));
	assert_non_null(
		strstr(text, "  rank 2  killed by SIGABRT after MPI_Send() at work+0x2f\n"));
	assert_non_null(strstr(text, "  rank 2 wrote to standard error:\n    one\n    two\n"));
	assert_non_null(strstr(text, "its replay ended differently: the program depends"));
}

/* What a replay does not show again is not the program's doing if something else explains it. */
static void a_finding_may_depend_on_the_machine(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *crash = add_finding(fixture, FINDING_CRASH);
	struct record_exploration *exploration = fixture->exploration;
	struct record_finding deadlock = {.kind = FINDING_DEADLOCK, .replayed = true};

	crash->reproduced = false;
	limits_add(exploration->limits, LIMIT_MEMORY, g_strdup("memory ran out"));
	assert_non_null(strstr(words_not_reproduced(crash, exploration), "memory ran out"));
	assert_non_null(strstr(words_not_reproduced(&deadlock, exploration), "the program"));
	limits_add(exploration->limits, LIMIT_THREADS_HURRIED, NULL);
	assert_non_null(strstr(words_not_reproduced(crash, exploration), "timing"));
	assert_non_null(strstr(words_not_reproduced(&deadlock, exploration), "timing"));
	crash->reproduced = true;
	assert_null(words_not_reproduced(crash, exploration));
}

static void walk_randomly(struct fixture *fixture)
{
	fixture->exploration->complete = false;
	fixture->exploration->random = true;
	fixture->exploration->seed = G_MAXINT64;
	fixture->exploration->runs = 40;
	fixture->exploration->incomplete_reason = g_strdup("random search, not exhaustive");
	add_executions(fixture, 2, 0, FINDING_NONE);
}

static void random_walks_are_reported_as_text(void **state)
{
	g_autofree char *text = NULL;

	walk_randomly(*state);
	text = report(*state, &report_terminal);
	assert_non_null(strstr(text, "on 4 ranks, random search, not exhaustive (zero and"));
	assert_non_null(strstr(text, "nothing wrong so far"));
}

static void random_walks_are_reported_in_json(void **state)
{
	g_autofree char *text = NULL;

	walk_randomly(*state);
	text = report(*state, &report_json);
	assert_non_null(strstr(text, "\"kind\" : \"random\""));
	assert_non_null(strstr(text, "\"seed\" : 9223372036854775807"));
	assert_non_null(strstr(text, "\"runs\" : 40"));
}

static void a_finding_without_a_replay_is_marked(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_CRASH);
	g_autofree char *text = NULL;

	finding->replayed = finding->reproduced = false;
	add_executions(fixture, 1, 1, FINDING_CRASH);
	fixture->exploration->complete = false;
	fixture->exploration->incomplete_reason = g_strdup("stopped by --max-time 10");
	text = report(fixture, &report_terminal);
	assert_non_null(strstr(text, "it was not replayed: no time was left"));
	assert_null(strstr(text, "does not depend"));
}

static void a_killed_replay_is_marked(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_CRASH);
	g_autofree char *text = NULL;

	finding->replayed = finding->reproduced = false;
	finding->struck = true;
	add_executions(fixture, 1, 1, FINDING_CRASH);
	fixture->exploration->complete = false; /* which is not why */
	text = report(fixture, &report_terminal);
	assert_non_null(strstr(text, "its replay was killed from outside"));
	assert_null(strstr(text, "no time"));
}

static void one_culprit_is_reported_once(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_EXIT);
	g_autofree char *text = NULL;

	finding->message = g_strdup("rank 1 exited with status 3");
	add_rank(finding, 0, "ended")->bystander = true;
	add_rank(finding, 1, "exited with status 3");
	add_executions(fixture, 2, 2, FINDING_EXIT);
	text = report(fixture, &report_terminal);
	assert_non_null(
		strstr(text, "  rank 1 exited with status 3\n  rank 0  ended\n  rank 2 wrote"));
}

static void calls_of_ranks_are_reported_by_line(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_TYPE_MISMATCH);
	g_autofree char *text = NULL;

	finding->message = g_strdup("rank 1 sends 4 MPI_INT (MPI_Send at a.c:5), ...");
	for (int32_t i = 2; i >= 0; i--) {
		struct record_rank *rank = add_rank(finding, i, NULL);

		rank->does = g_strdup(i > 0 ? "sends 4 MPI_INT" : "receives 4 MPI_FLOAT");
		rank->function = i > 0 ? "MPI_Send" : "MPI_Recv";
		rank->place = (struct place){.file = "a.c", .line = i > 0 ? 5 : 9};
	}
	add_executions(fixture, 2, 2, FINDING_TYPE_MISMATCH);
	text = report(fixture, &report_terminal);
	assert_non_null(strstr(text, "\n  1 type-mismatch in 2 interleavings\n"));
	assert_non_null(strstr(text, "\ntype-mismatch #1  (2 of 2 interleavings, any buffering)\n"
	                             "  ranks 1, 2  MPI_Send()"));
	assert_non_null(strstr(text, "  a.c:5          sends 4 MPI_INT\n  rank 0      MPI_Recv()"));
	assert_non_null(strstr(text, "  a.c:9          receives 4 MPI_FLOAT\n  path:"));
}

static JsonObject *member(JsonObject *object, const char *array, guint index)
{
	return json_array_get_object_element(json_object_get_array_member(object, array), index);
}

static void json_has_the_documented_members(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = NULL;
	g_autoptr(JsonNode) root = NULL;
	JsonObject *object, *finding, *execution;

	add_deadlock(fixture);
	text = report(fixture, &report_json);
	root = json_from_string(text, NULL);
	assert_non_null(root);
	object = json_node_get_object(root);
	assert_int_equal(json_object_get_int_member(object, "version"), 1);
	assert_int_equal(json_object_get_int_member(object, "ranks"), 4);
	assert_true(json_object_get_boolean_member(object, "complete"));
	assert_int_equal(json_object_get_int_member(object, "interleavings"), 6);
	assert_string_equal(json_object_get_string_member(object, "backtrack"), "snapshot");
	assert_false(json_object_has_member(object, "executions_omitted"));
	finding = member(object, "findings", 0);
	assert_string_equal(json_object_get_string_member(finding, "kind"), "deadlock");
	assert_int_equal(json_object_get_int_member(member(finding, "ranks", 0), "line"), 121);
	assert_int_equal(json_array_get_length(json_object_get_array_member(finding, "ranks")), 4);
	assert_int_equal(json_array_get_length(json_object_get_array_member(object, "executions")),
	                 6);
	execution = member(object, "executions", 5);
	assert_string_equal(json_object_get_string_member(execution, "status"), "ok");
	assert_string_equal(json_object_get_string_member(execution, "path"), "mp1:n4:0.3=6");
	assert_string_equal(json_object_get_string_member(execution, "buffering"), "infinite");
	assert_string_equal(
		json_array_get_string_element(json_object_get_array_member(execution, "output"), 0),
		"\"\xef\xbf\xbd\n");
}

static void json_of_a_large_store_omits_good_interleavings(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = NULL;
	g_autoptr(JsonNode) root = NULL;
	JsonObject *object;

	add_finding(fixture, FINDING_DEADLOCK);
	add_executions(fixture, 1001, 3, FINDING_DEADLOCK);
	text = report(fixture, &report_json);
	root = json_from_string(text, NULL);
	assert_non_null(root);
	object = json_node_get_object(root);
	assert_int_equal(json_object_get_int_member(object, "interleavings"), 1001);
	assert_int_equal(json_object_get_int_member(object, "executions_omitted"), 998);
	assert_int_equal(json_array_get_length(json_object_get_array_member(object, "executions")),
	                 3);
}

static void json_without_executions_is_valid(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = report(fixture, &report_json);
	g_autoptr(JsonNode) root = json_from_string(text, NULL);

	assert_non_null(root);
}

static void junit_survives_what_xml_cannot_hold(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_EXIT);
	g_autofree char *text = NULL;

	finding->message = g_strdup("\"a\" <b> & ]]> \n\xff");
	finding->bufferings = RECORD_ZERO;
	add_rank(finding, 1, "exited with status 3");
	add_executions(fixture, 2, 1, FINDING_EXIT);
	text = report(fixture, &report_junit);
	assert_true(g_utf8_validate(text, -1, NULL));
	assert_non_null(strstr(text, " tests=\"2\" failures=\"1\" "));
	assert_non_null(strstr(text, "message=\"exit: &#34;a&#34; &#60;b&#62; &#38; ]]&#62;  "
	                             "\xef\xbf\xbd\""));
	/* output of ranks: a quotation mark, and a byte that is invalid UTF-8 */
	assert_non_null(strstr(text, "<system-out>rank 0:\n&#34;\xef\xbf\xbd\n"));
}

static void junit_passes_only_what_was_explored(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = NULL;

	fixture->exploration->complete = false;
	fixture->exploration->incomplete_reason = g_strdup("stopped by --max-time 10");
	add_executions(fixture, 3, 0, FINDING_NONE);
	text = report(fixture, &report_junit);
	assert_non_null(strstr(text, " tests=\"2\" failures=\"0\" errors=\"0\" time="));
	assert_non_null(strstr(text, " skipped=\"2\">\n    <properties>"));
	assert_non_null(strstr(text, "in 2 interleavings, but not all were explored: stopped by "
	                             "--max-time 10\"/>"));
}

static void github_commands_are_escaped(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_EXIT);
	struct record_rank *rank = add_rank(finding, 1, "exited with status 3");
	g_autofree char *text = NULL;

	finding->message = g_strdup("100%\n::error::no");
	rank->function = "MPI_Send";
	rank->place = (struct place){.file = "a,b:c.c", .line = 7};
	add_executions(fixture, 1, 1, FINDING_EXIT);
	text = report(fixture, &report_github);
	assert_true(g_str_has_prefix(
		text, "::error file=a%2Cb%3Ac.c,line=7,title=matchpoint%3A exit #1::"));
	assert_non_null(strstr(text, "100%25%0A::error::no%0A"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void markdown_fences_what_it_quotes(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *finding = add_finding(fixture, FINDING_EXIT);
	g_autofree char *text = NULL;

	finding->message = g_strdup("```` </details>");
	add_rank(finding, 1, "exited with status 3");
	add_executions(fixture, 1, 1, FINDING_EXIT);
	text = report(fixture, &report_markdown);
	assert_non_null(strstr(text, "<summary>exit #1: ```` &lt;/details&gt; ("));
	assert_non_null(strstr(text, "\n`````text\n  ```` </details>\n"));
}

static void files_are_named_relative_to_the_root(void **state)
{
	struct place inside = {.directory = "/home/me/src", .file = "a b.c", .line = 1};
	struct place outside = {.directory = "/home/me2", .file = "a.c", .line = 1};
	struct place somewhere = {.file = "a.c", .line = 1}, nowhere = {.function = "f"};
	g_autofree char *one = places_file(&inside, "/home/me/");
	g_autofree char *two = places_file(&outside, "/home/me");
	g_autofree char *three = places_file(&somewhere, "/home/me");
	g_autofree char *uri = places_uri(one), *other = places_uri(two);
	g_autofree char *colon = places_uri("a:b%.c");

	(void)state;
	assert_string_equal(one, "src/a b.c");
	assert_string_equal(two, "/home/me2/a.c");
	assert_string_equal(three, "a.c");
	assert_null(places_file(&nowhere, "/home/me"));
	assert_string_equal(uri, "src/a%20b.c");
	assert_string_equal(other, "file:///home/me2/a.c");
	assert_string_equal(colon, "a%3Ab%25.c");
}

static void a_report_is_appended_to_what_is_there(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *once = report(fixture, &report_markdown), *twice = NULL;
	g_autoptr(StoreReader) reader = store_reader_open(fixture->directory, NULL);

	assert_true(report_append(&report_markdown, reader, NULL, fixture->out, NULL));
	assert_true(g_file_get_contents(fixture->out, &twice, NULL, NULL));
	assert_int_equal(strlen(twice), 2 * strlen(once));
}

static void a_report_that_cannot_be_written_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *text = report(fixture, &report_terminal);
	g_autoptr(StoreReader) reader = store_reader_open(fixture->directory, NULL);
	g_autoptr(GError) nowhere = NULL, full = NULL;

	assert_false(report_write(&report_json, reader, NULL, "/nonexistent/file", &nowhere));
	assert_non_null(nowhere);
	assert_false(report_write(&report_json, reader, NULL, "/dev/full", &full));
	assert_non_null(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(the_verdict_on_a_deadlock_is_as_documented),
		TEST(a_verdict_without_findings),
		TEST(a_crash_shows_what_the_rank_wrote),
		TEST(a_finding_may_depend_on_the_machine),
		TEST(random_walks_are_reported_as_text),
		TEST(random_walks_are_reported_in_json),
		TEST(a_finding_without_a_replay_is_marked),
		TEST(a_killed_replay_is_marked),
		TEST(one_culprit_is_reported_once),
		TEST(calls_of_ranks_are_reported_by_line),
		TEST(json_has_the_documented_members),
		TEST(json_of_a_large_store_omits_good_interleavings),
		TEST(json_without_executions_is_valid),
		TEST(junit_survives_what_xml_cannot_hold),
		TEST(junit_passes_only_what_was_explored),
		TEST(github_commands_are_escaped),
		TEST(markdown_fences_what_it_quotes),
		TEST(files_are_named_relative_to_the_root),
		TEST(a_report_is_appended_to_what_is_there),
		TEST(a_report_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
