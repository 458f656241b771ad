#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "rma_fixture.h"
#include "scheduler/world/rma.h"

#define RANKS 4
/* The reports of one world, in the order in which the scheduler receives them. */
struct story {
	struct rma_story told;
	guint32 numbers[RANKS];
	guint64 meetings;
};

static void begin(struct story *story)
{
	*story = (struct story){0};
	rma_story_begin(&story->told, RANKS, 1000);
}

static void message(struct story *story, int from, int to)
{
	struct op_id send = rma_story_event(&story->told, from, (struct event){.kind = EVENT_SEND});
	struct op_id receive = rma_story_event(&story->told, to,
	                                       (struct event){.kind = EVENT_RECEIVE});

	rma_story_again(&story->told, EVENT_MATCH, receive, send);
	rma_story_again(&story->told, EVENT_COMPLETE, receive, receive);
}

static void fence(struct story *story, guint8 flags)
{
	struct op_id ids[RANKS];

	story->meetings++;
	for (int rank = 0; rank < RANKS; rank++) {
		rma_story_add(&story->told, rank,
		              (struct wire_access){.kind = WIRE_ACCESS_FENCE,
		                                   .flags = flags,
		                                   .target = WIRE_ANY});
		ids[rank] = rma_story_event(&story->told, rank,
		                            (struct event){.kind = EVENT_ARRIVE,
		                                           .order = ORDER_ALL,
		                                           .collective = story->meetings,
		                                           .root = -1,
		                                           .position = rank});
	}
	for (int rank = 0; rank < RANKS; rank++) {
		struct event leave = {.kind = EVENT_LEAVE,
		                      .order = ORDER_ALL,
		                      .collective = story->meetings,
		                      .op.id = ids[rank]};

		trace_append(&story->told.trace, &leave);
	}
}

/* Its site differs from all others. */
static guint64 access_part(struct story *story, int rank, int target, guint8 flags,
                           struct wire_part *parts, guint32 count)
{
	guint32 number = ++story->numbers[rank];
	struct wire_access access = {
		.kind = WIRE_ACCESS_DATA,
		.flags = flags,
		.target = target,
		.number = number,
		.basic = flags & WIRE_ACCESS_ATOMIC ? TYPE_CODE(TYPE_CHAR, 1) : 0,
		.site = (guint64)rank << 32 | number,
		.part_count = count,
		.parts = parts,
	};

	rma_story_add(&story->told, rank, access);
	return access.site;
}

static guint64 use(struct story *story, int rank, int target, guint8 flags, gint64 at)
{
	struct wire_part part = {WIRE_PART_TARGET, at, 1, 1, 1, 0, 0};

	return access_part(story, rank, target, flags, &part, 1);
}

static void step(struct story *story, int rank, guint8 kind, int target)
{
	rma_story_add(&story->told, rank, (struct wire_access){.kind = kind, .target = target});
}

/* Pairs found: the two sites. */
struct pairs {
	guint64 sites[4096][2];
	guint count;
};

static void on_found(void *user, const struct rma_side sides[2])
{
	struct pairs *pairs = user;

	assert_true(pairs->count < G_N_ELEMENTS(pairs->sites));
	assert_true(sides[0].rank <= sides[1].rank);
	pairs->sites[pairs->count][0] = sides[0].access->site;
	pairs->sites[pairs->count++][1] = sides[1].access->site;
}

static bool has_pair(const struct pairs *pairs, guint64 one, guint64 other)
{
	for (guint i = 0; i < pairs->count; i++) {
		const guint64 *sites = pairs->sites[i];

		if ((sites[0] == one && sites[1] == other)
		    || (sites[0] == other && sites[1] == one))
			return true;
	}
	return false;
}

static struct rma_uncertain find(const struct story *story, struct pairs *pairs)
{
	struct rma_uncertain doubts;

	pairs->count = 0;
	rma_find(story->told.log, &story->told.trace, RANKS, on_found, pairs, &doubts);
	return doubts;
}

