/* Fingerprints of worlds in which some calls came without seals: the choices made before stand for
 * what these calls do. */
#include "common/state_hash.h"
#include "scheduler/world/world_fingerprint.h"
#include "world_fixture.h"

static void seal(struct fixture *fixture, int rank)
{
	world_seal(fixture->world, rank,
	           &(struct wire_seal){.call = fixture->calls[rank] + 1,
	                               .knows_contents = true,
	                               .arguments = {1, 2},
	                               .contents = {3, 4}});
}

/* Takes this alternative at the first open point. */
static void take(struct fixture *fixture, guint alternative)
{
	GArray *open = world_open_choices(fixture->world);
	const struct open_choice *first = &g_array_index(open, struct open_choice, 0);
	struct choice choice = {first->point,
	                        g_array_index(first->alternatives, struct taken, alternative)};

	assert_true(world_choose(fixture->world, &choice));
	open_choices_free(open);
}

/* Two receives that ranks 1 and 2 send to, in this order; then another call, a send. All are seen
 * to be complete. `seals`: of the last call. */
static struct state_hash after_receives(guint alternative, bool seals)
{
	struct fixture fixture;
	struct state_hash name;
	guint32 calls[2];

	fixture_init(&fixture, BUFFERING_INFINITE);
	for (int rank = 1; rank < 3; rank++) {
		seal(&fixture, rank);
		starts(&fixture, rank, WIRE_SEND, 0);
		asks(&fixture, rank, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &fixture.calls[rank]);
	}
	for (int i = 0; i < 2; i++) {
		seal(&fixture, 0);
		calls[i] = starts(&fixture, 0, WIRE_RECEIVE, WIRE_ANY);
		take(&fixture, i == 0 ? alternative : 0);
		seal(&fixture, 0);
		asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &calls[i]);
		assert_false(world_answer_ready(fixture.world));
	}
	if (seals)
		seal(&fixture, 0);
	else
		world_go_unsealed(fixture.world, 0, fixture.calls[0] + 1);
	starts(&fixture, 0, WIRE_SEND, 1);
	assert_null(world_fingerprint(fixture.world, &name));
	fixture_release(&fixture);
	return name;
}

static bool equal(struct state_hash one, struct state_hash other)
{
	return state_key_equal(&one, &other);
}

static void test_choices_stand_for_a_call_without_seal(void **state)
{
	(void)state;
	assert_true(equal(after_receives(0, true), after_receives(1, true)));
	assert_true(equal(after_receives(0, false), after_receives(0, false)));
	assert_false(equal(after_receives(0, false), after_receives(1, false)));
	assert_false(equal(after_receives(0, false), after_receives(0, true)));
}

/* `more`: calls before the receive that stays open. All come without seals. */
static struct state_hash after_calls(guint more)
{
	struct fixture fixture;
	struct state_hash name;

	fixture_init(&fixture, BUFFERING_INFINITE);
	for (guint i = 0; i < more; i++) {
		world_go_unsealed(fixture.world, 0, fixture.calls[0] + 1);
		asks(&fixture, 0, MPI_CALL_Waitall, WIRE_WAIT_ALL, 0, NULL);
	}
	world_go_unsealed(fixture.world, 0, fixture.calls[0] + 1);
	starts(&fixture, 0, WIRE_RECEIVE, 1);
	assert_null(world_fingerprint(fixture.world, &name));
	fixture_release(&fixture);
	return name;
}

/* Without choices, too, the operation of one call is not taken for that of another. */
static void test_calls_without_seals_differ(void **state)
{
	(void)state;
	assert_true(equal(after_calls(1), after_calls(1)));
	assert_false(equal(after_calls(1), after_calls(2)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices_stand_for_a_call_without_seal),
		cmocka_unit_test(test_calls_without_seals_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
