/* Which MPI calls are the program's own, and where in the program they come from.
 *
 * The library calls itself under the exported names (ROMIO calls PMPI_*, MPI_X may call PMPI_Y),
 * and so does the shim through struct real_mpi's functions; such calls must reach the library as
 * they are. A call is the program's when it does not come from inside the library and the
 * calling thread is in no other controlled call. */
#ifndef MATCHPOINT_SHIM_GATE_CALLER_H
#define MATCHPOINT_SHIM_GATE_CALLER_H

#include <stdbool.h>

#include "common/wire.h"

/* What a thread is in the middle of. */
struct caller_pause {
	unsigned depth;
	struct wire_blocking_call inside;
};

/* Called by a wrapper with its own return address. True: the call is to be controlled, *site is the
 * return address in the program (outside of MPI's Fortran and C++ bindings), and caller_leave must
 * follow. False: call the library. */
bool caller_enter(void **site);

/* The same for calls that are controlled before MPI_Init and after MPI_Finalize, too. */
bool caller_enter_always(void **site);
void caller_leave(void);

/* An error of the controlled call that this thread is in has been raised; and whether that was. */
void caller_note_error(void);
bool caller_has_noted_error(void);

/* For the wrapper of a call that goes to MPI unseen: whether the call is the program's own. Its
 * own return address is `site`. */
bool caller_is_program(const void *site);

/* While functions of the program run inside a controlled call (error handlers, attribute
 * callbacks): their MPI calls are the program's own again. Resume with what suspend returned. */
struct caller_pause caller_suspend(void);
void caller_resume(const struct caller_pause *pause);

/* The innermost return address outside the shim and the bindings, given the wrapper's own. */
void *site_of_caller(void *return_address);

#endif
