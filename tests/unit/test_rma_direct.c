/* room: world. Loads and stores of the program among one-sided accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "rma_fixture.h"
#include "scheduler/world/rma.h"

enum { RANKS = 2, BASE = 1000 };

static guint pairs, learnt;

static void on_found(void *user, const struct rma_side sides[2])
{
	(void)user;
	assert_true(sides[0].rank != sides[1].rank);
	pairs++;
}

static void find(struct rma_story *story)
{
	struct rma_uncertain uncertain;

	pairs = 0;
	rma_find(story->log, &story->trace, RANKS, on_found, NULL, &uncertain);
	learnt = (guint)uncertain.learnt;
}

/* The ranks report their loads and stores. */
static void begin(struct rma_story *story)
{
	rma_story_begin(story, RANKS, BASE);
	for (int rank = 0; rank < RANKS; rank++)
		rma_story_add(story, rank,
		              (struct wire_access){.kind = WIRE_ACCESS_WINDOW,
		                                   .flags = WIRE_WINDOW_SEEN,
		                                   .target = WIRE_ANY,
		                                   .displacement = BASE,
		                                   .unit = 1});
}

/* In the rank's own window. */
static void direct(struct rma_story *story, int rank, guint8 role, guint8 flags, gint64 at)
{
	static guint64 site;
	struct wire_part part = {role, BASE + at, 4, 1, 1, 0, 0};

	rma_story_add(story, rank,
	              (struct wire_access){.kind = WIRE_ACCESS_LOCAL,
	                                   .flags = WIRE_ACCESS_DIRECT | flags,
	                                   .target = WIRE_ANY,
	                                   .site = ++site,
	                                   .part_count = 1,
	                                   .parts = &part});
}

static void remote(struct rma_story *story, int rank, guint8 flags, gint64 at)
{
	static guint32 number;
	struct wire_part part = {WIRE_PART_TARGET, at, 4, 1, 1, 0, 0};

	number++;
	rma_story_add(story, rank,
	              (struct wire_access){.kind = WIRE_ACCESS_DATA,
	                                   .flags = flags,
	                                   .target = 1 - rank,
	                                   .number = number,
	                                   .site = (guint64)number << 32,
	                                   .part_count = 1,
	                                   .parts = &part});
}

static void look(struct rma_story *story, int rank)
{
	rma_story_add(story, rank,
	              (struct wire_access){.kind = WIRE_ACCESS_LOOK,
	                                   .function = MPI_CALL_Win_sync,
	                                   .target = WIRE_ANY});
}

static void flush(struct rma_story *story, int rank)
{
	rma_story_add(story, rank,
	              (struct wire_access){.kind = WIRE_ACCESS_FLUSH, .target = WIRE_ANY});
}

static void message(struct rma_story *story, int from, int to)
{
	struct op_id send = rma_story_event(story, from, (struct event){.kind = EVENT_SEND});
	struct op_id receive = rma_story_event(story, to, (struct event){.kind = EVENT_RECEIVE});

	rma_story_again(story, EVENT_MATCH, receive, send);
	rma_story_again(story, EVENT_COMPLETE, receive, receive);
}

static void test_loads_and_stores_meet_one_sided_accesses(void **state)
{
	const struct {
		guint8 role, flags;
		gint64 at;
		guint conflicts;
	} cases[] = {
		{WIRE_PART_READ, WIRE_ACCESS_WRITES, 0, 1},    /* load, Put */
		{WIRE_PART_WRITTEN, WIRE_ACCESS_WRITES, 0, 1}, /* store, Put */
		{WIRE_PART_WRITTEN, WIRE_ACCESS_READS, 0, 1},  /* store, Get */
		{WIRE_PART_READ, WIRE_ACCESS_READS, 0, 0},     /* load, Get */
		{WIRE_PART_WRITTEN, WIRE_ACCESS_WRITES, 4, 0}, /* other bytes */
		{WIRE_PART_WRITTEN, WIRE_ACCESS_WRITES, 3, 1}, /* one byte */
		{WIRE_PART_WRITTEN, WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC, 0, 1},
	};
	struct rma_story story;

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		begin(&story);
		remote(&story, 0, cases[i].flags, 0);
		direct(&story, 1, cases[i].role, 0, cases[i].at);
		find(&story);
		assert_int_equal(pairs, cases[i].conflicts);
		rma_story_end(&story);
		/* In order. */
		begin(&story);
		remote(&story, 0, cases[i].flags, 0);
		flush(&story, 0);
		message(&story, 0, 1);
		direct(&story, 1, cases[i].role, 0, cases[i].at);
		find(&story);
		assert_int_equal(pairs, 0);
		rma_story_end(&story);
		/* The other way round. */
		begin(&story);
		direct(&story, 1, cases[i].role, 0, cases[i].at);
		message(&story, 1, 0);
		remote(&story, 0, cases[i].flags, 0);
		find(&story);
		assert_int_equal(pairs, 0);
		rma_story_end(&story);
	}
}

