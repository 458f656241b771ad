/* The private memory of a rank that is rewound.
 *
 * PAGEMAP_SCAN (Linux 6.7) finds the anonymous pages of the whole address space at once. Bit 56 of
 * /proc/self/pagemap marks those that only this process maps: they were written since the birth,
 * because others are still shared with the twin. Each of these pages, and each page that was
 * present at the birth and is not now, gets the twin's contents. A page that was not present at the
 * birth is zeroed.
 *
 * PAGEMAP_SCAN does not report a zero page where memory was dropped (MADV_DONTNEED) and read again,
 * so the page counts as not present. Swapped-out pages count as written. Where the kernel merges
 * equal pages (KSM), bit 56 is meaningless. agent_known.h explains which pages need not be scanned
 * again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_map_query.h"
#include "agent_rewind_internal.h"

#define ENTRY_ALONE ((uint64_t)1 << 56)
#define ENTRY_PRESENT ((uint64_t)1 << 63)
#define ZEROED_MOST 1024 /* pages; more are returned to the kernel, and cost faults again */

static int add_runs(struct agent *agent, struct agent_runs *runs, const struct agent_scanned *found,
                    long count)
{
	for (long i = 0; i < count; i++) {
		if (runs->count == AGENT_RUNS_MAX)
			return agent_refuse(agent, "its memory is in too many pieces");
		runs->runs[runs->count++] = (struct agent_run){
			.start = found[i].start,
			.end = found[i].end,
			.swapped = found[i].categories & AGENT_PAGE_SWAPPED,
		};
	}
	return 0;
}

/* Appends present pages, in ascending order. */
int agent_find_between(struct agent *agent, uint64_t start, uint64_t end, struct agent_runs *runs)
{
	struct agent_scanned found[512];

	if (agent_view_pages(agent) < 0)
		return -1;
	while (start < end) {
		uint64_t reached;
		int count = agent_scan_private(agent->private_stack->pagemap, start, end, found,
		                               sizeof(found) / sizeof(found[0]), &reached);

		if (count < 0)
			return agent_refuse(agent,
			                    "the kernel cannot list written pages (Linux 6.7 or "
			                    "later is needed)");
		if (add_runs(agent, runs, found, count) < 0)
			return -1;
		if (reached <= start)
			return agent_refuse(agent, "the kernel lists its pages without end");
		start = reached;
	}
	return 0;
}

/* Everything except the private stack's memory. */
int agent_find_private(struct agent *agent, const struct agent_layout *layout,
                       struct agent_runs *ret_runs)
{
	const uint64_t last = layout->areas[layout->count - 1].end;

	ret_runs->count = 0;
	if (agent_find_between(agent, 0, agent_earlier((uintptr_t)agent->private_stack, last),
	                       ret_runs)
	    < 0)
		return -1;
	return agent_find_between(agent, agent_private_stack_end(agent), last, ret_runs);
}

/* Whether only this process maps a page of a run. Runs must ascend between calls. */
int agent_page_is_private(struct agent *agent, const struct agent_run *run, uint64_t page)
{
	struct agent_private_stack *stack = agent->private_stack;
	uint64_t entry;

	if (run->is_known)
		return run->private;
	if (run->swapped)
		return 1;
	if (page < stack->entries_start || page >= stack->entries_end) {
		size_t count = (run->end - page) / AGENT_PAGE;
		ssize_t wanted;

		if (agent_view_pages(agent) < 0)
			return -1;
		if (count > AGENT_ENTRIES)
			count = AGENT_ENTRIES;
		wanted = (ssize_t)(count * sizeof(*stack->entries));
		if (pread(stack->pagemap, stack->entries, (size_t)wanted,
		          (off_t)(page / AGENT_PAGE * sizeof(*stack->entries)))
		    != wanted)
			return agent_refuse(agent, "/proc/self/pagemap cannot be read (%s)",
			                    strerror(errno));
		stack->entries_start = page;
		stack->entries_end = page + count * AGENT_PAGE;
	}
	entry = stack->entries[(page - stack->entries_start) / AGENT_PAGE];
	/* While the kernel moves a page, nothing is known of it. */
	return !(entry & ENTRY_PRESENT) || (entry & ENTRY_ALONE) ? 1 : 0;
}

