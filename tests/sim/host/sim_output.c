/* What ranks have printed, what traces them, and what gdb has to know of them, as the host is asked
 * for it. Every other answer
 * comes only after the operation has returned, as from another machine. It takes no time, so that
 * nothing else happens in another order. */
#include "sim_internal.h"

/* An answer on its way. */
struct sim_answer {
	void (*output_done)(void *user, struct host_output output);
	void (*room_done)(void *user, struct host_room room);
	void (*tracing_done)(void *user, enum host_tracing tracing);
	void (*debuggee_done)(void *user, struct host_debuggee debuggee);
	void *user;
	struct host_output output;
	struct host_room room;
	struct host_debuggee debuggee;
};

static void on_answer(void *object, GBytes *frame)
{
	struct sim_answer *answer = object;

	(void)frame;
	if (answer->output_done)
		answer->output_done(answer->user, answer->output);
	else if (answer->room_done)
		answer->room_done(answer->user, answer->room);
	else if (answer->debuggee_done)
		answer->debuggee_done(answer->user, answer->debuggee);
	else
		answer->tracing_done(answer->user, HOST_NOT_TRACED);
	g_free(answer);
}

static void answer_later(struct sim *sim, struct sim_answer answer)
{
	sim_plan(sim, sim->now, on_answer, g_memdup2(&answer, sizeof answer), NULL);
}

/* Which answers are late depends on no random number: the run of a seed stays the same. */
static bool is_late(struct sim *sim)
{
	return sim->questions++ % 2 == 1;
}

void sim_rank_output(struct host *host, const struct host_range *range,
                     void (*done)(void *user, struct host_output output), void *user)
{
	g_autofree char *file = g_strdup_printf("%s/%s.%d", range->directory,
	                                        range->stream == HOST_STREAM_OUTPUT ? "out" : "err",
	                                        range->rank);
	struct sim_answer answer = {.output_done = done, .user = user};
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	gsize size = 0, from;

	if (!g_file_get_contents(file, &text, &size, &error))
		answer.output.lost = g_strdup(error->message);
	from = range->last ? size - MIN(range->most, size) : MIN(range->from, size);
	answer.output.bytes = g_bytes_new(text ? text + from : "", MIN(range->most, size - from));
	answer.output.size = size;
	answer.output.place = g_strdup(range->directory);
	if (is_late(sim_of(host)))
		answer_later(sim_of(host), answer);
	else
		done(user, answer.output);
}

void sim_room_of(struct host *host, const char *directory,
                 void (*done)(void *user, struct host_room room), void *user)
{
	(void)directory;
	if (is_late(sim_of(host)))
		answer_later(sim_of(host), (struct sim_answer){.room_done = done, .user = user});
	else
		done(user, (struct host_room){.full = HOST_ROOM_LEFT});
}

void sim_tracing_of(struct host *host, pid_t pid,
                    void (*done)(void *user, enum host_tracing tracing), void *user)
{
	(void)pid;
	if (is_late(sim_of(host)))
		answer_later(sim_of(host), (struct sim_answer){.tracing_done = done, .user = user});
	else
		done(user, HOST_NOT_TRACED);
}

/* gdb cannot attach to a number. So it computes without a process. */
void sim_debuggee_of(struct host *host, pid_t pid,
                     void (*done)(void *user, struct host_debuggee debuggee), void *user)
{
	struct sim_answer answer = {.debuggee_done = done, .user = user};

	answer.debuggee.attach = g_strdup_printf("echo attached to %d\\n", (int)pid);
	if (is_late(sim_of(host)))
		answer_later(sim_of(host), answer);
	else
		done(user, answer.debuggee);
}
