#include "timeline.h"

#include <string.h>

/* A graph whose vertices are steps. Call i has three: its beginning, the completion of what it
 * waits for, and its end. Each collective has one more vertex: all its members have begun. An
 * edge leads from an earlier step to a later one, with the least distance between them. The
 * times are the longest paths. */
enum step { ENTER, DONE, LEAVE, STEPS };

struct edge {
	guint to;
	guint distance;
};

struct graph {
	const struct record_execution *execution;
	GArray **edges; /* struct edge, by vertex; NULL: none */
	guint *missing; /* by vertex: edges to it from vertices without a time yet */
	guint64 *time;  /* by vertex; final once the vertex is settled */
	bool *settled;  /* by vertex */
	GQueue ready;   /* vertices */
	guint vertices;
	GHashTable *collectives; /* number to its vertex */
};

static const struct record_call *call_at(const GArray *calls, guint index)
{
	return &g_array_index(calls, struct record_call, index);
}

gint64 timeline_call(const GArray *calls, int32_t rank, uint32_t call)
{
	guint low = 0, high = calls->len;

	while (low < high) { /* find the first call that is not before the wanted one */
		guint middle = low + (high - low) / 2;
		const struct record_call *found = call_at(calls, middle);

		if (found->rank < rank || (found->rank == rank && found->call < call))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == calls->len || call_at(calls, low)->rank != rank
	    || call_at(calls, low)->call != call)
		return -1;
	return low;
}

/* The position of `wanted` in a group such as "2,0,1"; -1: it is not in it. *end is set to the
 * group's end, at `|` or the end of the string. */
static int32_t position_in(const char *group, int32_t wanted, const char **end)
{
	int32_t position = -1;

	for (int32_t i = 0; *group && *group != '|'; i++) {
		char *next;
		gint64 member = g_ascii_strtoll(group, &next, 10);

		if (next == group) { /* no number: the text is malformed, and has no further
		                        members */
			group += strcspn(group, "|");
			break;
		}
		if (member == wanted && position < 0)
			position = i;
		group = *next == ',' ? next + 1 : next;
	}
	*end = group;
	return position;
}

int32_t timeline_rank_in(const char *group, int32_t rank, int32_t peer)
{
	const char *end, *ignored;
	int32_t in_first = position_in(group, peer, &end);
	bool of_first;

	if (*end != '|')
		return in_first;
	of_first = position_in(group, rank, &ignored) >= 0;
	return of_first ? position_in(end + 1, peer, &ignored) : in_first;
}

static void add_edge(struct graph *graph, guint from, guint to, guint distance)
{
	const struct edge edge = {to, distance};

	if (!graph->edges[from])
		graph->edges[from] = g_array_new(false, false, sizeof(struct edge));
	g_array_append_val(graph->edges[from], edge);
	graph->missing[to]++;
}

/* The vertex at which this call's operation completes; -1: the rank never learns of the
 * completion. */
static gint64 completion(const struct graph *graph, const struct record_call *call)
{
	gint64 index = call->completed == 0 ? -1
	                                    : timeline_call(graph->execution->calls, call->rank,
	                                                    call->completed);

	return index < 0 ? -1 : index * STEPS + DONE;
}

static void add_calls(struct graph *graph)
{
	const GArray *calls = graph->execution->calls;

	for (guint i = 0; i < calls->len; i++) {
		add_edge(graph, i * STEPS + ENTER, i * STEPS + DONE, 1);
		add_edge(graph, i * STEPS + ENTER, i * STEPS + LEAVE, 1);
		add_edge(graph, i * STEPS + DONE, i * STEPS + LEAVE, 0);
		if (i > 0 && call_at(calls, i - 1)->rank == call_at(calls, i)->rank)
			add_edge(graph, (i - 1) * STEPS + LEAVE, i * STEPS + ENTER, 1);
	}
}

/* A receive completes after its send has begun. A send that waits for its receive completes
 * after that has begun. */
