/* Shared by the files that rewind a rank: the memory of the private stack, with what was recorded
 * at the birth. */
#ifndef MATCHPOINT_CKPT_AGENT_REWIND_INTERNAL_H
#define MATCHPOINT_CKPT_AGENT_REWIND_INTERNAL_H

#include <sys/resource.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "agent_image.h"
#include "agent_internal.h"
#include "agent_known.h"
#include "agent_rewind.h"

enum {
	AGENT_AREAS_MAX = 4096,
	AGENT_ENTRIES = 1024, /* entries of pagemap read at a time */
	AGENT_COPIES = 512,   /* copies in one system call: see IOV_MAX */
	AGENT_DESCRIPTORS_MAX = 1024,
	AGENT_TEXT = 32768,      /* bytes: largest file of /proc */
	AGENT_STACK = 256 << 10, /* bytes */
	AGENT_SETTINGS = 16,
	AGENT_NOTES = 2 << 20, /* bytes */
};

/* All mappings except the private stack's memory, in ascending order. */
struct agent_layout {
	size_t count;
	struct agent_area areas[AGENT_AREAS_MAX];
};

struct agent_stretches {
	size_t count;
	struct agent_stretch list[AGENT_RUNS_MAX];
};

/* Result of the last scan (agent_page_scan.h). */
struct agent_page_scanned {
	bool is_whole;          /* the other members are valid */
	bool has_joined;        /* khugepaged could join pages somewhere */
	uint64_t number;        /* number of scans so far */
	uint64_t layout_number; /* number of layouts so far */
	long faults;            /* page faults when it began, except the agent's own */
	uint64_t private_pages; /* pages in memory then, including the agent's own */
	struct agent_layout layout;
	struct agent_stretches all, before;
	struct agent_page_scan result;
};

struct agent_held { /* an open descriptor */
	int fd, flags;
	uint64_t device, inode;
	mode_t mode;
	off_t size;
};

/* What was determined while the rank is idle (agent_is_unmoved). */
struct agent_idle {
	bool active;
	long faults; /* page faults of the thread when it was determined, except the agent's own */
	bool kernel; /* kernel_now is valid */
	bool layout; /* layout_now is valid */
	bool scan;   /* the last scan is valid */
	bool born;   /* both are equal to the state at the birth */
};

/* State of the process in the kernel. */
struct agent_kernel_state {
	struct agent_signals signals;
	struct rlimit limits[RLIM_NLIMITS];
	long settings[AGENT_SETTINGS];
	uint64_t root_device, root_inode;
	uint64_t directory_device, directory_inode; /* the working directory */
	size_t descriptor_count;
	struct agent_held descriptors[AGENT_DESCRIPTORS_MAX];
	uint64_t handled;        /* ignored or caught signals: bit N - 1 for signal N */
	uint64_t anonymous;      /* kilobytes of private pages in memory */
	uint64_t swapped;        /* kilobytes of private pages swapped out */
	char status[AGENT_TEXT]; /* lines of /proc/self/status that must not change */
};

struct agent_private_stack {
	ucontext_t program, apart;
	ucontext_t birth; /* `program` at the birth */
	void (*function)(void);
	size_t size;       /* bytes of the whole structure */
	pid_t twin;        /* 0: no twin */
	int pagemap, maps; /* descriptors while something is restored, else -1 */
	uint64_t heap_end; /* from brk */
	size_t clone_count;
	const struct agent_clone *clones; /* in the agent's arena */
	char trouble[256];
	struct agent_kernel_state kernel, kernel_now;
	bool descriptors_known; /* the descriptors of kernel_now are valid */
	struct agent_layout layout, layout_now;
	struct agent_runs had, runs_now;
	struct agent_known known;
	struct agent_page_scanned scanned;
	struct agent_idle idle;
	/* faults of the agent's own memory so far; of the thread at agent_own_begin */
	long own_faults, own_before;
	bool counts_own; /* between agent_own_begin and agent_own_end */
	uint64_t entries[AGENT_ENTRIES];
	uint64_t entries_start, entries_end; /* address range of `entries` */
	struct iovec copies[AGENT_COPIES];
	size_t copy_count;
	uint64_t zeroed; /* pages so far */
	char text[AGENT_TEXT];
	uint8_t probe[4096] __attribute__((aligned(4096)));
	uint8_t stack[AGENT_STACK] __attribute__((aligned(4096)));
	uint8_t notes[AGENT_NOTES] __attribute__((aligned(4096)));
	size_t blocks_placed, images_placed; /* elements of the store that have been faulted in */
	/* only if there is room for images */
	struct agent_store store __attribute__((aligned(4096)));
};

