/* Parking: a rank that waits in the gate becomes the keeper of a snapshot. It forks ranks of new
 * worlds until it is released (PARK, RESTORE, RESUME, RELEASE of wire.h).
 *
 * A keeper uses the same control socket as before. It reports each child that it forks, and how the
 * child ends. It does nothing else, so the program's memory does not change. When the control
 * socket is closed, it kills its children and ends. The control socket of a child has the same
 * descriptor as its keeper's, its PMI connection is $PMI_FD.
 *
 * RELEASE: a keeper with living children ends when the last child has ended; until then it reports
 * them. (To end them sooner, kill them by pid, or close the control socket.)
 *
 * RESUME: a keeper that has forked no child continues at once. Otherwise all children must have
 * ended, and the keeper first restores its files' contents. Its world then begins anew: it sends
 * HELLO on the same connection, for its own world and as restored, and waits for WELCOME. No rank
 * may continue before all ranks have sent HELLO. So the last alternative of a choice needs no fork
 * and no clone.
 *
 * In every world a rank reads the identity that it had in the first one (identity.c). Code that
 * needs the real number calls process_real_pid (process.h). */
#ifndef MATCHPOINT_SHIM_PARK_PARK_H
#define MATCHPOINT_SHIM_PARK_PARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/wire.h"
#include "shim/process/memory_range.h"

/* Once, right after PMPI_Init; control_fd is connected and has sent HELLO. Replaces the launcher's
 * connection on $PMI_FD, if set, by one to $MATCHPOINT_DIRECTORY/pmi. Call agent_before_init()
 * right before PMPI_Init. `rewinds`: copies may be rewound (ckpt/agent_rewind.h); `images`: to any
 * image of theirs. 0; -1 with errno: nothing can be parked. */
int park_init(int control_fd, uint32_t world, int32_t rank, bool rewinds, bool images);

/* Before PMPI_Init, in a rank that no launcher has started: connects $PMI_FD to the scheduler.
 * 0; -1 with errno. */
int park_open_pmi(uint32_t world, int32_t rank);

/* Address of this process's struct wire_blocking_call, for each HELLO. */
void park_set_blocking_call(uint64_t address);

enum park_outcome {
	PARK_RESUMED,  /* the same process in the same world */
	PARK_RESTORED, /* a child in a new world, after WELCOME; its call is still pending */
};

/* For PARK; nothing of the control socket may have been read ahead. Answers PARKED and keeps.
 * Returns as enum park_outcome says; sets ret_welcome if WELCOME has come. The new socket of a
 * restored rank blocks: set its time limits again. */
enum park_outcome park_wait(struct wire_welcome *ret_welcome);

/* A restored rank is at its end. If it can be rewound, it sends HELD, stays, and continues where
 * park_wait returned last, restored in another world. Else it reports why, and returns. Does
 * nothing in a rank that the launcher started. */
void park_hold(void);

/* Ends PMI with the launcher, on the launcher's own connection. Does nothing in a restored process,
 * or the second time. For a root rank, before it ends. */
void park_finish_launcher(void);

/* Whether the program has a signal handler, which may run at any time while the rank waits. */
bool park_handles_signals(void);

/* The kernel's part of this rank's state, and the memory that holds it meanwhile, as in
 * ckpt/agent_state.h. park_writes_files: whether the rank has a file open for writing, or that is
 * unknown. */
const char *park_state(void (*add)(void *user, const void *bytes, size_t size), void *user);
int park_state_memory(struct memory_range *ranges, int most);
bool park_writes_files(void);
/* As in ckpt/agent_page_scan.h. */
struct agent_page_scan;
const struct agent_page_scan *park_scan(void);
bool park_scan_holds(void);
void *park_scan_notes(size_t size);
/* fork(2) for the shim, not for the program; and: such children have been waited for. */
pid_t park_fork(void);
void park_know_children(void);

/* The last destructor that may run in a controlled process. MPI's would follow (UCX's take 3 to 8
 * ms in each rank, and have nothing left to do). Flushes stdio, finishes with the launcher, and
 * ends with `status`. For the shim's destructor, if MPI_Init has succeeded: the destructor of a
 * preloaded library runs after the program's and before MPI's. */
_Noreturn void park_exit(int status);

/* When the shim is loaded: if the scheduler restarts this rank from disk, becomes it, and does not
 * return. */
void park_restart(int rank, uint32_t world);

#endif
