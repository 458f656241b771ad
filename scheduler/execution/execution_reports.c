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

#define ERRORS_MOST ((guint64)4 << 20) /* bytes; reports are shorter, and come last */

/* What the host is asked: the standard error of a rank. It may outlive the execution. */
struct errors_question {
	struct execution *execution; /* NULL: freed, or in another world */
	int rank;
	bool crashed; /* in this call (0: none), with this stack of return addresses */
	guint32 call;
	GArray *frames; /* guint64 */
};

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

static void note_crash(struct execution *execution, const struct errors_question *question,
                       const struct sanitizer_report *report)
{
	int rank = question->rank;
	struct rank_end *end = &execution->ends[rank];
	const GArray *frames = report && report->frames->len > 0 ? report->frames
	                                                         : question->frames;
	struct wire_stack stack = {.count = frames->len,
	                           .frames = (guint64 *)(void *)frames->data,
	                           .inner = frames->len};

	end->place = sites_find_caller(execution->runs->sites, execution->placement.slots[rank].pid,
	                               stack.frames, stack.count);
	if (report)
		complete_place(&end->place, report);
	note_call(execution, rank, question->call, &stack);
	execution_note_stack(execution, rank, &stack, &end->place);
}

static void take_errors(struct execution *execution, const struct errors_question *question,
                        const char *text, gsize length)
{
	struct rank_end *end = &execution->ends[question->rank];
	struct sanitizer_report *report = sanitizer_report_find(
		text, length, WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGABRT);

	if (report && !end->report)
		end->report = g_strdup(report->error);
	if (question->crashed)
		note_crash(execution, question, report);
	else if (report)
		complete_place(&end->place, report);
	sanitizer_report_free(report);
	if (execution->result.phase == EXECUTION_STARTING)
		execution->errors[question->rank].text = g_strndup(text, length);
}

static void on_errors(void *user, struct host_output output)
{
	struct errors_question *question = user;
	struct execution *execution = question->execution;
	gsize length;
	const char *text = g_bytes_get_data(output.bytes, &length);

	if (execution) {
		execution->errors[question->rank].open = NULL;
		take_errors(execution, question, text ? text : "", length);
	}
	g_array_unref(question->frames);
	g_free(question);
	host_output_clear(&output);
	if (execution && !execution->asks_errors) /* the answer is late */
		execution_advance(execution);
}

/* `crash`: as the rank has reported it; NULL: it has not crashed, or not reported it. */
static void ask_for_errors(struct execution *execution, int rank, const struct wire_ending *crash)
{
	struct host *host = execution->runs->host;
	const struct host_range end = {.directory = execution->placement.directory,
	                               .rank = rank,
	                               .stream = HOST_STREAM_ERRORS,
	                               .most = ERRORS_MOST,
	                               .last = true};
	struct errors_question *question;

	if (execution->errors[rank].asked)
		return;
	question = g_new0(struct errors_question, 1);
	question->execution = execution;
	question->rank = rank;
	question->crashed = crash != NULL;
	question->call = crash ? crash->call : 0;
	question->frames = g_array_new(false, false, sizeof(guint64));
	if (crash && crash->count > 0)
		g_array_append_vals(question->frames, crash->frames, crash->count);
	execution->errors[rank].asked = true;
	execution->errors[rank].open = question;
	execution->asks_errors = true;
	host->operations->rank_output(host, &end, on_errors, question);
	execution->asks_errors = false;
}

void execution_note_crash(struct execution *execution, int rank, const struct wire_ending *ending)
{
	ask_for_errors(execution, rank, ending);
}

bool execution_reports_known(struct execution *execution)
{
	bool known = true;

	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		const struct rank_end *end = &execution->ends[rank];

		if (end->known && !end->killed && end->status != 0)
			ask_for_errors(execution, rank, NULL);
		known &= !execution->errors[rank].open;
	}
	return known;
}

void execution_forget_reports(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (execution->errors[rank].open)
			execution->errors[rank].open->execution = NULL;
		g_free(execution->errors[rank].text);
		execution->errors[rank] = (struct rank_errors){0};
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
	stall_look(execution->liveness.stall, execution->world, execution_now(execution));
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		char *text = execution->errors[rank].text;

		if (!was_killed_in_mpi(execution, rank))
			continue;
		runs_fail(execution->runs,
		          "%s: MPI could not start: SIG%s killed rank %s inside %s; are the "
		          "limits too low (ulimit -a), or is memory short%s%s",
		          execution->runs->options.program,
		          sigabbrev_np(WTERMSIG(execution->ends[rank].status)), rank_name(rank),
		          mpi_call_name(
				  stall_blocking_call(execution->liveness.stall, rank)->function),
		          text && *text ? "? It printed:\n" : "?", text ? g_strchomp(text) : "");
		return true;
	}
	return false;
}