static void test_a_message_orders_only_what_is_flushed(void **state)
{
	static struct pairs pairs;
	struct story story;
	guint64 early, late;

	(void)state;
	begin(&story);
	early = use(&story, 0, 2, WIRE_ACCESS_WRITES, 0);
	step(&story, 0, WIRE_ACCESS_FLUSH, 2);
	late = use(&story, 0, 2, WIRE_ACCESS_WRITES, 1);
	message(&story, 0, 1);
	step(&story, 0, WIRE_ACCESS_FLUSH, 2);
	use(&story, 1, 2, WIRE_ACCESS_READS, 0);
	guint64 read = use(&story, 1, 2, WIRE_ACCESS_READS, 1);
	find(&story, &pairs);
	assert_int_equal(pairs.count, 1);
	assert_true(has_pair(&pairs, late, read));
	assert_false(has_pair(&pairs, early, read));
	rma_story_end(&story.told);
}

static void test_strided_parts_conflict_where_they_overlap(void **state)
{
	static struct pairs pairs;
	struct wire_part even = {WIRE_PART_TARGET, 0, 1, 4, 3, 2, 100};
	struct wire_part odd = {WIRE_PART_TARGET, 1, 1, 4, 3, 2, 100};
	struct wire_part one = {WIRE_PART_TARGET, 206, 1, 1, 1, 0, 0};
	struct story story;
	guint64 first, third;

	(void)state;
	begin(&story);
	first = access_part(&story, 0, 3, WIRE_ACCESS_WRITES, &even, 1);
	access_part(&story, 1, 3, WIRE_ACCESS_WRITES, &odd, 1);
	third = access_part(&story, 2, 3, WIRE_ACCESS_READS, &one, 1);
	find(&story, &pairs);
	assert_int_equal(pairs.count, 1);
	assert_true(has_pair(&pairs, first, third));
	rma_story_end(&story.told);
}

static void test_a_request_frees_the_own_buffer(void **state)
{
	static struct pairs pairs;
	struct wire_part parts[2] = {{WIRE_PART_TARGET, 0, 4, 1, 1, 0, 0},
	                             {WIRE_PART_READ, 50, 4, 1, 1, 0, 0}};
	struct wire_part back[2] = {{WIRE_PART_TARGET, 8, 4, 1, 1, 0, 0},
	                            {WIRE_PART_WRITTEN, 52, 4, 1, 1, 0, 0}};
	struct story story;
	guint64 put, get;

	(void)state;
	begin(&story);
	put = access_part(&story, 0, 1, WIRE_ACCESS_WRITES | WIRE_ACCESS_REQUESTED, parts, 2);
	rma_story_add(
		&story.told, 0,
		(struct wire_access){.kind = WIRE_ACCESS_REQUEST, .target = WIRE_ANY, .number = 1});
	access_part(&story, 0, 1, WIRE_ACCESS_READS, back, 2);
	find(&story, &pairs);
	assert_int_equal(pairs.count, 0);
	put = access_part(&story, 0, 1, WIRE_ACCESS_WRITES, parts, 1);
	parts[1].start = 54;
	get = access_part(&story, 0, 2, WIRE_ACCESS_WRITES, &parts[1], 1);
	find(&story, &pairs);
	assert_true(has_pair(&pairs, put, (guint64)1)); /* the two Puts */
	assert_true(has_pair(&pairs, get, (guint64)2)); /* sends what is still being fetched */
	assert_int_equal(pairs.count, 2);
	rma_story_end(&story.told);
}

static void test_ranks_may_learn_from_memory(void **state)
{
	static struct pairs pairs;
	const guint8 update = WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC;
	const guint8 fetch = WIRE_ACCESS_READS | WIRE_ACCESS_ATOMIC;
	struct story story;

	(void)state;
	begin(&story);
	use(&story, 0, 2, WIRE_ACCESS_WRITES, 0);
	step(&story, 0, WIRE_ACCESS_FLUSH, 2);
	use(&story, 0, 3, update, 5);
	use(&story, 1, 3, fetch, 5);
	use(&story, 1, 2, WIRE_ACCESS_READS, 0);
	assert_int_equal(find(&story, &pairs).learnt, 1);
	assert_int_equal(pairs.count, 0);
	rma_story_end(&story.told);
	/* It does not count if it was fetched before it was written. */
	begin(&story);
	use(&story, 1, 3, fetch, 5);
	message(&story, 1, 0);
	use(&story, 0, 2, WIRE_ACCESS_WRITES, 0);
	step(&story, 0, WIRE_ACCESS_FLUSH, 2);
	use(&story, 0, 3, update, 5);
	use(&story, 1, 2, WIRE_ACCESS_READS, 0);
	assert_int_equal(find(&story, &pairs).learnt, 0);
	assert_int_equal(pairs.count, 1);
	rma_story_end(&story.told);
}

