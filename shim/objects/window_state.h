/* What a rank's state (state.h) has of its windows: their memory, where MPI has given it, and what
 * MPI keeps of the calls made on them, which is who may do what to whose window (MPI 3.1, section
 * 11.5). What has been put into MPI's hands and is not known to have come to the target has no
 * state: how far it is depends on MPI's progress.
 *
 * Nothing of this need be called but where states are compared. */
#ifndef MATCHPOINT_SHIM_OBJECTS_WINDOW_STATE_H
#define MATCHPOINT_SHIM_OBJECTS_WINDOW_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

struct window_state;

/* Of a window that MPI has just made. NULL: out of memory. */
struct window_state *window_state_new(MPI_Win window);
void window_state_free(struct window_state *state); /* NULL is legal */

/* In a mode besides MPI's asserts: the lock is a shared one. */
enum { WINDOW_STATE_SHARED = 1 };

/* A call on the window has succeeded. `target`: a rank of its group, or WIRE_ANY for all; `mode`:
 * the call's assert, and of MPI_Win_lock the kind of lock. */
void window_state_note(struct window_state *state, enum mpi_call function, int target, int mode);
/* A call that moves data to or from that target (MPI_PROC_NULL: nowhere) has. */
void window_state_moves(struct window_state *state, int target);

/* What there is of it, by calling `add` for each piece. NULL; or why it cannot be told. */
const char *window_state_tell(const struct window_state *state,
                              void (*add)(void *user, const void *bytes, size_t size), void *user);

#endif
