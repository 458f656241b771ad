/* Images of a rank's private memory: what it held in pages that were written since the birth
 * (agent_rewind.h). A page that an image does not have held then what it held at the birth. Pages
 * that two images in turn have in common are kept once. Libc only; nothing is allocated: the store
 * is memory apart, all-zero at first. */
#ifndef MATCHPOINT_CKPT_AGENT_IMAGE_H
#define MATCHPOINT_CKPT_AGENT_IMAGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent_map_query.h"

enum {
	AGENT_IMAGES_MAX = 4096,
	AGENT_BLOCKS = 1 << 20, /* pages of images: 4 GiB */
	AGENT_OFFSETS_MAX = 8,
};

/* How signals are handled, as the kernel takes it (rt_sigaction). */
struct agent_signals {
	struct {
		unsigned long words[4];
	} dispositions[_NSIG];
	stack_t stack;
};

/* Where it stood in a file of its world, such as its standard output. What that holds is the
 * scheduler's matter (world_image.h). */
struct agent_offset {
	int fd;
	int64_t offset;
};

struct agent_image {
	struct agent_signals signals;
	struct agent_offset offsets[AGENT_OFFSETS_MAX];
	uint32_t offset_count;
	ucontext_t program;
	uint32_t users; /* how many refer to it; 0: it is free */
	uint32_t first; /* block that lists its pages; 0: none */
};

struct agent_cursor { /* in an image; all-zero is its beginning */
	uint32_t block, at;
	bool ended;
};

struct agent_entry {
	uint64_t page;
	uint32_t block;
};

/* Copies of pages, and lists of them. Block 0 is none. */
struct agent_store {
	uint32_t used;   /* blocks that have ever been in use */
	uint32_t in_use; /* that are now */
	uint32_t unused; /* the first of those that are free; 0: none */
	uint32_t last;   /* the image taken, or gone back to, last; 0: none */
	uint32_t most;   /* the highest number of an image so far */
	/* While one is taken: it, the last block of its list, and where in the last one. */
	uint32_t taken, tail;
	struct agent_cursor cursor;
	uint32_t users[AGENT_BLOCKS]; /* of a free one: the next */
	struct agent_image images[AGENT_IMAGES_MAX];
	uint8_t blocks[AGENT_BLOCKS][AGENT_PAGE] __attribute__((aligned(4096)));
};

/* Begins one; NULL: there are too many. Its pages are added in ascending order (-1: there is no
 * room). It is there when it has been ended, with one user: its number, from 1. */
struct agent_image *agent_store_begin(struct agent_store *store);
int agent_store_add(struct agent_store *store, uint64_t page, const void *bytes);
uint32_t agent_store_end(struct agent_store *store);
void agent_store_give_up(struct agent_store *store);

/* NULL: there is none of that number. */
struct agent_image *agent_store_find(struct agent_store *store, uint32_t number);
/* One user more, and one less: when that was the last, it is gone. */
void agent_store_share(struct agent_store *store, uint32_t number);
void agent_store_forget(struct agent_store *store, uint32_t number);

/* The page in an image (NULL: in none) that lies at or behind an address. They are asked for in
 * ascending order. NULL: there is none. */
const struct agent_entry *agent_store_page(const struct agent_store *store,
                                           const struct agent_image *image,
                                           struct agent_cursor *cursor, uint64_t page);

#endif
