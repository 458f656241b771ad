/* What the handles, codes and statuses of the MPI library show by their bits. No other file of the
 * shim knows them: MPI's own names (mpi.h) say the rest. Pure; any value may be given.
 *
 * There are two: MPICH's ABI, and MPI's own, which a build with MATCHPOINT_STANDARD_ABI uses. Each
 * header defines all of the following, as functions or macros:
 *
 *   ABI_BITS(handle)         its bits, as an unsigned integer: they identify it among its kind
 *   abi_is_basic(type)       a predefined type whose elements have no gaps: not those for
 *                            MPI_MINLOC of two types
 *   ABI_BASIC_SIZE(type)     bytes of a basic type; 0 for MPI_LB and MPI_UB. Constant, if `type` is
 *   ABI_BASIC_INDEX(type)    its place in a table of ABI_BASIC_COUNT. Constant, if `type` is
 *   ABI_OP_INDEX(op)         place of a predefined operation in a table of ABI_OP_COUNT. Constant,
 *                            if `op` is
 *   abi_may_be_request(handle)
 *                            whether the bits allow a request. (To ask MPI about a generalised
 *                            request would call the program's query function.)
 *   abi_own_request(index)   a request of the shim's; index: at most ABI_OWN_REQUESTS_MOST. MPI
 *                            refuses it
 *   abi_is_own_request(handle, &index)
 *                            whether it is one, and which
 *
 * Only the recorder uses the rest, which MPI's own ABI does not have:
 *
 *   abi_error_class(code)    the class of an error code, without asking MPI
 *   abi_status_field(status, i)
 *                            one of the ABI_STATUS_FIELDS fields that only MPI knows the meaning
 *                            of. Copied, they are the same status
 *   abi_is_cancelled(status), abi_status_bytes(status)
 *                            what they mean; bytes of the message */
#ifndef MATCHPOINT_SHIM_MPI_ABI_H
#define MATCHPOINT_SHIM_MPI_ABI_H

#ifdef MATCHPOINT_STANDARD_ABI
#include "abi_standard.h"
#else
#include "abi_mpich.h"
#endif

/* MPI has had it from the start, and it cannot be freed. Not a null handle. */
#define abi_is_predefined(handle) abi_bits_are_predefined(ABI_BITS(handle))

/* An object that MPI or the program has made at run time. */
#define abi_is_made(handle) abi_bits_are_made(ABI_BITS(handle))

/* For tables by handle. Two handles may have one number. */
#define abi_number(handle) abi_bits_number(ABI_BITS(handle))

#endif
