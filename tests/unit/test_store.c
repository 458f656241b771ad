#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/store.h"

struct fixture {
	char *directory, *file;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->file = g_build_filename(fixture->directory, STORE_FILE, NULL);
	*state = fixture;
	return fixture->directory ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	GDir *directory = g_dir_open(fixture->directory, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *file = g_build_filename(fixture->directory, name, NULL);

		g_unlink(file);
	}
	g_dir_close(directory);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture->file);
	g_free(fixture);
	return 0;
}

static struct record_exploration *exploration(void)
{
	struct record_exploration *e = record_exploration_new();

	g_strfreev(e->program);
	e->program = g_strsplit("./solver|two words|", "|", -1);
	e->ranks = 3;
	e->bufferings = RECORD_ZERO | RECORD_INFINITE;
	e->version = g_strdup("0.1");
	g_ptr_array_add(e->notes, g_strdup("a note"));
	limits_add(e->limits, LIMIT_WINDOW_MEMORY, NULL);
	limits_add(e->limits, LIMIT_STOPPED, g_strdup("stopped by --max-time 10"));
	return e;
}

static struct record_choice *choice(void)
{
	struct record_choice *c = record_choice_new();
	struct taken first = taken_message((struct op_id){1, 2, 0}), second = taken_one(70);
	struct record_message other = record_message_of(&second);

	c->rank = 0;
	c->call = 3;
	c->function = "MPI_Recv";
	c->place = (struct place){.file = "solver.c", .line = 118};
	c->point = (struct point){
		.kind = POINT_LOCK, .rank = 1, .call = 3, .window = 2, .reader = -1};
	c->taken = record_message_of(&first);
	c->taken.tag = 7;
	c->taken.place = (struct place){.function = "work", .offset = 47};
	g_array_append_val(c->alternatives, other);
	return c;
}

static void add_calls(struct record_execution *e)
{
	struct record_call send = {.rank = 1,
	                           .call = 1,
	                           .kind = RECORD_CALL_SEND,
	                           .operations = 1,
	                           .function = "MPI_Send",
	                           .place = {.function = "work", .offset = 47},
	                           .communicator = UINT64_C(0xfedcba9876543210),
	                           .communicator_name = "MPI_Comm_split of MPI_COMM_WORLD",
	                           .communicator_group = "2,0,1",
	                           .peer = 0,
	                           .peer_given = 1,
	                           .tag = 7,
	                           .bytes = UINT64_C(5000000000),
	                           .completed = 2,
	                           .waits = RECORD_WAIT_MATCH};
	struct record_call barrier = {.rank = 1,
	                              .call = 2,
	                              .kind = RECORD_CALL_COLLECTIVE,
	                              .function = "MPI_Barrier",
	                              .peer = -1,
	                              .peer_given = -1,
	                              .tag = -1,
	                              .collective = 2};

	g_array_append_val(e->calls, send);
	g_array_append_val(e->calls, barrier);
}

static struct record_execution *execution(uint32_t id)
{
	struct record_execution *e = record_execution_new();
	struct record_match match = {.rank = 0, .call = 3, .source = 1, .send_call = 2, .tag = 7};
	uint32_t finding = 1;
	int32_t status = 134;

	e->id = id;
	e->buffering = RECORD_ZERO;
	e->status = FINDING_DEADLOCK;
	e->path = g_strdup("mp1:n3:zero:0.3=1");
	g_array_append_val(e->findings, finding);
	g_ptr_array_add(e->choices, choice());
	g_array_append_val(e->matches, match);
	add_calls(e);
	g_array_append_val(e->exits, status);
	g_ptr_array_add(e->outputs, g_bytes_new("a\0b\xff", 4));
	g_ptr_array_add(e->errors, g_bytes_new(NULL, 0));
	return e;
}

static struct record_finding *finding(void)
{
	struct record_finding *f = record_finding_new(FINDING_DEADLOCK);
	struct record_rank *rank = record_rank_new(0);
	int32_t awaited[] = {1, 2};
	struct record_given given[] = {{0, 4, 5000000000, "MPI_INT", NULL},
	                               {1, 7, 0, NULL, "MPI_SUM"}};

