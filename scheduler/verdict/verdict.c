/* The result of an interleaving: its record, and the finding if something is wrong. */
#include <sys/wait.h>

#include "mpi_calls.h"
#include "scheduler/host/environment.h"
#include "verdict_internal.h"

struct verdict *verdict_new(void)
{
	struct verdict *verdict = g_new0(struct verdict, 1);

	verdict->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	verdict->returned = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	return verdict;
}

void verdict_free(struct verdict *verdict)
{
	if (!verdict)
		return;
	record_execution_free(verdict->record);
	g_ptr_array_unref(verdict->findings);
	g_ptr_array_unref(verdict->returned);
	g_free(verdict->lost_output);
	g_free(verdict);
}

struct record_finding *verdict_finding(const struct verdict *verdict, const char *key)
{
	for (guint i = 0; i < verdict->findings->len; i++) {
		g_autofree char *other = record_finding_key(verdict->findings->pdata[i]);

		if (g_str_equal(key, other))
			return verdict->findings->pdata[i];
	}
	return NULL;
}

/* By enum ending. */
static const enum finding_kind ending_kinds[] = {FINDING_CRASH, FINDING_ABORT, FINDING_THREAD_LEVEL,
                                                 FINDING_MPI_ERROR, FINDING_EXIT};

enum ending verdict_ending(const struct verdict_facts *facts, int rank)
{
	const struct rank_end *end = &facts->ends[rank];

	if (end->killed)
		return ENDING_NONE;
	if (end->known && (WIFSIGNALED(end->status) || end->report))
		return ENDING_CRASH;
	if (end->aborted)
		return ENDING_ABORT;
	if (end->error)
		return end->threads ? ENDING_THREADS : ENDING_ERROR;
	if ((end->gone || end->known) && !world_finalized(facts->world, rank))
		return ENDING_EXIT;
	if (end->known && WEXITSTATUS(end->status) != 0)
		return ENDING_EXIT;
	return ENDING_NONE;
}

bool verdict_in_finalize(const struct verdict_facts *facts, int rank)
{
	const struct world_call *info = world_call_info(facts->world, rank,
	                                                world_calls(facts->world, rank));

	return info && mpi_call_ends_mpi(info->function);
}

/* The end of a rank as a field of the record, with its code. */
static enum record_end end_of(const struct verdict_facts *facts, int rank, int32_t *ret_code)
{
	const struct rank_end *end = &facts->ends[rank];

	switch (verdict_ending(facts, rank)) {
	case ENDING_CRASH:
		if (WIFSIGNALED(end->status)) {
			*ret_code = WTERMSIG(end->status);
			return RECORD_END_SIGNAL;
		}
		/* fallthrough */
	case ENDING_EXIT:
		*ret_code = end->known && !end->untold ? WEXITSTATUS(end->status) : -1;
		return world_finalized(facts->world, rank) ? RECORD_END_EXIT : RECORD_END_EARLY;
	case ENDING_ABORT: *ret_code = end->abort_code; return RECORD_END_ABORT;
	case ENDING_THREADS: return RECORD_END_THREAD;
	case ENDING_ERROR: return RECORD_END_ERROR;
	case ENDING_NONE: break;
	}
	return end->gone || verdict_in_finalize(facts, rank)
	                       || world_awaits_spawn(facts->world, rank)
	               ? RECORD_END_WELL
	               : RECORD_END_NONE;
}

/* Describes an unreported call that the rank is inside. false: it is in none. */
static bool line_inside(const struct verdict_facts *facts, int rank, struct record_rank *line)
{
	const struct wire_blocking_call *inside = facts->inside[rank];
	bool initialises = world_calls(facts->world, rank) == 0 && facts->ends[rank].function == 0;
	bool stalls = facts->stalled && world_phase(facts->world, rank) == PHASE_RUNNING;

	if (!inside || (!initialises && !stalls))
		return false;
	line->function = g_intern_string(mpi_call_name(inside->function));
	line->place = facts->ends[rank].place;
	if (!line->place.file && !line->place.function)
		line->place = verdict_site(facts, rank, inside->site);
	return true;
}

guint32 verdict_thread(const struct verdict_facts *facts, int rank, const struct world_call *info)
{
	return world_rank_names_threads(facts->world, rank) ? info->thread + 1 : 0;
}

static void describe_call(const struct verdict_facts *facts, guint32 call, struct record_rank *line)
{
	const struct world_call *info = world_call_info(facts->world, line->rank, call);

	line->call = call;
	if (!info)
		return;
	line->thread = verdict_thread(facts, line->rank, info);
	line->function = g_intern_string(mpi_call_name(info->function));
	line->arguments = verdict_arguments(facts, line->rank, call);
	line->place = verdict_place(facts, line->rank, call);
}

