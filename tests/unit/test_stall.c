/* A rank that is seen from outside: this process, with a note that the tests write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "../../scheduler/stall.h"
#include "mpi_calls.h"

#define STEP_US (STALL_LOOK_MS * G_TIME_SPAN_MILLISECOND)

struct fixture {
	struct communicators *comms;
	struct world *world;
	struct stall *stall;
	struct wire_inside note;
	gint64 now;
};

static void fixture_init(struct fixture *fixture)
{
	const struct world_options options = {
		.ranks = 1, .buffering = BUFFERING_ZERO, .not_yet = 1};
	const struct world_orders orders = {0};
	struct wire_call makes_window = {.call = 1, .function = MPI_CALL_Win_create};

	*fixture = (struct fixture){.comms = communicators_new(1), .now = G_TIME_SPAN_DAY};
	fixture->world = world_new(&options, fixture->comms, &orders, fixture);
	world_start(fixture->world);
	assert_true(world_call(fixture->world, 0, &makes_window, NULL));
	assert_int_equal(world_phase(fixture->world, 0), PHASE_RUNNING);
	assert_true(world_has_windows(fixture->world));
	fixture->stall = stall_new(1);
	stall_set(fixture->stall, 0, getpid(), (guint64)(uintptr_t)&fixture->note);
}

static void fixture_release(struct fixture *fixture)
{
	stall_free(fixture->stall);
	world_free(fixture->world);
	communicators_free(fixture->comms);
}

static enum stall_step look(struct fixture *fixture)
{
	fixture->now += STEP_US;
	return stall_look(fixture->stall, fixture->world, fixture->now);
}

/* For so long the rank makes 1,000 calls between two looks; what the last one says. */
static enum stall_step goes_round(struct fixture *fixture, unsigned function, int seconds)
{
	gint64 end = fixture->now + seconds * G_TIME_SPAN_SECOND;
	enum stall_step step = STALL_NONE;

	while (fixture->now < end) {
		fixture->note.function = function;
		fixture->note.times += 1000;
		fixture->note.site = 4711;
		step = look(fixture);
	}
	return step;
}

static void test_stands_still_inside_a_call(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	fixture.note = (struct wire_inside){MPI_CALL_Win_flush, 1, 99};
	assert_int_equal(look(&fixture), STALL_NONE);
	for (int i = 0; i < G_TIME_SPAN_SECOND / STEP_US; i++)
		look(&fixture);
	assert_int_equal(look(&fixture), STALL_DECIDE);
	assert_false(stall_hopeless(fixture.stall));
	fixture.now += STALL_OVER_SECONDS * G_TIME_SPAN_SECOND;
	assert_int_equal(look(&fixture), STALL_OVER);
	assert_int_equal(stall_inside(fixture.stall, 0)->site, 99);
	assert_true(stall_hopeless(fixture.stall));
	/* Another call, from which it may come back. */
	fixture.note.times++;
	assert_int_equal(look(&fixture), STALL_DECIDE);
	stall_rest(fixture.stall);
	stall_heard(fixture.stall);
	assert_int_equal(look(&fixture), STALL_NONE);
	fixture_release(&fixture);
}

static void test_only_looks(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	goes_round(&fixture, MPI_CALL_Fetch_and_op, STALL_SPIN_SECONDS - 1);
	assert_int_equal(look(&fixture), STALL_DECIDE);
	assert_int_equal(goes_round(&fixture, MPI_CALL_Fetch_and_op, 2), STALL_SPIN);
	assert_int_equal(stall_spin(fixture.stall, 0)->site, 4711);
	assert_int_equal(stall_spin(fixture.stall, 0)->function, MPI_CALL_Fetch_and_op);
	fixture_release(&fixture);
}

/* What it was inside when it became quiet does not count for ever. */
static void test_only_looks_after_something_else(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	fixture.note = (struct wire_inside){MPI_CALL_Win_lock_all, 2, 99};
	look(&fixture);
	look(&fixture);
	goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS / 2);
	fixture.note.function = MPI_CALL_Put;
	look(&fixture);
	assert_int_equal(goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS - 1), STALL_DECIDE);
	assert_int_equal(goes_round(&fixture, MPI_CALL_Get, 2), STALL_SPIN);
	fixture_release(&fixture);
}

static void test_does_more_than_look(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	for (int i = 0; i < 3; i++) {
		goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS / 2);
		assert_int_equal(goes_round(&fixture, MPI_CALL_Accumulate, 1), STALL_DECIDE);
	}
	/* or computes most of the time */
	assert_int_equal(goes_round(&fixture, 0, 2 * STALL_SPIN_SECONDS), STALL_DECIDE);
	assert_int_not_equal(goes_round(&fixture, MPI_CALL_Get, STALL_SPIN_SECONDS), STALL_SPIN);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stands_still_inside_a_call),
		cmocka_unit_test(test_only_looks),
		cmocka_unit_test(test_only_looks_after_something_else),
		cmocka_unit_test(test_does_more_than_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
