/* What messages consist of, compared as the standard wants it (MPI 3.1, section 3.3.1): the type
 * signature of a send must be the beginning of the receive's. More is taken for equal than there:
 * MPI_BYTE fits anything, as programs have it, and so do types of one kind and size, whatever the
 * language or the name (MPI_LONG, MPI_INT64_T, MPI_INTEGER8): nothing can go wrong on this
 * machine. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_TYPES_H
#define MATCHPOINT_SCHEDULER_WORLD_TYPES_H

#include <glib.h>
#include <stdbool.h>

#include "common/wire.h"

/* What may stand for each other, if of one size. */
enum types_kind {
	TYPES_ANY, /* bytes; what is not known */
	TYPES_CHARACTER,
	TYPES_SIGNED,
	TYPES_UNSIGNED,
	TYPES_FLOAT,
	TYPES_COMPLEX,
	TYPES_LOGICAL,
	TYPES_WIDE, /* characters */
};

/* The data of an operation: so many bytes of a basic type, or of `runs` again and again. A value
 * to be copied; equal lists of runs are one, for good. */
struct types {
	guint64 bytes;
	guint16 basic;           /* 0: see runs */
	const struct runs *runs; /* NULL (and basic 0): not to be compared */
};

struct types types_of(const struct wire_op *op);
struct types types_of_runs(const struct wire_types *told, guint64 bytes);

/* Whether the data fits as far as both reach. */
bool types_match(const struct types *sent, const struct types *received);

/* Of a basic type, by the low half of MPICH's handle, whose high byte is the size in bytes. */
enum types_kind types_kind(guint16 basic);
/* What one element consists of; NULL: of one basic type, or that is not known. */
const struct wire_run *types_element(const struct types *types, guint *ret_count);

/* "4 MPI_INT", "10 {2 MPI_INT, 1 MPI_DOUBLE}", "12 bytes"; free with g_free. */
char *types_print(const struct types *types);
/* The same without the count: "MPI_INT". */
char *types_print_names(const struct types *types);
/* "MPI_INT", for ever; NULL: none of MPI's own types alone. */
const char *types_name(const struct types *types);
/* How many elements: of the basic type, or of the list of runs. */
guint64 types_count(const struct types *types);

#endif
