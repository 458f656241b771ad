/* The types that messages consist of, compared as the standard requires (MPI 3.1, section 3.3.1):
 * the type signature of a send must be the beginning of the receive's. More is considered equal
 * than there. MPI_BYTE matches anything, as programs use it. So do types of one kind and size, in
 * whatever language or name (MPI_LONG, MPI_INT64_T, MPI_INTEGER8): on this machine nothing can go
 * wrong. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_TYPES_H
#define MATCHPOINT_SCHEDULER_WORLD_TYPES_H

#include <glib.h>
#include <stdbool.h>

#include "common/wire.h"

/* Types of one kind match if they have the same size. */
enum types_kind {
	TYPES_ANY, /* bytes; unknown types */
	TYPES_CHARACTER,
	TYPES_SIGNED,
	TYPES_UNSIGNED,
	TYPES_FLOAT,
	TYPES_COMPLEX,
	TYPES_LOGICAL,
	TYPES_WIDE, /* characters */
};

/* The data of an operation: `bytes` of a basic type, or of `runs` repeated. A value that may be
 * copied. Equal lists of runs are the same pointer, and are never freed. */
struct types {
	guint64 bytes;
	guint16 basic;           /* 0: see runs */
	const struct runs *runs; /* NULL (and basic 0): not compared */
};

struct types types_of(const struct wire_op *op);
struct types types_of_runs(const struct wire_types *wire, guint64 bytes);

/* Whether the types match, up to the end of the shorter data. */
bool types_match(const struct types *sent, const struct types *received);

/* The kind of a basic type, given its code (common/mpi_codes.h). */
enum types_kind types_kind(guint16 basic);
/* The runs of one element; NULL: one basic type, or not known. */
const struct wire_run *types_element(const struct types *types, guint *ret_count);

/* "4 MPI_INT", "10 {2 MPI_INT, 1 MPI_DOUBLE}", "12 bytes"; free with g_free. */
char *types_print(const struct types *types);
/* The same without the count: "MPI_INT". */
char *types_print_names(const struct types *types);
/* "MPI_INT"; never freed. NULL: not a single basic type with a name. */
const char *types_name(const struct types *types);
/* Number of elements: of the basic type, or of the list of runs. */
guint64 types_count(const struct types *types);

#endif
