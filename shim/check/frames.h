/* Finds buffers of active operations in the frame of a function that has returned: they lie below
 * the stack pointer that the program has in a later call. Only buffers on the stack of the thread
 * that starts the operation are examined, and only in calls of this thread on the same stack. So
 * coroutines and alternate stacks of signal handlers do no harm.
 *
 * A call through MPI's Fortran or C++ bindings has a frame of theirs between the program's and the
 * wrapper's. A buffer that lies wholly there is missed. */
#ifndef MATCHPOINT_SHIM_CHECK_FRAMES_H
#define MATCHPOINT_SHIM_CHECK_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "shim/types/bytes.h"

/* The buffer of one operation. Zero-initialised: not watched. */
struct frame_watch {
	struct wire_user user;
	uintptr_t address;          /* the lowest of its bytes; 0: not watched */
	uintptr_t stack, stack_end; /* range of the stack */
	bool found;                 /* the function has returned */
	struct frame_watch *next, *previous;
};

/* The operation begins. The memory of `watch` must stay until frame_watch_end. */
void frame_watch_begin(struct frame_watch *watch, const struct wire_user *user,
                       const struct bytes *bytes);
void frame_watch_end(struct frame_watch *watch);

/* For the gate, in the thread that has just reported `call`: appends the buffers found. Each is
 * reported once. */
void frames_encode(struct wire_buffer *out, uint32_t call);

#endif
