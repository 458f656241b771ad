#define _GNU_SOURCE
#include "outside.h"

#include <errno.h>

#include "call.h"
#include "memory.h"
#include "replay.h"

bool outside_is_programs(const void *site)
{
	return record_inside == 0 && !memory_is_mpis(site);
}

bool outside_begin(struct outside_call *call, enum inputs_function function, const void *site)
{
	const bool is_programs = outside_is_programs(site);

	*call = (struct outside_call){.function = function, .site = site};
	if (!log_replaying) {
		call->is_recorded = is_programs && record_is_on;
		return true;
	}
	if (!is_programs)
		return true;
	call->is_given = inputs_enter(function, site);
	call->is_refused = !call->is_given;
	return false;
}

bool outside_logs(struct outside_call *call)
{
	const int number = errno;

	if (call->is_recorded)
		call->is_given = inputs_enter(call->function, call->site);
	errno = number;
	return call->is_given;
}

/* Once for each function. Silent at the end of the process, when nothing is recorded any more. */
static void tell_refused(enum inputs_function function)
{
	static bool told[INPUTS_END];

	if (!record_is_on || __atomic_exchange_n(&told[function], true, __ATOMIC_RELAXED))
		return;
	replay_tell(REPLAY_REMARK,
	            "the recording does not have this call of %s, as of another thread than the "
	            "first: it is not carried out",
	            inputs_name((uint64_t)function));
}

bool outside_fails(const struct outside_call *call, int number)
{
	if (!call->is_refused)
		return false;
	tell_refused(call->function);
	errno = number;
	return true;
}

int64_t outside_result(struct outside_call *call, int64_t result, int refusal)
{
	if (outside_logs(call)) {
		result = inputs_result(result);
		inputs_leave();
	} else if (outside_fails(call, refusal)) {
		result = -1;
	}
	return result;
}
