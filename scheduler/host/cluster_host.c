/* The operations of a host with several machines. What concerns this machine is done by the local
 * host, and the rest by outposts. A process of a machine that is lost counts as dead. */
#include <signal.h>
#include <string.h>

#include "absent_rank.h"
#include "cluster_internal.h"

static const char *const type_of_threads = "a(ibbt)";

static struct machine *machine_at(const struct cluster *cluster, guint i)
{
	struct machine *machine = cluster->machines->pdata[i];

	return machine->state == MACHINE_UP && machine->frames ? machine : NULL;
}

static guint machine_count(const struct cluster *cluster)
{
	return cluster ? cluster->machines->len : 0;
}

static pid_t pack(const struct machine *machine, gint32 process)
{
	return process > 0 ? (pid_t)(machine->number << CLUSTER_SHIFT) | process : 0;
}

/* Asks about a process of another machine. */
static GVariant *ask(struct host *host, pid_t process, enum outpost_question question,
                     GVariant *about, const char *type)
{
	struct machine *machine = cluster_machine_of(host, process);

	if (machine)
		return machine_ask(machine, question, about, type);
	g_variant_unref(g_variant_ref_sink(about));
	return NULL;
}

static GVariant *ask_of(struct host *host, pid_t process, enum outpost_question question,
                        const char *type)
{
	return ask(host, process, question, g_variant_new_int32(cluster_there(process)), type);
}

static void tell(struct host *host, pid_t process, enum outpost_question question, GVariant *about)
{
	struct machine *machine = cluster_machine_of(host, process);

	if (machine)
		machine_tell(machine, question, about);
	else
		g_variant_unref(g_variant_ref_sink(about));
}

/* --- worlds ----------------------------------------------------------------------------------- */

static char *world_add(struct host *host, guint32 world, GError **error)
{
	struct cluster *cluster = local_of(host)->cluster;
	char *path = local_operations.world_add(host, world, error);

	if (!path)
		return NULL;
	g_hash_table_add(cluster->worlds, GUINT_TO_POINTER(world));
	for (guint i = 0; i < machine_count(cluster); i++) {
		struct machine *machine = machine_at(cluster, i);
		g_autoptr(GVariant) answer = machine ? machine_ask(machine, OUTPOST_ADD_WORLD,
		                                                   g_variant_new_uint32(world), "s")
		                                     : NULL;

		if (!answer || !*g_variant_get_string(answer, NULL))
			continue;
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %s", machine->name,
		            g_variant_get_string(answer, NULL));
		g_free(path);
		return NULL;
	}
	return path;
}

static void world_remove(struct host *host, guint32 world)
{
	struct cluster *cluster = local_of(host)->cluster;

	local_operations.world_remove(host, world);
	for (guint i = 0; i < machine_count(cluster); i++)
		if (machine_at(cluster, i))
			machine_tell(machine_at(cluster, i), OUTPOST_REMOVE_WORLD,
			             g_variant_new_uint32(world));
	if (!cluster)
		return;
	g_hash_table_remove(cluster->worlds, GUINT_TO_POINTER(world));
	g_hash_table_remove(cluster->broken, GUINT_TO_POINTER(world));
	cluster_forget_seats(cluster, world);
}

static void end_left_behind(struct host *host, const char *directory, bool all)
{
	const struct cluster *cluster = local_of(host)->cluster;

	local_end_left_behind(host, directory, all);
	for (guint i = 0; i < machine_count(cluster); i++) {
		g_autoptr(GVariant) done = NULL;

		if (machine_at(cluster, i))
			done = machine_ask(machine_at(cluster, i), OUTPOST_END_LEFT,
			                   g_variant_new("(sb)", directory, all), "b");
	}
}

static void keep_left_behind(struct host *host)
{
	const struct cluster *cluster = local_of(host)->cluster;

	local_keep_left_behind(host);
	for (guint i = 0; i < machine_count(cluster); i++)
		if (machine_at(cluster, i))
			machine_tell(machine_at(cluster, i), OUTPOST_KEEP_LEFT,
			             g_variant_new_boolean(true));
}

static struct memory_pressure memory_pressure(struct host *host)
{
	const struct cluster *cluster = local_of(host)->cluster;
	struct memory_pressure sum = local_operations.memory_pressure(host);

