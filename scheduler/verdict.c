/* What an interleaving amounts to: its record, and the finding if something is wrong. */
#define _GNU_SOURCE /* sigabbrev_np */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "mpi_calls.h"
#include "session_internal.h"

/* The kinds a rank's own end can have, worst first; a finding is of the worst. */
enum ending {
	ENDING_CRASH,
	ENDING_ABORT,
	ENDING_THREADS,
	ENDING_ERROR,
	ENDING_EXIT,
	ENDING_NONE
};

static const char *const ending_kinds[] = {"crash", "abort", "thread-level", "mpi-error",
                                           "exit"};

static enum ending ending_of(const struct execution *execution, int rank)
{
	const struct rank_end *end = &execution->ends[rank];

	if (end->killed)
		return ENDING_NONE;
	if (end->known && WIFSIGNALED(end->status))
		return ENDING_CRASH;
	if (end->aborted)
		return ENDING_ABORT;
	if (end->error)
		return end->threads ? ENDING_THREADS : ENDING_ERROR;
	if ((end->gone || end->known) && !world_finalized(execution->world, rank))
		return ENDING_EXIT;
	if (end->known && WEXITSTATUS(end->status) != 0)
		return ENDING_EXIT;
	return ENDING_NONE;
}

/* A rank in MPI_Finalize has nothing more to say to anybody. */
static gboolean in_finalize(const struct execution *execution, int rank)
{
	const struct world_call *info = world_call_info(execution->world, rank,
	                                                world_calls(execution->world, rank));

	return info
	       && (info->function == MPI_CALL_Finalize
	           || info->function == MPI_CALL_Session_finalize);
}

static char *ended_words(const struct execution *execution, int rank)
{
	const struct rank_end *end = &execution->ends[rank];

	switch (ending_of(execution, rank)) {
	case ENDING_CRASH:
		return g_strdup_printf("killed by SIG%s%s", sigabbrev_np(WTERMSIG(end->status)),
		                       execution->struck_before && execution_is_outside(end->status)
		                               ? ", twice along this path"
		                               : "");
	case ENDING_ABORT:
		return g_strdup_printf("called MPI_Abort(%d)", end->abort_code);
	case ENDING_THREADS:
		return g_strdup(end->error);
	case ENDING_ERROR:
		return g_strdup_printf("stopped by an MPI error: %s", end->error);
	case ENDING_EXIT:
		if (!world_finalized(execution->world, rank))
			return g_strdup_printf("exited with status %d without MPI_Finalize",
			                       end->known ? WEXITSTATUS(end->status) : 0);
		return g_strdup_printf("exited with status %d", WEXITSTATUS(end->status));
	case ENDING_NONE:
		break;
	}
	return end->gone || in_finalize(execution, rank) ? g_strdup("ended") : NULL;
}

/* A running rank stands inside a call that was not reported. FALSE: it does not. */
static gboolean line_inside(const struct execution *execution, int rank, struct record_rank *line)
{
	const struct wire_inside *inside = execution->stalled && execution->livelock
	                                           ? stall_spin(execution->stall, rank)
	                                           : stall_inside(execution->stall, rank);
	gboolean initialises = world_calls(execution->world, rank) == 0
	                       && execution->ends[rank].function == 0;
	gboolean stalls = execution->stalled
	                  && world_phase(execution->world, rank) == PHASE_RUNNING;

	if (!inside || (!initialises && !stalls))
		return FALSE;
	line->function = g_intern_string(mpi_call_name(inside->function));
	line->place = execution->ends[rank].place;
	if (!line->place.file && !line->place.function)
		line->place = session_place(execution, rank, inside->site);
	return TRUE;
}

static void describe_call(const struct execution *execution, guint32 call, struct record_rank *line)
{
	const struct world_call *info = world_call_info(execution->world, line->rank, call);

	line->call = call;
	if (!info)
		return;
	line->function = g_intern_string(mpi_call_name(info->function));
	line->arguments = world_arguments(execution->world, line->rank, call);
	line->place = verdict_place(execution, line->rank, call);
}

