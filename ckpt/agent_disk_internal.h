/* Shared by the files that write a rank to disk. All of it lies in one mapping of its own, which is
 * not part of what is written. */
#ifndef MATCHPOINT_CKPT_AGENT_DISK_INTERNAL_H
#define MATCHPOINT_CKPT_AGENT_DISK_INTERNAL_H

#include <limits.h>

#include "agent_disk.h"
#include "agent_disk_format.h"

enum {
	DISK_MAPS_MOST = 65536,
	DISK_STRINGS_MOST = 1 << 20,
	DISK_TEXT_MOST = 64 << 20, /* bytes of /proc/self/smaps */
	DISK_PAGES_MOST = 1 << 25, /* 128 GiB */
	DISK_BLOCK = 256,          /* pages that are written at once */
	DISK_ENTRIES = 65536,      /* of the pagemap that are read at once */
};

struct disk_writer {
	uint64_t start, size; /* of this mapping, with its guards */
	struct disk_header head;
	char trouble[512]; /* why it cannot be saved; "": it can */
	bool failed;       /* if so: it could be, another time */
	char world[PATH_MAX];
	int file, memory, pagemap;
	uint64_t at; /* where the block goes */
	uint32_t in_block;
	uint64_t base_count, base_at, page_count;
	uint8_t block[DISK_BLOCK * DISK_PAGE] __attribute__((aligned(4096)));
	uint64_t entries[DISK_ENTRIES];
	struct disk_map maps[DISK_MAPS_MOST];
	char strings[DISK_STRINGS_MOST];
	char text[DISK_TEXT_MOST];
	struct disk_page pages[DISK_PAGES_MOST];
	struct disk_page base[DISK_PAGES_MOST];
};

/* Notes the first reason, a clause for the user. Returns -1. */
int disk_refuse(struct disk_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, if it is not the rank that stands in the way: a full disk, too little memory. */
int disk_fail(struct disk_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads a file of /proc into the text. Returns 0, or -1 with a reason noted. */
int disk_read_text(struct disk_writer *writer, const char *path);

/* agent_disk_maps.c: what is mapped, and what the kernel knows. Return 0, or -1. */
int disk_list_maps(struct disk_writer *writer);
int disk_note_kernel_state(struct disk_writer *writer);

/* agent_disk_write.c: pages and tables. Returns 0, or -1. */
int disk_write(struct disk_writer *writer, const struct agent_disk_order *order);

/* agent_disk_descriptors.c: notes in the agent's memory what every descriptor is; again in the
 * restarted process, makes them. Return 0, or -1 with a reason in `trouble`. */
struct agent_disk_descriptors;
struct agent_disk_descriptors *disk_note_descriptors(struct agent *agent,
                                                     struct disk_writer *writer);
int disk_make_descriptors(struct agent *agent, const struct agent_disk_descriptors *then,
                          char trouble[static 512]);
/* After all of them are there: MPI's are known by what they are now. */
void disk_know_descriptors(struct agent *agent);

#endif
