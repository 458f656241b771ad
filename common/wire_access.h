/* What a rank tells of one-sided communication (WIRE_ACCESSES): a part of the wire contract
 * (wire.h), under its version and its rules. No call waits for it. */
#ifndef MATCHPOINT_COMMON_WIRE_ACCESS_H
#define MATCHPOINT_COMMON_WIRE_ACCESS_H

#include <stdint.h>

enum wire_access_kind {
	WIRE_ACCESS_WINDOW = 1, /* the window is there; tells where it lies in this rank, and by the
	                            length of one part how far; no part: wherever is attached */
	WIRE_ACCESS_DATA,       /* a call that reads or writes the window at `target` begins */
	WIRE_ACCESS_REQUEST,    /* the request of such a call is complete */
	WIRE_ACCESS_FLUSH,      /* those at `target` (any: all) are complete: flush, unlock */
	WIRE_ACCESS_FLUSH_LOCAL, /* of these, the rank's own buffers are free again */
	WIRE_ACCESS_FENCE,       /* MPI_Win_fence begins; it completes all */
	WIRE_ACCESS_COMPLETE,    /* MPI_Win_complete: a local flush, the rest when targets wait */
	WIRE_ACCESS_WAIT,        /* MPI_Win_wait: what was completed is in the window */
	WIRE_ACCESS_LOOK,        /* the rank may learn here what others have put into its window */
	WIRE_ACCESS_CHANGED,     /* the program has changed what this call takes out of its memory;
	                            what completes it follows */
	WIRE_ACCESS_VIEW,        /* in this rank the part that `target` gave to a shared window lies
	                            at `displacement`, `unit` bytes */
	WIRE_ACCESS_BEGIN, /* a send, receive or collective begins that uses the window's memory
	                            here, by a number */
	WIRE_ACCESS_LOCAL, /* it is over: what it has used since then; number 0: just now */
	WIRE_ACCESS_FREE,  /* MPI_Win_free: a flush, and the window is gone */
	WIRE_ACCESS_KINDS
};

enum wire_access_flags {
	WIRE_ACCESS_READS = 1, /* DATA: the target's memory */
	WIRE_ACCESS_WRITES = 2,
	WIRE_ACCESS_ATOMIC = 4,      /* DATA: an accumulate, in the widest sense */
	WIRE_ACCESS_SWAP = 8,        /* DATA: MPI_Compare_and_swap */
	WIRE_ACCESS_UNKNOWN = 16,    /* DATA: the layout is too irregular to be told */
	WIRE_ACCESS_NOPRECEDE = 64,  /* FENCE: ends no epoch, and need not wait for anybody */
	WIRE_ACCESS_REQUESTED = 128, /* DATA: the program holds a request for it */
};

/* Of WINDOW. Of one rank's accumulates: not in order are a read after a write, a write after a
 * read, a write after a write. */
enum wire_window_flags {
	WIRE_WINDOW_SAME_OP = 1, /* accumulates have one operation, no MPI_NO_OP beside */
	WIRE_WINDOW_NO_RAW = 2,
	WIRE_WINDOW_NO_WAR = 4,
	WIRE_WINDOW_NO_WAW = 8,
};

enum wire_part_role { WIRE_PART_TARGET, WIRE_PART_READ, WIRE_PART_WRITTEN };

/* Some bytes of an access: `length` of them at `start`, `times` times `stride` apart, and all that
 * `count` times `extent` apart. */
struct wire_part {
	uint8_t role;  /* in the target's memory, or in the rank's own */
	int64_t start; /* an address; at the target: beyond the displacement */
	uint64_t length, times, count;
	int64_t stride, extent;
};

/* One-sided communication: told for the sake of what conflicts (scheduler/world/rma.h), in the
 * order of the rank's program, and before its next call. */
struct wire_access {
	uint8_t kind;         /* enum wire_access_kind */
	uint8_t flags;        /* enum wire_access_flags */
	uint8_t reduction;    /* DATA, atomic: as in struct wire_op */
	uint16_t basic;       /* DATA, atomic: basic type of its elements; 0: not known */
	uint16_t function;    /* enum mpi_call */
	uint64_t site;        /* return address in the program */
	uint64_t window;      /* its communicator's number */
	int32_t target;       /* rank in the window's group, or WIRE_ANY */
	uint32_t number;      /* DATA: of this access in its rank, from 1; else of which */
	int64_t displacement; /* DATA: in the target's units; WINDOW, VIEW: an address */
	uint64_t unit;        /* WINDOW: bytes; VIEW: how many there are */
	uint32_t part_count;
	struct wire_part *parts;
};

struct wire_accesses {
	uint32_t count;
	struct wire_access *list;
};

#endif
