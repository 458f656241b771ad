#include "spare.h"

#include "execution_internal.h"
#include "image.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

#define PROCESSES_OF_ONE 2 /* a rank that is held, and its twin */

static struct spare *spare_new(struct execution *execution)
{
	struct spare *spare = g_new0(struct spare, 1);

	spare->runs = execution->runs;
	spare->execution = execution;
	spare->number = execution->number;
	spare->links = g_new0(struct host_link *, spare->runs->ranks);
	spare->ranks = g_new0(struct spare_rank, spare->runs->ranks);
	return spare;
}

/* Those that are left are ended. */
static void spare_free(struct spare *spare)
{
	const struct wire_message end = {.type = WIRE_END};

	for (int rank = 0; rank < spare->runs->ranks; rank++) {
		if (!spare->links[rank])
			continue;
		runs_assign(spare->links[rank], LINK_IGNORED, spare->runs, rank);
		host_send(spare->links[rank], &end);
	}
	body_lose(spare->body);
	body_let_go(spare->body);
	g_free(spare->directory);
	g_free(spare->links);
	g_free(spare->ranks);
	g_free(spare);
}

static void let_rank_go(struct spare *spare, int rank)
{
	spare->held -= spare->links[rank] != NULL;
	spare->links[rank] = NULL;
}

static void note_refusal(struct runs *runs, int rank, const char *hazard)
{
	runs->rewinding.refused++;
	runs->rewinding.refused_in_turn++;
	if (!runs->rewinding.reason)
		runs->rewinding.reason = g_strdup_printf("rank %d: %s", rank, hazard);
	log_debug(LOG_SNAPSHOTS, "rank %d is not rewound: %s", rank, hazard);
}

void spare_rank_held(struct execution *execution, int rank, const struct wire_held *held)
{
	struct runs *runs = execution->runs;
	struct rank_end *end = &execution->ends[rank];

	if (!runs->rewinds || !execution->from || execution->result.state == EXECUTION_STARTING
	    || execution->result.state == EXECUTION_PARKING) {
		runs_fail(runs, "rank %d said something impossible: that it is held", rank);
		return;
	}
	if (held->hazard && *held->hazard) {
		note_refusal(runs, rank, held->hazard);
		return;
	}
	if (!execution->spare)
		execution->spare = spare_new(execution);
	execution->spare->links[rank] = execution->links[rank];
	execution->spare->ranks[rank] = (struct spare_rank){
		.pid = execution->pids[rank],
		.inside = stall_address(execution->stall, rank),
		.alone = held->alone};
	execution->spare->held++;
	execution->spare->number = execution->number;
	runs_assign(execution->links[rank], LINK_HELD, execution->spare, rank);
	end->known = end->reaped = true; /* the world knows it as gone from here on */
	execution_link_closed(execution, rank, NULL);
}

static void lose_body(struct spare *spare)
{
	body_lose(spare->body);
	body_let_go(g_steal_pointer(&spare->body));
}

bool spare_keep(struct execution *execution)
{
	struct spare *spare = g_steal_pointer(&execution->spare);
	struct frozen *frozen = execution->from;
	struct runs *runs = execution->runs;
	int processes;

	if (!spare)
		return false;
	spare->execution = NULL;
	g_free(spare->directory);
	spare->directory = g_strdup(execution->directory);
	body_let_go(spare->body);
	spare->body = body_use(execution->body);
	if (spare->held < runs->ranks)
		lose_body(spare);
	processes = PROCESSES_OF_ONE * spare->held;
	if (frozen && frozen->snapshot && runs->rewinds && !runs->stopped
	    && execution->result.state == EXECUTION_OVER && !execution->result.again
	    && spare->held > 0
	    && (image_has_any(runs, spare->body)
	        || snapshot_set_has_room(runs->set, (guint)processes))) {
		spare->counted = processes;
		snapshot_set_count_beside(runs->set, processes);
		g_ptr_array_add(frozen->spares, spare);
		return true;
	}
	spare_free(spare);
	return false;
}