static guint64 combine(struct story *story, int rank, guint8 flags, guint8 reduction, gint64 at)
{
	struct wire_part part = {WIRE_PART_TARGET, at, 1, 1, 1, 0, 0};
	guint32 number = ++story->numbers[rank];
	struct wire_access access = {
		.kind = WIRE_ACCESS_DATA,
		.flags = flags | WIRE_ACCESS_ATOMIC,
		.reduction = reduction,
		.target = 2,
		.number = number,
		.basic = TYPE_CODE(TYPE_CHAR, 1),
		.site = (guint64)rank << 32 | number,
		.part_count = 1,
		.parts = &part,
	};

	rma_story_add(&story->told, rank, access);
	return access.site;
}

/* MPI_NO_OP beside another operation is allowed, unless the window has accumulate_ops=same_op. */
static void test_a_window_may_have_one_operation(void **state)
{
	static struct pairs pairs;
	struct story story;

	(void)state;
	for (int same_op = 0; same_op < 2; same_op++) {
		begin(&story);
		rma_story_add(&story.told, 2,
		              (struct wire_access){.kind = WIRE_ACCESS_WINDOW,
		                                   .flags = same_op ? WIRE_WINDOW_SAME_OP : 0,
		                                   .target = WIRE_ANY,
		                                   .displacement = 1000,
		                                   .unit = 1});
		guint64 sum = combine(&story, 0, WIRE_ACCESS_WRITES, OP_SUM, 0);
		guint64 fetch = combine(&story, 1, WIRE_ACCESS_READS, OP_NO_OP, 0);
		combine(&story, 0, WIRE_ACCESS_WRITES, OP_SUM, 4);
		combine(&story, 1, WIRE_ACCESS_WRITES, OP_SUM, 4);
		combine(&story, 0, WIRE_ACCESS_READS, OP_NO_OP, 6);
		combine(&story, 1, WIRE_ACCESS_READS, OP_NO_OP, 6);
		guint64 one = combine(&story, 0, WIRE_ACCESS_WRITES, OP_SUM, 8);
		guint64 other = combine(&story, 1, WIRE_ACCESS_WRITES, OP_MAX, 8);
		find(&story, &pairs);
		assert_true(has_pair(&pairs, one, other));
		assert_int_equal(has_pair(&pairs, sum, fetch), same_op);
		assert_int_equal(pairs.count, 1 + same_op);
		rma_story_end(&story.told);
	}
}

/* A local operation uses a window's memory from its begin, though it is reported when it is
 * over. */
static void test_operations_under_way_conflict(void **state)
{
	static struct pairs pairs;
	struct story story;
	struct wire_part part = {WIRE_PART_WRITTEN, 1000, 4, 1, 1, 0, 0};

	(void)state;
	begin(&story);
	fence(&story, 0);
	rma_story_add(
		&story.told, 2,
		(struct wire_access){.kind = WIRE_ACCESS_BEGIN, .target = WIRE_ANY, .number = 7});
	guint64 put = use(&story, 0, 2, WIRE_ACCESS_WRITES, 0);
	for (int i = 0; i < 3; i++)
		fence(&story, 0);
	rma_story_add(&story.told, 2,
	              (struct wire_access){.kind = WIRE_ACCESS_LOCAL,
	                                   .site = 42,
	                                   .target = WIRE_ANY,
	                                   .number = 7,
	                                   .part_count = 1,
	                                   .parts = &part});
	fence(&story, 0);
	use(&story, 1, 2, WIRE_ACCESS_WRITES, 0);
	find(&story, &pairs);
	assert_int_equal(pairs.count, 1);
	assert_true(has_pair(&pairs, put, 42) || has_pair(&pairs, 42, put));
	rma_story_end(&story.told);
}

