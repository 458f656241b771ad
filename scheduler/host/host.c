#include "host.h"

#include "explorer/program_parts.h"

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

bool host_divides_job(struct host *host, char *const *program, int ranks)
{
	static const char *const calls[] = {"MPI_Open_port", "MPI_Comm_accept", "MPI_Comm_connect",
	                                    "MPI_Comm_join"};

	if (program_parts_divide(program, ranks))
		return true;
	for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
		if (host->operations->program_calls(host, calls[i]))
			return true;
	return false;
}

void host_output_clear(struct host_output *output)
{
	g_clear_pointer(&output->bytes, g_bytes_unref);
	g_free(output->lost);
	g_free(output->place);
	*output = (struct host_output){0};
}

void host_debuggee_clear(struct host_debuggee *debuggee)
{
	g_free(debuggee->attach);
	g_free(debuggee->program);
	g_free(debuggee->mappings);
	*debuggee = (struct host_debuggee){0};
}

void host_take_output(void *user, struct host_output output)
{
	*(struct host_output *)user = output;
}

void host_take_room(void *user, struct host_room room)
{
	*(struct host_room *)user = room;
}

void host_take_file(void *user, struct host_file file)
{
	*(struct host_file *)user = file;
}

void host_take_debuggee(void *user, struct host_debuggee debuggee)
{
	*(struct host_debuggee *)user = debuggee;
}

void host_take_tracing(void *user, enum host_tracing tracing)
{
	*(enum host_tracing *)user = tracing;
}

void host_take_contents(void *user, GBytes *contents)
{
	*(GBytes **)user = contents;
}
