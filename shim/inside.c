#include "inside.h"

#include <stddef.h>

#include "caller.h"
#include "file_and_window.h"
#include "gate.h"
#include "real.h"
#include "wire.h"

/* Read by the scheduler at any moment; the function is written last and cleared first. */
static volatile struct wire_inside inside;

void inside_wait(unsigned function, uint64_t site)
{
	inside.site = site;
	inside.times = inside.times + 1;
	inside.function = function;
}

/* With threads that call at the same time one note would not do. */
bool inside_enter(unsigned function, void *site)
{
	window_note(function);
	if (!gate_is_active() || gate_is_serialised() || caller_is_inside()
	    || real_is_own(site))
		return false;
	inside_wait(function, (uintptr_t)site_of_caller(site));
	return true;
}

void inside_leave(void)
{
	inside.function = 0;
}

uint64_t inside_address(void)
{
	return (uintptr_t)&inside;
}
