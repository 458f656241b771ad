#define _GNU_SOURCE
#include "agent_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_rewind_internal.h"

enum { SIGNALS = 64, SIGNAL_SET = 8 /* bytes, for system calls */ };

struct collector {
	void (*add)(void *user, const void *bytes, size_t size);
	void *user;
	const struct agent_kernel_state *known; /* kernel state; NULL: ask the kernel */
};

static void add(const struct collector *collector, const void *bytes, size_t size)
{
	collector->add(collector->user, bytes, size);
}

static void add_number(const struct collector *collector, uint64_t number)
{
	add(collector, &number, sizeof(number));
}

static void add_text(const struct collector *collector, const char *text)
{
	add_number(collector, text != NULL);
	if (text)
		add(collector, text, strlen(text));
}

/* A file of the world has another inode in each world. */
static void add_file(const struct collector *collector, const struct agent *agent,
                     const struct agent_file *file)
{
	add_number(collector, (uint64_t)file->fd << 32 | (uint32_t)file->shared_with);
	add_number(collector, (uint64_t)file->kind << 32 | (uint32_t)file->flags);
	add_number(collector, file->kind == AGENT_DEVICE ? 0 : (uint64_t)file->offset);
	add_number(collector, file->mode);
	add_text(collector, file->name);
	if (file->kind == AGENT_DEVICE || (file->kind == AGENT_FILE && !file->name))
		add_number(collector, file->inode);
	if (file->kind == AGENT_PIPE) {
		const struct agent_file *mate = agent_pipe_mate(agent, file);

		add_number(collector, file->size);
		add_number(collector, mate ? (uint64_t)mate->fd : 0);
	} else if (file->kind == AGENT_EVENT) {
		add_number(collector, file->count);
		add_number(collector, file->semaphore);
	}
	add_number(collector, file->has_contents);
	if (file->has_contents)
		add(collector, file->contents, file->size);
	add_number(collector, file->watch_count);
	for (size_t i = 0; i < file->watch_count; i++) {
		const struct agent_watch *watch = &file->watches[i];

		add_number(collector, (uint64_t)watch->fd << 32 | watch->event.events);
		add_number(collector, watch->event.data.u64);
	}
}

static void add_shared(const struct collector *collector, const struct agent *agent)
{
	add_number(collector, agent->shared_count);
	for (size_t i = 0; i < agent->shared_count; i++)
		add_number(collector,
		           (uint64_t)agent->shared[i].fd << 32 | (uint32_t)agent->shared[i].flags);
}

/* The state of sockets and the like that MPI has opened is not included. A closed descriptor is
 * noticed because the list of all descriptors is. */
static void add_descriptors(const struct collector *collector, const struct agent *agent)
{
	add_number(collector, agent->descriptor_count);
	for (size_t i = 0; i < agent->descriptor_count; i++)
		add_number(collector, (uint64_t)agent->descriptors[i]);
}

/* Parses a mask of signals in /proc/self/status. */
static uint64_t read_mask(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 16) : ~UINT64_C(0);
}

static void add_signals(const struct collector *collector, const char *status)
{
	const struct agent_kernel_state *known = collector->known;
	const uint64_t handled = known ? known->handled
	                               : read_mask(status, "\nSigIgn:")
	                                         | read_mask(status, "\nSigCgt:");
	unsigned long words[4];
	uint64_t mask = 0;
	stack_t stack = {0};

	add_number(collector, handled);
	for (int number = 1; number <= SIGNALS; number++) {
		if (!agent_is_handled(handled, number))
			continue;
		memset(words, 0, sizeof(words));
		if (known)
			memcpy(words, &known->signals.dispositions[number], sizeof(words));
		else
			syscall(SYS_rt_sigaction, number, NULL, words, SIGNAL_SET);
		add(collector, words, sizeof(words));
	}
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, SIGNAL_SET);
	add_number(collector, mask);
	mask = 0;
	syscall(SYS_rt_sigpending, &mask, SIGNAL_SET);
	add_number(collector, mask);
	sigaltstack(NULL, &stack);
	add_number(collector, (uint64_t)(uintptr_t)stack.ss_sp);
	add_number(collector, (uint64_t)stack.ss_size << 8 | (uint64_t)(unsigned)stack.ss_flags);
}