/* It waits no longer. */
static struct spare *steal_spare(struct frozen *frozen, guint index)
{
	struct spare *spare = g_ptr_array_steal_index_fast(frozen->spares, index);

	snapshot_set_count_beside(frozen->runs->set, -spare->counted);
	return spare;
}

static struct spare *last_spare(struct frozen *frozen)
{
	return steal_spare(frozen, frozen->spares->len - 1);
}

struct spare *spare_find(const struct frozen *frozen, const struct body *body)
{
	for (guint i = 0; body && i < frozen->spares->len; i++) {
		struct spare *spare = frozen->spares->pdata[i];

		if (spare->body == body && spare->held == frozen->runs->ranks)
			return spare;
	}
	return NULL;
}

struct spare *spare_take_body(struct frozen *frozen, const struct body *body)
{
	guint index = 0;

	g_ptr_array_find(frozen->spares, spare_find(frozen, body), &index);
	return steal_spare(frozen, index);
}

static void end_last(struct frozen *frozen)
{
	struct spare *spare = last_spare(frozen);

	frozen->runs->host->operations->world_remove(frozen->runs->host, spare->number);
	spare_free(spare);
}

static struct spare *take_spare(struct frozen *frozen)
{
	while (frozen->spares->len > 0) {
		const struct spare *last = frozen->spares->pdata[frozen->spares->len - 1];

		if (last->held > 0)
			return last_spare(frozen);
		end_last(frozen);
	}
	return NULL;
}

/* Whether the first orders may follow REWIND at once: a rank that gets one can be done with it
 * before another one is rewound, which must not matter to either. */
static bool may_go_ahead(const struct frozen *frozen, const struct spare *spare)
{
	if (!frozen->alone || frozen->runs->options.images)
		return false;
	for (int rank = 0; rank < frozen->runs->ranks; rank++)
		if (!spare->links[rank] || !spare->ranks[rank].alone)
			return false;
	return true;
}

/* Those that are about to say HELLO count as connected. */
static void go_ahead(struct execution *execution, struct spare *spare)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (!spare->links[rank])
			continue;
		spare->ranks[rank].ahead = true;
		execution->links[rank] = spare->links[rank];
		execution->pids[rank] = spare->ranks[rank].pid;
	}
	execution->connected = execution->runs->ranks;
	execution->restored = execution_now(execution);
}

bool spare_rewind(struct frozen *frozen, struct execution *execution)
{
	struct runs *runs = frozen->runs;
	const struct host_operations *host = runs->host->operations;
	struct wire_message order = {.type = WIRE_REWIND};
	struct spare *spare = take_spare(frozen);
	g_autoptr(GError) error = NULL;
	g_autofree char *directory = NULL;
	g_autofree bool *stays = NULL;

	if (!spare)
		return false;
	order.rewind.world = runs->next_world++;
	order.rewind.follows = may_go_ahead(frozen, spare);
	stays = g_new(bool, runs->ranks);
	for (int rank = 0; rank < runs->ranks; rank++)
		stays[rank] = spare->links[rank] != NULL;
	directory = host->world_rename(runs->host, spare->number, order.rewind.world, stays,
	                               runs->ranks, &error);
	if (directory)
		spare->number = order.rewind.world;
	if (!directory || !host->snapshot_rewind(frozen->memory, directory, &error)) {
		note_refusal(runs, 0, error->message);
		host->world_remove(runs->host, spare->number);
		spare_free(spare);
		return false;
	}
	log_debug(LOG_SNAPSHOTS, "rewinding world %u as %u, %d ranks in place%s", frozen->number,
	          order.rewind.world, spare->held,
	          order.rewind.follows ? ", and their first orders go ahead" : "");
	execution_place(execution, order.rewind.world, directory, frozen);
	execution->rewound = true;
	if (spare->held < runs->ranks)
		lose_body(spare);
	execution_set_body(execution, spare->body ? body_use(spare->body) : body_new(runs->ranks));
	spare->execution = execution;
	execution->spare = spare;
	for (int rank = 0; rank < runs->ranks; rank++) {
		if (!spare->links[rank]) {
			frozen_fork_rank(frozen, rank, execution);
			continue;
		}
		host_send(spare->links[rank], &order);
		/* Where images are kept it may stand in a call, and reads ahead. */
		execution->welcomed[rank] = !runs->options.images;
		if (execution->welcomed[rank])
			execution_welcome(execution, rank, spare->links[rank]);
	}
	if (order.rewind.follows)
		go_ahead(execution, spare);
	return true;
}