	for (guint i = 0; i < machine_count(cluster); i++) {
		struct machine *machine = machine_at(cluster, i);
		g_autoptr(GVariant)
			answer = machine ? machine_ask(machine, OUTPOST_PRESSURE,
		                                       g_variant_new_boolean(true), "(tt)")
		                         : NULL;
		guint64 group = 0, all = 0;

		if (answer)
			g_variant_get(answer, "(tt)", &group, &all);
		sum.group += group;
		sum.machine += all;
	}
	return sum;
}

/* --- processes -------------------------------------------------------------------------------- */

static void send_signal(struct host *host, pid_t process, int number)
{
	if (cluster_is_away(process))
		tell(host, process, OUTPOST_SIGNAL,
		     g_variant_new("(ii)", cluster_there(process), (gint32)number));
	else
		local_signal(host, process, number);
}

static void kill_process(struct host *host, pid_t process)
{
	send_signal(host, process, SIGKILL);
}

static void interrupt(struct host *host, pid_t process)
{
	if (cluster_is_away(process))
		tell(host, process, OUTPOST_INTERRUPT, g_variant_new_int32(cluster_there(process)));
	else
		local_interrupt(host, process);
}

static bool is_dead(struct host *host, pid_t process)
{
	struct machine *machine = cluster_machine_of(host, process);
	g_autoptr(GVariant) answer = NULL;

	if (!cluster_is_away(process))
		return local_is_dead(host, process);
	if (!machine)
		return true;
	answer = ask_of(host, process, OUTPOST_IS_DEAD, "b");
	/* What it has sent before its end has come before the answer. */
	return answer && g_variant_get_boolean(answer) && !frames_has_unread(machine->frames);
}

static pid_t parent(struct host *host, pid_t process)
{
	g_autoptr(GVariant) answer = NULL;

	if (!cluster_is_away(process))
		return local_parent(host, process);
	answer = ask_of(host, process, OUTPOST_PARENT, "i");
	return answer ? pack(cluster_machine_of(host, process), g_variant_get_int32(answer)) : 0;
}

static enum host_tracing tracing_now(struct host *host, pid_t process)
{
	g_autoptr(GVariant) answer = ask_of(host, process, OUTPOST_TRACING, "i");

	return answer ? (enum host_tracing)g_variant_get_int32(answer) : HOST_NOT_TRACED;
}

static void tracing_of(struct host *host, pid_t process,
                       void (*done)(void *user, enum host_tracing tracing), void *user)
{
	if (cluster_is_away(process))
		done(user, tracing_now(host, process));
	else
		local_tracing_of(host, process, done, user);
}

static bool is_debugged(struct host *host, pid_t process)
{
	if (cluster_is_away(process))
		return tracing_now(host, process) == HOST_TRACED_STOPPED;
	return local_is_debugged(host, process);
}

static bool read_memory(struct host *host, pid_t process, guint64 address, void *bytes, gsize count)
{
	g_autoptr(GVariant) answer = NULL;
	gconstpointer data;
	gsize got = 0;

	if (!cluster_is_away(process))
		return local_read_memory(host, process, address, bytes, count);
	answer = ask(host, process, OUTPOST_READ_MEMORY,
	             g_variant_new("(itt)", cluster_there(process), address, (guint64)count), "ay");
	if (!answer)
		return false;
	data = g_variant_get_fixed_array(answer, &got, 1);
	if (got != count)
		return false;
	memcpy(bytes, data, count);
	return true;
}

static guint64 memory_of(struct host *host, pid_t process)
{
	g_autoptr(GVariant) answer = NULL;

	if (!cluster_is_away(process))
		return local_memory_of(host, process);
	answer = ask_of(host, process, OUTPOST_MEMORY, "t");
	return answer ? g_variant_get_uint64(answer) : 0;
}

static bool works_on_disk(struct host *host, pid_t process, guint64 *bytes)
{
	g_autoptr(GVariant) answer = NULL;
	gboolean works = false; /* (GVariant) */

	if (!cluster_is_away(process))
		return local_works_on_disk(host, process, bytes);
	answer = ask_of(host, process, OUTPOST_DISK_WORK, "(bt)");
	if (answer)
		g_variant_get(answer, "(bt)", &works, bytes);
	return works;
}

/* A thread is called by its number on its machine, except that the first one has that of its
 * process. */
