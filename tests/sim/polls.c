#include "polls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "brute_force.h"
#include "exploration.h"
#include "explorer/choice.h"
#include "random_program.h"

enum { WAYS = 4, RUNS_MOST = 400 };

struct totals {
	guint explored, too_large, outcomes, deadlocks, largest, runs, returned;
};

static void print_program(const struct random_program *program)
{
	static const char *const words[] = {
		[INSTRUCTION_SEND] = "send",         [INSTRUCTION_RECEIVE] = "receive",
		[INSTRUCTION_WAITALL] = "waitall",   [INSTRUCTION_COLLECTIVE] = "barrier",
		[INSTRUCTION_IPROBE] = "iprobe",     [INSTRUCTION_TEST] = "test",
		[INSTRUCTION_TESTALL] = "testall",   [INSTRUCTION_TESTANY] = "testany",
		[INSTRUCTION_TESTSOME] = "testsome", [INSTRUCTION_LOOP] = "loop",
	};

	for (int i = 0; i < program->count; i++) {
		const struct instruction *own = &program->instructions[i];

		print_message("%d  rank %d  %s peer %d tag %d of %d%s%s%s\n", i, own->rank,
		              words[own->kind], own->peer, own->tag, own->of,
		              own->nonblocking ? " nonblocking" : "",
		              own->synchronous ? " synchronous" : "",
		              own->flushed ? " remembers" : "");
	}
}

static guint print_missing(const struct random_program *program, GHashTable *all, GHashTable *some,
                           const char *what)
{
	GHashTableIter iter;
	gpointer outcome;
	guint count = 0;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		g_autofree char *text = NULL;

		if (g_hash_table_contains(some, outcome))
			continue;
		text = outcome_describe(program, outcome);
		if (count++ < 5)
			print_message("%s: %s\n", what, text);
	}
	return count;
}

static void compare(const struct random_program *program, enum program_buffering buffering, int way,
                    GHashTable *expected, struct totals *totals)
{
	const struct exploration_options options = {
		.buffering = buffering,
		.snapshots = way != 0,
		.pooled = way == 2,
		.apart = way == 3,
		.deviations = -1,
		.some = TAKEN_WINDOW,
		.seed = program->seed + (guint64)way,
	};
	struct exploration found;
	guint wrong;

	explore(program, &options, &found);
	wrong = print_missing(program, expected, found.outcomes, "missing")
	        + print_missing(program, found.outcomes, expected, "invented");
	if (wrong + found.repeated + found.lost + found.dropped > 0) {
		print_message("seed %" G_GUINT64_FORMAT ", %s buffering, way %d: %u wrong, %u "
		              "twice, %u lost, %u dropped, of %u\n",
		              program->seed, buffering == PROGRAM_ZERO ? "zero" : "infinite", way,
		              wrong, found.repeated, found.lost, found.dropped,
		              g_hash_table_size(expected));
		print_program(program);
	}
	assert_int_equal(wrong + found.repeated + found.lost + found.dropped, 0);
	totals->runs += found.runs;
	totals->returned += found.returned;
	exploration_release(&found);
}

static void compare_program(const struct random_program *program, enum program_buffering buffering,
                            int states, struct totals *totals)
{
	g_autoptr(GHashTable) expected = brute_force(program, buffering, STEPS_ANY_TIME,
	                                             TAKEN_WINDOW, (guint)states);
	guint count = expected ? g_hash_table_size(expected) : 0;

	if (!expected || count > RUNS_MOST) {
		totals->too_large++;
		return;
	}
	totals->explored++;
	totals->outcomes += count;
	totals->largest = MAX(totals->largest, count);
	totals->deadlocks += outcomes_deadlocks(program, expected);
	for (int way = 0; way < WAYS; way++)
		compare(program, buffering, way, expected, totals);
}

void compare_polls(struct random_program *(*draw)(guint64 seed), gint64 first_seed, int count,
                   int states)
{
	struct totals totals = {0};

	for (int i = 0; i < count; i++) {
		struct random_program *program = draw((guint64)(first_seed + i));

		compare_program(program, PROGRAM_ZERO, states, &totals);
		compare_program(program, PROGRAM_INFINITE, states, &totals);
		random_program_free(program);
	}
	print_message("%d programs with loops of polls: %u explored, %u too large, %u orders of "
	              "answers (%u do not end, at most %u a program), %u runs, %u worlds left\n",
	              count, totals.explored, totals.too_large, totals.outcomes, totals.deadlocks,
	              totals.largest, totals.runs, totals.returned);
	assert_true(count < 20 || totals.outcomes > totals.explored);
}
