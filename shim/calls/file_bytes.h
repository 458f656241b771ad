/* Which bytes of a file a call of MPI-IO reads or writes, according to the file's view (MPI 3.1,
 * section 13.3). */
#ifndef MATCHPOINT_SHIM_CALLS_FILE_BYTES_H
#define MATCHPOINT_SHIM_CALLS_FILE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

/* The call moves `bytes` bytes of data, beginning `offset` elementary types into the view. Returns
 * the parts, which the caller frees; NULL: there are none, or MPI does not say. `ret_whole`: these
 * are all; else there are too many. */
struct wire_part *file_bytes(MPI_File file, MPI_Offset offset, uint64_t bytes, uint32_t *ret_count,
                             bool *ret_whole);

#endif
