/* room: store. Records with random content are read back from the store unchanged. */
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/store.h"

#define RANKS 4
#define SEEDS 40

static GRand *randomness;

static uint32_t below(uint32_t limit)
{
	return (uint32_t)g_rand_int_range(randomness, 0, (gint32)limit);
}

static bool maybe(void)
{
	return below(2) > 0;
}

/* Half of them are near 0, half anywhere. */
static uint32_t number(void)
{
	return maybe() ? below(5) : g_rand_int(randomness);
}

static uint64_t large(void)
{
	return (uint64_t)(g_rand_int(randomness) >> 1) << 32 | g_rand_int(randomness);
}

static int32_t integer(void)
{
	return (int32_t)number();
}

static char *text(void)
{
	static const char *const parts[] = {"a", " ", "'", "\"", "%", "\n", "ä", "€", ",", "?"};
	GString *string = g_string_new(NULL);

	for (uint32_t i = below(12); i > 0; i--)
		g_string_append(string, parts[below(G_N_ELEMENTS(parts))]);
	return g_string_free(string, false);
}

static char *text_or_null(void)
{
	return maybe() ? text() : NULL;
}

/* From a limited set: GLib's table of interned strings leaks when it grows. */
static const char *name(void)
{
	static const char *names[500];
	uint32_t which = below(G_N_ELEMENTS(names));

	if (!names[which]) {
		g_autofree char *string = text();

		names[which] = g_intern_string(string);
	}
	return names[which];
}

static const char *name_or_null(void)
{
	return maybe() ? name() : NULL;
}

static GBytes *bytes(void)
{
	uint8_t content[20];
	gsize size = below(sizeof(content));

	for (gsize i = 0; i < size; i++)
		content[i] = (uint8_t)below(256);
	return g_bytes_new(content, size);
}

static struct place place(void)
{
	struct place random = {.directory = name_or_null(), .function = name_or_null()};

	if (maybe()) {
		random.file = name();
		random.line = number();
	} else if (random.function) {
		random.offset = large();
	} else {
		random.directory = NULL; /* not known */
	}
	return random;
}

static struct record_rank *rank_of(void)
{
	struct record_rank *rank = record_rank_new((int32_t)below(RANKS));

	rank->call = number();
	rank->function = name_or_null();
	rank->arguments = text_or_null();
	rank->place = place();
	for (int32_t i = (int32_t)below(3); i > 0; i--)
		g_array_append_val(rank->waits_for, i);
	rank->bystander = maybe();
	rank->end = (enum record_end)below(RECORD_ENDS);
	rank->code = integer();
	rank->ended = text_or_null();
	rank->does = text_or_null();
	return rank;
}

static void add_calls(struct record_execution *execution)
{
	for (int32_t rank = 0; rank < RANKS; rank++) {
		uint32_t count = below(40);

		for (uint32_t i = 1; i <= count; i++) {
			struct record_call call = {
				.rank = rank,
				.call = i,
				.kind = (uint8_t)below(RECORD_CALL_KINDS),
				.operations = (uint8_t)below(256),
				.function = name(),
				.place = place(),
				.communicator = below(3),
				.peer = (int32_t)below(RANKS) - 1,
				.peer_given = integer(),
				.tag = integer(),
				.bytes = large(),
				.collective = number(),
				.completed = number(),
				.waits = (uint8_t)below(RECORD_WAITS),
				.asked = name_or_null(),
			};

			if (call.communicator > 0) {
				call.communicator_name = call.communicator == 1 ? "one" : NULL;
				call.communicator_group = "2,0,1";
			}
			g_array_append_val(execution->calls, call);
		}
	}
}

static struct record_execution *execution_of(uint32_t id)
{
	struct record_execution *execution = record_execution_new();

	execution->id = id;
	execution->buffering = 1u << (1 + below(3));
	execution->status = (enum finding_kind)below(FINDING_UNKNOWN);
	execution->path = text();
	for (uint32_t i = below(20); i > 0; i--) {
		struct record_match match = {
			(int32_t)below(RANKS),
			number(),
			number(),
			(int32_t)below(RANKS),
			number(),
			number(),
			integer(),
		};

		g_array_append_val(execution->matches, match);
	}
	add_calls(execution);
	for (int32_t rank = 0; rank < RANKS; rank++) {
		int32_t status = (int32_t)below(257) - 1;

		g_array_append_val(execution->exits, status);
		g_ptr_array_add(execution->outputs, bytes());
		g_ptr_array_add(execution->errors, bytes());
		g_ptr_array_add(execution->ranks, rank_of());
	}
	return execution;
}

static struct record_finding *finding_of(uint32_t id)
{
	struct record_finding *finding = record_finding_new(
		(enum finding_kind)(1 + below(FINDING_UNKNOWN - 1)));

