/* What a rank that is rewound is known to have written, and its memory in pieces.
 *
 * No page need be looked at again while nothing can have changed. A page that is not the rank's own
 * becomes so by a fault, and none comes without one: so when there was no fault since it was
 * rewound last, it has written at most what it had written then. That none was dropped or moved
 * shows in the mappings, which are compared before, and in the number of private pages, which must
 * be the same (Linux 6.16 tells it exactly; whether it is exact is tried). Faults are its own, of
 * all its threads, and its children's, which may share its memory (vfork). What else gives it pages
 * without a fault is khugepaged, which makes one large page of small ones: where it could, pages
 * are looked at each time. It does not in a process that has no large pages (PR_SET_THP_DISABLE),
 * as ranks that tell their states (shim/state/state.h). */
#ifndef MATCHPOINT_CKPT_AGENT_KNOWN_H
#define MATCHPOINT_CKPT_AGENT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "agent_map_query.h"
#include "agent_page_scan.h"

enum {
	AGENT_RUNS_MAX = 16384,
	AGENT_SAVED = 1 << 20, /* bytes of what a rank writes each time, kept within reach */
};

/* Pages of private memory that are there (in memory, or swapped out), in ascending order. */
struct agent_run {
	uint64_t start, end;
	bool swapped;
	bool is_looked_at, private; /* the latter is known, of each of them */
};

struct agent_runs {
	size_t count;
	struct agent_run runs[AGENT_RUNS_MAX];
};

/* What it had written when it was rewound last, as bytes, and how to tell that it still is all. */
struct agent_known {
	bool counts_are_exact; /* of private pages, as the kernel tells them */
	bool never_joined;     /* it has no large pages, since the birth */
	bool is_whole;         /* what follows holds */
	long faults;           /* so far, its children's included */
	long faults_before;    /* putting back this time */
	uint64_t anonymous, swapped;
	struct agent_runs copied, zeroed;
	bool is_saved; /* what is to be copied, one run after the other: */
	uint8_t saved[AGENT_SAVED];
};

/* process_vm_readv(2), past the shim's (other_memory.c), as many pieces here as there. */
ssize_t agent_read_twin(pid_t twin, const struct iovec *here, const struct iovec *there,
                        size_t count);

/* Before anything is put back, and when mappings were not what they had been. */
void agent_known_start(struct agent_known *known);
void agent_known_mistrust(struct agent_known *known);
/* How many faults there were so far. */
long agent_known_faults(void);
/* Whether it has written at most what it had written when it was rewound last; private pages in
 * memory and swapped out in kilobytes, as /proc/self/status tells them. */
bool agent_known_is_all(const struct agent_known *known, uint64_t anonymous, uint64_t swapped);
/* Whether khugepaged could make large pages of it. */
bool agent_may_be_joined(const struct agent_known *known, const struct agent_area *area);
/* Whether the process has no large pages. */
bool agent_has_no_large_pages(void);
/* While all is put back: what that is. */
void agent_known_begin(struct agent_known *known);
void agent_known_add(struct agent_known *known, struct agent_runs *runs, uint64_t start,
                     uint64_t end);
/* All is put back; is_new: it was not known before, and is kept from now on. */
void agent_known_end(struct agent_known *known, bool is_new, pid_t twin, uint64_t anonymous,
                     uint64_t swapped);

#endif
