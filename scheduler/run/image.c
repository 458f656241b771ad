#include "image.h"

#include "execution_internal.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"
#include "spare.h"

#define REFUSALS_MOST 16 /* executions of which no image could be taken: then none is asked for */

/* The last that was taken, or (`named`) that somebody has asked for; NULL: none. */
static struct frozen *last_of(const struct runs *runs, const struct body *body, bool named)
{
	for (guint i = runs->frozen->len; body && !body_is_lost(body) && i-- > 0;) {
		struct frozen *frozen = runs->frozen->pdata[i];

		if (frozen->images && frozen->body == body && (frozen->named || !named))
			return frozen;
	}
	return NULL;
}

bool image_is_lost(const struct frozen *frozen)
{
	return frozen->images && body_is_lost(frozen->body);
}

/* --- taken ------------------------------------------------------------------------------------ */

bool image_is_possible(const struct execution *execution)
{
	const struct runs *runs = execution->runs;

	return runs_rewind(runs) && runs->host->operations->snapshot_of_world && execution->from
	       && runs->options.images && execution->body && !execution->no_image
	       && (execution->strategy->stays
	           || (execution->strategy->state && runs->image_refusals < REFUSALS_MOST));
}

/* Who stays an image has this one as well, and need not be told; but for the last one, with whose
 * answer the execution goes on. */
static bool share(struct frozen *frozen, int rank)
{
	const guint32 image = body_stays(frozen->body, rank);

	if (!image || frozen->parked + 1 == frozen->runs->ranks)
		return false;
	body_share(frozen->body, rank, image);
	frozen->images[rank] = image;
	frozen->shared[rank] = true;
	frozen->rank_bytes += body_bytes(frozen->body, rank);
	frozen->answered[rank] = true;
	frozen->parked++;
	return true;
}

static void keep_shared(struct frozen *frozen)
{
	struct runs *runs = frozen->runs;
	const struct frozen *before = last_of(runs, frozen->body, false);
	g_autoptr(GError) error = NULL;

	frozen->memory = runs->host->operations->snapshot_of_world(runs->host, frozen->directory,
	                                                           before ? before->memory : NULL,
	                                                           &frozen->shared_bytes, &error);
	if (!frozen->memory || !runs->host->operations->snapshot_complete(frozen->memory, &error))
		frozen->hazard = g_strdup(error->message);
}

struct frozen *image_begin(struct execution *execution)
{
	struct frozen *frozen = frozen_new(execution);
	struct wire_message order = {.type = WIRE_IMAGE};
	int ranks = execution->runs->ranks;

	frozen->images = g_new0(guint32, ranks);
	frozen->shared = g_new0(bool, ranks);
	frozen->body = body_use(execution->body);
	frozen->still = body_is_still_whole(frozen->body);
	order.image.goes_on = frozen->still;
	for (int rank = 0; rank < ranks; rank++)
		if (!share(frozen, rank))
			execution_order(execution, rank, &order);
	if (frozen->still)
		keep_shared(frozen);
	return frozen;
}

/* Ranks tell what all their images take: those before it have their share already. */
static void note_bytes(struct frozen *frozen)
{
	const GPtrArray *all = frozen->runs->frozen;
	guint64 before = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct frozen *other = all->pdata[i];

		if (other->images && other->body == frozen->body)
			before += other->rank_bytes;
	}
	frozen->rank_bytes -= MIN(before, frozen->rank_bytes);
}

/* The next snapshot is measured by the way from here. */
static void note_kept(struct execution *execution, const struct frozen *frozen)
{
	if (!execution->strategy->stays)
		return;
	execution->before = frozen->behind;
	execution->restored = execution_now(execution);
	execution->waited = 0;
	execution->moved = false;
}

static void give_up(struct execution *execution, struct frozen *frozen)
{
	bool wanted = frozen->wanted;

	execution->runs->image_refusals++;
	execution->no_image = true;
	image_forget(frozen);
	frozen_release(frozen);
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
	struct frozen *frozen = execution->parking;

	if (!frozen || !frozen->images || frozen->answered[rank]
	    || imaged->image >= WIRE_IMAGES_MAX) {
		/* Where it was given up meanwhile, it may have been under way. */
		if (!execution->result.again && !execution->result.cut_short)
			runs_fail(runs, "rank %d said something impossible: an image", rank);
		return;
	}
	frozen->answered[rank] = true;
	frozen->images[rank] = imaged->image;
	body_imaged(frozen->body, rank, imaged->image, imaged->still, imaged->bytes);
	frozen->rank_bytes += imaged->bytes;
	if ((!imaged->image || (imaged->hazard && *imaged->hazard)) && !frozen->hazard)
		frozen->hazard = g_strdup_printf("rank %d: %s", rank, imaged->hazard);
	if (++frozen->parked < runs->ranks)
		return;
	execution->parking = NULL;
	execution->result.state = EXECUTION_RUNNING;
	if (!frozen->hazard && !frozen->still)
		keep_shared(frozen);
	for (int one = 0; !frozen->still && one < runs->ranks; one++)
		if (!frozen->shared[one])
			welcome(execution, one);
	if (frozen->hazard) {
		log_debug(LOG_SNAPSHOTS, "no image of world %u: %s", execution->number,
		          frozen->hazard);
		give_up(execution, frozen);
	} else {
		runs->image_refusals = 0;
		note_bytes(frozen);
		frozen_enter_set(frozen);
		note_kept(execution, frozen);
	}
	if (execution->result.state == EXECUTION_RUNNING && world_holds(execution->world))
		world_let_held_go(execution->world);
}

