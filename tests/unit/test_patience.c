#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/run/patience.h"

/* Polls with so long between them (microseconds), until it is over; the rounds that were told. */
static guint rounds_told(struct world_idle idle, enum cycle_state cycle, bool failed, gint64 pace,
                         guint64 busy, gint64 *ret_time)
{
	struct patience patience = {0};
	gint64 begin = G_TIME_SPAN_DAY, now = begin;

	while (patience_look(&patience, &idle, failed, cycle, false, now, 1) != PATIENCE_OVER) {
		idle.rounds++;
		idle.calls++;
		idle.busy += busy;
		now += pace;
		assert_true(now - begin < G_TIME_SPAN_HOUR);
	}
	*ret_time = now - begin;
	return idle.rounds;
}

static void test_counted(void **state)
{
	gint64 time;

	(void)state;
	assert_int_equal(rounds_told((struct world_idle){0}, CYCLE_CLOSED, false, 20, 1, &time),
	                 PATIENCE_ROUNDS + 1);
	assert_true(time < G_TIME_SPAN_SECOND);
}

static void test_failed(void **state)
{
	gint64 time;

	(void)state;
	assert_int_equal(rounds_told((struct world_idle){0}, CYCLE_OPEN, true, 20, 1, &time),
	                 PATIENCE_FAILED + 1);
}

