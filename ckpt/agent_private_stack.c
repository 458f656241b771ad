/* A stack, and memory, apart from what is put back. */
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

#define TWIN_TRIES 20 /* milliseconds */

int agent_private_stack_new(struct agent *agent, bool images)
{
	const size_t size = images ? sizeof(struct agent_private_stack)
	                           : offsetof(struct agent_private_stack, store);
	struct agent_private_stack *aside;
	long mapped;

	if (agent->aside)
		return 0;
	/* The raw call: libucm replaces mmap(). */
	mapped = syscall(SYS_mmap, 0L, size, PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	if (mapped == -1)
		return -1;
	aside = (struct agent_private_stack *)mapped;
	madvise(aside, size, MADV_NOHUGEPAGE);
	aside->size = size;
	aside->pagemap = aside->maps = -1;
	aside->probe[0] = 1;
	agent->aside = aside;
	return 0;
}

static bool has_store(const struct agent_private_stack *aside)
{
	return aside->size == sizeof(*aside);
}

int agent_refuse(struct agent *agent, const char *format, ...)
{
	struct agent_private_stack *aside = agent->aside;
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
static struct agent_private_stack *entered;

static void enter_aside(void)
{
	struct agent_private_stack *aside = entered;

	aside->function();
	setcontext(&aside->program);
}

static void prepare(struct agent_private_stack *aside, void (*function)(void))
{
	aside->function = function;
	entered = aside;
	getcontext(&aside->apart);
	aside->apart.uc_stack.ss_sp = aside->stack;
	aside->apart.uc_stack.ss_size = sizeof(aside->stack);
	aside->apart.uc_link = NULL;
	makecontext(&aside->apart, enter_aside, 0);
}

void agent_step_private_stack(struct agent *agent, void (*function)(void))
{
	struct agent_private_stack *aside = agent ? agent->aside : NULL;

	if (!aside) {
		function();
		return;
	}
	prepare(aside, function);
	swapcontext(&aside->program, &aside->apart);
}

bool agent_stay_private_stack(struct agent *agent, void (*function)(void))
{
	if (!agent || !agent->aside)
		return false;
	prepare(agent->aside, function);
	setcontext(&agent->aside->apart);
	return false;
}

void agent_forget_birth(struct agent *agent)
{
	struct agent_private_stack *aside = agent ? agent->aside : NULL;

	if (aside && aside->twin > 0)
		syscall(SYS_kill, aside->twin, SIGKILL);
	if (aside)
		aside->twin = 0;
}

bool agent_has_birth(const struct agent *agent)
{
	return agent && agent->aside && agent->aside->twin > 0;
}

static int view(struct agent *agent, int *fd, const char *path)
{
	if (*fd < 0)
		*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? agent_refuse(agent, "%s cannot be read (%s)", path, strerror(errno)) : 0;
}

int agent_view_maps(struct agent *agent)
{
	return view(agent, &agent->aside->maps, "/proc/self/maps");
}

int agent_view_pages(struct agent *agent)
{
	return view(agent, &agent->aside->pagemap, "/proc/self/pagemap");
}

void agent_close_views(struct agent *agent)
{
	struct agent_private_stack *aside = agent->aside;

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
	struct agent_private_stack *aside = agent->aside;
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

static bool can_read_twin(const struct agent_private_stack *aside)
{
	uint8_t byte;
	struct iovec here = {&byte, 1}, there = {(void *)aside->probe, 1};

	return agent_read_twin(aside->twin, &here, &there, 1) == 1;
}

/* Whether its memory can be read, as it will have to be. Where only descendants' may be (Yama), the
 * twin has to say first that its rank may. */
static int check_twin(struct agent *agent)
{
	struct agent_private_stack *aside = agent->aside;
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
	struct agent_private_stack *aside = agent->aside;
	struct agent_clone *kept;

	if (!aside)
		return -1;
	aside->twin = 0; /* the keeper's is not its own */
	aside->birth = aside->program;
	agent_moves(agent);
	if (agent->told)
		agent->told->is_as_born = false; /* but as the keeper's */
	agent_page_scan_forget(agent);
	syscall(SYS_madvise, &aside->notes, sizeof(aside->notes), MADV_DONTNEED);
	if (has_store(aside))
		syscall(SYS_madvise, &aside->store, sizeof(aside->store), MADV_DONTNEED);
	aside->blocks_placed = aside->images_placed = 0;
	aside->trouble[0] = '\0';
	kept = agent_arena_take(&agent->own, (count + 1) * sizeof(*kept));
	if (!kept)
		return agent_refuse(agent, "there is no memory for it");
	if (count)
		memcpy(kept, clones, count * sizeof(*kept));
	aside->clones = kept;
	aside->clone_count = count;
	aside->heap_end = (uint64_t)syscall(SYS_brk, 0L);
	if (agent_list_layout(agent, &aside->layout) < 0 || agent_note_pages(agent) < 0
	    || fork_twin(agent) < 0 || check_twin(agent) < 0)
		agent_forget_birth(agent);
	agent_close_views(agent);
	if (aside->twin > 0 && agent_note_kernel_state(agent) < 0)
		agent_forget_birth(agent);
	return aside->twin > 0 ? 0 : -1;
}

/* What an image has, but for what the kernel writes by itself. */
static int put_image_back(struct agent *agent, const struct agent_image *image)
{
	const struct agent_layout *layout = &agent->aside->layout;
	struct agent_cursor cursor = {0};
	const struct agent_entry *entry;
	size_t at = 0;

	while ((entry = agent_store_page(&agent->aside->store, image, &cursor, 0))) {
		uint8_t *page = (uint8_t *)(uintptr_t)entry->page; /* NOLINT */
		const uint8_t *kept = agent->aside->store.blocks[entry->block];
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
	struct agent_private_stack *aside = agent->aside;

	return has_store(aside) ? agent_store_find(&aside->store, number) : NULL;
}

int agent_rewind_memory(struct agent *agent, uint32_t number)
{
	struct agent_private_stack *aside = agent->aside;
	const struct agent_image *image = find_image(agent, number);
	long faults;
	int result;

	aside->trouble[0] = '\0';
	if (number && !image)
		return agent_refuse(agent, "it has no such image");
	agent_known_start(&aside->known);
	faults = agent_page_scan_faults(agent);
	result = agent_scan_at_kernel_state(agent);
	if (result == 0)
		result = agent_put_layout_back(agent);
	if (result == 0)
		result = agent_put_pages_back(agent, image, faults);
	if (result == 0 && image)
		result = put_image_back(agent, image);
	agent_close_views(agent);
	agent_moves(agent);
	aside->program = image ? image->program : aside->birth;
	if (has_store(aside))
		aside->store.last = image ? number : 0;
	return result;
}

int agent_rewind_rest(struct agent *agent, uint32_t number)
{
	return agent_put_kernel_state_back(agent, find_image(agent, number));
}

/* --- images ----------------------------------------------------------------------------------- */

/* Elements of an array of the store, so many at a time. */
static void place(struct agent *agent, void *array, size_t size, size_t from, size_t count)
{
	const uintptr_t start = ((uintptr_t)array + from * size) / AGENT_PAGE * AGENT_PAGE;

	agent_own_populate(agent, (void *)start, (uintptr_t)array + (from + count) * size - start);
}

/* Of the store what is needed next is in memory before it is: so its faults are no others'. */
static void place_image(struct agent *agent)
{
	enum { AT_ONCE = 16 };
	struct agent_private_stack *aside = agent->aside;

	if (aside->store.most + 1 < aside->images_placed
	    || aside->images_placed + AT_ONCE > AGENT_IMAGES_MAX)
		return;
	place(agent, aside->store.images, sizeof(*aside->store.images), aside->images_placed,
	      AT_ONCE);
	aside->images_placed += AT_ONCE;
}

static void place_blocks(struct agent *agent)
{
	enum { AT_ONCE = 64, NEEDED = 2 /* for a page, and a list */ };
	struct agent_private_stack *aside = agent->aside;

	if (aside->store.used + NEEDED < aside->blocks_placed
	    || aside->blocks_placed + AT_ONCE > AGENT_BLOCKS)
		return;
	place(agent, aside->store.users, sizeof(*aside->store.users), aside->blocks_placed,
	      AT_ONCE);
	place(agent, aside->store.blocks, AGENT_PAGE, aside->blocks_placed, AT_ONCE);
	aside->blocks_placed += AT_ONCE;
}

static int keep_page(struct agent *agent, const struct agent_area *area, uint64_t page)
{
	if (!(area->protection & PROT_READ))
		return agent_refuse(agent, "it has written to memory that is not readable");
	place_blocks(agent);
	if (agent_store_add(&agent->aside->store, page, (const void *)(uintptr_t)page) < 0)
		return agent_refuse(agent, "there is no room for an image of it");
	return 0;
}

uint32_t agent_image_take(struct agent *agent)
{
	struct agent_private_stack *aside = agent->aside;
	const long faults = agent_page_scan_faults(agent);
	struct agent_image *image = NULL;
	int result;

	aside->trouble[0] = '\0';
	agent_own_begin(agent);
	if (has_store(aside)) {
		place_image(agent);
		image = agent_store_begin(&aside->store);
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
		agent_store_give_up(&aside->store);
		return 0;
	}
	image->program = aside->program;
	return agent_store_end(&aside->store);
}

void agent_image_share(struct agent *agent, uint32_t image)
{
	agent_store_share(&agent->aside->store, image);
}

void agent_image_forget(struct agent *agent, uint32_t image)
{
	agent_store_forget(&agent->aside->store, image);
}

uint64_t agent_image_bytes(const struct agent *agent)
{
	const struct agent_private_stack *aside = agent ? agent->aside : NULL;

	return aside && has_store(aside) ? (uint64_t)aside->store.in_use * AGENT_PAGE : 0;
}

uint64_t agent_private_stack_end(const struct agent *agent)
{
	const uint64_t end = (uintptr_t)agent->aside + agent->aside->size;

	return (end + AGENT_PAGE - 1) / AGENT_PAGE * AGENT_PAGE;
}

bool agent_private_stack_memory(const struct agent *agent, uintptr_t *ret_start, uintptr_t *ret_end)
{
	*ret_start = (uintptr_t)agent->aside;
	*ret_end = agent->aside ? agent_private_stack_end(agent) : 0;
	return agent->aside != NULL;
}
