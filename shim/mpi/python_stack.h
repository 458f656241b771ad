/* The lines of Python from which a call is made, when the program is an interpreter of it: asked of
 * CPython itself, through functions that are found at run time (3.10 and later).
 *
 * They may be called only by the thread that holds the interpreter's lock, which extensions let go
 * of around MPI. It is taken for a moment where no other thread can hold it; with several threads
 * of Python it could be held by one that waits in MPI, and there are no lines then.
 */
#ifndef MATCHPOINT_SHIM_MPI_PYTHON_STACK_H
#define MATCHPOINT_SHIM_MPI_PYTHON_STACK_H

#include "common/wire.h"

/* The calling thread's lines, innermost first; its texts are the interpreter's and stay while the
 * thread is in this call. Returns how many were stored: 0 where there is no Python. */
uint32_t python_stack(struct wire_line *ret_lines, uint32_t most);

/* Takes the interpreter's own frames out of a stack that has lines, and tells which frames are
 * further in (struct wire_stack). */
void python_stack_leave_out(struct wire_stack *stack);

#endif
