/* abi.h for MPICH's ABI (https://www.mpich.org/abi, and mpir_objects.h of MPICH). A handle is an int:
 *
 *   2 bits   storage class: 0 is none (the null handles), 1 is predefined; 2 and 3 belong to MPI's
 *            own objects and to those that the program has made
 *   4 bits   kind of object
 *   26 bits  which one; of a predefined basic type, 8 bits are its size in bytes, the last 8 its
 *            number
 *
 * A type for MPI_MINLOC of two different types (MPI_FLOAT_INT) is predefined, too, but its handle
 * looks like that of a type made by the program. Pure; any value may be given. */
#ifndef MATCHPOINT_SHIM_MPI_ABI_MPICH_H
#define MATCHPOINT_SHIM_MPI_ABI_MPICH_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* --- any handle ------------------------------------------------------------------------------- */

#define ABI_BITS(handle) ((uint32_t)(handle))

static inline bool abi_bits_are_predefined(uint32_t bits)
{
	return bits >> 30 == 1;
}

static inline bool abi_bits_are_made(uint32_t bits)
{
	return bits >> 31 != 0;
}

/* Those of one kind differ in the low bits first. */
static inline uint32_t abi_bits_number(uint32_t bits)
{
	return bits & 0x03ffffffu;
}

/* --- types ------------------------------------------------------------------------------------ */

static inline bool abi_is_basic(MPI_Datatype type)
{
	return ((uint32_t)type & 0xffff0000u) == ((uint32_t)MPI_BYTE & 0xffff0000u);
}

#define ABI_BASIC_SIZE(type) ((uint32_t)(type) >> 8 & 0xffu)

#define ABI_BASIC_INDEX(type) ((uint32_t)(type)&0xffu)
enum { ABI_BASIC_COUNT = 256 };

/* --- reduction operations --------------------------------------------------------------------- */

#define ABI_OP_INDEX(op) ((uint32_t)(op)&0xffu)
enum { ABI_OP_COUNT = 256 };

/* --- requests --------------------------------------------------------------------------------- */

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

static inline int abi_error_class(int code)
{
	return code & 0x7f;
}

static inline bool abi_is_cancelled(const MPI_Status *status)
{
	return status->count_hi_and_cancelled & 1;
}

enum { ABI_STATUS_FIELDS = 2 };
static inline int *abi_status_field(MPI_Status *status, int field)
{
	return field == 0 ? &status->count_lo : &status->count_hi_and_cancelled;
}

static inline int64_t abi_status_bytes(const MPI_Status *status)
{
	return (int64_t)(uint32_t)status->count_lo
	       | (int64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
}

#endif
