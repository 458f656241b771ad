#include "sim_host.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "sim_internal.h"

const char *const sim_fault_names[SIM_FAULTS] = {
	[SIM_RANK_KILLED] = "rank killed",
	[SIM_KEEPER_KILLED] = "keeper killed",
	[SIM_KILLED_PARKING] = "killed while parking",
	[SIM_CRASH_PARKING] = "crash while parking",
	[SIM_HAZARD] = "hazard",
	[SIM_NO_FORK] = "no fork",
	[SIM_COPY_FAILS] = "copy fails",
	[SIM_STARVED] = "memory ran out",
	[SIM_NO_MEMORY] = "no memory for a copy",
	[SIM_KILLED_ENDING] = "killed while ending",
	[SIM_FRAME_CUT] = "frame cut short",
	[SIM_FRAME_BROKEN] = "frame broken",
	[SIM_JOB_EXITS] = "job exits",
	[SIM_JOB_HANGS] = "job hangs",
	[SIM_RANK_ABSENT] = "rank absent",
	[SIM_LAUNCHER_KILLED] = "launcher killed",
	[SIM_NO_JOB] = "no job",
	[SIM_SLOW] = "slow",
	[SIM_NO_HOLD] = "cannot stay",
	[SIM_HELD_KILLED] = "held rank killed",
	[SIM_NO_REWIND] = "cannot be rewound",
	[SIM_KILLED_REWINDING] = "killed while rewinding",
	[SIM_KILLED_REWOUND] = "killed when rewound",
	[SIM_NO_ROOM] = "no room to rewrite",
	[SIM_NO_IMAGE] = "no image",
	[SIM_KILLED_IMAGING] = "killed while keeping an image",
	[SIM_FORGETFUL] = "launcher forgets",
	[SIM_LATE] = "launcher late",
	[SIM_HELD_OPEN] = "connection held open",
	[SIM_LONG] = "long computations",
	[SIM_LATE_HELLO] = "rewound rank late",
	[SIM_PARENT_KILLED] = "keeper killed while its copy parks",
};

/* --- chance ----------------------------------------------------------------------------------- */

gint64 sim_draw(struct sim *sim, gint64 most)
{
	return (gint64)(g_rand_double(sim->random) * (double)most);
}

bool sim_one_in(struct sim *sim, guint times)
{
	return g_rand_int_range(sim->random, 0, (gint32)times) == 0;
}

bool sim_goes_wrong(struct sim *sim, enum sim_fault fault, guint times)
{
	if (!(sim->faults & 1u << fault) || (!sim->options.at_once && !sim_one_in(sim, times)))
		return false;
	sim->faults &= ~(1u << fault);
	sim->happened |= 1u << fault;
	return true;
}

bool sim_strikes(struct sim *sim, enum sim_fault fault, guint times)
{
	guint ranks = (guint)sim->options.program->ranks;

	if (sim->struck_at > 0 && sim->worlds_ended < sim->struck_at + 6 * ranks)
		return false;
	if (!sim_goes_wrong(sim, fault, times))
		return false;
	sim->struck_at = sim->worlds_ended + 1;
	return true;
}

bool sim_is_unshared(struct sim *sim, guint times)
{
	return sim_draw(sim, times) > 0 || (sim->options.faults & 1u << SIM_LATE_HELLO) != 0;
}

/* --- turns ------------------------------------------------------------------------------------ */

static void iterate(struct host *host)
{
	struct sim *sim = sim_of(host);

	if (sim->events->len == 0 || sim->hangs) {
		for (int fault = 0; fault < SIM_FAULTS; fault++)
			if (sim->happened & 1u << fault)
				g_printerr("%s\n", sim_fault_names[fault]);
		g_error("seed %" G_GUINT64_FORMAT ": the session hangs",
		        sim->options.program->seed);
	}
	sim_happen_next(sim);
}

static void drain(struct host *host)
{
	struct sim *sim = sim_of(host);

	while (sim->events->len > 0)
		sim_happen_next(sim);
}

/* --- listener --------------------------------------------------------------------------------- */

