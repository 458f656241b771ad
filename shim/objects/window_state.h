/* The windows' part of a rank's state (state.h): their memory, if MPI owns it, and what MPI knows
 * from earlier calls: who may do what to which window (MPI 3.1, section 11.5). While data is under
 * way to a target, there is no state, because its progress depends on MPI.
 *
 * Only needed if states are compared. */
#ifndef MATCHPOINT_SHIM_OBJECTS_WINDOW_STATE_H
#define MATCHPOINT_SHIM_OBJECTS_WINDOW_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

struct window_state;

/* For a window that MPI has just made. NULL: out of memory. */
struct window_state *window_state_new(MPI_Win window);
void window_state_free(struct window_state *state); /* NULL is legal */

/* A bit of `mode` besides MPI's asserts: the lock is shared. */
enum { WINDOW_STATE_SHARED = 1 };

/* A call on the window has succeeded. `target`: a rank of its group; WIRE_ANY: all. `mode`: the
 * call's assert; of MPI_Win_lock also the kind of lock. */
void window_state_note(struct window_state *state, enum mpi_call function, int target, int mode);
/* A call that moves data to or from this target has succeeded (MPI_PROC_NULL: no target). */
void window_state_moves(struct window_state *state, int target);

/* Calls `add` for each piece of the state. NULL; or why there is none. */
const char *window_state_add(const struct window_state *state,
                             void (*add)(void *user, const void *bytes, size_t size), void *user);

#endif
