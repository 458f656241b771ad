/* The windows of this process, under the numbers by which the scheduler knows them: what has been
 * begun on each and not ended, and which locks the process holds (MPI 3.1, section 11.5). */
#ifndef MATCHPOINT_SHIM_OBJECTS_WINDOWS_H
#define MATCHPOINT_SHIM_OBJECTS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"
#include "window_state.h"

/* What this process has begun with a window and not ended. */
struct window_epochs {
	uint32_t exposure;              /* number of the MPI_Win_post call; 0: none */
	uint32_t origins, first_origin; /* its operations that wait for the origins */
	int *targets;                   /* of MPI_Win_start, as ranks in the window's group */
	int target_count;
	uint32_t locks;             /* MPI_Win_lock, MPI_Win_lock_all */
	struct window_state *state; /* where states are compared, else NULL */
};

/* MPI has made the window; `number` is that of its members' messages. 0, or out of memory: it stays
 * unknown. */
void window_add(MPI_Win window, uint64_t number);
/* It has been freed. */
void window_remove(MPI_Win window);

/* NULL: no window that the program may use. */
struct window_epochs *window_find(MPI_Win window, uint64_t *ret_number);

/* For the library: MPI_WIN_NULL, which it refuses, in place of a window that has been freed, which
 * it may not know for one. */
MPI_Win window_idle(MPI_Win window);

/* Whether peers may need this rank to drive MPI's progress at any time. */
bool window_exists(void);

/* The locks that this process holds, in all its windows; whether it has made atomic operations
 * where other ranks may make theirs at the same time, and whether the scheduler knows that. */
struct window_locks {
	unsigned exclusive, shared;
	bool atomics_made, atomics_told;
};
struct window_locks *window_locks(void);

/* The process is about to make an atomic operation (MPI_Accumulate and its kin). */
void window_note_atomic(void);

/* Where states are compared: from now on it can be seen what MPI keeps of the window. false: that
 * cannot be known. */
bool window_begin_state(MPI_Win window);

/* A call on a window, or one that moves data, has succeeded: window_state.h has what is noted. */
void window_called(enum mpi_call function, int target, int mode, MPI_Win window);
void window_moves(int target, MPI_Win window);

/* What a rank's state has of its windows and locks: calls `add` for each piece. NULL; or why it
 * cannot be told. */
const char *window_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user);

#endif