/* Of several threads, describes the first one that waits. */
static struct record_rank *roll_call_line(const struct verdict_facts *facts, int rank)
{
	struct record_rank *line = record_rank_new(rank);
	g_autoptr(GArray) pending = world_pending_calls(facts->world, rank);
	const struct rank_end *end = &facts->ends[rank];

	line->call = world_calls(facts->world, rank);
	line->ended = verdict_ended_words(facts, rank);
	line->end = end_of(facts, rank, &line->code);
	if (line_inside(facts, rank, line) || world_awaits_spawn(facts->world, rank))
		return line;
	describe_call(facts,
	              end->inside > 0    ? end->inside
	              : pending->len > 0 ? g_array_index(pending, guint32, 0)
	                                 : line->call,
	              line);
	if (end->function != 0) {
		line->function = g_intern_string(mpi_call_name(end->function));
		g_clear_pointer(&line->arguments, g_free);
	}
	if (end->place.file || end->place.function)
		line->place = end->place;
	if (!line->ended) {
		g_array_unref(line->waits_for);
		line->waits_for = world_waits_for(facts->world, rank,
		                                  pending->len > 1 ? line->call : 0);
	}
	return line;
}

/* Marks a rank that is held in this call, or before its next one. */
static void mark_held(const struct verdict_facts *facts, struct record_rank *line, guint32 call)
{
	if (!world_holds_call(facts->world, line->rank, call))
		return;
	g_clear_pointer(&line->ended, g_free); /* even in MPI_Finalize */
	line->end = RECORD_END_NONE;
	line->does = g_strdup("is held");
}

/* Adds a line for threads that wait to be admitted. */
static void add_entering(const struct verdict_facts *facts, int rank, GPtrArray *ranks)
{
	guint count = world_threads_entering(facts->world, rank);
	bool held = world_phase(facts->world, rank) == PHASE_HELD;
	struct record_rank *line;

	if (count == 0)
		return;
	line = record_rank_new(rank);
	line->does = count == 1 ? g_strdup("a thread waits for its turn")
	                        : g_strdup_printf("%u threads wait for their turn", count);
	if (held || world_holds(facts->world)) {
		char *does = line->does;

		line->does = g_strdup_printf("%s, which comes when no rank is held", does);
		g_free(does);
	}
	g_ptr_array_add(ranks, line);
}

/* Adds a line for each further thread that waits, after those of all ranks. */
static void add_threads(const struct verdict_facts *facts, GPtrArray *ranks)
{
	guint count = ranks->len;

	for (guint rank = 0; rank < count; rank++) {
		const struct record_rank *first = ranks->pdata[rank];
		g_autoptr(GArray) pending = world_pending_calls(facts->world, (int)rank);

		for (guint i = 1; i < pending->len && !first->ended; i++) {
			struct record_rank *line = record_rank_new((int)rank);
			guint32 call = g_array_index(pending, guint32, i);

			describe_call(facts, call, line);
			g_array_unref(line->waits_for);
			line->waits_for = world_waits_for(facts->world, (int)rank, call);
			line->bystander = first->bystander;
			mark_held(facts, line, call);
			g_ptr_array_add(ranks, line);
		}
		if (!first->ended)
			add_entering(facts, (int)rank, ranks);
	}
}

GPtrArray *verdict_roll_call(const struct verdict_facts *facts)
{
	GPtrArray *ranks = g_ptr_array_new_with_free_func((GDestroyNotify)record_rank_free);

	for (int rank = 0; rank < facts->ranks; rank++) {
		struct record_rank *line = roll_call_line(facts, rank);

		mark_held(facts, line, line->call);
		if (!line->ended && world_phase(facts->world, rank) == PHASE_RUNNING)
			line->does = g_strdup("runs, and has made no call since");
		if (!line->ended && !line->does && world_repeats(facts->world, rank))
			line->does = g_strdup("returns at once, and is made again and again");
		g_ptr_array_add(ranks, line);
	}
	add_threads(facts, ranks);
	return ranks;
}

static void fill_matches(struct verdict *verdict, const struct verdict_facts *facts,
                         GHashTable *operations)
{
	const struct trace *trace = world_trace(facts->world);

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		const struct operation *receive;
		struct record_match match;

		if (event->kind != EVENT_MATCH || event->op.id.rank >= facts->ranks)
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
		g_array_append_val(verdict->record->matches, match);
	}
}

bool verdict_is_driven(const struct verdict_facts *facts, const struct record_rank *line)
{
	const struct wire_blocking_call *inside = facts->inside[line->rank];

	return inside && inside->driven;
}

