/* A hash of what the members of a collective must agree on, if their agreement shows when all have
 * the same. Pure. */
#ifndef MATCHPOINT_SHIM_CALLS_COLLECTIVE_HASH_H
#define MATCHPOINT_SHIM_CALLS_COLLECTIVE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "mpi_calls.h"

/* Whether each member has the same for each other member, unless it is wrong. Not so where counts
 * or types are given for each, or a member exchanges data with neighbors only. */
bool collective_is_uniform(enum mpi_call function);

/* 0: this member's own arguments do not show the same for each other member, so that its hash would
 * say nothing. Members with equal hashes agree (MPI 3.1, section 5.1). */
uint64_t collective_hash(enum mpi_call function, const struct wire_op *op);

#endif
