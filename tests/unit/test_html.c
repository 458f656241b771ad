#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/html_data.h"
#include "reports/report.h"
#include "scheduler/store/store.h"

/* Text that tries to end a script, begin an element, leave an attribute, and name a mark of the
 * page, and that is invalid UTF-8. */
#define HOSTILE "</script><evil x='\"&`>\\\n\001\377{{data}}"
/* The same text as a reader of the page sees it. */
#define SHOWN "</script><evil x='\"&`>\\\n?\357\277\275{{data}}"

struct fixture {
	char *directory, *out, *source;
	struct store *store;
	struct record_exploration *exploration;
	GPtrArray *findings;
	struct store_reader *reader;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	struct record_exploration *e = record_exploration_new();

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->out = g_build_filename(fixture->directory, "out", NULL);
	fixture->source = g_build_filename(fixture->directory, "<evil>.c", NULL);
	fixture->store = store_create(fixture->directory, NULL);
	fixture->exploration = e;
	fixture->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	g_strfreev(e->program);
	e->program = g_strsplit("./solver", "|", -1);
	e->ranks = 2;
	e->bufferings = RECORD_ZERO | RECORD_INFINITE;
	e->complete = true;
	*state = fixture;
	return fixture->store ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *file = g_build_filename(fixture->directory, "matchpoint.db", NULL);

	store_reader_close(fixture->reader);
	store_close(fixture->store);
	g_unlink(file);
	g_unlink(fixture->out);
	g_unlink(fixture->source);
	g_rmdir(fixture->directory);
	record_exploration_free(fixture->exploration);
	g_ptr_array_unref(fixture->findings);
	g_free(fixture->directory);
	g_free(fixture->out);
	g_free(fixture->source);
	g_free(fixture);
	return 0;
}

static void close_store(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;

	assert_true(store_put_exploration(fixture->store, fixture->exploration, NULL));
	store_close(g_steal_pointer(&fixture->store));
	fixture->reader = store_reader_open(fixture->directory, &error);
	if (!fixture->reader)
		fail_msg("%s", error->message);
}

static char *page(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	char *text;

	close_store(fixture);
	if (!report_write(&report_html, fixture->reader, NULL, fixture->out, &error))
		fail_msg("%s", error->message);
	assert_true(g_file_get_contents(fixture->out, &text, NULL, NULL));
	return text;
}

/* The data in the page. Checks that it is in the right place. */
static JsonNode *data_of(const char *text)
{
	static const char mark[] = "<script type=\"application/json\" id=\"data\">";
	const char *begin = strstr(text, mark), *end = begin ? strstr(begin, "</script>") : NULL;
	g_autofree char *json = NULL;
	JsonNode *root;

	assert_non_null(end);
	json = g_strndup(begin + strlen(mark), (gsize)(end - begin) - strlen(mark));
	root = json_from_string(json, NULL);
	assert_non_null(root);
	return root;
}

static guint count(const char *text, const char *needle)
{
	guint found = 0;

	for (; (text = strstr(text, needle)); text += strlen(needle))
		found++;
	return found;
}

static struct record_execution *execution(uint32_t id, enum finding_kind status)
{
	struct record_execution *e = record_execution_new();

	e->id = id;
	e->buffering = RECORD_ZERO;
	e->status = status;
	e->path = g_strdup("mp1:n2:zero:1.2=0");
	return e;
}

static void add_call(struct record_execution *e, int rank, uint32_t number, uint8_t kind,
                     const char *function)
{
	struct record_call call = {.rank = rank,
	                           .call = number,
	                           .kind = kind,
	                           .operations = 1,
	                           .function = g_intern_string(function),
	                           .peer = -1,
	                           .peer_given = -1,
	                           .tag = -1};

	g_array_append_val(e->calls, call);
}

static struct record_call *last_call(struct record_execution *e)
{
	return &g_array_index(e->calls, struct record_call, e->calls->len - 1);
}

static struct record_rank *hostile_rank(int number)
{
	struct record_rank *rank = record_rank_new(number);

	rank->call = 1;
	rank->function = g_intern_string(HOSTILE);
	rank->arguments = g_strdup(HOSTILE);
	rank->place.function = g_intern_string(HOSTILE);
	return rank;
}

