/* Rounds of polls with a collective in each: when the world has returned, and how long answers "no"
 * do not count. */
#include "world_fixture.h"

static void meets(struct fixture *fixture, int rank, guint16 function)
{
	struct wire_name name = {fixture->calls[rank] + 1, 0};
	struct wire_op op = {.kind = WIRE_COLLECTIVE, .comm = WIRE_COMM_WORLD, .peer = -1};
	struct wire_call call = {.function = function,
	                         .wait = WIRE_WAIT_ALL,
	                         .op_count = 1,
	                         .ops = &op,
	                         .waited_count = 1,
	                         .waited = &name};

	report(fixture, rank, &call);
}

/* All ranks look for messages of rank 1, in this state. Returns whether the world has returned. */
static bool begin_round(struct fixture *fixture, guint64 digest)
{
	for (int rank = 0; rank < 3; rank++) {
		looks(fixture, rank, 1);
		assert_false(world_has_returned(fixture->world));
		assert_true(world_digest(fixture->world, rank, &(struct wire_digest){{digest, 1}},
		                         NULL));
	}
	assert_false(world_answer_ready(fixture->world));
	return world_has_returned(fixture->world);
}

/* Rank 0 could find a message, and does not; the others find none. */
static void end_round(struct fixture *fixture, guint16 function)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));

	assert_true(choose(fixture, 0, fixture->calls[0], taken_plain(TAKEN_NO)));
	for (int rank = 1; rank < 3; rank++)
		assert_true(choose(fixture, rank, fixture->calls[rank], taken_plain(TAKEN_NO)));
	for (int rank = 0; rank < 3; rank++)
		meets(fixture, rank, function);
}

static void begin_rounds(struct fixture *fixture)
{
	const struct world_options options = {
		.ranks = 3, .buffering = BUFFERING_INFINITE, .digests = true, .not_yet = 1};

	fixture_init_of(fixture, &options);
	starts(fixture, 1, WIRE_SEND, 0);
	assert_false(begin_round(fixture, 1));
}

/* Rounds in vain lead back, whatever the collective in which all ranks meet; not if something else
 * has happened. */
static void test_rounds(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_rounds(&fixture);
	end_round(&fixture, MPI_CALL_Allreduce);
	assert_true(begin_round(&fixture, 1));
	assert_false(world_answer_ready(fixture.world)); /* the same rest */
	assert_true(world_has_returned(fixture.world));
	end_round(&fixture, MPI_CALL_Barrier);
	starts(&fixture, 2, WIRE_SEND, 1);
	assert_false(begin_round(&fixture, 1));
	end_round(&fixture, MPI_CALL_Comm_dup);
	assert_false(begin_round(&fixture, 1));
	fixture_release(&fixture);
}

/* A rank that counts is asked for so many rounds only; then its answers count. */
static void test_rounds_counted(void **state)
{
	struct fixture fixture;
	guint64 rounds = 1;

	(void)state;
	begin_rounds(&fixture);
	while (rounds < 100) {
		GArray *all = world_open_choices(fixture.world);
		guint count = all->len;

		open_choices_free(all);
		if (count < 3)
			break;
		end_round(&fixture, MPI_CALL_Allreduce);
		assert_false(begin_round(&fixture, ++rounds));
	}
	assert_in_range(rounds, 3, 12);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_rounds_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