/* Of several threads the first one that waits. */
static struct record_rank *roll_call_line(const struct execution *execution, int rank)
{
	struct record_rank *line = record_rank_new(rank);
	g_autoptr(GArray) pending = world_pending_calls(execution->world, rank);
	const struct rank_end *end = &execution->ends[rank];

	line->call = world_calls(execution->world, rank);
	line->ended = ended_words(execution, rank);
	if (line_inside(execution, rank, line))
		return line;
	describe_call(execution, pending->len > 0 ? g_array_index(pending, guint32, 0) : line->call,
	              line);
	if (end->function != 0) {
		line->function = g_intern_string(mpi_call_name(end->function));
		g_clear_pointer(&line->arguments, g_free);
	}
	if (end->place.file || end->place.function)
		line->place = end->place;
	if (!line->ended) {
		g_array_unref(line->waits_for);
		line->waits_for = world_waits_for(execution->world, rank, 0);
	}
	return line;
}

/* The other threads that wait stand behind all ranks, each in a line of its own. */
static void call_threads(const struct execution *execution, GPtrArray *ranks)
{
	guint count = ranks->len;

	for (guint rank = 0; rank < count; rank++) {
		const struct record_rank *first = ranks->pdata[rank];
		g_autoptr(GArray) pending = world_pending_calls(execution->world, (int)rank);

		for (guint i = 1; i < pending->len && !first->ended; i++) {
			struct record_rank *line = record_rank_new((int)rank);
			guint32 call = g_array_index(pending, guint32, i);

			describe_call(execution, call, line);
			g_array_unref(line->waits_for);
			line->waits_for = world_waits_for(execution->world, (int)rank, call);
			line->bystander = first->bystander;
			g_ptr_array_add(ranks, line);
		}
	}
}

static void fill_matches(const struct execution *execution, GHashTable *operations)
{
	const struct trace *trace = world_trace(execution->world);

	for (size_t i = 0; i < trace->count; i++) {
		const struct event *event = &trace->events[i];
		const struct operation *receive;
		struct record_match match;

		if (event->kind != EVENT_MATCH
		    || event->op.id.rank >= execution->session->options->ranks)
			continue;
		receive = g_hash_table_lookup(operations, &event->op.id);
		if (receive && receive->kind == OPERATION_PROBE)
			continue;
		match = (struct record_match){event->op.id.rank,
		                              event->op.id.call,
		                              event->op.id.sub,
		                              event->other.rank,
		                              event->other.call,
		                              event->other.sub,
		                              verdict_tag(operations, event->other)};
		g_array_append_val(execution->record->matches, match);
	}
}

/* "rank 0 waits in MPI_Recv(source=1, tag=7) at solver.c:121" */
static char *describe_line(const struct record_rank *line)
{
	g_autofree char *place = place_print(&line->place);
	const char *arguments = line->arguments ? line->arguments : "";

	if (line->ended && g_strcmp0(line->function, "MPI_Abort") == 0)
		return g_strdup_printf("rank %d %s at %s", line->rank, line->ended, place);
	if (line->ended)
		return g_strdup_printf("rank %d %s at %s, in or after %s(%s)", line->rank,
		                       line->ended, place,
		                       line->function ? line->function : "its start", arguments);
	return g_strdup_printf("rank %d waits in %s(%s) at %s", line->rank,
	                       line->function ? line->function : "?", arguments, place);
}

