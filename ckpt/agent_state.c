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

#include "agent_internal.h"
#include "agent_rewind.h"

enum { SIGNALS = 64, SIGNAL_SET = 8 /* bytes, to the kernel */ };

struct telling {
	void (*add)(void *user, const void *bytes, size_t size);
	void *user;
};

static void add(const struct telling *telling, const void *bytes, size_t size)
{
	telling->add(telling->user, bytes, size);
}

static void add_number(const struct telling *telling, uint64_t number)
{
	add(telling, &number, sizeof(number));
}

static void add_text(const struct telling *telling, const char *text)
{
	add_number(telling, text != NULL);
	if (text)
		add(telling, text, strlen(text));
}

/* A file of the world's own is another one in each world. */
static void add_file(const struct telling *telling, const struct agent *agent,
                     const struct agent_file *file)
{
	add_number(telling, (uint64_t)file->fd << 32 | (uint32_t)file->shared_with);
	add_number(telling, (uint64_t)file->kind << 32 | (uint32_t)file->flags);
	add_number(telling, (uint64_t)file->offset);
	add_number(telling, file->mode);
	add_text(telling, file->name);
	if (file->kind == AGENT_DEVICE || (file->kind == AGENT_FILE && !file->name))
		add_number(telling, file->inode);
	if (file->kind == AGENT_PIPE) {
		const struct agent_file *mate = agent_pipe_mate(agent, file);

		add_number(telling, file->size);
		add_number(telling, mate ? (uint64_t)mate->fd : 0);
	} else if (file->kind == AGENT_EVENT) {
		add_number(telling, file->count);
		add_number(telling, file->semaphore);
	}
	add_number(telling, file->has_contents);
	if (file->has_contents)
		add(telling, file->contents, file->size);
	add_number(telling, file->watch_count);
	for (size_t i = 0; i < file->watch_count; i++) {
		const struct agent_watch *watch = &file->watches[i];

		add_number(telling, (uint64_t)watch->fd << 32 | watch->event.events);
		add_number(telling, watch->event.data.u64);
	}
}

static void add_shared(const struct telling *telling, const struct agent *agent)
{
	add_number(telling, agent->shared_count);
	for (size_t i = 0; i < agent->shared_count; i++)
		add_number(telling,
		           (uint64_t)agent->shared[i].fd << 32 | (uint32_t)agent->shared[i].flags);
}

/* Sockets and the like that MPI has opened are not looked at; that a descriptor is closed is seen
 * by all others' being there. */
static void add_descriptors(const struct telling *telling, const struct agent *agent)
{
	add_number(telling, agent->descriptor_count);
	for (size_t i = 0; i < agent->descriptor_count; i++)
		add_number(telling, (uint64_t)agent->descriptors[i]);
}

/* A mask of signals in /proc/self/status. */
static uint64_t read_mask(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 16) : ~UINT64_C(0);
}

static void add_signals(const struct telling *telling, const char *status)
{
	const uint64_t handled = read_mask(status, "\nSigIgn:") | read_mask(status, "\nSigCgt:");
	unsigned long words[4];
	uint64_t mask = 0;
	stack_t stack = {0};

	add_number(telling, handled);
	for (int number = 1; number <= SIGNALS; number++) {
		if (!agent_is_handled(handled, number))
			continue;
		memset(words, 0, sizeof(words));
		syscall(SYS_rt_sigaction, number, NULL, words, SIGNAL_SET);
		add(telling, words, sizeof(words));
	}
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, SIGNAL_SET);
	add_number(telling, mask);
	mask = 0;
	syscall(SYS_rt_sigpending, &mask, SIGNAL_SET);
	add_number(telling, mask);
	sigaltstack(NULL, &stack);
	add_number(telling, (uint64_t)(uintptr_t)stack.ss_sp);
	add_number(telling, (uint64_t)stack.ss_size << 8 | (uint64_t)(unsigned)stack.ss_flags);
}

static void add_limits(const struct telling *telling)
{
	for (int which = 0; which < RLIM_NLIMITS; which++) {
		struct rlimit limit = {0, 0};

		getrlimit((__rlimit_resource_t)which, &limit);
		add_number(telling, limit.rlim_cur);
		add_number(telling, limit.rlim_max);
	}
}

static int add_place(const struct telling *telling, const char *status)
{
	static const char *const lines[] = {
		"\nUmask:", "\nUid:", "\nGid:", "\nNoNewPrivs:", "\nCpus_allowed:"};
	char directory[PATH_MAX];

	if (!getcwd(directory, sizeof(directory)))
		return -1;
	add_text(telling, directory);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *line = strstr(status, lines[i]);

		add_number(telling, line != NULL);
		if (line)
			add(telling, line + 1, strcspn(line + 1, "\n"));
	}
	add_number(telling, (uint64_t)(uintptr_t)sbrk(0));
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

/* What the rank was surveyed to be when it was parked stays as it is: to be put back (NULL with
 * errno). */
static struct agent *survey_apart(struct agent *agent)
{
	struct agent_arena arena = {0};

	if (!agent->told)
		agent->told = agent_arena_take(&agent->own, sizeof(*agent->told));
	else
		arena = agent->told->arena;
	if (!agent->told)
		return NULL;
	*agent->told = *agent;
	agent->told->arena = arena;
	return agent_survey(agent->told) < 0 ? NULL : agent->told;
}

bool agent_state_writes(struct agent *agent)
{
	const struct agent *told = survey_apart(agent);

	return !told || writes(told);
}

const char *agent_state_tell(struct agent *agent,
                             void (*tell)(void *user, const void *bytes, size_t size), void *user)
{
	const struct telling telling = {tell, user};
	const char *status;

	agent = survey_apart(agent);
	status = agent ? agent_read_text(&agent->arena, AT_FDCWD, "/proc/self/status") : NULL;
	if (!status)
		return "its state could not be read";
	if (agent_hazard(agent))
		return agent_hazard(agent);
	if (writes(agent))
		return "it writes files";
	add_number(&telling, agent->file_count);
	for (size_t i = 0; i < agent->file_count; i++)
		add_file(&telling, agent, &agent->files[i]);
	add_shared(&telling, agent);
	add_signals(&telling, status);
	add_limits(&telling);
	add_descriptors(&telling, agent);
	if (add_place(&telling, status) < 0)
		return "its state could not be read";
	return NULL;
}

int agent_state_memory(const struct agent *agent, struct agent_state_range *ranges, int most)
{
	const struct agent_arena none = {0};
	const struct agent_arena *const arenas[] = {&agent->own, &agent->arena,
	                                            agent->told ? &agent->told->arena : &none};
	int count = 0;

	if (most > 0 && agent_aside_memory(agent, &ranges[0].start, &ranges[0].end))
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
