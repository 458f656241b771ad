#include "known_stacks.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

#include "common/mix.h"

#if defined(__x86_64__)

enum {
	STACKS = 128,
	FRAMES = 32,  /* that are reported */
	RETURNS = 48, /* of all frames outside of the call */
};

/* A return address, and where it lies. */
struct return_address {
	uintptr_t at, value;
};

struct known {
	const void *site;
	uintptr_t stack;
	pthread_t thread;
	bool hopeless; /* it cannot be known */
	int frame_count, return_count;
	void *frames[FRAMES];
	struct return_address returns[RETURNS];
};

static struct known known[STACKS];

static struct known *place_of(const void *site, uintptr_t stack)
{
	return &known[mix((uintptr_t)site, stack) % STACKS];
}

static bool is_of(const struct known *one, const void *site, uintptr_t stack)
{
	return one->site == site && one->stack == stack
	       && pthread_equal(one->thread, pthread_self());
}

/* From the outermost on: what has changed is mostly there. */
static bool still_holds(const struct known *one)
{
	for (int i = one->return_count; i-- > 0;)
		if (*(const uintptr_t *)one->returns[i].at != one->returns[i].value)
			return false;
	return one->return_count > 0;
}

int known_stacks_find(const void *site, uintptr_t stack, void **ret_frames, int most)
{
	const struct known *one = place_of(site, stack);

	if (!is_of(one, site, stack) || one->frame_count > most || !still_holds(one))
		return 0;
	memcpy(ret_frames, one->frames, (size_t)one->frame_count * sizeof(*ret_frames));
	return one->frame_count;
}

/* _Unwind_GetCFA is the stack pointer in this frame, when the inner frame has returned: its return
 * address lies right below. */
static _Unwind_Reason_Code take_return(struct _Unwind_Context *context, void *data)
{
	struct known *one = data;
	const uintptr_t value = _Unwind_GetIP(context), stack = _Unwind_GetCFA(context);
	const uintptr_t at = stack - sizeof(value);

	if (value == 0 || (stack < one->stack && one->return_count == 0))
		return _URC_NO_REASON;
	/* Lower than the call's own: on another stack, of a signal's handler. */
	one->hopeless = one->return_count == RETURNS || stack < one->stack
	                || (one->return_count == 0 && stack != one->stack)
	                || *(const uintptr_t *)at != value;
	if (one->hopeless)
		return _URC_END_OF_STACK;
	one->returns[one->return_count++] = (struct return_address){at, value};
	return _URC_NO_REASON;
}

void known_stacks_add(const void *site, uintptr_t stack, void *const *frames, int count)
{
	struct known *one = place_of(site, stack);

	if (!is_of(one, site, stack)) {
		*one = (struct known){.site = site, .stack = stack, .thread = pthread_self()};
		return;
	}
	if (one->hopeless || count > FRAMES)
		return;
	one->return_count = 0;
	one->frame_count = count;
	memcpy(one->frames, frames, (size_t)count * sizeof(*frames));
	_Unwind_Backtrace(take_return, one);
	if (one->hopeless)
		one->return_count = 0;
}

void known_stacks_forget(void)
{
	memset(known, 0, sizeof(known));
}

#else

int known_stacks_find(const void *site, uintptr_t stack, void **ret_frames, int most)
{
	(void)site;
	(void)stack;
	(void)ret_frames;
	(void)most;
	return 0;
}

void known_stacks_add(const void *site, uintptr_t stack, void *const *frames, int count)
{
	(void)site;
	(void)stack;
	(void)frames;
	(void)count;
}

void known_stacks_forget(void)
{
}

#endif
