/* A scan of the memory of a rank that has a birth (agent_rewind.h): what is mapped, and which
 * private pages are present. Pages that only this process has may have been written since the
 * birth; the others have the contents they had then.
 *
 * A scan stays valid while no page is faulted in and the number of private pages and the mappings
 * do not change: agent_known.h explains why. Faults of the agent's own memory do not count. Where
 * khugepaged could join pages, they are scanned each time. */
#ifndef MATCHPOINT_CKPT_AGENT_PAGE_SCAN_H
#define MATCHPOINT_CKPT_AGENT_PAGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent;

/* A part of the address space with uniform properties. */
struct agent_area {
	uint64_t start, end, offset, device, inode;
	uint32_t protection; /* PROT_* */
	bool shared;
};

struct agent_stretch { /* present private pages */
	uint64_t start, end;
	bool private; /* no other process maps them */
};

/* Valid until the next scan. Areas and stretches are in ascending order. */
struct agent_page_scan {
	uint64_t number; /* changes whenever something changes, except where pages may be joined */
	uint64_t layout; /* the same for what is mapped */
	const struct agent_area *areas;
	size_t area_count;
	const struct agent_stretch *stretches;
	size_t count;
};

/* NULL: not possible (no birth, or Linux before 6.11). */
const struct agent_page_scan *agent_page_scan_take(struct agent *agent);

/* Whether the last scan is still valid, apart from mappings. Call this after reading its pages. */
bool agent_page_scan_holds(struct agent *agent);

/* The kernel makes no large pages in this range (MADV_NOHUGEPAGE). One range; empty at first. */
void agent_know_small_pages(uint64_t start, uint64_t end);

/* Memory for data derived from scans. It is not restored by a rewind, and is all-zero at each
 * birth. NULL: not available. */
void *agent_page_scan_notes(struct agent *agent, size_t size);

/* The number of page faults of this process so far, with those of children that have ended. */
long agent_known_faults(void);
/* Private pages in memory of this process, as the kernel counts them; 0: not available.
 * agent_count_pages: also the pages of all its mappings, and of those that are private and writable
 * or the stack. */
uint64_t agent_count_private(void);
uint64_t agent_count_pages(uint64_t *ret_mapped, uint64_t *ret_writable);

#endif
