#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/session/interruption.h"

/* Runs the function in a process of its own. Returns its wait status. */
static int status_of(void (*function)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGINT, SIG_DFL); /* ignored under nohup, and in a shell's background */
		signal(SIGHUP, SIG_DFL);
		function();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void assert_ends_well(void (*function)(void))
{
	int status = status_of(function);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void assert_ends_by(int number, void (*function)(void))
{
	int status = status_of(function);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), number);
}

static void require(int condition)
{
	if (!condition)
		_exit(1);
}

static void ask(void)
{
	interruption_catch();
	require(interruption_asked() == 0);
	raise(SIGINT);
	require(interruption_asked() == SIGINT);
	interruption_dismiss();
	require(interruption_asked() == 0);
	raise(SIGHUP);
	require(interruption_asked() == SIGHUP);
}

static void test_the_first_signal_asks(void **state)
{
	(void)state;
	assert_ends_well(ask);
}

/* A debugger's Ctrl-C and a closed terminal at the same time, in both orders. */
static void hang_up_and_interrupt(void)
{
	interruption_catch();
	interruption_hold();
	raise(SIGHUP);
	raise(SIGINT);
	require(interruption_asked() == SIGHUP);
	interruption_dismiss();
	require(interruption_asked() == SIGHUP);
}

static void interrupt_and_hang_up(void)
{
	interruption_catch();
	interruption_hold();
	raise(SIGINT);
	require(interruption_asked() == SIGINT);
	raise(SIGHUP);
	interruption_dismiss();
	require(interruption_asked() == SIGHUP);
}

static void test_only_an_interrupt_is_dismissed(void **state)
{
	(void)state;
	assert_ends_well(hang_up_and_interrupt);
	assert_ends_well(interrupt_and_hang_up);
}

static void ask_twice(void)
{
	interruption_catch();
	raise(SIGINT);
	raise(SIGTERM);
}

static void test_the_second_ends_at_once(void **state)
{
	(void)state;
	assert_ends_by(SIGTERM, ask_twice);
}

static void ask_while_held(void)
{
	interruption_catch();
	interruption_hold();
	interruption_hold();
	raise(SIGINT);
	raise(SIGINT);
	interruption_release();
	raise(SIGTERM);
	require(interruption_asked() == SIGTERM);
	interruption_release();
	raise(SIGHUP);
}

static void test_a_held_process_is_not_ended_at_once(void **state)
{
	(void)state;
	assert_ends_by(SIGHUP, ask_while_held);
}

static void ask_again_while_held(void)
{
	interruption_catch();
	interruption_hold();
	raise(SIGINT);
	usleep(150000);
	raise(SIGTERM);
	require(interruption_asked() == SIGTERM);
	require(alarm(0) > 0);
	raise(SIGALRM);
	pause();
}

static void test_a_held_process_that_hangs_ends(void **state)
{
	(void)state;
	assert_ends_by(SIGTERM, ask_again_while_held);
}

static void ignore(void)
{
	signal(SIGHUP, SIG_IGN);
	interruption_catch();
	raise(SIGHUP);
	raise(SIGHUP);
	require(interruption_asked() == 0);
}

static void test_ignored_signals_stay_ignored(void **state)
{
	(void)state;
	assert_ends_well(ignore);
}

static void count(uv_async_t *async)
{
	++*(int *)async->data;
}

static void watch(void)
{
	uv_loop_t loop;
	uv_async_t async;
	int told = 0;

	interruption_catch();
	interruption_hold();
	raise(SIGINT);
	uv_loop_init(&loop);
	uv_async_init(&loop, &async, count);
	async.data = &told;
	interruption_watch(&async);
	uv_run(&loop, UV_RUN_NOWAIT);
	require(told == 1);
	raise(SIGTERM);
	uv_run(&loop, UV_RUN_NOWAIT);
	require(told == 2);
	interruption_watch(NULL);
	raise(SIGTERM);
	uv_run(&loop, UV_RUN_NOWAIT);
	require(told == 2);
	uv_close((uv_handle_t *)&async, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	require(uv_loop_close(&loop) == 0);
}

static void test_the_watcher_is_notified(void **state)
{
	(void)state;
	assert_ends_well(watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_signal_asks),
		cmocka_unit_test(test_only_an_interrupt_is_dismissed),
		cmocka_unit_test(test_the_second_ends_at_once),
		cmocka_unit_test(test_a_held_process_is_not_ended_at_once),
		cmocka_unit_test(test_a_held_process_that_hangs_ends),
		cmocka_unit_test(test_ignored_signals_stay_ignored),
		cmocka_unit_test(test_the_watcher_is_notified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
