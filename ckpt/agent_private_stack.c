/* The private stack, and its memory, which a rewind does not restore. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent_rewind_internal.h"

#define TWIN_TRIES 20 /* of one millisecond each */

int agent_private_stack_new(struct agent *agent, bool images)
{
	const size_t size = images ? sizeof(struct agent_private_stack)
	                           : offsetof(struct agent_private_stack, store);
	struct agent_private_stack *stack;
	long mapped;

	if (agent->private_stack)
		return 0;
	/* The raw call: libucm replaces mmap(). */
	mapped = syscall(SYS_mmap, 0L, size, PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	if (mapped == -1)
		return -1;
	stack = (struct agent_private_stack *)mapped;
	madvise(stack, size, MADV_NOHUGEPAGE);
	stack->size = size;
	stack->pagemap = stack->maps = -1;
	stack->probe[0] = 1;
	agent->private_stack = stack;
	return 0;
}

static bool has_store(const struct agent_private_stack *stack)
{
	return stack->size == sizeof(*stack);
}

int agent_refuse(struct agent *agent, const char *format, ...)
{
	struct agent_private_stack *stack = agent->private_stack;
	va_list arguments;

	if (!stack->trouble[0]) {
		va_start(arguments, format);
		vsnprintf(stack->trouble, sizeof(stack->trouble), format, arguments);
		va_end(arguments);
	}
	return -1;
}

const char *agent_rewind_trouble(const struct agent *agent)
{
	return agent->private_stack ? agent->private_stack->trouble : "";
}

/* makecontext passes only int arguments. */
static struct agent_private_stack *entered;

static void enter_private_stack(void)
{
	struct agent_private_stack *stack = entered;

	stack->function();
	setcontext(&stack->program);
}

static void prepare(struct agent_private_stack *stack, void (*function)(void))
{
	stack->function = function;
	entered = stack;
	getcontext(&stack->apart);
	stack->apart.uc_stack.ss_sp = stack->stack;
	stack->apart.uc_stack.ss_size = sizeof(stack->stack);
	stack->apart.uc_link = NULL;
	makecontext(&stack->apart, enter_private_stack, 0);
}

void agent_step_private_stack(struct agent *agent, void (*function)(void))
{
	struct agent_private_stack *stack = agent ? agent->private_stack : NULL;

	if (!stack) {
		function();
		return;
	}
	prepare(stack, function);
	swapcontext(&stack->program, &stack->apart);
}

bool agent_stay_private_stack(struct agent *agent, void (*function)(void))
{
	if (!agent || !agent->private_stack)
		return false;
	prepare(agent->private_stack, function);
	setcontext(&agent->private_stack->apart);
	return false;
}

void agent_forget_birth(struct agent *agent)
{
	struct agent_private_stack *stack = agent ? agent->private_stack : NULL;

	if (stack && stack->twin > 0)
		syscall(SYS_kill, stack->twin, SIGKILL);
	if (stack)
		stack->twin = 0;
}

bool agent_has_birth(const struct agent *agent)
{
	return agent && agent->private_stack && agent->private_stack->twin > 0;
}

static int view(struct agent *agent, int *fd, const char *path)
{
	if (*fd < 0)
		*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? agent_refuse(agent, "%s cannot be read (%s)", path, strerror(errno)) : 0;
}

int agent_view_maps(struct agent *agent)
{
	return view(agent, &agent->private_stack->maps, "/proc/self/maps");
}

int agent_view_pages(struct agent *agent)
{
	return view(agent, &agent->private_stack->pagemap, "/proc/self/pagemap");
}

void agent_close_views(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;

	if (stack->pagemap >= 0)
		close(stack->pagemap);
	if (stack->maps >= 0)
		close(stack->maps);
	stack->pagemap = stack->maps = -1;
}

/* Waits until the rank or its keeper is gone. Only raw calls, so that the memory does not
 * change. */
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

/* A raw call that no library notices: fork() would change memory and call the program's
 * handlers. */
static int fork_twin(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
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
	stack->twin = (pid_t)twin;
	return 0;
}

static bool can_read_twin(const struct agent_private_stack *stack)
{
	uint8_t byte;
	struct iovec here = {&byte, 1}, there = {(void *)stack->probe, 1};

	return agent_read_twin(stack->twin, &here, &there, 1) == 1;
}

/* Whether the twin's memory can be read. With Yama the twin must first permit it to its rank. */
static int check_twin(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	const struct timespec moment = {.tv_nsec = 1000000};
	int tries = 0;

	while (!can_read_twin(stack) && errno != ENOSYS && ++tries < TWIN_TRIES)
		syscall(SYS_nanosleep, &moment, NULL);
	if (tries == TWIN_TRIES || !can_read_twin(stack))
		return agent_refuse(agent, "process_vm_readv is not allowed (%s)", strerror(errno));
	return agent_check_pages(agent);
}

int agent_note_birth(struct agent *agent, const struct agent_clone *clones, size_t count)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct agent_clone *kept;

	if (!stack)
		return -1;
	stack->twin = 0; /* the keeper's twin is not this rank's */
	stack->birth = stack->program;
	agent_moves(agent);
	if (agent->survey)
		agent->survey->is_as_born = false; /* the copied survey is the keeper's */
	agent_page_scan_forget(agent);
	syscall(SYS_madvise, &stack->notes, sizeof(stack->notes), MADV_DONTNEED);
	if (has_store(stack))
		syscall(SYS_madvise, &stack->store, sizeof(stack->store), MADV_DONTNEED);
	stack->blocks_placed = stack->images_placed = 0;
	stack->trouble[0] = '\0';
	kept = agent_arena_take(&agent->own, (count + 1) * sizeof(*kept));
	if (!kept)
		return agent_refuse(agent, "there is no memory left for the agent");
	if (count)
		memcpy(kept, clones, count * sizeof(*kept));
	stack->clones = kept;
	stack->clone_count = count;
	stack->heap_end = (uint64_t)syscall(SYS_brk, 0L);
	if (agent_list_layout(agent, &stack->layout) < 0 || agent_note_pages(agent) < 0
	    || fork_twin(agent) < 0 || check_twin(agent) < 0)
		agent_forget_birth(agent);
	agent_close_views(agent);
	if (stack->twin > 0 && agent_note_kernel_state(agent) < 0)
		agent_forget_birth(agent);
	return stack->twin > 0 ? 0 : -1;
}

