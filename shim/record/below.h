/* What the program's calls are passed on to: MPI, or the shim if that is preloaded as well
 * (`matchpoint replay --record`). What the recorder itself asks of MPI goes to real_mpi(). */
#ifndef MATCHPOINT_SHIM_RECORD_BELOW_H
#define MATCHPOINT_SHIM_RECORD_BELOW_H

#include "shim/mpi/real.h"

extern const struct real_mpi *below_table; /* NULL: not known yet */
const struct real_mpi *below_find(void);

static inline const struct real_mpi *below_mpi(void)
{
	return __builtin_expect(below_table != NULL, 1) ? below_table : below_find();
}

/* An address in the shim; NULL: it is not there. */
const void *below_shim(void);

/* It takes any further arguments, and so is not in the table. */
int below_pcontrol(int level);

/* For the shim: a call that may be passed on to it; its return address, and the stack pointer
 * without its frame. */
void below_note_call(const void *site, const void *stack);
/* No recording can hold the present call: if the shim is there, it ends the exploration with this
 * text. Else this returns. */
void below_refuse(const char *text);
/* The last that is done in a call: as the shim, this library leaves nothing on the stack. */
void below_clear_stack(void);

#endif
