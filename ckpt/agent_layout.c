/* The mappings of a rank that is rewound: mappings of the interleaving are removed, and removed or
 * protected ones are restored. A deleted file cannot be mapped again. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/types.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent_map_query.h"
#include "agent_rewind_internal.h"

/* glibc 2.35 and later: where the kernel stores each thread's CPU number. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

static int add_area(struct agent *agent, struct agent_layout *layout, const struct agent_area *area)
{
	if (area->start >= area->end)
		return 0;
	if (layout->count == AGENT_AREAS_MAX)
		return agent_refuse(agent, "it has more than %d mappings", AGENT_AREAS_MAX);
	layout->areas[layout->count++] = *area;
	return 0;
}

/* Adds the area without the private stack's memory, which the kernel may have merged with its
 * neighbours. */
static int add_around_private_stack(struct agent *agent, struct agent_layout *layout,
                                    const struct agent_area *area)
{
	const uint64_t start = (uintptr_t)agent->private_stack,
		       end = agent_private_stack_end(agent);
	struct agent_area below = *area, above = *area;

	if (area->end <= start || area->start >= end)
		return add_area(agent, layout, area);
	below.end = start;
	above.start = end;
	if (above.inode)
		above.offset += above.start - area->start;
	return add_area(agent, layout, &below) < 0 ? -1 : add_area(agent, layout, &above);
}

int agent_list_layout(struct agent *agent, struct agent_layout *ret_layout)
{
	struct agent_map_query query = {.size = sizeof(query),
	                                .flags = AGENT_QUERY_COVERING_OR_NEXT};

	if (agent_view_maps(agent) < 0)
		return -1;
	ret_layout->count = 0;
	for (;; query.address = query.end) {
		struct agent_area area;

		query.name_size = query.build_id_size = 0;
		if (ioctl(agent->private_stack->maps, AGENT_MAP_QUERY, &query) < 0) {
			if (errno == ENOENT && ret_layout->count)
				return 0;
			return agent_refuse(agent, "the kernel cannot list mappings (Linux 6.11 or "
			                           "later is needed)");
		}
		area = (struct agent_area){
			.start = query.start,
			.end = query.end,
			.offset = query.inode ? query.offset : 0,
			.device = makedev(query.major, query.minor),
			.inode = query.inode,
			.protection = agent_query_protection(&query),
			.shared = query.vma_flags & AGENT_QUERY_SHARED,
		};
		if (add_around_private_stack(agent, ret_layout, &area) < 0)
			return -1;
	}
}

int agent_list_now(struct agent *agent)
{
	struct agent_idle *idle = &agent->private_stack->idle;

	if (agent_is_idle(agent) && idle->layout)
		return 0;
	if (agent_list_layout(agent, &agent->private_stack->layout_now) < 0)
		return -1;
	agent_note_idle(agent, &idle->layout);
	return 0;
}

static bool overlap(const struct agent_area *one, const struct agent_area *other)
{
	return one->start < other->end && other->start < one->end;
}

bool agent_had_mapped(const struct agent *agent, uintptr_t start, uintptr_t end)
{
	const struct agent_area range = {.start = start, .end = end};

	if (!agent_has_birth(agent))
		return false;
	for (size_t i = 0; i < agent->private_stack->layout.count; i++)
		if (overlap(&agent->private_stack->layout.areas[i], &range))
			return true;
	return false;
}

static int unmap(struct agent *agent, uint64_t start, uint64_t end)
{
	if (start < end && syscall(SYS_munmap, start, end - start) < 0)
		return agent_refuse(agent, "its new mappings cannot be removed (%s)",
		                    strerror(errno));
	return 0;
}

/* Unmaps the parts of `one` that are outside `other`. */
static int unmap_around(struct agent *agent, const struct agent_area *one,
                        const struct agent_area *other)
{
	uint64_t below = one->end < other->start ? one->end : other->start;
	uint64_t above = one->start > other->end ? one->start : other->end;

	return unmap(agent, one->start, below) < 0 ? -1 : unmap(agent, above, one->end);
}

