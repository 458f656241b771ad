#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/session/session_machine.h"

static void test_few_ranks_need_no_words(void **state)
{
	(void)state;
	assert_null(session_machine_warning(4));
}

static void test_many_ranks_are_warned_of(void **state)
{
	g_autofree char *many = session_machine_warning(1000);
	g_autofree char *too_many = session_machine_warning(10000000);

	(void)state;
	assert_non_null(strstr(many, "1000 ranks need about 4008 processes and threads, and "
	                             "16000 MB of memory"));
	assert_non_null(strstr(too_many, "are allowed (ulimit -u)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_ranks_need_no_words),
		cmocka_unit_test(test_many_ranks_are_warned_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
