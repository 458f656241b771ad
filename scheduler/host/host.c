#include "host.h"

static void set(void *user)
{
	*(gboolean *)user = TRUE;
}

gboolean host_wait(struct host *host, gboolean (*condition)(void *data), void *data, double seconds)
{
	const struct host_operations *operations = host->operations;
	gboolean expired = FALSE;
	struct host_timer *timer = operations->timer_new(host, set, &expired);

	if (seconds > 0)
		operations->timer_start(timer, (guint64)(seconds * 1000));
	while (!condition(data) && !expired)
		operations->turn(host);
	operations->timer_free(timer);
	return condition(data);
}