/* The time grows linearly with the number of accesses; repeated accesses count once. */
static void test_many_accesses(void **state)
{
	static struct pairs pairs;
	struct story story;
	clock_t before = clock(); /* a second of processor time; sanitizers take 15 times as long */

	(void)state;
	begin(&story);
	for (int i = 0; i < 100000; i++) {
		struct wire_part part = {WIRE_PART_TARGET, i % 2 ? 7 : i, 8, 1, 1, 0, 0};
		struct wire_access access = {.kind = WIRE_ACCESS_DATA,
		                             .flags = WIRE_ACCESS_READS,
		                             .site = (guint64)i % 100,
		                             .part_count = 1,
		                             .parts = &part};

		rma_story_add(&story.told, i % RANKS, access);
		use(&story, i % RANKS, 1, WIRE_ACCESS_WRITES, i);
	}
	assert_int_equal(find(&story, &pairs).unknown, 0);
	assert_int_equal(pairs.count, 0);
	assert_in_range(clock() - before, 0, 60 * CLOCKS_PER_SEC);
	rma_story_end(&story.told);
}

/* --- random epochs against an oracle ------------------------------------------------------- */

enum { NODES = 256, STEPS = 60 };

/* What the oracle knows: which step comes before which, and what each does. */
struct node {
	int rank, target, done; /* done: the node by which it is complete; -1: never */
	int entered;            /* the node at which the target came to the last fence there; -1:
	                           none */
	guint64 site;
	guint8 flags;
	guint8 reduction;
	gint64 at;
	bool closed;
};

struct oracle {
	struct node nodes[NODES];
	bool before[NODES][NODES];
	int last[RANKS], fenced[RANKS];
	int count;
};

static int new_node(struct oracle *oracle, int rank)
{
	int index = oracle->count++, last = oracle->last[rank];

	oracle->nodes[index] = (struct node){.rank = rank, .done = -1};
	oracle->before[index][index] = true;
	for (int i = 0; last >= 0 && i <= last; i++)
		oracle->before[i][index] = oracle->before[i][last];
	oracle->last[rank] = index;
	return index;
}

static void new_edge(struct oracle *oracle, int from, int to)
{
	for (int i = 0; i <= from; i++)
		oracle->before[i][to] |= oracle->before[i][from];
}

static void finish(struct oracle *oracle, int rank, int target, int by)
{
	for (int i = 0; i < by; i++) {
		struct node *node = &oracle->nodes[i];

		if (node->site != 0 && node->rank == rank && node->done < 0 && !node->closed
		    && (target < 0 || node->target == target))
			node->done = by;
	}
}

static void random_fence(struct story *story, struct oracle *oracle, GRand *random)
{
	bool ends = g_rand_boolean(random);
	int arrivals[RANKS];

	fence(story, ends ? 0 : WIRE_ACCESS_NOPRECEDE);
	for (int rank = 0; rank < RANKS; rank++) {
		arrivals[rank] = oracle->fenced[rank] = new_node(oracle, rank);
		if (ends)
			finish(oracle, rank, -1, arrivals[rank]);
	}
	for (int rank = 0; ends && rank < RANKS; rank++) {
		int leave = new_node(oracle, rank);

		for (int other = 0; other < RANKS; other++)
			new_edge(oracle, arrivals[other], leave);
	}
}

/* An origin completes, and its target waits for it. */
static void random_exposure(struct story *story, struct oracle *oracle, int origin, int target)
{
	int completed, waited;

	step(story, origin, WIRE_ACCESS_COMPLETE, WIRE_ANY);
	completed = new_node(oracle, origin);
	for (int i = 0; i < completed; i++) {
		struct node *node = &oracle->nodes[i];

		node->closed |= node->site != 0 && node->rank == origin && node->done < 0;
	}
	message(story, origin, target);
	step(story, target, WIRE_ACCESS_WAIT, WIRE_ANY);
	waited = new_node(oracle, target);
	new_edge(oracle, completed, waited);
	for (int i = 0; i < waited; i++) {
		struct node *node = &oracle->nodes[i];

		if (node->closed && node->target == target && node->done < 0)
			node->done = waited;
	}
}

static void random_access(struct story *story, struct oracle *oracle, GRand *random, int rank)
{
	static const guint8 kinds[] = {WIRE_ACCESS_READS, WIRE_ACCESS_WRITES,
	                               WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC};
	struct node *node = &oracle->nodes[new_node(oracle, rank)];
	struct wire_part part = {WIRE_PART_TARGET, 0, 2, 1, 1, 0, 0};
	struct wire_access access = {.kind = WIRE_ACCESS_DATA, .part_count = 1, .parts = &part};

	node->target = g_rand_int_range(random, 0, RANKS);
	node->entered = oracle->fenced[node->target];
	node->flags = kinds[g_rand_int_range(random, 0, 3)];
	node->at = g_rand_int_range(random, 0, 12);
	node->reduction = node->flags & WIRE_ACCESS_ATOMIC ? (guint8)g_rand_int_range(random, 1, 3)
	                                                   : 0;
	node->site = (guint64)rank << 32 | ++story->numbers[rank];
	part.start = node->at;
	access.flags = node->flags;
	access.target = node->target;
	access.number = story->numbers[rank];
	access.site = node->site;
	access.reduction = node->reduction;
	access.basic = TYPE_CODE(TYPE_CHAR, 1);
	rma_story_add(&story->told, rank, access);
}

