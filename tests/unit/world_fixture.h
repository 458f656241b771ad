/* A world driven by hand: calls of its ranks, the open points at rest, and orders. */
#ifndef MATCHPOINT_TESTS_UNIT_WORLD_FIXTURE_H
#define MATCHPOINT_TESTS_UNIT_WORLD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/explorer.h"
#include "mpi_calls.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world.h"

struct fixture {
	struct communicators *comms;
	struct world *world;
	guint32 calls[3];
	GString *orders; /* "go 0.3 [1]", "bind 0.2<-1": call and done, receive and source */
};

static inline void bind(void *user, int rank, const struct wire_bind *bind)
{
	GString *orders = ((struct fixture *)user)->orders;

	if (bind->source == WIRE_ARRIVES)
		g_string_append_printf(orders, "see %d.%u ", rank, bind->name.call);
	if (bind->source >= 0)
		g_string_append_printf(orders, "bind %d.%u<-%d ", rank, bind->name.call,
		                       bind->source);
}

static inline void go(void *user, int rank, const struct wire_go *go)
{
	GString *orders = ((struct fixture *)user)->orders;

	g_string_append_printf(orders, "go %d.%u [", rank, go->call);
	for (uint32_t i = 0; i < go->count; i++)
		g_string_append_printf(orders, "%s%u", i > 0 ? " " : "", go->done[i]);
	g_string_append(orders, go->look ? "] look " : "] ");
}

static inline void look(void *user, int rank)
{
	g_string_append_printf(((struct fixture *)user)->orders, "look at %d ", rank);
}

static inline void fixture_init_of(struct fixture *fixture, const struct world_options *options)
{
	const struct world_orders orders = {.bind = bind, .go = go, .admit = NULL, .look = look};

	*fixture = (struct fixture){.comms = communicators_new(3), .orders = g_string_new(NULL)};
	fixture->world = world_new(options, fixture->comms, &orders, fixture);
	world_start(fixture->world);
}

static inline void fixture_init_with(struct fixture *fixture, enum buffering buffering,
                                     enum collective_mode collectives)
{
	const struct world_options options = {.ranks = 3,
	                                      .buffering = buffering,
	                                      .collectives = collectives,
	                                      .cancels = collectives != COLLECTIVES_SYNC,
	                                      .arrives_early = collectives == COLLECTIVES_SYNC,
	                                      .not_yet = 1};

	fixture_init_of(fixture, &options);
}

static inline void fixture_init(struct fixture *fixture, enum buffering buffering)
{
	fixture_init_with(fixture, buffering, COLLECTIVES_ASYNC);
}

static inline void fixture_release(struct fixture *fixture)
{
	world_free(fixture->world);
	communicators_free(fixture->comms);
	g_string_free(fixture->orders, true);
}

static inline guint32 report(struct fixture *fixture, int rank, struct wire_call *call)
{
	call->call = ++fixture->calls[rank];
	call->site = 1000 + (guint64)rank;
	for (uint32_t i = 0; i < call->op_count; i++)
		call->ops[i].name = (struct wire_name){call->call, i};
	assert_true(world_call(fixture->world, rank, call, NULL));
	return call->call;
}

/* A nonblocking send or receive. */
static inline guint32 starts(struct fixture *fixture, int rank, guint8 kind, int peer)
{
	struct wire_op op = {
		.kind = kind, .nonblocking = true, .comm = WIRE_COMM_WORLD, .peer = peer};
	struct wire_call call = {.function = kind == WIRE_SEND ? MPI_CALL_Isend : MPI_CALL_Irecv,
	                         .op_count = 1,
	                         .ops = &op};

	return report(fixture, rank, &call);
}

static inline guint32 asks(struct fixture *fixture, int rank, guint16 function, guint8 wait,
                           guint32 count, const guint32 *calls)
{
	struct wire_name waited[4];
	struct wire_call call = {
		.function = function, .wait = wait, .waited_count = count, .waited = waited};

	for (guint32 i = 0; i < count; i++)
		waited[i] = (struct wire_name){calls[i], 0};
	return report(fixture, rank, &call);
}

static inline guint32 looks(struct fixture *fixture, int rank, int peer)
{
	struct wire_name name = {fixture->calls[rank] + 1, 0};
	struct wire_op op = {.kind = WIRE_PROBE, .comm = WIRE_COMM_WORLD, .peer = peer};
	struct wire_call call = {.function = MPI_CALL_Iprobe,
	                         .wait = WIRE_TEST_ALL,
	                         .op_count = 1,
	                         .ops = &op,
	                         .waited_count = 1,
	                         .waited = &name};

	return report(fixture, rank, &call);
}

/* "0.3{#0 #1 no} ..." */
static inline void assert_open(struct fixture *fixture, const char *expected)
{
	GArray *open = world_open_choices(fixture->world);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		g_string_append_printf(text, "%s%d.%u{", i > 0 ? " " : "", one->point.rank,
		                       one->point.call);
		for (guint k = 0; k < one->alternatives->len; k++) {
			g_autofree char *word = taken_print(
				&g_array_index(one->alternatives, struct taken, k));

			g_string_append_printf(text, "%s%s", k > 0 ? " " : "", word);
		}
		g_string_append_c(text, '}');
	}
	assert_string_equal(text->str, expected);
	open_choices_free(open);
}

static inline void assert_orders(struct fixture *fixture, const char *expected)
{
	assert_string_equal(fixture->orders->str, expected);
	g_string_truncate(fixture->orders, 0);
}

static inline bool choose(struct fixture *fixture, int rank, guint32 call, struct taken taken)
{
	struct choice choice = {point_call(rank, call, 0), taken};

	return world_choose(fixture->world, &choice);
}

#endif