/* It has got orders by now. */
static void lose_ahead(struct spare *spare, int rank)
{
	struct execution *execution = spare->execution;
	struct rank_end *end = &execution->ends[rank];

	spare->ranks[rank].ahead = false;
	execution->result.again |= execution->result.state < EXECUTION_ENDING;
	end->known = end->reaped = true;
	execution_link_closed(execution, rank, NULL);
}

/* It could not be rewound, and is forked after all. */
static void fork_instead(struct spare *spare, int rank, const char *hazard)
{
	struct execution *execution = spare->execution;

	let_rank_go(spare, rank);
	lose_body(spare);
	if (!execution)
		return; /* while it waited */
	note_refusal(spare->runs, rank, hazard);
	execution->welcomed[rank] = false;
	body_lose(execution->body);
	execution_set_body(execution, body_new(spare->runs->ranks));
	if (spare->ranks[rank].ahead) {
		lose_ahead(spare, rank);
		return;
	}
	if (execution->image) {
		execution->result.again = true; /* from another snapshot */
		execution_rank_status(execution, rank, 0);
		return;
	}
	if (execution->from && execution->result.state == EXECUTION_STARTING
	    && !execution->result.cut_short && !execution->result.again)
		frozen_fork_rank(execution->from, rank, execution);
	else
		execution_rank_status(execution, rank, 0);
}

bool spare_child_ended(struct runs *runs, int rank, const struct wire_child *child)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, runs->all);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct execution *execution = value;
		struct spare *spare = execution->spare;

		if (!spare || !spare->links[rank] || spare->ranks[rank].pid != child->pid
		    || (execution->result.state != EXECUTION_STARTING && !spare->ranks[rank].ahead))
			continue;
		spare->ranks[rank].ended = true;
		spare->ranks[rank].status = child->status;
		return true;
	}
	return false;
}

static bool any_is_ahead(const struct spare *spare)
{
	for (int rank = 0; rank < spare->runs->ranks; rank++)
		if (spare->ranks[rank].ahead)
			return true;
	return false;
}

bool spare_is_ahead(const struct spare *spare)
{
	return spare && spare->runs->options.images && any_is_ahead(spare);
}

/* It counts as connected already. */
static void note_rewound(struct spare *spare, struct host_link *link,
                         const struct wire_hello *hello)
{
	struct execution *execution = spare->execution;

	log_debug(LOG_RANKS, "rank %d of world %u is rewound", hello->rank, hello->world);
	spare->ranks[hello->rank].ahead = false;
	runs_assign(link, LINK_RANK, execution, hello->rank);
	stall_set(execution->stall, hello->rank, hello->pid, hello->inside);
	if (any_is_ahead(spare))
		return;
	frozen_note_cost(execution);
	if (spare->runs->options.images)
		execution_advance(execution); /* it may be at rest */
}

/* What it is to be it is already: it counts as connected. */
static void goes_on(struct spare *spare, int rank)
{
	struct execution *execution = spare->execution;
	struct host_link *link = spare->links[rank];
	const struct spare_rank known = spare->ranks[rank];

	let_rank_go(spare, rank);
	runs_assign(link, LINK_RANK, execution, rank);
	execution->links[rank] = link;
	execution->pids[rank] = known.pid;
	body_owe(spare->body, rank);
	execution->connected++;
	stall_set(execution->stall, rank, known.pid, known.inside);
}

