/* room: world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "rma_fixture.h"
#include "scheduler/world/rma_fingerprint.h"

enum {
	RANKS = 3,
	BASE = 1000,
	BYTES = 2,
	STEPS = 12,
	PENDING = 16,
	PREFIXES = 30000,
	ENDINGS = 40
};

/* What can happen. Kinds from KINDS_SEEN on have no fingerprint at first. */
enum kind {
	KIND_ACCESS,  /* and a flush */
	KIND_SEND,    /* to be received later */
	KIND_RECEIVE, /* the first one that is left */
	KIND_FENCE,
	KIND_BCAST,  /* its root arrives and leaves, others later */
	KIND_FOLLOW, /* the next member to come into the first one that is left */
	KIND_BEGIN,  /* a receive into the rank's own window */
	KIND_END,    /* the first one that is left */
	KIND_LOOK,
	KINDS_SEEN,
	KIND_UNDER_WAY = KINDS_SEEN, /* an access without a flush */
	KINDS
};

struct step {
	enum kind kind;
	int rank, target, at;
	guint8 flags;
};

struct sent {
	struct op_id id;
	int to;
};

struct meeting {
	guint64 number;
	struct op_id root;
	int next;
};

struct begun {
	int rank, at;
	guint32 number;
};

/* The reports of one world. */
struct story {
	struct rma_story told;
	guint32 numbers;
	guint64 meetings;
	struct sent sent[PENDING];
	struct meeting open[PENDING];
	struct begun begun[PENDING];
	guint sent_count, open_count, begun_count;
};

static void begin(struct story *story)
{
	*story = (struct story){0};
	rma_story_begin(&story->told, RANKS, BASE);
}

static struct op_id arrive(struct story *story, int rank, int root)
{
	return rma_story_event(&story->told, rank,
	                       (struct event){.kind = EVENT_ARRIVE,
	                                      .order = root < 0       ? ORDER_ALL
	                                               : rank == root ? ORDER_NONE
	                                                              : ORDER_ROOT,
	                                      .root = root,
	                                      .position = rank,
	                                      .members = RANKS,
	                                      .collective = story->meetings});
}

static void leave(struct story *story, struct op_id id, int root, guint64 meeting)
{
	struct event event = {.kind = EVENT_LEAVE,
	                      .order = root < 0          ? ORDER_ALL
	                               : id.rank == root ? ORDER_NONE
	                                                 : ORDER_ROOT,
	                      .op.id = id,
	                      .collective = meeting};

	trace_append(&story->told.trace, &event);
}

static void fence(struct story *story)
{
	struct op_id ids[RANKS];

	story->meetings++;
	for (int rank = 0; rank < RANKS; rank++) {
		rma_story_add(&story->told, rank,
		              (struct wire_access){.kind = WIRE_ACCESS_FENCE, .target = WIRE_ANY});
		ids[rank] = arrive(story, rank, -1);
	}
	for (int rank = 0; rank < RANKS; rank++)
		leave(story, ids[rank], -1, story->meetings);
}

/* Others come in the order of their ranks, after the root. */
static void follow(struct story *story)
{
	struct meeting *open = &story->open[0];
	guint64 last = story->meetings;
	int rank = (open->root.rank + ++open->next) % RANKS;

	story->meetings = open->number;
	leave(story, arrive(story, rank, open->root.rank), open->root.rank, open->number);
	story->meetings = last;
	if (open->next == RANKS - 1)
		memmove(&story->open[0], &story->open[1],
		        --story->open_count * sizeof(*story->open));
}

static void receive(struct story *story)
{
	struct sent sent = story->sent[0];
	struct op_id receive = rma_story_event(&story->told, sent.to,
	                                       (struct event){.kind = EVENT_RECEIVE});

	rma_story_again(&story->told, EVENT_MATCH, receive, sent.id);
	rma_story_again(&story->told, EVENT_COMPLETE, receive, receive);
	memmove(&story->sent[0], &story->sent[1], --story->sent_count * sizeof(*story->sent));
}

static void end_begun(struct story *story)
{
	struct begun begun = story->begun[0];
	struct wire_part part = {WIRE_PART_WRITTEN, BASE + begun.at, 1, 1, 1, 0, 0};

	rma_story_add(&story->told, begun.rank,
	              (struct wire_access){.kind = WIRE_ACCESS_LOCAL,
	                                   .site = (guint64)begun.rank << 32 | (guint64)begun.at,
	                                   .target = WIRE_ANY,
	                                   .number = begun.number,
	                                   .part_count = 1,
	                                   .parts = &part});
	memmove(&story->begun[0], &story->begun[1], --story->begun_count * sizeof(*story->begun));
}

