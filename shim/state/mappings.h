/* What this process has mapped, line by line as /proc/self/maps tells it, and files of /proc read
 * past the shim's own wrappers, which keep a journal. Nothing is allocated: what is used lies in
 * the shim's own data, and only one thread at a time may ask. */
#ifndef MATCHPOINT_SHIM_STATE_MAPPINGS_H
#define MATCHPOINT_SHIM_STATE_MAPPINGS_H

#include <stdbool.h>

/* Looks at each line (without its end), until one look says false. false: not all can be read. */
bool mappings_each(bool (*look)(const char *line, void *user), void *user);

/* For reading; -1 with errno set. */
int open_quietly(const char *path);

#endif