static void take_views(struct thread_view *views, guint count, GVariant *threads)
{
	g_autoptr(GArray) seen = outpost_get_threads(threads);

	for (guint i = 0; i < MIN(count, seen->len); i++) {
		pid_t id = views[i].id;

		views[i] = g_array_index(seen, struct thread_view, i);
		views[i].id = id;
	}
}

static enum threads_state look_at_threads(struct host *host, pid_t process,
                                          struct thread_view *views, guint count)
{
	g_autofree struct thread_view *there = NULL;
	g_autoptr(GVariant) answer = NULL, threads = NULL;
	gint32 state;

	if (!cluster_is_away(process))
		return local_look_at_threads(host, process, views, count);
	there = g_memdup2(views, count * sizeof(*views));
	for (guint i = 0; i < count; i++)
		there[i].id = cluster_there(views[i].id);
	answer = ask(host, process, OUTPOST_LOOK_THREADS,
	             g_variant_new("(i@a(ibbt))", cluster_there(process),
	                           outpost_put_threads(there, count)),
	             "(ia(ibbt))");
	if (!answer)
		return THREADS_MOVE;
	g_variant_get(answer, "(i@a(ibbt))", &state, &threads);
	take_views(views, count, threads);
	return (enum threads_state)state;
}

static GArray *other_threads(struct host *host, pid_t process)
{
	g_autoptr(GVariant) answer = NULL;

	if (!cluster_is_away(process))
		return local_other_threads(host, process);
	answer = ask_of(host, process, OUTPOST_OTHER_THREADS, type_of_threads);
	return answer ? outpost_get_threads(answer)
	              : g_array_new(false, true, sizeof(struct thread_view));
}

static int rank_without_process(struct host *host, const pid_t *processes, int ranks)
{
	const struct local *local = local_of(host);
	const struct cluster *cluster = local->cluster;
	g_autofree bool *alive = NULL;
	bool any = false;

	for (int rank = 0; rank < ranks; rank++)
		any |= processes[rank] > 0;
	if (!any)
		return -1; /* machines may be busy with starting */
	alive = absent_rank_alive(run_directory_path(local->options.directory), ranks);
	for (guint i = 0; i < machine_count(cluster); i++) {
		struct machine *machine = machine_at(cluster, i);
		g_autoptr(GVariant) answer = machine ? machine_ask(machine, OUTPOST_ALIVE,
		                                                   g_variant_new_int32(ranks), "ab")
		                                     : NULL;
		gsize count = 0;
		const guint8 *there = answer ? g_variant_get_fixed_array(answer, &count, 1) : NULL;

		for (gsize rank = 0; rank < MIN(count, (gsize)ranks); rank++)
			alive[rank] |= there[rank] != 0;
	}
	return absent_rank(alive, processes, ranks);
}

/* --- for debuggers, which are on this machine ------------------------------------------------- */

static bool is_watched(struct host *host)
{
	(void)host;
	return false; /* the process table has only processes of this machine */
}

static void show_processes(struct host *host, guint32 world, const pid_t *processes, int ranks)
{
	(void)host;
	(void)world;
	(void)processes;
	(void)ranks;
}

static void show_abort(struct host *host, guint32 world, const char *why)
{
	(void)host;
	(void)world;
	(void)why;
}

static void debuggee_of(struct host *host, pid_t process,
                        void (*done)(void *user, struct host_debuggee debuggee), void *user)
{
	const struct machine *machine = cluster_machine_of(host, process);
	g_autoptr(GVariant) answer = NULL, bytes = NULL;
	struct host_debuggee debuggee;
	const char *program = "", *maps = NULL;
	gsize count = 0;

	if (!cluster_is_away(process)) {
		local_debuggee_of(host, process, done, user);
		return;
	}
	answer = ask_of(host, process, OUTPOST_DEBUGGEE, "(say)");
	if (answer) {
		g_variant_get(answer, "(&s@ay)", &program, &bytes);
		maps = g_variant_get_fixed_array(bytes, &count, 1);
	}
	debuggee = (struct host_debuggee){
		.attach = g_strdup_printf("echo process %d is on %s: attach to it there\\n",
	                                  cluster_there(process),
	                                  machine ? machine->name : "a machine that is lost"),
		.program = *program ? g_strdup(program) : NULL,
		.mappings = count > 0 ? g_strndup(maps, count) : NULL};
	done(user, debuggee);
}

