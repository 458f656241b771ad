/* The callbacks from executions to their session. */
#include "coverage.h"
#include "infrastructure_failures.h"
#include "rank_outputs.h"
#include "replay.h"
#include "scheduler/execution/history.h"
#include "scheduler/execution/recorder.h"
#include "scheduler/execution/runs.h"
#include "scheduler/liveness/stall.h"
#include "search_bounds.h"
#include "session_internal.h"

static void on_fail(void *user, const char *message)
{
	session_fail(user, "%s", message);
}

static void on_fall_back(void *user, char *reason)
{
	struct session *session = user;

	if (session->options->backtrack == BACKTRACK_SNAPSHOT)
		session_fail(session,
		             "snapshots are not safe here: %s; --backtrack=auto would rerun "
		             "instead",
		             reason);
	g_free(session->exploration->backtrack_reason);
	session->exploration->backtrack_reason = reason;
}

static void on_struck(void *user, const char *what)
{
	struct session *session = user;

	infrastructure_failures_add_struck(session->failures, what);
}

static void on_library(void *user, const char *version)
{
	struct session *session = user;

	if (!session->exploration->mpi)
		session->exploration->mpi = g_strdup(version);
}

static void on_open(void *owner, const struct execution *execution, GArray *open)
{
	const struct interleaving *interleaving = owner;
	struct session *session = interleaving->session;
	struct left_out left_out = {0};

	coverage_add_bounds(session->coverage,
	                    search_bounds_mark(session->options, execution, open));
	if (!session->options->random || interleaving->apart)
		return; /* the search records its own bounds */
	for (guint i = 0; i < open->len; i++)
		left_out.sets |= g_array_index(open, struct open_choice, i).more;
	coverage_add_left_out(session->coverage, &left_out);
}

/* --- the verdict ------------------------------------------------------------------------------ */

static struct place find_place(void *user, int rank, guint64 site)
{
	return execution_site(user, rank, site);
}

struct verdict_facts session_facts(const struct session *session, struct execution *execution,
                                   const struct wire_blocking_call **inside)
{
	const struct run_result *result = execution_result(execution);

	for (int rank = 0; rank < session->options->ranks; rank++)
		inside[rank] = execution_blocking_call(execution, rank);
	return (struct verdict_facts){
		.world = execution_world(execution),
		.ranks = session->options->ranks,
		.comms = session->comms,
		.ends = execution_ends(execution),
		.inside = inside,
		.place = find_place,
		.user = execution,
		.lost = result->lost,
		.stalled = result->stalled,
		.livelock = result->livelock,
		.how_sure = result->how_sure,
		.still = stall_seconds(result->livelock),
		.struck_before = result->struck_before,
		.memory_ran_out = result->struck_before
	                          && infrastructure_failures_memory_ran_out(session->failures),
		.ignored = (const char *const *)session->options->ignored,
		.errors_returned = session->options->errors_returned,
	};
}

/* Whether to store all calls. They are stored for one interleaving of each finding, for one that
 * ended well under each buffering to compare with, and for those requested by path. Of what a
 * scripted session tries, only what it keeps is stored. That outcomes differ is known too late: one
 * of them is run again. */
static bool keeps_calls(const struct interleaving *interleaving)
{
	const struct session *session = interleaving->session;
	const struct verdict *verdict = interleaving->verdict;
	bool fresh = verdict->ended_well
	             && !replay_has_well_kept(session->replay, verdict->record->buffering);

	if (!session->store || interleaving->calls != CALLS_NEW)
		return session->store && interleaving->calls == CALLS_KEPT;
	for (guint i = 0; i < verdict->findings->len; i++)
		fresh |= !findings_known(session->findings, verdict->findings->pdata[i]);
	return fresh;
}

static bool on_end(void *owner, struct execution *execution, const char **ret_word)
{
	const struct interleaving *interleaving = owner;
	struct session *session = interleaving->session;
	g_autofree const struct wire_blocking_call **inside = g_new0(
		const struct wire_blocking_call *, session->options->ranks);
	const struct verdict_facts facts = session_facts(session, execution, inside);
	struct verdict *verdict = interleaving->verdict;

	if (facts.lost && session_has_hurried(session, execution)) {
		*ret_word = "lost: threads were not waited for"; /* not a fault of the program */
		return false;
	}
	if (facts.lost)
		verdict_lost(verdict, &facts);
	else
		verdict_reach(verdict, &facts);
	if (keeps_calls(interleaving))
		verdict_calls(verdict, &facts);
	*ret_word = finding_kind_name(verdict->record->status);
	return verdict->ended_well;
}

static void complete(const struct session *session, struct verdict *verdict,
                     const struct verdict_facts *facts, const char *directory)
{
	struct rank_outputs *outputs = rank_outputs_read(session->host, directory, facts->ranks);
	const struct verdict_printed printed = rank_outputs_printed(outputs);

	verdict_complete(verdict, facts, &printed);
	rank_outputs_free(outputs);
}

