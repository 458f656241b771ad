/* Memory for copies of messages. Blocks for large messages are kept for reuse, because fresh pages
 * cost more than the copying. */
#ifndef MATCHPOINT_SHIM_MPI_MESSAGE_MEMORY_H
#define MATCHPOINT_SHIM_MPI_MESSAGE_MEMORY_H

#include <stddef.h>

/* At least one byte, aligned as malloc does; NULL: out of memory. */
void *message_memory_new(size_t bytes);
void message_memory_free(void *memory); /* NULL is legal */

#endif
