/* Detects that memory that one-sided calls use at the origin is changed, freed or left by its
 * function, until the calls are complete there (MPI 3.1, section 11.3). Of more than 16 KiB in one
 * call, only the beginning is compared. Memory of windows is not watched, because other processes
 * may write there. The uses of the rank's own memory by such calls are also passed to overlap.h. */
#ifndef MATCHPOINT_SHIM_CHECK_ACCESS_CHECKSUM_H
#define MATCHPOINT_SHIM_CHECK_ACCESS_CHECKSUM_H

#include <stdbool.h>

#include "common/wire.h"

/* A call has begun. Copies what it needs of `access`. `settled`: until the call is complete, MPI
 * does not write to the memory into which it fetches (fetched.h); so that memory is watched,
 * too. */
void access_checksum_begin(const struct wire_access *access, bool settled);

/* Whether `by` completes the call `access` at the origin. */
bool access_completes(const struct wire_access *by, const struct wire_access *access);

/* `access` completes some calls. For up to `most` of those whose memory has changed, fills in a
 * record of kind WIRE_ACCESS_CHANGED, FREED or LEFT, whose flags are WIRE_ACCESS_WRITES for memory
 * that the call reads, and WIRE_ACCESS_READS for memory into which it fetches. Returns their
 * number. Call it again until it returns 0. */
uint32_t access_checksum_end(const struct wire_access *access, struct wire_access *ret,
                             uint32_t most);

#endif