	f->id = 1;
	f->count = 1;
	f->bufferings = RECORD_ZERO;
	f->path = g_strdup("mp1:n3:zero:0.3=1");
	f->replayed = true;
	f->reproduced = true;
	f->blame = choice();
	rank->call = 4;
	rank->function = "MPI_Recv";
	rank->arguments = g_strdup("source=1, tag=7");
	rank->bystander = true;
	g_array_append_vals(rank->waits_for, awaited, 2);
	g_ptr_array_add(f->ranks, rank);
	rank = record_rank_new(0); /* a rank may occur twice in a finding */
	rank->does = g_strdup("sends 4 MPI_INT");
	rank->end = RECORD_END_ABORT;
	rank->code = -5;
	g_ptr_array_add(f->ranks, rank);
	g_array_append_vals(f->given, given, 2);
	return f;
}

static void fill(struct store *store, uint32_t first, uint32_t count)
{
	g_autoptr(GPtrArray)
		findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);

	g_ptr_array_add(findings, finding());
	for (uint32_t id = first; id < first + count; id++) {
		g_autoptr(RecordExecution) e = execution(id);

		assert_true(store_add(store, e, findings, NULL));
	}
}

static struct store *create(const struct fixture *fixture)
{
	g_autoptr(RecordExploration) e = exploration();
	g_autoptr(GError) error = NULL;
	struct store *store = store_create(fixture->directory, &error);

	if (!store)
		fail_msg("%s", error->message);
	assert_true(store_put_exploration(store, e, NULL));
	return store;
}

static struct store_reader *open_store(const struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	struct store_reader *reader = store_reader_open(fixture->directory, &error);

	if (!reader)
		fail_msg("%s", error->message);
	return reader;
}

static void check_calls(const struct record_execution *e)
{
	const struct record_call *call = &g_array_index(e->calls, struct record_call, 0);

	assert_int_equal(e->calls->len, 2);
	assert_int_equal(call->rank, 1);
	assert_int_equal(call->call, 1);
	assert_int_equal(call->kind, RECORD_CALL_SEND);
	assert_int_equal(call->operations, 1);
	assert_string_equal(call->function, "MPI_Send");
	assert_string_equal(call->place.function, "work");
	assert_true(call->communicator == UINT64_C(0xfedcba9876543210));
	assert_string_equal(call->communicator_name, "MPI_Comm_split of MPI_COMM_WORLD");
	assert_int_equal(call->peer, 0);
	assert_int_equal(call->peer_given, 1);
	assert_int_equal(call->tag, 7);
	assert_true(call->bytes == UINT64_C(5000000000));
	assert_int_equal(call->completed, 2);
	assert_string_equal(call->communicator_group, "2,0,1");
	assert_int_equal(call->waits, RECORD_WAIT_MATCH);
	call++;
	assert_int_equal(call->collective, 2);
	assert_true(call->communicator == 0);
	assert_null(call->communicator_name);
	assert_null(call->communicator_group);
	assert_int_equal(call->waits, RECORD_WAIT_NOBODY);
	assert_int_equal(call->peer, -1);
}

static bool check_execution(const struct record_execution *e, void *data, GError **error)
{
	const struct record_choice *c = g_ptr_array_index(e->choices, 0);
	const struct record_message *other = &g_array_index(c->alternatives, struct record_message,
	                                                    0);
	struct choice made, expected;
	uint32_t *seen = data;

	(void)error;
	assert_int_equal(e->id, ++*seen);
	assert_string_equal(e->path, "mp1:n3:zero:0.3=1");
	assert_int_equal(e->status, FINDING_DEADLOCK);
	assert_int_equal(e->buffering, RECORD_ZERO);
	assert_int_equal(e->choices->len, 1);
	assert_string_equal(c->place.file, "solver.c");
	assert_int_equal(c->place.line, 118);
	assert_int_equal(c->taken.source, 1);
	assert_string_equal(c->taken.place.function, "work");
	assert_int_equal(c->taken.place.offset, 47);
	assert_int_equal(c->alternatives->len, 1);
	assert_string_equal(other->answer, "#70");
	made = record_choice_made(c);
	expected.point = (struct point){
		.kind = POINT_LOCK, .rank = 1, .call = 3, .window = 2, .reader = -1};
	expected.taken = taken_message((struct op_id){1, 0, 0});
	assert_true(choice_equal(&made, &expected));
	assert_int_equal(made.taken.send.call, 2);
	assert_int_equal(e->matches->len, 1);
	assert_int_equal(g_array_index(e->matches, struct record_match, 0).send_call, 2);
	assert_int_equal(g_array_index(e->exits, int32_t, 0), 134);
	assert_memory_equal(g_bytes_get_data(g_ptr_array_index(e->outputs, 0), NULL), "a\0b\xff",
	                    4);
	assert_int_equal(g_array_index(e->findings, uint32_t, 0), 1);
	check_calls(e);
	return true;
}

