/* The MPI objects that the program holds, each with the call that gave it: what is left at
 * MPI_Finalize was never freed, nor, of kinds that can be freed at any time, what is left when the
 * process ends. Handles are the library's; the same one may be given several
 * times (MPI_Comm_group), and must then be freed as often. Pure: no MPI, no call of the shim's. */
#ifndef MATCHPOINT_SHIM_OBJECTS_OBJECTS_H
#define MATCHPOINT_SHIM_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* The program got `handle` in its variable at `where` from the call at `site` (return address). Out
 * of memory: forgotten. */
void objects_add(enum wire_object kind, uint64_t handle, const void *where, uint16_t function,
                 uint64_t site);

/* The program gave it back: of several, the one in the same variable, or else the one given last.
 * Unknown handles are ignored. */
void objects_remove(enum wire_object kind, uint64_t handle, const void *where);

/* Takes out those that are left of the kinds that can, or cannot, be freed at any time: one element
 * for each kind, function and site, in the order of their first objects, after those in `left`
 * already (malloc'ed or NULL with 0 elements), which are joined by others of their call. Returns
 * the list, malloc'ed; NULL: none, or out of memory. */
struct wire_left *objects_left(struct wire_left *left, uint32_t *count, bool at_any_time);

/* Adds to such a list: one more object of that call. The list, or NULL: out of memory. */
struct wire_left *objects_count(struct wire_left *left, uint32_t *count, enum wire_object kind,
                                uint16_t function, uint64_t site);

#endif
