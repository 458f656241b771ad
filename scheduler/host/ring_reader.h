/* The scheduler's side of the ring in which a rank reports (common/report_ring.h). */
#ifndef MATCHPOINT_SCHEDULER_HOST_RING_READER_H
#define MATCHPOINT_SCHEDULER_HOST_RING_READER_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "common/report_ring.h"
#include "common/wire.h"

struct ring_reader;

/* Maps the memory that a process offers. Returns NULL if it is not what the offer says, or cannot
 * be mapped: the process goes on without it. */
struct ring_reader *ring_reader_new(pid_t process, const struct wire_ring *offer);
/* NULL is legal. */
void ring_reader_free(struct ring_reader *reader);

/* Takes out at most `room` bytes. Returns how many; -1: the process has spoilt the memory. */
gssize ring_reader_take(struct ring_reader *reader, guint8 *bytes, gsize room);
/* Returns how many bytes wait there. */
guint64 ring_reader_unread(const struct ring_reader *reader);
/* Whether the process waits for an answer. */
bool ring_reader_waits(const struct ring_reader *reader);
/* So many bytes have been taken from the socket, without BELL. At last the process may use the
 * ring. */
void ring_reader_hear(struct ring_reader *reader, guint64 bytes);
/* When the process must send BELL. Unless it is REPORT_RING_AWAKE, ask ring_reader_unread before
 * you wait. */
void ring_reader_wake(struct ring_reader *reader, enum report_ring_wake wake);

#endif
