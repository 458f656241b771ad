#include "held_ranks.h"

#include "execution_internal.h"
#include "image.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

#define PROCESSES_OF_ONE 2 /* a held rank and its twin */

static struct held_ranks *held_ranks_new(struct execution *execution)
{
	struct held_ranks *held = g_new0(struct held_ranks, 1);

	held->runs = execution->runs;
	held->execution = execution;
	held->number = execution->number;
	held->links = g_new0(struct host_link *, held->runs->ranks);
	held->ranks = g_new0(struct held_rank, held->runs->ranks);
	return held;
}

/* Ends the ranks that are left, and frees. */
static void held_ranks_free(struct held_ranks *held)
{
	const struct wire_message end = {.type = WIRE_END};

	for (int rank = 0; rank < held->runs->ranks; rank++) {
		if (!held->links[rank])
			continue;
		runs_assign(held->links[rank], LINK_IGNORED, held->runs, rank);
		host_send(held->links[rank], &end);
	}
	process_group_lose(held->group);
	process_group_unref(held->group);
	g_free(held->directory);
	g_free(held->links);
	g_free(held->ranks);
	g_free(held);
}

static void remove_rank(struct held_ranks *held, int rank)
{
	held->held -= held->links[rank] != NULL;
	held->links[rank] = NULL;
}

static void note_refusal(struct runs *runs, int rank, const char *hazard)
{
	runs->rewinding.refused++;
	runs->rewinding.refused_in_turn++;
	if (!runs->rewinding.reason)
		runs->rewinding.reason = g_strdup_printf("rank %d: %s", rank, hazard);
	log_debug(LOG_SNAPSHOTS, "rank %d is not rewound: %s", rank, hazard);
}

void held_ranks_add(struct execution *execution, int rank, const struct wire_held *held)
{
	struct runs *runs = execution->runs;
	struct rank_end *end = &execution->ends[rank];

	if (!runs->rewinds || !execution->from || execution->result.phase == EXECUTION_STARTING
	    || execution->result.phase == EXECUTION_PARKING) {
		runs_fail(runs, "rank %d made an impossible report: that it is held", rank);
		return;
	}
	if (held->hazard && *held->hazard) {
		note_refusal(runs, rank, held->hazard);
		return;
	}
	if (!execution->held)
		execution->held = held_ranks_new(execution);
	execution->held->links[rank] = execution->links[rank];
	execution->held->ranks[rank] = (struct held_rank){
		.pid = execution->pids[rank],
		.inside = stall_address(execution->liveness.stall, rank),
		.unshared = held->unshared};
	execution->held->held++;
	execution->held->number = execution->number;
	runs_assign(execution->links[rank], LINK_HELD, execution->held, rank);
	end->known = end->reaped = true; /* for the world, it is gone from here on */
	execution_link_closed(execution, rank, NULL);
}

static void lose_group(struct held_ranks *held)
{
	process_group_lose(held->group);
	process_group_unref(g_steal_pointer(&held->group));
}

bool held_ranks_keep(struct execution *execution)
{
	struct held_ranks *held = g_steal_pointer(&execution->held);
	struct snapshot *snapshot = execution->from;
	struct runs *runs = execution->runs;
	int processes;

	if (!held)
		return false;
	held->execution = NULL;
	g_free(held->directory);
	held->directory = g_strdup(execution->directory);
	process_group_unref(held->group);
	held->group = process_group_ref(execution->group);
	if (held->held < runs->ranks)
		lose_group(held);
	processes = PROCESSES_OF_ONE * held->held;
	if (snapshot && snapshot->entry && runs->rewinds && !runs->stopped
	    && execution->result.phase == EXECUTION_OVER && !execution->result.again
	    && held->held > 0
	    && (image_has_any(runs, held->group)
	        || snapshot_set_has_room(runs->set, (guint)processes))) {
		held->counted = processes;
		snapshot_set_count_beside(runs->set, processes);
		g_ptr_array_add(snapshot->held_ranks, held);
		return true;
	}
	held_ranks_free(held);
	return false;
}

