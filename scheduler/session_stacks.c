/* Call stacks. Walking the stack in each call would slow the search down; so they are taken where
 * an interleaving is carried out once more, or alone: when a finding is replayed, in run and
 * replay, and in what minimize keeps. */
#include "session_internal.h"

gboolean session_wants_stacks(const struct session *session)
{
	return session->replaying || session->recording || session->options->path;
}

static GArray *resolve(struct session *session, int rank, pid_t pid, const uint64_t *addresses,
                       guint32 count)
{
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(struct record_frame));
	pid_t root = session->root ? session->root->pids[rank] : 0;

	for (guint32 i = 0; i < count; i++) {
		if (root <= 0 || !source_lines_frames(session->lines, root, addresses[i], frames))
			source_lines_frames(session->lines, pid, addresses[i], frames);
	}
	return frames;
}

/* Without what is further in than a place; nothing is left when that is nowhere. */
static void begin_at(GArray *frames, const struct place *place)
{
	guint inner = 0;

	while (inner < frames->len
	       && !place_equal(&g_array_index(frames, struct record_frame, inner).place, place))
		inner++;
	if (inner > 0)
		g_array_remove_range(frames, 0, inner);
}

static void add(struct execution *execution, int rank, guint32 call, const uint64_t *addresses,
                guint32 count, const struct place *place)
{
	struct stack_table *table = execution->session->stacks;
	struct record_stack told = {rank, call, 0};

	if (!execution->stacks)
		return;
	told.stack = stack_table_find(table, rank, addresses, count);
	if (told.stack == 0) {
		g_autoptr(GArray) frames = resolve(execution->session, rank, execution->pids[rank],
		                                   addresses, count);

		if (place)
			begin_at(frames, place);
		if (frames->len == 0)
			return;
		if (frames->len > RECORD_FRAMES_MAX)
			g_array_set_size(frames, RECORD_FRAMES_MAX);
		told.stack = stack_table_add(table, rank, addresses, count, g_array_ref(frames));
	}
	g_array_append_val(execution->stacks, told);
}

void session_stack(struct execution *execution, int rank, const struct wire_stack *stack)
{
	add(execution, rank, stack->call, stack->frames, stack->count, NULL);
}

void session_crash_stack(struct execution *execution, int rank, const struct wire_ending *ending)
{
	add(execution, rank, 0, ending->frames, ending->count, &execution->ends[rank].place);
}

void session_keep_stacks(struct session *session, guint32 execution)
{
	const GArray *stacks = session->current->stacks;
	g_autoptr(GError) error = NULL;

	if (stacks && session->store
	    && !store_put_stacks(session->store, execution, stacks,
	                         stack_table_all(session->stacks), &error))
		session_fail(session, "%s", error->message);
}