/* Copies the pages of an image, except what the kernel writes by itself. */
static int put_image_back(struct agent *agent, const struct agent_image *image)
{
	const struct agent_layout *layout = &agent->private_stack->layout;
	struct agent_cursor cursor = {0};
	const struct agent_entry *entry;
	size_t at = 0;

	while ((entry = agent_store_page(&agent->private_stack->store, image, &cursor, 0))) {
		uint8_t *page = (uint8_t *)(uintptr_t)entry->page; /* NOLINT */
		const uint8_t *kept = agent->private_stack->store.blocks[entry->block];
		uint64_t rseq_start, rseq_end;

		cursor.at++;
		while (at < layout->count && layout->areas[at].end <= entry->page)
			at++;
		if (memcmp(page, kept, AGENT_PAGE) == 0)
			continue;
		if (at == layout->count || !(layout->areas[at].protection & PROT_WRITE))
			return agent_refuse(agent, "it has written to memory that is not writable");
		agent_find_rseq(entry->page, &rseq_start, &rseq_end);
		memcpy(page, kept, rseq_start - entry->page);
		memcpy(page + (rseq_end - entry->page), kept + (rseq_end - entry->page),
		       entry->page + AGENT_PAGE - rseq_end);
	}
	return 0;
}

static const struct agent_image *find_image(struct agent *agent, uint32_t number)
{
	struct agent_private_stack *stack = agent->private_stack;

	return has_store(stack) ? agent_store_find(&stack->store, number) : NULL;
}

int agent_rewind_memory(struct agent *agent, uint32_t number)
{
	struct agent_private_stack *stack = agent->private_stack;
	const struct agent_image *image = find_image(agent, number);
	long faults;
	int result;

	stack->trouble[0] = '\0';
	if (number && !image)
		return agent_refuse(agent, "it has no such image");
	agent_known_start(&stack->known);
	faults = agent_page_scan_faults(agent);
	result = agent_scan_kernel_state(agent);
	if (result == 0)
		result = agent_put_layout_back(agent);
	if (result == 0)
		result = agent_put_pages_back(agent, image, faults);
	if (result == 0 && image)
		result = put_image_back(agent, image);
	agent_close_views(agent);
	agent_moves(agent);
	stack->program = image ? image->program : stack->birth;
	if (has_store(stack))
		stack->store.last = image ? number : 0;
	return result;
}

