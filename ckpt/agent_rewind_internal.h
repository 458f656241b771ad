/* What the files that rewind a rank share: the memory apart, and what was noted at its birth. */
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
	AGENT_ENTRIES = 1024, /* of pagemap, read at a time */
	AGENT_COPIES = 512,   /* by one system call: see IOV_MAX */
	AGENT_DESCRIPTORS_MAX = 1024,
	AGENT_TEXT = 32768,      /* bytes, of a file of /proc */
	AGENT_STACK = 256 << 10, /* bytes */
	AGENT_SETTINGS = 16,
	AGENT_NOTES = 2 << 20, /* bytes */
};

/* All that is mapped, in ascending order, without the memory apart. */
struct agent_layout {
	size_t count;
	struct agent_area areas[AGENT_AREAS_MAX];
};

struct agent_stretches {
	size_t count;
	struct agent_stretch list[AGENT_RUNS_MAX];
};

/* What was seen by the last look (agent_page_scan.h). */
struct agent_page_scanned {
	bool is_whole;          /* what follows is it */
	bool has_joined;        /* khugepaged could join pages somewhere */
	uint64_t number;        /* of looks, so far */
	uint64_t layout_number; /* of layouts, so far */
	long faults;            /* when it began, but for the agent's own */
	uint64_t private_pages; /* in memory, then; the agent's own included */
	struct agent_layout layout;
	struct agent_stretches all, before;
	struct agent_page_scan told;
};

struct agent_held { /* a descriptor */
	int fd, flags;
	uint64_t device, inode;
	mode_t mode;
	off_t size;
};

/* What was looked at while the rank stands (agent_is_unmoved). */
struct agent_idle {
	bool stands;
	long faults; /* of the thread, when what follows was looked at, but for the agent's own */
	bool kernel; /* kernel_now is what the kernel holds */
	bool layout; /* layout_now is what is mapped */
	bool look;   /* the last look holds */
	bool born;   /* both are as at the birth */
};

/* What the kernel holds of a process. */
struct agent_kernel_state {
	struct agent_signals signals;
	struct rlimit limits[RLIM_NLIMITS];
	long settings[AGENT_SETTINGS];
	uint64_t root_device, root_inode;
	uint64_t directory_device, directory_inode; /* the working one */
	size_t descriptor_count;
	struct agent_held descriptors[AGENT_DESCRIPTORS_MAX];
	uint64_t handled;        /* signals that are ignored or caught: bit N - 1 for signal N */
	uint64_t anonymous;      /* private pages in memory, in kilobytes */
	uint64_t swapped;        /* private pages that are not, in kilobytes */
	char status[AGENT_TEXT]; /* the lines of /proc/self/status that must not change */
};

struct agent_private_stack {
	ucontext_t program, apart;
	ucontext_t birth; /* `program` at the birth */
	void (*function)(void);
	size_t size;       /* of all this, in bytes */
	pid_t twin;        /* 0: none */
	int pagemap, maps; /* descriptors while something is put back, else -1 */
	uint64_t heap_end; /* of brk */
	size_t clone_count;
	const struct agent_clone *clones; /* in the agent's arena */
	char trouble[256];
	struct agent_kernel_state kernel, kernel_now;
	bool looked_at_descriptors; /* kernel_now has them, as they are */
	struct agent_layout layout, layout_now;
	struct agent_runs had, runs_now;
	struct agent_known known;
	struct agent_page_scanned looked;
	struct agent_idle idle;
	long own_faults, own_before; /* of the agent's own memory, so far; of the thread, before */
	bool counts_own;             /* it has begun to */
	uint64_t entries[AGENT_ENTRIES];
	uint64_t entries_start, entries_end; /* addresses that they are of */
	struct iovec copies[AGENT_COPIES];
	size_t copy_count;
	uint64_t zeroed; /* pages, so far */
	char text[AGENT_TEXT];
	uint8_t probe[4096] __attribute__((aligned(4096)));
	uint8_t stack[AGENT_STACK] __attribute__((aligned(4096)));
	uint8_t notes[AGENT_NOTES] __attribute__((aligned(4096)));
	size_t blocks_placed, images_placed; /* how many of the store are in memory */
	struct agent_store store __attribute__((aligned(4096))); /* if there is room for it */
};

