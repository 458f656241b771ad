/* Memory at equal addresses in the recorded and the replayed process: what MPI allocates lies apart
 * from what the program does (shim/state/heap.h). */
#ifndef MATCHPOINT_SHIM_RECORD_MEMORY_H
#define MATCHPOINT_SHIM_RECORD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* MPI may have loaded libraries, whose memory is MPI's. */
void memory_know_libraries(void);

/* Memory that is no part of what the program does. */
void memory_note_own(const void *start, size_t size);

/* Memory for the program, from its own mappings. NULL: none is left. */
void *memory_of_program(size_t size);
void memory_of_program_free(void *memory); /* NULL is legal */

/* Whether a return address lies in MPI's libraries, or the recorder. */
bool memory_is_mpis(const void *caller);

#endif
