/* Impossible reports are refused, and change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "scheduler/world/world.h"

enum { WINDOW = 70, OTHERS = 71 }; /* communicators: of a window, of ranks 1 and 2 */

static void bind(void *user, int rank, const struct wire_bind *order)
{
	(void)user;
	(void)rank;
	(void)order;
}

static void go(void *user, int rank, const struct wire_go *order)
{
	(void)user;
	(void)rank;
	(void)order;
}

static void admit(void *user, int rank, guint32 thread)
{
	(void)user;
	(void)rank;
	(void)thread;
}

struct fixture {
	struct communicators *comms;
	struct world *world;
};

static bool announces(struct fixture *fixture, int rank, guint64 number, GArray *ranks,
                      guint32 window)
{
	g_autoptr(GError) error = NULL;
	struct wire_comm comm = {.comm = number, .window = window, .name = (char *)"a split"};
	bool taken;

	comm.local = (int32_t *)(void *)ranks->data;
	comm.local_count = ranks->len;
	for (guint i = 0; i < ranks->len; i++) {
		if (comm.local[i] == rank)
			comm.my_rank = (int32_t)i;
	}
	taken = world_comm(fixture->world, rank, &comm, &error);
	assert_int_equal(taken, error == NULL);
	g_array_unref(ranks);
	return taken;
}

static GArray *ranks_of(guint count, int first, int second, int third)
{
	GArray *ranks = g_array_new(false, false, sizeof(int32_t));
	int32_t all[] = {first, second, third};

	return g_array_append_vals(ranks, all, count);
}

static int setup(void **state)
{
	const struct world_options options = {
		.ranks = 3, .buffering = BUFFERING_ZERO, .cancels = true, .not_yet = 1};
	const struct world_orders orders = {bind, go, admit, NULL};
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->comms = communicators_new(3);
	fixture->world = world_new(&options, fixture->comms, &orders, NULL);
	world_start(fixture->world);
	assert_true(announces(fixture, 0, WINDOW, ranks_of(3, 0, 1, 2), 1));
	assert_true(announces(fixture, 1, OTHERS, ranks_of(2, 1, 2, 0), 0));
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	world_free(fixture->world);
	communicators_free(fixture->comms);
	g_free(fixture);
	return 0;
}

static struct wire_op op(guint8 kind, guint32 call, guint32 sub)
{
	return (struct wire_op){.name = {call, sub},
	                        .kind = kind,
	                        .nonblocking = kind == WIRE_SEND || kind == WIRE_RECEIVE,
	                        .comm = WIRE_COMM_WORLD,
	                        .peer = kind == WIRE_COLLECTIVE ? -1 : 1};
}

static bool accepts(struct fixture *fixture, int rank, const struct wire_call *call)
{
	g_autoptr(GError) error = NULL;
	guint32 calls = world_calls(fixture->world, rank);
	size_t events = trace_count(world_trace(fixture->world));

	if (world_call(fixture->world, rank, call, &error))
		return true;
	assert_non_null(strstr(error->message, "made an impossible report"));
	assert_int_equal(world_calls(fixture->world, rank), calls);
	assert_int_equal(trace_count(world_trace(fixture->world)), events);
	return false;
}

/* Call number `call` with this operation. The rank waits for it unless it has a request. */
static bool starts(struct fixture *fixture, int rank, guint32 call, struct wire_op one)
{
	bool credit = one.nonblocking || one.kind == WIRE_UNLOCK;
	struct wire_call report = {
		.call = call,
		.function = MPI_CALL_Start,
		.wait = credit ? WIRE_WAIT_NONE : WIRE_WAIT_ALL,
		.op_count = 1,
		.ops = &one,
		.waited_count = credit ? 0 : 1,
		.waited = &one.name,
	};

	return accepts(fixture, rank, &report);
}

static bool asks(struct fixture *fixture, int rank, guint32 call, guint8 wait, guint32 count,
                 struct wire_name name)
{
	struct wire_name names[] = {name, name};
	struct wire_call report = {.call = call,
	                           .function = MPI_CALL_Wait,
	                           .wait = wait,
	                           .waited_count = count,
	                           .waited = names};

	return accepts(fixture, rank, &report);
}