/* Takes held ranks from their snapshot. */
static struct held_ranks *steal_held(struct snapshot *snapshot, guint index)
{
	struct held_ranks *held = g_ptr_array_steal_index_fast(snapshot->held_ranks, index);

	snapshot_set_count_beside(snapshot->runs->set, -held->counted);
	return held;
}

static struct held_ranks *last_held(struct snapshot *snapshot)
{
	return steal_held(snapshot, snapshot->held_ranks->len - 1);
}

struct held_ranks *held_ranks_find(const struct snapshot *snapshot,
                                   const struct process_group *group)
{
	for (guint i = 0; group && i < snapshot->held_ranks->len; i++) {
		struct held_ranks *held = snapshot->held_ranks->pdata[i];

		if (held->group == group && held->held == snapshot->runs->ranks)
			return held;
	}
	return NULL;
}

struct held_ranks *held_ranks_take_group(struct snapshot *snapshot,
                                         const struct process_group *group)
{
	guint index = 0;

	g_ptr_array_find(snapshot->held_ranks, held_ranks_find(snapshot, group), &index);
	return steal_held(snapshot, index);
}

static void end_last(struct snapshot *snapshot)
{
	struct held_ranks *held = last_held(snapshot);

	snapshot->runs->host->operations->world_remove(snapshot->runs->host, held->number);
	held_ranks_free(held);
}

static struct held_ranks *take_held(struct snapshot *snapshot)
{
	while (snapshot->held_ranks->len > 0) {
		const struct held_ranks *last =
			snapshot->held_ranks->pdata[snapshot->held_ranks->len - 1];

		if (last->held > 0)
			return last_held(snapshot);
		end_last(snapshot);
	}
	return NULL;
}

/* Whether the first orders may follow REWIND at once. Then a rank can run before another is
 * rewound, which must not matter to either. */
static bool may_go_ahead(const struct snapshot *snapshot, const struct held_ranks *held)
{
	if (!snapshot->unshared || snapshot->runs->options.images)
		return false;
	for (int rank = 0; rank < snapshot->runs->ranks; rank++)
		if (!held->links[rank] || !held->ranks[rank].unshared)
			return false;
	return true;
}

/* Counts ranks that will send HELLO as connected. */
static void go_ahead(struct execution *execution, struct held_ranks *held)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (!held->links[rank])
			continue;
		held->ranks[rank].ahead = true;
		execution->links[rank] = held->links[rank];
		execution->pids[rank] = held->ranks[rank].pid;
	}
	execution->connected = execution->runs->ranks;
	execution_show_processes(execution);
	execution->restored = execution_now(execution);
}

bool held_ranks_rewind(struct snapshot *snapshot, struct execution *execution)
{
	struct runs *runs = snapshot->runs;
	const struct host_operations *host = runs->host->operations;
	struct wire_message order = {.type = WIRE_REWIND};
	struct held_ranks *held = take_held(snapshot);
	g_autoptr(GError) error = NULL;
	g_autofree char *directory = NULL;
	g_autofree bool *stays = NULL;

	if (!held)
		return false;
	order.rewind.world = runs->next_world++;
	order.rewind.follows = may_go_ahead(snapshot, held);
	stays = g_new(bool, runs->ranks);
	for (int rank = 0; rank < runs->ranks; rank++)
		stays[rank] = held->links[rank] != NULL;
	directory = host->world_rename(runs->host, held->number, order.rewind.world, stays,
	                               runs->ranks, &error);
	if (directory)
		held->number = order.rewind.world;
	if (!directory || !host->snapshot_rewind(snapshot->memory, directory, &error)) {
		note_refusal(runs, 0, error->message);
		host->world_remove(runs->host, held->number);
		held_ranks_free(held);
		return false;
	}
	log_debug(LOG_SNAPSHOTS, "rewinding world %u as %u, %d ranks in place%s", snapshot->number,
	          order.rewind.world, held->held,
	          order.rewind.follows ? ", and their first orders follow at once" : "");
	execution_place(execution, order.rewind.world, directory, snapshot);
	execution->rewound = true;
	if (held->held < runs->ranks)
		lose_group(held);
	execution_set_process_group(execution, held->group ? process_group_ref(held->group)
	                                                   : process_group_new(runs->ranks));
	held->execution = execution;
	execution->held = held;
	for (int rank = 0; rank < runs->ranks; rank++) {
		if (!held->links[rank]) {
			snapshot_fork_rank(snapshot, rank, execution);
			continue;
		}
		host_send(held->links[rank], &order);
		/* With images the rank may be in a call, and read ahead. */
		execution->welcomed[rank] = !runs->options.images;
		if (execution->welcomed[rank])
			execution_welcome(execution, rank, held->links[rank]);
	}
	if (order.rewind.follows)
		go_ahead(execution, held);
	return true;
}

