/* What sanitizers have reported of ranks that ended: it is in their standard error. */
#include <signal.h>
#include <sys/wait.h>

#include "execution_internal.h"
#include "runs_internal.h"
#include "sanitizer_report.h"

/* Returns the report of a rank that has ended wrongly, and keeps its text; NULL: none. */
static struct sanitizer_report *read_report(struct execution *execution, int rank)
{
	struct rank_end *end = &execution->ends[rank];
	struct host *host = runs_host(execution->runs);
	g_autofree char *text = NULL;
	struct sanitizer_report *report;
	gsize length;

	if (!execution->directory)
		return NULL;
	text = host->operations->errors_of(host, execution->directory, rank, &length);
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
	end->place = sites_find_caller(execution->runs->sites, execution->pids[rank], stack.frames,
	                               stack.count);
	if (report)
		complete_place(&end->place, report);
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