static void add_matches(struct graph *graph)
{
	const GArray *calls = graph->execution->calls;

	for (guint i = 0; i < graph->execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(graph->execution->matches,
		                                                  struct record_match, i);
		gint64 receive = timeline_call(calls, match->rank, match->call);
		gint64 send = timeline_call(calls, match->source, match->send_call);
		gint64 done;

		if (receive < 0 || send < 0)
			continue;
		done = completion(graph, call_at(calls, (guint)receive));
		if (done >= 0)
			add_edge(graph, (guint)send * STEPS + ENTER, (guint)done, 1);
		done = completion(graph, call_at(calls, (guint)send));
		if (done >= 0 && call_at(calls, (guint)send)->waits == RECORD_WAIT_MATCH)
			add_edge(graph, (guint)receive * STEPS + ENTER, (guint)done, 1);
	}
}

/* Whether `call` waits for this other member of its collective. */
static bool waits_for(const struct record_call *call, const struct record_call *member)
{
	const char *group = call->communicator_group;

	if (call->waits == RECORD_WAIT_ROOT)
		return member->rank == call->peer;
	return call->waits == RECORD_WAIT_LOWER && group
	       && timeline_rank_in(group, call->rank, member->rank)
	                  < timeline_rank_in(group, call->rank, call->rank);
}

static void add_member(struct graph *graph, GHashTable *members, guint index)
{
	const GArray *calls = graph->execution->calls;
	const struct record_call *call = call_at(calls, index);
	guint all = GPOINTER_TO_UINT(
		g_hash_table_lookup(graph->collectives, GUINT_TO_POINTER(call->collective)));
	gint64 done = completion(graph, call);
	const GArray *others = g_hash_table_lookup(members, GUINT_TO_POINTER(call->collective));

	add_edge(graph, index * STEPS + ENTER, all, 0);
	if (done >= 0 && call->waits == RECORD_WAIT_ALL)
		add_edge(graph, all, (guint)done, 1);
	for (guint i = 0; done >= 0 && i < others->len; i++) {
		guint other = g_array_index(others, guint, i);

		if (other != index && waits_for(call, call_at(calls, other)))
			add_edge(graph, other * STEPS + ENTER, (guint)done, 1);
	}
}

static void add_collectives(struct graph *graph, GHashTable *members)
{
	for (guint i = 0; i < graph->execution->calls->len; i++) {
		if (call_at(graph->execution->calls, i)->collective > 0)
			add_member(graph, members, i);
	}
}

/* The calls of each collective. Also creates the vertex of each collective. */
static GHashTable *find_members(struct graph *graph)
{
	const GArray *calls = graph->execution->calls;
	GHashTable *members = g_hash_table_new_full(NULL, NULL, NULL,
	                                            (GDestroyNotify)g_array_unref);

	for (guint i = 0; i < calls->len; i++) {
		gpointer number = GUINT_TO_POINTER(call_at(calls, i)->collective);
		GArray *found = g_hash_table_lookup(members, number);

		if (!number)
			continue;
		if (!found) {
			found = g_array_new(false, false, sizeof(guint));
			g_hash_table_insert(members, number, found);
			g_hash_table_insert(graph->collectives, number,
			                    GUINT_TO_POINTER(graph->vertices++));
		}
		g_array_append_val(found, i);
	}
	return members;
}

static void make_ready(struct graph *graph, guint vertex)
{
	if (graph->settled[vertex])
		return;
	graph->settled[vertex] = true;
	g_queue_push_tail(&graph->ready, GUINT_TO_POINTER(vertex));
}

static void reach(struct graph *graph, guint vertex, guint64 time)
{
	if (!graph->settled[vertex])
		graph->time[vertex] = MAX(graph->time[vertex], time);
	if (--graph->missing[vertex] == 0)
		make_ready(graph, vertex);
}

static void settle_ready(struct graph *graph)
{
	while (!g_queue_is_empty(&graph->ready)) {
		guint vertex = GPOINTER_TO_UINT(g_queue_pop_head(&graph->ready));
		const GArray *edges = graph->edges[vertex];

		for (guint i = 0; edges && i < edges->len; i++) {
			const struct edge *edge = &g_array_index(edges, struct edge, i);

			reach(graph, edge->to, graph->time[vertex] + edge->distance);
		}
	}
}