static void names_of_operations_are_unique(void **state)
{
	struct fixture *fixture = *state;
	struct wire_op two[] = {op(WIRE_RECEIVE, 2, 0), op(WIRE_RECEIVE, 2, 0)};
	struct wire_call twice = {
		.call = 2, .function = MPI_CALL_Startall, .op_count = 2, .ops = two};

	assert_false(starts(fixture, 0, 1, op(WIRE_RECEIVE, 2, 0)));
	assert_false(starts(fixture, 0, 1, op(WIRE_RECEIVE, 1, WIRE_LOCK_REFUSED + 1)));
	assert_true(starts(fixture, 0, 1, op(WIRE_SEND, 1, 0)));
	assert_false(starts(fixture, 0, 1, op(WIRE_SEND, 1, 0)));
	assert_false(accepts(fixture, 0, &twice));
	two[1].name.sub = 1;
	assert_true(accepts(fixture, 0, &twice));
	two[0].joined = true;
	two[0].name.sub = 2;
	two[1].name.sub = 3;
	assert_false(accepts(fixture, 0, &twice));
}

static void communicators_and_peers_exist(void **state)
{
	struct fixture *fixture = *state;
	struct wire_op one = op(WIRE_RECEIVE, 1, 0);

	one.comm = 99;
	assert_false(starts(fixture, 0, 1, one));
	one.comm = OTHERS;
	assert_false(starts(fixture, 0, 1, one));
	assert_true(starts(fixture, 2, 1, one));
	one = op(WIRE_COLLECTIVE, 1, 0);
	one.comm = OTHERS;
	assert_false(starts(fixture, 0, 1, one));
	one = op(WIRE_COLLECTIVE, 1, 0);
	one.peer = WIRE_ROOT_ITSELF; /* only on an intercommunicator */
	assert_false(starts(fixture, 0, 1, one));
	one.peer = 3;
	assert_false(starts(fixture, 0, 1, one));
	one = op(WIRE_SEND, 1, 0);
	one.peer = 3;
	assert_false(starts(fixture, 0, 1, one));
	one.peer = WIRE_ANY;
	assert_false(starts(fixture, 0, 1, one));
	one = op(WIRE_SEND, 1, 0);
	one.tag = WIRE_ANY;
	assert_false(starts(fixture, 0, 1, one));
}

static void what_is_waited_for_was_started(void **state)
{
	struct fixture *fixture = *state;
	struct wire_op one = op(WIRE_PROBE, 2, 0);
	struct wire_call credit = {.call = 2, .function = MPI_CALL_Probe, .op_count = 1};

	credit.ops = &one;
	assert_true(starts(fixture, 0, 1, op(WIRE_RECEIVE, 1, 0)));
	assert_false(asks(fixture, 0, 2, WIRE_WAIT_ALL, 1, (struct wire_name){1, 1}));
	assert_false(asks(fixture, 0, 2, WIRE_WAIT_ALL, 1, (struct wire_name){2, 0}));
	assert_false(asks(fixture, 0, 2, WIRE_WAIT_NONE, 1, (struct wire_name){1, 0}));
	assert_false(asks(fixture, 0, 2, WIRE_CANCEL, 0, (struct wire_name){1, 0}));
	assert_false(asks(fixture, 0, 2, WIRE_CANCEL, 2, (struct wire_name){1, 0}));
	assert_false(accepts(fixture, 0, &credit));
	assert_true(asks(fixture, 0, 2, WIRE_TEST_ALL, 2, (struct wire_name){1, 0}));
	assert_false(asks(fixture, 0, 3, WIRE_TEST_ALL, 1, (struct wire_name){1, 0}));
}

static void only_a_probed_message_is_received_later(void **state)
{
	struct fixture *fixture = *state;
	const struct wire_name probe = {1, 0};
	struct wire_op send = op(WIRE_SEND, 1, 0);

	assert_false(asks(fixture, 0, 1, WIRE_FETCH, 1, probe));
	send.peer = 0;
	assert_true(starts(fixture, 1, 1, send));
	assert_false(asks(fixture, 1, 2, WIRE_FETCH, 1, probe));
	assert_true(starts(fixture, 0, 1, op(WIRE_MPROBE, 1, 0)));
	assert_false(asks(fixture, 0, 2, WIRE_FETCH, 0, probe));
	assert_true(asks(fixture, 0, 2, WIRE_FETCH, 1, probe));
	assert_false(asks(fixture, 0, 3, WIRE_FETCH, 1, probe));
}

