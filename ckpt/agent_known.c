#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_known.h"

#define LARGE_PAGE ((uint64_t)2 << 20)

long agent_known_faults(void)
{
	struct rusage own = {0}, children = {0};

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return own.ru_minflt + own.ru_majflt + children.ru_minflt + children.ru_majflt;
}

ssize_t agent_read_twin(pid_t twin, const struct iovec *here, const struct iovec *there,
                        size_t count)
{
	return syscall(SYS_process_vm_readv, (long)twin, here, count, there, count, 0L);
}

void agent_known_start(struct agent_known *known)
{
	known->faults_before = agent_known_faults();
}

void agent_known_mistrust(struct agent_known *known)
{
	known->is_whole = false;
	known->faults_before = -1; /* nor can later faults be predicted */
}

bool agent_known_is_all(const struct agent_known *known, uint64_t anonymous, uint64_t swapped)
{
	return known->is_whole && known->faults == known->faults_before
	       && known->anonymous == anonymous && known->swapped == swapped;
}

bool agent_has_no_large_pages(void)
{
	return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
}

static struct {
	uint64_t start, end;
} small_pages;

void agent_know_small_pages(uint64_t start, uint64_t end)
{
	small_pages.start = start;
	small_pages.end = end;
}

bool agent_may_be_joined(const struct agent_known *known, const struct agent_area *area)
{
	uint64_t first = (area->start + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;

	if (area->start >= small_pages.start && area->end <= small_pages.end)
		return false;
	return !known->never_joined && !area->inode && first + LARGE_PAGE <= area->end;
}

void agent_known_begin(struct agent_known *known)
{
	known->is_whole = known->counts_are_exact;
	known->copied.count = known->zeroed.count = 0;
}

void agent_known_add(struct agent_known *known, struct agent_runs *runs, uint64_t start,
                     uint64_t end)
{
	struct agent_run *last = runs->count ? &runs->runs[runs->count - 1] : NULL;

	if (!known->is_whole || start >= end)
		return;
	if (last && last->end == start)
		last->end = end;
	else if (runs->count < AGENT_RUNS_MAX)
		runs->runs[runs->count++] = (struct agent_run){.start = start, .end = end};
	else
		known->is_whole = false;
}

/* Keeps a copy of what is to be restored, if it is not too much, so that it need not be read from
 * the twin each time. */
static void save_known(struct agent_known *known, pid_t twin)
{
	size_t used = 0;

	known->is_saved = false;
	for (size_t i = 0; i < known->copied.count; i++) {
		const struct agent_run *run = &known->copied.runs[i];
		const size_t length = run->end - run->start;
		struct iovec there = {(void *)(uintptr_t)run->start, length};
		struct iovec here = {known->saved + used, length};

		if (length > AGENT_SAVED - used
		    || agent_read_twin(twin, &here, &there, 1) != (ssize_t)length)
			return;
		used += length;
	}
	known->is_saved = true;
}

/* Faults while pages were being restored may have added to them. */
void agent_known_end(struct agent_known *known, bool is_new, pid_t twin, uint64_t anonymous,
                     uint64_t swapped)
{
	known->faults = agent_known_faults();
	known->anonymous = anonymous;
	known->swapped = swapped;
	known->is_whole = known->is_whole && known->faults == known->faults_before;
	if (!known->is_whole || !is_new)
		return;
	save_known(known, twin);
	known->is_whole = known->faults == agent_known_faults();
}
