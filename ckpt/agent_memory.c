/* The agent's own memory, and reading /proc into it. Raw system calls are used where libc would
 * allocate (opendir) or libucm would intercept (mmap). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_memory.h"

#define CHUNK_SIZE ((size_t)64 << 10)
#define ALIGNMENT ((size_t)16)

struct agent_chunk {
	struct agent_chunk *next;
	size_t size, used;
};

static size_t round_up(size_t size, size_t unit)
{
	return (size + unit - 1) / unit * unit;
}

void *agent_arena_take(struct agent_arena *arena, size_t size)
{
	struct agent_chunk *chunk = arena->chunks;
	size_t head = round_up(sizeof(*chunk), ALIGNMENT);
	void *taken;

	if (size > SIZE_MAX / 2) {
		errno = ENOMEM;
		return NULL;
	}
	size = round_up(size, ALIGNMENT);
	if (!chunk || chunk->size - chunk->used < size) {
		size_t wanted = round_up(head + size, CHUNK_SIZE);
		long mapped = syscall(SYS_mmap, 0L, wanted, PROT_READ | PROT_WRITE,
		                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

		if (mapped == -1)
			return NULL;
		chunk = (struct agent_chunk *)mapped;
		chunk->next = arena->chunks;
		chunk->size = wanted;
		chunk->used = head;
		arena->chunks = chunk;
	}
	taken = (uint8_t *)chunk + chunk->used;
	chunk->used += size;
	return taken;
}

static void unmap_chunks(struct agent_chunk *chunk)
{
	while (chunk) {
		struct agent_chunk *next = chunk->next;

		syscall(SYS_munmap, chunk, chunk->size);
		chunk = next;
	}
}

void agent_arena_clear(struct agent_arena *arena)
{
	struct agent_chunk *kept = arena->chunks;
	size_t head = round_up(sizeof(*kept), ALIGNMENT);

	if (!kept || kept->size > CHUNK_SIZE) {
		agent_arena_release(arena);
		return;
	}
	unmap_chunks(kept->next);
	kept->next = NULL;
	memset((uint8_t *)kept + head, 0, kept->used - head);
	kept->used = head;
}

void agent_arena_release(struct agent_arena *arena)
{
	struct agent_chunk *chunks = arena->chunks; /* the arena itself may be in one of them */

	arena->chunks = NULL;
	unmap_chunks(chunks);
}

const struct agent_chunk *agent_arena_next(const struct agent_arena *arena,
                                           const struct agent_chunk *chunk, uintptr_t *ret_start,
                                           uintptr_t *ret_end)
{
	chunk = chunk ? chunk->next : arena->chunks;
	if (chunk) {
		*ret_start = (uintptr_t)chunk;
		*ret_end = *ret_start + chunk->size;
	}
	return chunk;
}

int agent_open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

char *agent_read_text(struct agent_arena *arena, int at, const char *path)
{
	size_t capacity = 1024, used = 0;
	char *text = agent_arena_take(arena, capacity);
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC), error;

	if (fd < 0)
		return NULL;
	while (text) {
		ssize_t got = read(fd, text + used, capacity - used - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			text = NULL;
			break;
		}
		if (got == 0)
			break;
		used += (size_t)got;
		if (capacity - used < 1024 / 2) {
			char *larger = agent_arena_take(arena, 4 * capacity);

			if (larger)
				memcpy(larger, text, used);
			text = larger;
			capacity *= 4;
		}
	}
	error = errno;
	close(fd);
	errno = error;
	if (text)
		text[used] = '\0';
	return text;
}

/* Appends the numeric names of one batch of directory entries; -1 with errno. */
static int append_numbers(struct agent_arena *arena, const char *batch, long length, int **numbers,
                          size_t *count, size_t *capacity)
{
	for (long at = 0; at < length;) {
		const struct dirent64 *entry = (const void *)(batch + at);
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		at += entry->d_reclen;
		if (*end || end == entry->d_name)
			continue;
		if (*count == *capacity) {
			size_t larger = *capacity ? 4 * *capacity : 64;
			int *copy = agent_arena_take(arena, larger * sizeof(*copy));

			if (!copy)
				return -1;
			if (*count)
				memcpy(copy, *numbers, *count * sizeof(*copy));
			*numbers = copy;
			*capacity = larger;
		}
		(*numbers)[(*count)++] = (int)number;
	}
	return 0;
}

long agent_list_numbers(struct agent_arena *arena, int directory, int **ret_numbers)
{
	char batch[2048] __attribute__((aligned(8)));
	size_t count = 0, capacity = 0;
	int *numbers = NULL;
	long got;

	while ((got = syscall(SYS_getdents64, directory, batch, sizeof(batch))) > 0)
		if (append_numbers(arena, batch, got, &numbers, &count, &capacity) < 0)
			return -1;
	if (got < 0)
		return -1;
	*ret_numbers = numbers;
	return (long)count;
}
