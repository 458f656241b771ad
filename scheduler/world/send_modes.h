/* Sends in buffered and ready mode, which the standard allows only where something is sure: that
 * the attached buffer has room beside all messages that may still lie in it (MPI 3.1, section 3.6),
 * and that the receive has begun (section 3.4). Sure is what follows from the order of the events,
 * not what was so this time. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_SEND_MODES_H
#define MATCHPOINT_SCHEDULER_WORLD_SEND_MODES_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/trace.h"

/* A send in one of these modes. */
struct moded_send {
	struct op_id id;
	bool is_ready;   /* else it is buffered */
	guint64 needs;   /* buffered: bytes of the buffer */
	guint32 buffer;  /* the how-manieth that was attached */
	guint32 offered; /* its size */
};

/* What is not sure of one of them. */
struct unsure_send {
	const struct moded_send *send;
	struct op_id receive; /* ready: that it matches */
};

/* Calls `found` for each that is not sure, in a buffer for the first of each rank alone. `sends`
 * (struct moded_send) stand in the order of their events. */
void send_modes_find(const GArray *sends, const struct trace *trace, int ranks,
                     void (*found)(void *user, const struct unsure_send *unsure), void *user);

#endif