static void locks_are_single_operations(void **state)
{
	struct fixture *fixture = *state;
	struct wire_op one = op(WIRE_LOCK, 1, 0);

	assert_false(starts(fixture, 0, 1, one));
	one.comm = WINDOW;
	one.peer = 3;
	assert_false(starts(fixture, 0, 1, one));
	one.peer = 1;
	one.nonblocking = true;
	assert_false(starts(fixture, 0, 1, one));
	one.nonblocking = false;
	assert_true(starts(fixture, 0, 1, one));
}

static void communicators_hold_each_rank_once(void **state)
{
	struct fixture *fixture = *state;

	assert_false(announces(fixture, 0, 80, ranks_of(3, 0, 1, 1), 0));
	assert_false(announces(fixture, 0, 80, ranks_of(3, 0, 1, 3), 0));
	assert_false(announces(fixture, 0, 80, ranks_of(2, 1, 2, 0), 0));
	assert_false(announces(fixture, 0, 80, ranks_of(0, 0, 0, 0), 0));
	assert_false(announces(fixture, 0, WIRE_COMM_SELF, ranks_of(1, 0, 0, 0), 0));
	assert_false(announces(fixture, 2, OTHERS, ranks_of(2, 2, 1, 0), 0));
	assert_false(announces(fixture, 0, 80, ranks_of(2, 0, 1, 0), 1)); /* WINDOW has this
	                                                                     number */
	assert_false(announces(fixture, 1, 80, ranks_of(2, 0, 1, 0), 2)); /* only the lowest rank
	                                                                     may announce it */
	assert_true(announces(fixture, 0, 80, ranks_of(2, 0, 1, 0), 2));
}

static void buffers_and_objects_belong_to_calls(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(GError) error = NULL;
	const struct wire_touched touched = {.name = {1, 0}, .noticed = 2};
	const struct wire_touched on_file = {.kind = WIRE_USE_TO_FILE, .noticed = 1};
	const struct wire_touched stranger_to = {
		.kind = WIRE_USE_FROM_FILE, .function = MPI_CALL_COUNT, .noticed = 1};
	const struct wire_touched unnumbered = {.kind = WIRE_USE_FROM_FILE,
	                                        .by_function = MPI_CALL_COUNT};
	const struct wire_touched nameless_send = {.kind = WIRE_USE_SEND, .noticed = 1};
	const struct wire_overlap overlap = {{{.name = {1, 0}}, {.name = {2, 0}}}};
	const struct wire_overlap unknown = {{{.name = {1, 0}}, {.function = MPI_CALL_COUNT}}};
	const struct wire_misuse misuse = {.why = WIRE_MISUSE_FREE, .call = 2};
	const struct wire_misuse stranger = {.function = MPI_CALL_COUNT};
	const struct wire_misuse nameless = {.why = WIRE_MISUSE_COUNT};
	struct wire_left left = {WIRE_OBJECT_REQUEST, MPI_CALL_COUNT, 0, 1};
	const struct wire_objects objects = {1, &left};

	assert_true(starts(fixture, 0, 1, op(WIRE_RECEIVE, 1, 0)));
	assert_false(world_touched(fixture->world, 0, &touched, &error));
	g_clear_error(&error);
	assert_true(world_touched(fixture->world, 0, &on_file, &error));
	assert_false(world_touched(fixture->world, 0, &stranger_to, &error));
	g_clear_error(&error);
	assert_false(world_touched(fixture->world, 0, &unnumbered, &error));
	g_clear_error(&error);
	assert_false(world_touched(fixture->world, 0, &nameless_send, &error));
	g_clear_error(&error);
	assert_false(world_overlap(fixture->world, 0, &overlap, &error));
	g_clear_error(&error);
	assert_false(world_overlap(fixture->world, 0, &unknown, &error));
	g_clear_error(&error);
	assert_false(world_misuse(fixture->world, 0, &misuse, &error));
	g_clear_error(&error);
	assert_false(world_misuse(fixture->world, 0, &stranger, &error));
	g_clear_error(&error);
	assert_false(world_misuse(fixture->world, 0, &nameless, &error));
	g_clear_error(&error);
	assert_false(world_objects(fixture->world, 0, &objects, &error));
	assert_int_equal(world_left(fixture->world, 0)->len, 0);
}

