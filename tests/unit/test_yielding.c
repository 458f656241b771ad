/* A thread that waits in a loop without yielding is made to pause; one that works is not. */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int yielded(void);
static long called(long number, ...);
#define sched_yield yielded
#define syscall called
#include "shim/gate/yielding.c"
#undef syscall

static volatile sig_atomic_t yields;
static volatile sig_atomic_t pauses;
static long paused_ns; /* the latest pause */
static volatile sig_atomic_t signals;

static int yielded(void)
{
	yields++;
	return 0;
}

/* Pauses are only counted. */
static long called(long number, ...)
{
	va_list arguments;

	if (number != SYS_nanosleep)
		return syscall(number);
	va_start(arguments, number);
	paused_ns = va_arg(arguments, const struct timespec *)->tv_nsec;
	va_end(arguments);
	pauses++;
	return 0;
}

static void count_signal(int number)
{
	(void)number;
	signals++;
}

static bool is_default(void)
{
	struct sigaction now;

	return sigaction(SIGVTALRM, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

static void see(uintptr_t place)
{
	ucontext_t context = {0};

#if defined(__x86_64__)
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)place;
#else
	context.uc_mcontext.pc = place;
#endif
	errno = ENOENT;
	on_timer(SIGVTALRM, NULL, &context);
	assert_int_equal(errno, ENOENT);
}

/* That takes more than a few instructions. */
static void test_a_waiting_thread_yields(void **state)
{
	(void)state;
	yields = 0;
	yielding_begin(true);
	see(0x10000);
	see(0x20000);
	yielding_end();
	assert_true(yields >= 2);
	yields = 0;
	yielding_begin(false);
	yielding_end();
	see(0x30000);
	assert_int_equal(yields, 0);
}

static void test_a_loop_pauses(void **state)
{
	(void)state;
	pauses = 0;
	yielding_begin(false);
	assert_false(is_default());
	while (pauses < 3)
		;
	yielding_end();
	assert_true(is_default());
	assert_int_equal(yields, 0);
}

static void test_only_threads_that_have_not_moved(void **state)
{
	(void)state;
	pauses = 0;
	last_place = loop_place = 0;
	see(0x10000);
	see(0x20000);
	see(0x20000 + LOOP_BYTES);
	see(0x20000 - LOOP_BYTES);
	assert_int_equal(pauses, 0);
	see(0x20000 - LOOP_BYTES);
	assert_int_equal(pauses, 1);
	see(0x20000 - LOOP_BYTES / 2);
	assert_int_equal(pauses, 2);
	see(0x20000 - LOOP_BYTES);
	assert_int_equal(pauses, 3);
	assert_int_equal(yields, 0);
}

static void test_a_known_loop_pauses_at_once(void **state)
{
	(void)state;
	last_place = loop_place = 0;
	see(0x20000);
	see(0x20000);
	see(0x30000);
	pauses = 0;
	see(0x20000 + LOOP_BYTES / 2);
	assert_int_equal(pauses, 1);
	see(0x30000);
	assert_int_equal(pauses, 1);
}

static void test_pauses_grow_up_to_a_bound(void **state)
{
	(void)state;
	last_place = loop_place = 0;
	see(0x20000);
	see(0x20000);
	assert_int_equal(paused_ns, PAUSE_NS);
	for (int i = 0; i < 100; i++)
		see(0x20000);
	assert_int_equal(paused_ns, PAUSE_MOST_NS);
	see(0x30000);
	see(0x30000);
	assert_int_equal(paused_ns, PAUSE_NS);
}

static void test_it_does_not_check_for_ever(void **state)
{
	struct itimerspec left;

	(void)state;
	yielding_begin(false);
	for (int i = 0; i < LOOKS_MOST; i++)
		see(0x10000);
	timer_settime(timer, 0, &(struct itimerspec){0}, NULL);
	see(0x10000);
	assert_int_equal(timer_gettime(timer, &left), 0);
	assert_int_equal(left.it_value.tv_sec + left.it_value.tv_nsec, 0);
	yielding_end();
}

static void test_the_signal_is_the_program_s(void **state)
{
	sigset_t signal_set;

	(void)state;
	yields = 0;
	signal(SIGVTALRM, count_signal);
	yielding_begin(false);
	raise(SIGVTALRM);
	assert_int_equal(signals, 1);
	yielding_end();
	raise(SIGVTALRM);
	assert_int_equal(signals, 2);
	signal(SIGVTALRM, SIG_DFL);
	yielding_begin(false);
	signal(SIGVTALRM, count_signal); /* another thread of the process */
	yielding_end();
	raise(SIGVTALRM);
	assert_true(signals >= 3);
	signal(SIGVTALRM, SIG_DFL);

	sigemptyset(&signal_set);
	sigaddset(&signal_set, SIGVTALRM);
	pthread_sigmask(SIG_BLOCK, &signal_set, NULL);
	yielding_begin(false);
	assert_true(is_default());
	yielding_end();
	pthread_sigmask(SIG_UNBLOCK, &signal_set, NULL);
	assert_int_equal(yields, 0);
}

static void test_nothing_comes_afterwards(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) { /* a pending signal would end the process */
		yielding_begin(false);
		for (volatile int wait = 0; wait < i * 200; wait++)
			;
		yielding_end();
		assert_true(is_default());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_waiting_thread_yields),
		cmocka_unit_test(test_a_loop_pauses),
		cmocka_unit_test(test_only_threads_that_have_not_moved),
		cmocka_unit_test(test_a_known_loop_pauses_at_once),
		cmocka_unit_test(test_pauses_grow_up_to_a_bound),
		cmocka_unit_test(test_it_does_not_check_for_ever),
		cmocka_unit_test(test_the_signal_is_the_program_s),
		cmocka_unit_test(test_nothing_comes_afterwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
