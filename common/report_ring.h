/* Memory that a rank process shares with the scheduler: a ring of bytes, in which it reports while
 * it does not wait for answers. A report costs no system call then. The bytes are frames (wire.h).
 * The other direction goes through the socket.
 *
 * The rank makes the memory (memfd_create(2), sealed against shrinking) and offers it with RING.
 * The scheduler maps it. It notes there how much it has taken from the socket (`heard`). The rank
 * uses the ring only when that is all that it has sent. The scheduler reads the ring before what
 * has come through the socket. So it gets all frames in order.
 *
 * Who waits must be woken. Before the scheduler waits, it sets `wake`, and looks into the ring once
 * more. After the rank has written, it looks at `wake`. Both orders are sequentially consistent, so
 * at least one of the two sees what the other did. The counts never wrap around: 64 bits. */
#ifndef MATCHPOINT_COMMON_REPORT_RING_H
#define MATCHPOINT_COMMON_REPORT_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_RING_NAME "matchpoint-reports" /* for memfd_create */

enum {
	REPORT_RING_ROOM = 256 << 10, /* bytes; a power of 2 */
	REPORT_RING_LINE = 64,        /* bytes of a cache line: what different processes write is
	                                 in different ones */
};

/* When the rank has to send BELL after it has written. It sets REPORT_RING_AWAKE then. */
enum report_ring_wake {
	REPORT_RING_AWAKE,    /* never: the scheduler looks into the ring before it waits */
	REPORT_RING_IF_WAITS, /* if the rank waits for an answer; else the scheduler looks soon */
	REPORT_RING_ALWAYS,
};

struct report_ring {
	uint64_t key; /* as in the offer (struct wire_ring) */
	_Alignas(REPORT_RING_LINE) _Atomic uint64_t written; /* bytes so far; by the rank */
	_Atomic uint32_t waits;                              /* 1: the rank waits for an answer */
	_Alignas(REPORT_RING_LINE) _Atomic uint64_t read;    /* bytes so far; by the scheduler */
	_Atomic uint64_t heard; /* bytes of the socket that the scheduler has taken, without BELL;
	                           0: it has not mapped the ring */
	_Atomic uint32_t wake;  /* enum report_ring_wake; by both */
	_Alignas(REPORT_RING_LINE) uint8_t bytes[REPORT_RING_ROOM];
};

#endif
