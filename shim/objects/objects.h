/* The MPI objects that the program holds, each with the call that gave it to the program. Objects
 * left at MPI_Finalize were never freed; of kinds that may be freed at any time, those left when
 * the process ends. Handles are MPI's. The same handle may be given several times (MPI_Comm_group),
 * and must then be freed as often. Thread-safe. Calls neither MPI nor other modules of the shim. */
#ifndef MATCHPOINT_SHIM_OBJECTS_OBJECTS_H
#define MATCHPOINT_SHIM_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* The call at `site` (a return address) gave the program `handle`, in its variable at `where`. If
 * memory is out, the object is not recorded. */
void objects_add(enum wire_object kind, uint64_t handle, const void *where, uint16_t function,
                 uint64_t site);

/* The program freed the handle. If it was given several times, the record with the same variable is
 * removed, otherwise the one given last. Unknown handles are ignored. */
void objects_remove(enum wire_object kind, uint64_t handle, const void *where);

/* Removes the objects left of the kinds that can, or cannot, be freed at any time, and adds them to
 * `left` (malloc'ed; NULL with 0 elements). There is one element for each kind, function and site,
 * in the order of the first objects. Returns the list, which the caller frees; NULL: empty, or out
 * of memory. */
struct wire_left *objects_left(struct wire_left *left, uint32_t *count, bool at_any_time);

/* Adds one more object of that call to such a list. Returns the list; NULL: out of memory, and the
 * list is freed. */
struct wire_left *objects_count(struct wire_left *left, uint32_t *count, enum wire_object kind,
                                uint16_t function, uint64_t site);

#endif
