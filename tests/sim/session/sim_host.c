#include "sim_host.h"

#include <glib/gstdio.h>
#include <string.h>

#include "sim_internal.h"

#define PROCESS_BYTES_MOST ((gint64)4 << 20)
#define FREE_BYTES_MOST ((gint64)64 << 20)

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
	[SIM_FORGETFUL] = "launcher forgets",
	[SIM_LATE] = "launcher late",
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

/* --- time ------------------------------------------------------------------------------------- */

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void swap(GPtrArray *heap, guint a, guint b)
{
	void *other = heap->pdata[a];

	heap->pdata[a] = heap->pdata[b];
	heap->pdata[b] = other;
}

struct sim_event *sim_plan(struct sim *sim, gint64 time,
                           void (*happen)(void *object, GBytes *frame), void *object, GBytes *frame)
{
	struct sim_event *event = g_new0(struct sim_event, 1);
	guint at = sim->events->len;

	*event = (struct sim_event){MAX(time, sim->now), ++sim->events_made, happen, object, frame};
	g_ptr_array_add(sim->events, event);
	for (; at > 0 && is_before(event, sim->events->pdata[(at - 1) / 2]); at = (at - 1) / 2)
		swap(sim->events, at, (at - 1) / 2);
	return event;
}

static struct sim_event *take_next(GPtrArray *heap)
{
	struct sim_event *next = heap->pdata[0];
	guint at = 0;

	heap->pdata[0] = heap->pdata[heap->len - 1];
	g_ptr_array_set_size(heap, (gint)heap->len - 1);
	for (;;) {
		guint least = at;

		for (guint child = 2 * at + 1; child <= 2 * at + 2 && child < heap->len; child++)
			if (is_before(heap->pdata[child], heap->pdata[least]))
				least = child;
		if (least == at)
			return next;
		swap(heap, at, least);
		at = least;
	}
}

static void happen_next(struct sim *sim)
{
	struct sim_event *event = take_next(sim->events);

	sim->now = MAX(sim->now, event->time);
	sim->hangs |= sim->now > sim->options.longest;
	event->happen(event->object, event->frame);
	if (event->frame)
		g_bytes_unref(event->frame);
	g_free(event);
}

static gint64 now(struct host *host)
{
	return sim_of(host)->now;
}

static void on_timer(void *object, GBytes *frame)
{
	struct host_timer *timer = object;

	(void)frame;
	timer->event = NULL;
	timer->expired(timer->user);
}

/* Of a timer that was stopped, or freed. */
static void nothing_happens(void *object, GBytes *frame)
{
	(void)object;
	(void)frame;
}

static struct host_timer *timer_new(struct host *host, void (*expired)(void *user), void *user)
{
	struct host_timer *timer = g_new0(struct host_timer, 1);

	*timer = (struct host_timer){.sim = sim_of(host), .expired = expired, .user = user};
	return timer;
}

static void timer_stop(struct host_timer *timer)
{
	if (timer->event)
		timer->event->happen = nothing_happens;
	timer->event = NULL;
}

static void timer_start(struct host_timer *timer, guint64 milliseconds)
{
	timer_stop(timer);
	timer->event = sim_plan(timer->sim, timer->sim->now + (gint64)milliseconds * 1000, on_timer,
	                        timer, NULL);
}

static bool timer_is_active(const struct host_timer *timer)
{
	return timer->event != NULL;
}

static void timer_free(struct host_timer *timer)
{
	timer_stop(timer);
	g_free(timer);
}

static void turn(struct host *host)
{
	struct sim *sim = sim_of(host);

	if (sim->events->len == 0 || sim->hangs) {
		for (int fault = 0; fault < SIM_FAULTS; fault++)
			if (sim->happened & 1u << fault)
				g_printerr("%s\n", sim_fault_names[fault]);
		g_error("seed %" G_GUINT64_FORMAT ": it hangs", sim->options.program->seed);
	}
	happen_next(sim);
}

static void drain(struct host *host)
{
	struct sim *sim = sim_of(host);

	while (sim->events->len > 0)
		happen_next(sim);
}

/* --- who listens ------------------------------------------------------------------------------ */

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
		sim_close(&((struct sim_process *)sim->processes->pdata[i])->link->base);
}

/* --- processes, as seen from outside ---------------------------------------------------------- */

static char *world_add(struct host *host, guint32 world, GError **error)
{
	char *path = g_strdup_printf("%s/w%u", sim_of(host)->options.directory, world);

	(void)error;
	g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
	return path;
}

static void world_remove(struct host *host, guint32 world)
{
	const struct sim *sim = sim_of(host);
	g_autofree char *path = g_strdup_printf("%s/w%u", sim->options.directory, world);

	for (int rank = 0; rank < sim->options.program->ranks; rank++) {
		g_autofree char *file = g_strdup_printf("%s/out.%d", path, rank);

		g_unlink(file);
	}
	g_rmdir(path);
}

