/* The rank's side of the ring in which it reports (common/report_ring.h). Libc only. */
#ifndef MATCHPOINT_SHIM_GATE_RING_WRITER_H
#define MATCHPOINT_SHIM_GATE_RING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/report_ring.h"

struct ring_writer {
	struct report_ring *ring; /* NULL: there is none */
	int descriptor;           /* leads to the memory until it is used; then -1 */
	bool used;                /* the scheduler has mapped it */
};

/* Makes the memory, and a descriptor above `least`. false: it is not possible; then `writer` is as
 * ring_writer_close leaves it. */
bool ring_writer_open(struct ring_writer *writer, int least);
/* A writer without a ring is legal. */
void ring_writer_close(struct ring_writer *writer);

/* Whether to write there instead of to the socket, through which so many bytes were sent, without
 * BELL. If not, the bytes must be sent, since they may have to wake the scheduler. */
bool ring_writer_is_next(struct ring_writer *writer, uint64_t sent);
/* Writes as much as there is room for. Returns how many bytes. */
size_t ring_writer_put(struct ring_writer *writer, const uint8_t *bytes, size_t count);
/* Whether the scheduler has not read everything. */
bool ring_writer_has_unread(const struct ring_writer *writer);
/* Whether BELL is needed for what was written. It counts as sent then. `waits`: the rank is going
 * to wait until everything is read. */
bool ring_writer_must_ring(struct ring_writer *writer, bool waits);
/* From now on the rank waits for an answer to what it writes, or does not. */
void ring_writer_expect(struct ring_writer *writer, bool waits);

#endif