static char *stall_words(const struct execution *execution, const GPtrArray *ranks)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *line = ranks->pdata[i];
		g_autofree char *place = place_print(&line->place);

		if (world_phase(execution->world, line->rank) == PHASE_RUNNING)
			g_string_append_printf(text, "%srank %d %s %s at %s",
			                       text->len > 0 ? "; " : "", line->rank,
			                       execution->livelock ? "looks again and again by"
			                                           : "is inside",
			                       line->function, place);
	}
	if (execution->livelock)
		g_string_append_printf(text,
		                       ": no rank has done anything else for %g s, which is "
		                       "taken to go on for ever (judged by time alone)",
		                       stall_seconds(execution->livelock));
	else
		g_string_append_printf(text,
		                       ": nothing has moved for %g s; matchpoint does not control "
		                       "this call and cannot tell whether it would return",
		                       stall_seconds(execution->livelock));
	return g_string_free(text, FALSE);
}

static void mismatch_words(const struct execution *execution, GString *text)
{
	struct op_id calls[2];
	g_autofree char *words = world_mismatch(execution->world, calls);
	struct place first = verdict_place(execution, calls[0].rank, calls[0].call);
	struct place other = verdict_place(execution, calls[1].rank, calls[1].call);
	g_autofree char *here = place_print(&first), *there = place_print(&other);

	g_string_printf(text, "%s: rank %d at %s", words, calls[0].rank, here);
	if (!op_id_equal(calls[0], calls[1]))
		g_string_append_printf(text, ", rank %d at %s", calls[1].rank, there);
}

/* Which message was too long, if that is what MPI complains of. */
static void truncation_words(const struct execution *execution, int rank, GString *text)
{
	const char *error = execution->ends[rank].error;
	struct op_id calls[2];
	char *types[2];

	if (!error || !g_str_has_prefix(error, "Message truncated")
	    || !world_truncated(execution->world, rank, calls, types))
		return;
	for (guint i = 0; i < 2; i++) {
		struct place place = verdict_place(execution, calls[i].rank, calls[i].call);
		g_autofree char *where = place_print(&place);

		g_string_append_printf(text, "%s rank %d %s %s at %s", i > 0 ? "," : ":",
		                       calls[i].rank, i > 0 ? "has room for" : "sends", types[i],
		                       where);
		g_free(types[i]);
	}
}

/* Whether the rank waits in a collective in which another one has had an error. */
static gboolean waits_in(const struct execution *execution, int rank, guint16 function)
{
	const struct world_call *info;

	if (execution->ends[rank].returned || execution->ends[rank].gone)
		return FALSE;
	info = world_call_info(execution->world, rank, world_calls(execution->world, rank));
	return info && info->function == function;
}

/* Those who wait may do so since a rank has gone on after an error. */
static void returned_words(const struct execution *execution, GString *text)
{
	for (int rank = 0; rank < execution->session->options->ranks; rank++) {
		const struct rank_end *end = &execution->ends[rank];
		const struct world_call *info =
			world_call_info(execution->world, rank, end->returned_call);
		gboolean others_wait = FALSE;
		struct place place;

		if (!end->returned || !info
		    || mpi_call_order(info->function) == MPI_CALL_ORDER_NONE)
			continue;
		for (int other = 0; other < execution->session->options->ranks; other++)
			others_wait |= waits_in(execution, other, info->function);
		if (!others_wait)
			continue;
		place = verdict_place(execution, rank, end->returned_call);
		g_autofree char *where = place_print(&place);
		g_string_append_printf(text, "; rank %d went on after an error in %s at %s: %s",
		                       rank, mpi_call_name(info->function), where, end->returned);
	}
}

static char *message_for(const struct execution *execution, const char *kind,
                         const GPtrArray *ranks, enum ending worst)
{
	GString *text = g_string_new(NULL);

	if (g_str_equal(kind, "collective-mismatch")) {
		mismatch_words(execution, text);
		returned_words(execution, text);
		return g_string_free(text, FALSE);
	}
	if (execution->stalled && worst == ENDING_NONE) {
		g_string_free(text, TRUE);
		return stall_words(execution, ranks);
	}
	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *line = ranks->pdata[i];
		g_autofree char *words = describe_line(line);

		if (worst != ENDING_NONE ? ending_of(execution, line->rank) != worst
		                         : line->ended != NULL)
			continue;
		g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", words);
		truncation_words(execution, line->rank, text);
	}
	if (worst == ENDING_NONE)
		returned_words(execution, text);
	return g_string_free(text, FALSE);
}