static void records_are_read_back(void **state)
{
	struct store *store = create(*state);
	g_autoptr(StoreReader) reader = NULL;
	const struct record_exploration *e;
	const struct record_finding *f;
	const struct record_rank *rank;
	const struct record_given *given;
	uint32_t seen = 0;

	fill(store, 1, 3);
	store_close(store);
	reader = open_store(*state);
	e = store_reader_exploration(reader);
	assert_int_equal(g_strv_length(e->program), 3);
	assert_string_equal(e->program[1], "two words");
	assert_string_equal(e->program[2], "");
	assert_string_equal(g_ptr_array_index(e->notes, 0), "a note");
	assert_int_equal(e->limits->len, 2);
	assert_int_equal(((struct record_limit *)e->limits->pdata[0])->limit, LIMIT_STOPPED);
	assert_string_equal(((struct record_limit *)e->limits->pdata[0])->text,
	                    "stopped by --max-time 10");
	assert_int_equal(((struct record_limit *)e->limits->pdata[1])->limit, LIMIT_WINDOW_MEMORY);
	assert_int_equal(e->interleavings, 3);
	assert_null(e->incomplete_reason);
	assert_int_equal(store_reader_findings(reader)->len, 1);
	f = store_reader_finding(reader, 1);
	assert_int_equal(f->ranks->len, 2);
	assert_non_null(f->blame);
	assert_int_equal(f->blame->alternatives->len, 1);
	rank = g_ptr_array_index(f->ranks, 0);
	assert_string_equal(rank->arguments, "source=1, tag=7");
	assert_true(rank->bystander);
	assert_int_equal(rank->waits_for->len, 2);
	assert_int_equal(g_array_index(rank->waits_for, int32_t, 1), 2);
	assert_null(rank->does);
	rank = g_ptr_array_index(f->ranks, 1);
	assert_int_equal(rank->rank, 0);
	assert_string_equal(rank->does, "sends 4 MPI_INT");
	assert_int_equal(rank->end, RECORD_END_ABORT);
	assert_int_equal(rank->code, -5);
	assert_int_equal(f->given->len, 2);
	given = &g_array_index(f->given, struct record_given, 1);
	assert_int_equal(given->rank, 1);
	assert_int_equal(given->call, 7);
	assert_null(given->type);
	assert_string_equal(given->reduction, "MPI_SUM");
	assert_int_equal((given - 1)->count, 5000000000);
	assert_int_equal(store_reader_count_kind(reader, FINDING_DEADLOCK), 3);
	assert_int_equal(store_reader_count_kind(reader, FINDING_CRASH), 0);
	assert_true(store_reader_each(reader, false, check_execution, &seen, NULL));
	assert_int_equal(seen, 3);
}

/* Finds source for line 5 of the given directory only. */
static bool find_excerpt(void *data, const struct place *place, struct record_excerpt *ret)
{
	if (place->line != 5 || g_strcmp0(place->directory, data) != 0)
		return false;
	*ret = (struct record_excerpt){2, g_strdup("2\n3\n4\n5 \377\n6\n7\n8\n")};
	return true;
}

/* Two directories have the same base name and line, one of them with known source. */
static void places_have_their_source(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(RecordExecution) e = execution(1);
	struct record_choice *c = g_ptr_array_index(e->choices, 0);
	const struct record_excerpt *excerpt;
	g_autoptr(StoreReader) reader = NULL;

	store_excerpts_from(store, find_excerpt, fixture->directory);
	c->place = (struct place){g_intern_string(fixture->directory), "solver.c", 5, NULL, 0};
	c->taken.place = (struct place){"/elsewhere", "solver.c", 5, NULL, 0};
	assert_true(store_add(store, e, NULL, NULL));
	store_close(store);
	reader = open_store(fixture);
	excerpt = store_reader_excerpt(reader, &c->place);
	assert_non_null(excerpt);
	assert_int_equal(excerpt->first, 2);
	assert_string_equal(excerpt->text, "2\n3\n4\n5 \357\277\275\n6\n7\n8\n");
	assert_null(store_reader_excerpt(reader, &c->taken.place));
	assert_null(store_reader_well(reader, RECORD_ZERO, NULL));
}

