/* When the data that a one-sided call fetches is in the program's buffer: that of MPI_Get,
 * MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap and their variants (MPI 3.1, section
 * 11.3). The standard allows any time until the call is complete at the origin. Under zero
 * buffering the data is there when the call returns. Otherwise it comes with completion; until then
 * it lies in a staging buffer.
 *
 * MPI decides if several threads call MPI, and for data of more than 64 MiB or of an unknown
 * layout. Outside of locks it decides when data is there under zero buffering, if the target's
 * datatype does not begin at its displacement. */
#ifndef MATCHPOINT_SHIM_CHECK_FETCHED_H
#define MATCHPOINT_SHIM_CHECK_FETCHED_H

#include <stdbool.h>

#include <mpi.h>

#include "access.h"
#include "common/wire.h"

/* The call is about to be passed to MPI. Returns the buffer that MPI must get in place of the
 * program's; the same one if none is needed. */
void *fetched_begin(struct access_call *call);

/* MPI has taken the call. The data of a call that needs no staging buffer arrives now. true: MPI
 * does not write to the program's buffer any more. */
bool fetched_made(const struct access_call *call, bool locked);

/* MPI has taken a call that changes the window: returns when its effect is there, and what it
 * fetches is where MPI puts it. false: that is not known. */
bool fetched_settle(const struct access_call *call, bool locked);

/* The call got this record: what completes it, completes the transfer. */
void fetched_keep(struct access_call *call, const struct wire_access *access);

/* MPI has refused the call, or it is not known to the scheduler. */
void fetched_drop(struct access_call *call);

/* `by` is about to complete calls. fetched_arrive follows when MPI has completed them, and puts
 * their data in the program's buffers. */
void fetched_complete(const struct wire_access *by);
void fetched_arrive(void);

#endif