static gboolean collectives_differ(const struct execution *execution)
{
	g_autofree char *mismatch = world_mismatch(execution->world, NULL);

	return mismatch != NULL;
}

/* Errors and exits may be what comes of collectives that do not fit together. */
static enum ending worst_ending(const struct execution *execution)
{
	enum ending worst = ENDING_NONE;

	for (int rank = 0; rank < execution->session->options->ranks; rank++) {
		enum ending ending = ending_of(execution, rank);

		worst = MIN(worst, ending);
	}
	return worst >= ENDING_ERROR && collectives_differ(execution) ? ENDING_NONE : worst;
}

static const char *kind_of(const struct execution *execution, enum ending worst)
{
	if (worst != ENDING_NONE)
		return ending_kinds[worst];
	if (collectives_differ(execution))
		return "collective-mismatch";
	if (execution->stalled)
		return execution->livelock ? "livelock" : "stall";
	for (int rank = 0; rank < execution->session->options->ranks; rank++) {
		if (!execution->ends[rank].gone)
			return execution->livelock ? "livelock" : "deadlock";
	}
	return NULL;
}

static gboolean waits_for_ended(const GPtrArray *ranks, const struct record_rank *line)
{
	for (guint i = 0; i < line->waits_for->len; i++) {
		const struct record_rank *peer =
			ranks->pdata[g_array_index(line->waits_for, gint32, i)];

		if (peer->ended)
			return TRUE;
	}
	return FALSE;
}

/* Whether a rank waits, directly or not, for `wanted`. */
static gboolean reaches(const GPtrArray *ranks, const struct record_rank *from, int wanted,
                        gboolean *seen)
{
	for (guint i = 0; i < from->waits_for->len; i++) {
		gint32 peer = g_array_index(from->waits_for, gint32, i);

		if (peer == wanted)
			return TRUE;
		if (seen[peer])
			continue;
		seen[peer] = TRUE;
		if (reaches(ranks, ranks->pdata[peer], wanted, seen))
			return TRUE;
	}
	return FALSE;
}

/* Of a deadlock those are the heart who wait for a rank that has ended, or in a circle; of anything
 * else those who went wrong themselves. */
static void mark_bystanders(const struct execution *execution, GPtrArray *ranks, enum ending worst)
{
	for (guint i = 0; i < ranks->len; i++) {
		struct record_rank *line = ranks->pdata[i];
		g_autofree gboolean *seen = g_new0(gboolean, ranks->len);

		if (execution->stalled && worst == ENDING_NONE)
			line->bystander = line->ended != NULL;
		else if (worst != ENDING_NONE)
			line->bystander = ending_of(execution, (int)i) == ENDING_NONE;
		else
			line->bystander = line->ended
			                  || (!waits_for_ended(ranks, line)
			                      && !reaches(ranks, line, (int)i, seen));
	}
}

/* Not part of what tells findings apart: it need not be so the next time. And what lies below is
 * not explored. */
static void blame_memory(struct execution *execution, struct record_finding *finding)
{
	char *message = finding->message;

	if (!execution->struck_before
	    || !memory_pressure_since(&execution->session->memory_before))
		return;
	execution->starved = TRUE;
	finding->message = g_strdup_printf("%s; the kernel has killed processes because memory ran "
	                                   "out",
	                                   message);
	g_free(message);
}

static void find_fault(struct execution *execution, const char *kind, enum ending worst)
{
	struct record_finding *finding = record_finding_new(kind);

	for (int rank = 0; rank < execution->session->options->ranks; rank++)
		g_ptr_array_add(finding->ranks, roll_call_line(execution, rank));
	mark_bystanders(execution, finding->ranks, worst);
	call_threads(execution, finding->ranks);
	for (guint i = 0; i < finding->ranks->len; i++)
		g_ptr_array_add(execution->record->ranks,
		                record_rank_copy(finding->ranks->pdata[i]));
	finding->path = g_strdup(execution->record->path);
	finding->message = message_for(execution, kind, finding->ranks, worst);
	if (worst == ENDING_CRASH)
		blame_memory(execution, finding);
	g_ptr_array_add(execution->findings, finding);
}

