/* MPI-IO and one-sided communication pass to MPI unchanged, but their collective calls meet at the
 * scheduler first. So no rank spins for a member that has not called, and deadlocks through these
 * calls are found. Other synchronisation on windows is reported, too (window.c). */
#ifndef MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H
#define MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"
#include "shim/process/window_state.h"

/* Return MPI_SUCCESS when all members of the file's (window's) group have made the call. The
 * members must agree on `arguments`, a hash; 0: nothing to agree on. */
int file_meet(const void *site, enum mpi_call function, MPI_File file, uint64_t arguments);
int window_meet(const void *site, enum mpi_call function, MPI_Win window, uint64_t arguments);

/* What this process has begun with a window and not ended. */
struct window_epochs {
	uint32_t exposure;              /* number of the MPI_Win_post call; 0: none */
	uint32_t origins, first_origin; /* operations of that call that wait for the origins */
	int *targets; /* of MPI_Win_start, as ranks in the window's group; owned */
	int target_count;
	uint32_t locks;             /* MPI_Win_lock, MPI_Win_lock_all */
	struct window_state *state; /* for comparing states; otherwise NULL */
};

/* NULL: not a window that the program may use. *ret_number is the number of its members'
 * messages. */
struct window_epochs *window_find(MPI_Win window, uint64_t *ret_number);

/* The handle to pass to MPI: MPI_WIN_NULL, which MPI refuses, instead of a freed window, which MPI
 * may not recognise as one. */
MPI_Win window_idle(MPI_Win window);

/* The meeting before MPI_Win_free. */
void window_meet_to_free(const void *site, MPI_Win window);

/* A call that MPI carries out itself begins; `function` is an enum mpi_call. Atomic operations with
 * no fixed order are reported to the scheduler later. */
void window_note(unsigned function);

/* A call on a window, or one that moves data, has succeeded: recorded for window_state.h. */
void window_called(enum mpi_call function, int target, int mode, MPI_Win window);
void window_moves(int target, MPI_Win window);

/* Adds the windows to the rank's state (window_state.h). NULL, or why that is not possible. */
const char *window_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user);
/* The same for the locks of all windows together. */
void window_add_locks(void (*add)(void *user, const void *bytes, size_t size), void *user);

/* Whether peers may need this rank to drive MPI's progress at any time. */
bool window_exists(void);

#endif
