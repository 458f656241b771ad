#include "image.h"

#include "execution_internal.h"
#include "held_ranks.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

#define REFUSALS_MOST 16 /* executions without an image, until no more are asked for */

/* Returns the image of the group that was taken last; `named`: the last one that the user has asked
 * for. NULL: none. */
static struct snapshot *last_of(const struct runs *runs, const struct process_group *group,
                                bool named)
{
	for (guint i = runs->snapshot->len; group && !process_group_is_lost(group) && i-- > 0;) {
		struct snapshot *snapshot = runs->snapshot->pdata[i];

		if (snapshot->images && snapshot->group == group && (snapshot->named || !named))
			return snapshot;
	}
	return NULL;
}

bool image_is_lost(const struct snapshot *snapshot)
{
	return snapshot->images && process_group_is_lost(snapshot->group);
}

/* --- taking ----------------------------------------------------------------------------------- */

bool image_is_possible(const struct execution *execution)
{
	const struct runs *runs = execution->runs;

	return runs_rewind(runs) && runs->host->operations->snapshot_of_world && execution->from
	       && runs->options.images && execution->group && !execution->no_image
	       && (execution->strategy->stays
	           || (execution->strategy->state && runs->image_refusals < REFUSALS_MOST));
}

/* An idle rank that equals an image shares it, and is not asked. The last rank is asked in any
 * case: the execution goes on with its answer. */
static bool share(struct snapshot *snapshot, int rank)
{
	const guint32 image = process_group_stays(snapshot->group, rank);

	if (!image || snapshot->parked + 1 == snapshot->runs->ranks)
		return false;
	process_group_share(snapshot->group, rank, image);
	snapshot->images[rank] = image;
	snapshot->shared[rank] = true;
	snapshot->rank_bytes += process_group_bytes(snapshot->group, rank);
	snapshot->answered[rank] = true;
	snapshot->parked++;
	return true;
}

static void keep_shared(struct snapshot *snapshot)
{
	struct runs *runs = snapshot->runs;
	const struct snapshot *before = last_of(runs, snapshot->group, false);
	g_autoptr(GError) error = NULL;

	snapshot->memory = runs->host->operations->snapshot_of_world(
		runs->host, snapshot->directory, before ? before->memory : NULL,
		&snapshot->shared_bytes, &error);
	if (!snapshot->memory
	    || !runs->host->operations->snapshot_complete(snapshot->memory, &error))
		snapshot->hazard = g_strdup(error->message);
}

struct snapshot *image_begin(struct execution *execution)
{
	struct snapshot *snapshot = snapshot_new(execution);
	struct wire_message order = {.type = WIRE_IMAGE};
	int ranks = execution->runs->ranks;

	snapshot->images = g_new0(guint32, ranks);
	snapshot->shared = g_new0(bool, ranks);
	snapshot->group = process_group_ref(execution->group);
	snapshot->idle = process_group_is_idle_whole(snapshot->group);
	order.image.goes_on = snapshot->idle;
	for (int rank = 0; rank < ranks; rank++)
		if (!share(snapshot, rank))
			execution_order(execution, rank, &order);
	if (snapshot->idle)
		keep_shared(snapshot);
	return snapshot;
}

/* Ranks report the size of all their images. Subtracts the images before. */
static void note_bytes(struct snapshot *snapshot)
{
	const GPtrArray *all = snapshot->runs->snapshot;
	guint64 before = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct snapshot *other = all->pdata[i];

		if (other->images && other->group == snapshot->group)
			before += other->rank_bytes;
	}
	snapshot->rank_bytes -= MIN(before, snapshot->rank_bytes);
}

/* The next snapshot is measured from here. */
static void note_kept(struct execution *execution, const struct snapshot *snapshot)
{
	if (!execution->strategy->stays)
		return;
	execution->before = snapshot->behind;
	execution->restored = execution_now(execution);
	execution->waited = 0;
	execution->moved = false;
}

static void give_up(struct execution *execution, struct snapshot *snapshot)
{
	bool wanted = snapshot->wanted;

	execution->runs->image_refusals++;
	execution->no_image = true;
	image_forget(snapshot);
	snapshot_release(snapshot);
	execution_park_instead(execution, wanted);
}

static void welcome(struct execution *execution, int rank)
{
	if (execution->links[rank])
		execution_welcome(execution, rank, execution->links[rank]);
}

void image_answered(struct execution *execution, int rank, const struct wire_imaged *imaged)
{
	struct runs *runs = execution->runs;
	struct snapshot *snapshot = execution->parking;

	if (!snapshot || !snapshot->images || snapshot->answered[rank]
	    || imaged->image >= WIRE_IMAGES_MAX) {
		/* An answer may have been under way when the execution was given up. */
		if (!execution->result.again && !execution->result.cut_short)
			runs_fail(runs, "rank %d made an impossible report: an image", rank);
		return;
	}
	snapshot->answered[rank] = true;
	snapshot->images[rank] = imaged->image;
	process_group_imaged(snapshot->group, rank, imaged->image, imaged->idle, imaged->bytes);
	snapshot->rank_bytes += imaged->bytes;
	if ((!imaged->image || (imaged->hazard && *imaged->hazard)) && !snapshot->hazard)
		snapshot->hazard = g_strdup_printf("rank %d: %s", rank, imaged->hazard);
	if (++snapshot->parked < runs->ranks)
		return;
	execution->parking = NULL;
	execution_enter(execution, EXECUTION_RUNNING);
	if (!snapshot->hazard && !snapshot->idle)
		keep_shared(snapshot);
	for (int one = 0; !snapshot->idle && one < runs->ranks; one++)
		if (!snapshot->shared[one])
			welcome(execution, one);
	if (snapshot->hazard) {
		log_debug(LOG_SNAPSHOTS, "no image of world %u: %s", execution->number,
		          snapshot->hazard);
		give_up(execution, snapshot);
	} else {
		runs->image_refusals = 0;
		note_bytes(snapshot);
		snapshot_enter_set(snapshot);
		note_kept(execution, snapshot);
	}
	if (execution_is_running(execution) && world_holds(execution->world))
		world_let_held_go(execution->world);
}