static void access_window(struct story *story, const struct step *step)
{
	struct wire_part part = {WIRE_PART_TARGET, step->at, 1, 1, 1, 0, 0};

	rma_story_add(
		&story->told, step->rank,
		(struct wire_access){
			.kind = WIRE_ACCESS_DATA,
			.flags = step->flags,
			.target = step->target,
			.number = ++story->numbers,
			.basic = step->flags & WIRE_ACCESS_ATOMIC ? TYPE_CODE(TYPE_CHAR, 1) : 0,
			.site = (guint64)(step->rank + 1) << 40 | (guint64)step->target << 32
	                        | (guint64)step->flags << 16 | (guint64)step->at,
			.part_count = 1,
			.parts = &part});
	if (step->kind == KIND_ACCESS)
		rma_story_add(
			&story->told, step->rank,
			(struct wire_access){.kind = WIRE_ACCESS_FLUSH, .target = step->target});
}

static void look(struct story *story, int rank)
{
	rma_story_add(&story->told, rank,
	              (struct wire_access){.kind = WIRE_ACCESS_LOOK,
	                                   .function = MPI_CALL_Win_sync,
	                                   .target = WIRE_ANY});
}

static void begin_receive(struct story *story, const struct step *step)
{
	struct begun begun = {step->rank, step->at, ++story->numbers};

	if (story->begun_count == PENDING)
		return;
	rma_story_add(&story->told, step->rank,
	              (struct wire_access){.kind = WIRE_ACCESS_BEGIN,
	                                   .target = WIRE_ANY,
	                                   .number = begun.number});
	story->begun[story->begun_count++] = begun;
}

static void tell_step(struct story *story, const struct step *step)
{
	struct event send = {.kind = EVENT_SEND};

	switch (step->kind) {
	case KIND_ACCESS:
	case KIND_UNDER_WAY: access_window(story, step); break;
	case KIND_SEND:
		if (story->sent_count < PENDING)
			story->sent[story->sent_count++] = (struct sent){
				rma_story_event(&story->told, step->rank, send), step->target};
		break;
	case KIND_RECEIVE:
		if (story->sent_count > 0)
			receive(story);
		break;
	case KIND_FENCE: fence(story); break;
	case KIND_BCAST:
		if (story->open_count == PENDING)
			break;
		story->meetings++;
		story->open[story->open_count] = (struct meeting){
			story->meetings, arrive(story, step->rank, step->rank), 0};
		leave(story, story->open[story->open_count++].root, step->rank, story->meetings);
		break;
	case KIND_FOLLOW:
		if (story->open_count > 0)
			follow(story);
		break;
	case KIND_BEGIN: begin_receive(story, step); break;
	case KIND_END:
		if (story->begun_count > 0)
			end_begun(story);
		break;
	case KIND_LOOK: look(story, step->rank); break;
	default: assert_true(false);
	}
}

/* --- fingerprints ----------------------------------------------------------------------------- */

static void add_id(struct state_hash *hash, const void *user, struct op_id id)
{
	const struct story *story = user;

	state_hash_add(hash, (guint64)id.rank << 32 | (story->told.calls[id.rank] - id.call));
}

static void on_found(void *set, const struct rma_side sides[2])
{
	g_hash_table_add(
		set, g_strdup_printf("%" G_GINT64_MODIFIER "x.%d.%d %" G_GINT64_MODIFIER "x.%d.%d",
	                             sides[0].access->site, sides[0].own, sides[0].writes,
	                             sides[1].access->site, sides[1].own, sides[1].writes));
}

static GHashTable *set_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

/* What the world's own fingerprint contains in addition (world_fingerprint.c). */
static void add_pending(struct state_hash *hash, const struct story *story)
{
	for (guint i = 0; i < story->sent_count; i++) {
		add_id(hash, story, story->sent[i].id);
		state_hash_add(hash, (guint64)story->sent[i].to);
	}
	for (guint i = 0; i < story->open_count; i++) {
		add_id(hash, story, story->open[i].root);
		state_hash_add(hash, (guint64)story->open[i].next);
	}
	for (guint i = 0; i < story->begun_count; i++)
		state_hash_add(hash,
		               (guint64)story->begun[i].rank << 32 | (guint64)story->begun[i].at);
	state_hash_add(hash, story->sent_count);
	state_hash_add(hash, story->open_count);
}

