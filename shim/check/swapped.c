#include "swapped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mpi_codes.h"
#include "shim/types/signature.h"

enum {
	BYTES_MAX = 1 << 20, /* of an operand, with its gaps */
	ALIGNMENT = 64,      /* of the copies, as that of the operands */
};

/* A value of a basic type. */
struct value {
	uint16_t basic;  /* as in struct wire_run */
	uint64_t at;     /* in the packed data */
	uint64_t size;   /* bytes */
	uint64_t number; /* in its element, from 0 */
};

/* The four forms of the data, packed. */
struct forms {
	const char *first, *second;   /* operands */
	const char *result, *swapped; /* results */
};

/* --- copies --------------------------------------------------------------------------------- */

struct packing {
	char *to;
	ptrdiff_t distance;
};

static bool pack_piece(void *user, uintptr_t address, size_t length)
{
	struct packing *packing = user;

	memcpy(packing->to, (const void *)(address + (uintptr_t)packing->distance), length);
	packing->to += length;
	return true;
}

/* Packs the data that lies `distance` bytes behind the second operand. */
static void pack(const struct swapped *swapped, ptrdiff_t distance, char *to)
{
	struct packing packing = {to, distance};

	bytes_locate(swapped->bytes, WIRE_PART_READ, 0, swapped->size, pack_piece, &packing);
}

/* Where a copy of memory at `address` is to lie in a piece of memory that is larger by
 * ALIGNMENT. */
static char *align_as(char *memory, int64_t address)
{
	uintptr_t wanted = (uintptr_t)address % ALIGNMENT, is = (uintptr_t)memory % ALIGNMENT;

	return memory + (wanted + ALIGNMENT - is) % ALIGNMENT;
}

static enum swapped_begun copy_operands(struct swapped *swapped, const void *in, const void *inout)
{
	const ptrdiff_t apart = (const char *)in - (const char *)inout;
	int64_t low, high;
	size_t length;
	char *copy;

	swapped->size = bytes_size(swapped->bytes, WIRE_PART_READ);
	if (swapped->bytes->unknown || !bytes_span_all(swapped->bytes, &low, &high)
	    || high - low > BYTES_MAX || swapped->size > BYTES_MAX)
		return SWAPPED_UNKNOWN;
	length = (size_t)(high - low);
	swapped->memory = malloc(2 * (length + ALIGNMENT) + 4 * swapped->size);
	if (!swapped->memory)
		return SWAPPED_UNKNOWN;
	swapped->first = swapped->memory + 2 * (length + ALIGNMENT);
	swapped->second = swapped->first + swapped->size;
	pack(swapped, apart, swapped->first);
	pack(swapped, 0, swapped->second);
	if (memcmp(swapped->first, swapped->second, swapped->size) == 0)
		return SWAPPED_EQUAL;
	copy = align_as(swapped->memory, low);
	memcpy(copy, (const void *)(uintptr_t)low, length);
	swapped->in = copy + ((intptr_t)inout - low);
	copy = align_as(swapped->memory + length + ALIGNMENT, low + apart);
	memcpy(copy, (const void *)(uintptr_t)(low + apart), length);
	swapped->inout = copy + ((intptr_t)inout - low);
	return SWAPPED_COPIED;
}

enum swapped_begun swapped_begin(struct swapped *swapped, const void *in, const void *inout,
                                 MPI_Count count, MPI_Datatype type)
{
	enum swapped_begun begun = SWAPPED_UNKNOWN;

	*swapped = (struct swapped){.result = inout, .type = type, .count = count};
	if (count <= 0)
		return SWAPPED_EQUAL;
	swapped->bytes = bytes_of(WIRE_PART_READ, inout, count, type);
	if (swapped->bytes)
		begun = copy_operands(swapped, in, inout);
	if (begun != SWAPPED_COPIED)
		swapped_end(swapped);
	return begun;
}

