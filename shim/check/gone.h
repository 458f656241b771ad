/* Finds buffers of active operations whose memory is gone.
 *
 * In the frame of a function that has returned: they lie below the stack pointer that the program
 * has in a later call. Only buffers on the stack of the thread that starts the operation are
 * examined, and only in calls of this thread on the same stack. So coroutines and alternate stacks
 * of signal handlers do no harm. A call through MPI's Fortran or C++ bindings has a frame of theirs
 * between the program's and the wrapper's. A buffer that lies wholly there is missed.
 *
 * In memory that the program has freed or unmapped. */
#ifndef MATCHPOINT_SHIM_CHECK_GONE_H
#define MATCHPOINT_SHIM_CHECK_GONE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "shim/types/bytes.h"

/* The buffer of one operation. Zero-initialised: not watched. */
struct gone_watch {
	struct wire_user user;
	const struct bytes *bytes;  /* NULL: not watched */
	uintptr_t address;          /* the lowest of them */
	uintptr_t stack, stack_end; /* range of the stack that it is on; 0: on none */
	bool freed;                 /* not yet reported */
	bool found;                 /* reported: the memory is gone */
	struct gone_watch *next, *previous;
};

/* The operation begins. The memory of `watch`, and `bytes`, must stay until gone_watch_end. An
 * operation without a name is watched only if it is one-sided, and then gone_how tells; or if it
 * works on a file. */
void gone_watch_begin(struct gone_watch *watch, const struct wire_user *user,
                      const struct bytes *bytes);
void gone_watch_end(struct gone_watch *watch);
/* WIRE_TOUCH_FREED, WIRE_TOUCH_LEFT, or -1: the memory is still there, or is not watched. In the
 * thread that has begun the operation. */
int gone_how(const struct gone_watch *watch);

/* For the gate, in the thread that has just reported `call`: appends the buffers found. Each is
 * reported once. */
void gone_encode(struct wire_buffer *out, uint32_t call);

/* The program gives this memory back. In any thread, also in a process that was forked. */
void gone_note_freed(uintptr_t start, uintptr_t end);
/* Whether any buffer is watched: else gone_note_freed need not be called. */
extern const int *const gone_is_any;

#endif
