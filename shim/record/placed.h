/* At replay: memory at the addresses where MPI had it in the recorded run. */
#ifndef MATCHPOINT_SHIM_RECORD_PLACED_H
#define MATCHPOINT_SHIM_RECORD_PLACED_H

#include <stdbool.h>
#include <stddef.h>

/* Maps the pages of that memory, and makes it zero. Parts of one page may be mapped one after
 * another. false: something else lies there. */
bool placed_map(void *at, size_t size);
/* What was mapped is not needed any more. Pages that others share stay. */
void placed_free(void *at, size_t size);

#endif