static void on_gone(void *owner, struct execution *execution, const char *directory)
{
	const struct interleaving *interleaving = owner;
	const struct session *session = interleaving->session;
	g_autofree const struct wire_blocking_call **inside = g_new0(
		const struct wire_blocking_call *, session->options->ranks);
	const struct verdict_facts facts = session_facts(session, execution, inside);
	struct verdict *verdict = interleaving->verdict;

	if (verdict->record)
		complete(session, verdict, &facts, directory);
	if (verdict->cut_short || verdict->printed > OUTPUT_PLACE_MOST)
		session->host->operations->output_to_disk(session->host);
	if (session->options->wrapper && !verdict->no_room) /* a rank at a terminal has no files */
		g_clear_pointer(&verdict->lost_output, g_free);
}

/* --- call stacks ------------------------------------------------------------------------------
 *
 * Unwinding the stack in each call would slow the search down. Stacks are therefore taken only
 * where an interleaving is run once more or alone: in replays of findings, in run and replay, and
 * for the result of minimize. */

static void add_functions(const struct execution *execution, int rank, const uint64_t *addresses,
                          guint32 count, GArray *frames)
{
	for (guint32 i = 0; i < count; i++)
		execution_add_frames(execution, rank, addresses[i], frames);
}

/* An interpreter may report a partial path, or a name that is not a file. */
static struct place place_of_line(const struct session *session, const struct wire_line *line)
{
	g_autofree char *path = g_canonicalize_filename(line->file,
	                                                session->exploration->directory);
	bool is_file = g_file_test(path, G_FILE_TEST_IS_REGULAR);
	g_autofree char *valid = record_printable(is_file ? path : line->file, -1);
	g_autofree char *directory = g_path_get_dirname(valid), *name = g_path_get_basename(valid);

	return (struct place){.directory = is_file ? g_intern_string(directory) : NULL,
	                      .file = g_intern_string(is_file ? name : valid),
	                      .line = line->line};
}

/* The call's place is in the interpreted program, unless a library with known source makes it. */
static void add_lines(const struct session *session, const struct wire_stack *stack, GArray *frames)
{
	bool told = stack->extension || frames->len == 0
	            || !g_array_index(frames, struct record_frame, 0).place.file;

	for (guint32 i = 0; i < stack->line_count; i++) {
		g_autofree char *function = record_printable(stack->lines[i].function, -1);
		struct record_frame frame = {g_intern_string(function),
		                             place_of_line(session, &stack->lines[i]),
		                             told && i == 0};

		g_array_append_val(frames, frame);
	}
}

static GArray *frames_of(const struct session *session, const struct execution *execution, int rank,
                         const struct wire_stack *stack)
{
	GArray *frames = g_array_new(false, false, sizeof(struct record_frame));

	add_functions(execution, rank, stack->frames, stack->inner, frames);
	add_lines(session, stack, frames);
	add_functions(execution, rank, stack->frames + stack->inner, stack->count - stack->inner,
	              frames);
	return frames;
}

/* The key of a stack: its addresses, and its lines if it has any. `ret_own`: of such a key. */
static const guint64 *key_of(const struct wire_stack *stack, GArray **ret_own, guint *ret_count)
{
	GArray *key = NULL;

	*ret_count = stack->count;
	if (stack->line_count == 0)
		return stack->frames;
	key = *ret_own = g_array_new(false, false, sizeof(guint64));
	g_array_append_vals(key, stack->frames, stack->count);
	for (guint32 i = 0; i < stack->line_count; i++) {
		const struct wire_line *line = &stack->lines[i];
		const guint64 parts[] = {(guintptr)g_intern_string(line->file),
		                         (guintptr)g_intern_string(line->function), line->line};

		g_array_append_vals(key, parts, G_N_ELEMENTS(parts));
	}
	*ret_count = key->len;
	return (const guint64 *)(void *)key->data;
}

/* Removes the frames that are further in than `place`. If the place is unknown, removes all. */
static void frames_begin_at(GArray *frames, const struct place *place)
{
	guint inner = 0;

	while (inner < frames->len
	       && !place_equal(&g_array_index(frames, struct record_frame, inner).place, place))
		inner++;
	if (inner > 0)
		g_array_remove_range(frames, 0, inner);
}

/* Takes over the stacks of calls made before the snapshot it began from. */
static void take_over_stacks(const struct execution *execution)
{
	struct interleaving *interleaving = interleaving_of(execution);
	const struct world *world = execution_world(execution);
	int ranks = world_options(world)->ranks;

	if (interleaving->stacks->len > 0)
		return;
	for (int rank = 0; rank < ranks; rank++)
		for (guint32 call = 1; call <= world_calls(world, rank); call++) {
			const struct world_call *info = world_call_info(world, rank, call);
			struct record_stack told = {rank, call, info ? info->stack : 0};

			if (told.stack > 0)
				g_array_append_val(interleaving->stacks, told);
		}
}

