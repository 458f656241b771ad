/* Whether the program leaves alone what one-sided calls take out of its memory, until they are
 * complete there (MPI 3.1, section 11.3). Of more than 16 KiB in one call the first are compared.
 * Memory of windows is not watched, as others may rightly write there. What such calls use of
 * their rank's memory is told to overlap.h, too. */
#ifndef MATCHPOINT_SHIM_CHECK_ACCESS_CHECKSUM_H
#define MATCHPOINT_SHIM_CHECK_ACCESS_CHECKSUM_H

#include <stdbool.h>

#include "common/wire.h"

/* The call begins. Copies what it needs. */
void access_checksum_begin(const struct wire_access *access);

/* `access` completes some calls, or one. Fills in up to `most` of those whose memory has changed,
 * as records of kind WIRE_ACCESS_CHANGED; returns how many. Call again until it returns 0. */
uint32_t access_checksum_end(const struct wire_access *access, struct wire_access *ret,
                             uint32_t most);

#endif