static bool listen_to_ranks(struct host *host, const struct host_listener *listener, void *user,
                            GError **error)
{
	(void)error;
	sim_of(host)->listener = listener;
	sim_of(host)->user = user;
	return true;
}

static void close_all(struct host *host)
{
	struct sim *sim = sim_of(host);

	for (guint i = 0; i < sim->processes->len; i++)
		sim_link_close(((const struct sim_process *)sim->processes->pdata[i])->link);
}

/* --- processes, from outside ------------------------------------------------------------------ */

static const char *const streams[] = {"out", "err"};

/* As ranks do before they connect. */
static void make_outputs(const char *directory, int ranks)
{
	for (int rank = 0; rank < ranks; rank++)
		for (guint i = 0; i < G_N_ELEMENTS(streams); i++) {
			g_autofree char *file = g_strdup_printf("%s/%s.%d", directory, streams[i],
			                                        rank);
			int made = g_open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

			g_assert_cmpint(made, >=, 0);
			close(made);
		}
}

static char *world_add(struct host *host, guint32 world, GError **error)
{
	char *path = g_strdup_printf("%s/w%u", sim_of(host)->options.directory, world);

	(void)error;
	g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
	make_outputs(path, sim_of(host)->options.program->ranks);
	return path;
}

static void world_remove(struct host *host, guint32 world)
{
	struct sim *sim = sim_of(host);
	g_autofree char *path = g_strdup_printf("%s/w%u", sim->options.directory, world);

	for (int rank = 0; rank < sim->options.program->ranks; rank++) {
		for (guint i = 0; i < G_N_ELEMENTS(streams); i++) {
			g_autofree char *file = g_strdup_printf("%s/%s.%d", path, streams[i], rank);

			g_unlink(file);
		}
	}
	g_rmdir(path);
	sim_shared_remove(sim, world);
}

static char *world_rename(struct host *host, guint32 from, guint32 to, const bool *stays, int ranks,
                          GError **error)
{
	const struct sim *sim = sim_of(host);
	g_autofree char *old = g_strdup_printf("%s/w%u", sim->options.directory, from);
	char *path = g_strdup_printf("%s/w%u", sim->options.directory, to);

	(void)stays;
	(void)ranks;
	(void)error;
	g_assert_cmpint(g_rename(old, path), ==, 0);
	sim_shared_rename(sim_of(host), from, to);
	return path;
}

static void output_to_disk(struct host *host)
{
	(void)host;
}

static void kill_process(struct host *host, pid_t pid)
{
	struct sim_process *process = sim_find(sim_of(host), pid);

	if (process)
		sim_process_die(process, 9);
}

static bool is_dead(struct host *host, pid_t pid)
{
	const struct sim_process *process = sim_find(sim_of(host), pid);

	return !process || process->dead;
}

static pid_t parent(struct host *host, pid_t pid)
{
	return is_dead(host, pid) ? 0 : 1;
}

/* Nothing debugs a number. */

static void send_signal(struct host *host, pid_t pid, int number)
{
	(void)host;
	(void)pid;
	(void)number;
}

static GArray *stack_of(struct host *host, pid_t pid, pid_t thread)
{
	(void)host;
	(void)pid;
	(void)thread;
	return NULL;
}

static bool is_debugged(struct host *host, pid_t pid)
{
	(void)host;
	(void)pid;
	return false;
}

static void interrupt(struct host *host, pid_t pid)
{
	(void)host;
	(void)pid;
}

static bool read_memory(struct host *host, pid_t pid, guint64 address, void *bytes, gsize count)
{
	(void)host;
	(void)pid;
	(void)address;
	memset(bytes, 0, count);
	return false;
}

static bool works_on_disk(struct host *host, pid_t pid, guint64 *bytes)
{
	(void)host;
	(void)pid;
	(void)bytes;
	return false;
}

