/* How an operation uses memory of its rank, and what the program may do to that memory meanwhile: a
 * part of the wire protocol (wire.h), with its version and rules. */
#ifndef MATCHPOINT_COMMON_WIRE_USE_H
#define MATCHPOINT_COMMON_WIRE_USE_H

#include <stdbool.h>
#include <stdint.h>

enum wire_use {
	WIRE_USE_SEND,
	WIRE_USE_RECEIVE,
	WIRE_USE_COLLECTIVE,
	WIRE_USE_ONE_SIDED, /* of the rank's own memory, not the window's */
	WIRE_USE_DIRECT,    /* a load or store of the program; `writes`: a store */
	WIRE_USE_TO_FILE,   /* of MPI-IO, nonblocking or in two calls; it has no name */
	WIRE_USE_FROM_FILE, /* likewise */
	WIRE_USE_COUNT
};

/* Whether the operation, which has no name, reads or writes a file. */
static inline bool wire_use_is_file(uint8_t kind)
{
	return kind == WIRE_USE_TO_FILE || kind == WIRE_USE_FROM_FILE;
}

enum wire_touch {
	WIRE_TOUCH_CHANGED,  /* the program has written to the buffer */
	WIRE_TOUCH_UNMAPPED, /* the memory is gone */
	WIRE_TOUCH_LEFT,     /* it was in the frame of a function that has returned */
	WIRE_TOUCH_FREED,    /* the program has freed or unmapped it */
	WIRE_TOUCH_COUNT
};

#endif