/* false: there is none. The conflicts so far are part of it. */
static bool name_of(const struct story *story, struct state_hash *ret)
{
	const struct rma_namer namer = {add_id, story};
	g_autoptr(GHashTable) found = set_new();
	struct state_hash sum = {{0, 0}};
	GHashTableIter iter;
	gpointer pair;

	*ret = (struct state_hash){{0, 0}};
	if (rma_fingerprint(story->told.log, &story->told.trace, RANKS, &namer, on_found, found,
	                    ret))
		return false;
	g_hash_table_iter_init(&iter, found);
	while (g_hash_table_iter_next(&iter, &pair, NULL)) {
		struct state_hash one = {{0, 0}};

		state_hash_add_bytes(&one, pair, strlen(pair));
		state_hash_add_member(&sum, &one);
	}
	state_hash_add(ret, sum.word[0]);
	state_hash_add(ret, sum.word[1]);
	add_pending(ret, story);
	return true;
}

/* --- equal fingerprints, equal endings -------------------------------------------------------- */

struct prefix {
	struct step steps[STEPS];
	int count;
};

static struct step draw_step(GRand *random, enum kind kinds)
{
	static const guint8 flags[] = {WIRE_ACCESS_READS, WIRE_ACCESS_WRITES,
	                               WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC,
	                               WIRE_ACCESS_READS | WIRE_ACCESS_ATOMIC};
	struct step step = {
		.kind = (enum kind)g_rand_int_range(random, 0, (gint32)kinds),
		.rank = g_rand_int_range(random, 0, RANKS),
		.target = g_rand_int_range(random, 0, RANKS),
		.at = g_rand_int_range(random, 0, BYTES),
		.flags = flags[g_rand_int_range(random, 0, G_N_ELEMENTS(flags))],
	};

	/* Otherwise too few states would have a fingerprint. */
	if (step.kind == KIND_LOOK && g_rand_boolean(random))
		step.kind = KIND_ACCESS;
	if (step.kind == KIND_BEGIN && g_rand_boolean(random))
		step.kind = KIND_SEND;
	return step;
}

static void tell_steps(struct story *story, const struct step *steps, int count)
{
	for (int i = 0; i < count; i++)
		tell_step(story, &steps[i]);
}

static GHashTable *found_in(const struct prefix *prefix, const struct prefix *ending, bool *doubts)
{
	GHashTable *found = set_new();
	struct rma_uncertain all;
	struct story story;

	begin(&story);
	tell_steps(&story, prefix->steps, prefix->count);
	tell_steps(&story, ending->steps, ending->count);
	rma_find(story.told.log, &story.told.trace, RANKS, on_found, found, &all);
	*doubts = all.learnt > 0;
	rma_story_end(&story.told);
	return found;
}

static bool sets_equal(GHashTable *one, GHashTable *other)
{
	GHashTableIter iter;
	gpointer key;

	if (g_hash_table_size(one) != g_hash_table_size(other))
		return false;
	g_hash_table_iter_init(&iter, one);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		if (!g_hash_table_contains(other, key))
			return false;
	return true;
}

static void print_steps(const char *title, const struct prefix *prefix)
{
	print_message("%s:", title);
	for (int i = 0; i < prefix->count; i++)
		print_message(" %d(%d>%d+%d,%x)", prefix->steps[i].kind, prefix->steps[i].rank,
		              prefix->steps[i].target, prefix->steps[i].at, prefix->steps[i].flags);
	print_message("\n");
}

/* After two prefixes with equal fingerprints, the same steps must cause the same conflicts. Returns
 * the number of conflicts. */
static guint compare(GRand *random, const struct prefix *one, const struct prefix *other)
{
	guint conflicting = 0;

	for (int i = 0; i < ENDINGS; i++) {
		struct prefix ending = {.count = g_rand_int_range(random, 1, STEPS)};
		bool doubts, other_doubts;

		for (int j = 0; j < ending.count; j++)
			ending.steps[j] = draw_step(random, KINDS);
		g_autoptr(GHashTable) found = found_in(one, &ending, &doubts);
		g_autoptr(GHashTable) other_found = found_in(other, &ending, &other_doubts);
		if (!sets_equal(found, other_found) || doubts != other_doubts) {
			print_steps("one", one);
			print_steps("other", other);
			print_steps("ending", &ending);
			fail_msg("%u conflicts, and %u", g_hash_table_size(found),
			         g_hash_table_size(other_found));
		}
		conflicting += g_hash_table_size(found) > 0;
	}
	return conflicting;
}

/* Compares not with the first prefix of that fingerprint, but with a later one, which came to it in
 * another way. */
