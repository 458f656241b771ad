#include "message_memory.h"

#include <stdint.h>
#include <stdlib.h>

/* Precedes the memory. */
struct block {
	_Alignas(max_align_t) size_t bytes;
	struct block *next;
};

enum { LEAST_KEPT = 64 << 10, MOST_KEPT = 32 << 20 }; /* bytes: of one block, and in total */

static struct block *kept;
static size_t kept_bytes;

/* A kept block that is not much too large. */
static struct block *take_kept(size_t bytes)
{
	for (struct block **link = &kept; *link; link = &(*link)->next) {
		struct block *block = *link;

		if (block->bytes < bytes || block->bytes / 2 > bytes)
			continue;
		*link = block->next;
		kept_bytes -= block->bytes;
		return block;
	}
	return NULL;
}

void *message_memory_new(size_t bytes)
{
	struct block *block = bytes >= LEAST_KEPT ? take_kept(bytes) : NULL;

	if (!block && bytes < SIZE_MAX - sizeof(*block)) {
		block = malloc(sizeof(*block) + (bytes > 0 ? bytes : 1));
		if (block)
			block->bytes = bytes;
	}
	return block ? block + 1 : NULL;
}

void message_memory_free(void *memory)
{
	struct block *block = memory ? (struct block *)memory - 1 : NULL;

	if (!block || block->bytes < LEAST_KEPT || block->bytes > MOST_KEPT - kept_bytes) {
		free(block);
		return;
	}
	block->next = kept;
	kept = block;
	kept_bytes += block->bytes;
}
