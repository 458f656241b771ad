/* Whether an execution was the recorded run. */
#include "mpi_calls.h"
#include "recorded_run_internal.h"

/* The call under control for each number in the recording, as guint32; 0: it was not made. */
static GArray *calls_by_number(const struct followed_rank *rank)
{
	GArray *calls = g_array_new(false, true, sizeof(guint32));

	for (guint32 call = 1; call < rank->numbers->len; call++) {
		const guint32 number = followed_number(rank, call);

		if (number >= calls->len)
			g_array_set_size(calls, number + 1);
		g_array_index(calls, guint32, number) = call;
	}
	return calls;
}

static void compare_report(struct recorded_run *run, int number, const GArray *calls,
                           const struct recorded_report *report)
{
	const struct followed_rank *rank = &run->ranks[number];
	const guint32 call = report->start < calls->len
	                             ? g_array_index(calls, guint32, report->start)
	                             : 0;
	const struct followed_operation *operation = followed_find(rank, call, report->sub);
	const struct world *world = execution_world(run->execution);
	struct op_id id = {number, call, 0}, send = {-1, 0, 0};
	int source;

	if (report->is_cancelled || report->source < 0 || (call > 0 && !operation))
		return; /* that of a send, or of nothing */
	run->matches++;
	if (call == 0)
		return;
	id.sub = operation->name.sub;
	source = communicators_to_world(run->comms, operation->comm, number, report->source);
	if (!world_message_taken(world, id, &send))
		send.rank = -1;
	run->followed += send.rank == source;
	if (send.rank == source || run->lost)
		return;
	run->lost = send.rank < 0
	                    ? g_strdup_printf("rank %d: call %u has taken the message of rank %d "
	                                      "in the recording, and none here (call %u)",
	                                      number, report->start, source, call)
	                    : g_strdup_printf("rank %d: call %u has taken the message of rank %d "
	                                      "in the recording, and that of rank %d here (call "
	                                      "%u)",
	                                      number, report->start, source, send.rank, call);
}

void followed_compare(struct recorded_run *run)
{
	run->matches = run->followed = 0;
	for (int i = 0; i < run->count; i++) {
		const struct recorded_matches *matches = run->ranks[i].matches;
		g_autoptr(GArray) calls = calls_by_number(&run->ranks[i]);

		for (guint at = 0; at < matches->reports->len; at++) {
			const struct recorded_report *report = &g_array_index(
				matches->reports, struct recorded_report, at);

			/* Each message once. */
			if (report->start > 0
			    && recorded_matches_of(matches, report->start, report->sub) == report)
				compare_report(run, i, calls, report);
		}
	}
}

static void add_cut(GPtrArray *notes, const struct recorded_run *run, int number)
{
	const struct followed_rank *rank = &run->ranks[number];
	const struct recorded_call *last = followed_call(rank, rank->matches->calls->len - 1);

	if (!rank->matches->cut)
		return;
	if (!last)
		g_ptr_array_add(notes, g_strdup_printf("rank %d: the recording ends before its "
		                                       "first call",
		                                       number));
	else
		g_ptr_array_add(notes,
		                g_strdup_printf("rank %d: the recording ends %s call %u, %s; from "
		                                "there on, nothing of it is followed",
		                                number, last->is_inside ? "in" : "behind",
		                                last->number, mpi_call_name(last->function)));
}

static void add_polls(GPtrArray *notes, const struct recorded_run *run, int number)
{
	const struct followed_rank *rank = &run->ranks[number];

	if (rank->polls_here != rank->polls_recorded)
		g_ptr_array_add(notes,
		                g_strdup_printf("rank %d: polls were answered \"not yet\" "
		                                "%" G_GUINT64_FORMAT " times in the recording, and "
		                                "%" G_GUINT64_FORMAT " times here",
		                                number, rank->polls_recorded, rank->polls_here));
}

GPtrArray *recorded_run_notes(const struct recorded_run *run)
{
	GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < run->remarks->len; i++)
		g_ptr_array_add(notes, g_strdup(run->remarks->pdata[i]));
	for (int i = 0; i < run->count; i++) {
		add_cut(notes, run, i);
		add_polls(notes, run, i);
	}
	if (run->untold > 0)
		g_ptr_array_add(notes, g_strdup_printf("%u choices of which the recording tells "
		                                       "nothing took the first alternative",
		                                       run->untold));
	return notes;
}