void agent_forget_entries(struct agent *agent)
{
	agent->private_stack->entries_start = agent->private_stack->entries_end = 0;
}

/* As last read from /proc/self/status. */
static uint64_t private_in_memory(const struct agent_private_stack *stack)
{
	return stack->kernel_now.anonymous / (AGENT_PAGE / 1024);
}

/* --- at the birth ----------------------------------------------------------------------------- */

/* Checks the value of bit 56 for a page shared with the twin, before and after it is written. */
static int probe(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	volatile uint8_t *byte = stack->probe;
	uint64_t page = (uintptr_t)stack->probe;
	const struct agent_run run = {.start = page, .end = page + AGENT_PAGE};
	int before, after;

	agent_forget_entries(agent);
	before = agent_page_is_private(agent, &run, page);
	*byte = 2;
	agent_forget_entries(agent);
	after = agent_page_is_private(agent, &run, page);
	if (before < 0 || after < 0)
		return -1;
	if (before != 0 || after != 1)
		return agent_refuse(agent, "the kernel does not mark shared pages");
	return 0;
}

/* Whether the kernel may merge equal pages. */
int agent_refuse_merging(struct agent *agent)
{
	char *text = agent->private_stack->text;
	int fd = open("/proc/self/ksm_merging_pages", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, 16);

	if (fd >= 0)
		close(fd);
	if (got > 0 && text[0] != '0')
		return agent_refuse(agent, "the kernel merges its equal pages (KSM)");
	return 0;
}

int agent_note_pages(struct agent *agent)
{
	agent->private_stack->known.is_whole = false;
	return agent_find_private(agent, &agent->private_stack->layout, &agent->private_stack->had);
}

/* Checks that one page more is counted as one more in each count. */
static int try_counts(struct agent *agent)
{
	struct agent_kernel_state *state = &agent->private_stack->kernel_now;
	uint64_t before = 0, pages = 0;
	long page = syscall(SYS_mmap, 0L, AGENT_PAGE, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	/* touches the memory that it needs */
	int result = page == -1 ? -1 : agent_read_status(agent, state);

	if (result == 0)
		result = agent_read_status(agent, state);
	before = state->anonymous;
	if (result == 0) {
		agent_count_private();
		*(volatile uint8_t *)page = 1;
		result = agent_read_status(agent, state);
		pages = agent_count_private();
	}
	if (page != -1)
		syscall(SYS_munmap, page, AGENT_PAGE);
	agent->private_stack->known.counts_are_exact =
		result == 0 && state->anonymous == before + AGENT_PAGE / 1024
		&& pages == private_in_memory(agent->private_stack);
	return result < 0 ? agent_refuse(agent, "its pages cannot be counted") : 0;
}

int agent_check_pages(struct agent *agent)
{
	agent->private_stack->known.never_joined = agent_has_no_large_pages();
	return probe(agent) < 0 || try_counts(agent) < 0 ? -1 : agent_refuse_merging(agent);
}

/* --- restoring -------------------------------------------------------------------------------- */

struct cursors {
	const struct agent_image *image; /* its pages are restored separately; NULL: none */
	struct agent_cursor in_image;
	size_t now, had;
	bool opened; /* the area was not writable, and was made writable */
};

static int copy_from_twin(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	ssize_t wanted = 0, got;

	for (size_t i = 0; i < stack->copy_count; i++)
		wanted += (ssize_t)stack->copies[i].iov_len;
	if (!wanted)
		return 0;
	got = agent_read_twin(stack->twin, stack->copies, stack->copies, stack->copy_count);
	stack->copy_count = 0;
	if (got != wanted)
		return agent_refuse(agent, "its memory at the birth cannot be read (%s)",
		                    got < 0 ? strerror(errno) : "only a part was read");
	return 0;
}

static int add_copy(struct agent *agent, uint64_t start, uint64_t end)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct iovec *last = stack->copy_count ? &stack->copies[stack->copy_count - 1] : NULL;

	if (start >= end)
		return 0;
	if (last && (uintptr_t)last->iov_base + last->iov_len == start) {
		last->iov_len += end - start;
		return 0;
	}
	if (stack->copy_count == AGENT_COPIES && copy_from_twin(agent) < 0)
		return -1;
	stack->copies[stack->copy_count++] = (struct iovec){(void *)(uintptr_t)start,
	                                                    (size_t)(end - start)};
	return 0;
}

