/* The agent's own memory, and what it reads from /proc with it. */
#ifndef MATCHPOINT_CKPT_AGENT_MEMORY_H
#define MATCHPOINT_CKPT_AGENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Mapped memory, given back as a whole. One chunk is kept when it is cleared, for next time. */
struct agent_chunk;
struct agent_arena {
	struct agent_chunk *chunks;
};

void *agent_arena_take(struct agent_arena *arena, size_t size); /* zeroed; NULL with errno */
void agent_arena_clear(struct agent_arena *arena);
void agent_arena_release(struct agent_arena *arena);
/* The chunk behind this one (NULL: the first) and where it lies; NULL: there is none. */
const struct agent_chunk *agent_arena_next(const struct agent_arena *arena,
                                           const struct agent_chunk *chunk, uintptr_t *ret_start,
                                           uintptr_t *ret_end);

/* A file of /proc as a string; `path` is relative to the directory `at`, or absolute. NULL with
 * errno. */
char *agent_read_text(struct agent_arena *arena, int at, const char *path);

/* The numbers that are the entries of an open directory under /proc (fd, task). -1 with errno. */
long agent_list_numbers(struct agent_arena *arena, int directory, int **ret_numbers);

/* Opens a directory of /proc. */
int agent_open_directory(const char *path);

#endif
