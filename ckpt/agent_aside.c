/* A stack, and memory, apart from what is put back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent_rewind_internal.h"

#define TWIN_TRIES 20 /* milliseconds */

int agent_aside_new(struct agent *agent)
{
	struct agent_aside *aside;
	long mapped;

	if (agent->aside)
		return 0;
	/* The raw call: libucm replaces mmap(). */
	mapped = syscall(SYS_mmap, 0L, sizeof(*aside), PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	if (mapped == -1)
		return -1;
	aside = (struct agent_aside *)mapped;
	madvise(aside, sizeof(*aside), MADV_NOHUGEPAGE);
	aside->pagemap = aside->maps = -1;
	aside->probe[0] = 1;
	agent->aside = aside;
	return 0;
}

int agent_refuse(struct agent *agent, const char *format, ...)
{
	struct agent_aside *aside = agent->aside;
	va_list arguments;

	if (!aside->trouble[0]) {
		va_start(arguments, format);
		vsnprintf(aside->trouble, sizeof(aside->trouble), format, arguments);
		va_end(arguments);
	}
	return -1;
}

const char *agent_rewind_trouble(const struct agent *agent)
{
	return agent->aside ? agent->aside->trouble : "";
}

/* makecontext passes nothing but int. */
static struct agent_aside *entered;

static void enter_aside(void)
{
	struct agent_aside *aside = entered;

	aside->function();
	setcontext(&aside->program);
}

static void prepare(struct agent_aside *aside, void (*function)(void))
{
	aside->function = function;
	entered = aside;
	getcontext(&aside->apart);
	aside->apart.uc_stack.ss_sp = aside->stack;
	aside->apart.uc_stack.ss_size = sizeof(aside->stack);
	aside->apart.uc_link = NULL;
	makecontext(&aside->apart, enter_aside, 0);
}

void agent_step_aside(struct agent *agent, void (*function)(void))
{
	struct agent_aside *aside = agent ? agent->aside : NULL;

	if (!aside) {
		function();
		return;
	}
	prepare(aside, function);
	swapcontext(&aside->program, &aside->apart);
}

bool agent_stay_aside(struct agent *agent, void (*function)(void))
{
	if (!agent || !agent->aside)
		return false;
	prepare(agent->aside, function);
	setcontext(&agent->aside->apart);
	return false;
}

void agent_forget_birth(struct agent *agent)
{
	struct agent_aside *aside = agent ? agent->aside : NULL;

	if (aside && aside->twin > 0)
		syscall(SYS_kill, aside->twin, SIGKILL);
	if (aside)
		aside->twin = 0;
}

bool agent_has_birth(const struct agent *agent)
{
	return agent && agent->aside && agent->aside->twin > 0;
}

static int open_views(struct agent *agent)
{
	struct agent_aside *aside = agent->aside;

	aside->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	aside->maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (aside->pagemap < 0 || aside->maps < 0)
		return agent_refuse(agent, "/proc/self/pagemap cannot be read (%s)",
		                    strerror(errno));
	return 0;
}

static void close_views(struct agent *agent)
{
	struct agent_aside *aside = agent->aside;

	if (aside->pagemap >= 0)
		close(aside->pagemap);
	if (aside->maps >= 0)
		close(aside->maps);
	aside->pagemap = aside->maps = -1;
}

/* Waits until the rank or its keeper is gone. Raw calls alone: memory stays what it was. */
static _Noreturn void be_the_twin(pid_t rank, int rank_fd)
{
	struct pollfd gone = {.fd = rank_fd, .events = POLLIN};

	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	syscall(SYS_prctl, PR_SET_PTRACER, rank, 0, 0, 0);
	if (rank_fd > 0)
		syscall(SYS_close_range, 0u, (unsigned)rank_fd - 1, 0u);
	syscall(SYS_close_range, (unsigned)rank_fd + 1, ~0u, 0u);
	while (syscall(SYS_ppoll, &gone, 1L, NULL, NULL, 0L) <= 0)
		;
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* No library hears of it: fork() would change memory, and call what the program has registered. */
static int fork_twin(struct agent *agent)
{
	struct agent_aside *aside = agent->aside;
	pid_t rank = (pid_t)syscall(SYS_getpid);
	int rank_fd = (int)syscall(SYS_pidfd_open, rank, 0);
	sigset_t all, before;
	long twin;

	if (rank_fd < 0)
		return agent_refuse(agent, "pidfd_open fails (%s)", strerror(errno));
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	twin = syscall(SYS_clone, (unsigned long)(CLONE_PARENT | SIGCHLD), NULL, NULL, NULL, NULL);
	if (twin == 0)
		be_the_twin(rank, rank_fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(rank_fd);
	if (twin < 0)
		return agent_refuse(agent, "its twin cannot be forked");
	aside->twin = (pid_t)twin;
	return 0;
}

static bool can_read_twin(const struct agent_aside *aside)
{
	uint8_t byte;
	struct iovec here = {&byte, 1}, there = {(void *)aside->probe, 1};

	return process_vm_readv(aside->twin, &here, 1, &there, 1, 0) == 1;
}

/* Whether its memory can be read, as it will have to be. Where only descendants' may be (Yama), the
 * twin has to say first that its rank may. */
static int check_twin(struct agent *agent)
{
	struct agent_aside *aside = agent->aside;
	const struct timespec moment = {.tv_nsec = 1000000};
	int tries = 0;

	while (!can_read_twin(aside) && errno != ENOSYS && ++tries < TWIN_TRIES)
		syscall(SYS_nanosleep, &moment, NULL);
	if (tries == TWIN_TRIES || !can_read_twin(aside))
		return agent_refuse(agent, "process_vm_readv is not allowed (%s)", strerror(errno));
	return agent_check_pages(agent);
}

int agent_note_birth(struct agent *agent, const struct agent_clone *clones, size_t count)
{
	struct agent_aside *aside = agent->aside;
	struct agent_clone *kept;

	if (!aside)
		return -1;
	aside->twin = 0; /* the keeper's is not its own */
	aside->trouble[0] = '\0';
	kept = agent_arena_take(&agent->own, (count + 1) * sizeof(*kept));
	if (!kept)
		return agent_refuse(agent, "there is no memory for it");
	if (count)
		memcpy(kept, clones, count * sizeof(*kept));
	aside->clones = kept;
	aside->clone_count = count;
	aside->heap_end = (uint64_t)syscall(SYS_brk, 0L);
	if (open_views(agent) < 0 || agent_list_layout(agent, &aside->layout) < 0
	    || agent_note_pages(agent) < 0 || fork_twin(agent) < 0 || check_twin(agent) < 0)
		agent_forget_birth(agent);
	close_views(agent);
	if (aside->twin > 0 && agent_note_kernel_state(agent) < 0)
		agent_forget_birth(agent);
	return aside->twin > 0 ? 0 : -1;
}

int agent_rewind_memory(struct agent *agent)
{
	int result;

	agent->aside->trouble[0] = '\0';
	agent_known_start(&agent->aside->known);
	result = agent_look_at_kernel_state(agent);
	if (result == 0)
		result = open_views(agent);
	if (result == 0)
		result = agent_put_layout_back(agent);
	if (result == 0)
		result = agent_put_pages_back(agent);
	close_views(agent);
	return result;
}

int agent_rewind_rest(struct agent *agent)
{
	return agent_put_kernel_state_back(agent);
}
