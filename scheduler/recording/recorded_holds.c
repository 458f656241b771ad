#include "recorded_holds.h"

#include <stdlib.h>
#include <string.h>

#include "common/recording_steps.h"
#include "common/wire.h"
#include "mpi_calls.h"

struct reading {
	const struct recorded_logs *logs;
	struct record_execution *execution;
	guint *first;            /* by rank: index of its first call; then the end */
	GHashTable **sends;      /* by rank: guint64 call << 32 | part, to struct record_match */
	GHashTable *collectives; /* its number to GPtrArray of struct record_call */
	GPtrArray *holds;
	guint64 count;
};

static const struct recorded_matches *matches_of(const struct reading *reading, int rank)
{
	return g_ptr_array_index(reading->logs->matches, (guint)rank);
}

static const struct record_call *call_at(const struct reading *reading, guint at)
{
	return &g_array_index(reading->execution->calls, struct record_call, at);
}

/* NULL: there is no such call. */
static const struct record_call *find_call(const struct reading *reading, int rank, guint32 number)
{
	guint low = reading->first[rank], high = reading->first[rank + 1];

	while (low < high) {
		const guint middle = low + (high - low) / 2;

		if (call_at(reading, middle)->call < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reading->first[rank + 1] && call_at(reading, low)->call == number
	               ? call_at(reading, low)
	               : NULL;
}

/* What the log has of the call; NULL: nothing. *ret_details may be NULL itself. */
static const struct recorded_call *find_recorded(const struct reading *reading, int rank,
                                                 guint32 number,
                                                 const struct recorded_details **ret_details)
{
	const struct recorded_matches *matches = matches_of(reading, rank);
	const guint at = recorded_matches_find(matches, number);

	if (at >= matches->calls->len)
		return NULL;
	*ret_details = &g_array_index(matches->details, struct recorded_details, at);
	return &g_array_index(matches->calls, struct recorded_call, at);
}

static void add(struct reading *reading, int rank, guint32 call, int peer, guint32 until)
{
	const struct recording_hold hold = {call, (guint32)peer, until};

	if (peer == rank)
		return;
	reading->count++;
	g_array_append_val((GArray *)reading->holds->pdata[rank], hold);
}

/* --- messages --------------------------------------------------------------------------------- */

static gint64 *key_of(guint32 call, guint32 part)
{
	gint64 key = (gint64)((guint64)call << 32 | part);

	return g_memdup2(&key, sizeof(key));
}

/* A call that sends and receives has the receive as its second part, but one report. A message that
 * a probe has taken comes with the probe. */
static void take_match(struct reading *reading, const struct record_match *match)
{
	const struct recorded_details *details;
	const struct recorded_call *call = find_recorded(reading, match->rank, match->call,
	                                                 &details);

	if (call && (call->function == MPI_CALL_Mprobe || call->function == MPI_CALL_Improbe))
		add(reading, match->rank, match->call, match->source, match->send_call);
	else if (call)
		g_hash_table_replace(reading->sends[match->rank],
		                     key_of(match->call, details->count > 0 ? match->sub : 0),
		                     (gpointer)(uintptr_t)match);
}

/* --- collectives ------------------------------------------------------------------------------ */

/* The place of a rank in "2,0|1": *ret_group is 0 or 1. -1: it has none. */
static int place_in(const char *group, int rank, int *ret_group)
{
	int place = 0;

	*ret_group = 0;
	while (group && *group) {
		char *end;

		if (strtol(group, &end, 10) == rank)
			return place;
		place++;
		*ret_group += *end == '|';
		group = *end ? end + 1 : end;
	}
	return -1;
}

/* Between two groups the root is named by its own call alone. */
static bool is_root(const struct reading *reading, const struct record_call *call)
{
	const struct recorded_details *details;

	return find_recorded(reading, call->rank, call->call, &details)
	       && details->has & 1u << RECORDED_ROOT
	       && details->values[RECORDED_ROOT] == WIRE_ROOT_ITSELF;
}

/* Whether a call gives what another call of the same collective gives to MPI. */
static bool needs(const struct reading *reading, const struct record_call *call,
                  const struct record_call *other)
{
	int group, other_group;
	const int place = place_in(call->communicator_group, call->rank, &group),
		  other_place = place_in(other->communicator_group, other->rank, &other_group);
	const bool has_two = strchr(call->communicator_group ? call->communicator_group : "", '|');

	if (place < 0 || other_place < 0 || (has_two && group == other_group))
		return false;
	switch (call->waits) {
	case RECORD_WAIT_ALL: return true;
	case RECORD_WAIT_ROOT: return has_two ? is_root(reading, other) : other->rank == call->peer;
	case RECORD_WAIT_LOWER: return other_place < place;
	default: return has_two && is_root(reading, call);
	}
}

/* Whether it is known whose data a collective gives. A root that sends to the other group gets
 * none; who the neighbors in a topology are is not in the log. */
static bool is_known(const struct reading *reading, const struct record_call *call)
{
	const struct recorded_details *details;
	const struct recorded_call *recorded = find_recorded(reading, call->rank, call->call,
	                                                     &details);
	const GArray *prepared = matches_of(reading, call->rank)->prepared;

	if (call->collective == 0 || (call->waits == RECORD_WAIT_ROOT && is_root(reading, call)))
		return false;
	if (recorded && details->count > 0)
		recorded = find_recorded(reading, call->rank,
		                         g_array_index(prepared, guint32, details->first),
		                         &details);
	return recorded && !mpi_call_is_neighborhood(recorded->function);
}

static void hold_for_collective(struct reading *reading, const struct record_call *call, guint32 at)
{
	const GPtrArray *others = g_hash_table_lookup(reading->collectives,
	                                              GUINT_TO_POINTER(call->collective));

	if (!is_known(reading, call))
		return;
	for (guint i = 0; i < others->len && reading->count <= RECORDED_HOLDS_MOST; i++) {
		const struct record_call *other = others->pdata[i];

		if (needs(reading, call, other))
			add(reading, call->rank, at, other->rank, other->call);
	}
}

/* --- calls ------------------------------------------------------------------------------------ */

/* What has begun in call `start` is given by call `at`. */
static void hold_for_report(struct reading *reading, int rank, guint32 at,
                            const struct recorded_report *report)
{
	g_autofree gint64 *key = key_of(report->start, report->sub);
	const struct record_match *match = g_hash_table_lookup(reading->sends[rank], key);
	const struct record_call *call = find_call(reading, rank, report->start);

	if (match)
		add(reading, rank, at, match->source, match->send_call);
	else if (call && report->start != at && report->sub == 0)
		hold_for_collective(reading, call, at);
}

static void read_call(struct reading *reading, int rank, guint index)
{
	const struct recorded_matches *matches = matches_of(reading, rank);
	const struct recorded_call *recorded = &g_array_index(matches->calls, struct recorded_call,
	                                                      index);
	const bool starts_others =
		g_array_index(matches->details, struct recorded_details, index).count > 0;
	const struct record_call *call = find_call(reading, rank, recorded->number);

	if (recorded->is_inside || recorded->not_yet > 0 || !call)
		return;
	for (guint i = 0; i < recorded->count; i++)
		hold_for_report(reading, rank, recorded->number,
		                &g_array_index(matches->reports, struct recorded_report,
		                               recorded->first + i));
	if (call->kind == RECORD_CALL_COLLECTIVE && !mpi_call_leaves_request(recorded->function)
	    && !starts_others)
		hold_for_collective(reading, call, recorded->number);
}

static gint compare(gconstpointer one, gconstpointer other)
{
	const struct recording_hold *a = one, *b = other;

	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void free_calls(void *calls)
{
	g_ptr_array_unref(calls);
}

static void free_holds(void *holds)
{
	g_array_unref(holds);
}

static void reading_begin(struct reading *reading)
{
	const GArray *calls = reading->execution->calls;
	const int ranks = reading->logs->ranks;

	reading->first = g_new0(guint, ranks + 1);
	reading->sends = g_new0(GHashTable *, ranks);
	reading->holds = g_ptr_array_new_with_free_func(free_holds);
	reading->collectives = g_hash_table_new_full(NULL, NULL, NULL, free_calls);
	for (int rank = 0; rank < ranks; rank++) {
		reading->sends[rank] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
		                                             NULL);
		g_ptr_array_add(reading->holds,
		                g_array_new(false, false, sizeof(struct recording_hold)));
	}
	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *call = call_at(reading, i);
		gpointer number = GUINT_TO_POINTER(call->collective);

		reading->first[call->rank + 1] = i + 1;
		if (number && !g_hash_table_contains(reading->collectives, number))
			g_hash_table_insert(reading->collectives, number, g_ptr_array_new());
		if (number)
			g_ptr_array_add(g_hash_table_lookup(reading->collectives, number),
			                (gpointer)(uintptr_t)call);
	}
	for (int rank = 0; rank < ranks; rank++)
		reading->first[rank + 1] = MAX(reading->first[rank + 1], reading->first[rank]);
}

static void reading_clear(struct reading *reading)
{
	for (int rank = 0; rank < reading->logs->ranks; rank++)
		g_hash_table_unref(reading->sends[rank]);
	g_free(reading->sends);
	g_free(reading->first);
	g_hash_table_unref(reading->collectives);
	record_execution_free(reading->execution);
}

GPtrArray *recorded_holds(const struct recorded_logs *given)
{
	g_autoptr(GArray) probes = g_array_new(false, false, sizeof(struct record_match));
	g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
	struct recorded_logs logs = *given;
	struct reading reading = {.logs = &logs};

	logs.probes = probes;
	logs.skips_polls = true;
	reading.execution = recorded_execution(&logs, notes);
	reading_begin(&reading);
	for (guint i = 0; i < reading.execution->matches->len; i++)
		take_match(&reading,
		           &g_array_index(reading.execution->matches, struct record_match, i));
	for (guint i = 0; i < probes->len; i++) {
		const struct record_match *found = &g_array_index(probes, struct record_match, i);

		add(&reading, found->rank, found->call, found->source, found->send_call);
	}
	for (int rank = 0; rank < logs.ranks; rank++) {
		const struct recorded_matches *matches = matches_of(&reading, rank);

		for (guint i = 0; matches && i < matches->calls->len; i++)
			read_call(&reading, rank, i);
		g_array_sort(reading.holds->pdata[rank], compare);
	}
	reading_clear(&reading);
	if (reading.count <= RECORDED_HOLDS_MOST)
		return reading.holds;
	g_ptr_array_unref(reading.holds);
	return NULL;
}
