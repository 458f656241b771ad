/* The recorder between the program and the shim (shim/record/below.h): `matchpoint replay --record`
 * preloads both. The program's calls then come to the shim from the recorder, which knows where the
 * program has made them. */
#ifndef MATCHPOINT_SHIM_PROCESS_ABOVE_H
#define MATCHPOINT_SHIM_PROCESS_ABOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The present call of a thread, as the program has made it. */
struct above_call {
	void *site;      /* its return address */
	uintptr_t stack; /* the stack pointer, without the call's own frame */
};

/* Exported by the shim, and found by the recorder under these names (dlsym). Stand: before the
 * first call that the recorder passes on; `call` returns that of this thread, valid until its next
 * one. Clear: the last that the recorder does in a call; as stack_residue.h, below the caller's
 * frame. Refuse: no recording can hold the call, made at `site`; ends the exploration with this
 * text, and does not return. */
#define ABOVE_REFUSE "matchpoint_refuse_above"
#define ABOVE_STAND "matchpoint_stand_above"
#define ABOVE_CLEAR "matchpoint_clear_above"
typedef const struct above_call *above_call_function(void);
typedef void above_stand_function(above_call_function *call);
typedef void above_clear_function(void);
typedef void above_refuse_function(const void *site, const char *text);

extern above_call_function *above_call; /* NULL: nothing stands above the shim */

/* Whether an address lies in the recorder. */
bool above_has(const void *address);

/* For a wrapper of the shim: where the program has made the call, and with which stack pointer. The
 * arguments are the wrapper's own. */
static inline void *above_site(void *return_address)
{
	return __builtin_expect(above_call != NULL, 0) ? above_call()->site : return_address;
}

static inline uintptr_t above_stack(uintptr_t pointer)
{
	return __builtin_expect(above_call != NULL, 0) ? above_call()->stack : pointer;
}

#endif