static struct record_execution *begin_record(struct execution *execution)
{
	struct record_execution *record = record_execution_new();
	g_autoptr(GHashTable) operations = verdict_operations(world_trace(execution->world));

	execution->record = record;
	record->buffering = 1u << execution->buffering;
	record->path = verdict_path(execution);
	verdict_choices(execution, operations);
	fill_matches(execution, operations);
	return record;
}

/* All calls are kept of one interleaving for each finding, of one that ended well under each
 * buffering to compare it with, and of those that were asked for by path; of what a conductor
 * tries, only of what it keeps. That outcomes differ is known too late: one is run again. */
static void keep_calls(struct execution *execution)
{
	const struct session *session = execution->session;
	gboolean fresh = execution->ended_well
	                 && (session->well_kept & execution->record->buffering) == 0;

	for (guint i = 0; i < execution->findings->len; i++)
		fresh |= !findings_known(session->findings, execution->findings->pdata[i]);
	if (session->options->conduct)
		fresh = session->recording;
	fresh |= session->showing;
	if (session->store && (session->options->path || fresh))
		verdict_calls(execution);
}

void verdict_lost(struct execution *execution)
{
	struct record_execution *record = begin_record(execution);
	struct record_finding *finding;

	record->status = g_intern_string("not-reproducible");
	finding = record_finding_new(record->status);
	finding->path = g_strdup(record->path);
	finding->message = g_strdup_printf(
		"the choices of an earlier interleaving could not be made "
		"again: %s",
		execution->lost);
	g_ptr_array_add(execution->findings, finding);
	keep_calls(execution);
}

static void drop_ignored(struct execution *execution)
{
	const gchar *const *ignored = (const gchar *const *)execution->session->options->ignored;

	for (guint i = execution->findings->len; ignored && i-- > 0;) {
		const struct record_finding *finding = execution->findings->pdata[i];

		if (g_strv_contains(ignored, finding->kind))
			g_ptr_array_remove_index(execution->findings, i);
	}
}

void verdict_reach(struct execution *execution)
{
	struct record_execution *record = begin_record(execution);
	enum ending worst = worst_ending(execution);
	const char *kind = kind_of(execution, worst);

	execution->ended_well = kind == NULL;
	if (kind)
		find_fault(execution, kind, worst);
	world_find_conflicts(execution->world);
	verdict_add_remarks(execution);
	if (execution->ended_well)
		verdict_add_leaks(execution);
	drop_ignored(execution);
	if (kind)
		record->status = g_intern_string(kind);
	else if (execution->findings->len > 0)
		record->status = ((struct record_finding *)execution->findings->pdata[0])->kind;
	keep_calls(execution);
}

static GBytes *captured(const struct execution *execution, const char *stream, int rank)
{
	g_autofree char *file = g_strdup_printf("%s/%s.%d", execution->directory, stream, rank);
	char *text;
	gsize length;

	if (!g_file_get_contents(file, &text, &length, NULL))
		return g_bytes_new_static("", 0);
	return g_bytes_new_take(text, length);
}

void verdict_complete(struct execution *execution)
{
	struct record_execution *record = execution->record;

	for (int rank = 0; rank < execution->session->options->ranks; rank++) {
		const struct rank_end *end = &execution->ends[rank];
		gint32 status = -1;

		if (end->known && !end->killed)
			status = WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status)
			                                  : WEXITSTATUS(end->status);
		g_array_append_val(record->exits, status);
		g_ptr_array_add(record->outputs, captured(execution, "out", rank));
		g_ptr_array_add(record->errors, captured(execution, "err", rank));
	}
}
