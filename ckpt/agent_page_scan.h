/* A look at the memory of a rank that has a birth (agent_rewind.h): what is mapped, and which
 * private pages are there. Those that it alone has may have been written since the birth; the
 * others hold what they held then.
 *
 * A look stays true while no page was faulted in, the number of private pages is the same, and so
 * is what is mapped: agent_known.h tells why. Faults that the agent's own memory costs do not
 * count. Where khugepaged could join pages it is looked at each time. */
#ifndef MATCHPOINT_CKPT_AGENT_PAGE_SCAN_H
#define MATCHPOINT_CKPT_AGENT_PAGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent;

/* A part of the address space, of one kind. */
struct agent_area {
	uint64_t start, end, offset, device, inode;
	uint32_t protection; /* PROT_* */
	bool shared;
};

struct agent_stretch { /* private pages that are there */
	uint64_t start, end;
	bool private; /* no other process has them */
};

/* In memory apart, until the next look; in ascending order. */
struct agent_page_scan {
	uint64_t number; /* another one whenever something is another, but where pages are joined */
	uint64_t layout; /* likewise, of what is mapped */
	const struct agent_area *areas;
	size_t area_count;
	const struct agent_stretch *stretches;
	size_t count;
};

/* NULL: it cannot be told (no birth, or Linux before 6.11). */
const struct agent_page_scan *agent_page_scan_take(struct agent *agent);

/* Whether it still is as that look told, but for what is mapped: after its pages were read. */
bool agent_page_scan_holds(struct agent *agent);

/* Memory for what is made of looks: not put back, all-zero at each birth. NULL: there is none. */
void *agent_page_scan_notes(struct agent *agent, size_t size);

#endif