/* A time limit may be reached, by the machine's time: in no haste. */
static void test_timed(void **state)
{
	struct world_idle idle = {
		.rounds = PATIENCE_ROUNDS, .calls = PATIENCE_ROUNDS, .timed = true, .real = true};
	struct patience patience = {0};
	gint64 time;

	(void)state;
	assert_int_equal(patience_look(&patience, &idle, false, CYCLE_OPEN, false, 1, 1),
	                 PATIENCE_TELL);
	idle.rounds++;
	assert_int_equal(patience_look(&patience, &idle, false, CYCLE_OPEN, false, 2, 1),
	                 PATIENCE_WAIT);
	rounds_told((struct world_idle){.timed = true, .real = true}, CYCLE_OPEN, false, 1000, 1,
	            &time);
	assert_true(time > PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
	assert_true(time < 2 * PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
}

/* By how much the clocks were put forward until it was over, when a round takes so long. */
static gint64 put_forward(guint32 round_us, guint64 busy, gint64 *ret_time)
{
	struct world_idle idle = {.timed = true};
	struct patience patience = {0};
	gint64 begin = G_TIME_SPAN_DAY, now = begin, forward = 0;
	enum patience_step step = PATIENCE_TELL;

	while (step != PATIENCE_OVER) {
		idle.rounds++;
		idle.calls++;
		idle.busy += busy;
		now += round_us;
		step = patience_look(&patience, &idle, false, CYCLE_OPEN, false, now, 1);
		assert_true(step == PATIENCE_FORWARD || step == PATIENCE_TELL
		            || step == PATIENCE_OVER);
		assert_true(step != PATIENCE_FORWARD || idle.rounds > PATIENCE_SLOW_ROUNDS);
		forward += step == PATIENCE_FORWARD ? patience.step : 0;
	}
	assert_int_equal(forward, patience.forward_ever);
	assert_true(strstr(patience_words(&patience, &idle, false, &(struct cycle){0}),
	                   "put forward by 60 s"));
	*ret_time = now - begin;
	return forward;
}

/* Clocks that can be put forward reach any limit soon, however long a round takes. */
static void test_put_forward(void **state)
{
	static const guint32 rounds_us[] = {20, 1000, 100000, 1000000};
	gint64 time;

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(rounds_us); i++) {
		gint64 forward = put_forward(rounds_us[i], 1, &time);

		assert_int_equal(forward, PATIENCE_FORWARD_SECONDS * 1000);
		if (rounds_us[i] <= 1000)
			assert_true(time < 4 * G_TIME_SPAN_SECOND);
	}
	put_forward(1000, 900, &time); /* who computes may come to an end by that */
	assert_true(time > PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
}

/* What happens meanwhile begins it anew. */
static void test_put_forward_again(void **state)
{
	struct world_idle idle = {.rounds = PATIENCE_QUICK + 1, .timed = true};
	struct patience patience = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(patience_look(&patience, &idle, false, CYCLE_OPEN, false, 1000, 1),
		                 PATIENCE_FORWARD);
	assert_int_equal(patience.forward_ever, 3 * PATIENCE_FORWARD_RATE);
	idle.rounds = 1;
	assert_int_equal(patience_look(&patience, &idle, false, CYCLE_OPEN, false, 2000, 1),
	                 PATIENCE_TELL);
	assert_int_equal(patience.forward, 0);
	assert_int_equal(patience.forward_ever, 3 * PATIENCE_FORWARD_RATE);
}

/* A rank that computes between polls does something else. */
static void test_busy(void **state)
{
	gint64 time;

	(void)state;
	rounds_told((struct world_idle){0}, CYCLE_UNKNOWN, false, 1000, 900, &time);
	assert_true(time > PATIENCE_BUSY_SECONDS * G_TIME_SPAN_SECOND);
}

/* One that sleeps does not. */
static void test_sleeping(void **state)
{
	gint64 time;

	(void)state;
	rounds_told((struct world_idle){.rounds = PATIENCE_QUICK}, CYCLE_UNKNOWN, false, 10000, 1,
	            &time);
	assert_true(time < 2 * PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
}

/* A counter may have a limit; what was waited for in vain once is not again. */
static void test_changing(void **state)
{
	struct world_idle idle = {.rounds = PATIENCE_ROUNDS + 1};
	struct patience patience = {.since = 1};
	gint64 time;
	guint rounds = rounds_told((struct world_idle){0}, CYCLE_CHANGES, false, 20, 1, &time);

	(void)state;
	assert_int_equal(rounds, PATIENCE_CHANGES_ROUNDS + 1);
	rounds_told((struct world_idle){0}, CYCLE_CHANGES, false, 10000, 1, &time);
	assert_true(time > PATIENCE_CHANGES_SECONDS * G_TIME_SPAN_SECOND);
	assert_int_equal(patience_look(&patience, &idle, false, CYCLE_CHANGES, true, 2, 1),
	                 PATIENCE_OVER);
	assert_int_equal(patience_look(&patience, &idle, false, CYCLE_OPEN, true, 2, 1),
	                 PATIENCE_LOOK);
}

/* Two ranks are asked; each says so. */
static void look(struct cycle *cycle, guint rounds, guint64 first, guint64 second)
{
	struct wire_digest digest = {.hash = {1}};

	assert_true(cycle_is_due(cycle, rounds));
	cycle_look(cycle, rounds, 2);
	digest.hash[1] = first;
	assert_true(cycle_answer(cycle, 0, &digest));
	digest.hash[1] = second;
	assert_true(cycle_answer(cycle, 3, &digest));
	assert_false(cycle_answer(cycle, 3, &digest));
}

static void test_cycle(void **state)
{
	struct cycle cycle = {0};

	(void)state;
	look(&cycle, 100, 1, 2);
	assert_false(cycle_is_due(&cycle, 100 + CYCLE_ROUNDS - 1));
	look(&cycle, 100 + CYCLE_ROUNDS, 1, 3);
	assert_int_equal(cycle.state, CYCLE_OPEN);
	assert_int_equal(cycle.changed, 3);
	look(&cycle, 100 + 2 * CYCLE_ROUNDS, 1, 3);
	assert_int_equal(cycle.state, CYCLE_CLOSED);
	assert_true(cycle_is_due(&cycle, 7)); /* something has happened */
	assert_int_equal(cycle.state, CYCLE_OPEN);
	for (guint i = 0; i < CYCLE_LOOKS; i++)
		look(&cycle, 100 + i * CYCLE_ROUNDS, i, 2);
	assert_int_equal(cycle.state, CYCLE_CHANGES);
	assert_int_equal(cycle.changed, 0);
	cycle_release(&cycle);
	cycle_look(&cycle, 100, 0);
	assert_int_equal(cycle.state, CYCLE_UNKNOWN);
	cycle_release(&cycle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted),     cmocka_unit_test(test_failed),
		cmocka_unit_test(test_timed),       cmocka_unit_test(test_busy),
		cmocka_unit_test(test_put_forward), cmocka_unit_test(test_put_forward_again),
		cmocka_unit_test(test_sleeping),    cmocka_unit_test(test_changing),
		cmocka_unit_test(test_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
