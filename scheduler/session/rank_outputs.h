/* What all ranks of a world have printed, asked of the host at once: the answers may come in any
 * order, at once or later. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_RANK_OUTPUTS_H
#define MATCHPOINT_SCHEDULER_SESSION_RANK_OUTPUTS_H

#include "scheduler/host/host.h"
#include "scheduler/verdict/verdict.h"

struct rank_outputs;

/* Asks for all that the ranks of the world in this directory have printed, and for the room there,
 * and runs the host until everything is answered. The host bounds how long that takes. Not within
 * the host's `iterate`. */
struct rank_outputs *rank_outputs_read(struct host *host, const char *directory, int ranks);
void rank_outputs_free(struct rank_outputs *outputs);

/* Valid as long as `outputs`. */
struct verdict_printed rank_outputs_printed(const struct rank_outputs *outputs);

#endif