void spare_rewind_to_images(struct spare *spare, const guint32 *images, bool ahead)
{
	struct execution *execution = spare->execution;
	struct wire_message order = {.type = WIRE_REWIND};
	int ranks = spare->runs->ranks;

	order.rewind.world = spare->number;
	order.rewind.follows = ahead;
	for (int rank = 0; rank < ranks; rank++) {
		if (body_stays(spare->body, rank) == images[rank]
		    && (ahead || execution->connected + 1 < ranks)) {
			goes_on(spare, rank);
			continue;
		}
		order.rewind.image = images[rank];
		host_send(spare->links[rank], &order);
		if (!ahead)
			continue;
		body_rewound(spare->body, rank, images[rank]);
		execution_welcome(execution, rank, spare->links[rank]);
	}
	if (ahead)
		go_ahead(execution, spare);
}

struct host_link *spare_link(const struct spare *spare, int rank, pid_t *ret_process)
{
	if (!spare || !spare->links[rank])
		return NULL;
	*ret_process = spare->ranks[rank].pid;
	return spare->links[rank];
}

/* It was rewound, and may have ended since: its keeper says so by a way of its own. */
static void on_rewound(struct host_link *link, const struct wire_hello *hello)
{
	struct spare *spare = link->owner;
	struct runs *runs = spare->runs;
	struct execution *execution = spare->execution;
	struct spare_rank known = spare->ranks[link->rank];
	int rank = link->rank;

	let_rank_go(spare, rank);
	if (!known.ahead)
		body_rewound(execution->body, rank,
		             execution->image ? execution->image->images[rank] : 0);
	execution->pids[rank] = hello->pid; /* by which it is known */
	runs->rewinding.rewound++;
	runs->rewinding.refused_in_turn = 0;
	if (known.ahead)
		note_rewound(spare, link, hello);
	else
		runs_hello(runs, link, hello);
	if (known.ended)
		runs_child_ended(execution, rank, known.status);
}

void spare_message(struct host_link *link, const struct wire_message *message)
{
	struct spare *spare = link->owner;
	struct runs *runs = spare->runs;
	int rank = link->rank;

	if (message->type == WIRE_HELLO && spare->execution
	    && message->hello.world == spare->execution->number && message->hello.rank == rank) {
		on_rewound(link, &message->hello);
	} else if (message->type == WIRE_HELD && message->held.hazard && *message->held.hazard) {
		runs_assign(link, LINK_IGNORED, runs, rank);
		fork_instead(spare, rank, message->held.hazard);
	} else {
		runs_fail(runs, "rank %d said something impossible while it was held", rank);
	}
}

void spare_closed(struct spare *spare, int rank)
{
	fork_instead(spare, rank, "its process was gone");
}

void spare_forget(struct spare *spare, int rank)
{
	if (!spare || !spare->ranks[rank].ahead)
		return;
	spare->ranks[rank].ahead = false;
	let_rank_go(spare, rank);
	lose_body(spare);
}

void spare_end_all(struct frozen *frozen)
{
	while (frozen->spares->len > 0)
		end_last(frozen);
}

static bool any_has_images(const struct frozen *frozen)
{
	for (guint i = 0; i < frozen->spares->len; i++)
		if (image_has_any(frozen->runs, ((struct spare *)frozen->spares->pdata[i])->body))
			return true;
	return false;
}

bool spare_end_oldest(struct runs *runs, bool images)
{
	for (guint i = 0; i < runs->frozen->len; i++) {
		struct frozen *frozen = runs->frozen->pdata[i];

		if (frozen->spares->len == 0 || (!images && any_has_images(frozen)))
			continue;
		spare_end_all(frozen);
		return true;
	}
	return false;
}
