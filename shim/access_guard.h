/* Whether the program leaves alone what one-sided calls take out of its memory, until they are
 * complete there (MPI 3.1, section 11.3). Of more than 16 KiB in one call the first are compared.
 * A rank's own windows are not watched, as others may rightly write there. */
#ifndef MATCHPOINT_SHIM_ACCESS_GUARD_H
#define MATCHPOINT_SHIM_ACCESS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "wire.h"

/* A window of this process is there, at these bytes; `known` false: it can lie anywhere, and
 * nothing is watched from now on. */
void access_guard_window(const void *base, size_t bytes, bool known);

/* It is about to go. */
void access_guard_forget(const void *base);

/* The call begins. Copies what it needs. */
void access_guard_begin(const struct wire_access *access);

/* `access` completes some calls, or one. Fills in up to `most` of those whose memory has changed,
 * as records of kind WIRE_ACCESS_CHANGED; returns how many. Call again until it returns 0. */
uint32_t access_guard_end(const struct wire_access *access, struct wire_access *ret,
                          uint32_t most);

#endif