/* One thread cancels a buffered send, after another thread has waited for it. */
static void cancelling_what_is_complete_moves_on(void **state)
{
	struct fixture *fixture = *state;
	struct wire_thread thread = {1, 4711, false};
	const struct wire_enter enter = {.thread = 1}, main_enter = {.thread = 0};
	struct wire_name name = {1, 0};
	struct wire_call wait = {.call = 3,
	                         .thread = 1,
	                         .function = MPI_CALL_Wait,
	                         .wait = WIRE_WAIT_ALL,
	                         .waited_count = 1,
	                         .waited = &name};
	struct wire_op sent = op(WIRE_SEND, 1, 0);
	g_autoptr(GArray) nothing = g_array_new(false, false, 1);

	sent.mode = WIRE_BUFFERED;
	assert_true(starts(fixture, 0, 1, sent));
	assert_true(world_thread(fixture->world, 0, &thread, NULL));
	assert_true(world_enter(fixture->world, 0, &main_enter, NULL));
	assert_true(world_admit(fixture->world));
	assert_true(asks(fixture, 0, 2, WIRE_CANCEL, 1, name));
	assert_true(world_enter(fixture->world, 0, &enter, NULL));
	assert_true(world_admit(fixture->world));
	assert_true(accepts(fixture, 0, &wait));
	thread.ended = true;
	assert_true(world_thread(fixture->world, 0, &thread, NULL));
	assert_int_equal(world_phase(fixture->world, 0), PHASE_BLOCKED);
	assert_true(world_answer_polls(fixture->world, nothing));
	assert_int_equal(world_phase(fixture->world, 0), PHASE_RUNNING);
}

/* The second time nothing is left to decide. */
static void cancelling_twice_is_cancelling_once(void **state)
{
	struct fixture *fixture = *state;
	struct wire_op one = op(WIRE_RECEIVE, 1, 0);
	struct choice cancelled = {point_call(0, 1, 0), taken_plain(TAKEN_CANCELLED)};
	size_t events;

	one.peer = WIRE_ANY;
	assert_true(starts(fixture, 0, 1, one));
	assert_true(asks(fixture, 0, 2, WIRE_CANCEL, 1, one.name));
	assert_true(world_choose(fixture->world, &cancelled));
	events = trace_count(world_trace(fixture->world));
	assert_true(asks(fixture, 0, 3, WIRE_CANCEL, 1, one.name));
	assert_int_equal(world_phase(fixture->world, 0), PHASE_RUNNING);
	assert_false(world_choose(fixture->world, &cancelled));
	assert_int_equal(trace_count(world_trace(fixture->world)), events);
	assert_true(asks(fixture, 0, 4, WIRE_WAIT_ALL, 1, one.name));
	assert_int_equal(world_phase(fixture->world, 0), PHASE_RUNNING);
}

/* A call for `count` requests, with these places. */
static bool picks(struct fixture *fixture, guint32 call, guint16 function, guint32 count,
                  guint32 place_count, guint32 *places)
{
	struct wire_name names[] = {{1, 0}, {1, 0}};
	struct wire_call report = {.call = call,
	                           .function = function,
	                           .wait = count > 0 ? WIRE_TEST_ANY : WIRE_WAIT_NONE,
	                           .waited_count = count,
	                           .waited = names,
	                           .place_count = place_count,
	                           .places = places};

	return accepts(fixture, 0, &report);
}

static bool tells(struct fixture *fixture, guint32 call, guint32 count, guint32 *indices)
{
	g_autoptr(GError) error = NULL;
	const struct wire_returned returned = {call, count, indices};
	gsize before = world_returned_count(fixture->world, 0);
	bool taken = world_told_indices(fixture->world, 0, &returned, &error);

	assert_int_equal(taken, error == NULL);
	assert_int_equal(world_returned_count(fixture->world, 0), before + (taken ? count : 0));
	return taken;
}

