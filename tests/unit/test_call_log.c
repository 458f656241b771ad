/* The calls of ranks, compared with those of a second run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "scheduler/session/call_log.h"

enum { RANKS = 2, MANY = 1000 }; /* calls: more than the world keeps in one piece */

struct fixture {
	struct communicators *comms;
	struct world *worlds[2];
};

static void bind(void *user, int rank, const struct wire_bind *bind)
{
	(void)user;
	(void)rank;
	(void)bind;
}

static void go(void *user, int rank, const struct wire_go *go)
{
	(void)user;
	(void)rank;
	(void)go;
}

static int set_up(void **state)
{
	const struct world_options options = {.ranks = RANKS, .not_yet = 1};
	const struct world_orders orders = {.bind = bind, .go = go, .admit = NULL};
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->comms = communicators_new(RANKS);
	for (guint i = 0; i < G_N_ELEMENTS(fixture->worlds); i++) {
		fixture->worlds[i] = world_new(&options, fixture->comms, &orders, fixture);
		world_start(fixture->worlds[i]);
	}
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	for (guint i = 0; i < G_N_ELEMENTS(fixture->worlds); i++)
		world_free(fixture->worlds[i]);
	communicators_free(fixture->comms);
	g_free(fixture);
	return 0;
}

/* Makes sends that do not wait, to each rank in turn. All have tag 0 except the call `other`. */
static void call(struct world *world, guint32 count, guint32 other)
{
	for (guint32 number = 1; number <= count; number++) {
		struct wire_op op = {.name = {number, 0},
		                     .kind = WIRE_SEND,
		                     .nonblocking = true,
		                     .comm = WIRE_COMM_WORLD,
		                     .peer = (int)number % RANKS,
		                     .tag = number == other ? 7 : 0};
		const struct wire_call call = {.call = number,
		                               .function = MPI_CALL_Isend,
		                               .site = 1000,
		                               .op_count = 1,
		                               .ops = &op};

		assert_true(world_call(world, 1, &call, NULL));
	}
}

static char *compare(const struct fixture *fixture)
{
	g_autoptr(GPtrArray) log = call_log_take(fixture->worlds[0]);

	return call_log_difference(log, fixture->worlds[1]);
}

static void the_same_calls_do_not_differ(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *difference = NULL;

	call(fixture->worlds[0], MANY, 0);
	call(fixture->worlds[1], MANY, 0);
	difference = compare(fixture);
	assert_null(difference);
}

static void the_first_that_differs_is_reported(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *difference = NULL;

	call(fixture->worlds[0], MANY, 900);
	call(fixture->worlds[1], MANY, 950);
	difference = compare(fixture);
	assert_string_equal(difference, "rank 1's call 900 was MPI_Isend(dest=0, tag=7), and is "
	                                "MPI_Isend(dest=0, tag=0) when the same path is followed "
	                                "again");
}

static void one_that_is_missing_differs(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *difference = NULL;

	call(fixture->worlds[0], 40, 0);
	call(fixture->worlds[1], 39, 0);
	difference = compare(fixture);
	assert_string_equal(difference, "rank 1's call 40 was MPI_Isend(dest=0, tag=0), and is not "
	                                "made when the same path is followed again");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_calls_do_not_differ, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_that_differs_is_reported, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_missing_differs, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
