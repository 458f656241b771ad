/* An array that grows at its end, in chunks that copies of it share: a copy costs a pointer a
 * chunk, and nothing is doubled, nor moved, as it grows. Arrays that share chunks must not be used
 * by several threads at once. */
#ifndef MATCHPOINT_EXPLORER_CHUNKS_H
#define MATCHPOINT_EXPLORER_CHUNKS_H

#include <stddef.h>

struct chunk {
	size_t users;  /* arrays that have it */
	size_t filled; /* elements; those behind are nobody's yet */
	_Alignas(max_align_t) unsigned char elements[];
};

struct chunks {
	struct chunk **all; /* as many as `count` needs */
	size_t count;       /* of elements */
	size_t capacity;    /* of `all` */
	size_t size;        /* bytes of an element */
	unsigned shift;     /* a chunk has 1 << shift elements */
};

/* Elements of so many bytes, and how many a chunk is to have. */
struct chunks chunks_of(size_t size, unsigned shift);
void chunks_release(struct chunks *chunks);

/* Valid until something is appended or written; not to be changed when it is shared. */
static inline void *chunks_at(const struct chunks *chunks, size_t index)
{
	return chunks->all[index >> chunks->shift]->elements
	       + (index & (((size_t)1 << chunks->shift) - 1)) * chunks->size;
}

/* Appends a copy, which is returned; of an element of the array, too. */
void *chunks_append(struct chunks *chunks, const void *element);
/* The element, to be changed in this array alone. */
void *chunks_write(struct chunks *chunks, size_t index);
/* Keeps the first `count` elements. */
void chunks_cut(struct chunks *chunks, size_t count);
/* `to`, whose elements are like those that `from` begins with, becomes as long as that, and shares
 * what is new. Both are of a kind; if `to` is empty it becomes a copy. */
void chunks_follow(struct chunks *to, const struct chunks *from);

/* If both share the chunk in which this place is, the place after that chunk; else `index`. */
size_t chunks_skip_shared(const struct chunks *one, const struct chunks *other, size_t index);

#endif
