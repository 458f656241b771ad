/* The buffer that the program attaches for MPI_Bsend (MPI 3.1, section 3.6). The shim keeps its own
 * copies of messages; of the program's buffer only the size matters: a message that would not fit
 * is an error here, too. MPI_Buffer_detach waits until the scheduler says that all messages that
 * were sent through the buffer are matched. */
#ifndef MATCHPOINT_SHIM_REQUEST_BUFFER_H
#define MATCHPOINT_SHIM_REQUEST_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/wire.h"

/* What a message takes of it. */
struct buffer_room {
	size_t bytes;      /* 0: none */
	uint32_t attached; /* of which buffer: the how-manieth that was attached */
};

/* Takes room for a message of so many bytes and MPI_BSEND_OVERHEAD; waits a moment for messages
 * that the library is about to deliver. None: it does not fit; else what is to be given back, which
 * may be after the buffer was detached. */
struct buffer_room buffer_take(size_t bytes);
void buffer_give_back(struct buffer_room room);

/* Which buffer is attached, as in struct wire_op; 0: none. */
uint64_t buffer_attached(void);

/* The message that took room last has this name, and is on its way. */
void buffer_hold(struct wire_name send);

#endif
