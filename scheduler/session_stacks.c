/* Call stacks. Walking the stack in each call would slow the search down; so they are taken where
 * an interleaving is carried out once more, or alone: when a finding is replayed, in run and
 * replay, and in what minimize keeps. */
#include "session_internal.h"

gboolean session_wants_stacks(const struct session *session)
{
	return session->replaying || session->recording || session->options->path;
}

static GArray *resolve(struct session *session, int rank, pid_t pid, const struct wire_stack *stack)
{
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(struct record_frame));
	pid_t root = session->root ? session->root->pids[rank] : 0;

	for (guint32 i = 0; i < stack->count; i++) {
		if (root <= 0
		    || !source_lines_frames(session->lines, root, stack->frames[i], frames))
			source_lines_frames(session->lines, pid, stack->frames[i], frames);
	}
	if (frames->len > RECORD_FRAMES_MAX)
		g_array_set_size(frames, RECORD_FRAMES_MAX);
	return frames;
}

void session_stack(struct execution *execution, int rank, const struct wire_stack *stack)
{
	struct stack_table *table = execution->session->stacks;
	struct record_stack told = {rank, stack->call, 0};

	if (!execution->stacks)
		return;
	told.stack = stack_table_find(table, rank, stack->frames, stack->count);
	if (told.stack == 0) {
		g_autoptr(GArray)
			frames = resolve(execution->session, rank, execution->pids[rank], stack);

		if (frames->len == 0)
			return;
		told.stack = stack_table_add(table, rank, stack->frames, stack->count,
		                             g_array_ref(frames));
	}
	g_array_append_val(execution->stacks, told);
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
