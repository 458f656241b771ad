/* Sends in buffered and ready mode. The standard allows them only if something is certain: that the
 * attached buffer has room beside all messages that may still be in it (MPI 3.1, section 3.6), or
 * that the receive has begun (section 3.4). Certain is what follows from the order of the events,
 * not what happened this time. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_SEND_MODES_H
#define MATCHPOINT_SCHEDULER_WORLD_SEND_MODES_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/trace.h"

/* A send in one of these modes. */
struct moded_send {
	struct op_id id;
	bool is_ready;   /* else it is buffered */
	guint64 needs;   /* buffered: bytes that it takes in the buffer */
	guint32 buffer;  /* the n-th buffer that was attached */
	guint32 offered; /* its size */
};

/* A send for which that is not certain. */
struct unsure_send {
	const struct moded_send *send;
	struct op_id receive; /* ready: its receive */
};

/* Calls `found` for each send for which that is not certain; for buffered sends, only for the first
 * of each rank. `sends` (struct moded_send) must be in the order of their events. */
void send_modes_find(const GArray *sends, const struct trace *trace, int ranks,
                     void (*found)(void *user, const struct unsure_send *unsure), void *user);

#endif
