/* Images of a rank's private memory: the contents of pages that were written since the birth
 * (agent_rewind.h). A page that is not in an image had its content from the birth. Pages that two
 * successive images have in common are stored once. Libc only. Nothing is allocated: the store lies
 * in the memory of the private stack, and is all-zero at first. */
#ifndef MATCHPOINT_CKPT_AGENT_IMAGE_H
#define MATCHPOINT_CKPT_AGENT_IMAGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent_map_query.h"

enum {
	AGENT_IMAGES_MAX = 4096,
	AGENT_BLOCKS = 1 << 20, /* maximum number of blocks (pages and lists): 4 GiB */
	AGENT_OFFSETS_MAX = 8,
};

/* Signal dispositions, as rt_sigaction has them. */
struct agent_signals {
	struct {
		unsigned long words[4];
	} dispositions[_NSIG];
	stack_t stack;
};

/* Offset in a file of its world, such as its standard output. The scheduler restores the content of
 * such files (world_image.h). */
struct agent_offset {
	int fd;
	int64_t offset;
};

struct agent_image {
	struct agent_signals signals;
	struct agent_offset offsets[AGENT_OFFSETS_MAX];
	uint32_t offset_count;
	ucontext_t program;
	uint32_t users; /* references to it; 0: free */
	uint32_t first; /* first block of its list of pages; 0: none */
};

struct agent_cursor { /* position in an image; all-zero is the beginning */
	uint32_t block, at;
	bool ended;
};

struct agent_entry {
	uint64_t page;
	uint32_t block;
};

/* Copies of pages, and lists of them. Block 0 is not used. */
struct agent_store {
	uint32_t used;   /* number of blocks that have ever been in use */
	uint32_t in_use; /* blocks in use now */
	uint32_t unused; /* first free block; 0: none */
	uint32_t last;   /* the image taken or restored last; 0: none */
	uint32_t most;   /* the highest image number so far */
	/* While an image is taken: its number, the last block of its list, and the position in the
	 * last image. */
	uint32_t taken, tail;
	struct agent_cursor cursor;
	/* references to the block; if it is free: the next free block */
	uint32_t users[AGENT_BLOCKS];
	struct agent_image images[AGENT_IMAGES_MAX];
	uint8_t blocks[AGENT_BLOCKS][AGENT_PAGE] __attribute__((aligned(4096)));
};

/* agent_store_begin starts an image; NULL: there are too many. agent_store_add adds its pages, in
 * ascending order; -1: no room. agent_store_end completes it and returns its number, from 1; it has
 * one reference. */
struct agent_image *agent_store_begin(struct agent_store *store);
int agent_store_add(struct agent_store *store, uint64_t page, const void *bytes);
uint32_t agent_store_end(struct agent_store *store);
void agent_store_give_up(struct agent_store *store);

/* NULL: there is no image with that number. */
struct agent_image *agent_store_find(struct agent_store *store, uint32_t number);
/* Adds, or drops, a reference. The image is freed with the last one. */
void agent_store_share(struct agent_store *store, uint32_t number);
void agent_store_forget(struct agent_store *store, uint32_t number);

/* The first page of an image (NULL: no image) at or after an address; NULL: none. Addresses must
 * ascend between calls. */
const struct agent_entry *agent_store_page(const struct agent_store *store,
                                           const struct agent_image *image,
                                           struct agent_cursor *cursor, uint64_t page);

#endif
