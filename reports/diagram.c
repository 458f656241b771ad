#include "diagram.h"

#include <string.h>

#include "words.h"

struct key {
	int32_t rank;
	uint32_t call;
};

static guint key_hash(gconstpointer pointer)
{
	const struct key *key = pointer;

	return (guint)key->rank * 2654435761u ^ key->call;
}

static gboolean key_equal(gconstpointer one, gconstpointer other)
{
	return memcmp(one, other, sizeof(struct key)) == 0;
}

static struct record_call *call_at(const struct diagram *diagram, guint index)
{
	return &g_array_index(diagram->execution->calls, struct record_call, index);
}

gint64 diagram_call(const struct diagram *diagram, int32_t rank, uint32_t call)
{
	const struct key key = {rank, call};

	return (gint64)GPOINTER_TO_SIZE(g_hash_table_lookup(diagram->index, &key)) - 1;
}

gint64 diagram_match(const struct diagram *diagram, const struct record_match *match,
                     gint64 *receive, gint64 *send)
{
	const struct record_call *call;

	*receive = diagram_call(diagram, match->rank, match->call);
	*send = diagram_call(diagram, match->source, match->send_call);
	if (*receive < 0)
		return -1;
	call = call_at(diagram, (guint)*receive);
	return call->completed ? diagram_call(diagram, match->rank, call->completed) : -1;
}

bool diagram_meets(const struct record_call *call)
{
	return call->collective > 0 && call->completed == call->call;
}

const struct record_choice *diagram_choice(const struct diagram *diagram,
                                           const struct record_call *call)
{
	for (guint i = 0; i < diagram->execution->choices->len; i++) {
		const struct record_choice *choice = g_ptr_array_index(diagram->execution->choices,
		                                                       i);

		if (choice->rank == call->rank && choice->call == call->call)
			return choice;
	}
	return NULL;
}

/* Puts the calls in order. Each rank starts its next call when it has left the previous one. It
 * leaves a call when everything that the call needs has started. */
struct ordering {
	struct diagram *diagram;
	guint *cursor, *end; /* by rank: index of the call that it is in, and the end of its
	                        calls */
	guint ranks;
	bool *started;       /* by call */
	GArray **needs;      /* guint, by call; NULL: none: sends that must have started */
	GHashTable *missing; /* collective to the number of members that have not started it */
};

static void start(struct ordering *ordering, guint rank)
{
	const struct record_call *call;
	gpointer number;

	if (ordering->cursor[rank] == ordering->end[rank])
		return;
	call = call_at(ordering->diagram, ordering->cursor[rank]);
	ordering->started[ordering->cursor[rank]] = true;
	if (!diagram_meets(call))
		return;
	number = GUINT_TO_POINTER(call->collective);
	g_hash_table_insert(
		ordering->missing, number,
		GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(ordering->missing, number))
	                         - 1));
}

static bool ready(const struct ordering *ordering, guint index)
{
	const struct record_call *call = call_at(ordering->diagram, index);
	const GArray *needs = ordering->needs[index];

	for (guint i = 0; needs && i < needs->len; i++) {
		if (!ordering->started[g_array_index(needs, guint, i)])
			return false;
	}
	return !diagram_meets(call)
	       || !g_hash_table_lookup(ordering->missing, GUINT_TO_POINTER(call->collective));
}

static void leave(struct ordering *ordering, guint rank)
{
	g_array_append_val(ordering->diagram->order, ordering->cursor[rank]);
	ordering->cursor[rank]++;
	start(ordering, rank);
}

/* The rank leaves its call. If that is a collective, the other members leave it too. */
static void leave_together(struct ordering *ordering, guint rank)
{
	const struct record_call *call = call_at(ordering->diagram, ordering->cursor[rank]);
	uint32_t collective = diagram_meets(call) ? call->collective : 0;

	leave(ordering, rank);
	for (guint other = 0; collective > 0 && other < ordering->ranks; other++) {
		if (ordering->cursor[other] == ordering->end[other])
			continue;
		call = call_at(ordering->diagram, ordering->cursor[other]);
		if (other != rank && diagram_meets(call) && call->collective == collective)
			leave(ordering, other);
	}
}

static void order(struct ordering *ordering)
{
	const GArray *calls = ordering->diagram->execution->calls;

	for (guint rank = 0; rank < ordering->ranks; rank++)
		start(ordering, rank);
	while (ordering->diagram->order->len < calls->len) {
		guint before = ordering->diagram->order->len;

		for (guint rank = 0; rank < ordering->ranks; rank++) {
			while (ordering->cursor[rank] < ordering->end[rank]
			       && ready(ordering, ordering->cursor[rank]))
				leave_together(ordering, rank);
		}
		/* A sound store always has a call that is ready. Go on even if this one is
		 * damaged. */
		for (guint rank = 0;
		     rank < ordering->ranks && before == ordering->diagram->order->len; rank++) {
			if (ordering->cursor[rank] < ordering->end[rank])
				leave(ordering, rank);
		}
	}
}

