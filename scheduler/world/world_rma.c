/* One-sided communication: what the ranks report of it, and which accesses conflict. */
#include "world_rma.h"

#include "communicators.h"
#include "explorer/rank_name.h"
#include "file_order.h"
#include "mpi_calls.h"
#include "rma.h"
#include "rma_fingerprint.h"
#include "rma_range.h"
#include "windows.h"
#include "world_context.h"
#include "world_types.h"

struct world_rma {
	struct rma_log *accesses;
	struct rma_uncertain uncertain; /* of the last search for conflicts */
	bool unseen, seen;              /* see world_has_unseen, world_has_seen */
};

struct world_rma *world_rma_new(void)
{
	struct world_rma *rma = g_new0(struct world_rma, 1);

	rma->accesses = rma_log_new();
	return rma;
}

struct world_rma *world_rma_copy(const struct world_rma *from)
{
	struct world_rma *to = g_memdup2(from, sizeof(*from));

	to->accesses = rma_log_copy(from->accesses);
	return to;
}

void world_rma_free(struct world_rma *rma)
{
	rma_log_free(rma->accesses);
	g_free(rma);
}

static int to_world(void *world, guint64 window, int rank, int target)
{
	return communicators_to_world(world_comms(world), window, rank, target);
}

/* What has become of memory that a call uses at its origin. NULL: the record is about something
 * else. */
static const char *change_of(const struct wire_access *access)
{
	const bool reads = access->flags & WIRE_ACCESS_WRITES;

	switch (access->kind) {
	case WIRE_ACCESS_CHANGED:
		return reads ? "reads its own memory, which the program changes before that is "
		               "complete"
		             : "fetches into its own memory, which the program changes before that "
		               "is complete";
	case WIRE_ACCESS_FREED:
		return reads ? "reads its own memory, which is freed before that is complete"
		             : "fetches into its own memory, which is freed before that is "
		               "complete";
	case WIRE_ACCESS_LEFT:
		return reads ? "reads a variable of a function that returns before that is "
		               "complete"
		             : "fetches into a variable of a function that returns before that is "
		               "complete";
	default: return NULL;
	}
}

/* The memory has changed before the call was complete at its origin. `by` is the call that
 * completes it, if it comes right after. */
static void on_changed(struct world *world, int rank, const struct wire_access *access,
                       const struct wire_access *by)
{
	struct remark remark = {.kind = FINDING_RMA_CONFLICT, .count = 1};

	remark.parties[0] = (struct remark_party){
		.rank = rank,
		.function = access->function,
		.site = access->site,
		.does = change_of(access),
	};
	if (by && by->site != 0) {
		remark.count = 2;
		remark.parties[1] = (struct remark_party){.rank = rank,
		                                          .function = by->function,
		                                          .site = by->site,
		                                          .does = "completes it"};
	}
	world_remark(world, &remark);
}

/* Whether the rank may learn from memory alone what others have done to windows: it looks into its
 * own window, or reads where others may write at the same time. What it does next may depend on
 * that. */
static bool may_learn(const struct world *world, int rank, const struct wire_access *access)
{
	int target = access->target == WIRE_ANY
	                     ? WINDOWS_ALL
	                     : to_world((void *)world, access->window, rank, access->target);

	if (access->kind == WIRE_ACCESS_LOOK)
		return true;
	return access->kind == WIRE_ACCESS_DATA && access->flags & WIRE_ACCESS_READS
	       && (windows_shares(world_locks(world), rank, access->window, target)
	           || (access->flags & WIRE_ACCESS_ATOMIC
	               && !windows_holds(world_locks(world), rank, access->window, target)));
}

static bool any_may_learn(const struct world *world, int rank, const struct wire_accesses *accesses)
{
	for (uint32_t i = 0; i < accesses->count; i++)
		if (may_learn(world, rank, &accesses->list[i]))
			return true;
	return false;
}