void image_forget(struct snapshot *snapshot)
{
	struct host_link **links = NULL;
	GHashTableIter iter;
	void *value;

	for (guint i = 0; snapshot->parent && i < snapshot->parent->held_ranks->len; i++) {
		const struct held_ranks *held = snapshot->parent->held_ranks->pdata[i];

		if (held->group == snapshot->group)
			links = held->links;
	}
	g_hash_table_iter_init(&iter, snapshot->runs->all);
	while (!links && g_hash_table_iter_next(&iter, NULL, &value)) {
		struct execution *execution = value;

		if (execution->group == snapshot->group && execution_is_running(execution))
			links = execution->links;
	}
	for (int rank = 0; rank < snapshot->runs->ranks; rank++)
		if (snapshot->images[rank]
		    && process_group_forget(snapshot->group, rank, snapshot->images[rank]) && links)
			host_send(links[rank],
			          &(struct wire_message){.type = WIRE_FORGET,
			                                 .forget = snapshot->images[rank]});
}

/* --- going back ------------------------------------------------------------------------------- */

bool image_has_any(const struct runs *runs, const struct process_group *group)
{
	return last_of(runs, group, false) != NULL;
}

bool image_any_named(const struct runs *runs, const struct process_group *group)
{
	return last_of(runs, group, true) != NULL;
}

bool image_serves(const struct snapshot *snapshot)
{
	return !process_group_is_lost(snapshot->group)
	       && held_ranks_find(snapshot->parent, snapshot->group) != NULL;
}

static bool put_shared_back(const struct snapshot *snapshot, struct execution *execution)
{
	g_autoptr(GError) error = NULL;

	if (snapshot->runs->host->operations->snapshot_rewind(snapshot->memory,
	                                                      execution->directory, &error))
		return true;
	log_debug(LOG_SNAPSHOTS, "an image is lost: %s", error->message);
	process_group_lose(execution->group);
	execution->result.again = true;
	return false;
}

void image_restore(struct snapshot *snapshot, struct execution *execution)
{
	struct runs *runs = snapshot->runs;
	struct held_ranks *held = held_ranks_take_group(snapshot->parent, snapshot->group);
	const bool idle = process_group_is_idle_whole(snapshot->group);

	log_debug(LOG_SNAPSHOTS, "rewinding world %u to an image%s", held->number,
	          idle ? ", and their first orders follow at once" : "");
	execution_place(execution, held->number, held->directory, snapshot->parent);
	execution->rewound = true;
	state_fingerprint_release(&execution->fingerprint);
	state_fingerprint_copy(&execution->fingerprint, &snapshot->fingerprint, runs->ranks);
	execution_set_process_group(execution, process_group_ref(snapshot->group));
	execution->idle_time = snapshot->idle_time + execution->started - snapshot->parked_at;
	execution->before = snapshot->behind;
	held->execution = execution;
	execution->held = held;
	if (idle && !put_shared_back(snapshot, execution))
		return;
	if (!idle) {
		execution->image = snapshot;
		snapshot->children++;
	}
	held_ranks_rewind_to_images(held, snapshot->images, idle);
}

void image_connected(struct execution *execution)
{
	struct snapshot *snapshot = g_steal_pointer(&execution->image);

	snapshot->children--;
	if (!put_shared_back(snapshot, execution))
		return;
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (!process_group_is_owed(execution->group, rank))
			welcome(execution, rank);
}

/* --- giving up -------------------------------------------------------------------------------- */

static bool can_stay(const struct execution *execution, int rank)
{
	enum world_phase phase = world_phase(execution->world, rank);

	return execution->links[rank] && (phase == PHASE_BLOCKED || phase == PHASE_HELD)
	       && !execution->ends[rank].known && !execution->ends[rank].deaf;
}

bool image_keep_ranks(struct execution *execution)
{
	const struct wire_held held = {0};
	int ranks = execution->runs->ranks;

	/* With windows, ranks drive MPI all the time (shim/gate/gate.c). Their shared memory would
	 * change while the others are put back. */
	if (!execution_is_running(execution) || world_has_threads(execution->world)
	    || world_has_windows(execution->world) || !image_is_possible(execution)
	    || !last_of(execution->runs, execution->group, false))
		return false;
	for (int rank = 0; rank < ranks; rank++)
		if (!can_stay(execution, rank))
			return false;
	execution_emit_stop(execution);
	execution_enter(execution, EXECUTION_ENDING);
	execution->ending_since = execution_now(execution);
	for (int rank = 0; rank < ranks; rank++)
		held_ranks_add(execution, rank, &held);
	return true;
}