static enum threads_state look_at_threads(struct host *host, pid_t pid, struct thread_view *views,
                                          guint count)
{
	const struct sim_process *process = sim_find(sim_of(host), pid);

	if (process->dead) /* as of a thread that is not in /proc */
		return THREADS_MOVE;
	for (guint i = 0; i < count; i++)
		if (!views[i].waits && !views[i].ended
		    && !fake_rank_sleeps(&process->rank, views[i].id == pid ? 0 : views[i].id))
			return THREADS_MOVE;
	return THREADS_SLEEP;
}

static GArray *other_threads(struct host *host, pid_t pid)
{
	(void)host;
	(void)pid;
	return g_array_new(false, true, sizeof(struct thread_view));
}

static void end_left_behind(struct host *host, const char *directory, bool all)
{
	(void)host;
	(void)directory;
	(void)all;
}

static void keep_left_behind(struct host *host)
{
	(void)host;
}

static bool program_calls(struct host *host, const char *function)
{
	return g_str_equal(function, "MPI_Init")
	       || (sim_of(host)->options.program->cancels && g_str_equal(function, "MPI_Cancel"));
}

static bool can_digest(struct host *host)
{
	return sim_of(host)->options.program->loops;
}

static struct place place_of(struct host *host, pid_t pid, guint64 address)
{
	(void)host;
	(void)pid;
	return (struct place){.directory = "/sim", .file = "program.c", .line = (guint32)address};
}

/* The program uses no files. */
static void file_look(struct host *host, const char *path,
                      void (*done)(void *user, struct host_file file), void *user)
{
	(void)host;
	(void)path;
	done(user, (struct host_file){0});
}

static void file_read(struct host *host, const char *path, guint64 most,
                      void (*done)(void *user, GBytes *contents), void *user)
{
	(void)host;
	(void)path;
	(void)most;
	done(user, NULL);
}

static struct place place_of_stack(struct host *host, pid_t pid, const guint64 *addresses,
                                   guint count)
{
	return count > 0 ? place_of(host, pid, addresses[0]) : (struct place){0};
}

static bool frames_of(struct host *host, pid_t pid, guint64 address, GArray *frames)
{
	(void)host;
	(void)pid;
	(void)address;
	(void)frames;
	return false;
}

static void put_files_back(struct host *host, const struct host_snapshot *snapshot)
{
	(void)host;
	(void)snapshot;
}

static void lives(struct host *host)
{
	(void)host;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static bool job_is_running(const struct host_job *job)
{
	return job->running;
}

static char *job_words(const struct host_job *job)
{
	(void)job;
	return g_strdup("");
}

static int job_signal(const struct host_job *job)
{
	return job->signal;
}

static void job_connected(struct host_job *job, int rank, const struct host_link *link)
{
	(void)job;
	(void)rank;
	(void)link;
}

static const GArray *job_disconnect_order(struct host_job *job)
{
	return job->disconnect_order;
}

static void job_free(struct host_job *job)
{
	job->freed = true;
	for (guint i = 0; i < job->processes->len; i++)
		sim_process_die(job->processes->pdata[i], 9);
}

/* --- host ------------------------------------------------------------------------------------- */

static const struct host_operations operations = {
	.now = sim_now,
	.timer_new = sim_timer_new,
	.timer_start = sim_timer_start,
	.timer_stop = sim_timer_stop,
	.timer_is_active = sim_timer_is_active,
	.timer_free = sim_timer_free,
	.iterate = iterate,
	.drain = drain,
	.listen = listen_to_ranks,
	.close_all = close_all,
	.send = sim_send,
	.close = sim_close,
	.has_unread = sim_has_unread,
	.world_add = world_add,
	.world_remove = world_remove,
	.world_rename = world_rename,
	.output_to_disk = output_to_disk,
	.rank_output = sim_rank_output,
	.room_of = sim_room_of,
	.file_look = file_look,
	.file_read = file_read,
	.job_start = sim_job_start,
	.job_is_running = job_is_running,
	.job_words = job_words,
	.job_signal = job_signal,
	.job_connected = job_connected,
	.job_disconnect_order = job_disconnect_order,
	.job_free = job_free,
	.program_calls = program_calls,
	.can_digest = can_digest,
	.kill = kill_process,
	.is_dead = is_dead,
	.parent = parent,
	.signal = send_signal,
	.tracing_of = sim_tracing_of,
	.debuggee_of = sim_debuggee_of,
	.stack_of = stack_of,
	.is_debugged = is_debugged,
	.interrupt = interrupt,
	.read_memory = read_memory,
	.memory_of = sim_memory_of,
	.works_on_disk = works_on_disk,
	.look_at_threads = look_at_threads,
	.other_threads = other_threads,
	.rank_without_process = sim_rank_without_process,
	.end_left_behind = end_left_behind,
	.keep_left_behind = keep_left_behind,
	.memory_free = sim_memory_free,
	.memory_pressure = sim_memory_pressure,
	.place_of = place_of,
	.place_of_stack = place_of_stack,
	.frames_of = frames_of,
	.snapshot_new = sim_snapshot_new,
	.snapshot_of_world = sim_snapshot_of_world,
	.snapshot_add = sim_snapshot_add,
	.snapshot_complete = sim_snapshot_complete,
	.snapshot_restore = sim_snapshot_restore,
	.snapshot_rewind = sim_snapshot_rewind,
	.snapshot_clones = sim_snapshot_clones,
	.snapshot_free = sim_snapshot_free,
	.put_files_back = put_files_back,
	.lives = lives,
};

/* The directories of keepers are removed with all others. */
static void remove_worlds(struct sim *sim)
{
	g_autoptr(GDir) directory = g_dir_open(sim->options.directory, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(directory)))
		if (name[0] == 'w')
			world_remove(&sim->base, (guint32)g_ascii_strtoull(name + 1, NULL, 10));
}

