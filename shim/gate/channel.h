/* What the gate says and hears: frames (wire.h) on the socket to the scheduler. When the scheduler
 * is gone, or what it says makes no sense, the process ends at once with _exit. */
#ifndef MATCHPOINT_SHIM_GATE_CHANNEL_H
#define MATCHPOINT_SHIM_GATE_CHANNEL_H

#include <stdbool.h>
#include <time.h>

#include "common/wire.h"
#include "shim/process/memory_range.h"

/* Takes over a connected socket. */
void channel_open(int socket);
_Noreturn void channel_lost(void);

/* An empty buffer for frames that go together, and off it goes; one at a time. */
struct wire_buffer *channel_begin(void);
void channel_send(void);
/* Or it stays, and goes with whatever is sent next; at the latest before the rank waits. Where
 * several threads tell of themselves nothing does. */
void channel_keep(void);
void channel_send_kept(void);
void channel_share(void);
/* A message beside whoever is between these two; and frames, for which nothing is allocated. */
void channel_send_apart(const struct wire_message *message);
void channel_send_bytes(const uint8_t *bytes, size_t count);

/* Reads what there is; false: nothing. `waits`: for that, within the time that is set for it by
 * channel_limit_waiting, at first without end. */
bool channel_receive(bool waits);
void channel_limit_waiting(long milliseconds);
/* From now on nothing that follows REWIND is read before that has been obeyed: it would be lost. */
void channel_stop_at_rewind(void);
/* Until there is something to be read, at most so long (NULL: without end); false: there is not. */
bool channel_wait(const struct timespec *most);

/* The next of what was read; to be released by wire_message_release. false: there is none that is
 * whole. Whether there is any of one. */
bool channel_next(struct wire_message *ret_message);
bool channel_has_unread(void);

/* The memory in which frames lie, none of the program's. */
enum { CHANNEL_RANGES = 2 };
void channel_memory(struct memory_range ret_ranges[CHANNEL_RANGES]);

#endif
