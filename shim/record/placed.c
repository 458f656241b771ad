#define _GNU_SOURCE
#include "placed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Pages that are mapped; ranges do not overlap. */
struct range {
	struct range *next;
	uintptr_t start, end;
	int users;
};
static struct range *ranges;

static struct range *range_at(uintptr_t page)
{
	struct range *range = ranges;

	while (range && (page < range->start || page >= range->end))
		range = range->next;
	return range;
}

/* The first address after `page` where a range begins; at most `end`. */
static uintptr_t next_start(uintptr_t page, uintptr_t end)
{
	for (const struct range *range = ranges; range; range = range->next)
		if (range->start > page && range->start < end)
			end = range->start;
	return end;
}

static bool map(uintptr_t start, uintptr_t end)
{
	struct range *range = malloc(sizeof(*range));
	const long given = range ? syscall(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE,
	                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
	                                           | MAP_FIXED_NOREPLACE,
	                                   -1, 0L)
	                         : -1;

	if (given != (long)start) {
		if (given != -1) /* a kernel that does not know MAP_FIXED_NOREPLACE */
			syscall(SYS_munmap, given, end - start);
		free(range);
		return false;
	}
	*range = (struct range){ranges, start, end, 1};
	ranges = range;
	return true;
}

bool placed_map(void *at, size_t size)
{
	const uintptr_t start = (uintptr_t)at / PAGE * PAGE,
			end = ((uintptr_t)at + size + PAGE - 1) / PAGE * PAGE;
	bool was_used = false;

	for (uintptr_t page = start; page < end;) {
		struct range *range = range_at(page);
		const uintptr_t stop = range ? range->end : next_start(page, end);

		if (range) {
			range->users++;
			was_used = true;
		} else if (!map(page, stop)) {
			return false;
		}
		page = stop;
	}
	if (was_used)
		memset(at, 0, size);
	return true;
}

void placed_free(void *at, size_t size)
{
	const uintptr_t start = (uintptr_t)at / PAGE * PAGE, end = (uintptr_t)at + size;

	for (struct range **one = &ranges; *one;) {
		struct range *range = *one;

		if (range->end <= start || range->start >= end || --range->users > 0) {
			one = &range->next;
			continue;
		}
		*one = range->next;
		syscall(SYS_munmap, range->start, range->end - range->start);
		free(range);
	}
}
