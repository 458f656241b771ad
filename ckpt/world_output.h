/* Output of the ranks in a world's directory. out.R and err.R are files there, or, if they may
 * become too large for it, links to files in a directory on a disk
 * (scheduler/host/output_place.h). The link AGENT_OUTPUT leads to that directory. */
#ifndef MATCHPOINT_CKPT_WORLD_OUTPUT_H
#define MATCHPOINT_CKPT_WORLD_OUTPUT_H

#include <stdbool.h>

/* Whether the name is that of a rank's output: its file may be reached by a link. */
bool world_output_is(const char *name);

/* O_NOFOLLOW for an open of this name, except for output. */
int world_output_no_follow(const char *name);

/* Removes what has this name in the directory; of output on disk only the file, not the link.
 * Returns 0, also if it is gone, or -1 with errno. */
int world_output_remove(int directory, const char *name);

#endif
