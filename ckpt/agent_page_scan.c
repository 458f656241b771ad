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
	agent->aside->own_before = faults_of_thread();
	agent->aside->counts_own = true;
}

void agent_own_end(struct agent *agent)
{
	struct agent_private_stack *aside = agent->aside;
	long faults = faults_of_thread() - aside->own_before;

	aside->own_faults += faults;
	aside->counts_own = false;
	/* They may have added private pages, in whose place others can be dropped unseen. */
	if (faults > 0)
		agent_page_scan_forget(agent);
}

long agent_page_scan_faults(const struct agent *agent)
{
	return agent_known_faults() - agent->aside->own_faults;
}

/* "size resident shared ...", in pages; private is what is resident and neither a file's nor
 * shared memory. */
uint64_t agent_count_private(void)
{
	char text[128], *at;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t resident;

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	strtoull(text, &at, 10);
	resident = strtoull(at, &at, 10);
	return resident - strtoull(at, NULL, 10);
}

/* No handler of the program's runs meanwhile. */
void agent_own_populate(struct agent *agent, void *start, size_t size)
{
	struct agent_private_stack *aside = agent->aside;
	struct agent_page_scanned *looked = &aside->looked;
	const uint64_t all = ~UINT64_C(0);
	uint64_t mask, pages;
	long faults;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof(mask));
	pages = agent_count_private();
	faults = faults_of_thread();
	madvise(start, size, MADV_POPULATE_WRITE);
	faults = faults_of_thread() - faults;
	aside->own_faults += faults;
	aside->own_before += faults;
	pages = agent_count_private() - pages;
	looked->private_pages += pages;
	aside->kernel_now.anonymous += pages * (AGENT_PAGE / 1024); /* if the rank stands */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

/* --- pages ------------------------------------------------------------------------------------ */

