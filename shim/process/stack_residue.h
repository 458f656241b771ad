/* What calls have left on the stack, below the frames of the program. A function that the program
 * calls next has it in the variables that it does not initialise. So a rank that polls would never
 * come back to the same memory (shim/state/state.h), as MPI and the shim leave something else each
 * time. If the scheduler wants it (MATCHPOINT_STEADY, or its states are compared), the residue is
 * cleared before the program goes on.
 *
 * Only on the stack of the process's first thread: others may be small. */
#ifndef MATCHPOINT_SHIM_PROCESS_STACK_RESIDUE_H
#define MATCHPOINT_SHIM_PROCESS_STACK_RESIDUE_H

#include <stdbool.h>
#include <stdint.h>

#include "process.h"

/* Where residue is cleared: while the stack pointer is in this range, which is empty if it is not
 * wanted. stack_residue_start: before main(), in the first thread. stack_residue_want: from now on
 * residue is cleared. */
extern struct memory_range stack_residue_range;
void stack_residue_start(void);
void stack_residue_want(void);

/* Clears what lies right below the frame of the caller. */
void stack_residue_clear_below(void);

/* The last that the wrapper of an MPI call does. A macro, as no frame may lie between the two: it
 * would not be cleared. */
#define STACK_RESIDUE_CLEAR()                                                                \
	do {                                                                                 \
		if (__builtin_expect(stack_residue_has((uintptr_t)__builtin_dwarf_cfa()), 0) \
		    && !process_is_in_call())                                                \
			stack_residue_clear_below();                                         \
	} while (0)
static inline bool stack_residue_has(uintptr_t pointer)
{
	return pointer > stack_residue_range.start && pointer < stack_residue_range.end;
}

#endif
