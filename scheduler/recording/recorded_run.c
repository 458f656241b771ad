#include "recorded_run.h"

#include <string.h>

#include "common/mix.h"
#include "mpi_calls.h"
#include "recorded_run_internal.h"
#include "recording.h"
#include "roll_call.h"

enum { POLLS_MOST = 1 << 16 }; /* kept of a rank that polls */

/* --- reading ---------------------------------------------------------------------------------- */

static bool read_ranks(struct recorded_run *run, const char *directory, GError **error)
{
	g_autoptr(GPtrArray) all = roll_call(directory, error);

	for (int i = 0; all && i < run->count; i++) {
		struct followed_rank *rank = &run->ranks[i];
		const struct roll_call_entry *entry = all->pdata[i];
		const bool is_whole = entry->has_ended && !entry->damage && !entry->error;

		rank->matches = recorded_matches_read(directory, i, is_whole, run->remarks, error);
		if (!rank->matches)
			return false;
		if (!rank->matches->has_threads)
			continue;
		g_set_error(error, RECORDING_ERROR, 0,
		            "rank %d: several of its threads call MPI; such a recording can only "
		            "be replayed rank by rank (--rank %d)",
		            i, i);
		return false;
	}
	return all != NULL;
}

struct recorded_run *recorded_run_read(const char *directory, GError **error)
{
	const int count = recording_ranks(directory, error);
	struct recorded_run *run;

	if (count == 0)
		return NULL;
	run = g_new0(struct recorded_run, 1);
	run->count = count;
	trace_init(&run->trace);
	run->ranks = g_new0(struct followed_rank, count);
	run->remarks = g_ptr_array_new_with_free_func(g_free);
	for (int i = 0; i < count; i++) {
		run->ranks[i].numbers = g_array_new(false, true, sizeof(guint32));
		run->ranks[i].polls = g_array_new(false, false, sizeof(struct followed_poll));
		run->ranks[i].operations = g_array_new(false, false,
		                                       sizeof(struct followed_operation));
	}
	if (read_ranks(run, directory, error))
		return run;
	recorded_run_free(run);
	return NULL;
}

void recorded_run_free(struct recorded_run *run)
{
	if (!run)
		return;
	for (int i = 0; i < run->count; i++) {
		recorded_matches_free(run->ranks[i].matches);
		g_array_unref(run->ranks[i].numbers);
		g_array_unref(run->ranks[i].polls);
		g_array_unref(run->ranks[i].operations);
	}
	g_ptr_array_unref(run->remarks);
	trace_release(&run->trace);
	g_free(run->ranks);
	g_free(run->lost);
	g_free(run->path);
	g_free(run);
}

enum buffering recorded_run_buffering(const struct recorded_run *run)
{
	for (int i = 0; i < run->count; i++) {
		const struct recorded_matches *matches = run->ranks[i].matches;
		const struct recorded_call *last = followed_call(&run->ranks[i],
		                                                 matches->calls->len - 1);

		if (matches->cut && last && last->is_inside
		    && mpi_call_send_mode(last->function) == MPI_CALL_SEND_MODE_STANDARD)
			return BUFFERING_PER_SEND;
	}
	return BUFFERING_INFINITE;
}

/* --- along the recording ---------------------------------------------------------------------- */

const struct recorded_call *followed_next(const struct followed_rank *rank)
{
	const struct recorded_call *call;

	for (guint at = rank->at; (call = followed_call(rank, at)); at++)
		if (call->not_yet == 0)
			return call;
	return NULL;
}

guint64 followed_not_yet(const struct followed_rank *rank)
{
	const struct recorded_call *call;
	guint64 count = 0;

	for (guint at = rank->at; (call = followed_call(rank, at)) && call->not_yet > 0; at++)
		count += call->not_yet;
	return count > rank->used ? count - rank->used : 0;
}

guint32 followed_number(const struct followed_rank *rank, guint32 call)
{
	return call < rank->numbers->len ? g_array_index(rank->numbers, guint32, call) : 0;
}

