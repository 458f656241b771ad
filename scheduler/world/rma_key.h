/* What is kept of one rank's part in a window, or of what it does to another one's there, in a
 * GHashTable: its keys (to be freed with g_free). */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_KEY_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_KEY_H

#include <glib.h>

struct rma_key {
	guint64 window;
	gint32 rank, target; /* target: 0 where there is none */
};

struct rma_key *rma_key_new(struct rma_key key);
guint rma_key_hash(gconstpointer key);
gboolean rma_key_equal(gconstpointer one, gconstpointer other);

#endif
