/* MPI-IO and one-sided communication go to the library as they are, but their collective calls meet
 * at the scheduler first: no rank then spins for a peer that is not there, and a deadlock through
 * them is seen. The other ways to synchronise on a window are told to it, too (window.c). */
#ifndef MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H
#define MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"
#include "shim/objects/window_state.h"

/* Returns MPI_SUCCESS once all members of the file's (window's) group have made the call. They must
 * agree on `arguments`, a hash (0: of nothing). */
int file_meet(const void *site, enum mpi_call function, MPI_File file, uint64_t arguments);
int window_meet(const void *site, enum mpi_call function, MPI_Win window, uint64_t arguments);

/* What this process has begun with a window and not ended. */
struct window_epochs {
	uint32_t exposure;              /* number of the MPI_Win_post call; 0: none */
	uint32_t origins, first_origin; /* its operations that wait for the origins */
	int *targets;                   /* of MPI_Win_start, as ranks in the window's group */
	int target_count;
	uint32_t locks;             /* MPI_Win_lock, MPI_Win_lock_all */
	struct window_state *state; /* where states are compared, else NULL */
};

/* NULL: no window that the program may use. The number is that of its members' messages. */
struct window_epochs *window_find(MPI_Win window, uint64_t *ret_number);

/* For the library: MPI_WIN_NULL, which it refuses, in place of a window that has been freed, which
 * it may not know for one. */
MPI_Win window_idle(MPI_Win window);

/* The meeting before MPI_Win_free. */
void window_meet_to_free(const void *site, MPI_Win window);

/* A call that MPI carries out by itself begins; `function` is an enum mpi_call. Atomic operations
 * whose order nothing settles are told to the scheduler later. */
void window_note(unsigned function);

/* A call on a window, or one that moves data, has succeeded: window_state.h has what is noted. */
void window_called(enum mpi_call function, int target, int mode, MPI_Win window);
void window_moves(int target, MPI_Win window);

/* What a rank's state has of its windows (window_state.h). */
const char *window_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user);
/* The same of what holds for all of them together. */
void window_add_locks(void (*add)(void *user, const void *bytes, size_t size), void *user);

/* Whether peers may need this rank to drive MPI's progress at any time. */
bool window_exists(void);

#endif