static char *world_rename(struct host *host, guint32 from, guint32 to, GError **error)
{
	const struct sim *sim = sim_of(host);
	g_autofree char *old = g_strdup_printf("%s/w%u", sim->options.directory, from);
	char *path = g_strdup_printf("%s/w%u", sim->options.directory, to);

	(void)error;
	g_assert_cmpint(g_rename(old, path), ==, 0);
	return path;
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

/* --- memory: little, so that some snapshots have to be given up --- */

static guint64 memory_of(struct host *host, pid_t pid)
{
	g_assert_nonnull(sim_find(sim_of(host), pid));
	return (guint64)sim_draw(sim_of(host), PROCESS_BYTES_MOST);
}

static guint64 memory_free(struct host *host)
{
	return (guint64)sim_draw(sim_of(host), FREE_BYTES_MOST);
}

static struct memory_pressure memory_pressure(struct host *host)
{
	return (struct memory_pressure){.machine = sim_of(host)->starved};
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
	(void)host;
	(void)pid;
	(void)views;
	(void)count;
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
	return sim_of(host)->options.program->cancels && g_str_equal(function, "MPI_Cancel");
}

static struct place place_of(struct host *host, pid_t pid, guint64 address)
{
	(void)host;
	(void)pid;
	return (struct place){.directory = "/sim", .file = "program.c", .line = (guint32)address};
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

/* --- snapshots: what ranks share is nothing --------------------------------------------------- */

struct host_snapshot {
	struct sim *sim;
	int parked;
};

static struct host_snapshot *snapshot_new(struct host *host, int ranks, const char *directory)
{
	struct host_snapshot *snapshot = g_new0(struct host_snapshot, 1);

	(void)ranks;
	(void)directory;
	snapshot->sim = sim_of(host);
	return snapshot;
}

static void snapshot_add(struct host_snapshot *snapshot, int rank, pid_t pid,
                         const struct wire_parked *parked)
{
	(void)rank;
	(void)parked;
	g_assert_nonnull(sim_find(snapshot->sim, pid));
	snapshot->parked++;
}

static bool snapshot_complete(struct host_snapshot *snapshot, GError **error)
{
	(void)error;
	g_assert_cmpint(snapshot->parked, ==, snapshot->sim->options.program->ranks);
	return true;
}

static bool snapshot_restore(struct host_snapshot *snapshot, const char *directory, GError **error)
{
	(void)directory;
	if (!sim_goes_wrong(snapshot->sim, SIM_NO_MEMORY, 10))
		return true;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "no room for a copy of the memory");
	return false;
}

static bool snapshot_rewind(struct host_snapshot *snapshot, const char *directory, GError **error)
{
	g_assert_true(g_file_test(directory, G_FILE_TEST_IS_DIR));
	if (!sim_goes_wrong(snapshot->sim, SIM_NO_ROOM, 10))
		return true;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "no room to rewrite the memory");
	return false;
}

static guint32 snapshot_clones(const struct host_snapshot *snapshot, int rank,
                               struct wire_clone **ret_list)
{
	(void)snapshot;
	(void)rank;
	*ret_list = NULL;
	return 0;
}

static void snapshot_free(struct host_snapshot *snapshot)
{
	g_free(snapshot);
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

static const GArray *job_hangups(struct host_job *job)
{
	return job->hangups;
}

static void job_free(struct host_job *job)
{
	job->freed = true;
	for (guint i = 0; i < job->processes->len; i++)
		sim_process_die(job->processes->pdata[i], 9);
}

/* --- all of it -------------------------------------------------------------------------------- */

static const struct host_operations operations = {
	.now = now,
	.timer_new = timer_new,
	.timer_start = timer_start,
	.timer_stop = timer_stop,
	.timer_is_active = timer_is_active,
	.timer_free = timer_free,
	.turn = turn,
	.drain = drain,
	.listen = listen_to_ranks,
	.close_all = close_all,
	.send = sim_send,
	.close = sim_close,
	.has_unread = sim_has_unread,
	.world_add = world_add,
	.world_remove = world_remove,
	.world_rename = world_rename,
	.job_start = sim_job_start,
	.job_is_running = job_is_running,
	.job_words = job_words,
	.job_signal = job_signal,
	.job_connected = job_connected,
	.job_hangups = job_hangups,
	.job_free = job_free,
	.program_calls = program_calls,
	.kill = kill_process,
	.is_dead = is_dead,
	.is_debugged = is_debugged,
	.interrupt = interrupt,
	.read_memory = read_memory,
	.memory_of = memory_of,
	.works_on_disk = works_on_disk,
	.look_at_threads = look_at_threads,
	.other_threads = other_threads,
	.rank_without_process = sim_rank_without_process,
	.end_left_behind = end_left_behind,
	.keep_left_behind = keep_left_behind,
	.memory_free = memory_free,
	.memory_pressure = memory_pressure,
	.place_of = place_of,
	.place_of_stack = place_of_stack,
	.frames_of = frames_of,
	.snapshot_new = snapshot_new,
	.snapshot_add = snapshot_add,
	.snapshot_complete = snapshot_complete,
	.snapshot_restore = snapshot_restore,
	.snapshot_rewind = snapshot_rewind,
	.snapshot_clones = snapshot_clones,
	.snapshot_free = snapshot_free,
	.put_files_back = put_files_back,
	.lives = lives,
};

/* Those of keepers go with all the rest. */
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
	sim->now = G_TIME_SPAN_HOUR; /* no moment is 0 */
	sim->options.longest += sim->now;
	sim->events = g_ptr_array_new();
	sim->processes = g_ptr_array_new_with_free_func(sim_process_free);
	sim->jobs = g_ptr_array_new_with_free_func(sim_job_free);
	sim->faults = options->faults;
	sim->slow = sim_goes_wrong(sim, SIM_SLOW, 1);
	return &sim->base;
}

void sim_host_free(struct host *host)
{
	struct sim *sim = sim_of(host);

	g_assert_cmpuint(sim->events->len, ==, 0);
	remove_worlds(sim);
	g_ptr_array_unref(sim->processes);
	g_ptr_array_unref(sim->jobs);
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
