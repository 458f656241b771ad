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

static void sends(struct fixture *fixture, int rank, int peer, int tag)
{
	struct wire_op op = {.kind = WIRE_SEND, .comm = WIRE_COMM_WORLD, .peer = peer, .tag = tag};
	struct wire_call call = {.function = MPI_CALL_Send, .op_count = 1, .ops = &op};

	report(fixture, rank, &call);
}

static void receives(struct fixture *fixture, int rank, int peer, int tag)
{
	struct wire_name name = {fixture->calls[rank] + 1, 0};
	struct wire_op op = {
		.kind = WIRE_RECEIVE, .comm = WIRE_COMM_WORLD, .peer = peer, .tag = tag};
	struct wire_call call = {.function = MPI_CALL_Recv,
	                         .wait = WIRE_WAIT_ALL,
	                         .op_count = 1,
	                         .ops = &op,
	                         .waited_count = 1,
	                         .waited = &name};

	report(fixture, rank, &call);
}

static void say_no(struct fixture *fixture, int rank)
{
	assert_true(choose(fixture, rank, fixture->calls[rank], taken_plain(TAKEN_NO)));
}

static void all_say_no(struct fixture *fixture)
{
	for (int rank = 0; rank < 3; rank++)
		say_no(fixture, rank);
}

/* Rank 0 collects messages and answers them: each rank then knows of all polls. */
static void test_rounds_by_messages(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_rounds(&fixture);
	all_say_no(&fixture);
	for (int rank = 1; rank < 3; rank++) {
		sends(&fixture, rank, 0, 5);
		receives(&fixture, rank, 0, 5);
		receives(&fixture, 0, rank, 5);
	}
	for (int rank = 1; rank < 3; rank++)
		sends(&fixture, 0, rank, 5);
	assert_true(begin_round(&fixture, 1));
	assert_false(world_goes_round_for_ever(fixture.world)); /* rank 0 may find a message */
	fixture_release(&fixture);
}

/* Each rank hears of the rank before it alone: it may be a round ahead of others. */
static void test_rounds_of_neighbors(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_rounds(&fixture);
	all_say_no(&fixture);
	for (int rank = 0; rank < 3; rank++) {
		sends(&fixture, rank, (rank + 1) % 3, 5);
		receives(&fixture, rank, (rank + 2) % 3, 5);
	}
	assert_false(begin_round(&fixture, 1));
	fixture_release(&fixture);
}

/* Rank 2 makes only the collective. It is asked for its state there. */
static void idle_round(struct fixture *fixture, guint64 digest, bool has_returned)
{
	for (int rank = 0; rank < 2; rank++) {
		looks(fixture, rank, 1);
		world_digest(fixture->world, rank, &(struct wire_digest){{1, 1}}, NULL);
	}
	meets(fixture, 2, MPI_CALL_Allreduce);
	assert_true(world_answer_ready(fixture->world));
	assert_true(world_looks_at(fixture->world, 2));
	assert_true(world_digest(fixture->world, 2, &(struct wire_digest){{digest, 1}}, NULL));
	assert_false(world_answer_ready(fixture->world));
	assert_int_equal(world_has_returned(fixture->world), has_returned);
	for (int rank = 0; rank < 2; rank++) {
		say_no(fixture, rank);
		meets(fixture, rank, MPI_CALL_Allreduce);
	}
}

static void test_rounds_of_others(void **state)
{
	const struct world_options options = {
		.ranks = 3, .buffering = BUFFERING_INFINITE, .digests = true, .not_yet = 1};
	struct fixture fixture;

	(void)state;
	fixture_init_of(&fixture, &options);
	idle_round(&fixture, 7, false);
	idle_round(&fixture, 8, false);
	idle_round(&fixture, 8, true);
	assert_false(world_goes_round_for_ever(fixture.world)); /* it has gone on since */
	fixture_release(&fixture);
}

/* Nothing is there to be found: a livelock. But not if a message of the round might be found. */
static void check_endless(bool finds)
{
	const struct world_options options = {
		.ranks = 3, .buffering = BUFFERING_INFINITE, .digests = true, .not_yet = 1};
	struct fixture fixture;

	fixture_init_of(&fixture, &options);
	assert_false(begin_round(&fixture, 1));
	all_say_no(&fixture);
	if (finds) {
		sends(&fixture, 1, 0, 0);
		receives(&fixture, 0, 1, 0);
	}
	for (int rank = 0; rank < 3; rank++)
		meets(&fixture, rank, MPI_CALL_Barrier);
	assert_true(begin_round(&fixture, 1));
	assert_int_equal(world_goes_round_for_ever(fixture.world), !finds);
	assert_int_equal(world_limits(fixture.world), finds ? LIMIT_BIT(LIMIT_POLLS) : 0);
	fixture_release(&fixture);
}

static void test_endless_rounds(void **state)
{
	(void)state;
	check_endless(false);
	check_endless(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_rounds_counted),
		cmocka_unit_test(test_rounds_by_messages),
		cmocka_unit_test(test_rounds_of_neighbors),
		cmocka_unit_test(test_rounds_of_others),
		cmocka_unit_test(test_endless_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
