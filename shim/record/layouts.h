/* Which bytes elements of a datatype cover (MPI 3.1, section 4.1). The recorder asks MPI when a
 * type is first used, and writes the answer into the log, from which the replayer has it. */
#ifndef MATCHPOINT_SHIM_RECORD_LAYOUTS_H
#define MATCHPOINT_SHIM_RECORD_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

struct layout; /* NULL: nothing is known of the type */

/* Writes the layout into the log, or reads it, if this type was not used before. The result is held
 * for the caller, whatever becomes of the type. */
struct layout *layouts_hold(MPI_Datatype type);
void layouts_release(struct layout *layout); /* NULL is legal */
/* The handle stands for nothing from now on; it may come again for another type. */
void layouts_forget(MPI_Datatype type);

/* Of an element, in bytes. */
int64_t layouts_size(const struct layout *layout);
int64_t layouts_extent(const struct layout *layout);
/* The bytes that `count` elements lie in, and where these begin from the first one's address. */
int64_t layouts_reach(const struct layout *layout, int64_t count);
int64_t layouts_low(const struct layout *layout);
/* Whether elements follow one another without a gap. */
bool layouts_is_dense(const struct layout *layout);

/* Hashes elements; `hash` is what was hashed before them. */
uint64_t layouts_hash(uint64_t hash, const void *at, int64_t count, const struct layout *layout);
/* Moves elements between memory and the log. */
void layouts_data(void *at, int64_t count, const struct layout *layout);

#endif
