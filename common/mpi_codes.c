#include "mpi_codes.h"

#include <stddef.h>

#define TYPE_NAME(name) [TYPE_##name] = "MPI_" #name,
static const char *const type_names[TYPE_NUMBERS] = {TYPE_NAMES(TYPE_NAME)};

#define OP_NAME(name) [OP_##name] = "MPI_" #name,
static const char *const op_names[OP_NUMBERS] = {OP_NAMES(OP_NAME)};

const char *type_code_name(uint16_t code)
{
	const unsigned number = type_code_number(code);

	return number < TYPE_NUMBERS ? type_names[number] : NULL;
}

const char *op_code_name(uint8_t code)
{
	return code < OP_NUMBERS ? op_names[code] : NULL;
}