static GArray *stack_of(struct host *host, pid_t process, pid_t thread)
{
	g_autoptr(GVariant) answer = NULL;
	const guint64 *frames;
	GArray *stack;
	gsize count;

	if (!cluster_is_away(process))
		return local_stack_of(host, process, thread);
	answer = ask(host, process, OUTPOST_STACK,
	             g_variant_new("(ii)", cluster_there(process), cluster_there(thread)), "at");
	frames = answer ? g_variant_get_fixed_array(answer, &count, sizeof(guint64)) : NULL;
	if (!frames || count == 0)
		return NULL;
	stack = g_array_new(false, false, sizeof(guint64));
	return g_array_append_vals(stack, frames, (guint)count);
}

/* --- places: the program's files have the same paths on all machines -------------------------- */

/* source_lines knows a process of another machine by a number below 0, and what it maps by what its
 * outpost has read. It may have forgotten that, or more may be mapped now. Returns false if the
 * process is of this machine, or gone. */
static bool learn(struct host *host, pid_t process)
{
	struct local *local = local_of(host);
	struct host_debuggee found = {0};
	bool known = false;

	if (!cluster_is_away(process))
		return false;
	debuggee_of(host, process, host_take_debuggee, &found);
	if (found.mappings) {
		source_lines_know_maps(local->lines, -process, found.mappings,
		                       strlen(found.mappings));
		g_hash_table_add(local->cluster->known, GINT_TO_POINTER(process));
		known = true;
	}
	host_debuggee_clear(&found);
	return known;
}

/* Returns the number by which source_lines knows the process. */
static pid_t known_as(struct host *host, pid_t process)
{
	if (!cluster_is_away(process))
		return process;
	if (!g_hash_table_contains(local_of(host)->cluster->known, GINT_TO_POINTER(process)))
		learn(host, process);
	return -process;
}

static bool is_place(const struct place *place)
{
	return place->file || place->function;
}

static struct place place_of(struct host *host, pid_t process, guint64 address)
{
	struct place place = local_place_of(host, known_as(host, process), address);

	if (!is_place(&place) && learn(host, process))
		place = local_place_of(host, known_as(host, process), address);
	return place;
}

static struct place place_of_stack(struct host *host, pid_t process, const guint64 *addresses,
                                   guint count)
{
	pid_t number = known_as(host, process);
	struct place place = local_place_of_stack(host, number, addresses, count);

	if (!is_place(&place) && learn(host, process))
		place = local_place_of_stack(host, number, addresses, count);
	return place;
}

static bool frames_of(struct host *host, pid_t process, guint64 address, GArray *frames)
{
	pid_t number = known_as(host, process);

	return local_frames_of(host, number, address, frames)
	       || (learn(host, process) && local_frames_of(host, number, address, frames));
}

/* --- output and files ------------------------------------------------------------------------- */

static struct machine *seat_of(struct host *host, const char *directory, int rank)
{
	struct cluster *cluster = local_of(host)->cluster;

	return cluster ? cluster_seat(cluster, run_directory_world_of(directory), rank) : NULL;
}

static void rank_output(struct host *host, const struct host_range *range,
                        void (*done)(void *user, struct host_output output), void *user)
{
	struct machine *machine = seat_of(host, range->directory, range->rank);
	struct host_output output = {0};
	g_autoptr(GVariant) answer = NULL, bytes = NULL;
	const char *lost = "its machine is lost", *place = "";
	gboolean cut = false; /* (GVariant) */

	if (!machine) {
		local_rank_output(host, range, done, user);
		return;
	}
	answer = machine_ask(machine, OUTPOST_OUTPUT,
	                     g_variant_new("(siittb)", range->directory, (gint32)range->rank,
	                                   (gint32)range->stream, range->from, range->most,
	                                   range->last),
	                     "(aytsbs)");
	if (answer)
		g_variant_get(answer, "(@ayt&sb&s)", &bytes, &output.size, &lost, &cut, &place);
	output.bytes = bytes ? g_variant_get_data_as_bytes(bytes) : g_bytes_new_static("", 0);
	output.lost = *lost ? g_strdup(lost) : NULL;
	output.cut = cut;
	output.place = g_strdup_printf("%s:%s", machine->name, place);
	done(user, output);
}