static struct record_finding *hostile_finding(const struct fixture *fixture)
{
	struct record_finding *f = record_finding_new(FINDING_DEADLOCK);
	struct record_choice *blame = record_choice_new();
	struct record_message other = {.source = 0, .call = 1};

	f->id = 1;
	f->count = 1;
	f->bufferings = RECORD_ZERO;
	f->path = g_strdup(HOSTILE);
	f->message = g_strdup(HOSTILE);
	blame->rank = 1;
	blame->call = 1;
	blame->function = g_intern_string(HOSTILE);
	blame->place = (struct place){.directory = g_intern_string(fixture->directory),
	                              .file = g_intern_string("<evil>.c"),
	                              .line = 1};
	blame->taken.place.function = g_intern_string(HOSTILE);
	other.place = blame->taken.place;
	g_array_append_val(blame->alternatives, other);
	f->blame = blame;
	g_ptr_array_add(f->ranks, hostile_rank(0));
	g_ptr_array_add(f->ranks, hostile_rank(1));
	((struct record_rank *)f->ranks->pdata[1])->ended = g_strdup(HOSTILE);
	return f;
}

static void add_hostile_execution(struct fixture *fixture)
{
	g_autoptr(RecordExecution) e = execution(1, FINDING_DEADLOCK);
	uint32_t finding = 1;
	int32_t status = 0;

	g_free(e->path);
	e->path = g_strdup(HOSTILE);
	g_array_append_val(e->findings, finding);
	for (int rank = 0; rank < 2; rank++) {
		add_call(e, rank, 1, RECORD_CALL_SEND, HOSTILE);
		last_call(e)->place =
			((struct record_finding *)fixture->findings->pdata[0])->blame->place;
		last_call(e)->communicator = 7;
		last_call(e)->communicator_name = g_intern_string(HOSTILE);
		g_array_append_val(e->exits, status);
		g_ptr_array_add(e->outputs, g_bytes_new(NULL, 0));
		g_ptr_array_add(e->errors, g_bytes_new(HOSTILE, strlen(HOSTILE)));
	}
	g_ptr_array_add(
		e->choices,
		record_choice_copy(((struct record_finding *)fixture->findings->pdata[0])->blame));
	assert_true(store_add(fixture->store, e, fixture->findings, NULL));
}

/* A hostile text in every place where a text of the program can occur. */
static void nothing_that_the_program_says_becomes_markup(void **state)
{
	struct fixture *fixture = *state;
	struct record_exploration *e = fixture->exploration;
	g_autofree char *text = NULL;
	g_autoptr(JsonNode) root = NULL;
	JsonObject *data;

	assert_true(g_file_set_contents(fixture->source, HOSTILE, -1, NULL));
	g_free(e->program[0]);
	e->program[0] = g_strdup(HOSTILE);
	e->directory = g_strdup(HOSTILE);
	e->version = g_strdup(HOSTILE);
	e->mpi = g_strdup(HOSTILE);
	e->complete = false;
	e->incomplete_reason = g_strdup(HOSTILE);
	e->backtrack_reason = g_strdup(HOSTILE);
	g_ptr_array_add(e->notes, g_strdup(HOSTILE));
	g_ptr_array_add(fixture->findings, hostile_finding(fixture));
	add_hostile_execution(fixture);
	text = page(fixture);
	assert_true(g_utf8_validate(text, -1, NULL));
	assert_int_equal(count(text, "<evil"), 0);
	assert_int_equal(count(text, "<script"), 2);
	assert_int_equal(count(text, "</script>"), 2);
	assert_null(strchr(text, '\001'));
	assert_non_null(strstr(text, "\"faults\":[[0,1,\"waits\"],[1,1,\""));
	root = data_of(text);
	data = json_node_get_object(root);
	assert_string_equal(
		json_array_get_string_element(json_object_get_array_member(data, "strings"), 0),
		SHOWN);
	assert_string_equal(json_array_get_string_element(
				    json_object_get_array_member(data, "communicators"), 0),
	                    SHOWN);
	assert_true(count(text, "&#60;/script&#62;&#60;evil x=&#39;&#34;&#38;&#96;&#62;") > 15);
}

static JsonArray *member(JsonObject *object, const char *name)
{
	return json_object_get_array_member(object, name);
}