/* A rank counted as connected, and got orders, but could not be rewound. */
static void lose_first_orders(struct held_ranks *held, int rank)
{
	struct execution *execution = held->execution;
	struct rank_end *end = &execution->ends[rank];

	held->ranks[rank].ahead = false;
	execution->result.again |= execution->result.phase < EXECUTION_ENDING;
	end->known = end->reaped = true;
	execution_link_closed(execution, rank, NULL);
}

/* A rank could not be rewound: its keeper forks another one. */
static void fork_instead(struct held_ranks *held, int rank, const char *hazard)
{
	struct execution *execution = held->execution;

	remove_rank(held, rank);
	lose_group(held);
	if (!execution)
		return; /* it was waiting at its snapshot */
	note_refusal(held->runs, rank, hazard);
	execution->welcomed[rank] = false;
	process_group_lose(execution->group);
	execution_set_process_group(execution, process_group_new(held->runs->ranks));
	if (held->ranks[rank].ahead) {
		lose_first_orders(held, rank);
		return;
	}
	if (execution->image) {
		execution->result.again = true; /* from another snapshot */
		execution_rank_status(execution, rank, 0);
		return;
	}
	if (execution->from && execution->result.phase == EXECUTION_STARTING
	    && !execution->result.cut_short && !execution->result.again)
		snapshot_fork_rank(execution->from, rank, execution);
	else
		execution_rank_status(execution, rank, 0);
}

bool held_ranks_child_ended(struct runs *runs, int rank, const struct wire_child *child)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, runs->all);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct execution *execution = value;
		struct held_ranks *held = execution->held;

		if (!held || !held->links[rank] || held->ranks[rank].pid != child->pid
		    || (execution->result.phase != EXECUTION_STARTING && !held->ranks[rank].ahead))
			continue;
		held->ranks[rank].ended = true;
		held->ranks[rank].status = child->status;
		return true;
	}
	return false;
}

static bool any_is_ahead(const struct held_ranks *held)
{
	for (int rank = 0; rank < held->runs->ranks; rank++)
		if (held->ranks[rank].ahead)
			return true;
	return false;
}

bool held_ranks_is_ahead(const struct held_ranks *held)
{
	return held && held->runs->options.images && any_is_ahead(held);
}

/* HELLO of a rank that counted as connected. */
static void note_rewound(struct held_ranks *held, struct host_link *link,
                         const struct wire_hello *hello)
{
	struct execution *execution = held->execution;

	log_debug(LOG_RANKS, "rank %d of world %u is rewound", hello->rank, hello->world);
	held->ranks[hello->rank].ahead = false;
	runs_assign(link, LINK_RANK, execution, hello->rank);
	stall_set(execution->liveness.stall, hello->rank, hello->pid, hello->inside);
	if (any_is_ahead(held))
		return;
	snapshot_note_cost(execution);
	if (held->runs->options.images)
		execution_advance(execution); /* it may be at rest */
}

/* The rank is already what it has to become. It counts as connected. */
static void keep_in_place(struct held_ranks *held, int rank)
{
	struct execution *execution = held->execution;
	struct host_link *link = held->links[rank];
	const struct held_rank known = held->ranks[rank];

	remove_rank(held, rank);
	runs_assign(link, LINK_RANK, execution, rank);
	execution->links[rank] = link;
	execution->pids[rank] = known.pid;
	process_group_owe(held->group, rank);
	execution->connected++;
	stall_set(execution->liveness.stall, rank, known.pid, known.inside);
}

