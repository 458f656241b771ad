/* Keys of a GHashTable for one rank's part in a window, or for what a rank does to another rank's
 * part. Free keys with g_free. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_KEY_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_KEY_H

#include <glib.h>

struct rma_key {
	guint64 window;
	gint32 rank, target; /* target: 0 if there is none */
};

struct rma_key *rma_key_new(struct rma_key key);
guint rma_key_hash(gconstpointer key);
gboolean rma_key_equal(gconstpointer one, gconstpointer other);

#endif
