#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../scheduler/patience.h"

/* Polls with so long between them (microseconds), until it is over; the rounds that were told. */
static guint rounds_told(struct world_idle idle, gboolean failed, gint64 pace, guint64 busy,
                         gint64 *ret_time)
{
	struct patience patience = {0};
	gint64 begin = G_TIME_SPAN_DAY, now = begin;

	while (patience_look(&patience, &idle, failed, now, 1) != PATIENCE_OVER) {
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
	assert_int_equal(rounds_told((struct world_idle){0}, FALSE, 20, 1, &time),
	                 PATIENCE_ROUNDS + 1);
	assert_true(time < G_TIME_SPAN_SECOND);
}

static void test_failed(void **state)
{
	gint64 time;

	(void)state;
	assert_int_equal(rounds_told((struct world_idle){0}, TRUE, 20, 1, &time),
	                 PATIENCE_FAILED + 1);
}

/* A time limit may be reached: as long as before, and not in haste. */
static void test_timed(void **state)
{
	struct world_idle idle = {.rounds = PATIENCE_QUICK, .calls = PATIENCE_QUICK, .timed = TRUE};
	struct patience patience = {0};
	gint64 time;

	(void)state;
	assert_int_equal(patience_look(&patience, &idle, FALSE, 1, 1), PATIENCE_TELL);
	idle.rounds++;
	assert_int_equal(patience_look(&patience, &idle, FALSE, 2, 1), PATIENCE_WAIT);
	rounds_told((struct world_idle){.timed = TRUE}, FALSE, 1000, 1, &time);
	assert_true(time > PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
	assert_true(time < 2 * PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
}

/* A rank that computes between polls does something else. */
static void test_busy(void **state)
{
	gint64 time;

	(void)state;
	rounds_told((struct world_idle){0}, FALSE, 1000, 900, &time);
	assert_true(time > PATIENCE_BUSY_SECONDS * G_TIME_SPAN_SECOND);
}

/* One that sleeps does not. */
static void test_sleeping(void **state)
{
	gint64 time;

	(void)state;
	rounds_told((struct world_idle){.rounds = PATIENCE_QUICK}, FALSE, 10000, 1, &time);
	assert_true(time < 2 * PATIENCE_SECONDS * G_TIME_SPAN_SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted), cmocka_unit_test(test_failed),
		cmocka_unit_test(test_timed),   cmocka_unit_test(test_busy),
		cmocka_unit_test(test_sleeping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
