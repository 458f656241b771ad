/* room: liveness. A launcher that has started no process for rank 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/liveness/liveness.h"

struct fixture {
	struct host host; /* must be first */
	gint64 now;
	int without; /* rank that has no process; -1: all have */
	guint looks;
};

static gint64 now(struct host *host)
{
	return ((struct fixture *)host)->now;
}

static int without_process(struct host *host, const pid_t *processes, int ranks)
{
	struct fixture *fixture = (struct fixture *)host;

	assert_true(processes && ranks == 2);
	fixture->looks++;
	return fixture->without;
}

static const struct host_operations operations = {.now = now,
                                                  .rank_without_process = without_process};

/* Checks every 0.1 s for so long. Returns the rank that will never connect, or -1. */
static int check_for(struct fixture *fixture, struct absent_ranks *absent, const pid_t *pids,
                     double seconds)
{
	const gint64 end = fixture->now + (gint64)(seconds * G_USEC_PER_SEC);
	int rank = -1;

	while (rank < 0 && fixture->now < end) {
		fixture->now += G_USEC_PER_SEC / 10;
		rank = absent_ranks_check(absent, &fixture->host, pids, 2);
	}
	return rank;
}

static struct fixture begin(int without)
{
	return (struct fixture){.host.operations = &operations, .now = 1000, .without = without};
}

static void a_rank_without_process_is_reported_after_a_while(void **state)
{
	struct fixture fixture = begin(1);
	struct absent_ranks absent = {0};
	const pid_t pids[] = {7, 0};

	(void)state;
	assert_int_equal(check_for(&fixture, &absent, pids, 2), -1);
	assert_int_equal(check_for(&fixture, &absent, pids, 5), 1);
}

/* A launcher may be slow to start the first. */
static void it_takes_longer_if_no_rank_has_connected(void **state)
{
	struct fixture fixture = begin(0);
	struct absent_ranks absent = {0};
	const pid_t pids[] = {0, 0};

	(void)state;
	assert_int_equal(check_for(&fixture, &absent, pids, 15), -1);
	assert_int_equal(check_for(&fixture, &absent, pids, 10), 0);
}

static void a_process_that_appears_late_is_no_absent_rank(void **state)
{
	struct fixture fixture = begin(1);
	struct absent_ranks absent = {0};
	const pid_t pids[] = {7, 0};

	(void)state;
	assert_int_equal(check_for(&fixture, &absent, pids, 2), -1);
	fixture.without = -1;
	assert_int_equal(check_for(&fixture, &absent, pids, 1), -1);
	fixture.without = 1; /* it was only being replaced: counted anew */
	assert_int_equal(check_for(&fixture, &absent, pids, 2), -1);
}

/* To look costs a walk over all processes of the machine. */
static void it_looks_seldom(void **state)
{
	struct fixture fixture = begin(-1);
	struct absent_ranks absent = {0};
	const pid_t pids[] = {7, 0};

	(void)state;
	check_for(&fixture, &absent, pids, 10);
	assert_in_range(fixture.looks, 10, 21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_without_process_is_reported_after_a_while),
		cmocka_unit_test(it_takes_longer_if_no_rank_has_connected),
		cmocka_unit_test(a_process_that_appears_late_is_no_absent_rank),
		cmocka_unit_test(it_looks_seldom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
