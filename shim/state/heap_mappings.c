#include "heap_mappings.h"

#include <stdbool.h>
#include <string.h>

enum { RANGES = 512, PAGE = 4096 };

static struct {
	struct memory_range ranges[RANGES];
	int count;
	bool lost; /* a range did not fit */
} mapped;

static uintptr_t end_of(uintptr_t start, size_t size)
{
	return start + (size + PAGE - 1) / PAGE * PAGE;
}

static void add(uintptr_t start, uintptr_t end)
{
	if (start >= end)
		return;
	if (mapped.count == RANGES)
		mapped.lost = true;
	else
		mapped.ranges[mapped.count++] = (struct memory_range){start, end};
}

void heap_mappings_add(uintptr_t start, size_t size)
{
	heap_mappings_remove(start, size);
	/* Neighbours become one, so that a pool that grows needs one range. */
	for (int i = 0; i < mapped.count; i++) {
		struct memory_range *one = &mapped.ranges[i];

		if (one->end == start) {
			one->end = end_of(start, size);
			return;
		}
		if (one->start == end_of(start, size)) {
			one->start = start;
			return;
		}
	}
	add(start, end_of(start, size));
}

void heap_mappings_remove(uintptr_t start, size_t size)
{
	const uintptr_t end = end_of(start, size);

	for (int i = mapped.count - 1; i >= 0; i--) {
		const struct memory_range one = mapped.ranges[i];

		if (one.start >= end || one.end <= start)
			continue;
		mapped.ranges[i] = mapped.ranges[--mapped.count];
		add(one.start, start);
		add(end, one.end);
	}
}

int heap_mappings_ranges(struct memory_range *ranges, int most)
{
	if (mapped.lost || mapped.count > most)
		return -1;
	memcpy(ranges, mapped.ranges, (size_t)mapped.count * sizeof(ranges[0]));
	return mapped.count;
}