const struct followed_operation *followed_find(const struct followed_rank *rank, guint32 call,
                                               guint32 sub)
{
	const struct followed_operation *all =
		(const struct followed_operation *)(const void *)rank->operations->data;
	guint low = 0, high = rank->operations->len, first;

	while (low < high) {
		const guint middle = low + (high - low) / 2;

		if (all[middle].name.call < call)
			low = middle + 1;
		else
			high = middle;
	}
	first = low;
	while (low < rank->operations->len && all[low].name.call == call
	       && all[low].name.sub != sub)
		low++;
	if (low < rank->operations->len && all[low].name.call == call)
		return &all[low];
	return first < rank->operations->len && all[first].name.call == call
	                       && !all[first].is_one_of_many
	               ? &all[first]
	               : NULL;
}

const struct recorded_report *followed_report(const struct recorded_run *run, int number,
                                              struct wire_name name, int *ret_source)
{
	const struct followed_rank *rank = &run->ranks[number];
	const guint32 start = followed_number(rank, name.call);
	const struct followed_operation *operation = followed_find(rank, name.call, name.sub);
	const struct recorded_report *report = NULL;

	*ret_source = -1;
	/* The parts of other calls than MPI_Startall are a message each way, or one. */
	if (start > 0 && operation)
		report = recorded_matches_of(rank->matches, start,
		                             operation->is_one_of_many ? name.sub : 0);
	if (report && operation && report->source >= 0)
		*ret_source = communicators_to_world(run->comms, operation->comm, number,
		                                     report->source);
	return report;
}

