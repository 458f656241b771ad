/* An array that grows at its end. Its elements lie in chunks that copies of the array share. So a
 * copy costs one pointer for each chunk, and elements are never moved as the array grows. Arrays
 * that share chunks must not be used by several threads at once. */
#ifndef MATCHPOINT_EXPLORER_CHUNKS_H
#define MATCHPOINT_EXPLORER_CHUNKS_H

#include <stddef.h>

struct chunk {
	size_t users;  /* arrays that refer to the chunk */
	size_t filled; /* elements in use by any array */
	_Alignas(max_align_t) unsigned char elements[];
};

struct chunks {
	struct chunk **all; /* owned; as many as `count` needs */
	size_t count;       /* elements */
	size_t capacity;    /* allocated pointers in `all` */
	size_t size;        /* bytes for each element */
	unsigned shift;     /* a chunk has 1 << shift elements */
};

/* An empty array. `size`: bytes for each element; a chunk has 1 << shift elements. */
struct chunks chunks_of(size_t size, unsigned shift);
void chunks_release(struct chunks *chunks);

/* Valid until something is appended or written. Use chunks_write to change an element. */
static inline void *chunks_at(const struct chunks *chunks, size_t index)
{
	return chunks->all[index >> chunks->shift]->elements
	       + (index & (((size_t)1 << chunks->shift) - 1)) * chunks->size;
}

/* Appends a copy of *element and returns the copy. *element may lie in the array itself. */
void *chunks_append(struct chunks *chunks, const void *element);
/* The element, writable: its chunk is copied first if it is shared. */
void *chunks_write(struct chunks *chunks, size_t index);
/* Keeps the first `count` elements. */
void chunks_cut(struct chunks *chunks, size_t count);
/* Makes `to` as long as `from` by sharing the chunks of `from`. `to` must equal the beginning of
 * `from` and have the same element size. If `to` is empty, it becomes a copy. */
void chunks_follow(struct chunks *to, const struct chunks *from);

/* If both arrays share the chunk of `index`, the first index after that chunk; else `index`. */
size_t chunks_skip_shared(const struct chunks *one, const struct chunks *other, size_t index);

#endif
