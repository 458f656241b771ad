/* room: host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scheduler/host/threads.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int pair[2];
static atomic_int over;
static _Atomic pid_t id;

static pid_t own_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void *wait_for_thread(void *unused)
{
	id = own_id();
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return unused;
}

static void *listen_outside(void *unused)
{
	char byte;

	id = own_id();
	assert_int_equal(read(pair[0], &byte, 1), 1);
	return unused;
}

static void *wait_a_while(void *unused)
{
	struct pollfd never = {.fd = pair[0], .events = POLLIN};

	id = own_id();
	poll(&never, 1, 60000);
	return unused;
}

static void *spin(void *unused)
{
	id = own_id();
	while (!over)
		continue;
	return unused;
}

/* Checks how a thread that does this is seen, while it does, and after it was released. */
static void assert_seen(void *(*run)(void *), enum threads_state expected)
{
	pthread_t thread;
	struct thread_view view = {0};
	enum threads_state state = THREADS_MOVE;

	over = 0;
	id = 0;
	assert_int_equal(pipe(pair), 0);
	pthread_mutex_lock(&held);
	assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
	for (int tries = 0; tries < 5000 && (id == 0 || state != expected); tries++) {
		usleep(1000);
		view.id = id;
		if (id != 0)
			state = threads_look(getpid(), &view, 1);
		if (expected == THREADS_MOVE && tries < 20)
			assert_true(id == 0 || state == THREADS_MOVE);
	}
	assert_int_equal(state, expected);
	over = 1;
	pthread_mutex_unlock(&held);
	assert_int_equal(write(pair[1], "x", 1), 1);
	pthread_join(thread, NULL);
	view.ended = true;
	for (int tries = 0; tries < 5000 && state != THREADS_SLEEP; tries++) {
		state = threads_look(getpid(), &view, 1);
		usleep(1000);
	}
	assert_int_equal(state, THREADS_SLEEP);
	close(pair[0]);
	close(pair[1]);
}

static void test_a_thread_that_waits_for_another_sleeps(void **state)
{
	(void)state;
	assert_seen(wait_for_thread, THREADS_SLEEP);
}

static void test_a_thread_that_reads_listens(void **state)
{
	(void)state;
	assert_seen(listen_outside, THREADS_LISTEN);
}

static void test_a_time_limit_is_seen(void **state)
{
	(void)state;
	assert_seen(wait_a_while, THREADS_LINGER);
}

static void test_a_thread_that_computes_moves(void **state)
{
	(void)state;
	assert_seen(spin, THREADS_MOVE);
}

static void test_one_moving_thread_is_enough(void **state)
{
	struct thread_view views[2] = {{0}, {0}};

	(void)state;
	views[0].id = own_id(); /* it reads /proc now */
	views[1].id = own_id();
	assert_int_equal(threads_look(getpid(), views, 2), THREADS_MOVE);
	views[0].waits = views[1].waits = true;
	assert_int_equal(threads_look(getpid(), views, 2), THREADS_MOVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thread_that_waits_for_another_sleeps),
		cmocka_unit_test(test_a_thread_that_reads_listens),
		cmocka_unit_test(test_a_time_limit_is_seen),
		cmocka_unit_test(test_a_thread_that_computes_moves),
		cmocka_unit_test(test_one_moving_thread_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
