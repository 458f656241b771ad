/* room: liveness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/liveness/livelock_policy.h"

/* Polls with so much time between them (microseconds), until it is over. Returns the rounds that
 * were answered. */
static guint rounds_answered(struct world_idle idle, enum livelock_state detector, bool failed,
                             gint64 pace, guint64 busy, gint64 *ret_time)
{
	struct livelock_policy policy = {0};
	gint64 begin = G_TIME_SPAN_DAY, now = begin;

	while (livelock_policy_check(&policy, &idle, failed, detector, false, now, 1)
	       != LIVELOCK_POLICY_OVER) {
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
	assert_int_equal(
		rounds_answered((struct world_idle){0}, LIVELOCK_CLOSED, false, 20, 1, &time),
		LIVELOCK_POLICY_ROUNDS + 1);
	assert_true(time < G_TIME_SPAN_SECOND);
}

/* Calls that return at once were many already: only their states count. */
static void test_immediate(void **state)
{
	struct world_idle idle = {.rounds = 2, .immediate = true};
	struct livelock_policy policy = {0};

	(void)state;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 1, 1),
	                 LIVELOCK_POLICY_LOOK);
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_CLOSED, false, 1, 1),
	                 LIVELOCK_POLICY_OVER);
	idle.rounds = LIVELOCK_POLICY_CHANGES_ROUNDS + 1;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_CHANGES, false,
	                                       G_TIME_SPAN_DAY, 1),
	                 LIVELOCK_POLICY_ANSWER);
	idle.timed = true;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_CLOSED, false, 1, 1),
	                 LIVELOCK_POLICY_ANSWER);
}

static void test_failed(void **state)
{
	gint64 time;

	(void)state;
	assert_int_equal(rounds_answered((struct world_idle){0}, LIVELOCK_OPEN, true, 20, 1, &time),
	                 LIVELOCK_POLICY_FAILED + 1);
}

/* Ranks that only repeat atomic operations on windows, without clocks. */
static void test_spins(void **state)
{
	struct world_idle idle = {.rounds = LIVELOCK_POLICY_SPINS, .spins = LIVELOCK_POLICY_SPINS};
	struct livelock_policy policy = {0};

	(void)state;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 1, 1),
	                 LIVELOCK_POLICY_ANSWER);
	idle.rounds++;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 2, 1),
	                 LIVELOCK_POLICY_ANSWER);
	idle.spins++;
	idle.timed = true;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 3, 1),
	                 LIVELOCK_POLICY_ANSWER);
	idle.timed = false;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 4, 1),
	                 LIVELOCK_POLICY_OVER);
}

/* A time limit may be reached, on the machine's clock, without haste. */
static void test_timed(void **state)
{
	struct world_idle idle = {.rounds = LIVELOCK_POLICY_ROUNDS,
	                          .calls = LIVELOCK_POLICY_ROUNDS,
	                          .timed = true,
	                          .real = true};
	struct livelock_policy policy = {0};
	gint64 time;

	(void)state;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 1, 1),
	                 LIVELOCK_POLICY_ANSWER);
	idle.rounds++;
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 2, 1),
	                 LIVELOCK_POLICY_WAIT);
	rounds_answered((struct world_idle){.timed = true, .real = true}, LIVELOCK_OPEN, false,
	                1000, 1, &time);
	assert_true(time > LIVELOCK_POLICY_SECONDS * G_TIME_SPAN_SECOND);
	assert_true(time < 2 * LIVELOCK_POLICY_SECONDS * G_TIME_SPAN_SECOND);
}

/* Returns by how much the clocks were advanced until it was over, if a round takes so long. */
static gint64 advance_clocks(guint32 round_us, guint64 busy, gint64 *ret_time)
{
	struct world_idle idle = {.timed = true};
	struct livelock_policy policy = {0};
	gint64 begin = G_TIME_SPAN_DAY, now = begin, forward = 0;
	enum livelock_policy_step step = LIVELOCK_POLICY_ANSWER;

	while (step != LIVELOCK_POLICY_OVER) {
		idle.rounds++;
		idle.calls++;
		idle.busy += busy;
		now += round_us;
		step = livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, now, 1);
		assert_true(step == LIVELOCK_POLICY_FORWARD || step == LIVELOCK_POLICY_ANSWER
		            || step == LIVELOCK_POLICY_OVER);
		assert_true(step != LIVELOCK_POLICY_FORWARD
		            || idle.rounds > LIVELOCK_POLICY_SLOW_ROUNDS);
		forward += step == LIVELOCK_POLICY_FORWARD ? policy.step : 0;
	}
	assert_int_equal(forward, policy.forward_ever);
	assert_true(
		strstr(livelock_policy_words(&policy, &idle, false, &(struct livelock_detector){0}),
	               "advanced by 60 s"));
	*ret_time = now - begin;
	return forward;
}

/* Clocks that are advanced reach any limit soon, however long a round takes. */
static void test_advance_clocks(void **state)
{
	static const guint32 rounds_us[] = {20, 1000, 100000, 1000000};
	gint64 time;

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(rounds_us); i++) {
		gint64 forward = advance_clocks(rounds_us[i], 1, &time);

		assert_int_equal(forward, LIVELOCK_POLICY_FORWARD_SECONDS * 1000);
		if (rounds_us[i] <= 1000)
			assert_true(time < 4 * G_TIME_SPAN_SECOND);
	}
	advance_clocks(1000, 900, &time); /* a rank that computes may end by itself */
	assert_true(time > LIVELOCK_POLICY_SECONDS * G_TIME_SPAN_SECOND);
}

