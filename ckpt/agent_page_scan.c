#define _GNU_SOURCE
#include "agent_page_scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_rewind_internal.h"

/* --- faults ----------------------------------------------------------------------------------- */

static long faults_of_thread(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

void agent_own_begin(struct agent *agent)
{
	agent->private_stack->own_before = faults_of_thread();
	agent->private_stack->counts_own = true;
}

void agent_own_end(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	long faults = faults_of_thread() - stack->own_before;

	stack->own_faults += faults;
	stack->counts_own = false;
	/* They may have added private pages, so that others could be dropped unnoticed. */
	if (faults > 0)
		agent_page_scan_forget(agent);
}

long agent_page_scan_faults(const struct agent *agent)
{
	return agent_known_faults() - agent->private_stack->own_faults;
}

/* Parses "size resident shared text 0 data ...", in pages (proc(5)). Private pages are resident,
 * and neither of a file nor shared memory. */
uint64_t agent_count_pages(uint64_t *ret_mapped, uint64_t *ret_writable)
{
	char text[128], *at;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t resident, shared;

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	*ret_mapped = strtoull(text, &at, 10);
	resident = strtoull(at, &at, 10);
	shared = strtoull(at, &at, 10);
	strtoull(at, &at, 10);
	strtoull(at, &at, 10);
	*ret_writable = strtoull(at, NULL, 10);
	return resident - shared;
}

uint64_t agent_count_private(void)
{
	uint64_t mapped, writable;

	return agent_count_pages(&mapped, &writable);
}

/* Signals are blocked, so that no handler of the program runs meanwhile. */
void agent_own_populate(struct agent *agent, void *start, size_t size)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct agent_page_scanned *scanned = &stack->scanned;
	const uint64_t all = ~UINT64_C(0);
	uint64_t mask, pages;
	long faults;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof(mask));
	pages = agent_count_private();
	faults = faults_of_thread();
	madvise(start, size, MADV_POPULATE_WRITE);
	faults = faults_of_thread() - faults;
	stack->own_faults += faults;
	stack->own_before += faults;
	pages = agent_count_private() - pages;
	scanned->private_pages += pages;
	/* valid while the rank is idle */
	stack->kernel_now.anonymous += pages * (AGENT_PAGE / 1024);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

/* --- pages ------------------------------------------------------------------------------------ */

static int add_stretch(struct agent *agent, uint64_t start, uint64_t end, bool private)
{
	struct agent_stretches *all = &agent->private_stack->scanned.all;
	struct agent_stretch *last = all->count ? &all->list[all->count - 1] : NULL;

	if (last && last->end == start && last->private == private) {
		last->end = end;
		return 0;
	}
	if (all->count == AGENT_RUNS_MAX)
		return agent_refuse(agent, "its memory is in too many pieces");
	all->list[all->count++] = (struct agent_stretch){start, end, private};
	return 0;
}

/* Adds what was found in an area. Areas must ascend between calls. */
static int add_found(struct agent *agent, const struct agent_area *area, size_t *at)
{
	const struct agent_runs *runs = &agent->private_stack->runs_now;

	while (*at < runs->count && runs->runs[*at].end <= area->start)
		(*at)++;
	for (size_t i = *at; i < runs->count && runs->runs[i].start < area->end; i++) {
		const struct agent_run *run = &runs->runs[i];
		uint64_t page = agent_later(run->start, area->start);

		for (; page < agent_earlier(run->end, area->end); page += AGENT_PAGE) {
			int private = agent_page_is_private(agent, run, page);

			if (private < 0 || add_stretch(agent, page, page + AGENT_PAGE, private) < 0)
				return -1;
		}
	}
	return 0;
}

/* Adds what was known of an area. Areas must ascend between calls. */
static int add_known(struct agent *agent, const struct agent_area *area, size_t *at)
{
	const struct agent_stretches *before = &agent->private_stack->scanned.before;

	while (*at < before->count && before->list[*at].end <= area->start)
		(*at)++;
	for (size_t i = *at; i < before->count && before->list[i].start < area->end; i++) {
		const struct agent_stretch *one = &before->list[i];

		if (add_stretch(agent, agent_later(one->start, area->start),
		                agent_earlier(one->end, area->end), one->private)
		    < 0)
			return -1;
	}
	return 0;
}

