#define _GNU_SOURCE
#include "caller.h"

#include <errno.h>

#include "blocking_call.h"
#include "gate.h"
#include "shim/mpi/real.h"
#include "shim/process/process.h"
#include "shim/process/sanitizer.h"
#include "threading.h"

/* Of the controlled call that this thread is in. */
static _Thread_local bool has_error __attribute__((tls_model("initial-exec")));

static _Thread_local const void *call_site __attribute__((tls_model("initial-exec")));

/* The thread's latest call when it entered this one, which had no number yet. */
static _Thread_local uint32_t call_before __attribute__((tls_model("initial-exec")));

static bool enter_call(void **site)
{
	if (gate_is_serialised())
		threading_enter(*site);
	process_call_depth++;
	sanitizer_begin_foreign();
	has_error = false;
	*site = site_of_caller(*site);
	call_site = *site;
	call_before = gate_current_call();
	return true;
}

bool caller_enter(void **site)
{
	if (process_is_in_call() || !process_is_controlled() || real_is_own(*site))
		return false;
	threading_check_level(*site);
	return enter_call(site);
}

bool caller_enter_always(void **site)
{
	if (process_is_in_call())
		return false;
	real_mpi();
	return !real_is_own(*site) && enter_call(site);
}

void caller_leave(void)
{
	if (process_is_in_call()) {
		process_call_depth--;
		sanitizer_end_foreign();
	}
	if (!process_is_in_call())
		blocking_call_leave();
	threading_check_over();
	if (gate_is_serialised())
		threading_leave();
}

bool caller_is_program(const void *site)
{
	return process_is_managed() && !process_is_in_call() && !real_is_own(site);
}

const void *caller_site(void)
{
	return call_site;
}

uint32_t caller_call(void)
{
	uint32_t call = gate_current_call();

	return process_is_in_call() && call != call_before ? call : 0;
}

void caller_note_error(void)
{
	has_error = true;
}

bool caller_has_noted_error(void)
{
	return has_error;
}

struct caller_pause caller_suspend(void)
{
	struct caller_pause pause = {process_call_depth, call_site, blocking_call_pause()};

	for (unsigned depth = 0; depth < pause.depth; depth++)
		sanitizer_end_foreign();
	process_call_depth = 0;
	return pause;
}

void caller_resume(const struct caller_pause *pause)
{
	process_call_depth = pause->depth;
	call_site = pause->site;
	for (unsigned depth = 0; depth < pause->depth; depth++)
		sanitizer_begin_foreign();
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
