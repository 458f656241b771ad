/* Hashes of pages that are the same again, for ranks that compute their state often. A page that
 * equals its copy has the hash of the copy: comparing takes a fraction of the time of hashing.
 *
 * The copies take up to 4 MiB of the shim's own data, which is no part of a state. Pages that find
 * no place there are hashed each time. Allocates nothing. */
#ifndef MATCHPOINT_SHIM_STATE_PAGE_COPIES_H
#define MATCHPOINT_SHIM_STATE_PAGE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/state_hash.h"

/* Pages have 4 KiB, and an address that is a multiple of that. */
bool page_copies_recall(uintptr_t page, struct state_hash *ret);
/* This is the hash of the page as it is now. */
void page_copies_note(uintptr_t page, const struct state_hash *hash);

#endif
