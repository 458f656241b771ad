/* The mappings of this process, as lines of /proc/self/maps, and reading files of /proc past the
 * shim's wrappers, which keep a journal. Allocates nothing: the buffers are in the shim's own data,
 * so only one thread at a time may call this. */
#ifndef MATCHPOINT_SHIM_STATE_MAPPINGS_H
#define MATCHPOINT_SHIM_STATE_MAPPINGS_H

#include <stdbool.h>

/* Calls `look` for each line (without its end), until it returns false. false: not all could be
 * read. */
bool mappings_each(bool (*look)(const char *line, void *user), void *user);

/* Opens for reading. -1 with errno set. */
int open_quietly(const char *path);

#endif
