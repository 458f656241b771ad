#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "scheduler/host/mpi_library.h"

static void assert_shortened(const char *version, const char *expected)
{
	g_autofree char *text = mpi_library_shorten(version);

	assert_string_equal(text, expected);
}

static void test_a_version_is_shortened(void **state)
{
	(void)state;
	assert_shortened("MPICH Version:      4.2.1\nMPICH Release date: Wed Apr 17 2024\n",
	                 "MPICH 4.2.1");
	assert_shortened("Intel(R) MPI Library 2021.5 for Linux* OS\n",
	                 "Intel(R) MPI Library 2021.5 for Linux* OS");
	assert_shortened("MVAPICH Version      :\t3.0", "MVAPICH Version : 3.0");
	assert_shortened("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_version_is_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
