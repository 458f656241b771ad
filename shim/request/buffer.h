/* The buffer that the program attaches for MPI_Bsend (MPI 3.1, section 3.6). The shim keeps its own
 * copies of messages. Of the program's buffer only the size matters: a message that does not fit is
 * an error here, too. MPI_Buffer_detach waits until the scheduler reports that all messages sent
 * through the buffer are matched. */
#ifndef MATCHPOINT_SHIM_REQUEST_BUFFER_H
#define MATCHPOINT_SHIM_REQUEST_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/wire.h"

/* The part of the buffer that a message occupies. */
struct buffer_room {
	size_t bytes;      /* 0: none */
	uint32_t attached; /* which buffer: the number of attachments so far */
};

/* Takes room for a message of `bytes` and MPI_BSEND_OVERHEAD. Waits a moment for messages that MPI
 * is about to deliver. Zero bytes: the message does not fit. Otherwise the result must be returned
 * by buffer_give_back, also after the buffer was detached. */
struct buffer_room buffer_take(size_t bytes);
void buffer_give_back(struct buffer_room room);

/* The attached buffer, as in struct wire_op; 0: none. */
uint64_t buffer_attached(void);

/* The message for which room was taken last has this name, and is on its way. */
void buffer_hold(struct wire_name send);

#endif
