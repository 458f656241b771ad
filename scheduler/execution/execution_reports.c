/* What the standard error of ranks that ended says of the reason: reports of sanitizers, and of MPI
 * when it does not start. */
#define _GNU_SOURCE /* sigabbrev_np */
#include <signal.h>
#include <sys/wait.h>

#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "runs_internal.h"
#include "sanitizer_report.h"
#include "scheduler/places/live_stack.h"

/* Returns the report of a rank that has ended wrongly, and keeps its text; NULL: none. */
static struct sanitizer_report *read_report(struct execution *execution, int rank)
{
	struct rank_end *end = &execution->ends[rank];
	struct host *host = execution->runs->host;
	g_autofree char *text = NULL;
	struct sanitizer_report *report;
	gsize length;

	if (!execution->placement.directory)
		return NULL;
	text = host->operations->errors_of(host, execution->placement.directory, rank, &length);
	if (!text)
		return NULL;
	report = sanitizer_report_find(
		text, length, WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGABRT);
	if (report && !end->report)
		end->report = g_strdup(report->error);
	return report;
}

/* Without debugging information that matchpoint can read, the sanitizer may know more. */
static void complete_place(struct place *place, const struct sanitizer_report *report)
{
	if (place->file || !report->file)
		return;
	*place = (struct place){.file = g_intern_string(report->file), .line = report->line};
}

/* Whether the stack goes back to where the program begins: then all of it is known. */
static bool is_whole(const GArray *frames)
{
	for (guint i = frames->len; i-- > 0;) {
		const char *function = g_array_index(frames, struct record_frame, i).function;

		if (g_strcmp0(function, "main") == 0 || g_strcmp0(function, "MAIN__") == 0)
			return true;
	}
	return false;
}

/* Finds the MPI call in which the rank crashed. The rank knows it if it has reported the call, else
 * the stack shows it. */
static void note_call(struct execution *execution, int rank, guint32 call,
                      const struct wire_stack *stack)
{
	struct rank_end *end = &execution->ends[rank];
	g_autoptr(GArray) frames = g_array_new(false, false, sizeof(struct record_frame));
	const char *function = NULL;

	if (world_call_info(execution->world, rank, call)) {
		end->inside = call;
		return;
	}
	for (guint32 i = 0; i < stack->count; i++)
		execution_add_frames(execution, rank, stack->frames[i], frames);
	if (live_stack_outside_mpi(frames, &function) > 0)
		end->function = (guint16)mpi_call_by_name(function);
	else
		end->outside = is_whole(frames);
}

void execution_note_crash(struct execution *execution, int rank, const struct wire_ending *ending)
{
	struct rank_end *end = &execution->ends[rank];
	struct sanitizer_report *report = read_report(execution, rank);
	struct wire_stack stack = {
		.count = ending->count, .frames = ending->frames, .inner = ending->count};

	if (report && report->frames->len > 0) {
		stack.count = stack.inner = report->frames->len;
		stack.frames = &g_array_index(report->frames, guint64, 0);
	}
	end->place = sites_find_caller(execution->runs->sites, execution->placement.slots[rank].pid,
	                               stack.frames, stack.count);
	if (report)
		complete_place(&end->place, report);
	note_call(execution, rank, ending->call, &stack);
	execution_note_stack(execution, rank, &stack, &end->place);
	sanitizer_report_free(report);
}

void execution_note_reports(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		struct rank_end *end = &execution->ends[rank];
		struct sanitizer_report *report;

		if (!end->known || end->killed || end->status == 0 || end->report)
			continue;
		report = read_report(execution, rank);
		if (report)
			complete_place(&end->place, report);
		sanitizer_report_free(report);
	}
}

/* Whether a signal has killed the rank in MPI's own code: the innermost place in the program is
 * that of the call. */
static bool was_killed_in_mpi(const struct execution *execution, int rank)
{
	const struct rank_end *end = &execution->ends[rank];
	const struct wire_blocking_call *inside = stall_blocking_call(execution->liveness.stall,
	                                                              rank);
	struct place call;

	if (!end->known || !WIFSIGNALED(end->status) || end->report || !inside)
		return false;
	call = execution_site(execution, rank, inside->site);
	return (call.file || call.function) && place_equal(&call, &end->place);
}

bool execution_report_mpi_failed(struct execution *execution)
{
	struct host *host = execution->runs->host;

	stall_look(execution->liveness.stall, execution->world, execution_now(execution));
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		g_autofree char *text = NULL;
		gsize length;

		if (!was_killed_in_mpi(execution, rank))
			continue;
		text = host->operations->errors_of(host, execution->placement.directory, rank,
		                                   &length);
		runs_fail(execution->runs,
		          "%s: MPI could not start: SIG%s killed rank %s inside %s; are the "
		          "limits too low (ulimit -a), or is memory short%s%s",
		          execution->runs->options.program,
		          sigabbrev_np(WTERMSIG(execution->ends[rank].status)), rank_name(rank),
		          mpi_call_name(
				  stall_blocking_call(execution->liveness.stall, rank)->function),
		          text && length > 0 ? "? It printed:\n" : "?",
		          text ? g_strchomp(text) : "");
		return true;
	}
	return false;
}
