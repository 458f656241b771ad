#include "codes.h"

#include "common/mpi_codes.h"
#include "shim/mpi/abi.h"

/* Types that not every library has. */
#ifndef MPI_INTEGER16
#define MPI_INTEGER16 MPI_DATATYPE_NULL
#endif
#ifndef MPI_REAL2
#define MPI_REAL2 MPI_DATATYPE_NULL
#endif
#ifndef MPI_COMPLEX4
#define MPI_COMPLEX4 MPI_DATATYPE_NULL
#endif

/* Those that this library lacks are MPI_DATATYPE_NULL. They have places of their own, which nothing
 * looks up: so the compiler warns if two types have one place. */
enum { PAIR_2INT = TYPE_NUMBERS, PAIR_2INTEGER, PAIR_2REAL, PAIR_2DOUBLE_PRECISION, ALL_TYPES };

#define PLACE(type, number) \
	((type) == MPI_DATATYPE_NULL ? ABI_BASIC_COUNT + (number) : ABI_BASIC_INDEX(type))
#define TYPE(name) \
	[PLACE(MPI_##name, TYPE_##name)] = TYPE_CODE(TYPE_##name, ABI_BASIC_SIZE(MPI_##name)),
#define PAIR(pair, name) \
	[PLACE(MPI_##pair, PAIR_##pair)] = TYPE_CODE(TYPE_##name, ABI_BASIC_SIZE(MPI_##name))

static const uint16_t types[ABI_BASIC_COUNT + ALL_TYPES] = {
	TYPE_NAMES(TYPE) PAIR(2INT, INT),
	PAIR(2INTEGER, INTEGER),
	PAIR(2REAL, REAL),
	PAIR(2DOUBLE_PRECISION, DOUBLE_PRECISION),
};

#define OP(name) [ABI_OP_INDEX(MPI_##name)] = OP_##name,
static const uint8_t ops[ABI_OP_COUNT] = {OP_NAMES(OP)};

uint16_t codes_of_type(MPI_Datatype type)
{
	const uint16_t code = types[ABI_BASIC_INDEX(type)];
	const uint32_t size = ABI_BASIC_SIZE(type);

	if (code != 0 || type == MPI_PACKED || size == 0)
		return code;
	return TYPE_CODE(TYPE_OTHER, size);
}

uint8_t codes_of_op(MPI_Op op)
{
	const uint8_t code = ops[ABI_OP_INDEX(op)];

	if (!abi_is_predefined(op))
		return OP_OWN;
	return code != OP_NONE ? code : OP_OTHER;
}
