/* Tests what a page receives, however late it connects, and which messages it may send. room:
 * page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "scheduler/page/page_read.h"
#include "scheduler/page/page_state.h"

static int add_shape(struct page_state *state, const char *name, int tag)
{
	const struct page_shape shape = {
		.name = name,
		.numbers = {.kind = 1,
	                    .place = page_state_place(state, "a.c:7"),
	                    .communicator = page_state_communicator(state, 1, "world"),
	                    .frame = -1,
	                    .peer = 1,
	                    .peer_given = 1,
	                    .tag = tag,
	                    .operations = 1}};

	return page_state_shape(state, &shape);
}

/* The reader's next message; NULL: none. */
static JsonObject *next(struct page_reader *reader, JsonNode **ret_node)
{
	GString *text = page_reader_next(reader);

	*ret_node = NULL;
	if (!text)
		return NULL;
	assert_true(text->len < 600000);
	*ret_node = json_from_string(text->str, NULL);
	assert_non_null(*ret_node);
	g_string_free(text, true);
	return json_node_get_object(*ret_node);
}

static guint length_of(JsonObject *told, const char *name)
{
	return json_object_has_member(told, name)
	               ? json_array_get_length(json_object_get_array_member(told, name))
	               : 0;
}

static void assert_nothing(struct page_reader *reader)
{
	assert_null(page_reader_next(reader));
}

static void test_grows(void **state_)
{
	struct page_state *state = page_state_new(2);
	struct page_reader *reader = page_reader_new(state);
	g_autoptr(JsonNode) node = NULL, more = NULL;
	JsonObject *told;
	JsonArray *calls;

	(void)state_;
	page_state_begin(state);
	assert_true(page_state_call(state, 1, add_shape(state, "MPI_Send", 3)));
	page_state_match(state, 0, 2, 1, 2);
	page_state_tell(state, "hello <\"&\\\n");
	told = next(reader, &node);
	assert_int_equal(json_object_get_int_member(told, "ranks"), 2);
	assert_int_equal(json_object_get_int_member(told, "begins"), 1);
	assert_int_equal(length_of(told, "shapes"), 1);
	assert_int_equal(length_of(told, "matches"), 4);
	assert_string_equal(json_object_get_string_member(told, "text"), "hello <\"&\\\n");
	assert_nothing(reader);

	/* a shape is sent once */
	page_state_call(state, 1, add_shape(state, "MPI_Send", 3));
	page_state_completed(state, 1, 1, 2);
	page_state_index(state, 1, 2, JSON_INDEX_UNDEFINED);
	told = next(reader, &more);
	assert_false(json_object_has_member(told, "begins"));
	assert_int_equal(length_of(told, "shapes"), 0);
	calls = json_object_get_array_member(told, "calls");
	calls = json_array_get_array_element(calls, 0);
	assert_int_equal(json_array_get_length(calls), 2);
	assert_int_equal(json_array_get_int_element(calls, 0), 1);
	assert_int_equal(length_of(told, "completed"), 3);
	assert_int_equal(length_of(told, "indices"), 3);
	assert_nothing(reader);
	page_reader_free(reader);
	page_state_free(state);
}

/* A renamed communicator stays the same one; its newest name is sent last. */
static void test_names(void **state_)
{
	static const char *const given[] = {"rows", "rows", "lines", "rows"};
	struct page_state *state = page_state_new(1);
	struct page_reader *reader = page_reader_new(state);
	g_autoptr(JsonNode) node = NULL, more = NULL;
	JsonObject *told;
	JsonArray *names;

	(void)state_;
	page_state_begin(state);
	for (guint i = 0; i < G_N_ELEMENTS(given); i++)
		assert_int_equal(page_state_communicator(state, 77, given[i]), 0);
	page_state_rename(state, 78, "of nobody");
	told = next(reader, &node);
	assert_int_equal(length_of(told, "communicators"), 1);
	assert_int_equal(length_of(told, "names"), 2);
	names = json_array_get_array_element(json_object_get_array_member(told, "names"), 1);
	assert_int_equal(json_array_get_int_element(names, 0), 0);
	assert_string_equal(json_array_get_string_element(names, 1), "rows");
	page_state_rename(state, 77, "rows");
	assert_nothing(reader);
	page_state_rename(state, 77, "columns");
	told = next(reader, &more);
	assert_int_equal(length_of(told, "communicators"), 0);
	assert_int_equal(length_of(told, "names"), 1);
	page_reader_free(reader);
	page_state_free(state);
}

/* Everything since then is one message, or a few; the stop is sent last. */
static void test_late(void **state_)
{
	struct page_state *state = page_state_new(1);
	struct page_reader *reader = page_reader_new(state);
	guint calls = 0, messages = 0;
	bool stopped = false;
	GString *text;

	(void)state_;
	page_state_begin(state);
	for (guint i = 0; i < 200000; i++)
		page_state_call(state, 0, add_shape(state, "MPI_Send", (int)(i % 1000)));
	page_state_set_stop(state, "{\"state\":\"over\"}");
	while ((text = page_reader_next(reader))) {
		g_autoptr(JsonNode) node = json_from_string(text->str, NULL);
		JsonObject *told = json_node_get_object(node);

		assert_false(stopped);
		messages++;
		stopped = json_object_has_member(told, "stop");
		if (json_object_has_member(told, "calls"))
			calls += json_array_get_length(json_array_get_array_element(
					 json_object_get_array_member(told, "calls"), 0))
			         - 1;
		g_string_free(text, true);
	}
	assert_true(stopped);
	assert_int_equal(calls, 200000);
	assert_in_range(messages, 2, 10);
	page_reader_free(reader);
	page_state_free(state);
}