static void test_equal_fingerprints_have_equal_endings(void **state)
{
	g_autoptr(GHashTable)
		known = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, g_free);
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	guint named = 0, merged = 0, conflicting = 0;

	(void)state;
	for (int i = 0; i < PREFIXES; i++) {
		struct prefix prefix = {.count = g_rand_int_range(random, 0, 8)};
		const struct prefix *before;
		struct state_hash name;
		struct story story;
		bool has_name;

		for (int j = 0; j < prefix.count; j++)
			prefix.steps[j] = draw_step(random, KINDS_SEEN);
		begin(&story);
		tell_steps(&story, prefix.steps, prefix.count);
		has_name = name_of(&story, &name);
		rma_story_end(&story.told);
		if (!has_name)
			continue;
		named++;
		before = g_hash_table_lookup(known, &name);
		if (before && merged < 1500) {
			merged++;
			conflicting += compare(random, before, &prefix);
		} else if (!before) {
			g_hash_table_insert(known, g_memdup2(&name, sizeof(name)),
			                    g_memdup2(&prefix, sizeof(prefix)));
		}
	}
	print_message("%u with a name, %u compared with another one of the same, %u endings "
	              "conflict\n",
	              named, merged, conflicting);
	assert_true(merged > 1000);
	assert_true(conflicting > 1000);
}

/* --- what is forgotten, and what is not ------------------------------------------------------- */

static bool names_equal(const struct step *one, int one_count, const struct step *other,
                        int other_count)
{
	struct state_hash name, other_name;
	struct story story;

	begin(&story);
	tell_steps(&story, one, one_count);
	assert_true(name_of(&story, &name));
	rma_story_end(&story.told);
	begin(&story);
	tell_steps(&story, other, other_count);
	assert_true(name_of(&story, &other_name));
	rma_story_end(&story.told);
	return state_hash_equal(&name, &other_name);
}

#define EQUAL(one, other) names_equal(one, G_N_ELEMENTS(one), other, G_N_ELEMENTS(other))

static void test_what_all_know_is_forgotten(void **state)
{
	const struct step put[] = {{KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES},
	                           {.kind = KIND_FENCE}};
	const struct step get[] = {{KIND_ACCESS, 2, 1, 1, WIRE_ACCESS_READS}, {.kind = KIND_FENCE}};
	const struct step none[] = {{.kind = KIND_FENCE}};
	const struct step open[] = {{.kind = KIND_FENCE},
	                            {KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES}};
	const struct step other[] = {{.kind = KIND_FENCE},
	                             {KIND_ACCESS, 0, 1, 1, WIRE_ACCESS_WRITES}};
	const struct step after[] = {{KIND_ACCESS, 2, 1, 1, WIRE_ACCESS_READS},
	                             {.kind = KIND_FENCE},
	                             {KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES}};

	(void)state;
	assert_true(EQUAL(put, none));
	assert_true(EQUAL(put, get));
	assert_true(EQUAL(open, after));
	assert_false(EQUAL(open, none));
	assert_false(EQUAL(open, other));
}

/* It makes a difference which ranks know of an access, however they learnt it. */
static void test_knowledge_of_an_access_matters(void **state)
{
	const struct step told[] = {{KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES},
	                            {KIND_SEND, 0, 2, 0, 0},
	                            {.kind = KIND_RECEIVE}};
	const struct step before[] = {{KIND_SEND, 0, 2, 0, 0},
	                              {KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES},
	                              {.kind = KIND_RECEIVE}};
	const struct step sent[] = {{KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES},
	                            {KIND_SEND, 0, 2, 0, 0}};
	const struct step sent_before[] = {{KIND_SEND, 0, 2, 0, 0},
	                                   {KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES}};
	const struct step cast[] = {{KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES},
	                            {KIND_BCAST, 0, 0, 0, 0}};
	const struct step cast_before[] = {{KIND_BCAST, 0, 0, 0, 0},
	                                   {KIND_ACCESS, 0, 1, 0, WIRE_ACCESS_WRITES}};

	(void)state;
	assert_false(EQUAL(told, before));
	assert_false(EQUAL(sent, sent_before));
	assert_false(EQUAL(cast, cast_before));
}

static void test_accesses_under_way_are_refused(void **state)
{
	const struct step put = {KIND_UNDER_WAY, 0, 1, 0, WIRE_ACCESS_WRITES};
	const struct step looks = {.kind = KIND_LOOK};
	struct state_hash name;
	struct story story;

	(void)state;
	begin(&story);
	tell_step(&story, &put);
	assert_false(name_of(&story, &name));
	fence(&story);
	assert_true(name_of(&story, &name));
	tell_step(&story, &looks);
	assert_false(name_of(&story, &name));
	fence(&story);
	assert_true(name_of(&story, &name));
	rma_story_end(&story.told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_all_know_is_forgotten),
		cmocka_unit_test(test_knowledge_of_an_access_matters),
		cmocka_unit_test(test_accesses_under_way_are_refused),
		cmocka_unit_test(test_equal_fingerprints_have_equal_endings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