/* Unmaps what was not mapped at the birth. */
static int unmap_new(struct agent *agent)
{
	const struct agent_layout *then = &agent->private_stack->layout,
				  *now = &agent->private_stack->layout_now;
	size_t at = 0;

	for (size_t i = 0; i < now->count; i++) {
		uint64_t from = now->areas[i].start;

		while (at < then->count && then->areas[at].end <= from)
			at++;
		for (size_t j = at; j < then->count && overlap(&then->areas[j], &now->areas[i]);
		     j++) {
			if (unmap(agent, from, then->areas[j].start) < 0)
				return -1;
			from = then->areas[j].end;
		}
		if (unmap(agent, from, now->areas[i].end) < 0)
			return -1;
	}
	return 0;
}

static bool same_object(const struct agent_area *then, const struct agent_area *now)
{
	return then->shared == now->shared && then->device == now->device
	       && then->inode == now->inode
	       && (!then->inode || now->offset - now->start == then->offset - then->start);
}

/* The range that the kernel writes by itself, and that must not be changed. None: both are 0. */
static void find_rseq(uint64_t *ret_start, uint64_t *ret_end)
{
	enum { REGISTERED = 32 };

	*ret_start = *ret_end = 0;
	if (!&__rseq_size || __rseq_size == 0)
		return;
	*ret_start = (uintptr_t)__builtin_thread_pointer() + (uint64_t)__rseq_offset;
	*ret_end = *ret_start + (__rseq_size > REGISTERED ? __rseq_size : REGISTERED);
}

void agent_find_rseq(uint64_t page, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start, end;

	*ret_start = *ret_end = page + AGENT_PAGE;
	find_rseq(&start, &end);
	if (start >= page + AGENT_PAGE || end <= page)
		return;
	*ret_start = agent_later(start, page);
	*ret_end = agent_earlier(end, page + AGENT_PAGE);
}

/* Copies what an area contained at the birth to writable, empty memory of its size at `to`. */
static int copy_from_birth(struct agent *agent, const struct agent_area *area, uint64_t to)
{
	const struct agent_private_stack *stack = agent->private_stack;
	uint64_t rseq_start, rseq_end;

	for (size_t i = 0; i < stack->had.count; i++) {
		uint64_t start = agent_later(stack->had.runs[i].start, area->start);
		uint64_t end = agent_earlier(stack->had.runs[i].end, area->end);
		struct iovec there = {(void *)(uintptr_t)start, end - start};
		struct iovec here = {(void *)(uintptr_t)(to + start - area->start), end - start};

		if (start < end
		    && agent_read_twin(stack->twin, &here, &there, 1) != (ssize_t)(end - start))
			return agent_refuse(agent, "its memory at the birth cannot be read");
	}
	find_rseq(&rseq_start, &rseq_end);
	rseq_start = agent_later(rseq_start, area->start);
	rseq_end = agent_earlier(rseq_end, area->end);
	if (rseq_start < rseq_end)
		memcpy((void *)(uintptr_t)(to + rseq_start - area->start),
		       (const void *)(uintptr_t)rseq_start, rseq_end - rseq_start);
	return 0;
}

/* Maps the area in one piece, with the contents from the twin. It may contain memory in use here
 * (the thread's data, the agent's memory). So it is created elsewhere and moved into place by one
 * call. */