/* Stores which arguments of a collective do not match. */
static void add_given(const struct verdict_facts *facts, struct record_finding *finding)
{
	struct world_given calls[2];
	const struct comm_words comms = verdict_comm_sentence(facts);
	g_autofree char *words = world_mismatch(facts->world, &comms, calls);

	for (guint i = 0; words && i < G_N_ELEMENTS(calls); i++) {
		struct record_given given = {.rank = calls[i].id.rank,
		                             .call = calls[i].id.call,
		                             .type = calls[i].type,
		                             .reduction = calls[i].reduction};

		if (given.type || given.reduction)
			g_array_append_val(finding->given, given);
	}
}

static bool collectives_differ(const struct verdict_facts *facts)
{
	const struct comm_words comms = verdict_comm_sentence(facts);
	g_autofree char *mismatch = world_mismatch(facts->world, &comms, NULL);

	return mismatch != NULL;
}

/* Errors and exits may be consequences of a collective mismatch, which then takes precedence. */
static enum ending worst_ending(const struct verdict_facts *facts)
{
	enum ending worst = ENDING_NONE;

	for (int rank = 0; rank < facts->ranks; rank++) {
		enum ending ending = verdict_ending(facts, rank);

		worst = MIN(worst, ending);
	}
	return worst >= ENDING_ERROR && collectives_differ(facts) ? ENDING_NONE : worst;
}

static enum finding_kind kind_of(const struct verdict_facts *facts, enum ending worst)
{
	if (worst != ENDING_NONE)
		return ending_kinds[worst];
	if (collectives_differ(facts))
		return FINDING_COLLECTIVE_MISMATCH;
	if (facts->stalled)
		return facts->livelock ? FINDING_LIVELOCK : FINDING_STALL;
	for (int rank = 0; rank < facts->ranks; rank++) {
		if (!facts->ends[rank].gone && !world_awaits_spawn(facts->world, rank))
			return facts->livelock ? FINDING_LIVELOCK : FINDING_DEADLOCK;
	}
	return FINDING_NONE;
}

static bool waits_for_ended(const GPtrArray *ranks, const struct record_rank *line)
{
	for (guint i = 0; i < line->waits_for->len; i++) {
		const struct record_rank *peer =
			ranks->pdata[g_array_index(line->waits_for, gint32, i)];

		if (peer->ended)
			return true;
	}
	return false;
}

/* Whether a rank waits for `wanted`, directly or indirectly. */
static bool waits_for_rank(const GPtrArray *ranks, const struct record_rank *from, int wanted,
                           bool *seen)
{
	for (guint i = 0; i < from->waits_for->len; i++) {
		gint32 peer = g_array_index(from->waits_for, gint32, i);

		if (peer == wanted)
			return true;
		if (seen[peer])
			continue;
		seen[peer] = true;
		for (guint k = 0; k < ranks->len; k++) { /* any of its threads */
			const struct record_rank *line = ranks->pdata[k];

			if (line->rank == peer && waits_for_rank(ranks, line, wanted, seen))
				return true;
		}
	}
	return false;
}

/* Marks the ranks that are not the cause. The cause of a deadlock: ranks that wait for an ended
 * rank, or in a cycle. If a function called by MPI does not return: the ranks where MPI has called
 * it, since it depends on time how far the others come. Otherwise: the ranks that went wrong
 * themselves. */
static void mark_bystanders(const struct verdict_facts *facts, GPtrArray *ranks, enum ending worst)
{
	bool driven = false;

	for (guint i = 0; i < ranks->len; i++)
		driven |= verdict_is_driven(facts, ranks->pdata[i]);
	for (guint i = 0; i < ranks->len; i++) {
		struct record_rank *line = ranks->pdata[i];
		g_autofree bool *seen = g_new0(bool, ranks->len);

		if (facts->stalled && worst == ENDING_NONE)
			line->bystander = line->ended
			                  || (driven && !verdict_is_driven(facts, line));
		else if (worst != ENDING_NONE)
			line->bystander = verdict_ending(facts, line->rank) == ENDING_NONE;
		else
			line->bystander = line->ended
			                  || (!waits_for_ended(ranks, line)
			                      && !waits_for_rank(ranks, line, line->rank, seen));
	}
}

/* Adds this to the message only. Findings are not compared by it, since it may differ next time.
 * What lies below is not explored. */
static void blame_memory(struct verdict *verdict, struct record_finding *finding)
{
	char *message = finding->message;

	verdict->starved = true;
	/* Seen twice already. If there is memory again, the finding does not show, which is
	 * correct. */
	finding->replayed = finding->reproduced = true;
	finding->message = g_strdup_printf("%s; the kernel has killed processes because memory ran "
	                                   "out",
	                                   message);
	g_free(message);
}