static void random_step(struct story *story, struct oracle *oracle, GRand *random)
{
	int rank = g_rand_int_range(random, 0, RANKS), other = g_rand_int_range(random, 0, RANKS);
	int kind = g_rand_int_range(random, 0, 20), from, to;

	if (kind < 12) {
		random_access(story, oracle, random, rank);
	} else if (kind < 14) {
		step(story, rank, WIRE_ACCESS_FLUSH, other);
		finish(oracle, rank, other, new_node(oracle, rank));
	} else if (kind < 15) {
		step(story, rank, WIRE_ACCESS_FLUSH, WIRE_ANY);
		finish(oracle, rank, -1, new_node(oracle, rank));
	} else if (kind < 18 && rank != other) {
		message(story, rank, other);
		from = new_node(oracle, rank);
		to = new_node(oracle, other);
		new_edge(oracle, from, to);
	} else if (kind < 19 && rank != other) {
		random_exposure(story, oracle, rank, other);
	} else if (kind == 19) {
		random_fence(story, oracle, random);
	}
}

/* An access is at its target no sooner than that rank has come to the fence. */
static bool is_before(const struct oracle *oracle, const struct node *a, int index)
{
	const struct node *b = &oracle->nodes[index];

	return a->done >= 0
	       && (oracle->before[a->done][index]
	           || (b->entered >= 0 && oracle->before[a->done][b->entered]));
}

static bool conflict(const struct oracle *oracle, int i, int j)
{
	const struct node *a = &oracle->nodes[i], *b = &oracle->nodes[j];

	if (a->site == 0 || b->site == 0 || a->target != b->target || ABS(a->at - b->at) > 1
	    || !((a->flags | b->flags) & WIRE_ACCESS_WRITES))
		return false;
	if (a->flags & b->flags & WIRE_ACCESS_ATOMIC
	    && (a->rank == b->rank || a->reduction == b->reduction))
		return false;
	return !is_before(oracle, a, j) && !is_before(oracle, b, i);
}

static void test_random_epochs_agree_with_an_oracle(void **state)
{
	static struct oracle oracle;
	static struct pairs pairs;
	guint found = 0;

	(void)state;
	for (guint32 seed = 1; seed <= 2000; seed++) {
		g_autoptr(GRand) random = g_rand_new_with_seed(seed);
		guint expected = 0;
		struct story story;

		oracle = (struct oracle){.last = {-1, -1, -1, -1}, .fenced = {-1, -1, -1, -1}};
		begin(&story);
		for (int i = 0; i < STEPS && oracle.count < NODES - 3 * RANKS; i++)
			random_step(&story, &oracle, random);
		find(&story, &pairs);
		for (int i = 0; i < oracle.count; i++) {
			for (int j = i + 1; j < oracle.count; j++) {
				bool told = has_pair(&pairs, oracle.nodes[i].site,
				                     oracle.nodes[j].site);

				if (oracle.nodes[i].site == 0 || oracle.nodes[j].site == 0)
					continue;
				assert_int_equal(told, conflict(&oracle, i, j));
				expected += told;
			}
		}
		assert_true(expected <= pairs.count);
		found += expected;
		rma_story_end(&story.told);
	}
	assert_in_range(found, 10000, 10000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message_orders_only_what_is_flushed),
		cmocka_unit_test(test_strided_parts_conflict_where_they_overlap),
		cmocka_unit_test(test_a_request_frees_the_own_buffer),
		cmocka_unit_test(test_ranks_may_learn_from_memory),
		cmocka_unit_test(test_a_window_may_have_one_operation),
		cmocka_unit_test(test_operations_under_way_conflict),
		cmocka_unit_test(test_many_accesses),
		cmocka_unit_test(test_random_epochs_agree_with_an_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