static void add_limits(const struct collector *collector)
{
	for (int which = 0; which < RLIM_NLIMITS; which++) {
		struct rlimit limit = {0, 0};

		if (collector->known)
			limit = collector->known->limits[which];
		else
			getrlimit((__rlimit_resource_t)which, &limit);
		add_number(collector, limit.rlim_cur);
		add_number(collector, limit.rlim_max);
	}
}

static int add_place(const struct collector *collector, const char *status)
{
	static const char *const lines[] = {
		"\nUmask:", "\nUid:", "\nGid:", "\nNoNewPrivs:", "\nCpus_allowed:"};
	char directory[PATH_MAX];

	if (!getcwd(directory, sizeof(directory)))
		return -1;
	add_text(collector, directory);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *line = strstr(status, lines[i]);

		add_number(collector, line != NULL);
		if (line)
			add(collector, line + 1, strcspn(line + 1, "\n"));
	}
	add_number(collector, (uint64_t)(uintptr_t)sbrk(0));
	return 0;
}

static bool writes(const struct agent *agent)
{
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].kind == AGENT_FILE
		    && (agent->files[i].flags & O_ACCMODE) != O_RDONLY)
			return true;
	return false;
}

/* --- the survey ------------------------------------------------------------------------------- */

/* For a file that is still open: compares what agent_is_as_born compares with the birth, but not
 * with an image. */
static bool is_same_file(const struct agent *agent, const struct agent_file *file)
{
	const struct agent_held *held = agent_find_held(&agent->private_stack->kernel_now,
	                                                file->fd);
	const bool in_world = file->kind == AGENT_WORLD_FILE;
	struct stat named;

	if (!held || !S_ISREG(held->mode))
		return held != NULL;
	if (!file->name || file->mode != (held->mode & 07777)
	    || fstatat(in_world ? AGENT_WORLD_FD : AT_FDCWD, file->name, &named,
	               in_world ? 0 : AT_SYMLINK_NOFOLLOW)
	               < 0
	    || named.st_dev != held->device || named.st_ino != held->inode)
		return false;
	return !in_world || (file->flags & O_PATH)
	       || (lseek(file->fd, 0, SEEK_CUR) == file->offset
	           && (!file->has_contents
	               || ((uint64_t)held->size == file->size
	                   && (file->size == 0 || agent_holds_idle(file)))));
}

/* Whether the file compared with the birth is the one surveyed for the state. */
static bool is_compared(const struct agent_file *birth, const struct agent_file *file)
{
	return birth->fd == file->fd && birth->kind == file->kind && birth->flags == file->flags
	       && (birth->offset == file->offset || file->kind == AGENT_WORLD_FILE);
}

static bool are_compared(const struct agent *agent, const struct agent_shared *one)
{
	for (size_t i = 0; i < agent->shared_count; i++)
		if (agent->shared[i].fd == one->fd)
			return agent->shared[i].flags == one->flags;
	return false;
}

/* Whether a new survey would have the same result, while the rank is as at its birth. */
static bool holds_survey(struct agent *agent)
{
	const struct agent *survey = agent->survey;

	if (!survey || !survey->is_as_born || survey->file_count != agent->file_count)
		return false;
	for (size_t i = 0; i < survey->shared_count; i++)
		if (!are_compared(agent, &survey->shared[i]))
			return false;
	for (size_t i = 0; i < survey->file_count; i++)
		if (!is_compared(&agent->files[i], &survey->files[i])
		    || !is_same_file(agent, &survey->files[i]))
			return false;
	return true;
}

