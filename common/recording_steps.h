/* How ranks that are replayed beside each other keep step (`matchpoint replay DIR --in-step`): one
 * piece of memory that matchpoint and all these ranks share. It holds the table below, then the
 * holds of all ranks. Calls are numbered as in shim/record/matches.h. libc only. */
#ifndef MATCHPOINT_COMMON_RECORDING_STEPS_H
#define MATCHPOINT_COMMON_RECORDING_STEPS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptor of that memory when the rank starts; the recorder closes it. */
#define RECORDING_STEPS_FD 899

/* The rank is held at its call `call` until rank `rank` has come to its call `until`. */
struct recording_hold {
	uint32_t call;
	uint32_t rank;
	uint32_t until;
};

/* A rank. Only what is atomic changes. */
struct recording_step {
	_Atomic uint32_t come; /* its last call that has begun, but polls; a futex, not private */
	_Atomic uint32_t waiting; /* ranks that wait for `come`, at least */
	_Atomic uint32_t is_over; /* it does not come to anything more; set by matchpoint */
	_Atomic uint32_t held;    /* the call that it is held at; 0: none */
	_Atomic uint32_t peer;    /* the rank that it then waits for */
	_Atomic uint32_t let_go;  /* it is not held at this call any longer; set by matchpoint */
	uint32_t unused[2];
	uint64_t first, count; /* of its holds, by `call` */
	uint64_t padding[2];
};
_Static_assert(sizeof(struct recording_step) == 64, "");

struct recording_steps {
	uint64_t size;  /* bytes of all */
	uint64_t ranks; /* elements of `step` */
	uint64_t holds; /* elements behind these */
	uint64_t unused[5];
	struct recording_step step[];
};

static inline size_t recording_steps_size(size_t ranks, size_t holds)
{
	return sizeof(struct recording_steps) + ranks * sizeof(struct recording_step)
	       + holds * sizeof(struct recording_hold);
}

static inline struct recording_hold *recording_steps_holds(struct recording_steps *steps)
{
	return (struct recording_hold *)(void *)(steps->step + steps->ranks);
}

#endif