static void room_of(struct host *host, const char *directory,
                    void (*done)(void *user, struct host_room room), void *user)
{
	const struct cluster *cluster = local_of(host)->cluster;
	struct host_room room = {0};

	local_room_of(host, directory, host_take_room, &room);
	for (guint i = 0; i < machine_count(cluster) && room.full == HOST_ROOM_LEFT; i++) {
		struct machine *machine = machine_at(cluster, i);
		g_autoptr(GVariant)
			answer = machine ? machine_ask(machine, OUTPOST_ROOM,
		                                       g_variant_new_string(directory), "(isd)")
		                         : NULL;
		const char *place;
		gint32 full;

		if (!answer)
			continue;
		g_variant_get(answer, "(i&sd)", &full, &place, &room.megabytes);
		room.full = (enum host_fullness)full;
		if (full != HOST_ROOM_LEFT)
			room.place = g_strdup_printf("%s:%s", machine->name, place);
	}
	done(user, room);
}

static void ask_for_file(struct machine *machine, const char *path, struct host_file *file)
{
	g_autoptr(GVariant) answer = machine_ask(machine, OUTPOST_FILE_LOOK,
	                                         g_variant_new_string(path), "(bbbtttxxs)");
	gboolean there, link, regular; /* (GVariant) */
	char *real;

	if (!answer)
		return;
	g_variant_get(answer, "(bbbtttxxs)", &there, &link, &regular, &file->device, &file->inode,
	              &file->size, &file->modified_s, &file->modified_ns, &real);
	file->is_there = there;
	file->is_link = link;
	file->is_regular = regular;
	file->real = *real ? g_steal_pointer(&real) : NULL;
	g_free(real);
}

/* A file that is not here may be on a disk of another machine. */
static void file_look(struct host *host, const char *path,
                      void (*done)(void *user, struct host_file file), void *user)
{
	const struct cluster *cluster = local_of(host)->cluster;
	struct host_file file = {0};

	local_file_look(host, path, host_take_file, &file);
	for (guint i = 0; i < machine_count(cluster) && !file.is_there; i++)
		if (machine_at(cluster, i))
			ask_for_file(machine_at(cluster, i), path, &file);
	done(user, file);
}

static GBytes *ask_for_contents(struct machine *machine, const char *path, guint64 most)
{
	g_autoptr(GVariant) answer = machine_ask(machine, OUTPOST_FILE_READ,
	                                         g_variant_new("(st)", path, most), "(bay)");
	g_autoptr(GVariant) bytes = NULL;
	gboolean there = false; /* (GVariant) */

	if (answer)
		g_variant_get(answer, "(b@ay)", &there, &bytes);
	return there ? g_variant_get_data_as_bytes(bytes) : NULL;
}

static void file_read(struct host *host, const char *path, guint64 most,
                      void (*done)(void *user, GBytes *contents), void *user)
{
	const struct cluster *cluster = local_of(host)->cluster;
	GBytes *contents = NULL;

	local_file_read(host, path, most, host_take_contents, &contents);
	for (guint i = 0; i < machine_count(cluster) && !contents; i++)
		if (machine_at(cluster, i))
			contents = ask_for_contents(machine_at(cluster, i), path, most);
	done(user, contents);
}

/* --- the table -------------------------------------------------------------------------------- */

const struct host_operations *cluster_operations(void)
{
	static struct host_operations table;

	if (table.now)
		return &table;
	table = local_operations;
	table.world_add = world_add;
	table.world_remove = world_remove;
	table.rank_output = rank_output;
	table.room_of = room_of;
	table.file_look = file_look;
	table.file_read = file_read;
	table.job_restart = NULL;
	table.kill = kill_process;
	table.is_dead = is_dead;
	table.parent = parent;
	table.signal = send_signal;
	table.tracing_of = tracing_of;
	table.is_debugged = is_debugged;
	table.interrupt = interrupt;
	table.is_watched = is_watched;
	table.show_processes = show_processes;
	table.show_abort = show_abort;
	table.read_memory = read_memory;
	table.memory_of = memory_of;
	table.works_on_disk = works_on_disk;
	table.look_at_threads = look_at_threads;
	table.other_threads = other_threads;
	table.debuggee_of = debuggee_of;
	table.stack_of = stack_of;
	table.rank_without_process = rank_without_process;
	table.end_left_behind = end_left_behind;
	table.keep_left_behind = keep_left_behind;
	table.memory_pressure = memory_pressure;
	table.place_of = place_of;
	table.place_of_stack = place_of_stack;
	table.frames_of = frames_of;
	table.snapshot_of_world = NULL;
	return &table;
}