static bool is_as_born(struct agent *agent)
{
	bool is = agent_has_birth(agent) && agent_is_as_born(agent);

	if (agent->private_stack)
		agent->private_stack->trouble[0] = '\0';
	return is;
}

/* Surveys without changing the survey that the rank was parked with, which is needed to restore.
 * NULL with errno on failure. While the rank is as at its birth, the survey made for a state then
 * is reused. */
static struct agent *survey_apart(struct agent *agent, bool *ret_is_as_born)
{
	struct agent_arena arena = {0};

	*ret_is_as_born = is_as_born(agent);
	if (*ret_is_as_born && holds_survey(agent))
		return agent->survey;
	if (!agent->survey)
		agent->survey = agent_arena_take(&agent->own, sizeof(*agent->survey));
	else
		arena = agent->survey->arena;
	if (!agent->survey)
		return NULL;
	*agent->survey = *agent;
	agent->survey->arena = arena;
	if (agent_survey(agent->survey) < 0)
		return NULL;
	agent->survey->is_as_born = *ret_is_as_born && !agent_hazard(agent->survey);
	return agent->survey;
}

bool agent_state_writes(struct agent *agent)
{
	bool is_as_born;
	const struct agent *survey = survey_apart(agent, &is_as_born);

	return !survey || writes(survey);
}

const char *agent_state_tell(struct agent *agent,
                             void (*tell)(void *user, const void *bytes, size_t size), void *user)
{
	struct collector collector = {tell, user, NULL};
	const char *status;
	bool is_as_born;

	agent = survey_apart(agent, &is_as_born);
	if (agent && is_as_born) {
		collector.known = &agent->private_stack->kernel_now;
		status = collector.known->status;
	} else {
		status = agent ? agent_read_text(&agent->arena, AT_FDCWD, "/proc/self/status")
		               : NULL;
	}
	if (!status)
		return "its state could not be read";
	if (agent_hazard(agent))
		return agent_hazard(agent);
	if (writes(agent))
		return "it writes files";
	add_number(&collector, agent->file_count);
	for (size_t i = 0; i < agent->file_count; i++)
		add_file(&collector, agent, &agent->files[i]);
	add_shared(&collector, agent);
	add_signals(&collector, status);
	add_limits(&collector);
	add_descriptors(&collector, agent);
	if (add_place(&collector, status) < 0)
		return "its state could not be read";
	return NULL;
}

int agent_state_handlers(const struct agent *agent, uintptr_t *handlers, int most)
{
	enum { OF_LIBC = 32, LAST_OF_LIBC = 33 }; /* signals that only libc can use */
	const struct agent_private_stack *stack = agent->private_stack;
	int count = 0;

	if (!stack || !stack->idle.kernel)
		return -1;
	for (int number = 1; number <= SIGNALS && count < most; number++) {
		const unsigned long handler =
			stack->kernel_now.signals.dispositions[number].words[0];

		if (handler != (uintptr_t)SIG_DFL && handler != (uintptr_t)SIG_IGN
		    && (number < OF_LIBC || number > LAST_OF_LIBC))
			handlers[count++] = handler;
	}
	return count;
}

int agent_state_memory(const struct agent *agent, struct agent_state_range *ranges, int most)
{
	const struct agent_arena none = {0};
	const struct agent_arena *const arenas[] = {&agent->own, &agent->arena,
	                                            agent->survey ? &agent->survey->arena : &none};
	int count = 0;

	if (most > 0 && agent_private_stack_memory(agent, &ranges[0].start, &ranges[0].end))
		count++;
	for (size_t i = 0; i < sizeof(arenas) / sizeof(*arenas); i++) {
		uintptr_t start, end;

		for (const struct agent_chunk *chunk =
		             agent_arena_next(arenas[i], NULL, &start, &end);
		     chunk; chunk = agent_arena_next(arenas[i], chunk, &start, &end)) {
			if (count == most)
				return -1;
			ranges[count++] = (struct agent_state_range){start, end};
		}
	}
	return count;
}
