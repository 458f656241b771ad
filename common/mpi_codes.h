/* Numbers of MPI's predefined datatypes and reduction operations that are the same for every MPI
 * library (names: MPI 3.1, annex A.1.1). The shim translates the library's own into these
 * (shim/types/codes.h): only they go over the wire, and the scheduler knows no others. Recordings
 * of the wire contain them, so new names go to the end of a list. libc only.
 *
 * A type code is a name's number in the low byte, and in the high byte the size of an element in
 * bytes, which depends on the compiler. 0: no type. The types for MPI_MINLOC and MPI_MAXLOC have no
 * codes: each is a sequence of others. */
#ifndef MATCHPOINT_COMMON_MPI_CODES_H
#define MATCHPOINT_COMMON_MPI_CODES_H

#include <stdint.h>

/* Without "MPI_". */
#define TYPE_NAMES(X)            \
	X(CHAR)                  \
	X(SIGNED_CHAR)           \
	X(UNSIGNED_CHAR)         \
	X(BYTE)                  \
	X(WCHAR)                 \
	X(SHORT)                 \
	X(UNSIGNED_SHORT)        \
	X(INT)                   \
	X(UNSIGNED)              \
	X(LONG)                  \
	X(UNSIGNED_LONG)         \
	X(LONG_LONG)             \
	X(UNSIGNED_LONG_LONG)    \
	X(FLOAT)                 \
	X(DOUBLE)                \
	X(LONG_DOUBLE)           \
	X(INT8_T)                \
	X(INT16_T)               \
	X(INT32_T)               \
	X(INT64_T)               \
	X(UINT8_T)               \
	X(UINT16_T)              \
	X(UINT32_T)              \
	X(UINT64_T)              \
	X(C_BOOL)                \
	X(C_FLOAT_COMPLEX)       \
	X(C_DOUBLE_COMPLEX)      \
	X(C_LONG_DOUBLE_COMPLEX) \
	X(AINT)                  \
	X(OFFSET)                \
	X(COUNT)                 \
	X(CHARACTER)             \
	X(LOGICAL)               \
	X(INTEGER)               \
	X(REAL)                  \
	X(DOUBLE_PRECISION)      \
	X(COMPLEX)               \
	X(DOUBLE_COMPLEX)        \
	X(INTEGER1)              \
	X(INTEGER2)              \
	X(INTEGER4)              \
	X(INTEGER8)              \
	X(INTEGER16)             \
	X(REAL2)                 \
	X(REAL4)                 \
	X(REAL8)                 \
	X(REAL16)                \
	X(COMPLEX4)              \
	X(COMPLEX8)              \
	X(COMPLEX16)             \
	X(COMPLEX32)             \
	X(CXX_BOOL)              \
	X(CXX_FLOAT_COMPLEX)     \
	X(CXX_DOUBLE_COMPLEX)    \
	X(CXX_LONG_DOUBLE_COMPLEX)

#define OP_NAMES(X) \
	X(MAX)      \
	X(MIN)      \
	X(SUM)      \
	X(PROD)     \
	X(LAND)     \
	X(BAND)     \
	X(LOR)      \
	X(BOR)      \
	X(LXOR)     \
	X(BXOR)     \
	X(MAXLOC)   \
	X(MINLOC)   \
	X(REPLACE)  \
	X(NO_OP)

#define TYPE_NUMBER(name) TYPE_##name,
enum type_number {
	TYPE_NONE,
	TYPE_OTHER, /* one of the library's own: only its size is known */
	TYPE_NAMES(TYPE_NUMBER) TYPE_NUMBERS
};
#undef TYPE_NUMBER
_Static_assert(TYPE_NUMBERS <= 256, "a number is a byte");

/* Constant, if its arguments are. `size`: below 256. */
#define TYPE_CODE(number, size) ((uint16_t)((size) << 8 | (number)))

static inline enum type_number type_code_number(uint16_t code)
{
	return (enum type_number)(code & 0xff);
}

/* Bytes of an element. */
static inline unsigned type_code_size(uint16_t code)
{
	return code >> 8;
}

/* "MPI_INT"; NULL: it has no name. For any number, as a rank may send it. */
const char *type_code_name(uint16_t code);

#define OP_NUMBER(name) OP_##name,
enum op_code {
	OP_NONE,
	OP_NAMES(OP_NUMBER) OP_NUMBERS,
	OP_OTHER = 254, /* a predefined one of the library's own */
	OP_OWN = 255,   /* made by MPI_Op_create */
};
#undef OP_NUMBER

/* "MPI_SUM"; NULL: it has no name. For any number. */
const char *op_code_name(uint8_t code);

#endif