static guint32 on_stack(void *owner, const struct execution *execution, int rank,
                        const struct wire_stack *stack, const struct place *place)
{
	struct interleaving *interleaving = owner;
	struct stack_table *table = interleaving->session->stacks;
	struct record_stack told = {rank, stack->call, 0};
	g_autoptr(GArray) own = NULL;
	guint count;
	const guint64 *key = key_of(stack, &own, &count);

	told.stack = stack_table_find(table, rank, key, count);
	if (told.stack == 0) {
		g_autoptr(GArray) frames = frames_of(interleaving->session, execution, rank, stack);

		if (place)
			frames_begin_at(frames, place);
		if (frames->len == 0)
			return 0;
		if (frames->len > RECORD_FRAMES_MAX)
			g_array_set_size(frames, RECORD_FRAMES_MAX);
		told.stack = stack_table_add(table, rank, key, count, g_array_ref(frames));
	}
	if (interleaving->stacks)
		take_over_stacks(execution);
	else
		interleaving->stacks = g_array_new(false, false, sizeof(struct record_stack));
	g_array_append_val(interleaving->stacks, told);
	return told.stack;
}

const GPtrArray *session_stacks(const struct session *session)
{
	return stack_table_all(session->stacks);
}

const GArray *session_stack(const struct session *session, const struct execution *execution,
                            int rank, guint32 call)
{
	const GArray *stacks = interleaving_of(execution)->stacks;

	for (guint i = stacks ? stacks->len : 0; i-- > 0;) {
		const struct record_stack *told = &g_array_index(stacks, struct record_stack, i);

		if (told->rank == rank && told->call <= call)
			return told->call == call
			               ? stack_table_all(session->stacks)->pdata[told->stack - 1]
			               : NULL;
	}
	return NULL;
}

static int compare_stacks(const void *one, const void *other)
{
	const struct record_stack *a = one, *b = other;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->call > b->call) - (a->call < b->call);
}

void session_keep_stacks(struct session *session, const struct execution *execution, guint32 number)
{
	GArray *stacks = interleaving_of(execution)->stacks;
	const GPtrArray *all = stack_table_all(session->stacks);
	g_autoptr(GError) error = NULL;

	if (!stacks)
		return;
	take_over_stacks(execution);
	g_array_sort(stacks, compare_stacks); /* in the order of their table */
	for (guint i = 0; session->choices && i < stacks->len; i++) {
		const struct record_stack *told = &g_array_index(stacks, struct record_stack, i);

		choice_coverage_add_stack(session->choices, told->rank, told->call,
		                          all->pdata[told->stack - 1]);
	}
	if (session->store && !store_put_stacks(session->store, number, stacks, all, &error))
		session_fail(session, "%s", error->message);
}

const struct run_client session_run_client = {
	.fail = on_fail,
	.fall_back = on_fall_back,
	.struck = on_struck,
	.library = on_library,
	.open = on_open,
	.called = session_saving_see_call,
	.is_due = session_saving_is_due,
	.stack = on_stack,
	.end = on_end,
	.gone = on_gone,
};

/* --- event sinks (execution/events.h) ---------------- */

/* Interleavings that show nothing new are written later, while the next one runs. */
static bool write_store(void *user, const struct run_event *event, GError **error)
{
	struct store *store = ((struct session *)user)->store;

	if (event->changed->len == 0)
		return store_add_later(store, event->record, error);
	return store_add(store, event->record, event->changed, error);
}

void session_catch_up(void *user)
{
	struct session *session = user;
	g_autoptr(GError) error = NULL;

	if (session_saving_is_saved(session))
		session_saving_settle(session->saving);
	if (session->store && !store_catch_up(session->store, &error))
		session_fail(session, "%s", error->message);
}

/* Without a store the exploration is useless, so the session fails. Other sinks only cause a
 * note. */
void session_sink_failed(void *user, const struct event_sink *sink, const GError *error)
{
	struct session *session = user;

	if (sink->handle == write_store)
		session_fail(session, "%s", error->message);
	else
		g_ptr_array_add(
			session->exploration->notes,
			g_strdup_printf("%s is not complete: %s", sink->name, error->message));
}

void session_add_sinks(struct session *session)
{
	const struct event_sink store = {.name = "the store",
	                                 .kinds = 1u << RUN_END,
	                                 .handle = write_store,
	                                 .user = session};

	if (session->store)
		events_add(session->events, &store);
	event_log_add(session->events);
	recorder_add(session->events);
	if (session->options->keeps_history || session->options->save.folder)
		session->history = history_new(session->events);
}

void session_tell_end(struct session *session, const struct execution *execution,
                      const struct record_execution *record, const GPtrArray *changed)
{
	struct run_event event = {.kind = RUN_FINDING,
	                          .number = execution_number(execution),
	                          .world = execution_world(execution)};

	for (guint i = 0; i < changed->len; i++) {
		event.finding = changed->pdata[i];
		events_emit(session->events, &event);
	}
	event = (struct run_event){.kind = RUN_END,
	                           .number = event.number,
	                           .world = event.world,
	                           .record = record,
	                           .changed = changed};
	events_emit(session->events, &event);
}
