/* The Python lines of a call, if the program is a Python interpreter. They come from CPython
 * itself, through functions found at run time (3.10 and later).
 *
 * Only the thread that holds the interpreter's lock may call these functions, and extensions
 * release the lock around MPI. The lock is taken for a moment if no other thread can hold it. With
 * several Python threads, one that waits in MPI could hold it; then there are no lines. */
#ifndef MATCHPOINT_SHIM_MPI_PYTHON_STACK_H
#define MATCHPOINT_SHIM_MPI_PYTHON_STACK_H

#include "common/wire.h"

/* Stores the calling thread's lines, innermost first, and returns their number; 0: no Python. The
 * interpreter owns the texts; they are valid while the thread is in this call. */
uint32_t python_stack(struct wire_line *ret_lines, uint32_t most);

/* Removes the interpreter's own frames from a stack with lines, and sets which frames are further
 * in (struct wire_stack). */
void python_stack_leave_out(struct wire_stack *stack);

#endif
