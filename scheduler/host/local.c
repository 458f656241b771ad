#include "local.h"

#include <signal.h>
#include <unistd.h>

#include "ckpt/world_files.h"
#include "cluster.h"
#include "forked_start.h"
#include "launcher.h"
#include "local_internal.h"
#include "peer.h"
#include "process_table.h"

/* --- time ------------------------------------------------------------------------------------- */

struct host_timer {
	uv_timer_t timer;
	void (*expired)(void *user);
	void *user;
};

static gint64 now(struct host *host)
{
	(void)host;
	return g_get_monotonic_time();
}

static void on_timer(uv_timer_t *handle)
{
	struct host_timer *timer = handle->data;

	timer->expired(timer->user);
}

static struct host_timer *timer_new(struct host *host, void (*expired)(void *user), void *user)
{
	struct host_timer *timer = g_new0(struct host_timer, 1);

	uv_timer_init(&local_of(host)->loop, &timer->timer);
	timer->timer.data = timer;
	timer->expired = expired;
	timer->user = user;
	return timer;
}

static void timer_start(struct host_timer *timer, guint64 milliseconds)
{
	uv_timer_start(&timer->timer, on_timer, milliseconds, 0);
}

static void timer_stop(struct host_timer *timer)
{
	uv_timer_stop(&timer->timer);
}

static bool timer_is_active(const struct host_timer *timer)
{
	return uv_is_active((const uv_handle_t *)&timer->timer);
}

static void on_timer_closed(uv_handle_t *handle)
{
	g_free(handle->data);
}

static void timer_free(struct host_timer *timer)
{
	uv_close((uv_handle_t *)&timer->timer, on_timer_closed);
}

static void iterate(struct host *host)
{
	uv_run(&local_of(host)->loop, UV_RUN_ONCE);
}

static void drain(struct host *host)
{
	uv_run(&local_of(host)->loop, UV_RUN_DEFAULT);
}

/* --- connections ------------------------------------------------------------------------------ */

static void on_abort(void *user, guint32 world, int rank, int exit_code)
{
	const struct local *local = user;

	local->listener->aborted(local->user, world, rank, exit_code);
}

static int ranks_of_world(void *user, guint32 world)
{
	(void)world;
	return ((const struct local *)user)->options.ranks;
}

static int universe(void *user)
{
	return launcher_universe(((const struct local *)user)->options.launcher);
}

static bool knows(void *user, pid_t process)
{
	const struct local *local = user;

	return process == getpid() /* it relays for other machines */
	       || peer_belongs(process, run_directory_path(local->options.directory));
}

/* The job is begun again, by its launcher. */
static void on_stranger(void *user, pid_t process)
{
	const struct local *local = user;

	forked_start_meet(run_directory_path(local->options.directory),
	                  "the MPI library speaks another version of PMI than 1");
	if (process > 0)
		kill(process, SIGKILL);
}

static const struct pmi_handler pmi_handler = {on_abort, ranks_of_world, universe, knows,
                                               on_stranger};

static bool listen_to_ranks(struct host *host, const struct host_listener *listener, void *user,
                            GError **error)
{
	struct local *local = local_of(host);
	const struct local_options *options = &local->options;
	g_autofree char *pmi = run_directory_file(options->directory, RUN_DIRECTORY_PMI);
	const struct link_options links = {host, &local->loop,
	                                   run_directory_path(options->directory), listener, user};

	local->listener = listener;
	local->user = user;
	local->server = link_listen(&links, error);
	if (!local->server)
		return false;
	local->pmi = pmi_server_new(&local->loop, pmi, &pmi_handler, local, error);
	if (local->pmi && options->cluster)
		local->cluster = cluster_new(local, error);
	return local->pmi && (local->cluster || !options->cluster);
}

static void send_off(struct host *host)
{
	link_send_off(local_of(host)->server);
}

static void close_all(struct host *host)
{
	struct local *local = local_of(host);

	link_server_close(g_steal_pointer(&local->server));
	pmi_server_close(g_steal_pointer(&local->pmi));
	cluster_close(local->cluster);
}

/* --- worlds ----------------------------------------------------------------------------------- */

static char *world_add(struct host *host, guint32 world, GError **error)
{
	const struct local_options *options = &local_of(host)->options;
	g_autofree char *path = run_directory_add_world(options->directory, world, error);

	if (!path || output_place_begin(options->output, path, error))
		return g_steal_pointer(&path);
	run_directory_remove_world(options->directory, world);
	output_place_remove(options->output, world);
	return NULL;
}

