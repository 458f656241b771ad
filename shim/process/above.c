#define _GNU_SOURCE
#include "above.h"

#include <dlfcn.h>

above_call_function *above_call;

bool above_has(const void *address)
{
	Dl_info its, own;

	return above_call && dladdr(address, &its) != 0
	       && dladdr((const void *)(uintptr_t)above_call, &own) != 0
	       && its.dli_fbase == own.dli_fbase;
}
