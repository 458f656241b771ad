/* Finds operations of the program that are declared commutative and are not (MPI 3.1, section
 * 5.9.5). MPI gets a function of the shim's in place of the program's. It calls the program's
 * function as MPI would, and then once more on copies of the operands, in the other order. So the
 * operands are those that really occur.
 *
 * The second call is one that the program would not make without matchpoint. There are few: the
 * first ones of each operation with different operands, then fewer and fewer. Operands of more than
 * 1 MiB are not tried; the scheduler is told.
 *
 * Only data bytes of the datatype are compared. Differences within the rounding of floating-point
 * data do not count. A byte whose type is unknown (MPI_BYTE, MPI_CHAR) may be a gap of a structure:
 * it counts only if the operation has been seen to write it.
 *
 * A difference is sent with the next reported call if that is certain to come later. Otherwise
 * MPI_Finalize sends it, because the time at which MPI reduces must not decide what is reported. */
#ifndef MATCHPOINT_SHIM_CHECK_REDUCTION_H
#define MATCHPOINT_SHIM_CHECK_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"

/* The C function of an operation. */
union reduction_function {
	MPI_User_function *usual;
	MPI_User_function_c *large; /* of MPI_Op_create_c */
};

/* The call `maker` at `site` declares that the operation of this function commutes. Returns the
 * function to give to MPI. It is the same one if the operation cannot be checked: there are more
 * than some dozens, or it is made by MPI's C++ bindings, whose functions have other arguments. */
union reduction_function reduction_watch(union reduction_function function, enum mpi_call maker,
                                         const void *site);

/* MPI has made `op` of the function that reduction_watch returned. */
void reduction_made(MPI_Op op, union reduction_function watched);

/* A call that reduces with the operation begins; it may move data before it has a number. Then: it
 * has this number. Predefined operations are ignored. */
void reduction_begins(MPI_Op op);
void reduction_used(MPI_Op op, uint32_t call);

/* For the gate, which has just reported `call`: appends differences of earlier calls. */
void reduction_encode(struct wire_buffer *out, uint32_t call);

/* In MPI_Finalize, when all ranks have called it: sends the others. */
void reduction_send(void);

#endif