static gint64 number(JsonArray *array, guint index)
{
	return json_array_get_int_element(array, index);
}

/* A graph: the script gets exactly what is in the store. */
static void a_graph_has_calls_matches_and_choices(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(RecordExecution) e = execution(1, FINDING_NONE);
	struct record_match match = {.rank = 1, .call = 2, .source = 0, .send_call = 1, .tag = 3};
	g_autofree char *text = NULL;
	g_autoptr(JsonNode) root = NULL;
	JsonObject *data, *graph;
	JsonArray *rank, *shapes;

	add_call(e, 0, 1, RECORD_CALL_SEND, "MPI_Send");
	last_call(e)->bytes = UINT64_C(5000000000);
	add_call(e, 0, 2, RECORD_CALL_COLLECTIVE, "MPI_Finalize");
	last_call(e)->collective = 4000000000; /* as many as there are, however they are called */
	last_call(e)->completed = 2;
	add_call(e, 1, 1, RECORD_CALL_RECEIVE, "MPI_Irecv");
	last_call(e)->completed = 2;
	add_call(e, 1, 2, RECORD_CALL_OTHER, "MPI_Wait");
	add_call(e, 1, 3, RECORD_CALL_OTHER, "MPI_Wait");
	g_array_append_val(e->matches, match);
	assert_true(store_add(fixture->store, e, NULL, NULL));
	text = page(fixture);
	assert_non_null(strstr(text, "nothing wrong"));
	assert_int_equal(count(text, "<div class=\"graph\" data-graph=\"0\"></div>"), 1);
	root = data_of(text);
	data = json_node_get_object(root);
	graph = json_array_get_object_element(member(data, "graphs"), 0);
	assert_int_equal(json_object_get_int_member(graph, "ranks"), 2);
	rank = json_array_get_array_element(member(graph, "calls"), 1);
	shapes = json_array_get_array_element(rank, 0);
	assert_int_equal(json_array_get_length(shapes), 3);
	assert_int_equal(number(shapes, 1), number(shapes, 2));
	assert_int_equal(json_array_get_length(member(graph, "faults")), 0);
	assert_int_equal(number(json_array_get_array_element(
					json_array_get_array_element(member(graph, "calls"), 0), 2),
	                        1),
	                 1);
	assert_int_equal(number(json_array_get_array_element(rank, 1), 0), 2);
	assert_int_equal(number(json_array_get_array_element(rank, 1), 1), 0);
	shapes = member(data, "shapes");
	assert_int_equal(json_array_get_length(shapes), 4);
	assert_true(number(json_array_get_array_element(shapes, 0), 7) == 5000000000);
	assert_int_equal(number(member(graph, "matches"), 3), 1);
}

/* What the page gets of the indices that calls returned, as text; NULL: nothing. */
static char *indices_of(struct fixture *fixture)
{
	g_autofree char *text = page(fixture);
	g_autoptr(JsonNode) root = data_of(text);
	JsonObject *graph = json_array_get_object_element(
		member(json_node_get_object(root), "graphs"), 0);

	return json_object_has_member(graph, "indices")
	               ? json_to_string(json_object_get_member(graph, "indices"), false)
	               : NULL;
}

static void a_graph_has_the_indices_that_calls_returned(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(RecordExecution) e = execution(1, FINDING_NONE);
	static const char *const indices[] = {"", "0,3", RECORD_UNDEFINED, NULL, "12"};
	g_autofree char *text = NULL;

	for (uint32_t i = 0; i < G_N_ELEMENTS(indices); i++) {
		add_call(e, 0, i + 1, RECORD_CALL_OTHER, "MPI_Testsome");
		last_call(e)->indices = indices[i];
	}
	add_call(e, 1, 1, RECORD_CALL_OTHER, "MPI_Test");
	assert_true(store_add(fixture->store, e, NULL, NULL));
	text = indices_of(fixture);
	assert_string_equal(text, "[0,2,0,0,2,3,0,3,-1,0,4,-2,0,5,12]");
}

static void a_graph_says_nothing_of_unknown_indices(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(RecordExecution) e = execution(1, FINDING_NONE);

	add_call(e, 0, 1, RECORD_CALL_OTHER, "MPI_Testsome");
	assert_true(store_add(fixture->store, e, NULL, NULL));
	assert_null(indices_of(fixture));
}