static void sql(const char *file, const char *text)
{
	sqlite3 *database;

	assert_int_equal(sqlite3_open(file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

static void missing_calls_are_damage(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(GError) error = NULL;
	uint32_t seen = 0;

	fill(store, 1, 1);
	store_close(store);
	sql(fixture->file, "DELETE FROM call WHERE call = 1");
	reader = open_store(fixture);
	assert_false(store_reader_each(reader, false, check_execution, &seen, &error));
	assert_true(g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED));
}

static void the_first_good_interleaving_is_found(void **state)
{
	struct store *store = create(*state);
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(RecordExecution) well = NULL;

	for (uint32_t id = 1; id <= 4; id++) {
		g_autoptr(RecordExecution) e = execution(id);

		e->status = id == 1 ? FINDING_DEADLOCK : FINDING_NONE;
		if (id == 2)
			g_array_set_size(e->calls, 0);
		assert_true(store_add(store, e, NULL, NULL));
	}
	store_close(store);
	reader = open_store(*state);
	well = store_reader_well(reader, RECORD_ZERO, NULL);
	assert_non_null(well);
	assert_int_equal(well->id, 3);
	assert_null(store_reader_well(reader, RECORD_INFINITE, NULL));
}

static void a_new_exploration_replaces_the_old(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;

	fill(store, 1, 5);
	store_close(store);
	store = create(fixture);
	fill(store, 1, 2);
	store_close(store);
	reader = open_store(fixture);
	assert_int_equal(store_reader_count(reader), 2);
}

static void one_writes_at_a_time(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(GError) writing = NULL, reading = NULL;

	assert_null(store_create(fixture->directory, &writing));
	assert_true(g_error_matches(writing, STORE_ERROR, STORE_ERROR_BUSY));
	assert_null(store_reader_open(fixture->directory, &reading));
	assert_true(g_error_matches(reading, STORE_READER_ERROR, STORE_READER_ERROR_BUSY));
	store_close(store);
}

static void refused(const struct fixture *fixture, enum store_error code)
{
	g_autofree char *before = NULL, *after = NULL;
	g_autoptr(GError) error = NULL;
	gsize size_before, size_after;

	assert_true(g_file_get_contents(fixture->file, &before, &size_before, NULL));
	assert_null(store_create(fixture->directory, &error));
	assert_true(g_error_matches(error, STORE_ERROR, code));
	assert_true(g_file_get_contents(fixture->file, &after, &size_after, NULL));
	assert_int_equal(size_before, size_after);
	assert_memory_equal(before, after, size_before);
	assert_null(store_reader_open(fixture->directory, NULL));
}

static void other_files_are_refused(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *noise = g_strnfill(5000, 'x');

	assert_true(g_file_set_contents(fixture->file, noise, -1, NULL));
	refused(fixture, STORE_ERROR_NOT_A_STORE);
	g_unlink(fixture->file);
	sql(fixture->file, "CREATE TABLE phones (name, number)");
	refused(fixture, STORE_ERROR_NOT_A_STORE);
}

static void a_later_version_is_refused(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GError) error = NULL;

	store_close(create(fixture));
	sql(fixture->file, "PRAGMA user_version = 99");
	refused(fixture, STORE_ERROR_VERSION);
	assert_null(store_reader_open(fixture->directory, &error));
	assert_true(g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_VERSION));
}

static void a_version_before_0_3_is_replaced_but_neither_read_nor_resumed(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GError) read = NULL, resumed = NULL;
	struct store *store;

	store_close(create(fixture));
	sql(fixture->file, "PRAGMA user_version = 19");
	assert_null(store_reader_open(fixture->directory, &read));
	assert_true(g_error_matches(read, STORE_READER_ERROR, STORE_READER_ERROR_VERSION));
	assert_null(store_continue(fixture->directory, &resumed));
	assert_true(g_error_matches(resumed, STORE_ERROR, STORE_ERROR_VERSION));
	assert_string_equal(read->message, resumed->message);
	store_close(create(fixture));
	store = store_continue(fixture->directory, NULL);
	assert_non_null(store);
	store_close(store);
}

