#define _GNU_SOURCE
#include "caller.h"

#include <errno.h>

#include "blocking_call.h"
#include "gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"
#include "threading.h"

/* initial-exec: the shim is preloaded, and a call costs no detour through the dynamic linker. */
static _Thread_local unsigned depth __attribute__((tls_model("initial-exec")));

static bool enter_call(void **site)
{
	if (gate_is_serialised())
		threading_enter(*site);
	depth++;
	error_open();
	*site = site_of_caller(*site);
	return true;
}

bool caller_enter(void **site)
{
	if (depth > 0 || !gate_is_active() || real_is_own(*site))
		return false;
	threading_check_level(*site);
	return enter_call(site);
}

bool caller_enter_always(void **site)
{
	if (depth > 0)
		return false;
	real_mpi();
	return !real_is_own(*site) && enter_call(site);
}

void caller_leave(void)
{
	if (depth > 0)
		depth--;
	if (depth == 0)
		blocking_call_leave();
	threading_check_over();
	if (gate_is_serialised())
		threading_leave();
}

bool caller_is_mpi(void)
{
	return depth > 0;
}

struct caller_pause caller_suspend(void)
{
	struct caller_pause pause = {depth, blocking_call_pause()};

	depth = 0;
	return pause;
}

void caller_resume(const struct caller_pause *pause)
{
	depth = pause->depth;
	blocking_call_resume(&pause->inside);
}

void *site_of_caller(void *return_address)
{
	int saved = errno;
	void *frame = return_address;

	if (real_is_binding(return_address) && real_backtrace(&frame, 1) < 1)
		frame = return_address;
	errno = saved;
	return frame;
}