/* It starts anew if something happens. */
static void test_advance_clocks_again(void **state)
{
	struct world_idle idle = {.rounds = LIVELOCK_POLICY_QUICK + 1, .timed = true};
	struct livelock_policy policy = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 1000, 1),
			LIVELOCK_POLICY_FORWARD);
	assert_int_equal(policy.forward_ever, 3 * LIVELOCK_POLICY_FORWARD_RATE);
	idle.rounds = 1;
	assert_int_equal(
		livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, false, 2000, 1),
		LIVELOCK_POLICY_ANSWER);
	assert_int_equal(policy.forward, 0);
	assert_int_equal(policy.forward_ever, 3 * LIVELOCK_POLICY_FORWARD_RATE);
}

/* A rank that computes between polls does something else. */
static void test_busy(void **state)
{
	gint64 time;

	(void)state;
	rounds_answered((struct world_idle){0}, LIVELOCK_UNKNOWN, false, 1000, 900, &time);
	assert_true(time > LIVELOCK_POLICY_BUSY_SECONDS * G_TIME_SPAN_SECOND);
}

/* A rank that sleeps between polls does not. */
static void test_sleeping(void **state)
{
	gint64 time;

	(void)state;
	rounds_answered((struct world_idle){.rounds = LIVELOCK_POLICY_QUICK}, LIVELOCK_UNKNOWN,
	                false, 10000, 1, &time);
	assert_true(time < 2 * LIVELOCK_POLICY_SECONDS * G_TIME_SPAN_SECOND);
}

/* A counter may have a limit. If waiting was in vain once, it does not wait again. */
static void test_changing(void **state)
{
	struct world_idle idle = {.rounds = LIVELOCK_POLICY_ROUNDS + 1};
	struct livelock_policy policy = {.since = 1};
	gint64 time;
	guint rounds = rounds_answered((struct world_idle){0}, LIVELOCK_CHANGES, false, 20, 1,
	                               &time);

	(void)state;
	assert_int_equal(rounds, LIVELOCK_POLICY_CHANGES_ROUNDS + 1);
	rounds_answered((struct world_idle){0}, LIVELOCK_CHANGES, false, 10000, 1, &time);
	assert_true(time > LIVELOCK_POLICY_CHANGES_SECONDS * G_TIME_SPAN_SECOND);
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_CHANGES, true, 2, 1),
	                 LIVELOCK_POLICY_OVER);
	assert_int_equal(livelock_policy_check(&policy, &idle, false, LIVELOCK_OPEN, true, 2, 1),
	                 LIVELOCK_POLICY_LOOK);
}

/* Two ranks are asked, and both answer. */
static void look(struct livelock_detector *detector, guint rounds, guint64 first, guint64 second)
{
	struct wire_digest digest = {.hash = {1}};

	assert_true(livelock_detector_is_due(detector, rounds));
	livelock_detector_ask(detector, rounds, 2);
	digest.hash[1] = first;
	assert_true(livelock_detector_answer(detector, 0, &digest));
	digest.hash[1] = second;
	assert_true(livelock_detector_answer(detector, 3, &digest));
	assert_false(livelock_detector_answer(detector, 3, &digest));
}

static void test_detector(void **state)
{
	struct livelock_detector detector = {0};

	(void)state;
	look(&detector, 100, 1, 2);
	assert_false(livelock_detector_is_due(&detector, 100 + LIVELOCK_DETECTOR_ROUNDS - 1));
	look(&detector, 100 + LIVELOCK_DETECTOR_ROUNDS, 1, 3);
	assert_int_equal(detector.state, LIVELOCK_OPEN);
	assert_int_equal(detector.changed, 3);
	look(&detector, 100 + 2 * LIVELOCK_DETECTOR_ROUNDS, 1, 3);
	assert_int_equal(detector.state, LIVELOCK_CLOSED);
	/* States that take turns come back, too; of all ranks at once. */
	livelock_detector_release(&detector);
	look(&detector, 100, 1, 2);
	look(&detector, 100 + LIVELOCK_DETECTOR_ROUNDS, 2, 1);
	assert_int_equal(detector.state, LIVELOCK_OPEN);
	look(&detector, 100 + 2 * LIVELOCK_DETECTOR_ROUNDS, 1, 1);
	assert_int_equal(detector.state, LIVELOCK_OPEN);
	look(&detector, 100 + 3 * LIVELOCK_DETECTOR_ROUNDS, 2, 1);
	assert_int_equal(detector.state, LIVELOCK_CLOSED);
	assert_true(livelock_detector_is_due(&detector, 7)); /* something has happened */
	assert_int_equal(detector.state, LIVELOCK_OPEN);
	for (guint i = 0; i < LIVELOCK_DETECTOR_LOOKS; i++)
		look(&detector, 100 + i * LIVELOCK_DETECTOR_ROUNDS, i, 2);
	assert_int_equal(detector.state, LIVELOCK_CHANGES);
	assert_int_equal(detector.changed, 0);
	livelock_detector_release(&detector);
	livelock_detector_ask(&detector, 100, 0);
	assert_int_equal(detector.state, LIVELOCK_UNKNOWN);
	livelock_detector_release(&detector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted),        cmocka_unit_test(test_failed),
		cmocka_unit_test(test_timed),          cmocka_unit_test(test_busy),
		cmocka_unit_test(test_advance_clocks), cmocka_unit_test(test_advance_clocks_again),
		cmocka_unit_test(test_sleeping),       cmocka_unit_test(test_changing),
		cmocka_unit_test(test_detector),       cmocka_unit_test(test_immediate),
		cmocka_unit_test(test_spins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