/* A window of several ranks, with memory. */
static void note_window(struct world *world, int rank, const struct wire_access *access)
{
	struct world_rma *rma = world_rma(world);

	if (access->kind != WIRE_ACCESS_WINDOW
	    || (access->part_count > 0 && access->parts[0].length == 0)
	    || communicators_peers(world_comms(world), access->window, rank) < 2)
		return;
	if (access->flags & WIRE_WINDOW_SEEN)
		rma->seen = true;
	else
		rma->unseen = true;
}

bool world_accesses(struct world *world, int rank, const struct wire_accesses *accesses,
                    GError **error)
{
	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_ACCESSES, .accesses = *accesses});
	for (uint32_t i = 0; i < accesses->count; i++) {
		const struct wire_access *access = &accesses->list[i];

		if (!communicators_known(world_comms(world), access->window)
		    || !communicators_is_member(world_comms(world), access->window, rank))
			return world_refuse(error, rank, "an access to an unknown window");
		if (access->target != WIRE_ANY
		    && to_world(world, access->window, rank, access->target) < 0)
			return world_refuse(error, rank, "an access outside the window's group");
		if (access->function >= MPI_CALL_COUNT)
			return world_refuse(error, rank, "a call that does not exist");
	}
	for (uint32_t i = 0; i < accesses->count; i++) {
		uint32_t next = i;

		note_window(world, rank, &accesses->list[i]);
		while (next < accesses->count && change_of(&accesses->list[next]))
			next++;
		if (accesses->list[i].kind == WIRE_ACCESS_FLUSH)
			windows_note_flush(world_locks(world), rank, accesses->list[i].window);
		if (change_of(&accesses->list[i]))
			on_changed(world, rank, &accesses->list[i],
			           next < accesses->count ? &accesses->list[next] : NULL);
	}
	if (world_options(world)->every_call_waits && any_may_learn(world, rank, accesses))
		world_note_learnt(world, rank);
	rma_log_add(world_rma(world)->accesses, rank, trace_count(world_trace(world)), accesses,
	            to_world, world);
	return true;
}

/* "writes 4 bytes at displacement 2 of rank 1's window" */
static char *describe_side(const struct rma_side *side)
{
	bool updates = side->access->flags & WIRE_ACCESS_ATOMIC && side->writes;

	if (side->access->flags & WIRE_ACCESS_DIRECT)
		return g_strdup_printf("%s %" G_GUINT64_FORMAT " bytes %s rank %s's window",
		                       side->writes ? "stores" : "loads", side->bytes,
		                       side->writes ? "in" : "from", rank_name(side->memory));
	if (side->access->kind == WIRE_ACCESS_LOCAL)
		return g_strdup_printf(
			side->writes ? "receives %" G_GUINT64_FORMAT " bytes into rank %s's window"
				     : "sends %" G_GUINT64_FORMAT " bytes of rank %s's window",
			side->bytes, rank_name(side->memory));
	if (side->own)
		return g_strdup_printf(
			side->writes ? "fetches %" G_GUINT64_FORMAT " bytes into its own memory"
				     : "reads %" G_GUINT64_FORMAT " bytes of its own memory",
			side->bytes);
	return g_strdup_printf("%s %" G_GUINT64_FORMAT " bytes at displacement %" G_GINT64_FORMAT
	                       " of rank %s's window",
	                       updates        ? "updates"
	                       : side->writes ? "writes"
	                                      : "reads",
	                       side->bytes, side->access->displacement, rank_name(side->memory));
}

static const char *action_of(const struct rma_side *side)
{
	if (!(side->access->flags & WIRE_ACCESS_DIRECT))
		return NULL;
	return side->writes ? "store" : "load";
}

static struct remark_party party_of(const struct rma_side *side, const char *does)
{
	return (struct remark_party){
		.rank = side->rank,
		.function = side->access->function,
		.action = action_of(side),
		.site = side->access->site,
		.does = does,
	};
}

/* Receives the remarks on conflicts. */
struct remark_sink {
	void (*add)(void *user, const struct remark *remark);
	void *user;
};