void swapped_end(struct swapped *swapped)
{
	bytes_release(swapped->bytes);
	free(swapped->memory);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* The size of the floating-point numbers that a basic type consists of; 0: it has none. */
static size_t real_size(uint16_t basic)
{
	switch (type_code_number(basic)) {
	case TYPE_FLOAT:
	case TYPE_DOUBLE:
	case TYPE_LONG_DOUBLE:
	case TYPE_REAL:
	case TYPE_DOUBLE_PRECISION:
	case TYPE_REAL4:
	case TYPE_REAL8: return type_code_size(basic);
	case TYPE_COMPLEX:
	case TYPE_DOUBLE_COMPLEX:
	case TYPE_COMPLEX8:
	case TYPE_COMPLEX16:
	case TYPE_C_FLOAT_COMPLEX:
	case TYPE_C_DOUBLE_COMPLEX:
	case TYPE_C_LONG_DOUBLE_COMPLEX:
	case TYPE_CXX_FLOAT_COMPLEX:
	case TYPE_CXX_DOUBLE_COMPLEX:
	case TYPE_CXX_LONG_DOUBLE_COMPLEX: return type_code_size(basic) / 2;
	default: return 0;
	}
}

/* Whether the bytes of such a type may be anything. */
static bool is_untyped(uint16_t basic)
{
	switch (type_code_number(basic)) {
	case TYPE_BYTE:
	case TYPE_CHAR:
	case TYPE_SIGNED_CHAR:
	case TYPE_UNSIGNED_CHAR:
	case TYPE_CHARACTER: return true;
	default: return false;
	}
}

static long double read_real(const char *at, size_t size)
{
	long double longest;
	double usual;
	float small;

	switch (size) {
	case sizeof(float): memcpy(&small, at, size); return small;
	case sizeof(double): memcpy(&usual, at, size); return usual;
	default: memcpy(&longest, at, size); return longest;
	}
}

/* Whether two numbers differ at most by rounding, in a few steps, of numbers up to `scale`. */
static bool are_near(long double one, long double other, long double scale, size_t size)
{
	const long double steps = size == sizeof(float)    ? 0x1p-16L
	                          : size == sizeof(double) ? 0x1p-40L
	                                                   : 0x1p-48L;

	return one == other || (isnan(one) && isnan(other)) || fabsl(one - other) <= scale * steps;
}

/* Whether bytes without a type look like two numbers that differ by rounding. */
static bool look_near(const struct forms *forms, uint64_t at, size_t size)
{
	const long double far = size == sizeof(float) ? 1e20L : 1e60L;
	const long double one = read_real(forms->result + at, size);
	const long double other = read_real(forms->swapped + at, size);
	const long double scale = fabsl(one) > fabsl(other) ? fabsl(one) : fabsl(other);

	return scale > 1 / far && scale < far && are_near(one, other, scale, size);
}

/* --- comparison ----------------------------------------------------------------------------- */

struct comparison {
	struct forms forms;
	struct swapped_memory *memory;
	uint64_t element, begin; /* bytes of data of each element; where the current one begins */
	long double scale;       /* its largest number */
	bool differs;
	struct value value; /* the first that differs */
};

/* Calls the function with each value of an element, until it returns true. */
typedef bool (*value_visitor)(struct comparison *comparison, const struct value *value);

static bool visit_run(struct comparison *comparison, struct value *value, uint16_t basic,
                      uint64_t count, value_visitor visit)
{
	const uint64_t end = comparison->begin + comparison->element;

	value->basic = basic;
	value->size = type_code_size(basic);
	for (uint64_t i = 0; i < count && value->size > 0 && value->at + value->size <= end; i++) {
		if (visit(comparison, value))
			return true;
		value->at += value->size;
		value->number++;
	}
	return false;
}

static bool visit_element(struct comparison *comparison, const struct wire_types *types,
                          value_visitor visit)
{
	struct value value = {.at = comparison->begin};
	const uint64_t all = comparison->element;

	if (types->basic != 0)
		return visit_run(comparison, &value, types->basic, all, visit);
	if (types->run_count == 0)
		return visit_run(comparison, &value, TYPE_CODE(TYPE_BYTE, 1), all, visit);
	for (uint32_t i = 0; i < types->run_count; i++)
		if (visit_run(comparison, &value, types->runs[i].basic, types->runs[i].count,
		              visit))
			return true;
	return false;
}

static bool find_scale(struct comparison *comparison, const struct value *value)
{
	const struct forms *forms = &comparison->forms;
	const char *const all[] = {forms->first, forms->second, forms->result, forms->swapped};
	const size_t size = real_size(value->basic);

	for (uint64_t at = value->at; size > 0 && at + size <= value->at + value->size; at += size)
		for (int i = 0; i < 4; i++) {
			long double magnitude = fabsl(read_real(all[i] + at, size));

			if (magnitude > comparison->scale)
				comparison->scale = magnitude;
		}
	return false;
}

static bool untyped_differs(struct comparison *comparison, const struct value *value)
{
	const struct forms *forms = &comparison->forms;
	const uint64_t at = value->at, place = at - comparison->begin;
	const uint64_t word = at - place % sizeof(double), half = at - place % sizeof(float);
	const uint64_t end = comparison->begin + comparison->element;
	const uint8_t bit = (uint8_t)(1u << place % 8);
	uint8_t *written = &comparison->memory->written[place / 8];
	uint8_t *differs = &comparison->memory->differs[place / 8];

	if (place >= SWAPPED_UNTYPED)
		return false;
	if (forms->result[at] != forms->second[at] || forms->swapped[at] != forms->first[at])
		*written |= bit;
	if (forms->result[at] != forms->swapped[at]
	    && !(word + sizeof(double) <= end && look_near(forms, word, sizeof(double)))
	    && !(half + sizeof(float) <= end && look_near(forms, half, sizeof(float))))
		*differs |= bit;
	return (*written & *differs & bit) != 0;
}

static bool value_differs(struct comparison *comparison, const struct value *value)
{
	const struct forms *forms = &comparison->forms;
	const size_t size = real_size(value->basic);
	bool differs = false;

	if (is_untyped(value->basic))
		differs = untyped_differs(comparison, value);
	else if (size == 0)
		differs = memcmp(forms->result + value->at, forms->swapped + value->at, value->size)
		          != 0;
	for (uint64_t at = value->at; size > 0 && at + size <= value->at + value->size; at += size)
		differs |= !are_near(read_real(forms->result + at, size),
		                     read_real(forms->swapped + at, size), comparison->scale, size);
	if (differs)
		comparison->value = *value;
	return differs;
}

static int64_t read_integer(const char *at, size_t size)
{
	int16_t small;
	int32_t usual;
	int64_t large;

	switch (size) {
	case sizeof(small): memcpy(&small, at, size); return small;
	case sizeof(usual): memcpy(&usual, at, size); return usual;
	case sizeof(large): memcpy(&large, at, size); return large;
	default: return *(const unsigned char *)at;
	}
}

static void print_value(char *to, size_t room, const char *at, const struct value *value)
{
	const size_t size = real_size(value->basic);

	if (size > 0)
		snprintf(to, room, "%.10Lg", read_real(at, size));
	else
		snprintf(to, room, "%lld", (long long)read_integer(at, value->size));
}

/* "value 2 of element 1 is 713 in one order and 893 in the other" */
static void describe(const struct comparison *comparison, char ret_words[SWAPPED_WORDS])
{
	const struct value *value = &comparison->value;
	const bool is_byte = is_untyped(value->basic);
	char one[32], other[32];

	print_value(one, sizeof(one), comparison->forms.result + value->at, value);
	print_value(other, sizeof(other), comparison->forms.swapped + value->at, value);
	snprintf(ret_words, SWAPPED_WORDS, "%s %llu of element %llu is %s and %s",
	         is_byte ? "byte" : "value", (unsigned long long)value->number + 1,
	         (unsigned long long)(comparison->begin / comparison->element) + 1, one, other);
}

bool swapped_differs(const struct swapped *swapped, struct swapped_memory *memory,
                     char ret_words[SWAPPED_WORDS])
{
	char *result = swapped->second + swapped->size, *other = result + swapped->size;
	const struct wire_types types = signature_of(swapped->type);
	struct comparison comparison = {
		.forms = {swapped->first, swapped->second, result, other},
		.memory = memory,
		.element = swapped->size / (uint64_t)swapped->count,
	};

	if (is_untyped(types.basic) && comparison.element == 1)
		comparison.element = swapped->size;
	pack(swapped, 0, result);
	pack(swapped, (const char *)swapped->inout - swapped->result, other);
	while (comparison.begin < swapped->size) {
		comparison.scale = 0;
		visit_element(&comparison, &types, find_scale);
		if (visit_element(&comparison, &types, value_differs)) {
			describe(&comparison, ret_words);
			return true;
		}
		comparison.begin += comparison.element;
	}
	return false;
}