void image_forget(struct frozen *frozen)
{
	struct host_link **links = NULL;
	GHashTableIter iter;
	void *value;

	for (guint i = 0; frozen->parent && i < frozen->parent->spares->len; i++) {
		const struct spare *spare = frozen->parent->spares->pdata[i];

		if (spare->body == frozen->body)
			links = spare->links;
	}
	g_hash_table_iter_init(&iter, frozen->runs->all);
	while (!links && g_hash_table_iter_next(&iter, NULL, &value)) {
		struct execution *execution = value;

		if (execution->body == frozen->body && execution->result.state == EXECUTION_RUNNING)
			links = execution->links;
	}
	for (int rank = 0; rank < frozen->runs->ranks; rank++)
		if (frozen->images[rank] && body_forget(frozen->body, rank, frozen->images[rank])
		    && links)
			host_send(links[rank],
			          &(struct wire_message){.type = WIRE_FORGET,
			                                 .forget = frozen->images[rank]});
}

/* --- gone back to ----------------------------------------------------------------------------- */

bool image_has_any(const struct runs *runs, const struct body *body)
{
	return last_of(runs, body, false) != NULL;
}

bool image_any_named(const struct runs *runs, const struct body *body)
{
	return last_of(runs, body, true) != NULL;
}

bool image_serves(const struct frozen *frozen)
{
	return !body_is_lost(frozen->body) && spare_find(frozen->parent, frozen->body) != NULL;
}

static bool put_shared_back(const struct frozen *frozen, struct execution *execution)
{
	g_autoptr(GError) error = NULL;

	if (frozen->runs->host->operations->snapshot_rewind(frozen->memory, execution->directory,
	                                                    &error))
		return true;
	log_debug(LOG_SNAPSHOTS, "an image is lost: %s", error->message);
	body_lose(execution->body);
	execution->result.again = true;
	return false;
}

void image_restore(struct frozen *frozen, struct execution *execution)
{
	struct runs *runs = frozen->runs;
	struct spare *spare = spare_take_body(frozen->parent, frozen->body);
	const bool still = body_is_still_whole(frozen->body);

	log_debug(LOG_SNAPSHOTS, "rewinding world %u to an image%s", spare->number,
	          still ? ", and first orders go ahead" : "");
	execution_place(execution, spare->number, spare->directory, frozen->parent);
	execution->rewound = true;
	naming_release(&execution->naming);
	naming_copy(&execution->naming, &frozen->naming, runs->ranks);
	execution_set_body(execution, body_use(frozen->body));
	execution->stood = frozen->stood + execution->started - frozen->parked_at;
	execution->before = frozen->behind;
	spare->execution = execution;
	execution->spare = spare;
	if (still && !put_shared_back(frozen, execution))
		return;
	if (!still) {
		execution->image = frozen;
		frozen->children++;
	}
	spare_rewind_to_images(spare, frozen->images, still);
}

void image_connected(struct execution *execution)
{
	struct frozen *frozen = g_steal_pointer(&execution->image);

	frozen->children--;
	if (!put_shared_back(frozen, execution))
		return;
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (!body_is_owed(execution->body, rank))
			welcome(execution, rank);
}

/* --- given up --------------------------------------------------------------------------------- */

static bool stands(const struct execution *execution, int rank)
{
	enum world_phase phase = world_phase(execution->world, rank);

	return execution->links[rank] && (phase == PHASE_BLOCKED || phase == PHASE_HELD)
	       && !execution->ends[rank].known && !execution->ends[rank].deaf;
}

bool image_stand(struct execution *execution)
{
	const struct wire_held held = {0};
	int ranks = execution->runs->ranks;

	/* Where there are windows they drive MPI all the time (shim/gate.c): while others are put
	 * back, what they share would be in motion. */
	if (execution->result.state != EXECUTION_RUNNING || world_has_threads(execution->world)
	    || world_has_windows(execution->world) || !image_is_possible(execution)
	    || !last_of(execution->runs, execution->body, false))
		return false;
	for (int rank = 0; rank < ranks; rank++)
		if (!stands(execution, rank))
			return false;
	execution_tell_stop(execution);
	execution->result.state = EXECUTION_ENDING;
	execution->ending_since = execution_now(execution);
	for (int rank = 0; rank < ranks; rank++)
		spare_rank_held(execution, rank, &held);
	return true;
}
