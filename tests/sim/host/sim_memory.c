/* Memory of the simulated host: its amount, so small that some snapshots have to be given up; and
 * the windows of a world, which its ranks share and snapshots contain. */
#include <string.h>

#include "sim_internal.h"

#define PROCESS_BYTES_MOST ((gint64)4 << 20)
#define FREE_BYTES_MOST ((gint64)64 << 20)

guint64 sim_memory_of(struct host *host, pid_t pid)
{
	g_assert_nonnull(sim_find(sim_of(host), pid));
	return (guint64)sim_draw(sim_of(host), PROCESS_BYTES_MOST);
}

guint64 sim_memory_free(struct host *host)
{
	return (guint64)sim_draw(sim_of(host), FREE_BYTES_MOST);
}

struct memory_pressure sim_memory_pressure(struct host *host)
{
	return (struct memory_pressure){.machine = sim_of(host)->starved};
}

/* --- shared memory ---------------------------------------------------------------------------- */

struct fake_memory *sim_shared(struct sim *sim, guint32 world)
{
	struct fake_memory *memory = g_hash_table_lookup(sim->shared, GUINT_TO_POINTER(world));

	if (!memory) {
		memory = g_new0(struct fake_memory, 1);
		g_hash_table_insert(sim->shared, GUINT_TO_POINTER(world), memory);
	}
	return memory;
}

void sim_shared_remove(struct sim *sim, guint32 world)
{
	g_hash_table_remove(sim->shared, GUINT_TO_POINTER(world));
}

void sim_shared_rename(struct sim *sim, guint32 from, guint32 to)
{
	*sim_shared(sim, to) = *sim_shared(sim, from);
	sim_shared_remove(sim, from);
}

guint64 *sim_idle(struct sim *sim, guint32 world)
{
	guint64 *idle_time = g_hash_table_lookup(sim->idle_time, GUINT_TO_POINTER(world));

	if (!idle_time) {
		idle_time = g_new0(guint64, 1);
		g_hash_table_insert(sim->idle_time, GUINT_TO_POINTER(world), idle_time);
	}
	return idle_time;
}

/* The world that has this directory. */
static guint32 world_of(const char *directory)
{
	g_autofree char *name = g_path_get_basename(directory);

	g_assert_cmpint(name[0], ==, 'w');
	return (guint32)g_ascii_strtoull(name + 1, NULL, 10);
}

/* --- snapshots -------------------------------------------------------------------------------- */

struct host_snapshot {
	struct sim *sim;
	guint32 world;
	int parked;
	bool of_images; /* a snapshot of images: its ranks continue */
	struct fake_memory shared;
};

/* Shared memory is in motion while any rank of the world executes MPI. */
static void assert_no_progress(const struct sim *sim, guint32 world)
{
	for (guint i = 0; i < sim->processes->len; i++) {
		const struct sim_process *process = sim->processes->pdata[i];

		g_assert_true(process->world != world || process->dead || process->keeps
		              || process->held || process->ends || process->awaits_welcome
		              || process->idle);
	}
}

struct host_snapshot *sim_snapshot_new(struct host *host, int ranks, const char *directory)
{
	struct host_snapshot *snapshot = g_new0(struct host_snapshot, 1);

	(void)ranks;
	snapshot->sim = sim_of(host);
	snapshot->world = world_of(directory);
	return snapshot;
}

struct host_snapshot *sim_snapshot_of_world(struct host *host, const char *directory,
                                            const struct host_snapshot *before, guint64 *ret_bytes,
                                            GError **error)
{
	struct host_snapshot *snapshot;

	(void)before;
	assert_no_progress(sim_of(host), world_of(directory));
	if (sim_goes_wrong(sim_of(host), SIM_NO_MEMORY, 10)) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "no room for an image");
		return NULL;
	}
	snapshot = sim_snapshot_new(host, 0, directory);
	snapshot->of_images = true;
	*ret_bytes = sizeof(struct fake_memory);
	return snapshot;
}

void sim_snapshot_add(struct host_snapshot *snapshot, int rank, pid_t pid,
                      const struct wire_parked *parked)
{
	(void)rank;
	(void)parked;
	g_assert_nonnull(sim_find(snapshot->sim, pid));
	snapshot->parked++;
}

bool sim_snapshot_complete(struct host_snapshot *snapshot, GError **error)
{
	(void)error;
	g_assert_cmpint(snapshot->parked, ==,
	                snapshot->of_images ? 0 : snapshot->sim->options.program->ranks);
	snapshot->shared = *sim_shared(snapshot->sim, snapshot->world);
	return true;
}

/* Fills the memory of the world. If that fails, no rank may use the contents. */
static bool fill(const struct host_snapshot *snapshot, const char *directory, enum sim_fault fault,
                 const char *why, GError **error)
{
	struct fake_memory *memory = sim_shared(snapshot->sim, world_of(directory));

	*memory = snapshot->shared;
	if (!sim_goes_wrong(snapshot->sim, fault, 10))
		return true;
	memset(memory, 0x7f, sizeof(*memory));
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "%s", why);
	return false;
}

bool sim_snapshot_restore(struct host_snapshot *snapshot, const char *directory, GError **error)
{
	g_assert_false(snapshot->of_images);
	return fill(snapshot, directory, SIM_NO_MEMORY, "no room for a copy of the memory", error);
}

bool sim_snapshot_rewind(struct host_snapshot *snapshot, const char *directory, GError **error)
{
	g_assert_true(g_file_test(directory, G_FILE_TEST_IS_DIR));
	if (snapshot->of_images)
		assert_no_progress(snapshot->sim, world_of(directory));
	return fill(snapshot, directory, SIM_NO_ROOM, "no room to rewrite the memory", error);
}

guint32 sim_snapshot_clones(const struct host_snapshot *snapshot, int rank,
                            struct wire_clone **ret_list)
{
	(void)snapshot;
	(void)rank;
	*ret_list = NULL;
	return 0;
}

void sim_snapshot_free(struct host_snapshot *snapshot)
{
	g_free(snapshot);
}