	finding->id = id;
	finding->count = number();
	finding->bufferings = number();
	finding->path = text();
	finding->message = text_or_null();
	finding->replayed = maybe();
	finding->reproduced = maybe();
	for (uint32_t i = below(4); i > 0; i--)
		g_ptr_array_add(finding->ranks, rank_of());
	for (uint32_t i = below(3); i > 0; i--) {
		struct record_given given = {(int32_t)below(RANKS), number(), large(),
		                             name_or_null(), name_or_null()};

		g_array_append_val(finding->given, given);
	}
	for (uint32_t i = 1, count = below(4); i <= count; i++) {
		struct record_outcome *outcome = g_new0(struct record_outcome, 1);

		*outcome = (struct record_outcome){i,
		                                   number(),
		                                   number(),
		                                   text(),
		                                   text_or_null(),
		                                   text_or_null(),
		                                   text_or_null()};
		g_ptr_array_add(finding->outcomes, outcome);
	}
	return finding;
}

static struct record_exploration *exploration_of(void)
{
	struct record_exploration *e = record_exploration_new();

	e->command = name();
	g_free(e->program);
	e->program = g_new0(char *, 3);
	e->program[0] = text();
	e->program[1] = text();
	e->directory = text_or_null();
	e->machine = text_or_null();
	e->standard_input = text_or_null();
	e->ranks = RANKS;
	e->bufferings = number() & RECORD_BUFFERINGS;
	e->shards = below(5);
	e->shard = below(e->shards + 1);
	e->threads = maybe();
	e->random = maybe();
	e->seed = large();
	e->backtrack = name();
	e->backtrack_reason = text_or_null();
	e->collectives = name();
	e->version = text_or_null();
	e->mpi = text_or_null();
	for (uint32_t i = below(3); i > 0; i--)
		g_ptr_array_add(e->notes, text());
	for (uint32_t i = below(4); i > 0; i--)
		limits_add(e->limits, below(LIMITS), text());
	e->complete = maybe();
	e->incomplete_reason = text_or_null();
	e->runs = large();
	e->wasted = large();
	e->seconds = below(1000) / 8.0;
	return e;
}

/* --- comparing ------------------------------------------------------------------------------- */

#define SAME(one, other, member) assert_true((one)->member == (other)->member)
#define SAME_TEXT(one, other, member) assert_int_equal(g_strcmp0((one)->member, (other)->member), 0)

static void assert_same_ranks(const GPtrArray *one, const GPtrArray *other)
{
	assert_int_equal(one->len, other->len);
	for (guint i = 0; i < one->len; i++) {
		const struct record_rank *a = one->pdata[i], *b = other->pdata[i];

		SAME(a, b, rank);
		SAME(a, b, call);
		SAME(a, b, function);
		SAME_TEXT(a, b, arguments);
		assert_true(place_equal(&a->place, &b->place));
		assert_int_equal(a->waits_for->len, b->waits_for->len);
		if (a->waits_for->len > 0)
			assert_memory_equal(a->waits_for->data, b->waits_for->data,
			                    a->waits_for->len * sizeof(int32_t));
		SAME(a, b, bystander);
		SAME(a, b, end);
		SAME(a, b, code);
		SAME_TEXT(a, b, ended);
		SAME_TEXT(a, b, does);
	}
}

static void assert_same_calls(const GArray *one, const GArray *other)
{
	assert_int_equal(one->len, other->len);
	for (guint i = 0; i < one->len; i++) {
		const struct record_call *a = &g_array_index(one, struct record_call, i);
		const struct record_call *b = &g_array_index(other, struct record_call, i);

		SAME(a, b, rank);
		SAME(a, b, call);
		SAME(a, b, kind);
		SAME(a, b, operations);
		SAME(a, b, function);
		assert_true(place_equal(&a->place, &b->place));
		SAME(a, b, communicator);
		SAME_TEXT(a, b, communicator_name);
		SAME_TEXT(a, b, communicator_group);
		SAME(a, b, peer);
		SAME(a, b, peer_given);
		SAME(a, b, tag);
		SAME(a, b, bytes);
		SAME(a, b, collective);
		SAME(a, b, completed);
		SAME(a, b, waits);
		SAME(a, b, asked);
	}
}

static void assert_same_execution(const struct record_execution *one,
                                  const struct record_execution *other)
{
	SAME(one, other, id);
	SAME(one, other, buffering);
	SAME(one, other, status);
	SAME_TEXT(one, other, path);
	assert_same_calls(one->calls, other->calls);
	assert_int_equal(one->matches->len, other->matches->len);
	if (one->matches->len > 0)
		assert_memory_equal(one->matches->data, other->matches->data,
		                    one->matches->len * sizeof(struct record_match));
	assert_same_ranks(one->ranks, other->ranks);
	assert_int_equal(other->exits->len, RANKS);
	assert_memory_equal(one->exits->data, other->exits->data, RANKS * sizeof(int32_t));
	for (guint i = 0; i < RANKS; i++) {
		assert_true(g_bytes_equal(one->outputs->pdata[i], other->outputs->pdata[i]));
		assert_true(g_bytes_equal(one->errors->pdata[i], other->errors->pdata[i]));
	}
}

