/* The agent's own memory, and reading /proc into it. */
#ifndef MATCHPOINT_CKPT_AGENT_MEMORY_H
#define MATCHPOINT_CKPT_AGENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Mapped memory, freed as a whole. When it is cleared, one chunk is kept for reuse. */
struct agent_chunk;
struct agent_arena {
	struct agent_chunk *chunks;
};

void *agent_arena_take(struct agent_arena *arena, size_t size); /* zeroed; NULL with errno */
void agent_arena_clear(struct agent_arena *arena);
void agent_arena_release(struct agent_arena *arena);
/* The chunk after this one (NULL: the first) and its address range; NULL: there is none. */
const struct agent_chunk *agent_arena_next(const struct agent_arena *arena,
                                           const struct agent_chunk *chunk, uintptr_t *ret_start,
                                           uintptr_t *ret_end);

/* Reads a file of /proc as a string. `path` is relative to the directory `at`, or absolute. NULL
 * with errno on failure. */
char *agent_read_text(struct agent_arena *arena, int at, const char *path);

/* Lists the numeric entries of an open directory under /proc (fd, task). Returns their count; -1
 * with errno. */
long agent_list_numbers(struct agent_arena *arena, int directory, int **ret_numbers);

/* Opens a directory of /proc; -1 with errno. */
int agent_open_directory(const char *path);

#endif