static void lose(struct recorded_run *run, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void lose(struct recorded_run *run, const char *format, ...)
{
	va_list arguments;

	if (run->lost)
		return;
	va_start(arguments, format);
	run->lost = g_strdup_vprintf(format, arguments);
	va_end(arguments);
}

static void set_number(struct followed_rank *rank, guint32 call, guint32 number)
{
	if (call >= rank->numbers->len)
		g_array_set_size(rank->numbers, call + 1);
	g_array_index(rank->numbers, guint32, call) = number;
}

static void skip_polls(struct followed_rank *rank)
{
	const struct recorded_call *call;

	while ((call = followed_call(rank, rank->at)) && call->not_yet > 0) {
		rank->polls_recorded += call->not_yet;
		rank->at++;
	}
	rank->used = 0;
}

/* The rank has left its present call. */
static void leave_call(struct followed_rank *rank)
{
	const struct recorded_call *call = followed_call(rank, rank->at);

	if (rank->call == 0 || rank->is_uncounted)
		return;
	if (rank->is_poll && !rank->said_yes) {
		rank->polls_here++;
		if (call && call->not_yet > 0 && ++rank->used >= call->not_yet) {
			rank->polls_recorded += call->not_yet;
			rank->used = 0;
			rank->at++;
		}
		return;
	}
	skip_polls(rank);
	call = followed_call(rank, rank->at);
	if (rank->is_poll && call)
		set_number(rank, rank->call, call->number);
	if (call)
		rank->at++;
	g_array_set_size(rank->polls, 0);
}

static void note_operations(struct followed_rank *rank, const struct wire_call *call)
{
	for (guint i = 0; i < call->op_count; i++) {
		const struct wire_op *op = &call->ops[i];
		const struct followed_operation operation = {op->name, op->comm,
		                                             call->function == MPI_CALL_Startall};

		if (op->kind == WIRE_RECEIVE || op->kind == WIRE_PROBE || op->kind == WIRE_MPROBE)
			g_array_append_val(rank->operations, operation);
	}
}

static void note_poll(struct followed_rank *rank, const struct wire_call *call)
{
	struct followed_poll poll = {.call = call->call, .function = call->function};
	guint64 hash = mix(0, call->function);

	for (guint i = 0; i < call->waited_count && call->op_count == 0; i++)
		hash = mix(mix(hash, call->waited[i].call), call->waited[i].sub);
	if (call->op_count > 0) {
		poll.peer = call->ops[0].peer;
		poll.tag = call->ops[0].tag;
		hash = mix(mix(mix(hash, (guint32)poll.peer), (guint32)poll.tag),
		           call->ops[0].comm);
	} else if (call->waited_count > 0) {
		poll.first = call->waited[0];
	}
	poll.question = mix(hash, call->site);
	if (rank->polls->len >= POLLS_MOST)
		g_array_remove_range(rank->polls, 0, POLLS_MOST / 2);
	g_array_append_val(rank->polls, poll);
}

/* The same function; those with large counts may be controlled as the others. */
static bool is_function(guint32 recorded, guint32 function)
{
	const char *one = mpi_call_name(recorded), *other = mpi_call_name(function);
	const gsize length = strlen(other);

	return g_str_equal(one, other)
	       || (strncmp(one, other, length) == 0 && g_str_equal(one + length, "_c"));
}

static void begin_again(struct recorded_run *run, struct execution *execution)
{
	run->execution = execution;
	run->matches = run->followed = run->untold = 0;
	g_clear_pointer(&run->lost, g_free);
	g_clear_pointer(&run->path, g_free);
	run->is_over = false;
	for (int i = 0; i < run->count; i++) {
		struct followed_rank *rank = &run->ranks[i];

		rank->at = 0;
		rank->used = rank->call = rank->function = 0;
		rank->is_poll = rank->said_yes = false;
		rank->polls_here = rank->polls_recorded = 0;
		g_array_set_size(rank->numbers, 0);
		g_array_set_size(rank->polls, 0);
		g_array_set_size(rank->operations, 0);
	}
}

/* Only MPI knows the answer of a poll for requests of files, or of accesses to windows. If the same
 * poll comes again, where the recording goes on with another call, it was "not yet". */
static bool was_not_yet(const struct followed_rank *rank, const struct wire_call *next)
{
	const struct recorded_call *call;
	guint at = rank->at;

	if (!rank->is_of_mpis || next->function != rank->function || next->site != rank->site)
		return false;
	while ((call = followed_call(rank, at)) && call->not_yet > 0)
		at++;
	for (at++; (call = followed_call(rank, at)) && call->not_yet > 0;)
		at++;
	return call && call->function != next->function;
}

static void see_call(struct strategy *strategy, struct execution *execution, int number,
                     const struct wire_call *call)
{
	struct recorded_run *run = (struct recorded_run *)strategy;
	struct followed_rank *rank = &run->ranks[number];
	const struct recorded_call *recorded;

	if (execution != run->execution || call->call < rank->call)
		begin_again(run, execution);
	if (call->call == rank->call) { /* the next step of the call */
		note_operations(rank, call);
		return;
	}
	if (was_not_yet(rank, call))
		rank->said_yes = false;
	leave_call(rank);
	rank->call = call->call;
	rank->function = call->function;
	rank->site = call->site;
	rank->is_poll = mpi_call_asks(call->function);
	/* Of nothing, or of what only MPI knows: it answers at once. */
	rank->is_of_mpis = rank->is_poll && call->waited_count == 0 && call->op_count == 0;
	rank->said_yes = rank->is_of_mpis;
	rank->is_uncounted = !mpi_call_counts(call->function);
	if (rank->is_uncounted)
		return;
	note_operations(rank, call);
	if (rank->is_poll) {
		note_poll(rank, call);
		return;
	}
	skip_polls(rank);
	recorded = followed_call(rank, rank->at);
	if (!recorded)
		return;
	set_number(rank, call->call, recorded->number);
	if (!is_function(recorded->function, call->function))
		lose(run, "rank %d: call %u was %s in the recording, and is %s (call %u) here",
		     number, recorded->number, mpi_call_name(recorded->function),
		     mpi_call_name(call->function), call->call);
}

static void see_answer(struct strategy *strategy, int number, const struct wire_go *go)
{
	struct followed_rank *rank = &((struct recorded_run *)strategy)->ranks[number];

	/* What only MPI knows is not in an answer. */
	if (rank->call == go->call && rank->is_poll && !rank->is_of_mpis)
		rank->said_yes = go->count > 0;
}

/* --- the strategy ----------------------------------------------------------------------------- */

static void tell_path(struct recorded_run *run)
{
	struct position *position = execution_position(run->execution);

	g_free(run->path);
	run->path = path_print(position_path(position));
	position_free(position);
}

/* Why none of the open points can be decided as in the recording. */
static void lose_at(struct recorded_run *run, const struct open_choice *open)
{
	const int number = open->point.rank;
	const struct followed_rank *rank = &run->ranks[number];
	const struct recorded_call *next = followed_next(rank);
	const struct recorded_report *report;
	g_autofree char *taken = taken_print(&g_array_index(open->alternatives, struct taken, 0));
	int source;

	report = followed_report(run, number, (struct wire_name){open->point.call, open->point.sub},
	                         &source);
	if (report)
		lose(run,
		     "rank %d: call %u has taken the message of rank %d in the recording; here it "
		     "could only take %s",
		     number, open->point.call, source, taken);
	else
		lose(run,
		     "rank %d: call %u, %s, was answered otherwise in the recording (there, call "
		     "%u, %s, comes next); here it could only take %s",
		     number, open->point.call, mpi_call_name(rank->function),
		     next ? next->number : 0, next ? mpi_call_name(next->function) : "none", taken);
}

/* A rank that has not come to the end of its recording. */
static void look_for_rest(struct recorded_run *run)
{
	for (int i = 0; i < run->count; i++) {
		struct followed_rank *rank = &run->ranks[i];
		const struct recorded_call *next;

		/* It stands in its last call, or has left it. */
		leave_call(rank);
		rank->call = 0;
		next = followed_next(rank);
		if (next)
			lose(run, "rank %d ends here before call %u of the recording, %s", i,
			     next->number, mpi_call_name(next->function));
	}
}

/* Whether no rank is in what was recorded of it, though some recording was cut. */
static bool is_beyond(const struct recorded_run *run)
{
	bool is_cut = false;

	for (int i = 0; i < run->count; i++) {
		const struct followed_rank *rank = &run->ranks[i];
		const bool cut = rank->matches->cut != NULL;

		if (rank->at + !cut < rank->matches->calls->len)
			return false;
		is_cut |= cut;
	}
	return is_cut;
}

static enum explorer_step end(struct recorded_run *run, const struct trace *trace)
{
	trace_copy(&run->trace, trace);
	followed_compare(run);
	look_for_rest(run);
	tell_path(run);
	return EXPLORER_DONE;
}

static enum explorer_step decide(struct strategy *strategy, const struct trace *trace,
                                 const GArray *open, struct choice *ret_choice)
{
	struct recorded_run *run = (struct recorded_run *)strategy;
	const struct open_choice *free = NULL, *waits = NULL;

	if (!open || run->lost)
		return EXPLORER_DROP;
	if (open->len == 0)
		return end(run, trace);
	if (is_beyond(run)) {
		run->is_over = true;
		end(run, trace);
		return EXPLORER_DROP;
	}
	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		ret_choice->point = one->point;
		switch (followed_decide(run, one, &ret_choice->taken)) {
		case FOLLOWED_TAKE: return EXPLORER_TAKE;
		case FOLLOWED_FREE: free = free ? free : one; break;
		case FOLLOWED_NOT_YET: waits = waits ? waits : one; break;
		case FOLLOWED_LATER: break;
		}
	}
	if (waits || free) {
		run->untold += !waits;
		ret_choice->point = (waits ? waits : free)->point;
		ret_choice->taken = waits ? taken_plain(TAKEN_NO)
		                          : g_array_index(free->alternatives, struct taken, 0);
		return EXPLORER_TAKE;
	}
	lose_at(run, &g_array_index(open, struct open_choice, 0));
	return EXPLORER_DROP;
}

static GArray *no_plan(struct strategy *strategy)
{
	struct recorded_run *run = (struct recorded_run *)strategy;

	if (run->execution)
		return NULL;
	return g_array_new(false, false, sizeof(struct choice));
}

static void keep(struct strategy *strategy)
{
	(void)strategy; /* the run's owner frees it */
}

struct strategy *recorded_run_strategy(void *user, const struct communicators *comms)
{
	struct recorded_run *run = user;

	run->comms = comms;
	run->execution = NULL;
	run->strategy = (struct strategy){.fills_gaps = true,
	                                  .next = no_plan,
	                                  .rest = decide,
	                                  .called = see_call,
	                                  .answered = see_answer,
	                                  .free = keep};
	return &run->strategy;
}

void recorded_run_set_patient(struct recorded_run *run, bool is_patient)
{
	run->is_patient = is_patient;
}

struct recorded_run_result recorded_run_result(const struct recorded_run *run)
{
	return (struct recorded_run_result){.lost = run->lost,
	                                    .matches = run->matches,
	                                    .followed = run->followed,
	                                    .is_over = run->is_over,
	                                    .path = run->path,
	                                    .trace = &run->trace};
}
