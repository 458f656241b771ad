/* The order of atomic operations on windows: MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op,
 * MPI_Compare_and_swap and their variants (MPI 3.1, sections 11.3.4 and 11.7.1). Which of two comes
 * first at a word is a choice. So an operation asks for the words that it uses, is made when it has
 * them, and gives them back when its effect is in the window.
 *
 * No order is needed under an exclusive lock. Which others ask is told by the scheduler (enum
 * wire_atomics): accumulates with one operation commute.
 *
 * MPI decides the order if several threads call MPI, in dynamic windows, in memory of two windows,
 * of more than 512 bytes, and outside of locks if the target's datatype does not begin at its
 * displacement. */
#ifndef MATCHPOINT_SHIM_CHECK_ATOMIC_ORDER_H
#define MATCHPOINT_SHIM_CHECK_ATOMIC_ORDER_H

#include "access.h"

/* Some memory belongs to two windows: MPI decides the order from now on. */
void atomic_order_overlap(void);

/* The call is about to be passed to MPI: returns when it is its turn. */
void atomic_order_begin(struct access_call *call);

/* MPI has taken the call. What it has fetched is at call->arrives. */
void atomic_order_made(struct access_call *call);

/* MPI has refused the call. */
void atomic_order_refused(struct access_call *call);

#endif
