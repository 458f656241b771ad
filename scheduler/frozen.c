#include "frozen.h"

#include <signal.h>
#include <string.h>

#include "log.h"
#include "offspring.h"
#include "session_internal.h"

struct frozen *frozen_park(struct execution *execution)
{
	struct session *session = execution->session;
	struct frozen *frozen = g_new0(struct frozen, 1);
	int ranks = session->options->ranks;

	frozen->session = session;
	frozen->world = world_copy(execution->world, world_options(execution->world), NULL);
	frozen->number = execution->number;
	frozen->directory = g_strdup(execution->directory);
	frozen->launched = execution->launched;
	frozen->started = execution->started;
	frozen->parent = execution->from;
	frozen->links = g_memdup2(execution->links, (gsize)ranks * sizeof(*frozen->links));
	frozen->pids = g_memdup2(execution->pids, (gsize)ranks * sizeof(*frozen->pids));
	frozen->answered = g_new0(gboolean, ranks);
	frozen->clones = clone_plan_new((guint)ranks, frozen->directory);
	log_debug(LOG_SNAPSHOT, "parking world %u after %u choices", frozen->number,
	          world_choices(frozen->world)->len);
	if (frozen->parent)
		frozen->parent->children++;
	if (frozen->launched) /* what becomes of them no longer depends on this execution */
		session->launcher = g_steal_pointer(&execution->launcher);
	for (int rank = 0; rank < ranks; rank++)
		link_send(frozen->links[rank], &(struct wire_message){.type = WIRE_PARK});
	return frozen;
}

/* The keys by which plans find this snapshot: its choices, and the buffering unless nothing has
 * been sent yet. */
static GArray *keys_of(const struct frozen *frozen)
{
	const GArray *choices = world_choices(frozen->world);
	GArray *keys = g_array_new(FALSE, FALSE, sizeof(guint64));
	guint64 key = session_buffering_key(world_options(frozen->world)->buffering);

	if (frozen->launched)
		return keys;
	g_array_append_val(keys, key);
	for (guint i = 0; i < choices->len; i++) {
		key = session_choice_key(&g_array_index(choices, struct choice, i));
		g_array_append_val(keys, key);
	}
	return keys;
}

static void enter_set(struct frozen *frozen)
{
	struct session *session = frozen->session;
	g_autoptr(GArray) keys = keys_of(frozen);
	double seconds = (double)(g_get_monotonic_time() - frozen->started) / G_USEC_PER_SEC;

	for (int rank = 0; rank < session->options->ranks; rank++)
		link_assign(frozen->links[rank], LINK_KEEPER, frozen, rank);
	frozen->snapshot = snapshot_set_add(session->set, (const guint64 *)(void *)keys->data,
	                                    keys->len, frozen->pids, (guint)session->options->ranks,
	                                    seconds, frozen);
	g_ptr_array_add(session->frozen, frozen);
	if (!session->root) {
		session->root = frozen;
		offspring_keep();
	}
}

static void keep_files(struct frozen *frozen)
{
	g_autoptr(GError) error = NULL;

	if (frozen->hazard || !frozen->session->journal)
		return;
	frozen->files = journal_save(frozen->session->journal, &error);
	if (!frozen->files)
		frozen->hazard = g_strdup(error->message);
}

gboolean frozen_parked(struct frozen *frozen, int rank, const struct wire_parked *parked)
{
	g_autofree struct agent_mapping *mappings = g_new0(struct agent_mapping, parked->count + 1);

	for (uint32_t i = 0; i < parked->count; i++) {
		const struct wire_mapping *from = &parked->mappings[i];

		mappings[i] = (struct agent_mapping){from->start,  from->length, from->offset,
		                                     from->device, from->inode,  from->protection};
	}
	clone_plan_add(frozen->clones, (guint)rank, frozen->pids[rank], mappings, parked->count);
	if (parked->hazard && *parked->hazard && !frozen->hazard)
		frozen->hazard = g_strdup_printf("rank %d: %s", rank, parked->hazard);
	frozen->parked++;
	frozen->answered[rank] = TRUE;
	if (frozen->parked < frozen->session->options->ranks)
		return FALSE;
	keep_files(frozen);
	if (!frozen->hazard)
		enter_set(frozen);
	return TRUE;
}