/* Rank 1 sees rank 0's part of a shared window at another address. */
static void share(struct rma_story *story)
{
	const gint64 places[RANKS][RANKS] = {{BASE, BASE + 64}, {5000, 5064}};

	rma_story_begin(story, 0, 0);
	for (int rank = 0; rank < RANKS; rank++) {
		for (int part = 0; part < RANKS; part++)
			rma_story_add(story, rank,
			              (struct wire_access){.kind = WIRE_ACCESS_VIEW,
			                                   .target = part,
			                                   .displacement = places[rank][part],
			                                   .unit = 64});
		rma_story_add(story, rank,
		              (struct wire_access){.kind = WIRE_ACCESS_WINDOW,
		                                   .flags = WIRE_WINDOW_SEEN,
		                                   .target = WIRE_ANY,
		                                   .displacement = places[rank][rank],
		                                   .unit = 1});
	}
}

enum { SEEN_FROM_1 = 5000 - BASE };

static void test_shared_memory_is_the_same_from_each_rank(void **state)
{
	struct rma_story story;

	(void)state;
	share(&story);
	direct(&story, 0, WIRE_PART_WRITTEN, 0, 8);
	direct(&story, 1, WIRE_PART_READ, 0, SEEN_FROM_1 + 8);
	direct(&story, 1, WIRE_PART_READ, 0, SEEN_FROM_1 + 12);
	find(&story);
	assert_int_equal(pairs, 1);
	rma_story_end(&story);
}

static void test_atomic_instructions_order(void **state)
{
	struct rma_story story;

	(void)state;
	share(&story);
	direct(&story, 0, WIRE_PART_WRITTEN, 0, 8);
	direct(&story, 0, WIRE_PART_WRITTEN, WIRE_ACCESS_ATOMIC, 0);
	direct(&story, 1, WIRE_PART_READ, WIRE_ACCESS_ATOMIC, SEEN_FROM_1);
	direct(&story, 1, WIRE_PART_READ, 0, SEEN_FROM_1 + 8);
	find(&story);
	assert_int_equal(pairs, 0);
	assert_int_equal(learnt, 1);
	/* Not if the flag was read before it was written. */
	rma_story_end(&story);
	share(&story);
	direct(&story, 1, WIRE_PART_READ, WIRE_ACCESS_ATOMIC, SEEN_FROM_1);
	message(&story, 1, 0);
	direct(&story, 0, WIRE_PART_WRITTEN, 0, 8);
	direct(&story, 0, WIRE_PART_WRITTEN, WIRE_ACCESS_ATOMIC, 0);
	direct(&story, 1, WIRE_PART_READ, 0, SEEN_FROM_1 + 8);
	find(&story);
	assert_int_equal(pairs, 1);
	rma_story_end(&story);
}

static void test_a_rank_learns_only_by_loads(void **state)
{
	struct rma_story story;

	(void)state;
	for (int loads = 0; loads < 2; loads++) {
		share(&story);
		direct(&story, 0, WIRE_PART_WRITTEN, 0, 8);
		look(&story, 0);
		look(&story, 1);
		if (loads)
			direct(&story, 1, WIRE_PART_READ, 0, SEEN_FROM_1);
		direct(&story, 1, WIRE_PART_WRITTEN, 0, SEEN_FROM_1 + 8);
		find(&story);
		assert_int_equal(pairs, loads ? 0 : 1);
		assert_int_equal(learnt, loads ? 1 : 0);
		rma_story_end(&story);
	}
	/* It looked before there was anything to see. */
	share(&story);
	look(&story, 1);
	message(&story, 1, 0);
	direct(&story, 0, WIRE_PART_WRITTEN, 0, 8);
	look(&story, 0);
	direct(&story, 1, WIRE_PART_READ, 0, SEEN_FROM_1 + 8);
	find(&story);
	assert_int_equal(pairs, 1);
	rma_story_end(&story);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads_and_stores_meet_one_sided_accesses),
		cmocka_unit_test(test_shared_memory_is_the_same_from_each_rank),
		cmocka_unit_test(test_atomic_instructions_order),
		cmocka_unit_test(test_a_rank_learns_only_by_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