/* Whether this call is the last of its rank. */
static bool is_last(const GArray *calls, guint index)
{
	return index + 1 == calls->len
	       || call_at(calls, index)->rank != call_at(calls, index + 1)->rank;
}

/* Resolves a cycle: every remaining step waits for another one. This happens if several threads
 * of a rank are in calls at once. The first call with a successor ends without its completion.
 * False: nothing is left to resolve, as completions wait only for beginnings. */
static bool overlap(struct graph *graph, struct timeline *timeline, GArray *current)
{
	const GArray *calls = graph->execution->calls;

	for (guint i = 0; i < current->len; i++) {
		guint *index = &g_array_index(current, guint, i);

		while (graph->settled[*index * STEPS + LEAVE] && !is_last(calls, *index))
			(*index)++;
		if (graph->settled[*index * STEPS + LEAVE] || is_last(calls, *index)
		    || !graph->settled[*index * STEPS + ENTER])
			continue;
		timeline->overlapping++;
		make_ready(graph, *index * STEPS + LEAVE);
		return true;
	}
	return false;
}

static void settle(struct graph *graph, struct timeline *timeline)
{
	g_autoptr(GArray) current = g_array_new(false, false, sizeof(guint)); /* by rank */

	for (guint i = 0; i < graph->execution->calls->len; i++) {
		if (graph->missing[i * STEPS + ENTER] > 0)
			continue;
		graph->time[i * STEPS + ENTER] = 1;
		make_ready(graph, i * STEPS + ENTER);
		g_array_append_val(current, i);
	}
	do
		settle_ready(graph);
	while (overlap(graph, timeline, current));
}

/* Ranks that still wait stay in their last call to the end. */
static void wait_to_the_end(struct timeline *timeline, const struct record_execution *execution)
{
	for (guint i = 0; i < execution->ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(execution->ranks, i);
		gint64 call = timeline_call(execution->calls, rank->rank, rank->call);

		if (rank->ended || rank->does || call < 0
		    || !is_last(execution->calls, (guint)call))
			continue;
		timeline->returns[call] = false;
		timeline->leave[call] = timeline->end;
	}
}

static void graph_release(struct graph *graph)
{
	for (guint i = 0; i < graph->vertices; i++) {
		if (graph->edges[i])
			g_array_unref(graph->edges[i]);
	}
	g_hash_table_unref(graph->collectives);
	g_free(graph->edges);
	g_free(graph->missing);
	g_free(graph->time);
	g_free(graph->settled);
}

struct timeline *timeline_new(const struct record_execution *execution)
{
	guint count = execution->calls->len;
	struct graph graph = {.execution = execution,
	                      .ready = G_QUEUE_INIT,
	                      .vertices = count * STEPS,
	                      .collectives = g_hash_table_new(NULL, NULL)};
	GHashTable *members = find_members(&graph);
	struct timeline *timeline = g_new0(struct timeline, 1);

	graph.edges = g_new0(GArray *, graph.vertices);
	graph.missing = g_new0(guint, graph.vertices);
	graph.time = g_new0(guint64, graph.vertices);
	graph.settled = g_new0(bool, graph.vertices);
	add_calls(&graph);
	add_matches(&graph);
	add_collectives(&graph, members);
	g_hash_table_unref(members);
	settle(&graph, timeline);
	timeline->enter = g_new(guint64, count);
	timeline->done = g_new(guint64, count);
	timeline->leave = g_new(guint64, count);
	timeline->returns = g_new(bool, count);
	for (guint i = 0; i < count; i++) {
		timeline->enter[i] = graph.time[i * STEPS + ENTER];
		timeline->done[i] = graph.time[i * STEPS + DONE];
		timeline->leave[i] = graph.time[i * STEPS + LEAVE];
		timeline->returns[i] = true;
		timeline->end = MAX(timeline->end, MAX(timeline->leave[i], timeline->done[i]));
	}
	timeline->end++;
	graph_release(&graph);
	wait_to_the_end(timeline, execution);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	g_free(timeline->enter);
	g_free(timeline->done);
	g_free(timeline->leave);
	g_free(timeline->returns);
	g_free(timeline);
}
