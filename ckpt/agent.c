#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_failure.h"
#include "agent_journal.h"
#include "agent_rewind_internal.h"

static int *threads_before;
static size_t threads_before_count;
static struct agent_arena before_arena;

static long list_threads(struct agent_arena *arena, int **ret_threads)
{
	int directory = agent_open_directory("/proc/self/task");
	long count = directory < 0 ? -1 : agent_list_numbers(arena, directory, ret_threads);

	if (directory >= 0)
		close(directory);
	return count;
}

void agent_before_init(void)
{
	long count;

	agent_arena_release(&before_arena);
	count = list_threads(&before_arena, &threads_before);
	threads_before_count = count > 0 ? (size_t)count : 0;
	agent_note_early();
	agent_had_children();
}

static bool contains(const int *numbers, size_t count, int number)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

static int know_threads(struct agent *agent)
{
	long count = list_threads(&agent->own, &agent->threads);

	if (count < 0)
		return -1;
	for (long i = 0; i < count; i++)
		if (!contains(threads_before, threads_before_count, agent->threads[i]))
			agent->threads[agent->thread_count++] = agent->threads[i];
	return 0;
}

struct agent *agent_new(int control_fd, int pmi_fd)
{
	struct agent_arena arena = {0};
	struct agent *agent = agent_arena_take(&arena, sizeof(*agent));

	if (!agent)
		return NULL;
	agent->own = arena;
	agent->control_fd = control_fd;
	agent->pmi_fd = pmi_fd;
	if (know_threads(agent) < 0 || agent_know_descriptors(agent) < 0) {
		int error = errno;

		agent_free(agent);
		errno = error;
		return NULL;
	}
	agent_know_children();
	return agent;
}

void agent_free(struct agent *agent)
{
	struct agent_arena own;

	if (!agent)
		return;
	agent_arena_release(&agent->arena);
	if (agent->survey)
		agent_arena_release(&agent->survey->arena);
	if (agent->private_stack)
		syscall(SYS_munmap, agent->private_stack, agent->private_stack->size);
	own = agent->own;
	agent_arena_release(&own);
}

static int survey_threads(struct agent *agent)
{
	int *threads;
	long count = list_threads(&agent->arena, &threads);
	long own = 0;

	if (count < 0)
		return -1;
	for (long i = 0; i < count; i++)
		if (threads[i] != (int)syscall(SYS_getpid)
		    && !contains(agent->threads, agent->thread_count, threads[i]))
			own++;
	if (own)
		agent_set_hazard(agent, "it has %ld thread%s of its own", own, own == 1 ? "" : "s");
	return 0;
}

/* Child processes of the program are not copied. */
static void survey_children(struct agent *agent)
{
	siginfo_t child;

	if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
		agent_set_hazard(agent, "it has started other processes");
}

/* A forked child does not inherit timers. */
static void survey_timers(struct agent *agent)
{
	static const int clocks[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
	const char *timers;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct itimerval value;

		if (!getitimer(clocks[i], &value)
		    && (value.it_value.tv_sec || value.it_value.tv_usec))
			agent_set_hazard(agent, "it has set an alarm (setitimer or alarm)");
	}
	timers = agent_read_text(&agent->arena, AT_FDCWD, "/proc/self/timers");
	if (timers && *timers)
		agent_set_hazard(agent, "it has a timer running (timer_create)");
}

static void read_link(int directory, const char *name, char target[static PATH_MAX])
{
	ssize_t length = readlinkat(directory, name, target, PATH_MAX - 1);

	target[length > 0 ? length : 0] = '\0';
}

static void survey_world(struct agent *agent)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", AGENT_WORLD_FD);
	read_link(AT_FDCWD, link, agent->world);
	read_link(AGENT_WORLD_FD, AGENT_OUTPUT, agent->output);
}

int agent_survey(struct agent *agent)
{
	agent_arena_clear(&agent->arena);
	agent->mappings = NULL;
	agent->mapping_count = 0;
	agent->files = NULL;
	agent->file_count = 0;
	agent->shared = NULL;
	agent->shared_count = 0;
	agent->contents_size = 0;
	agent->hazard[0] = '\0';
	agent->is_as_born = false;

	survey_world(agent);
	survey_timers(agent);
	survey_children(agent);
	if (survey_threads(agent) < 0 || agent_survey_mappings(agent) < 0
	    || agent_survey_files(agent) < 0)
		return -1;
	return 0;
}

const char *agent_hazard(const struct agent *agent)
{
	return agent->hazard[0] ? agent->hazard : NULL;
}

size_t agent_mappings(const struct agent *agent, const struct agent_mapping **ret)
{
	*ret = agent->mappings;
	return agent->mapping_count;
}

static int enter_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -1;
	if (fd != AGENT_WORLD_FD) {
		if (dup2(fd, AGENT_WORLD_FD) < 0)
			return -1;
		close(fd);
	}
	return 0;
}

int agent_map_clones(const struct agent_clone *clones, size_t count)
{
	int fd = -1;

	for (size_t i = 0; i < count; i++) {
		const struct agent_clone *clone = &clones[i];
		char name[32];
		long mapped;

		if (!i || clone->file != clones[i - 1].file) {
			if (fd >= 0)
				close(fd);
			snprintf(name, sizeof(name), "clone.%" PRIu32, clone->file);
			fd = openat(AGENT_WORLD_FD, name, O_RDWR | O_CLOEXEC);
			if (fd < 0)
				return -1;
		}
		/* The raw call: libucm replaces mmap(). */
		mapped = syscall(SYS_mmap, clone->start, clone->length, (int)clone->protection,
		                 MAP_SHARED | MAP_FIXED, fd, clone->offset);
		if (mapped == -1 || (uint64_t)mapped != clone->start)
			return -1;
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

int agent_enter_world(struct agent *agent, pid_t parent, const char *world_directory,
                      const struct agent_clone *clones, size_t count)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if ((pid_t)syscall(SYS_getppid) != parent)
		return AGENT_FAILURE_KEEPER;
	if (agent->control_fd >= 0)
		close(agent->control_fd);
	agent->thread_count = 0;
	agent_know_children(); /* the copy has no children yet */
	agent_journal_pause(true);
	if (enter_directory(world_directory) < 0)
		return AGENT_FAILURE_DIRECTORY;
	if (agent_map_clones(clones, count) < 0)
		return AGENT_FAILURE_SHARED_MEMORY;
	agent_journal_pause(false);
	return 0;
}

pid_t agent_fork(struct agent *agent, const char *world_directory, const struct agent_clone *clones,
                 size_t count)
{
	pid_t parent = (pid_t)syscall(SYS_getpid);
	pid_t child = fork();
	int failure = child == 0 ? agent_enter_world(agent, parent, world_directory, clones, count)
	                         : 0;

	if (child == 0 && !failure && agent_renew_files(agent, clones, count) < 0)
		failure = AGENT_FAILURE_FILES;
	if (failure)
		_exit(failure);
	return child;
}
