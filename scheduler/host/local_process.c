/* Looks at processes from outside, and ends them. */
#define _GNU_SOURCE /* process_vm_readv */
#include <signal.h>
#include <string.h>
#include <sys/uio.h>

#include "absent_rank.h"
#include "child_reaper.h"
#include "disk_work.h"
#include "local_internal.h"
#include "process_table.h"
#include "scheduler/places/live_stack.h"
#include "threads.h"

void local_kill(struct host *host, pid_t process)
{
	(void)host;
	kill(process, SIGKILL);
}

bool local_is_dead(struct host *host, pid_t process)
{
	(void)host;
	return child_reaper_is_dead(process);
}

pid_t local_parent(struct host *host, pid_t process)
{
	(void)host;
	return child_reaper_parent(process);
}

void local_signal(struct host *host, pid_t process, int number)
{
	(void)host;
	kill(process, number);
}

void local_tracing_of(struct host *host, pid_t process,
                      void (*done)(void *user, enum host_tracing tracing), void *user)
{
	bool stopped;
	pid_t tracer = child_reaper_tracer(process, &stopped);

	(void)host;
	done(user, tracer == 0 ? HOST_NOT_TRACED : stopped ? HOST_TRACED_STOPPED : HOST_TRACED);
}

bool local_is_debugged(struct host *host, pid_t process)
{
	(void)host;
	return child_reaper_debugger(process) > 0;
}

/* SIGINT stops a process under a debugger. If the debugger has stopped it already, the debugger
 * gets the signal. */
void local_interrupt(struct host *host, pid_t process)
{
	pid_t debugger = child_reaper_debugger(process);

	(void)host;
	kill(debugger > 0 ? debugger : process, SIGINT);
}

bool local_is_watched(struct host *host)
{
	(void)host;
	return process_table_is_watched();
}

void local_show_processes(struct host *host, guint32 world, const pid_t *processes, int ranks)
{
	(void)host;
	process_table_show(world, processes, ranks);
}

void local_show_abort(struct host *host, guint32 world, const char *why)
{
	(void)host;
	process_table_abort(world, why);
}

bool local_read_memory(struct host *host, pid_t process, guint64 address, void *bytes, gsize count)
{
	struct iovec local = {.iov_base = bytes, .iov_len = count};
	struct iovec remote = {.iov_base = GSIZE_TO_POINTER(address), .iov_len = count};

	(void)host;
	return process_vm_readv(process, &local, 1, &remote, 1, 0) == (ssize_t)count;
}

/* A line "name:   123 kB" of smaps_rollup, in bytes. */
static guint64 read_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? g_ascii_strtoull(at + strlen(name), NULL, 10) << 10 : 0;
}

guint64 local_memory_of(struct host *host, pid_t process)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/smaps_rollup", (int)process);
	g_autofree char *text = NULL;

	(void)host;
	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	return read_field(text, "Pss_Anon:") + read_field(text, "Pss_Shmem:");
}

bool local_works_on_disk(struct host *host, pid_t process, guint64 *bytes)
{
	(void)host;
	return disk_work_look(process, bytes);
}

enum threads_state local_look_at_threads(struct host *host, pid_t process,
                                         struct thread_view *views, guint count)
{
	(void)host;
	return threads_look(process, views, count);
}

GArray *local_other_threads(struct host *host, pid_t process)
{
	(void)host;
	return threads_others(process);
}

void local_debuggee_of(struct host *host, pid_t process,
                       void (*done)(void *user, struct host_debuggee debuggee), void *user)
{
	g_autofree char *link = g_strdup_printf("/proc/%d/exe", (int)process);
	g_autofree char *file = g_strdup_printf("/proc/%d/maps", (int)process);
	struct host_debuggee debuggee = {.attach = g_strdup_printf("attach %d", (int)process),
	                                 .program = g_file_read_link(link, NULL)};

	(void)host;
	g_file_get_contents(file, &debuggee.mappings, NULL, NULL);
	done(user, debuggee);
}

GArray *local_stack_of(struct host *host, pid_t process, pid_t thread)
{
	(void)host;
	return live_stack(process, thread);
}

int local_rank_without_process(struct host *host, const pid_t *processes, int ranks)
{
	const struct local_options *options = &local_of(host)->options;
	g_autofree bool *alive = NULL;
	bool any = false;

	for (int rank = 0; rank < ranks; rank++)
		any |= processes[rank] > 0;
	if (!any && options->launcher)
		return -1; /* it may wait for an allocation */
	alive = absent_rank_alive(run_directory_path(options->directory), ranks);
	return absent_rank(alive, processes, ranks);
}

void local_end_left_behind(struct host *host, const char *directory, bool all)
{
	const char *place = output_place_path(local_of(host)->options.output);
	g_autofree char *world = g_path_get_basename(directory);
	g_autofree char *output = place ? g_build_filename(place, world, NULL) : NULL;
	const char *const directories[] = {directory, output, NULL};

	child_reaper_end(directories, all);
}

void local_keep_left_behind(struct host *host)
{
	(void)host;
	child_reaper_keep();
}

struct place local_place_of(struct host *host, pid_t process, guint64 address)
{
	return source_lines_find(local_of(host)->lines, process, address);
}

struct place local_place_of_stack(struct host *host, pid_t process, const guint64 *addresses,
                                  guint count)
{
	return source_lines_find_caller(local_of(host)->lines, process, addresses, count);
}

bool local_frames_of(struct host *host, pid_t process, guint64 address, GArray *frames)
{
	return source_lines_frames(local_of(host)->lines, process, address, frames);
}
