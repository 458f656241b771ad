#include "sanitizer.h"

#include <stddef.h>

#include "sanitizer_interface.h"

bool sanitizer_is_there(void)
{
	return __asan_init != NULL;
}

void sanitizer_begin_foreign(void)
{
	if (__lsan_disable && __lsan_enable)
		__lsan_disable();
}

void sanitizer_end_foreign(void)
{
	if (__lsan_disable && __lsan_enable)
		__lsan_enable();
}

void sanitizer_find_leaks(void)
{
	if (__lsan_do_leak_check)
		__lsan_do_leak_check();
}