static void indices_belong_to_the_array(void **state)
{
	struct fixture *fixture = *state;
	guint32 twice[] = {3, 3}, falling[] = {1, 0}, large[] = {0, (guint32)INT32_MAX + 1};
	guint32 none = WIRE_UNDEFINED, later = WIRE_TOLD_LATER, good[] = {0, 2, 1};

	assert_true(starts(fixture, 0, 1, op(WIRE_RECEIVE, 1, 0)));
	assert_false(picks(fixture, 2, MPI_CALL_Testany, 2, 2, twice));
	assert_false(picks(fixture, 2, MPI_CALL_Testany, 2, 2, falling));
	assert_false(picks(fixture, 2, MPI_CALL_Testany, 2, 2, large));
	assert_false(picks(fixture, 2, MPI_CALL_Testany, 2, 1, good));
	assert_false(picks(fixture, 2, MPI_CALL_Testany, 1, 1, &none));
	assert_false(picks(fixture, 2, MPI_CALL_Testany, 0, 2, twice));
	assert_false(picks(fixture, 2, MPI_CALL_Testall, 2, 2, good));
	assert_true(picks(fixture, 2, MPI_CALL_Testsome, 0, 2, good));
	assert_true(picks(fixture, 3, MPI_CALL_Waitany, 0, 1, &none));
	assert_false(tells(fixture, 3, 2, good));
	assert_true(picks(fixture, 4, MPI_CALL_Waitsome, 0, 1, &later));
	assert_false(tells(fixture, 3, 2, good));
	assert_false(tells(fixture, 4, 0, good));
	assert_false(tells(fixture, 4, 2, twice));
	assert_true(tells(fixture, 4, 2, good));
	assert_false(tells(fixture, 4, 2, good));
	assert_true(picks(fixture, 5, MPI_CALL_Testany, 2, 3, good));
}

static bool names(struct fixture *fixture, int rank, guint64 number, const char *name)
{
	g_autoptr(GError) error = NULL;
	const struct wire_named named = {number, (char *)name};
	bool taken = world_named(fixture->world, rank, &named, &error);

	assert_int_equal(taken, error == NULL);
	return taken;
}

static void the_lowest_ranks_name_holds(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *longest = g_strnfill(255, 'n'), *longer = g_strnfill(256, 'n');
	struct world *copy;

	assert_true(names(fixture, 2, WINDOW, "second"));
	assert_string_equal(world_comm_name(fixture->world, WINDOW), "second");
	assert_string_equal(communicators_origin(fixture->comms, WINDOW), "a split");
	assert_true(names(fixture, 1, WINDOW, "\033[1mfirst\377"));
	assert_string_equal(world_comm_name(fixture->world, WINDOW), "?[1mfirst\357\277\275");
	assert_true(names(fixture, 2, WINDOW, "third"));
	assert_true(names(fixture, 1, WINDOW, longest));
	assert_string_equal(world_comm_name(fixture->world, WINDOW), longest);
	assert_true(names(fixture, 1, WINDOW, ""));
	assert_string_equal(world_comm_name(fixture->world, WINDOW), "a split");
	assert_true(names(fixture, 2, WINDOW, NULL));
	assert_true(names(fixture, 1, WINDOW, "before"));
	copy = world_copy(fixture->world, world_options(fixture->world), fixture);
	assert_true(names(fixture, 1, WINDOW, "after"));
	assert_string_equal(world_comm_name(copy, WINDOW), "before"); /* the copy was made before
	                                                                 the new name */
	world_free(copy);
	assert_true(names(fixture, 1, WINDOW, ""));
	assert_true(names(fixture, 2, WIRE_COMM_SELF, "mine"));
	assert_string_equal(world_comm_name(fixture->world, WIRE_COMM_SELF), "mine");
	assert_true(names(fixture, 0, WIRE_COMM_WORLD, "all"));
	assert_string_equal(world_comm_name(fixture->world, WIRE_COMM_WORLD), "all");
	assert_false(names(fixture, 0, OTHERS, "not a member"));
	assert_false(names(fixture, 0, 4711, "unknown"));
	assert_false(names(fixture, 0, WINDOW, longer));
	assert_string_equal(world_comm_name(fixture->world, WINDOW), "a split");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_of_operations_are_unique, setup, teardown),
		cmocka_unit_test_setup_teardown(communicators_and_peers_exist, setup, teardown),
		cmocka_unit_test_setup_teardown(indices_belong_to_the_array, setup, teardown),
		cmocka_unit_test_setup_teardown(the_lowest_ranks_name_holds, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_waited_for_was_started, setup, teardown),
		cmocka_unit_test_setup_teardown(only_a_probed_message_is_received_later, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(locks_are_single_operations, setup, teardown),
		cmocka_unit_test_setup_teardown(communicators_hold_each_rank_once, setup, teardown),
		cmocka_unit_test_setup_teardown(buffers_and_objects_belong_to_calls, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(cancelling_what_is_complete_moves_on, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(cancelling_twice_is_cancelling_once, setup,
	                                        teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