static void a_directory_that_cannot_be_created_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GError) error = NULL;
	g_autofree char *below = g_build_filename(fixture->file, "below", NULL);

	assert_true(g_file_set_contents(fixture->file, "", -1, NULL));
	assert_null(store_create(below, &error));
	assert_true(g_error_matches(error, STORE_ERROR, STORE_ERROR_IO));
}

static void a_store_without_an_exploration_is_missing(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GError) none = NULL, empty = NULL;

	assert_null(store_reader_open(fixture->directory, &none));
	assert_true(g_error_matches(none, STORE_READER_ERROR, STORE_READER_ERROR_MISSING));
	store_close(store_create(fixture->directory, NULL));
	assert_null(store_reader_open(fixture->directory, &empty));
	assert_true(g_error_matches(empty, STORE_READER_ERROR, STORE_READER_ERROR_MISSING));
}

static void foreign_tables_are_refused(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GError) error = NULL;

	store_close(create(fixture));
	sql(fixture->file,
	    "DROP TABLE note; CREATE VIEW note AS SELECT 1 AS position, 'x' AS value");
	assert_null(store_reader_open(fixture->directory, &error));
	assert_true(g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED));
}

static void odd_values_are_clamped(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;
	const struct record_finding *f;

	fill(store, 1, 1);
	store_close(store);
	sql(fixture->file, "UPDATE roll_call SET rank = -5, place = 77, function = x'ff41';"
	                   "UPDATE finding SET count = 'many', path = NULL, kind = x'1b5b';"
	                   "UPDATE exploration SET ranks = 9e99");
	reader = open_store(fixture);
	f = store_reader_finding(reader, 1);
	assert_int_equal(((struct record_rank *)g_ptr_array_index(f->ranks, 0))->rank, 0);
	assert_string_equal(f->path, "");
	assert_int_equal(f->kind, FINDING_UNKNOWN);
	assert_int_equal(f->count, 0);
}

static void a_killed_writer_leaves_whole_interleavings(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(StoreReader) reader = NULL;
	uint32_t seen = 0;
	pid_t child = fork();

	if (child == 0) {
		struct store *store = create(fixture);

		fill(store, 1, 40);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	reader = open_store(fixture);
	assert_true(store_reader_each(reader, false, check_execution, &seen, NULL));
	assert_int_equal(seen, 40);
}

/* A limit on file sizes replaces a full disk: SQLite gets EFBIG, an I/O error, where a device
 * returns ENOSPC; an e2e test fills a real one. */
static void a_failed_write_leaves_the_store_readable(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(StoreReader) reader = NULL;
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct store *store = create(fixture);
		struct rlimit limit = {300000, 300000};
		uint32_t id = 1;
		bool good = true;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		for (; good && id < 10000; id++) {
			g_autoptr(RecordExecution) e = execution(id);
			g_autoptr(GError) error = NULL;

			good = store_add(store, e, NULL, &error);
			if (!good && error->domain != STORE_ERROR)
				_exit(2);
		}
		store_close(store);
		_exit(good || id < 3 ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	reader = open_store(fixture);
	assert_true(store_reader_count(reader) > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(records_are_read_back),
		TEST(places_have_their_source),
		TEST(missing_calls_are_damage),
		TEST(the_first_good_interleaving_is_found),
		TEST(a_new_exploration_replaces_the_old),
		TEST(one_writes_at_a_time),
		TEST(other_files_are_refused),
		TEST(a_later_version_is_refused),
		TEST(a_version_before_0_3_is_replaced_but_neither_read_nor_resumed),
		TEST(a_directory_that_cannot_be_created_is_an_error),
		TEST(a_store_without_an_exploration_is_missing),
		TEST(foreign_tables_are_refused),
		TEST(odd_values_are_clamped),
		TEST(a_killed_writer_leaves_whole_interleavings),
		TEST(a_failed_write_leaves_the_store_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