void frozen_let_go(struct execution *execution)
{
	if (execution->from)
		execution->from->children--;
	execution->from = NULL;
}

/* All go when a job ends, the copies of which have ended, too. */
static void forget(struct frozen *frozen)
{
	GHashTableIter iter;
	void *execution;

	g_hash_table_iter_init(&iter, frozen->session->executions);
	while (g_hash_table_iter_next(&iter, NULL, &execution))
		if (((struct execution *)execution)->from == frozen)
			frozen_let_go(execution);
}

static void frozen_free(struct frozen *frozen)
{
	if (frozen->children > 0)
		forget(frozen);
	if (frozen->parent)
		frozen->parent->children--;
	world_free(frozen->world);
	clone_plan_free(frozen->clones);
	journal_state_free(frozen->files);
	g_free(frozen->directory);
	g_free(frozen->hazard);
	g_free(frozen->answered);
	g_free(frozen->links);
	g_free(frozen->pids);
	g_free(frozen);
}

void frozen_resume(struct frozen *frozen, struct execution *execution)
{
	for (int rank = 0; rank < frozen->session->options->ranks; rank++)
		link_send(frozen->links[rank], &(struct wire_message){.type = WIRE_RESUME});
	if (frozen->launched)
		execution->launcher = g_steal_pointer(&frozen->session->launcher);
	frozen_free(frozen);
	execution->state = world_calls(execution->world, 0) > 1 ? EXECUTION_RUNNING
	                                                        : EXECUTION_STARTING;
}

static void order_restore(struct frozen *frozen, int rank, struct execution *execution)
{
	struct wire_message message = {.type = WIRE_RESTORE};
	const struct agent_clone *clones;
	gsize count = clone_plan_rank(frozen->clones, (guint)rank, &clones);
	g_autofree struct wire_clone *list = g_new0(struct wire_clone, count + 1);

	for (gsize i = 0; i < count; i++)
		list[i] = (struct wire_clone){clones[i].start, clones[i].length, clones[i].offset,
		                              clones[i].protection, clones[i].file};
	message.restore.world = execution->number;
	message.restore.rank = rank;
	message.restore.directory = execution->directory;
	message.restore.count = (uint32_t)count;
	message.restore.clones = list;
	link_send(frozen->links[rank], &message);
}

gboolean frozen_restore(struct frozen *frozen, struct execution *execution, GError **error)
{
	struct session *session = frozen->session;
	guint32 number = session->next_world++;
	g_autofree char *directory = run_directory_add_world(session->directory, number, error);

	if (!directory)
		return FALSE;
	log_debug(LOG_SNAPSHOT, "restoring world %u as %u", frozen->number, number);
	execution_place(execution, number, directory, frozen);
	if (!clone_plan_write(frozen->clones, directory, error))
		return FALSE;
	for (int rank = 0; rank < session->options->ranks; rank++)
		order_restore(frozen, rank, execution);
	return TRUE;
}

void frozen_release(struct frozen *frozen)
{
	struct wire_message release = {.type = WIRE_RELEASE};

	if (!frozen)
		return;
	log_debug(LOG_SNAPSHOT, "releasing world %u", frozen->number);
	if (frozen->snapshot)
		snapshot_set_remove(frozen->session->set, frozen->snapshot);
	g_ptr_array_remove(frozen->session->frozen, frozen);
	if (frozen->session->root == frozen)
		frozen->session->root = NULL;
	for (int rank = 0; rank < frozen->session->options->ranks; rank++) {
		if (!frozen->links[rank])
			continue;
		link_send(frozen->links[rank], &release);
		link_assign(frozen->links[rank], LINK_IGNORED, frozen->session, rank);
	}
	if (!frozen->launched)
		run_directory_remove_world(frozen->session->directory, frozen->number);
	frozen_free(frozen);
}
