#include "patience.h"

enum patience_step patience_look(struct patience *patience, const struct world_idle *idle,
                                 gboolean failed, gint64 now, int haste)
{
	gboolean busy = idle->busy > (guint64)idle->calls * PATIENCE_BUSY_US;
	gint64 most = (busy && !idle->timed ? PATIENCE_BUSY_SECONDS : PATIENCE_SECONDS)
	              * G_USEC_PER_SEC;

	if (failed && idle->rounds > PATIENCE_FAILED)
		return PATIENCE_OVER;
	if (idle->rounds <= PATIENCE_QUICK) {
		patience->since = 0;
		return PATIENCE_TELL;
	}
	if (patience->since == 0)
		patience->since = now;
	if ((now - patience->since) * haste > most)
		return PATIENCE_OVER;
	if (idle->timed)
		return busy ? PATIENCE_TELL : PATIENCE_WAIT;
	return busy || idle->rounds <= PATIENCE_ROUNDS ? PATIENCE_TELL : PATIENCE_OVER;
}
