#include "inside.h"

#include <stddef.h>

#include "caller.h"
#include "file_and_window.h"
#include "gate.h"
#include "give_way.h"
#include "real.h"

/* Read by the scheduler at any moment; the function is written last and cleared first. */
static volatile struct wire_inside inside;

void inside_wait(unsigned function, uint64_t site)
{
	inside.site = site;
	inside.times = inside.times + 1;
	inside.function = function;
}

/* With threads that call at the same time one note would not do. */
static bool is_noted(const void *site)
{
	return gate_is_active() && !gate_is_serialised() && !caller_is_inside()
	       && !real_is_own(site);
}

bool inside_enter(unsigned function, void *site)
{
	window_note(function);
	if (!is_noted(site))
		return false;
	inside_wait(function, (uintptr_t)site_of_caller(site));
	return true;
}

bool inside_compute(unsigned function, void *site)
{
	if (!is_noted(site))
		return false;
	inside.driven = true;
	inside_step();
	inside_wait(function, (uintptr_t)site_of_caller(site));
	return true;
}

void inside_leave(void)
{
	inside.function = 0;
	inside.met = false;
	inside.driven = false;
	give_way_end();
}

void inside_meet(unsigned function, uint64_t site)
{
	if (gate_is_serialised())
		return;
	inside.met = true;
	inside_wait(function, site);
	give_way_begin(true);
}

struct wire_inside inside_drive(void)
{
	struct wire_inside before = inside;
	uint16_t function;
	const void *site;

	if (before.function != 0)
		return before;
	gate_current(&function, &site);
	inside.driven = true;
	inside.site = (uintptr_t)site;
	inside_step();
	inside.function = function;
	return before;
}

void inside_step(void)
{
	inside.steps = inside.steps + 1;
}

void inside_driven(const struct wire_inside *before)
{
	if (before->function != 0)
		return;
	inside_leave();
}

struct wire_inside inside_pause(void)
{
	struct wire_inside before = inside;

	inside_leave();
	return before;
}

void inside_resume(const struct wire_inside *before)
{
	inside.met = before->met;
	inside.driven = before->driven;
	if (before->function != 0)
		inside_wait(before->function, before->site);
	if (before->met)
		give_way_begin(true);
}

uint64_t inside_address(void)
{
	return (uintptr_t)&inside;
}
