#include "chunks.h"

#include <glib.h>
#include <string.h>

struct chunks chunks_of(size_t size, unsigned shift)
{
	return (struct chunks){.size = size, .shift = shift};
}

static size_t chunk_length(const struct chunks *chunks)
{
	return (size_t)1 << chunks->shift;
}

static size_t chunks_for(const struct chunks *chunks, size_t count)
{
	return (count + chunk_length(chunks) - 1) >> chunks->shift;
}

static void release_chunk(struct chunk *chunk)
{
	if (--chunk->users == 0)
		g_free(chunk);
}

/* Allocates room for so many pointers. */
static void reserve(struct chunks *chunks, size_t count)
{
	if (count <= chunks->capacity)
		return;
	chunks->capacity = MAX(count, chunks->capacity + chunks->capacity / 2);
	chunks->all = g_renew(struct chunk *, chunks->all, chunks->capacity);
}

/* The first `count` elements are copied from `from`. */
static struct chunk *new_chunk(const struct chunks *chunks, const struct chunk *from, size_t count)
{
	struct chunk *chunk = g_malloc(sizeof *chunk + (chunks->size << chunks->shift));

	chunk->users = 1;
	chunk->filled = count;
	if (count > 0)
		memcpy(chunk->elements, from->elements, count * chunks->size);
	return chunk;
}

/* Replaces the chunk by an unshared copy of its first `count` elements. */
static void own_chunk(struct chunks *chunks, size_t at, size_t count)
{
	struct chunk *before = chunks->all[at];

	chunks->all[at] = new_chunk(chunks, before, count);
	release_chunk(before);
}

void chunks_release(struct chunks *chunks)
{
	chunks_cut(chunks, 0);
	g_free(chunks->all);
	*chunks = chunks_of(chunks->size, chunks->shift);
}

void *chunks_append(struct chunks *chunks, const void *element)
{
	size_t at = chunks->count >> chunks->shift, place = chunks->count % chunk_length(chunks);
	void *copy;

	if (place == 0) {
		reserve(chunks, at + 1);
		chunks->all[at] = new_chunk(chunks, NULL, 0);
	} else if (chunks->all[at]->filled > place && chunks->all[at]->users > 1) {
		own_chunk(chunks, at, place); /* another array has appended something else */
	}
	chunks->all[at]->filled = place + 1;
	chunks->count++;
	copy = chunks_at(chunks, chunks->count - 1);
	memcpy(copy, element, chunks->size);
	return copy;
}

void *chunks_write(struct chunks *chunks, size_t index)
{
	size_t at = index >> chunks->shift;

	if (chunks->all[at]->users > 1)
		own_chunk(chunks, at,
		          MIN(chunks->count - (at << chunks->shift), chunk_length(chunks)));
	return chunks_at(chunks, index);
}

void chunks_cut(struct chunks *chunks, size_t count)
{
	for (size_t i = chunks_for(chunks, count); i < chunks_for(chunks, chunks->count); i++)
		release_chunk(chunks->all[i]);
	chunks->count = count;
}

void chunks_follow(struct chunks *to, const struct chunks *from)
{
	size_t begin = to->count >> to->shift;

	if (to->count >= from->count)
		return;
	chunks_cut(to, begin << to->shift);
	reserve(to, chunks_for(from, from->count));
	for (size_t i = begin; i < chunks_for(from, from->count); i++) {
		to->all[i] = from->all[i];
		to->all[i]->users++;
	}
	to->count = from->count;
}

size_t chunks_skip_shared(const struct chunks *one, const struct chunks *other, size_t index)
{
	size_t at = index >> one->shift;

	return one->all[at] == other->all[at] ? (at + 1) << one->shift : index;
}
