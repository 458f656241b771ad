/* abi.h for MPI's own ABI (MPI 5.0, chapter 20, and the values in appendix A). A handle is a
 * pointer: below 4096 it is a constant of MPI, above it belongs to the library. A constant has 10
 * bits, of which the upper ones say its kind; the null handle of a kind has zeros in the rest. */
#ifndef MATCHPOINT_SHIM_MPI_ABI_STANDARD_H
#define MATCHPOINT_SHIM_MPI_ABI_STANDARD_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* --- any handle ------------------------------------------------------------------------------- */

#define ABI_BITS(handle) ((uintptr_t)(handle))

static inline bool abi_bits_are_made(uintptr_t bits)
{
	return bits >= 0x1000;
}

static inline bool abi_bits_are_predefined(uintptr_t bits)
{
	switch (bits) {
	case 0: /* no handle at all */
	case ABI_BITS(MPI_OP_NULL):
	case ABI_BITS(MPI_COMM_NULL):
	case ABI_BITS(MPI_GROUP_NULL):
	case ABI_BITS(MPI_WIN_NULL):
	case ABI_BITS(MPI_FILE_NULL):
	case ABI_BITS(MPI_SESSION_NULL):
	case ABI_BITS(MPI_MESSAGE_NULL):
	case ABI_BITS(MPI_INFO_NULL):
	case ABI_BITS(MPI_ERRHANDLER_NULL):
	case ABI_BITS(MPI_REQUEST_NULL):
	case ABI_BITS(MPI_DATATYPE_NULL): return false;
	default: return !abi_bits_are_made(bits);
	}
}

/* Libraries align their objects. */
static inline uint32_t abi_bits_number(uintptr_t bits)
{
	return (uint32_t)(abi_bits_are_made(bits) ? bits >> 4 : bits);
}

/* --- types ------------------------------------------------------------------------------------ */

enum { ABI_BASIC_COUNT = 0x100 };
#define ABI_BASIC_INDEX(type) (ABI_BITS(type) & (ABI_BASIC_COUNT - 1))

/* Types from 0x240 on have a fixed size, whose binary logarithm is in bits 3 to 5. Those before
 * have the compiler's sizes (here on 64 bits; Fortran's are the defaults of its compilers). Each
 * has a digit, the logarithm + 1; the last digit is the type whose number ends in 0. A digit 0 is
 * no type, or one that is not basic. */
#define ABI_SIZE_DIGITS(type)                                    \
	(ABI_BITS(type) < 0x200   ? 0                            \
	 : ABI_BITS(type) < 0x210 ? UINT64_C(0x4432443210004440) \
	 : ABI_BITS(type) < 0x220 ? UINT64_C(0x0054433355044403) \
	 : ABI_BITS(type) < 0x230 ? UINT64_C(0x0000400000660005) \
	 : ABI_BITS(type) < 0x240 ? UINT64_C(0x0003001100000454) \
	                          : 0)
#define ABI_SIZE_DIGIT(type)                               \
	(ABI_BITS(type) >= 0x240 && ABI_BITS(type) < 0x300 \
	         ? (ABI_BITS(type) >> 3 & 7) + 1           \
	         : ABI_SIZE_DIGITS(type) >> (ABI_BITS(type) % 16 * 4) & 15)
#define ABI_BASIC_SIZE(type) ((uint32_t)(1u << ABI_SIZE_DIGIT(type) >> 1))

static inline bool abi_is_basic(MPI_Datatype type)
{
	return ABI_SIZE_DIGIT(type) > 0;
}

/* --- reduction operations --------------------------------------------------------------------- */

enum { ABI_OP_COUNT = 0x20 };
#define ABI_OP_INDEX(op) (ABI_BITS(op) & (ABI_OP_COUNT - 1))

/* --- requests --------------------------------------------------------------------------------- */

/* No program has memory at these addresses. */
#define ABI_OWN_REQUESTS UINT64_C(0x2d00000000000000)
enum { ABI_OWN_REQUESTS_MOST = 0x00ffffff };

static inline MPI_Request abi_own_request(uint32_t index)
{
	return (MPI_Request)(ABI_OWN_REQUESTS | index);
}

static inline bool abi_is_own_request(MPI_Request handle, uint32_t *ret_index)
{
	*ret_index = (uint32_t)ABI_BITS(handle) & ABI_OWN_REQUESTS_MOST;
	return abi_own_request(*ret_index) == handle;
}

static inline bool abi_may_be_request(MPI_Request handle)
{
	return abi_bits_are_made(ABI_BITS(handle)) && ABI_BITS(handle) < ABI_OWN_REQUESTS;
}

#endif
