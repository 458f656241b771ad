/* What the handles, codes and statuses of MPICH's ABI show by their bits (https://www.mpich.org/abi,
 * and mpir_objects.h of MPICH). No other file of the shim knows them: MPI's own names (mpi.h) say
 * the rest. A handle is an int:
 *
 *   2 bits   storage class: 0 is none (the null handles), 1 is predefined; 2 and 3 belong to MPI's
 *            own objects and to those that the program has made
 *   4 bits   kind of object
 *   26 bits  which one; of a predefined basic type, 8 bits are its size in bytes, the last 8 its
 *            number
 *
 * A type for MPI_MINLOC of two different types (MPI_FLOAT_INT) is predefined, too, but its handle
 * looks like that of a type made by the program. Pure; any value may be given. */
#ifndef MATCHPOINT_SHIM_MPI_ABI_H
#define MATCHPOINT_SHIM_MPI_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* --- any handle ------------------------------------------------------------------------------- */

/* MPI has had it from the start, and it cannot be freed. */
static inline bool abi_is_predefined(int handle)
{
	return (uint32_t)handle >> 30 == 1;
}

/* An object that MPI or the program has made at run time. */
static inline bool abi_is_made(int handle)
{
	return (uint32_t)handle >> 31 != 0;
}

/* For tables by handle: those of one kind differ in the low bits first. */
static inline uint32_t abi_number(int handle)
{
	return (uint32_t)handle & 0x03ffffffu;
}

/* --- types ------------------------------------------------------------------------------------ */

/* A predefined type whose elements have no gaps: not those for MPI_MINLOC of two types. */
static inline bool abi_is_basic(MPI_Datatype type)
{
	return ((uint32_t)type & 0xffff0000u) == ((uint32_t)MPI_BYTE & 0xffff0000u);
}

/* Bytes of a basic type; 0 for MPI_LB and MPI_UB. Constant, if `type` is. */
#define ABI_BASIC_SIZE(type) ((uint32_t)(type) >> 8 & 0xffu)

/* Place of a basic type in a table of ABI_BASIC_COUNT. Constant, if `type` is. */
#define ABI_BASIC_INDEX(type) ((uint32_t)(type)&0xffu)
enum { ABI_BASIC_COUNT = 256 };

/* --- reduction operations --------------------------------------------------------------------- */

/* Place of a predefined operation in a table of ABI_OP_COUNT. Constant, if `op` is. */
#define ABI_OP_INDEX(op) ((uint32_t)(op)&0xffu)
enum { ABI_OP_COUNT = 256 };

/* --- requests --------------------------------------------------------------------------------- */

/* Whether the bits allow a request. (Asking MPI about a generalised request would call the
 * program's query function.) */
static inline bool abi_may_be_request(MPI_Request handle)
{
	return (uint32_t)handle >> 30 != 0
	       && ((uint32_t)handle >> 26 & 15) == ((uint32_t)MPI_REQUEST_NULL >> 26 & 15);
}

/* The shim's own requests have the storage class of null handles, and bits that no null handle
 * has: MPI refuses them all. */
enum { ABI_OWN_REQUESTS_MOST = 0x00ffffff };

static inline MPI_Request abi_own_request(uint32_t index)
{
	return (MPI_Request)(0x2d000000u | index);
}

static inline bool abi_is_own_request(MPI_Request handle, uint32_t *ret_index)
{
	*ret_index = (uint32_t)handle & ABI_OWN_REQUESTS_MOST;
	return abi_own_request(*ret_index) == handle;
}

/* --- codes and statuses ----------------------------------------------------------------------- */

/* The class of an error code, without asking MPI. */
static inline int abi_error_class(int code)
{
	return code & 0x7f;
}

static inline bool abi_is_cancelled(const MPI_Status *status)
{
	return status->count_hi_and_cancelled & 1;
}

/* The fields of a status that only MPI knows the meaning of. Copied, they are the same status. */
enum { ABI_STATUS_FIELDS = 2 };
static inline int *abi_status_field(MPI_Status *status, int field)
{
	return field == 0 ? &status->count_lo : &status->count_hi_and_cancelled;
}

/* Bytes of the message. */
static inline int64_t abi_status_bytes(const MPI_Status *status)
{
	return (int64_t)(uint32_t)status->count_lo
	       | (int64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
}

#endif
