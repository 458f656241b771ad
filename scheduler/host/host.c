#include "host.h"

static void set(void *user)
{
	*(bool *)user = true;
}

bool host_wait(struct host *host, bool (*condition)(void *data), void *data, double seconds)
{
	const struct host_operations *operations = host->operations;
	bool expired = false;
	struct host_timer *timer = operations->timer_new(host, set, &expired);

	if (seconds > 0)
		operations->timer_start(timer, (guint64)(seconds * 1000));
	while (!condition(data) && !expired)
		operations->iterate(host);
	operations->timer_free(timer);
	return condition(data);
}