void held_ranks_rewind_to_images(struct held_ranks *held, const guint32 *images, bool ahead)
{
	struct execution *execution = held->execution;
	struct wire_message order = {.type = WIRE_REWIND};
	int ranks = held->runs->ranks;

	order.rewind.world = held->number;
	order.rewind.follows = ahead;
	for (int rank = 0; rank < ranks; rank++) {
		if (process_group_stays(held->group, rank) == images[rank]
		    && (ahead || execution->connected + 1 < ranks)) {
			keep_in_place(held, rank);
			continue;
		}
		order.rewind.image = images[rank];
		host_send(held->links[rank], &order);
		if (!ahead)
			continue;
		process_group_rewound(held->group, rank, images[rank]);
		execution_welcome(execution, rank, held->links[rank]);
	}
	if (ahead)
		go_ahead(execution, held);
}

struct host_link *held_ranks_link(const struct held_ranks *held, int rank, pid_t *ret_process)
{
	if (!held || !held->links[rank])
		return NULL;
	*ret_process = held->ranks[rank].pid;
	return held->links[rank];
}

/* The rank was rewound. It may have ended since: its keeper reports that on another connection. */
static void on_rewound(struct host_link *link, const struct wire_hello *hello)
{
	struct held_ranks *held = link->owner;
	struct runs *runs = held->runs;
	struct execution *execution = held->execution;
	struct held_rank known = held->ranks[link->rank];
	int rank = link->rank;

	remove_rank(held, rank);
	if (!known.ahead)
		process_group_rewound(execution->group, rank,
		                      execution->image ? execution->image->images[rank] : 0);
	execution->pids[rank] = hello->pid; /* the number under which it is known */
	runs->rewinding.rewound++;
	runs->rewinding.refused_in_turn = 0;
	if (known.ahead)
		note_rewound(held, link, hello);
	else
		runs_hello(runs, link, hello);
	if (known.ended)
		runs_child_ended(execution, rank, known.status);
}

void held_ranks_message(struct host_link *link, const struct wire_message *message)
{
	struct held_ranks *held = link->owner;
	struct runs *runs = held->runs;
	int rank = link->rank;

	if (message->type == WIRE_HELLO && held->execution
	    && message->hello.world == held->execution->number && message->hello.rank == rank) {
		on_rewound(link, &message->hello);
	} else if (message->type == WIRE_HELD && message->held.hazard && *message->held.hazard) {
		runs_assign(link, LINK_IGNORED, runs, rank);
		fork_instead(held, rank, message->held.hazard);
	} else {
		runs_fail(runs, "rank %d made an impossible report while it was held", rank);
	}
}

void held_ranks_closed(struct held_ranks *held, int rank)
{
	fork_instead(held, rank, "its process was gone");
}

void held_ranks_forget(struct held_ranks *held, int rank)
{
	if (!held || !held->ranks[rank].ahead)
		return;
	held->ranks[rank].ahead = false;
	remove_rank(held, rank);
	lose_group(held);
}

void held_ranks_end_all(struct snapshot *snapshot)
{
	while (snapshot->held_ranks->len > 0)
		end_last(snapshot);
}

static bool any_has_images(const struct snapshot *snapshot)
{
	for (guint i = 0; i < snapshot->held_ranks->len; i++)
		if (image_has_any(snapshot->runs,
		                  ((struct held_ranks *)snapshot->held_ranks->pdata[i])->group))
			return true;
	return false;
}

bool held_ranks_end_oldest(struct runs *runs, bool images)
{
	for (guint i = 0; i < runs->snapshot->len; i++) {
		struct snapshot *snapshot = runs->snapshot->pdata[i];

		if (snapshot->held_ranks->len == 0 || (!images && any_has_images(snapshot)))
			continue;
		held_ranks_end_all(snapshot);
		return true;
	}
	return false;
}