/* Zeroes a page that was not present at the birth. */
static int empty_page(struct agent *agent, const struct agent_area *area, uint64_t page)
{
	struct agent_known *known = &agent->private_stack->known;

	if (!area->inode && agent->private_stack->zeroed++ < ZEROED_MOST) {
		memset((void *)(uintptr_t)page, 0, AGENT_PAGE);
		if (!agent_may_be_joined(known, area))
			agent_known_add(known, &known->zeroed, page, page + AGENT_PAGE);
		return 0;
	}
	known->is_whole = false;
	if (syscall(SYS_madvise, page, AGENT_PAGE, MADV_DONTNEED) < 0)
		return agent_refuse(agent, "memory cannot be cleared (%s)", strerror(errno));
	return 0;
}

static int put_page_back(struct agent *agent, const struct agent_area *area, uint64_t page,
                         bool was_there, struct cursors *at)
{
	struct agent_known *known = &agent->private_stack->known;
	uint64_t rseq_start, rseq_end;

	if (!(area->protection & PROT_WRITE))
		known->is_whole = false;
	if (!(area->protection & PROT_WRITE) && !at->opened) {
		if (syscall(SYS_mprotect, area->start, area->end - area->start,
		            (int)area->protection | PROT_READ | PROT_WRITE)
		    < 0)
			return agent_refuse(
				agent, "memory that it has written cannot be made writable (%s)",
				strerror(errno));
		at->opened = true;
	}
	if (!was_there)
		return empty_page(agent, area, page);
	agent_find_rseq(page, &rseq_start, &rseq_end);
	if (!(area->protection & PROT_READ))
		return agent_refuse(agent, "it has written to memory that was not readable");
	if (!agent_may_be_joined(known, area)) {
		agent_known_add(known, &known->copied, page, rseq_start);
		agent_known_add(known, &known->copied, rseq_end, page + AGENT_PAGE);
	}
	return add_copy(agent, page, rseq_start) < 0 ? -1
	                                             : add_copy(agent, rseq_end, page + AGENT_PAGE);
}

/* The first run that ends after the page. */
static const struct agent_run *run_at(const struct agent_runs *runs, size_t *at, uint64_t page)
{
	while (*at < runs->count && runs->runs[*at].end <= page)
		(*at)++;
	return *at < runs->count ? &runs->runs[*at] : NULL;
}

static uint64_t first_page(const struct agent_run *run, uint64_t page)
{
	return run ? agent_later(run->start, page) : UINT64_MAX;
}

static int put_private_back(struct agent *agent, const struct agent_area *area, struct cursors *at)
{
	struct agent_private_stack *stack = agent->private_stack;

	at->opened = false;
	for (uint64_t page = area->start;; page += AGENT_PAGE) {
		const struct agent_run *now = run_at(&stack->runs_now, &at->now, page);
		const struct agent_run *had = run_at(&stack->had, &at->had, page);
		const struct agent_entry *entry;
		bool is_there, was_there;
		int changed = 1;

		page = agent_earlier(first_page(now, page), first_page(had, page));
		if (page >= area->end)
			break;
		is_there = now && now->start <= page;
		was_there = had && had->start <= page;
		entry = agent_store_page(&stack->store, at->image, &at->in_image, page);
		if (entry && entry->page == page)
			continue;
		if (is_there)
			changed = agent_page_is_private(agent, now, page);
		if (changed < 0 || (changed && put_page_back(agent, area, page, was_there, at) < 0))
			return -1;
	}
	if (!at->opened)
		return 0;
	if (copy_from_twin(agent) < 0)
		return -1;
	if (syscall(SYS_mprotect, area->start, area->end - area->start, (int)area->protection) < 0)
		return agent_refuse(agent, "the protection of memory cannot be put back (%s)",
		                    strerror(errno));
	return 0;
}

