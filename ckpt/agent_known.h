/* What a rewound rank is known to have written, so that its memory need not be scanned.
 *
 * Pages need not be scanned while nothing can have changed. A page becomes the rank's own only by a
 * page fault. So if there was no fault since the last rewind, the rank has written at most what it
 * had written then. That no page was dropped or moved follows from the mappings, which are compared
 * before, and from the number of private pages, which must be the same. (Linux 6.16 counts them
 * exactly; whether the kernel does is tested.) Counted are the faults of all its threads and of its
 * children, which may share its memory (vfork).
 *
 * Only khugepaged gives the rank pages without a fault: it makes one large page of small ones.
 * Where it could do so, pages are scanned each time. It leaves processes alone that have no large
 * pages (PR_SET_THP_DISABLE), such as ranks with state fingerprints (shim/state/state.h), and
 * memory that is to have none (agent_know_small_pages). */
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
	AGENT_SAVED = 1 << 20, /* bytes: copy of what a rank writes each time */
};

/* Present private pages (in memory, or swapped out), in ascending order. */
struct agent_run {
	uint64_t start, end;
	bool swapped;
	bool is_known, private; /* `private` is known for all of them */
};

struct agent_runs {
	size_t count;
	struct agent_run runs[AGENT_RUNS_MAX];
};

/* What the rank had written at the last rewind, in bytes, and data to decide whether that is still
 * all. */
struct agent_known {
	bool counts_are_exact; /* the kernel's count of private pages is exact */
	bool never_joined;     /* no large pages since the birth */
	bool is_whole;         /* the following members are valid */
	long faults;           /* page faults so far, including those of children */
	long faults_before;    /* when this rewind began */
	uint64_t anonymous, swapped;
	struct agent_runs copied, zeroed;
	bool is_saved; /* `saved` has the contents of `copied`, one run after the other */
	uint8_t saved[AGENT_SAVED];
};

/* process_vm_readv(2) without the shim's wrapper (other_memory.c); `here` and `there` have `count`
 * pieces each. */
ssize_t agent_read_twin(pid_t twin, const struct iovec *here, const struct iovec *there,
                        size_t count);

/* agent_known_start: call before anything is restored. agent_known_mistrust: call if the mappings
 * had changed. */
void agent_known_start(struct agent_known *known);
void agent_known_mistrust(struct agent_known *known);
/* Whether the rank has written at most what it had written at the last rewind. Arguments: private
 * pages in memory and swapped out, in kilobytes, from /proc/self/status. */
bool agent_known_is_all(const struct agent_known *known, uint64_t anonymous, uint64_t swapped);
/* Whether khugepaged could make large pages in this area. */
bool agent_may_be_joined(const struct agent_known *known, const struct agent_area *area);
/* Whether the process has no large pages. */
bool agent_has_no_large_pages(void);
/* Record what is restored, while it is being restored. */
void agent_known_begin(struct agent_known *known);
void agent_known_add(struct agent_known *known, struct agent_runs *runs, uint64_t start,
                     uint64_t end);
/* Everything is restored. is_new: it was not known before, and is kept from now on. */
void agent_known_end(struct agent_known *known, bool is_new, pid_t twin, uint64_t anonymous,
                     uint64_t swapped);

#endif