int agent_rewind_rest(struct agent *agent, uint32_t number)
{
	return agent_put_kernel_state_back(agent, find_image(agent, number));
}

/* --- images ----------------------------------------------------------------------------------- */

/* Faults in `count` elements of an array of the store from `from` on, so many at a time. */
static void place(struct agent *agent, void *array, size_t size, size_t from, size_t count)
{
	const uintptr_t start = ((uintptr_t)array + from * size) / AGENT_PAGE * AGENT_PAGE;

	agent_own_populate(agent, (void *)start, (uintptr_t)array + (from + count) * size - start);
}

/* Faults in the parts of the store that are needed next, so that these faults are the agent's
 * own. */
static void place_image(struct agent *agent)
{
	enum { AT_ONCE = 16 };
	struct agent_private_stack *stack = agent->private_stack;

	if (stack->store.most + 1 < stack->images_placed
	    || stack->images_placed + AT_ONCE > AGENT_IMAGES_MAX)
		return;
	place(agent, stack->store.images, sizeof(*stack->store.images), stack->images_placed,
	      AT_ONCE);
	stack->images_placed += AT_ONCE;
}

static void place_blocks(struct agent *agent)
{
	enum { AT_ONCE = 64, NEEDED = 2 /* for a page and a list */ };
	struct agent_private_stack *stack = agent->private_stack;

	if (stack->store.used + NEEDED < stack->blocks_placed
	    || stack->blocks_placed + AT_ONCE > AGENT_BLOCKS)
		return;
	place(agent, stack->store.users, sizeof(*stack->store.users), stack->blocks_placed,
	      AT_ONCE);
	place(agent, stack->store.blocks, AGENT_PAGE, stack->blocks_placed, AT_ONCE);
	stack->blocks_placed += AT_ONCE;
}

static int keep_page(struct agent *agent, const struct agent_area *area, uint64_t page)
{
	if (!(area->protection & PROT_READ))
		return agent_refuse(agent, "it has written to memory that is not readable");
	place_blocks(agent);
	if (agent_store_add(&agent->private_stack->store, page, (const void *)(uintptr_t)page) < 0)
		return agent_refuse(agent, "there is no room for another image");
	return 0;
}

uint32_t agent_image_take(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	const long faults = agent_page_scan_faults(agent);
	struct agent_image *image = NULL;
	int result;

	stack->trouble[0] = '\0';
	agent_own_begin(agent);
	if (has_store(stack)) {
		place_image(agent);
		image = agent_store_begin(&stack->store);
	}
	if (!image) {
		agent_own_end(agent);
		agent_refuse(agent, "it has too many images");
		return 0;
	}
	result = agent_is_as_born(agent) ? agent_note_image_state(agent, image) : -1;
	if (result == 0)
		result = agent_each_written(agent, faults, keep_page);
	agent_close_views(agent);
	agent_own_end(agent);
	if (result < 0) {
		agent_store_give_up(&stack->store);
		return 0;
	}
	image->program = stack->program;
	return agent_store_end(&stack->store);
}

void agent_image_share(struct agent *agent, uint32_t image)
{
	agent_store_share(&agent->private_stack->store, image);
}

void agent_image_forget(struct agent *agent, uint32_t image)
{
	agent_store_forget(&agent->private_stack->store, image);
}

uint64_t agent_image_bytes(const struct agent *agent)
{
	const struct agent_private_stack *stack = agent ? agent->private_stack : NULL;

	return stack && has_store(stack) ? (uint64_t)stack->store.in_use * AGENT_PAGE : 0;
}

uint64_t agent_private_stack_end(const struct agent *agent)
{
	const uint64_t end = (uintptr_t)agent->private_stack + agent->private_stack->size;

	return (end + AGENT_PAGE - 1) / AGENT_PAGE * AGENT_PAGE;
}

bool agent_private_stack_memory(const struct agent *agent, uintptr_t *ret_start, uintptr_t *ret_end)
{
	*ret_start = (uintptr_t)agent->private_stack;
	*ret_end = agent->private_stack ? agent_private_stack_end(agent) : 0;
	return agent->private_stack != NULL;
}
