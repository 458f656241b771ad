#include "recorded_ends.h"

#include "mpi_calls.h"

struct reading {
	const struct recorded_logs *logs;
	const struct recorded_comms *comms;
	const guint *first;
	struct record_execution *execution;
};

static const struct recorded_matches *matches_of(const struct reading *reading, int rank)
{
	return g_ptr_array_index(reading->logs->matches, (guint)rank);
}

/* --- what it waited for ----------------------------------------------------------------------- */

/* The rank's last call; NULL: it has none. */
static const struct record_call *last_call(const struct reading *reading, int rank)
{
	const GArray *calls = reading->execution->calls;
	const guint end = reading->first[rank + 1];

	return end > reading->first[rank] ? &g_array_index(calls, struct record_call, end - 1)
	                                  : NULL;
}

static bool stands_in(const struct reading *reading, int rank)
{
	const struct recorded_matches *matches = matches_of(reading, rank);

	return matches && !matches->lost && matches->calls->len > 0
	       && g_array_index(matches->calls, struct recorded_call, matches->calls->len - 1)
	                  .is_inside;
}

static char *arguments_of(const struct record_call *call)
{
	GString *text = g_string_new(NULL);
	const char *name = call->kind == RECORD_CALL_SEND         ? "dest"
	                   : call->kind == RECORD_CALL_COLLECTIVE ? "root"
	                                                          : "source";
	const bool is_message = call->kind == RECORD_CALL_SEND || call->kind == RECORD_CALL_RECEIVE
	                        || call->kind == RECORD_CALL_PROBE
	                        || call->kind == RECORD_CALL_MPROBE;

	if (call->peer_given >= 0)
		g_string_append_printf(text, "%s=%d", name, call->peer_given);
	else if (is_message && call->kind != RECORD_CALL_SEND)
		g_string_append(text, "ANY_SOURCE");
	if (is_message && call->tag >= 0)
		g_string_append_printf(text, "%stag=%d", text->len > 0 ? ", " : "", call->tag);
	if (call->communicator > 1)
		g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "",
		                       call->communicator_name);
	return g_string_free(text, false);
}

/* The members of its collective that have not come to it, as far as is recorded. */
static void add_absent(const struct reading *reading, const struct record_call *call,
                       GArray *waits_for)
{
	const GArray *calls = reading->execution->calls;
	const struct recorded_comm *comm = recorded_comms_at(reading->comms, call->communicator);
	g_autofree bool *there = g_new0(bool, reading->logs->ranks);

	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *other = &g_array_index(calls, struct record_call, i);

		there[other->rank] |= other->collective == call->collective;
	}
	for (gint32 rank = 0; comm && rank < reading->logs->ranks; rank++)
		if (!there[rank] && matches_of(reading, rank) && recorded_comm_has(comm, rank))
			g_array_append_val(waits_for, rank);
}

/* Only what is sure: that a receive or probe waits for the rank that it names, and a collective for
 * members that have not come to it. */
static void set_waits(const struct reading *reading, const struct record_call *call,
                      struct record_rank *rank)
{
	if ((call->kind == RECORD_CALL_RECEIVE || call->kind == RECORD_CALL_PROBE
	     || call->kind == RECORD_CALL_MPROBE)
	    && call->peer >= 0)
		g_array_append_val(rank->waits_for, call->peer);
	else if (call->kind == RECORD_CALL_COLLECTIVE && call->collective > 0
	         && call->waits == RECORD_WAIT_ALL)
		add_absent(reading, call, rank->waits_for);
}

/* How the rank came to its end, or the recording to that of the rank; NULL: it stands in its last
 * call. */
static char *end_of(const struct reading *reading, int number)
{
	const struct recorded_matches *matches = matches_of(reading, number);
	const struct roll_call_entry *entry = reading->logs->ends->pdata[number];
	const char *name = mpi_call_name(entry->function);

	if (entry->is_missing)
		return g_strdup("left no log");
	if (!matches)
		return g_strdup("its log cannot be read");
	if (matches->lost || entry->damage)
		return g_strdup("what it did next cannot be read");
	if (entry->error)
		return g_strdup_printf("its log ends here: %s", g_strerror(entry->error));
	if (entry->refused)
		return g_strdup_printf("ended by the recorder: %s", entry->reason);
	if (entry->has_ended)
		return g_strdup("ended");
	if (stands_in(reading, number))
		return NULL;
	if (entry->call == 0)
		return g_strdup("had made no MPI call when the recording ended");
	return g_strdup_printf(entry->is_inside ? "stood in %s when the recording ended"
	                                        : "had returned from %s when the recording ended",
	                       name);
}

/* How it ended, and what it wrote, is not in the recording. */
static void add_process(struct record_execution *execution)
{
	const int32_t unknown = -1;

	g_array_append_val(execution->exits, unknown);
	g_ptr_array_add(execution->outputs, g_bytes_new(NULL, 0));
	g_ptr_array_add(execution->errors, g_bytes_new(NULL, 0));
}

static void add_rank(const struct reading *reading, int number)
{
	const struct record_call *call = last_call(reading, number);
	struct record_rank *rank = record_rank_new(number);

	rank->ended = end_of(reading, number);
	if (call) {
		rank->call = call->call;
		rank->function = call->function;
		rank->arguments = arguments_of(call);
		rank->place = call->place;
		if (!rank->ended)
			set_waits(reading, call, rank);
	}
	g_ptr_array_add(reading->execution->ranks, rank);
}

/* --- what is left out ------------------------------------------------------------------------- */

static void note_rank(const struct reading *reading, int rank, GPtrArray *notes)
{
	const struct recorded_matches *matches = matches_of(reading, rank);
	const struct roll_call_entry *entry = reading->logs->ends->pdata[rank];

	if (entry->is_missing)
		g_ptr_array_add(notes, g_strdup_printf("rank %d left no log: none of its calls are "
		                                       "shown",
		                                       rank));
	else if (entry->damage)
		g_ptr_array_add(notes, g_strdup_printf("rank %d: %s", rank, entry->damage));
	if (entry->error)
		g_ptr_array_add(notes,
		                g_strdup_printf("rank %d: the log ends in call %" G_GUINT64_FORMAT
		                                ": %s",
		                                rank, entry->last_call, g_strerror(entry->error)));
	if (matches && matches->lost && !entry->damage)
		g_ptr_array_add(notes, g_strdup_printf("rank %d: %s", rank, matches->lost));
	if (matches && matches->has_threads)
		g_ptr_array_add(notes, g_strdup_printf("rank %d: several of its threads call MPI, "
		                                       "and their calls are shown as those of one",
		                                       rank));
}

void recorded_ends_add(const struct recorded_logs *logs, const struct recorded_comms *comms,
                       const guint *first, struct record_execution *execution, GPtrArray *notes)
{
	const struct reading reading = {logs, comms, first, execution};

	for (int rank = 0; rank < logs->ranks; rank++) {
		add_rank(&reading, rank);
		add_process(execution);
		note_rank(&reading, rank, notes);
	}
}