static bool is_joined(const struct agent *agent, const struct agent_area *area)
{
	return !area->shared && agent_may_be_joined(&agent->private_stack->known, area);
}

/* Scans every page. */
static int scan_pages(struct agent *agent)
{
	struct agent_page_scanned *scanned = &agent->private_stack->scanned;
	size_t at = 0;

	scanned->all.count = 0;
	scanned->has_joined = false;
	if (agent_refuse_merging(agent) < 0
	    || agent_find_private(agent, &scanned->layout, &agent->private_stack->runs_now) < 0)
		return -1;
	for (size_t i = 0; i < scanned->layout.count; i++) {
		const struct agent_area *area = &scanned->layout.areas[i];

		scanned->has_joined |= is_joined(agent, area);
		if (!area->shared && add_found(agent, area, &at) < 0)
			return -1;
	}
	return 0;
}

/* Scans only where pages may have been joined since. */
static int scan_joined(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct agent_page_scanned *scanned = &stack->scanned;
	size_t known = 0;

	scanned->before.count = scanned->all.count;
	memcpy(scanned->before.list, scanned->all.list,
	       scanned->all.count * sizeof(*scanned->all.list));
	scanned->all.count = 0;
	for (size_t i = 0; i < scanned->layout.count; i++) {
		const struct agent_area *area = &scanned->layout.areas[i];
		size_t found = 0;

		if (area->shared)
			continue;
		if (!is_joined(agent, area)) {
			if (add_known(agent, area, &known) < 0)
				return -1;
			continue;
		}
		stack->runs_now.count = 0;
		if (agent_find_between(agent, area->start, area->end, &stack->runs_now) < 0
		    || add_found(agent, area, &found) < 0)
			return -1;
	}
	return 0;
}

/* --- scans ------------------------------------------------------------------------------------ */

/* Swapping out a page reduces the number in memory, and bringing it back takes a fault. */
static bool holds(const struct agent *agent, const struct agent_layout *layout, long faults,
                  uint64_t private_pages)
{
	const struct agent_page_scanned *scanned = &agent->private_stack->scanned;

	return scanned->is_whole && scanned->faults == faults
	       && scanned->private_pages == private_pages
	       && agent->private_stack->known.counts_are_exact
	       && agent_same_layout(&scanned->layout, layout);
}

/* The same number is in /proc/self/status. */
static uint64_t count_private(struct agent *agent)
{
	const struct agent_private_stack *stack = agent->private_stack;

	return agent_is_idle(agent) && stack->idle.kernel
	               ? stack->kernel_now.anonymous / (AGENT_PAGE / 1024)
	               : agent_count_private();
}

static int scan(struct agent *agent, long faults)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct agent_page_scanned *scanned = &stack->scanned;
	const uint64_t private_pages = count_private(agent);

	agent_forget_entries(agent);
	if (stack->known.never_joined && !agent_has_no_large_pages())
		stack->known.never_joined = scanned->is_whole = false;
	if (agent_list_now(agent) < 0)
		return -1;
	if (holds(agent, &stack->layout_now, faults, private_pages))
		return scanned->has_joined ? scan_joined(agent) : 0;
	if (!agent_same_layout(&scanned->layout, &stack->layout_now)) {
		memcpy(&scanned->layout, &stack->layout_now, sizeof(scanned->layout));
		scanned->layout_number++;
	}
	scanned->is_whole = false;
	if (scan_pages(agent) < 0)
		return -1;
	scanned->number++;
	scanned->is_whole = true;
	scanned->faults = faults;
	scanned->private_pages = private_pages;
	return 0;
}

