#include "host.h"

static void set(void *user)
{
	*(bool *)user = true;
}

bool host_wait(struct host *host, bool (*condition)(void *data), void *data, double seconds)
{
	const struct host_operations *operations = host->operations;
	bool expired = false;
	struct host_timer *timer;

	if (condition(data))
		return true;
	timer = operations->timer_new(host, set, &expired);
	if (seconds > 0)
		operations->timer_start(timer, (guint64)(seconds * 1000));
	while (!condition(data) && !expired)
		operations->iterate(host);
	operations->timer_free(timer);
	return condition(data);
}

void host_output_clear(struct host_output *output)
{
	g_clear_pointer(&output->bytes, g_bytes_unref);
	g_free(output->lost);
	g_free(output->place);
	*output = (struct host_output){0};
}
