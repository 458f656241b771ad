#include "blocking_call.h"

#include <stddef.h>

#include "caller.h"
#include "gate.h"
#include "shim/mpi/real.h"
#include "shim/process/process.h"
#include "yielding.h"

/* The scheduler may read it at any moment: the function is written last and cleared first. */
static volatile struct wire_blocking_call inside;

void blocking_call_wait(unsigned function, uint64_t site)
{
	inside.site = site;
	inside.times = inside.times + 1;
	inside.function = function;
}

/* One note is not enough for threads that call at the same time. */
static bool is_noted(const void *site)
{
	return process_is_controlled() && !gate_is_serialised() && !process_is_in_call()
	       && !real_is_own(site);
}

bool blocking_call_enter(unsigned function, void *site)
{
	if (!is_noted(site))
		return false;
	blocking_call_wait(function, (uintptr_t)site_of_caller(site));
	return true;
}

bool blocking_call_compute(unsigned function, void *site)
{
	if (!is_noted(site))
		return false;
	inside.driven = true;
	blocking_call_step();
	blocking_call_wait(function, (uintptr_t)site_of_caller(site));
	return true;
}

void blocking_call_leave(void)
{
	inside.function = 0;
	inside.met = false;
	inside.driven = false;
	yielding_end();
}

void blocking_call_meet(unsigned function, uint64_t site)
{
	if (gate_is_serialised())
		return;
	inside.met = true;
	blocking_call_wait(function, site);
	yielding_begin(true);
}

struct wire_blocking_call blocking_call_drive(void)
{
	struct wire_blocking_call before = inside;
	uint16_t function;
	const void *site;

	if (before.function != 0)
		return before;
	gate_current(&function, &site);
	inside.driven = true;
	inside.site = (uintptr_t)site;
	blocking_call_step();
	inside.function = function;
	return before;
}

void blocking_call_step(void)
{
	inside.steps = inside.steps + 1;
}

void blocking_call_driven(const struct wire_blocking_call *before)
{
	if (before->function != 0)
		return;
	blocking_call_leave();
}

struct wire_blocking_call blocking_call_pause(void)
{
	struct wire_blocking_call before = inside;

	blocking_call_leave();
	return before;
}

void blocking_call_resume(const struct wire_blocking_call *before)
{
	inside.met = before->met;
	inside.driven = before->driven;
	if (before->function != 0)
		blocking_call_wait(before->function, before->site);
	if (before->met)
		yielding_begin(true);
}

uint64_t blocking_call_address(void)
{
	return (uintptr_t)&inside;
}