const struct agent_page_scan *agent_page_scan_take(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	struct agent_page_scanned *scanned = stack ? &stack->scanned : NULL;
	long faults;
	int result;

	if (!agent_has_birth(agent))
		return NULL;
	if (agent_is_idle(agent) && stack->idle.scan)
		return &scanned->result;
	faults = agent_page_scan_faults(agent);
	agent_own_begin(agent);
	result = scan(agent, faults);
	agent_close_views(agent);
	agent_own_end(agent);
	stack->trouble[0] = '\0';
	if (result < 0) {
		scanned->is_whole = false;
		return NULL;
	}
	scanned->result = (struct agent_page_scan){
		.number = scanned->number,
		.layout = scanned->layout_number,
		.areas = scanned->layout.areas,
		.area_count = scanned->layout.count,
		.stretches = scanned->all.list,
		.count = scanned->all.count,
	};
	if (stack->idle.active && scanned->is_whole && !scanned->has_joined
	    && agent_page_scan_holds(agent))
		agent_note_idle(agent, &stack->idle.scan);
	return &scanned->result;
}

bool agent_page_scan_holds(struct agent *agent)
{
	return agent_page_scan_faults(agent) == agent->private_stack->scanned.faults;
}

static int reuse(struct agent *agent)
{
	const struct agent_stretches *all = &agent->private_stack->scanned.all;
	struct agent_runs *runs = &agent->private_stack->runs_now;

	if (agent->private_stack->scanned.has_joined && scan_joined(agent) < 0)
		return -1;
	runs->count = all->count;
	for (size_t i = 0; i < all->count; i++)
		runs->runs[i] = (struct agent_run){.start = all->list[i].start,
		                                   .end = all->list[i].end,
		                                   .is_known = true,
		                                   .private = all->list[i].private};
	return 0;
}

int agent_find_written(struct agent *agent, const struct agent_layout *layout, long faults,
                       uint64_t private_pages)
{
	agent_forget_entries(agent);
	if (holds(agent, layout, faults, private_pages))
		return reuse(agent);
	if (agent_refuse_merging(agent) < 0)
		return -1;
	return agent_find_private(agent, layout, &agent->private_stack->runs_now);
}

void agent_page_scan_forget(struct agent *agent)
{
	agent->private_stack->scanned.is_whole = false;
}

void *agent_page_scan_notes(struct agent *agent, size_t size)
{
	struct agent_private_stack *stack = agent->private_stack;

	return stack && size <= sizeof(stack->notes) ? stack->notes : NULL;
}

/* --- reuse of results ------------------------------------------------------------------------- */

void agent_is_unmoved(struct agent *agent)
{
	if (agent && agent->private_stack)
		agent->private_stack->idle.active = true;
}

void agent_moves(struct agent *agent)
{
	if (agent && agent->private_stack)
		agent->private_stack->idle = (struct agent_idle){0};
}

static long faults(const struct agent *agent)
{
	const struct agent_private_stack *stack = agent->private_stack;
	const long all = faults_of_thread();

	return all - stack->own_faults - (stack->counts_own ? all - stack->own_before : 0);
}

/* Orders are read into memory of the rank's heap. If the heap grows for them, there are faults as
 * well. */
bool agent_is_idle(struct agent *agent)
{
	const struct agent_idle *idle = &agent->private_stack->idle;

	return idle->active && idle->faults == faults(agent);
}

/* A blocked signal may be pending. */
bool agent_is_standing(struct agent *agent)
{
	uint64_t pending = 0;

	return agent && agent->private_stack && agent_is_idle(agent)
	       && syscall(SYS_rt_sigpending, &pending, sizeof(pending)) == 0 && pending == 0;
}

void agent_note_idle(struct agent *agent, bool *ret_noted)
{
	struct agent_idle *idle = &agent->private_stack->idle;

	if (!idle->active)
		return;
	if (!agent_is_idle(agent))
		*idle = (struct agent_idle){.active = true, .faults = faults(agent)};
	*ret_noted = true;
}

bool agent_is_as_born(struct agent *agent)
{
	struct agent_idle *idle = &agent->private_stack->idle;
	bool is_as_born;

	if (agent_is_idle(agent) && idle->born)
		return true;
	is_as_born = agent_compare_kernel_state(agent) == 0 && agent_compare_layout(agent) == 0;
	agent_close_views(agent);
	if (is_as_born)
		agent_note_idle(agent, &idle->born);
	return is_as_born;
}
