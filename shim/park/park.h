/* Parking: a rank that waits in the gate becomes the keeper of a snapshot, and forks ranks of new
 * worlds from itself until it is released (PARK, RESTORE, RESUME, RELEASE of wire.h).
 *
 * A keeper talks over the same control socket as before. It reports each child it forked and how
 * it ended; it looks at nothing else, so the program's memory stays as it was. When the control
 * socket is closed it kills its children and ends. A child's control socket stands on the same
 * descriptor as its keeper's, its PMI connection on $PMI_FD.
 *
 * RELEASE: a keeper whose children still live ends when the last of them has; it still reports
 * them. (To end them sooner, kill them by pid, or close the control socket.)
 *
 * RESUME: a keeper that has forked nobody goes on at once. One that has (all its children must have
 * ended) first gives its files back the contents they had; as its world is another beginning then,
 * it says HELLO on the same connection, for its own world and as restored, and waits for WELCOME:
 * no rank may go on before all have said it. So the last branch of a choice needs no fork and no
 * clone.
 *
 * Linking park.o replaces getpid, getppid, gettid and kill for the program: in every world a rank
 * is told the identity it had in the first one. Export all four from the shim. What must know the
 * truth calls process_real_pid (process.h). */
#ifndef MATCHPOINT_SHIM_PARK_PARK_H
#define MATCHPOINT_SHIM_PARK_PARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/wire.h"
#include "shim/process/memory_range.h"

/* Once, right after PMPI_Init; control_fd is connected and has said HELLO. Puts a connection to
 * $MATCHPOINT_DIRECTORY/pmi in place of the launcher's on $PMI_FD (if that is set). Call
 * agent_before_init() just before PMPI_Init. `rewinds`: copies may be rewound
 * (ckpt/agent_rewind.h), with `images` to any image of theirs. 0, or -1 with errno: then nothing
 * can be parked. */
int park_init(int control_fd, uint32_t world, int32_t rank, bool rewinds, bool images);

/* What every HELLO tells of where this process keeps its struct wire_blocking_call. */
void park_set_blocking_call(uint64_t address);

enum park_outcome {
	PARK_RESUMED,  /* the same process in the same world */
	PARK_RESTORED, /* a child in a new world, after WELCOME; the call is pending still */
};

/* Upon PARK, with nothing of the control socket read ahead: answers PARKED and keeps. Returns only
 * as told by the outcome; ret_welcome is set when WELCOME has come. The new socket of a restored
 * rank is a plain blocking one: set its time limits again. */
enum park_outcome park_wait(struct wire_welcome *ret_welcome);

/* A restored rank is at its end: when it can be rewound it says so (HELD), stays, and goes on from
 * where park_wait returned last, as restored in another world. Else the scheduler is told why, and
 * this returns. Nothing happens in a rank of the launcher's. */
void park_hold(void);

/* Finishes with the launcher: PMI's finalize on its own connection. Nothing in a restored process,
 * or the second time. For a root rank, before it ends. */
void park_finish_launcher(void);

/* The program has a function for some signal, which may run at any time while the rank waits. */
bool park_handles_signals(void);

/* What the kernel holds of this rank as part of its state, and where that is kept meanwhile, as in
 * ckpt/agent_state.h; and whether it has a file open for writing, or none of this can be told. */
const char *park_state(void (*add)(void *user, const void *bytes, size_t size), void *user);
int park_state_memory(struct memory_range *ranges, int most);
bool park_writes_files(void);
/* As in ckpt/agent_page_scan.h. */
struct agent_page_scan;
const struct agent_page_scan *park_scan(void);
bool park_scan_holds(void);
void *park_scan_notes(size_t size);
/* fork(2), not on the program's behalf; and such children have been waited for. */
pid_t park_fork(void);
void park_know_children(void);

/* The last destructor that may run in a controlled process: MPI's own would follow (UCX's take 3
 * to 8 ms in each rank and have nothing left to do). Flushes stdio, finishes with the launcher,
 * and ends with `status`. For the shim's destructor, once MPI_Init has been through: a preloaded
 * library's destructor runs after the program's and before MPI's. */
_Noreturn void park_exit(int status);

#endif