static void find_needs(struct ordering *ordering)
{
	struct diagram *diagram = ordering->diagram;
	const struct record_execution *execution = diagram->execution;

	for (guint i = 0; i < execution->matches->len; i++) {
		gint64 receive, send;
		gint64 done = diagram_match(
			diagram, &g_array_index(execution->matches, struct record_match, i),
			&receive, &send);
		guint index = (guint)send;

		if (done < 0 || send < 0)
			continue;
		if (!ordering->needs[done])
			ordering->needs[done] = g_array_new(false, false, sizeof(guint));
		g_array_append_val(ordering->needs[done], index);
	}
	for (guint i = 0; i < execution->calls->len; i++) {
		const struct record_call *call = call_at(diagram, i);
		gpointer number = GUINT_TO_POINTER(call->collective);
		guint members = GPOINTER_TO_UINT(g_hash_table_lookup(ordering->missing, number));

		if (diagram_meets(call))
			g_hash_table_insert(ordering->missing, number,
			                    GUINT_TO_POINTER(members + 1));
	}
}

static void order_calls(struct diagram *diagram)
{
	const GArray *calls = diagram->execution->calls;
	struct ordering ordering = {
		.diagram = diagram,
		.cursor = g_new0(guint, calls->len),
		.end = g_new0(guint, calls->len),
		.started = g_new0(bool, calls->len),
		.needs = g_new0(GArray *, calls->len),
		.missing = g_hash_table_new(NULL, NULL),
	};

	for (guint i = 0; i < calls->len; i++) {
		if (i == 0 || call_at(diagram, i)->rank != call_at(diagram, i - 1)->rank)
			ordering.cursor[ordering.ranks++] = i;
		ordering.end[ordering.ranks - 1] = i + 1;
	}
	find_needs(&ordering);
	order(&ordering);
	for (guint i = 0; i < calls->len; i++) {
		if (ordering.needs[i])
			g_array_unref(ordering.needs[i]);
	}
	g_hash_table_unref(ordering.missing);
	g_free(ordering.needs);
	g_free(ordering.started);
	g_free(ordering.cursor);
	g_free(ordering.end);
}

static void find_ranks(struct diagram *diagram)
{
	const struct record_execution *execution = diagram->execution;
	GArray *all = g_array_new(false, false, sizeof(int32_t));

	for (guint i = 0; i < execution->calls->len; i++)
		g_array_append_val(all, call_at(diagram, i)->rank);
	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);

		g_array_append_val(all, match->rank);
		g_array_append_val(all, match->source);
	}
	for (guint i = 0; i < execution->ranks->len; i++)
		g_array_append_val(all, ((struct record_rank *)execution->ranks->pdata[i])->rank);
	g_array_sort(all, words_compare_ranks);
	for (guint i = 0; i < all->len; i++) {
		int32_t rank = g_array_index(all, int32_t, i);

		if (i == 0 || rank != g_array_index(all, int32_t, i - 1))
			g_array_append_val(diagram->ranks, rank);
	}
	g_array_unref(all);
}

struct record_execution *diagram_choose(struct store_reader *reader, uint32_t id, GError **error)
{
	const GPtrArray *findings = store_reader_findings(reader);

	/* What shows in a replay or without control alone has no interleaving. */
	for (guint i = 0; id == 0 && i < findings->len; i++) {
		const struct record_finding *finding = g_ptr_array_index(findings, i);
		g_autoptr(GError) problem = NULL;
		struct record_execution *example = store_reader_example(reader, finding->id,
		                                                        &problem);

		if (example)
			return example;
		if (!g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING)) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return NULL;
		}
	}
	return store_reader_execution(reader, id ? id : 1, error);
}

bool diagram_init(struct diagram *diagram, struct store_reader *reader,
                  const struct report_options *options, guint most, GError **error)
{
	struct record_execution *execution = diagram_choose(reader, options->execution, error);
	bool none = false, yes = true;

	*diagram = (struct diagram){.execution = execution};
	if (!execution)
		return false;
	diagram->ranks = g_array_new(false, false, sizeof(int32_t));
	diagram->order = g_array_new(false, false, sizeof(guint));
	diagram->shown = g_array_new(false, true, sizeof(bool));
	diagram->index = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	if (execution->findings->len > 0)
		diagram->finding = store_reader_finding(
			reader, g_array_index(execution->findings, uint32_t, 0));
	for (guint i = 0; i < execution->calls->len; i++) {
		const struct record_call *call = call_at(diagram, i);
		const struct key key = {call->rank, call->call};

		g_hash_table_insert(diagram->index, g_memdup2(&key, sizeof(key)),
		                    GSIZE_TO_POINTER((gsize)i + 1));
		g_array_append_val(diagram->shown, none);
	}
	order_calls(diagram);
	find_ranks(diagram);
	diagram->first = diagram->order->len > most ? diagram->order->len - most : 0;
	for (guint i = diagram->first; i < diagram->order->len; i++)
		g_array_index(diagram->shown, bool, g_array_index(diagram->order, guint, i)) = yes;
	return true;
}

void diagram_release(struct diagram *diagram)
{
	if (!diagram->execution)
		return;
	g_array_unref(diagram->ranks);
	g_array_unref(diagram->order);
	g_array_unref(diagram->shown);
	g_hash_table_unref(diagram->index);
	record_execution_free(diagram->execution);
}

char *diagram_left_out(const struct diagram *diagram, const struct record_exploration *exploration)
{
	g_autofree char *again = NULL;

	if (diagram->execution->calls->len == 0) {
		again = words_again(diagram->execution->path, exploration);
		return g_strdup_printf(
			"the calls of interleaving %u were not kept; to keep them: %s",
			diagram->execution->id, again);
	}
	if (diagram->first > 0)
		return g_strdup_printf("%u earlier calls are left out", diagram->first);
	return NULL;
}
