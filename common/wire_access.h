/* What a rank reports of one-sided communication (WIRE_ACCESSES): a part of the wire protocol
 * (wire.h), with its version and rules. No call waits for it. */
#ifndef MATCHPOINT_COMMON_WIRE_ACCESS_H
#define MATCHPOINT_COMMON_WIRE_ACCESS_H

#include <stdint.h>

enum wire_access_kind {
	WIRE_ACCESS_WINDOW = 1,  /* the window exists: its address in this rank, and its size as the
	                            length of one part; without a part: all that is attached */
	WIRE_ACCESS_DATA,        /* a call that reads or writes the window at `target` begins */
	WIRE_ACCESS_REQUEST,     /* the request of such a call has completed */
	WIRE_ACCESS_FLUSH,       /* accesses to `target` (WIRE_ANY: all) are complete: flush,
	                            unlock */
	WIRE_ACCESS_FLUSH_LOCAL, /* the rank's own buffers of these accesses are free again */
	WIRE_ACCESS_FENCE,       /* MPI_Win_fence begins; it completes all accesses */
	WIRE_ACCESS_COMPLETE,    /* MPI_Win_complete: a local flush; the rest when the targets
	                            wait */
	WIRE_ACCESS_WAIT,        /* MPI_Win_wait: completed accesses are in the window */
	WIRE_ACCESS_LOOK,        /* from here on the rank may see what others have put into its
	                            window */
	WIRE_ACCESS_CHANGED,     /* the program has changed the memory that this call reads from;
	                            the record that completes the call follows */
	WIRE_ACCESS_FREED,       /* likewise: it has freed that memory */
	WIRE_ACCESS_LEFT,        /* likewise: the function whose variable it was has returned */
	WIRE_ACCESS_VIEW,        /* the part of `target` in a shared window lies at `displacement`
	                            in this rank, `unit` bytes */
	WIRE_ACCESS_BEGIN, /* a send, receive or collective begins that uses the window's memory in
	                      this rank; it gets a number */
	WIRE_ACCESS_LOCAL, /* that operation is over: the bytes that it has used since then; number
	                      0: just now. With WIRE_ACCESS_DIRECT: loads or stores of the program
	                      since the record before; site 0: some are not known */
	WIRE_ACCESS_FREE,  /* MPI_Win_free: a flush, and the window is gone */
	WIRE_ACCESS_POINTER, /* no window: a call moves the shared file pointer of this open file */
	WIRE_ACCESS_FILE,    /* no window: a call reads or writes these bytes of this open file */
	WIRE_ACCESS_KINDS
};

enum wire_access_flags {
	WIRE_ACCESS_READS = 1, /* DATA: the target's memory */
	WIRE_ACCESS_WRITES = 2,
	WIRE_ACCESS_ATOMIC = 4,      /* DATA: any kind of accumulate; LOCAL: atomic instructions */
	WIRE_ACCESS_SWAP = 8,        /* DATA: MPI_Compare_and_swap */
	WIRE_ACCESS_UNKNOWN = 16,    /* DATA: the layout is too irregular to describe */
	WIRE_ACCESS_DIRECT = 32,     /* LOCAL: no MPI call, but the program itself */
	WIRE_ACCESS_NOPRECEDE = 64,  /* FENCE: ends no epoch, and need not wait for others */
	WIRE_ACCESS_REQUESTED = 128, /* DATA: the program holds a request for it */
};

/* Of WINDOW. The NO_ flags: accumulates of one rank are not ordered if they are a read after a
 * write, a write after a read, a write after a write. */
enum wire_window_flags {
	WIRE_WINDOW_SAME_OP = 1, /* all accumulates use one operation, and no MPI_NO_OP */
	WIRE_WINDOW_NO_RAW = 2,
	WIRE_WINDOW_NO_WAR = 4,
	WIRE_WINDOW_NO_WAW = 8,
	WIRE_WINDOW_SEEN = 16, /* the rank reports its loads and stores (shim/check/direct.h) */
};

enum wire_part_role { WIRE_PART_TARGET, WIRE_PART_READ, WIRE_PART_WRITTEN };

/* Bytes of an access: `length` bytes at `start`, repeated `times` times at distance `stride`; all
 * this repeated `count` times at distance `extent`. */
struct wire_part {
	uint8_t role;  /* in the target's memory, or in the rank's own: enum wire_part_role */
	int64_t start; /* an address; at the target: offset from the displacement; of a file: from
	                  its beginning */
	uint64_t length, times, count;
	int64_t stride, extent;
};

/* One-sided communication, reported to find conflicts (scheduler/world/rma.h): in the order of the
 * rank's program, and before its next call. */
struct wire_access {
	uint8_t kind;         /* enum wire_access_kind */
	uint8_t flags;        /* enum wire_access_flags */
	uint8_t reduction;    /* DATA, atomic: as in struct wire_op */
	uint16_t basic;       /* DATA, atomic: type code of its elements; 0: unknown */
	uint16_t function;    /* enum mpi_call */
	uint64_t site;        /* return address in the program */
	uint64_t window;      /* number of its communicator */
	int32_t target;       /* rank in the window's group, or WIRE_ANY */
	uint32_t number;      /* DATA: number of this access in its rank, from 1; else the number of
	                         the access meant */
	int64_t displacement; /* DATA: in the target's units; WINDOW, VIEW: an address; FILE: a
	                         number of the file, however it was opened */
	uint64_t unit;        /* WINDOW: bytes; VIEW: size in bytes */
	uint32_t part_count;
	struct wire_part *parts;
};

struct wire_accesses {
	uint32_t count;
	struct wire_access *list;
};

#endif
