#include "unresponsive_ranks.h"

#include "explorer/rank_name.h"
#include "interleaving.h"
#include "mpi_calls.h"
#include "scheduler/places/live_stack.h"
#include "session_context.h"

#define SILENT_S 2.0 /* silence from which a rank is mentioned */

/* Stacks are read of so many ranks at most, which stops each for about a millisecond. */
#define RANKS_READ 256
#define LINES_TOLD 16

/* The number of ranks that nothing blocks, and the first of them. */
static guint busy_ranks(const struct execution *execution, int *ret_first)
{
	guint count = 0;

	for (int rank = world_options(execution_world(execution))->ranks; rank-- > 0;) {
		enum world_phase phase = world_phase(execution_world(execution), rank);

		if (phase != PHASE_RUNNING && phase != PHASE_ABSENT)
			continue;
		*ret_first = rank;
		count++;
	}
	return count;
}

static void find_silent(struct execution *execution, void *user)
{
	const struct execution **found = user;
	int first;

	if (execution_silent_seconds(execution)
	            >= (*found ? execution_silent_seconds(*found) : SILENT_S)
	    && busy_ranks(execution, &first) > 0)
		*found = execution;
}

/* The execution that has been silent for longest; NULL: none for long enough. */
static const struct execution *most_silent(struct runs *runs)
{
	const struct execution *found = NULL;

	runs_each(runs, find_silent, &found);
	return found;
}

int unresponsive_ranks_first(struct runs *runs, double *ret_seconds)
{
	const struct execution *execution = most_silent(runs);
	int rank = -1;

	if (!execution)
		return -1;
	*ret_seconds = execution_silent_seconds(execution);
	busy_ranks(execution, &rank);
	return rank;
}

/* "in MPI_Win_flush at a.c:8", "since MPI_Recv at a.c:7" */
static char *whereabouts(const struct execution *execution, int rank)
{
	const struct wire_blocking_call *inside = execution_blocking_call(execution, rank);
	guint32 call = world_calls(execution_world(execution), rank);
	const struct world_call *info = world_call_info(execution_world(execution), rank, call);
	struct place place = inside ? execution_site(execution, rank, inside->site)
	                            : execution_call_place(execution, rank, call);
	g_autofree char *where = place_print(&place);

	if (inside)
		return g_strdup_printf("in %s at %s", mpi_call_name(inside->function), where);
	if (!info)
		return g_strdup("since it was started");
	return g_strdup_printf("since %s at %s", mpi_call_name(info->function), where);
}

/* "in solve (hang.c:3) < main (hang.c:7)", "in MPI_Recv < main (hang.c:8)"; NULL: the stack
 * cannot be read. */
static char *stack_words(const struct execution *execution, int rank)
{
	enum { TOLD = 8 };
	struct host *host = session_host(interleaving_of(execution)->session);
	pid_t pid = execution_pid(execution, rank);
	g_autoptr(GArray) addresses = pid > 0 ? host->operations->stack_of(host, pid, pid) : NULL;
	g_autoptr(GArray) frames = g_array_new(false, false, sizeof(struct record_frame));
	g_autoptr(GString) text = g_string_new(NULL);
	const char *call = NULL;
	guint first;

	for (guint i = 0; addresses && i < addresses->len; i++)
		execution_add_frames(execution, rank, g_array_index(addresses, uint64_t, i),
		                     frames);
	first = live_stack_outside_mpi(frames, &call);
	if (call)
		g_string_append(text, call);
	for (guint i = first; i < frames->len && i < first + TOLD; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);
		g_autofree char *where = place_print(&frame->place);

		if (text->len > 0)
			g_string_append(text, " < ");
		if (frame->function)
			g_string_append_printf(text, "%s (%s)", frame->function, where);
		else
			g_string_append(text, where);
	}
	if (frames->len > first + TOLD)
		g_string_append(text, " < ...");
	g_string_prepend(text, "in ");
	return frames->len > 0 ? g_string_free(g_steal_pointer(&text), false) : NULL;
}

static char *ranks_words(int first, int last)
{
	return first == last ? g_strdup_printf("rank %s is", rank_name(first))
	                     : g_strdup_printf("ranks %s are", rank_names_row(first, last));
}

static void add_line(GPtrArray *lines, int first, int last, const char *words)
{
	g_autofree char *who = ranks_words(first, last);

	g_ptr_array_add(lines, g_strdup_printf("%s %s", who, words));
}

GPtrArray *unresponsive_ranks_stacks(struct runs *runs)
{
	const struct execution *execution = most_silent(runs);
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	int ranks = execution ? world_options(execution_world(execution))->ranks : 0;
	g_autofree char *before = NULL; /* of ranks `first` to `rank` - 1; NULL: unknown */
	int first = 0, rank;

	for (rank = 0; rank < MIN(ranks, RANKS_READ) && lines->len < LINES_TOLD; rank++) {
		g_autofree char *stack = stack_words(execution, rank);

		if (g_strcmp0(stack, before) == 0)
			continue;
		if (before)
			add_line(lines, first, rank - 1, before);
		g_free(before);
		before = g_steal_pointer(&stack);
		first = rank;
	}
	if (before)
		add_line(lines, first, rank - 1, before);
	if (rank < ranks)
		add_line(lines, rank, ranks - 1, "not shown");
	return lines;
}

void unresponsive_ranks_note(struct runs *runs, GPtrArray *notes)
{
	const struct execution *execution = most_silent(runs);
	g_autoptr(GPtrArray) stacks = unresponsive_ranks_stacks(runs);
	g_autofree char *where = NULL;
	g_autoptr(GString) text = NULL;
	guint others;
	int rank = -1;

	if (!execution)
		return;
	others = busy_ranks(execution, &rank) - 1;
	where = whereabouts(execution, rank);
	text = g_string_new(NULL);
	g_string_printf(text, "when it was stopped, rank %s had been silent for %.1f s, %s",
	                rank_name(rank), execution_silent_seconds(execution), where);
	if (others > 0)
		g_string_append_printf(text, "; so had %u other%s", others, others == 1 ? "" : "s");
	g_string_append(text, "; it may be computing or in an endless loop");
	g_ptr_array_add(notes, g_string_free(g_steal_pointer(&text), false));
	g_ptr_array_extend_and_steal(notes, g_steal_pointer(&stacks));
}