static char *world_rename(struct host *host, guint32 from, guint32 to, const bool *stays, int ranks,
                          GError **error)
{
	struct local *local = local_of(host);
	g_autofree char *path = NULL;

	if (local->pmi)
		pmi_server_rename(local->pmi, from, to, stays, ranks);
	path = run_directory_rename_world(local->options.directory, from, to, error);
	return path && output_place_renamed(local->options.output, path, from, error)
	               ? g_steal_pointer(&path)
	               : NULL;
}

static void world_remove(struct host *host, guint32 world)
{
	struct local *local = local_of(host);

	process_table_forget(world);
	run_directory_remove_world(local->options.directory, world);
	output_place_remove(local->options.output, world);
	world_files_clear(local->files);
	if (local->pmi)
		pmi_server_forget(local->pmi, world);
}

static void output_to_disk(struct host *host)
{
	output_place_use_disk(local_of(host)->options.output);
}

/* --- memory ----------------------------------------------------------------------------------- */

static guint64 memory_free(struct host *host)
{
	(void)host;
	return uv_get_free_memory(); /* caches included */
}

static struct memory_pressure memory_pressure(struct host *host)
{
	(void)host;
	return memory_pressure_now();
}

/* --- the table -------------------------------------------------------------------------------- */

const struct host_operations local_operations = {
	.now = now,
	.timer_new = timer_new,
	.timer_start = timer_start,
	.timer_stop = timer_stop,
	.timer_is_active = timer_is_active,
	.timer_free = timer_free,
	.iterate = iterate,
	.drain = drain,
	.listen = listen_to_ranks,
	.close_all = close_all,
	.send = link_send,
	.send_off = send_off,
	.close = link_close,
	.has_unread = link_has_unread,
	.world_add = world_add,
	.world_remove = world_remove,
	.world_rename = world_rename,
	.output_to_disk = output_to_disk,
	.rank_output = local_rank_output,
	.room_of = local_room_of,
	.file_look = local_file_look,
	.file_read = local_file_read,
	.job_start = local_job_start,
	.job_restart = local_job_restart,
	.launched = local_launched,
	.job_is_running = local_job_is_running,
	.job_words = local_job_words,
	.job_signal = local_job_signal,
	.job_connected = local_job_connected,
	.job_disconnect_order = local_job_disconnect_order,
	.job_free = local_job_free,
	.program_calls = local_program_calls,
	.can_digest = local_can_digest,
	.kill = local_kill,
	.is_dead = local_is_dead,
	.parent = local_parent,
	.signal = local_signal,
	.tracing_of = local_tracing_of,
	.is_debugged = local_is_debugged,
	.interrupt = local_interrupt,
	.is_watched = local_is_watched,
	.show_processes = local_show_processes,
	.show_abort = local_show_abort,
	.read_memory = local_read_memory,
	.memory_of = local_memory_of,
	.works_on_disk = local_works_on_disk,
	.look_at_threads = local_look_at_threads,
	.other_threads = local_other_threads,
	.debuggee_of = local_debuggee_of,
	.stack_of = local_stack_of,
	.rank_without_process = local_rank_without_process,
	.end_left_behind = local_end_left_behind,
	.keep_left_behind = local_keep_left_behind,
	.memory_free = memory_free,
	.memory_pressure = memory_pressure,
	.place_of = local_place_of,
	.place_of_stack = local_place_of_stack,
	.frames_of = local_frames_of,
	.snapshot_new = local_snapshot_new,
	.snapshot_of_world = local_snapshot_of_world,
	.snapshot_add = local_snapshot_add,
	.snapshot_complete = local_snapshot_complete,
	.snapshot_restore = local_snapshot_restore,
	.snapshot_rewind = local_snapshot_rewind,
	.snapshot_clones = local_snapshot_clones,
	.snapshot_free = local_snapshot_free,
	.put_files_back = local_put_files_back,
	.lives = local_lives,
};

struct host *local_new(void)
{
	struct local *local = g_new0(struct local, 1);

	local->base.operations = &local_operations;
	local->lines = source_lines_new();
	local->files = world_files_new();
	uv_loop_init(&local->loop);
	return &local->base;
}

void local_open(struct host *host, const struct local_options *options)
{
	struct local *local = local_of(host);

	local->options = *options;
	local->options.shim = local->shim = g_strdup(options->shim);
	if (options->cluster)
		host->operations = cluster_operations();
}

uv_loop_t *local_loop(struct host *host)
{
	return &local_of(host)->loop;
}

void local_free(struct host *host)
{
	struct local *local = (struct local *)host;

	if (!local)
		return;
	cluster_free(local->cluster);
	uv_loop_close(&local->loop);
	source_lines_free(local->lines);
	world_files_free(local->files);
	g_free(local->shim);
	g_free(local->calls);
	g_free(local->launched);
	g_free(local);
}
