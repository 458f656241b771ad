/* The buffer that the program attaches for MPI_Bsend (MPI 3.1, section 3.6). The shim keeps its own
 * copies of messages; of the program's buffer only the size matters: a message that would not fit
 * is an error here, too. MPI_Buffer_detach returns at once, as nothing is stored in the buffer. */
#ifndef MATCHPOINT_SHIM_BUFFER_H
#define MATCHPOINT_SHIM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Takes room for a message of so many bytes and MPI_BSEND_OVERHEAD; waits a moment for messages
 * that the library is about to deliver. 0: it does not fit; else what is to be given back. */
size_t buffer_take(size_t bytes);
void buffer_give_back(size_t taken);

#endif
