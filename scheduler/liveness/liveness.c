#include "liveness.h"

void liveness_init(struct liveness *liveness, struct host *host, int ranks)
{
	liveness->stall = stall_new(host, ranks);
}

void liveness_release(struct liveness *liveness)
{
	stall_free(liveness->stall);
	livelock_detector_release(&liveness->detector);
	*liveness = (struct liveness){0};
}

void liveness_heard(struct liveness *liveness, gint64 now)
{
	stall_heard(liveness->stall);
	liveness->heard = now;
}