static void test_begins_anew(void **state_)
{
	struct page_state *state = page_state_new(1);
	struct page_reader *reader = page_reader_new(state);
	g_autoptr(JsonNode) node = NULL, more = NULL;
	JsonObject *told;

	(void)state_;
	page_state_begin(state);
	page_state_call(state, 0, add_shape(state, "MPI_Send", 3));
	page_state_choice(state, "[0,1,0]");
	next(reader, &node);
	page_state_begin(state);
	page_state_call(state, 0, add_shape(state, "MPI_Recv", 3));
	told = next(reader, &more);
	assert_int_equal(json_object_get_int_member(told, "begins"), 2);
	assert_int_equal(length_of(told, "shapes"), 1); /* the first is known already */
	assert_int_equal(length_of(told, "choices"), 0);
	assert_nothing(reader);
	page_reader_free(reader);
	page_state_free(state);
}

static void test_bounds(void **state_)
{
	struct page_state *state = page_state_new(1);
	struct page_reader *reader;
	g_autoptr(GString) text = NULL;
	int shape = add_shape(state, "MPI_Send", 3);
	gint64 left_out = 0;

	(void)state_;
	page_state_begin(state);
	for (guint i = 0; i < PAGE_CALLS_MOST; i++)
		assert_true(page_state_call(state, 0, shape));
	assert_false(page_state_call(state, 0, shape));
	for (guint i = 0; i < PAGE_TEXT_MOST; i++)
		page_state_tell(state, "\xc3\xa4"); /* of two bytes each */
	reader = page_reader_new(state);
	for (;;) {
		g_autoptr(JsonNode) node = NULL;
		JsonObject *told = next(reader, &node);

		if (!told)
			break;
		if (json_object_has_member(told, "text"))
			assert_in_range(strlen(json_object_get_string_member(told, "text")), 1000,
			                PAGE_TEXT_MOST);
		if (json_object_has_member(told, "leftOut"))
			left_out = json_object_get_int_member(told, "leftOut");
	}
	assert_int_equal(left_out, 1);
	page_reader_free(reader);
	page_state_free(state);
}

/* --- messages from pages ---------------------------------------------------------------------- */

struct said {
	const char *bytes;
	const char *line; /* NULL: refused, or an interrupt */
	bool interrupts;
};

static void test_read(void **state_)
{
	static const struct said cases[] = {
		{"say run", "run", false},
		{"say ", "", false},
		{"say  back 2", " back 2", false},
		{"at 7 choose 0.2=1", "choose 0.2=1", false},
		{"interrupt", NULL, true},
		{"at 6 1", NULL, false},
		{"at 8 1", NULL, false},
		{"at 0 1", NULL, false},
		{"at -7 1", NULL, false},
		{"at 7", NULL, false},
		{"at  1", NULL, false},
		{"at", NULL, false},
		{"say", NULL, false},
		{"", NULL, false},
		{"run", NULL, false},
		{"interrupt now", NULL, false},
		{"say a\nquit", NULL, false},
		{"say \x1b[2J", NULL, false},
		{"say \xff", NULL, false},
		{"say \x7f", NULL, false},
	};

	(void)state_;
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line = NULL, *problem = NULL;
		bool interrupts;
		bool fine = page_read(cases[i].bytes, strlen(cases[i].bytes), 7, &line, &interrupts,
		                      &problem);

		assert_int_equal(fine, cases[i].line || cases[i].interrupts);
		assert_int_equal(interrupts, cases[i].interrupts);
		assert_int_equal(g_strcmp0(line, cases[i].line), 0);
		assert_int_equal(problem == NULL, fine);
	}
}

static void test_look(void **state_)
{
	static const char *const others[] = {
		"look",      "look 1",     "look .1",      "look 1.",   "look 1.0",
		"look -1.1", "look 1.1.1", "say look 1.1", "look 1.1 ", "look 99999999999.1"};
	guint32 call = 0;
	int rank = -1;

	(void)state_;
	assert_true(page_read_look("look 3.14", strlen("look 3.14"), &rank, &call));
	assert_int_equal(rank, 3);
	assert_int_equal(call, 14);
	for (guint i = 0; i < G_N_ELEMENTS(others); i++)
		assert_false(page_read_look(others[i], strlen(others[i]), &rank, &call));
	assert_int_equal(rank, 3);
}

static void test_read_zero(void **state_)
{
	g_autofree char *line = NULL, *problem = NULL;
	bool interrupts;

	(void)state_;
	assert_false(page_read("say a\0b", 7, 1, &line, &interrupts, &problem));
	assert_null(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),     cmocka_unit_test(test_names),
		cmocka_unit_test(test_late),      cmocka_unit_test(test_begins_anew),
		cmocka_unit_test(test_bounds),    cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_zero), cmocka_unit_test(test_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
