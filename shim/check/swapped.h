/* One call of a reduction operation, and the same with the operands exchanged (reduction.h). */
#ifndef MATCHPOINT_SHIM_CHECK_SWAPPED_H
#define MATCHPOINT_SHIM_CHECK_SWAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "shim/types/bytes.h"

enum { SWAPPED_WORDS = 160, SWAPPED_UNTYPED = 1024 };

/* Copies of the operands, to be given to the operation in the same places: `in` is what MPI gives
 * as second operand. */
struct swapped {
	void *in, *inout;
	/* The rest is private. */
	char *memory;
	const char *result;   /* MPI's second operand */
	struct bytes *bytes;  /* of it */
	char *first, *second; /* the data of both, packed */
	uint64_t size;        /* of each, in bytes */
	MPI_Count count;
	MPI_Datatype type;
};

/* What is known of an operation's bytes without a type, by their position in an element: whether
 * it writes them, and whether its results differ there. */
struct swapped_memory {
	uint8_t written[SWAPPED_UNTYPED / 8], differs[SWAPPED_UNTYPED / 8];
};

enum swapped_begun { SWAPPED_EQUAL, SWAPPED_UNKNOWN, SWAPPED_COPIED };

/* Before the call: copies the operands. They may be equal, or too large or irregular to be copied.
 * If they are copied, swapped_end must follow. */
enum swapped_begun swapped_begin(struct swapped *swapped, const void *in, const void *inout,
                                 MPI_Count count, MPI_Datatype type);
void swapped_end(struct swapped *swapped);

/* After both calls: whether the results differ. Then stores the first difference as words. */
bool swapped_differs(const struct swapped *swapped, struct swapped_memory *memory,
                     char ret_words[SWAPPED_WORDS]);

#endif