static int make_private(struct agent *agent, const struct agent_area *area)
{
	const uint64_t length = area->end - area->start;
	long made = syscall(SYS_mmap, 0L, length, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	struct agent_area spare = {.start = (uint64_t)made, .end = (uint64_t)made + length};

	if (made == -1)
		return agent_refuse(agent, "there is no memory to map again what it has unmapped");
	/* The kernel chose the gap itself. While it is in use the kernel chooses another place. */
	if (overlap(&spare, area))
		return make_private(agent, area) < 0 ? -1 : unmap_around(agent, &spare, area);
	if (copy_from_birth(agent, area, spare.start) < 0)
		return -1;
	if (syscall(SYS_mprotect, spare.start, length, (int)area->protection) < 0
	    || syscall(SYS_mremap, spare.start, length, length, MREMAP_MAYMOVE | MREMAP_FIXED,
	               area->start)
	               == -1)
		return agent_refuse(agent,
		                    "memory that it has unmapped cannot be mapped again (%s)",
		                    strerror(errno));
	return 0;
}

/* Keeps the parts of an area that are mapped as before, and restores their protection. True: the
 * whole area is kept. (A later scan checks whether it is still in one piece.) */
static bool keep_area(const struct agent_layout *now, const struct agent_area *area, size_t *at)
{
	uint64_t from = area->start;

	while (*at < now->count && now->areas[*at].end <= area->start)
		(*at)++;
	for (size_t i = *at; i < now->count && overlap(&now->areas[i], area); i++) {
		const struct agent_area *piece = &now->areas[i];
		uint64_t start = piece->start > area->start ? piece->start : area->start;
		uint64_t end = piece->end < area->end ? piece->end : area->end;

		if (!same_object(area, piece) || start != from)
			return false;
		if (piece->protection != area->protection
		    && syscall(SYS_mprotect, start, end - start, (int)area->protection) < 0)
			return false;
		from = end;
	}
	return from == area->end;
}

static bool is_clone(const struct agent *agent, const struct agent_area *area)
{
	for (size_t i = 0; i < agent->private_stack->clone_count; i++) {
		const struct agent_clone *clone = &agent->private_stack->clones[i];

		if (clone->start <= area->start && area->end <= clone->start + clone->length)
			return true;
	}
	return false;
}

static int renew_area(struct agent *agent, const struct agent_area *area)
{
	if (!area->shared)
		return area->inode ? agent_refuse(agent, "it has changed how a file is mapped")
		                   : make_private(agent, area);
	if (!is_clone(agent, area)
	    || agent_map_clones(agent->private_stack->clones, agent->private_stack->clone_count)
	               < 0)
		return agent_refuse(agent, "it has unmapped shared memory");
	return 0;
}

static bool same_area(const struct agent_area *then, const struct agent_area *now)
{
	return then->start == now->start && then->end == now->end && same_object(then, now)
	       && then->protection == now->protection;
}

bool agent_same_layout(const struct agent_layout *then, const struct agent_layout *now)
{
	for (size_t i = 0; i < then->count && i < now->count; i++)
		if (!same_area(&then->areas[i], &now->areas[i]))
			return false;
	return then->count == now->count;
}

int agent_compare_layout(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;

	if (agent_list_now(agent) < 0)
		return -1;
	if ((uint64_t)syscall(SYS_brk, 0L) != stack->heap_end
	    || !agent_same_layout(&stack->layout, &stack->layout_now))
		return agent_refuse(agent, "its mappings have changed");
	return 0;
}

/* Equal mappings may have been merged, or split: mremap() and the like would see it. Private memory
 * is then mapped anew in one piece. */
static int compare_layouts(struct agent *agent, bool renew, bool *ret_renewed)
{
	struct agent_private_stack *stack = agent->private_stack;
	size_t at = 0;

	*ret_renewed = false;
	if (agent_list_layout(agent, &stack->layout_now) < 0)
		return -1;
	for (size_t i = 0; i < stack->layout.count; i++) {
		const struct agent_area *area = &stack->layout.areas[i];

		while (at < stack->layout_now.count
		       && stack->layout_now.areas[at].end <= area->start)
			at++;
		if (at < stack->layout_now.count && same_area(area, &stack->layout_now.areas[at]))
			continue;
		if (!renew)
			return agent_refuse(agent, "its mappings cannot be put back");
		if (renew_area(agent, area) < 0)
			return -1;
		*ret_renewed = true;
	}
	if (!*ret_renewed && stack->layout_now.count != stack->layout.count)
		return agent_refuse(agent, "its mappings cannot be put back");
	return 0;
}

int agent_put_layout_back(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	bool renewed;
	size_t at = 0;

	if ((uint64_t)syscall(SYS_brk, 0L) != stack->heap_end)
		stack->idle.layout = false;
	if ((uint64_t)syscall(SYS_brk, stack->heap_end) != stack->heap_end)
		return agent_refuse(agent, "the size of its heap cannot be put back");
	if (agent_list_now(agent) < 0)
		return -1;
	if (agent_same_layout(&stack->layout, &stack->layout_now))
		return 0;
	agent_known_mistrust(&stack->known);
	if (unmap_new(agent) < 0)
		return -1;
	for (size_t i = 0; i < stack->layout.count; i++) {
		const struct agent_area *area = &stack->layout.areas[i];

		if (!keep_area(&stack->layout_now, area, &at) && renew_area(agent, area) < 0)
			return -1;
	}
	if (compare_layouts(agent, true, &renewed) < 0)
		return -1;
	return renewed ? compare_layouts(agent, false, &renewed) : 0;
}