/* A stack for a call of rank 0: a function, called from one whose name is unknown. */
static void put_stack(struct store *store, GPtrArray *stacks, uint32_t call, const char *function)
{
	g_autoptr(GArray) calls = g_array_new(false, false, sizeof(struct record_stack));
	GArray *frames = g_array_new(false, false, sizeof(struct record_frame));
	struct record_frame frame = {function, {.file = "a.c", .line = 7}, false};
	struct record_stack told = {0, call, stacks->len + 1};

	g_array_append_val(frames, frame);
	frame = (struct record_frame){NULL, {.function = "solver", .offset = 16}, false};
	g_array_append_val(frames, frame);
	g_array_append_val(calls, told);
	g_ptr_array_add(stacks, frames);
	assert_true(store_put_stacks(store, 1, calls, stacks, NULL));
}

static void calls_with_stacks_have_their_frames(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(RecordExecution) e = execution(1, FINDING_NONE);
	g_autoptr(GPtrArray) stacks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	g_autofree char *text = NULL;
	g_autoptr(JsonNode) root = NULL;
	JsonObject *data;
	JsonArray *shapes, *frames, *frame, *place;

	for (uint32_t number = 1; number <= 3; number++) {
		add_call(e, 0, number, RECORD_CALL_OTHER, "MPI_Wait");
		last_call(e)->place = (struct place){.file = "a.c", .line = 7};
	}
	assert_true(store_add(fixture->store, e, NULL, NULL));
	put_stack(fixture->store, stacks, 1, HOSTILE);
	put_stack(fixture->store, stacks, 2, "f");
	text = page(fixture);
	assert_null(strstr(text, HOSTILE));
	root = data_of(text);
	data = json_node_get_object(root);
	shapes = member(data, "shapes");
	assert_int_equal(json_array_get_length(shapes), 3); /* alike except for the stacks */
	assert_int_equal(number(json_array_get_array_element(shapes, 0), 9), 1);
	assert_int_equal(number(json_array_get_array_element(shapes, 1), 9), 2);
	assert_int_equal(number(json_array_get_array_element(shapes, 2), 9), -1);
	frames = member(data, "frames");
	assert_int_equal(json_array_get_length(frames), 3); /* the outer frame is shared */
	frame = json_array_get_array_element(frames, 1);
	assert_string_equal(
		json_array_get_string_element(member(data, "strings"), (guint)number(frame, 0)),
		SHOWN);
	assert_int_equal(number(frame, 2), 0);
	assert_int_equal(number(json_array_get_array_element(frames, 2), 2), 0);
	frame = json_array_get_array_element(frames, 0);
	assert_int_equal(number(frame, 0), -1);
	assert_int_equal(number(frame, 2), -1);
	place = json_array_get_array_element(member(data, "places"), (guint)number(frame, 1));
	assert_string_equal(json_array_get_string_element(place, 0), "solver+0x10");
}

static void a_page_that_would_be_too_big_leaves_graphs_out(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(RecordExecution) e = execution(1, FINDING_NONE);
	g_autoptr(RecordExecution) small = execution(2, FINDING_NONE);
	struct html_data *data;

	close_store(fixture);
	data = html_data_new(fixture->reader);
	assert_int_equal(html_data_add(data, e, NULL), -1);
	for (uint32_t call = 1; call <= HTML_DATA_CALLS_MAX; call++)
		add_call(e, 0, call, RECORD_CALL_OTHER, "MPI_Wait");
	assert_int_equal(html_data_add(data, e, NULL), 0);
	assert_int_equal(html_data_add(data, e, NULL), 0);
	add_call(small, 0, 1, RECORD_CALL_OTHER, "MPI_Wait");
	assert_int_equal(html_data_add(data, small, NULL), -2);
	html_data_free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(nothing_that_the_program_says_becomes_markup),
		TEST(a_graph_has_calls_matches_and_choices),
		TEST(a_graph_has_the_indices_that_calls_returned),
		TEST(a_graph_says_nothing_of_unknown_indices),
		TEST(calls_with_stacks_have_their_frames),
		TEST(a_page_that_would_be_too_big_leaves_graphs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
