/* Stacks that are known: the same as if they were unwound again, from whichever function and at
 * whichever depth the call is made. */
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "shim/process/known_stacks.c"

#define APART __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

enum { MOST = 64 };

static int found; /* of the calls so far */
static volatile int sink;

/* As the wrapper of an MPI call. */
static APART void call(void)
{
	const void *site = __builtin_return_address(0);
	const uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	void *frames[MOST], *expected[MOST];
	int all = backtrace(expected, MOST), first = 0;
	int count = known_stacks_find(site, stack, frames, MOST);

	while (first < all && expected[first] != site)
		first++;
	if (count == 0) {
		known_stacks_add(site, stack, expected + first, all - first);
		return;
	}
	found++;
	assert_int_equal(count, all - first);
	assert_memory_equal(frames, expected + first, sizeof(*frames) * (size_t)count);
}

static APART void middle(void)
{
	call();
	sink++;
}

static APART void one(void)
{
	middle();
	sink++;
}

static APART void other(void)
{
	middle();
	sink++;
}

static APART void deep(int depth)
{
	if (depth > 0)
		deep(depth - 1);
	else
		middle();
	sink++;
}

/* All calls are made from one place: the loop is not unrolled (GCC 14 does so). */
static APART int found_in(void (*function)(void), int times)
{
	found = 0;
#pragma GCC unroll 1
	for (int i = 0; i < times; i++)
		function();
	return found;
}

static bool may_be_known(void)
{
#if defined(__x86_64__)
	return true;
#else
	return false;
#endif
}

/* The second time its return addresses are noted. */
static void test_the_same_call(void **state)
{
	(void)state;
	known_stacks_forget();
	assert_int_equal(found_in(one, 10), may_be_known() ? 8 : 0);
	known_stacks_forget();
	assert_int_equal(found_in(one, 2), 0);
}

/* The innermost frame and the stack pointer are the same. */
static void test_another_caller(void **state)
{
	(void)state;
	known_stacks_forget();
	for (int i = 0; i < 100; i++) {
		found_in(one, 1 + i % 3);
		found_in(other, 1 + i % 5);
	}
	assert_int_equal(found_in(one, 10) >= 8, may_be_known());
}

static void test_depths(void **state)
{
	(void)state;
	known_stacks_forget();
	found = 0;
	for (int i = 0; i < 400; i++)
		deep(i * 7 % 20);
	assert_int_equal(found > 0, may_be_known());
	for (int i = 0; i < 3; i++)
		deep(MOST); /* more than is kept */
}

static void on_signal(int number)
{
	(void)number;
	middle();
	sink++;
}

/* Where a signal strikes is no return address on the stack. */
static void test_in_handlers(void **state)
{
	static char memory[64 * 1024];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_handler = on_signal};

	(void)state;
	known_stacks_forget();
	found = 0;
	sigaltstack(&stack, NULL);
	for (int i = 0; i < 10; i++) {
		action.sa_flags = i % 2 ? SA_ONSTACK : 0;
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
	}
	assert_int_equal(found, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_call),
		cmocka_unit_test(test_another_caller),
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_in_handlers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