/* Of two addresses. */
static inline uint64_t agent_later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static inline uint64_t agent_earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Notes why not; the first reason counts. -1 always. */
int agent_refuse(struct agent *agent, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Where the memory apart ends, whole pages. */
uint64_t agent_private_stack_end(const struct agent *agent);

/* What the functions below read in /proc, opened where it is needed; 0, or -1 with the trouble
 * told. Whoever has called them closes it. */
int agent_view_maps(struct agent *agent);
int agent_view_pages(struct agent *agent);
void agent_close_views(struct agent *agent);

/* --- what need not be looked at again (agent_page_scan.c) --- */
/* Whether nothing has changed since one of these was noted. */
bool agent_is_idle(struct agent *agent);
void agent_note_idle(struct agent *agent, bool *ret_noted);
/* Whether what is mapped and what the kernel holds is as at the birth, but for signals and where it
 * stands in files of its world; if not, the trouble is told. */
bool agent_is_as_born(struct agent *agent);

/* --- looks (agent_page_scan.h) --- */
/* Faults in between, of this thread, are the agent's own: for memory apart. */
void agent_own_begin(struct agent *agent);
void agent_own_end(struct agent *agent);
/* Has memory apart put in place, by faults that leave what was seen of other memory true. */
void agent_own_populate(struct agent *agent, void *start, size_t size);
/* What was seen of memory holds no longer. */
void agent_page_scan_forget(struct agent *agent);
/* But for those of the agent's own. */
long agent_page_scan_faults(const struct agent *agent);
/* Private pages in memory, as the kernel counts them; 0: it does not tell. */
uint64_t agent_count_private(void);
/* Into runs_now: the private pages that are there, by the last look if it still holds when so many
 * are in memory, and there were so many faults; else by looking. 0, or -1 with the trouble told. */
int agent_scan_for_written(struct agent *agent, const struct agent_layout *layout, long faults,
                           uint64_t private_pages);

/* --- what is mapped (agent_layout.c): 0, or -1 with the trouble told --- */
int agent_list_layout(struct agent *agent, struct agent_layout *ret_layout);
/* Into layout_now; if the rank stands, once. */
int agent_list_now(struct agent *agent);
bool agent_same_layout(const struct agent_layout *then, const struct agent_layout *now);
/* That it is what it was at the birth. */
int agent_compare_layout(struct agent *agent);
/* Makes the address space what it was. */
int agent_put_layout_back(struct agent *agent);
/* The part of a page (or at its end, if there is none) that the kernel writes by itself. */
void agent_find_rseq(uint64_t page, uint64_t *ret_start, uint64_t *ret_end);
int agent_map_clones(const struct agent_clone *clones, size_t count);

/* --- what is in private memory (agent_pages.c): likewise --- */
int agent_note_pages(struct agent *agent);
int agent_check_pages(struct agent *agent); /* once there is a twin: can they be told apart? */
/* The private pages that are there, in ascending order: of all but the memory apart; and between
 * two addresses, added to others. */
int agent_find_private(struct agent *agent, const struct agent_layout *layout,
                       struct agent_runs *ret_runs);
int agent_find_between(struct agent *agent, uint64_t start, uint64_t end, struct agent_runs *runs);
/* Whether a page of a run is mapped by this process alone (1) or not (0). Runs are asked for in
 * ascending order, and are forgotten before they are looked at anew. */
int agent_page_is_private(struct agent *agent, const struct agent_run *run, uint64_t page);
void agent_forget_entries(struct agent *agent);
/* Refuses where the kernel may make one page of two equal ones. */
int agent_scan_for_merging(struct agent *agent);
/* To what they were at the birth, but for those that the image has (NULL: none). There had been so
 * many faults (agent_page_scan_faults). */
int agent_put_pages_back(struct agent *agent, const struct agent_image *image, long faults);
/* Shows every page that was written since the birth, in ascending order. Likewise. */
int agent_each_written(struct agent *agent, long faults,
                       int (*visit)(struct agent *agent, const struct agent_area *area,
                                    uint64_t page));

/* --- what the kernel holds (agent_kernel.c): likewise --- */
int agent_note_kernel_state(struct agent *agent);
/* What is as it must be, and what is to be put back; if the rank stands, once. */
int agent_scan_at_kernel_state(struct agent *agent);
/* That it is what it was at the birth, but for signals and where it stands in files of its
 * world. */
int agent_compare_kernel_state(struct agent *agent);
/* Notes these in the image. */
int agent_note_image_state(struct agent *agent, struct agent_image *image);
/* But for these, which become what they were in the image (NULL: at the birth). */
int agent_put_kernel_state_back(struct agent *agent, const struct agent_image *image);
/* By the last look. */
const struct agent_held *agent_find_held(const struct agent_kernel_state *state, int fd);
/* Its open files are what they were (agent_renew.c), but for where it stands in those of its
 * world; which is noted in the image. */
int agent_compare_files(struct agent *agent);
int agent_note_offsets(struct agent *agent, struct agent_image *image);
/* A file of /proc as a string in memory apart. */
int agent_read_proc(struct agent *agent, const char *path, char text[static AGENT_TEXT]);
/* Of the state alone what /proc/self/status tells. */
int agent_read_status(struct agent *agent, struct agent_kernel_state *state);

#endif
