/* Queries the kernel for mappings one by one (PROCMAP_QUERY), as in linux/fs.h since 6.11. */
#ifndef MATCHPOINT_CKPT_AGENT_MAP_QUERY_H
#define MATCHPOINT_CKPT_AGENT_MAP_QUERY_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define AGENT_PAGE ((uint64_t)4096)

struct agent_map_query {
	__u64 size, flags, address;
	__u64 start, end, vma_flags, page_size, offset, inode;
	__u32 major, minor, name_size, build_id_size;
	__u64 name, build_id;
};

#define AGENT_MAP_QUERY _IOWR('f', 17, struct agent_map_query)
#define AGENT_QUERY_READABLE 0x01
#define AGENT_QUERY_WRITABLE 0x02
#define AGENT_QUERY_EXECUTABLE 0x04
#define AGENT_QUERY_SHARED 0x08
#define AGENT_QUERY_COVERING_OR_NEXT 0x10

static inline uint32_t agent_query_protection(const struct agent_map_query *query)
{
	return (query->vma_flags & AGENT_QUERY_READABLE ? (uint32_t)PROT_READ : 0)
	       | (query->vma_flags & AGENT_QUERY_WRITABLE ? (uint32_t)PROT_WRITE : 0)
	       | (query->vma_flags & AGENT_QUERY_EXECUTABLE ? (uint32_t)PROT_EXEC : 0);
}

/* PAGEMAP_SCAN of /proc/PID/pagemap, as in linux/fs.h since 6.7: ranges of pages of some
 * categories. */
struct agent_pagemap_scan {
	__u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	__u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};
struct agent_scanned {
	__u64 start, end, categories;
};
#define AGENT_PAGEMAP_SCAN _IOWR('f', 16, struct agent_pagemap_scan)
#define AGENT_PAGE_FILE ((__u64)1 << 2)
#define AGENT_PAGE_PRESENT ((__u64)1 << 3)
#define AGENT_PAGE_SWAPPED ((__u64)1 << 4)
#define AGENT_PAGE_ZERO ((__u64)1 << 5)

/* Finds the present private pages between two addresses, in memory or swapped out, in ascending
 * order. Returns the number of ranges, and where the scan ended; -1 with errno. */
static inline int agent_scan_private(int pagemap, uint64_t start, uint64_t end,
                                     struct agent_scanned *found, size_t most, uint64_t *ret_end)
{
	struct agent_pagemap_scan scan = {
		.size = sizeof(scan),
		.start = start,
		.end = end,
		.vec = (uintptr_t)found,
		.vec_len = most,
		.category_inverted = AGENT_PAGE_FILE | AGENT_PAGE_ZERO,
		.category_mask = AGENT_PAGE_FILE | AGENT_PAGE_ZERO,
		.category_anyof_mask = AGENT_PAGE_PRESENT | AGENT_PAGE_SWAPPED,
		.return_mask = AGENT_PAGE_SWAPPED,
	};
	int count = ioctl(pagemap, AGENT_PAGEMAP_SCAN, &scan);

	*ret_end = scan.walk_end;
	return count;
}

#endif