/* The later of two addresses. */
static inline uint64_t agent_later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static inline uint64_t agent_earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Records the first reason for a refusal. Returns -1. */
int agent_refuse(struct agent *agent, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* End of the private stack's memory, in whole pages. */
uint64_t agent_private_stack_end(const struct agent *agent);

/* Open files of /proc that the functions below read, if they are not open yet. Return 0, or -1 with
 * a reason recorded. The caller closes them with agent_close_views. */
int agent_view_maps(struct agent *agent);
int agent_view_pages(struct agent *agent);
void agent_close_views(struct agent *agent);

/* --- reuse of results (agent_page_scan.c) --- */
/* Whether nothing has changed since agent_note_idle last set a member of `idle`. */
bool agent_is_idle(struct agent *agent);
void agent_note_idle(struct agent *agent, bool *ret_noted);
/* Whether mappings and kernel state are as at the birth, except signals and offsets in files of its
 * world. If not, a reason is recorded. */
bool agent_is_as_born(struct agent *agent);

/* --- scans (agent_page_scan.h) --- */
/* Faults of this thread between the two calls are the agent's own. */
void agent_own_begin(struct agent *agent);
void agent_own_end(struct agent *agent);
/* Faults in memory of the agent, without invalidating scans of other memory. */
void agent_own_populate(struct agent *agent, void *start, size_t size);
/* Invalidates the last scan. */
void agent_page_scan_forget(struct agent *agent);
/* Page faults so far, except the agent's own. */
long agent_page_scan_faults(const struct agent *agent);
/* Fills runs_now with the present private pages. Uses the last scan if it is still valid for this
 * layout, number of faults and number of private pages; else scans. Returns 0, or -1 with a reason
 * recorded. */
int agent_find_written(struct agent *agent, const struct agent_layout *layout, long faults,
                       uint64_t private_pages);

/* --- mappings (agent_layout.c): return 0, or -1 with a reason recorded --- */
int agent_list_layout(struct agent *agent, struct agent_layout *ret_layout);
/* Fills layout_now; only once while the rank is idle. */
int agent_list_now(struct agent *agent);
bool agent_same_layout(const struct agent_layout *then, const struct agent_layout *now);
/* Checks that the mappings are as at the birth. */
int agent_compare_layout(struct agent *agent);
/* Restores the mappings of the birth. */
int agent_put_layout_back(struct agent *agent);
/* The range within a page that the kernel writes (rseq); none: both are the end of the page. */
void agent_find_rseq(uint64_t page, uint64_t *ret_start, uint64_t *ret_end);
int agent_map_clones(const struct agent_clone *clones, size_t count);

/* --- private memory (agent_pages.c): the same results --- */
int agent_note_pages(struct agent *agent);
/* after the twin was forked: checks that written pages can be recognised */
int agent_check_pages(struct agent *agent);
/* agent_find_private: the present private pages in ascending order, without the private stack's
 * memory. agent_find_between: appends those between two addresses. */
int agent_find_private(struct agent *agent, const struct agent_layout *layout,
                       struct agent_runs *ret_runs);
int agent_find_between(struct agent *agent, uint64_t start, uint64_t end, struct agent_runs *runs);
/* Whether only this process maps a page of a run: 1 or 0. Runs must ascend between calls; call
 * agent_forget_entries before starting again. */
int agent_page_is_private(struct agent *agent, const struct agent_run *run, uint64_t page);
void agent_forget_entries(struct agent *agent);
/* Refuses if the kernel may merge equal pages. */
int agent_refuse_merging(struct agent *agent);
/* Restores the pages of the birth, except those in the image (NULL: none). `faults`: see
 * agent_page_scan_faults, before. */
int agent_put_pages_back(struct agent *agent, const struct agent_image *image, long faults);
/* Calls `visit` for every page written since the birth, in ascending order. `faults` as above. */
int agent_each_written(struct agent *agent, long faults,
                       int (*visit)(struct agent *agent, const struct agent_area *area,
                                    uint64_t page));

/* --- kernel state (agent_kernel.c): the same results --- */
int agent_note_kernel_state(struct agent *agent);
/* Reads kernel_now; only once while the rank is idle. */
int agent_scan_kernel_state(struct agent *agent);
/* Checks that the kernel state is as at the birth, except signals and offsets in files of its
 * world. */
int agent_compare_kernel_state(struct agent *agent);
/* Stores these exceptions in the image. */
int agent_note_image_state(struct agent *agent, struct agent_image *image);
/* Restores the kernel state, and these exceptions from the image (NULL: as at the birth). */
int agent_put_kernel_state_back(struct agent *agent, const struct agent_image *image);
/* The descriptor in this state; NULL: not open. */
const struct agent_held *agent_find_held(const struct agent_kernel_state *state, int fd);
/* agent_compare_files: checks that open files are unchanged (agent_renew.c), except offsets in
 * files of its world. agent_note_offsets: stores these in the image. */
int agent_compare_files(struct agent *agent);
int agent_note_offsets(struct agent *agent, struct agent_image *image);
/* Reads a file of /proc as a string. */
int agent_read_proc(struct agent *agent, const char *path, char text[static AGENT_TEXT]);
/* Reads only the members that come from /proc/self/status. */
int agent_read_status(struct agent *agent, struct agent_kernel_state *state);

#endif