static void on_conflict(void *user, const struct rma_side sides[2])
{
	const struct remark_sink *remark_sink = user;
	g_autofree char *first = describe_side(&sides[0]), *then = describe_side(&sides[1]);
	g_autofree char *second = g_strdup_printf("%s, %s", then,
	                                          sides[0].rank == sides[1].rank
	                                                  ? "before the first is complete"
	                                                  : "and nothing orders the two");
	struct remark remark = {.kind = FINDING_RMA_CONFLICT, .count = 2};

	remark.parties[0] = party_of(&sides[0], first);
	remark.parties[1] = party_of(&sides[1], second);
	remark_sink->add(remark_sink->user, &remark);
}

static void on_beyond(void *user, const struct rma_beyond *beyond)
{
	const struct remark_sink *remark_sink = user;
	struct rma_side side = {
		.access = beyond->access,
		.rank = beyond->rank,
		.memory = beyond->target,
		.writes = (beyond->access->flags & WIRE_ACCESS_WRITES) != 0,
		.bytes = beyond->bytes,
	};
	g_autofree char *access = describe_side(&side);
	g_autofree char *does = g_strdup_printf(
		"%s: bytes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
		" of a window of %" G_GUINT64_FORMAT " bytes",
		access, beyond->first, beyond->last, beyond->place->size);
	struct remark remark = {.kind = FINDING_RMA_RANGE, .count = 1};

	remark.parties[0] = party_of(&side, does);
	remark_sink->add(remark_sink->user, &remark);
}

static void add_to_world(void *world, const struct remark *remark)
{
	world_remark(world, remark);
}

void world_find_conflicts(struct world *world)
{
	struct world_rma *rma = world_rma(world);
	struct remark_sink remark_sink = {add_to_world, world};
	struct file_order order;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_CONFLICTS});
	world_look_at_modes(world);
	order = file_order_find(rma->accesses, world_trace(world), world_options(world)->ranks);
	if (order.pointer)
		world_limit(world, LIMIT_FILE_POINTER);
	if (order.accesses)
		world_limit(world, LIMIT_FILE_ACCESSES);
	if (!world_has_accesses(world))
		return;
	rma_find_beyond(rma->accesses, world_options(world)->ranks, on_beyond, &remark_sink);
	rma_find(rma->accesses, world_trace(world), world_options(world)->ranks, on_conflict,
	         &remark_sink, &rma->uncertain);
}

bool world_has_accesses(const struct world *world)
{
	return rma_log_moves(world_rma(world)->accesses) > 0;
}

bool world_has_unseen(const struct world *world)
{
	return world_rma(world)->unseen;
}

bool world_has_seen(const struct world *world)
{
	return world_rma(world)->seen;
}

const struct rma_uncertain *world_finds_invalid(const struct world *world)
{
	return &world_rma(world)->uncertain;
}

/* --- what still matters ----------------------------------------------------------------------- */

/* Equal remarks count once. */
static void add_to_set(void *set, const struct remark *remark)
{
	struct state_hash name = {{0, 0}};

	remark_fingerprint(remark, &name);
	g_hash_table_add(set, g_memdup2(&name, sizeof(name)));
}

const char *world_rma_fingerprint(const struct world *world, const struct rma_namer *namer,
                                  struct state_hash *ret)
{
	const struct rma_log *log = world_rma(world)->accesses;
	const int ranks = world_options(world)->ranks;
	g_autoptr(GHashTable)
		remarks = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
	struct remark_sink remark_sink = {add_to_set, remarks};
	struct state_hash sum = {{0, 0}};
	GHashTableIter iter;
	gpointer name;
	const char *why = rma_fingerprint(log, world_trace(world), ranks, namer, on_conflict,
	                                  &remark_sink, ret);

	if (why)
		return why;
	rma_find_beyond(log, ranks, on_beyond, &remark_sink);
	g_hash_table_iter_init(&iter, remarks);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		state_hash_add_member(&sum, name);
	state_hash_add(ret, g_hash_table_size(remarks));
	state_hash_add(ret, sum.word[0]);
	state_hash_add(ret, sum.word[1]);
	return NULL;
}
