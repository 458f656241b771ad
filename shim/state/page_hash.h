/* Hashes of pages of 4 KiB.
 *
 * For ranks that compute their state often, pages that are the same again are recalled: a page that
 * equals its copy has the hash of the copy. Comparing takes a fraction of the time of hashing. The
 * copies take up to 4 MiB of the shim's own data, which is no part of a state. Pages that find no
 * place there are hashed each time. Allocates nothing. */
#ifndef MATCHPOINT_SHIM_STATE_PAGE_HASH_H
#define MATCHPOINT_SHIM_STATE_PAGE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/state_hash.h"

/* `page`: its address. `anonymous`: a page of zeros counts as if it had never been written. */
struct state_hash page_hash(uintptr_t page, bool anonymous, bool recalls);

#endif