static void find_fault(struct verdict *verdict, const struct verdict_facts *facts,
                       enum finding_kind kind, enum ending worst)
{
	struct record_finding *finding = record_finding_new(kind);

	for (int rank = 0; rank < facts->ranks; rank++)
		g_ptr_array_add(finding->ranks, roll_call_line(facts, rank));
	mark_bystanders(facts, finding->ranks, worst);
	add_threads(facts, finding->ranks);
	for (guint i = 0; i < finding->ranks->len; i++)
		g_ptr_array_add(verdict->record->ranks, record_rank_copy(finding->ranks->pdata[i]));
	finding->path = g_strdup(verdict->record->path);
	finding->message = verdict_message(facts, kind, finding->ranks, worst);
	if (kind == FINDING_COLLECTIVE_MISMATCH)
		add_given(facts, finding);
	if (worst == ENDING_CRASH && facts->struck_before && facts->memory_ran_out)
		blame_memory(verdict, finding);
	g_ptr_array_add(verdict->findings, finding);
}

static struct record_execution *record_begin(struct verdict *verdict,
                                             const struct verdict_facts *facts)
{
	struct record_execution *record = record_execution_new();
	g_autoptr(GHashTable) operations = verdict_operations(world_trace(facts->world));

	verdict->record = record;
	record->buffering = 1u << world_options(facts->world)->buffering;
	record->path = verdict_path(facts);
	verdict_choices(verdict, facts, operations);
	fill_matches(verdict, facts, operations);
	return record;
}

void verdict_lost(struct verdict *verdict, const struct verdict_facts *facts)
{
	struct record_execution *record = record_begin(verdict, facts);
	struct record_finding *finding;

	record->status = FINDING_NOT_REPRODUCIBLE;
	finding = record_finding_new(record->status);
	finding->path = g_strdup(record->path);
	finding->message = g_strdup_printf(
		"the choices of an earlier interleaving could not be made "
		"again: %s",
		facts->lost);
	g_ptr_array_add(verdict->findings, finding);
}

static void drop_ignored(struct verdict *verdict, const struct verdict_facts *facts)
{
	for (guint i = verdict->findings->len; facts->ignored && i-- > 0;) {
		const struct record_finding *finding = verdict->findings->pdata[i];

		if (g_strv_contains(facts->ignored, finding_kind_name(finding->kind)))
			g_ptr_array_remove_index(verdict->findings, i);
	}
}

/* A program that ended otherwise did not go on as if nothing were. */
static void take_returned(struct verdict *verdict, const struct verdict_facts *facts)
{
	for (guint i = verdict->findings->len; i-- > 0;) {
		const struct record_finding *finding = verdict->findings->pdata[i];
		struct record_finding *taken;

		if (finding->kind != FINDING_ERROR_RETURNED
		    || (verdict->ended_well && facts->errors_returned))
			continue;
		taken = g_ptr_array_steal_index(verdict->findings, i);
		if (verdict->ended_well)
			g_ptr_array_insert(verdict->returned, 0, taken);
		else
			record_finding_free(taken);
	}
}

void verdict_reach(struct verdict *verdict, const struct verdict_facts *facts)
{
	struct record_execution *record = record_begin(verdict, facts);
	enum ending worst = worst_ending(facts);
	enum finding_kind kind = kind_of(facts, worst);

	verdict->ended_well = kind == FINDING_NONE;
	if (!verdict->ended_well)
		find_fault(verdict, facts, kind, worst);
	world_find_conflicts(facts->world);
	verdict_add_remarks(verdict, facts);
	take_returned(verdict, facts);
	if (verdict->ended_well)
		verdict_add_leaks(verdict, facts);
	drop_ignored(verdict, facts);
	if (!verdict->ended_well)
		record->status = kind;
	else if (verdict->findings->len > 0)
		record->status = ((struct record_finding *)verdict->findings->pdata[0])->kind;
}

void verdict_complete(struct verdict *verdict, const struct verdict_facts *facts,
                      const struct verdict_printed *printed)
{
	struct record_execution *record = verdict->record;

	for (int rank = 0; rank < facts->ranks; rank++) {
		const struct rank_end *end = &facts->ends[rank];
		gint32 status = -1;

		if (end->known && !end->killed && !end->untold)
			status = WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status)
			                                  : WEXITSTATUS(end->status);
		g_array_append_val(record->exits, status);
	}
	verdict_add_output(verdict, facts->ranks, printed);
}