static int add_stretch(struct agent *agent, uint64_t start, uint64_t end, bool private)
{
	struct agent_stretches *all = &agent->aside->looked.all;
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

/* What was found in an area. Areas are asked for in ascending order. */
static int add_found(struct agent *agent, const struct agent_area *area, size_t *at)
{
	const struct agent_runs *runs = &agent->aside->runs_now;

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

/* What was known of an area, likewise. */
static int add_known(struct agent *agent, const struct agent_area *area, size_t *at)
{
	const struct agent_stretches *before = &agent->aside->looked.before;

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
	return !area->shared && agent_may_be_joined(&agent->aside->known, area);
}

/* Every page anew. */
static int look_at_pages(struct agent *agent)
{
	struct agent_page_scanned *looked = &agent->aside->looked;
	size_t at = 0;

	looked->all.count = 0;
	looked->has_joined = false;
	if (agent_scan_for_merging(agent) < 0
	    || agent_find_private(agent, &looked->layout, &agent->aside->runs_now) < 0)
		return -1;
	for (size_t i = 0; i < looked->layout.count; i++) {
		const struct agent_area *area = &looked->layout.areas[i];

		looked->has_joined |= is_joined(agent, area);
		if (!area->shared && add_found(agent, area, &at) < 0)
			return -1;
	}
	return 0;
}

/* Just where pages may have been joined since. */
static int look_at_joined(struct agent *agent)
{
	struct agent_private_stack *aside = agent->aside;
	struct agent_page_scanned *looked = &aside->looked;
	size_t known = 0;

	looked->before.count = looked->all.count;
	memcpy(looked->before.list, looked->all.list,
	       looked->all.count * sizeof(*looked->all.list));
	looked->all.count = 0;
	for (size_t i = 0; i < looked->layout.count; i++) {
		const struct agent_area *area = &looked->layout.areas[i];
		size_t found = 0;

		if (area->shared)
			continue;
		if (!is_joined(agent, area)) {
			if (add_known(agent, area, &known) < 0)
				return -1;
			continue;
		}
		aside->runs_now.count = 0;
		if (agent_find_between(agent, area->start, area->end, &aside->runs_now) < 0
		    || add_found(agent, area, &found) < 0)
			return -1;
	}
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* A page that is swapped out is one less in memory, and comes back by a fault. */
static bool holds(const struct agent *agent, const struct agent_layout *layout, long faults,
                  uint64_t private_pages)
{
	const struct agent_page_scanned *looked = &agent->aside->looked;

	return looked->is_whole && looked->faults == faults
	       && looked->private_pages == private_pages && agent->aside->known.counts_are_exact
	       && agent_same_layout(&looked->layout, layout);
}

/* /proc/self/status tells it as well. */
static uint64_t count_private(struct agent *agent)
{
	const struct agent_private_stack *aside = agent->aside;

	return agent_is_idle(agent) && aside->idle.kernel
	               ? aside->kernel_now.anonymous / (AGENT_PAGE / 1024)
	               : agent_count_private();
}

static int look(struct agent *agent, long faults)
{
	struct agent_private_stack *aside = agent->aside;
	struct agent_page_scanned *looked = &aside->looked;
	const uint64_t private_pages = count_private(agent);

	agent_forget_entries(agent);
	if (aside->known.never_joined && !agent_has_no_large_pages())
		aside->known.never_joined = looked->is_whole = false;
	if (agent_list_now(agent) < 0)
		return -1;
	if (holds(agent, &aside->layout_now, faults, private_pages))
		return looked->has_joined ? look_at_joined(agent) : 0;
	if (!agent_same_layout(&looked->layout, &aside->layout_now)) {
		memcpy(&looked->layout, &aside->layout_now, sizeof(looked->layout));
		looked->layout_number++;
	}
	looked->is_whole = false;
	if (look_at_pages(agent) < 0)
		return -1;
	looked->number++;
	looked->is_whole = true;
	looked->faults = faults;
	looked->private_pages = private_pages;
	return 0;
}

const struct agent_page_scan *agent_page_scan_take(struct agent *agent)
{
	struct agent_private_stack *aside = agent->aside;
	struct agent_page_scanned *looked = aside ? &aside->looked : NULL;
	long faults;
	int result;

	if (!agent_has_birth(agent))
		return NULL;
	if (agent_is_idle(agent) && aside->idle.look)
		return &looked->told;
	faults = agent_page_scan_faults(agent);
	agent_own_begin(agent);
	result = look(agent, faults);
	agent_close_views(agent);
	agent_own_end(agent);
	aside->trouble[0] = '\0';
	if (result < 0) {
		looked->is_whole = false;
		return NULL;
	}
	looked->told = (struct agent_page_scan){
		.number = looked->number,
		.layout = looked->layout_number,
		.areas = looked->layout.areas,
		.area_count = looked->layout.count,
		.stretches = looked->all.list,
		.count = looked->all.count,
	};
	if (looked->is_whole && !looked->has_joined && agent_page_scan_holds(agent))
		agent_note_idle(agent, &aside->idle.look);
	return &looked->told;
}

bool agent_page_scan_holds(struct agent *agent)
{
	return agent_page_scan_faults(agent) == agent->aside->looked.faults;
}

static int recall(struct agent *agent)
{
	const struct agent_stretches *all = &agent->aside->looked.all;
	struct agent_runs *runs = &agent->aside->runs_now;

	if (agent->aside->looked.has_joined && look_at_joined(agent) < 0)
		return -1;
	runs->count = all->count;
	for (size_t i = 0; i < all->count; i++)
		runs->runs[i] = (struct agent_run){.start = all->list[i].start,
		                                   .end = all->list[i].end,
		                                   .is_looked_at = true,
		                                   .private = all->list[i].private};
	return 0;
}

int agent_scan_for_written(struct agent *agent, const struct agent_layout *layout, long faults,
                           uint64_t private_pages)
{
	agent_forget_entries(agent);
	if (holds(agent, layout, faults, private_pages))
		return recall(agent);
	if (agent_scan_for_merging(agent) < 0)
		return -1;
	return agent_find_private(agent, layout, &agent->aside->runs_now);
}

void agent_page_scan_forget(struct agent *agent)
{
	agent->aside->looked.is_whole = false;
}

void *agent_page_scan_notes(struct agent *agent, size_t size)
{
	struct agent_private_stack *aside = agent->aside;

	return aside && size <= sizeof(aside->notes) ? aside->notes : NULL;
}

/* --- what need not be looked at again --------------------------------------------------------- */

void agent_is_unmoved(struct agent *agent)
{
	if (agent && agent->aside)
		agent->aside->idle.stands = true;
}

void agent_moves(struct agent *agent)
{
	if (agent && agent->aside)
		agent->aside->idle = (struct agent_idle){0};
}

static long faults(const struct agent *agent)
{
	const struct agent_private_stack *aside = agent->aside;
	const long all = faults_of_thread();

	return all - aside->own_faults - (aside->counts_own ? all - aside->own_before : 0);
}

/* Orders are read into memory of the rank's heap: when that grows for them it is touched, too. */
bool agent_is_idle(struct agent *agent)
{
	const struct agent_idle *idle = &agent->aside->idle;

	return idle->stands && idle->faults == faults(agent);
}

/* Signals that the program has blocked can be sent to it all the same. */
bool agent_is_standing(struct agent *agent)
{
	uint64_t pending = 0;

	return agent && agent->aside && agent_is_idle(agent)
	       && syscall(SYS_rt_sigpending, &pending, sizeof(pending)) == 0 && pending == 0;
}

void agent_note_idle(struct agent *agent, bool *ret_noted)
{
	struct agent_idle *idle = &agent->aside->idle;

	if (!idle->stands)
		return;
	if (!agent_is_idle(agent))
		*idle = (struct agent_idle){.stands = true, .faults = faults(agent)};
	*ret_noted = true;
}

bool agent_is_as_born(struct agent *agent)
{
	struct agent_idle *idle = &agent->aside->idle;
	bool is_as_born;

	if (agent_is_idle(agent) && idle->born)
		return true;
	is_as_born = agent_compare_kernel_state(agent) == 0 && agent_compare_layout(agent) == 0;
	agent_close_views(agent);
	if (is_as_born)
		agent_note_idle(agent, &idle->born);
	return is_as_born;
}
