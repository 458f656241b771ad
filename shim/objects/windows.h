/* The windows of this process, with the numbers by which the scheduler knows them: open epochs, and
 * locks that the process holds (MPI 3.1, section 11.5). */
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
	uint32_t origins, first_origin; /* operations of that call that wait for the origins */
	int *targets; /* of MPI_Win_start, as ranks in the window's group; owned */
	int target_count;
	uint32_t locks;             /* MPI_Win_lock, MPI_Win_lock_all */
	struct window_state *state; /* for comparing states; otherwise NULL */
};

/* MPI has made the window; `number` is the number of its members' messages. 0, or out of memory:
 * the window stays unknown. */
void window_add(MPI_Win window, uint64_t number);
/* MPI has freed the window. */
void window_remove(MPI_Win window);

/* NULL: not a window that the program may use. *ret_number is the number of its members'
 * messages. */
struct window_epochs *window_find(MPI_Win window, uint64_t *ret_number);

/* The handle to pass to MPI: MPI_WIN_NULL, which MPI refuses, instead of a freed window, which MPI
 * may not recognise as one. */
MPI_Win window_or_null(MPI_Win window);

/* Whether peers may need this rank to drive MPI's progress at any time. */
bool window_exists(void);

/* Locks that this process holds, in all windows. Atomic operations that were made while other ranks
 * could make theirs, in an order that MPI decides: all, those reported (enum wire_unordered). */
struct window_locks {
	unsigned exclusive, shared;
	int32_t unordered, told;
};
struct window_locks *window_locks(void);

/* The process is about to make an atomic operation (MPI_Accumulate and its kin), in an order that
 * MPI decides: an enum wire_unordered. window_note_foreign: one that the program has not called. */
void window_note_atomic(int32_t which);
void window_note_foreign(void);

/* For comparing states: from now on MPI's data of the window can be read. false: it cannot. */
bool window_begin_state(MPI_Win window);

/* A call on a window, or one that moves data, has succeeded: recorded for window_state.h. */
void window_called(enum mpi_call function, int target, int mode, MPI_Win window);
void window_moves(int target, MPI_Win window);

/* Adds the windows and locks to the rank's state (window_state.h). NULL, or why that is not
 * possible. */
const char *window_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user);

#endif
