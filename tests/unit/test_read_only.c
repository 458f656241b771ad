/* room: backwards. Memory that a process cannot write to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/backwards/read_only.h"

static const char maps[] = "555555554000-555555555000 r--p 00000000 fe:00 1 /tmp/p/comp\n"
			   "555555555000-555555556000 r-xp 00001000 fe:00 1 /tmp/p/comp\n"
			   "555555557000-555555558000 rw-p 00002000 fe:00 1 /tmp/p/comp\n"
			   "7ffff7ffb000-7ffff7ffd000 r-xp 00000000 00:00 0 [vdso]\n"
			   "7ffff7fff000-7ffff8000000 ---p 00000000 00:00 0\n"
			   "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]";

static void knows_what_cannot_be_written(void **state)
{
	g_autoptr(GArray) ranges = read_only_parse(maps);

	(void)state;
	assert_true(read_only_has(ranges, 0x555555554000, 1));
	assert_true(read_only_has(ranges, 0x555555554ff8, 16)); /* the ranges touch */
	assert_true(read_only_has(ranges, 0x555555555fff, 1));
	assert_false(read_only_has(ranges, 0x555555555fff, 2));
	assert_false(read_only_has(ranges, 0x555555557000, 1));
	assert_true(read_only_has(ranges, 0x7ffff7ffb000, 0x2000));
	assert_false(read_only_has(ranges, 0x7ffff7ffb000, (gsize)-1));
	assert_false(read_only_has(ranges, 0x7ffff7fff000, 1));
	assert_false(read_only_has(ranges, 0xffffffffff600000, 1));
}

static void accepts_nothing(void **state)
{
	g_autoptr(GArray) none = read_only_parse(""), cut = read_only_parse("5555-\n12-3");

	(void)state;
	assert_false(read_only_has(none, 0, 1));
	assert_false(read_only_has(cut, 0x5555, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_cannot_be_written),
		cmocka_unit_test(accepts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