struct host *sim_host_new(const struct sim_options *options)
{
	const guint32 words[] = {(guint32)options->seed, (guint32)(options->seed >> 32)};
	struct sim *sim = g_new0(struct sim, 1);

	sim->base.operations = &operations;
	sim->options = *options;
	sim->random = g_rand_new_with_seed_array(words, G_N_ELEMENTS(words));
	sim->now = G_TIME_SPAN_HOUR; /* no time is 0 */
	sim->options.longest += sim->now;
	sim->events = g_ptr_array_new();
	sim->closed = g_ptr_array_new();
	sim->processes = g_ptr_array_new_with_free_func(sim_process_free);
	sim->jobs = g_ptr_array_new_with_free_func(sim_job_free);
	sim->shared = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sim->idle_time = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sim->faults = options->faults;
	sim->slow = sim_goes_wrong(sim, SIM_SLOW, 1);
	sim->computes = sim_goes_wrong(sim, SIM_LONG, 1);
	return &sim->base;
}

void sim_host_free(struct host *host)
{
	struct sim *sim = sim_of(host);

	g_assert_cmpuint(sim->events->len, ==, 0);
	remove_worlds(sim);
	sim_invalidate_closed(sim);
	g_ptr_array_unref(sim->closed);
	g_ptr_array_unref(sim->processes);
	g_ptr_array_unref(sim->jobs);
	g_hash_table_destroy(sim->shared);
	g_hash_table_destroy(sim->idle_time);
	g_ptr_array_unref(sim->events);
	g_rand_free(sim->random);
	g_free(sim);
}

guint sim_host_happened(struct host *host)
{
	return sim_of(host)->happened;
}

guint sim_host_rewound(struct host *host)
{
	return sim_of(host)->rewound;
}

guint sim_host_images(struct host *host)
{
	return sim_of(host)->images;
}

guint sim_host_images_used(struct host *host)
{
	return sim_of(host)->images_used;
}

guint sim_host_early_parks(struct host *host)
{
	return sim_of(host)->early_parks;
}

gint64 sim_host_time(struct host *host)
{
	return sim_of(host)->now - G_TIME_SPAN_HOUR;
}

guint sim_host_processes(struct host *host)
{
	const struct sim *sim = sim_of(host);
	guint alive = 0;

	for (guint i = 0; i < sim->processes->len; i++)
		alive += !((const struct sim_process *)sim->processes->pdata[i])->dead;
	return alive;
}
