/* Which MPI calls are the program's own, and where in the program they come from.
 *
 * MPI calls itself under the exported names (ROMIO calls PMPI_*, MPI_X may call PMPI_Y), and so
 * does the shim through struct real_mpi. Such calls must reach MPI unchanged. A call is the
 * program's own if it does not come from inside MPI, and the calling thread is in no other
 * controlled call. */
#ifndef MATCHPOINT_SHIM_GATE_CALLER_H
#define MATCHPOINT_SHIM_GATE_CALLER_H

#include <stdbool.h>

#include "common/wire.h"

/* The controlled call that a thread is in. */
struct caller_pause {
	unsigned depth;
	const void *site;
	struct wire_blocking_call inside;
};

/* For a wrapper; *site is its own return address. true: the call is controlled; *site is then the
 * return address in the program (outside of MPI's Fortran and C++ bindings), and caller_leave must
 * follow. false: call MPI. */
bool caller_enter(void **site);

/* The same for calls that are also controlled before MPI_Init and after MPI_Finalize. */
bool caller_enter_always(void **site);
void caller_leave(void);

/* The return address, in the program, of the controlled call that this thread is in. */
const void *caller_site(void);

/* The number of the controlled call that this thread is in, if it has one by now; else 0. May be
 * called in a signal handler. */
uint32_t caller_call(void);

/* The controlled call of this thread has raised an error; and whether it has. */
void caller_note_error(void);
bool caller_has_noted_error(void);

/* For the wrapper of a call that passes to MPI uncontrolled; `site` is its return address. Whether
 * the call is the program's own. */
bool caller_is_program(const void *site);

/* Around functions of the program that run inside a controlled call (error handlers, attribute
 * callbacks): MPI calls there are the program's own again. Resume takes what suspend returned. */
struct caller_pause caller_suspend(void);
void caller_resume(const struct caller_pause *pause);

/* The innermost return address outside the shim and the bindings. `return_address` is the
 * wrapper's. */
void *site_of_caller(void *return_address);

#endif