static int put_known_back(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	const struct agent_known *known = &stack->known;
	size_t used = 0;

	for (size_t i = 0; i < known->copied.count; i++) {
		const struct agent_run *run = &known->copied.runs[i];

		if (known->is_saved)
			memcpy((void *)(uintptr_t)run->start, known->saved + used,
			       run->end - run->start);
		else if (add_copy(agent, run->start, run->end) < 0)
			return -1;
		used += run->end - run->start;
	}
	for (size_t i = 0; i < known->zeroed.count; i++) {
		const struct agent_run *run = &known->zeroed.runs[i];

		memset((void *)(uintptr_t)run->start, 0, run->end - run->start);
	}
	return copy_from_twin(agent);
}

/* What is known of other pages stays valid. */
static int put_joined_back(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct cursors at = {0};

	stack->runs_now.count = 0;
	for (size_t i = 0; i < stack->layout.count; i++) {
		const struct agent_area *area = &stack->layout.areas[i];

		if (area->shared || !agent_may_be_joined(&stack->known, area))
			continue;
		if (agent_find_between(agent, area->start, area->end, &stack->runs_now) < 0
		    || put_private_back(agent, area, &at) < 0)
			return -1;
	}
	return copy_from_twin(agent);
}

static int put_all_back(struct agent *agent, const struct agent_image *image, long faults)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct cursors at = {.image = image};

	agent_known_begin(&stack->known);
	if (agent_find_written(agent, &stack->layout, faults, private_in_memory(stack)) < 0)
		return -1;
	for (size_t i = 0; i < stack->layout.count; i++)
		if (!stack->layout.areas[i].shared
		    && put_private_back(agent, &stack->layout.areas[i], &at) < 0)
			return -1;
	return copy_from_twin(agent);
}

int agent_put_pages_back(struct agent *agent, const struct agent_image *image, long faults)
{
	struct agent_known *known = &agent->private_stack->known;
	const struct agent_kernel_state *now = &agent->private_stack->kernel_now;
	bool is_new = true;
	int result;

	agent->private_stack->copy_count = 0;
	agent->private_stack->zeroed = 0;
	agent_forget_entries(agent);
	if (!image && agent_known_is_all(known, now->anonymous, now->swapped)) {
		if (put_known_back(agent) < 0)
			return -1;
		/* Otherwise pages have moved: mremap() moves them without a fault. */
		is_new = agent_known_faults() != known->faults_before;
	}
	result = is_new ? put_all_back(agent, image, faults) : put_joined_back(agent);
	if (image) /* more is written than was restored */
		known->is_whole = false;
	else
		agent_known_end(known, is_new, agent->private_stack->twin, now->anonymous,
		                now->swapped);
	return result;
}

static int visit_area(struct agent *agent, const struct agent_area *area, struct cursors *at,
                      int (*visit)(struct agent *agent, const struct agent_area *area,
                                   uint64_t page))
{
	struct agent_private_stack *stack = agent->private_stack;

	for (uint64_t page = area->start;; page += AGENT_PAGE) {
		const struct agent_run *now = run_at(&stack->runs_now, &at->now, page);
		const struct agent_run *had = run_at(&stack->had, &at->had, page);
		int private;

		page = agent_earlier(first_page(now, page), first_page(had, page));
		if (page >= area->end)
			return 0;
		if (!now || now->start > page)
			return agent_refuse(agent, "it has released memory");
		private = agent_page_is_private(agent, now, page);
		if (private < 0 || (private && visit(agent, area, page) < 0))
			return -1;
	}
}

int agent_each_written(struct agent *agent, long faults,
                       int (*visit)(struct agent *agent, const struct agent_area *area,
                                    uint64_t page))
{
	struct agent_private_stack *stack = agent->private_stack;
	struct cursors at = {0};

	if (agent_find_written(agent, &stack->layout, faults, private_in_memory(stack)) < 0)
		return -1;
	for (size_t i = 0; i < stack->layout.count; i++)
		if (!stack->layout.areas[i].shared
		    && visit_area(agent, &stack->layout.areas[i], &at, visit) < 0)
			return -1;
	return 0;
}