static void assert_same_finding(const struct record_finding *one,
                                const struct record_finding *other)
{
	SAME(one, other, kind);
	SAME(one, other, count);
	SAME(one, other, bufferings);
	SAME_TEXT(one, other, path);
	SAME_TEXT(one, other, message);
	SAME(one, other, replayed);
	SAME(one, other, reproduced);
	assert_same_ranks(one->ranks, other->ranks);
	assert_int_equal(one->given->len, other->given->len);
	for (guint i = 0; i < one->given->len; i++) {
		const struct record_given *a = &g_array_index(one->given, struct record_given, i);
		const struct record_given *b = &g_array_index(other->given, struct record_given, i);

		SAME(a, b, rank);
		SAME(a, b, call);
		SAME(a, b, count);
		SAME(a, b, type);
		SAME(a, b, reduction);
	}
	assert_int_equal(one->outcomes->len, other->outcomes->len);
	for (guint i = 0; i < one->outcomes->len; i++) {
		const struct record_outcome *a = one->outcomes->pdata[i];
		const struct record_outcome *b = other->outcomes->pdata[i];

		SAME(a, b, number);
		SAME(a, b, count);
		SAME(a, b, execution);
		SAME_TEXT(a, b, path);
		SAME_TEXT(a, b, place);
		SAME_TEXT(a, b, line);
		SAME_TEXT(a, b, instead);
	}
}

static void assert_same_exploration(const struct record_exploration *one,
                                    const struct record_exploration *other)
{
	SAME(one, other, command);
	assert_true(g_strv_equal((const char *const *)one->program,
	                         (const char *const *)other->program));
	SAME_TEXT(one, other, directory);
	SAME_TEXT(one, other, machine);
	SAME_TEXT(one, other, standard_input);
	SAME(one, other, ranks);
	SAME(one, other, bufferings);
	SAME(one, other, shard);
	SAME(one, other, shards);
	SAME(one, other, threads);
	SAME(one, other, random);
	SAME(one, other, seed);
	SAME(one, other, backtrack);
	SAME_TEXT(one, other, backtrack_reason);
	SAME(one, other, collectives);
	SAME_TEXT(one, other, version);
	SAME_TEXT(one, other, mpi);
	assert_int_equal(one->limits->len, other->limits->len);
	for (guint i = 0; i < one->limits->len; i++) {
		const struct record_limit *a = one->limits->pdata[i], *b = other->limits->pdata[i];

		assert_int_equal(a->limit, b->limit);
		assert_string_equal(a->text, b->text);
	}
	assert_int_equal(one->notes->len, other->notes->len);
	for (guint i = 0; i < one->notes->len; i++)
		assert_string_equal(one->notes->pdata[i], other->notes->pdata[i]);
	SAME(one, other, complete);
	SAME_TEXT(one, other, incomplete_reason);
	SAME(one, other, runs);
	SAME(one, other, wasted);
	SAME(one, other, seconds);
}

static void records_are_read_back(void **state)
{
	g_autofree char *directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(directory, STORE_FILE, NULL);

	(void)state;
	for (guint32 seed = 1; seed <= SEEDS; seed++) {
		struct store *store = store_create(directory, NULL);
		g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func(
			(GDestroyNotify)record_finding_free);
		g_autoptr(RecordExploration) exploration = NULL;
		g_autoptr(RecordExecution) first = NULL, second = NULL, back = NULL;
		g_autoptr(StoreReader) reader = NULL;

		randomness = g_rand_new_with_seed(seed);
		exploration = exploration_of();
		first = execution_of(1);
		second = execution_of(2);
		for (uint32_t id = 1; id <= 3; id++)
			g_ptr_array_add(findings, finding_of(id));
		g_rand_free(randomness);
		assert_true(store_put_exploration(store, exploration, NULL));
		assert_true(store_add(store, first, NULL, NULL));
		assert_true(store_add(store, second, findings, NULL));
		store_close(store);
		reader = store_reader_open(directory, NULL);
		assert_non_null(reader);
		assert_same_exploration(exploration, store_reader_exploration(reader));
		back = store_reader_execution(reader, 1, NULL);
		assert_same_execution(first, back);
		record_execution_free(back);
		back = store_reader_execution(reader, 2, NULL);
		assert_same_execution(second, back);
		for (uint32_t id = 1; id <= 3; id++)
			assert_same_finding(findings->pdata[id - 1],
			                    store_reader_finding(reader, id));
	}
	g_unlink(file);
	g_rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
