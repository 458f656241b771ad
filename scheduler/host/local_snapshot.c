/* Saves and restores the memory that ranks share, the files that they have changed, and the names
 * that they have published. */
#include "ckpt/clone_plan.h"
#include "ckpt/world_image.h"
#include "local_internal.h"

struct host_snapshot {
	struct local *local;
	struct clone_plan *clones;   /* of parked ranks */
	struct world_image *image;   /* or of a world that goes on */
	struct journal_state *files; /* NULL: files are not put back */
	guint32 world;               /* whose snapshot it is */
	GHashTable *names;           /* see pmi_server_names */
};

struct host_snapshot *local_snapshot_new(struct host *host, int ranks, const char *directory)
{
	struct host_snapshot *snapshot = g_new0(struct host_snapshot, 1);

	snapshot->local = local_of(host);
	snapshot->clones = clone_plan_new((guint)ranks, directory);
	snapshot->world = run_directory_world_of(directory);
	return snapshot;
}

struct host_snapshot *local_snapshot_of_world(struct host *host, const char *directory,
                                              const struct host_snapshot *before,
                                              guint64 *ret_bytes, GError **error)
{
	struct world_image *image = world_image_take(directory, before ? before->image : NULL,
	                                             local_of(host)->files, error);
	struct host_snapshot *snapshot = image ? local_snapshot_new(host, 0, directory) : NULL;

	if (snapshot)
		snapshot->image = image;
	if (snapshot)
		*ret_bytes = world_image_bytes(image);
	return snapshot;
}

void local_snapshot_add(struct host_snapshot *snapshot, int rank, pid_t process,
                        const struct wire_parked *parked)
{
	g_autofree struct agent_mapping *mappings = g_new0(struct agent_mapping, parked->count + 1);

	for (uint32_t i = 0; i < parked->count; i++) {
		const struct wire_mapping *from = &parked->mappings[i];

		mappings[i] = (struct agent_mapping){from->start,  from->length, from->offset,
		                                     from->device, from->inode,  from->protection};
	}
	clone_plan_add(snapshot->clones, (guint)rank, process, mappings, parked->count);
}

bool local_snapshot_complete(struct host_snapshot *snapshot, GError **error)
{
	if (snapshot->local->pmi)
		snapshot->names = pmi_server_names(snapshot->local->pmi, snapshot->world);
	if (!snapshot->local->options.journal)
		return true;
	snapshot->files = journal_save(snapshot->local->options.journal, error);
	return snapshot->files != NULL;
}

static void restore_names(const struct host_snapshot *snapshot, const char *directory)
{
	if (snapshot->local->pmi)
		pmi_server_set_names(snapshot->local->pmi, run_directory_world_of(directory),
		                     snapshot->names);
}

bool local_snapshot_restore(struct host_snapshot *snapshot, const char *directory, GError **error)
{
	restore_names(snapshot, directory);
	return clone_plan_write(snapshot->clones, directory, error);
}

bool local_snapshot_rewind(struct host_snapshot *snapshot, const char *directory, GError **error)
{
	restore_names(snapshot, directory);
	if (snapshot->image)
		return world_image_put(snapshot->image, directory, snapshot->local->files, error);
	if (!output_place_begin(snapshot->local->options.output, directory, error))
		return false;
	return clone_plan_rewrite(snapshot->clones, directory, snapshot->local->files, error);
}

guint32 local_snapshot_clones(const struct host_snapshot *snapshot, int rank,
                              struct wire_clone **ret_list)
{
	const struct agent_clone *clones;
	gsize count = clone_plan_rank(snapshot->clones, (guint)rank, &clones);
	struct wire_clone *list = g_new0(struct wire_clone, count + 1);

	for (gsize i = 0; i < count; i++)
		list[i] = (struct wire_clone){clones[i].start, clones[i].length, clones[i].offset,
		                              clones[i].protection, clones[i].file};
	*ret_list = list;
	return (guint32)count;
}

void local_snapshot_free(struct host_snapshot *snapshot)
{
	clone_plan_free(snapshot->clones);
	world_image_free(snapshot->image);
	journal_state_free(snapshot->files);
	g_clear_pointer(&snapshot->names, g_hash_table_unref);
	g_free(snapshot);
}

void local_put_files_back(struct host *host, const struct host_snapshot *snapshot)
{
	struct journal *journal = local_of(host)->options.journal;

	if (journal)
		journal_put_back(journal, snapshot ? snapshot->files : NULL);
}

void local_lives(struct host *host)
{
	struct journal *journal = local_of(host)->options.journal;

	if (journal)
		journal_lives(journal);
}
