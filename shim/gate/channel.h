/* The gate's connection: frames (wire.h) on the socket to the scheduler. If the scheduler is gone,
 * or a frame is invalid, the process ends at once with _exit. */
#ifndef MATCHPOINT_SHIM_GATE_CHANNEL_H
#define MATCHPOINT_SHIM_GATE_CHANNEL_H

#include <stdbool.h>
#include <time.h>

#include "common/wire.h"
#include "shim/process/memory_range.h"

/* Takes over a connected socket. */
void channel_open(int socket);
_Noreturn void channel_lost(void);

/* Begins a group of frames in an empty buffer; channel_send sends them. One group at a time. */
struct wire_buffer *channel_begin(void);
void channel_send(void);
/* Instead of channel_send: keeps the frames until the next send, at the latest until the rank
 * waits. After channel_share, for threads that send by themselves, nothing is kept. */
void channel_keep(void);
void channel_send_kept(void);
void channel_share(void);
/* Send a message, or frames, while another thread may be between begin and send. channel_send_bytes
 * allocates nothing. */
void channel_send_apart(const struct wire_message *message);
void channel_send_bytes(const uint8_t *bytes, size_t count);

/* Offers the scheduler to report through memory (common/report_ring.h), which it may take up at any
 * time or never. channel_leave_ring goes back to the socket, before the process is copied: it waits
 * until the scheduler has read everything. So does channel_share. */
void channel_offer_ring(void);
void channel_leave_ring(void);
/* Whether what is sent from now on has an answer for which the rank waits. */
void channel_expect(bool answer);

/* Reads what has arrived; false: nothing. `waits`: waits for it, at most as long as
 * channel_limit_waiting has set; without a limit at first. */
bool channel_receive(bool waits);
void channel_limit_waiting(long milliseconds);
/* From now on, reads nothing behind a REWIND before it is obeyed: it would be lost. */
void channel_stop_at_rewind(void);
/* Waits until there is something to read, at most for `most` (NULL: no limit). false: nothing. */
bool channel_wait(const struct timespec *most);

/* The next message that was read; release it with wire_message_release. false: none is complete.
 * channel_has_unread: whether there is at least a part of one. */
bool channel_next(struct wire_message *ret_message);
bool channel_has_unread(void);

/* The memory that holds frames; not the program's. */
enum { CHANNEL_RANGES = 3 };
void channel_memory(struct memory_range ret_ranges[CHANNEL_RANGES]);

#endif
