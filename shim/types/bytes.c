#include "bytes.h"

#include <stdlib.h>

#include "layout.h"

enum { STEPS_MAX = 1 << 20 }; /* steps of one comparison of two parts */

struct bytes *bytes_new(void)
{
	struct bytes *bytes = calloc(1, sizeof(*bytes));

	if (bytes)
		bytes->users = 1;
	return bytes;
}

struct bytes *bytes_keep(struct bytes *bytes)
{
	bytes->users++;
	return bytes;
}

void bytes_release(struct bytes *bytes)
{
	if (!bytes || --bytes->users > 0)
		return;
	free(bytes->parts);
	free(bytes);
}

void bytes_add(struct bytes *bytes, uint8_t role, const void *data, MPI_Count count,
               MPI_Datatype type)
{
	if (!layout_append(&bytes->parts, &bytes->count, role, (intptr_t)data, count, type))
		bytes->unknown = true;
}

struct bytes *bytes_of(uint8_t role, const void *data, MPI_Count count, MPI_Datatype type)
{
	struct bytes *bytes = bytes_new();

	if (bytes)
		bytes_add(bytes, role, data, count, type);
	return bytes;
}

typedef bool (*is_wanted)(uint8_t role, uint8_t wanted);

static struct bytes *copy_some(const struct wire_part *parts, uint32_t count, is_wanted is,
                               uint8_t wanted)
{
	struct bytes *bytes = bytes_new();

	if (!bytes || count == 0)
		return bytes;
	bytes->parts = malloc(count * sizeof(*parts));
	for (uint32_t i = 0; bytes->parts && i < count; i++)
		if (is(parts[i].role, wanted))
			bytes->parts[bytes->count++] = parts[i];
	return bytes;
}

static bool is_role(uint8_t role, uint8_t wanted)
{
	return role == wanted;
}

static bool is_other_role(uint8_t role, uint8_t unwanted)
{
	return role != unwanted;
}

struct bytes *bytes_own(const struct wire_part *parts, uint32_t count)
{
	return copy_some(parts, count, is_other_role, WIRE_PART_TARGET);
}

struct bytes *bytes_in_role(const struct bytes *bytes, uint8_t role)
{
	return copy_some(bytes->parts, bytes->count, is_role, role);
}

struct bytes *bytes_filled(const struct bytes *bytes, uint64_t filled, uint64_t size)
{
	struct bytes *some = bytes_new();
	uint64_t elements = size > 0 ? filled / size : 0;

	if (!some || elements == 0 || bytes->count == 0)
		return some;
	some->parts = malloc(bytes->count * sizeof(*some->parts));
	if (!some->parts) {
		bytes_release(some);
		return NULL;
	}
	some->unknown = bytes->unknown;
	some->count = bytes->count;
	for (uint32_t i = 0; i < bytes->count; i++) {
		struct wire_part *part = &some->parts[i];

		*part = bytes->parts[i];
		if (bytes->count == 1 && part->count == 1 && part->times == 1) {
			if (part->length > elements * size)
				part->length = elements * size;
		} else if (part->count > elements) {
			part->count = elements;
		}
	}
	return some;
}

/* --- positions of bytes ------------------------------------------------------------------ */

/* Consecutive parts that describe the same `count` elements: the first part, the one after the
 * last, and the bytes of one element. */
struct group {
	uint32_t first, end;
	uint64_t size, count;
};

static struct group group_at(const struct bytes *bytes, uint32_t first)
{
	const struct wire_part *part = &bytes->parts[first];
	struct group group = {first, first, 0, part->count};

	while (group.end < bytes->count && bytes->parts[group.end].role == part->role
	       && bytes->parts[group.end].count == part->count
	       && bytes->parts[group.end].extent == part->extent) {
		group.size += bytes->parts[group.end].length * bytes->parts[group.end].times;
		group.end++;
	}
	return group;
}

uint64_t bytes_size(const struct bytes *bytes, uint8_t role)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < bytes->count; i++) {
		const struct wire_part *part = &bytes->parts[i];

		if (part->role == role)
			size += part->length * part->times * part->count;
	}
	return size;
}

/* Reports the pieces of one element from byte `at` on. Decrements *length by what it reported.
 * false: `found` stopped. */
static bool locate_in_element(const struct bytes *bytes, const struct group *group,
                              uint64_t element, uint64_t at, uint64_t *length, bytes_found found,
                              void *user)
{
	for (uint32_t i = group->first; i<group->end && * length> 0; i++) {
		const struct wire_part *part = &bytes->parts[i];
		uint64_t all = part->length * part->times, time;

		if (at >= all) {
			at -= all;
			continue;
		}
		time = at / part->length;
		at %= part->length;
		for (; time<part->times && * length> 0; time++, at = 0) {
			uint64_t piece = part->length - at;
			int64_t start = part->start + (int64_t)element * part->extent
			                + (int64_t)time * part->stride + (int64_t)at;

			piece = piece < *length ? piece : *length;
			if (!found(user, (uintptr_t)start, piece))
				return false;
			*length -= piece;
		}
		at = 0;
	}
	return true;
}

/* Elements without gaps, such as those of a predefined type. */
static bool is_one_piece(const struct bytes *bytes, const struct group *group)
{
	const struct wire_part *part = &bytes->parts[group->first];

	return group->end - group->first == 1 && part->times == 1
	       && (uint64_t)part->extent == part->length;
}

void bytes_locate(const struct bytes *bytes, uint8_t role, uint64_t at, uint64_t length,
                  bytes_found found, void *user)
{
	for (uint32_t i = 0; i < bytes->count && length > 0;) {
		struct group group = group_at(bytes, i);

		i = group.end;
		if (bytes->parts[group.first].role != role || group.size == 0)
			continue;
		if (at >= group.size * group.count) {
			at -= group.size * group.count;
			continue;
		}
		if (is_one_piece(bytes, &group)) {
			uint64_t all = group.size * group.count - at;
			uint64_t piece = length < all ? length : all;

			if (!found(user, (uintptr_t)bytes->parts[group.first].start + at, piece))
				return;
			length -= piece;
			at = 0;
			continue;
		}
		for (uint64_t element = at / group.size; element < group.count && length > 0;
		     element++) {
			if (!locate_in_element(bytes, &group, element, at % group.size, &length,
			                       found, user))
				return;
			at = 0;
		}
	}
}

/* --- common bytes ------------------------------------------------------------------------- */

void bytes_span(const struct wire_part *part, int64_t *ret_low, int64_t *ret_high)
{
	int64_t strides = (int64_t)(part->times - 1) * part->stride;
	int64_t extents = (int64_t)(part->count - 1) * part->extent;

	*ret_low = part->start + (strides < 0 ? strides : 0) + (extents < 0 ? extents : 0);
	*ret_high = part->start + (strides > 0 ? strides : 0) + (extents > 0 ? extents : 0)
	            + (int64_t)part->length;
}

bool bytes_span_all(const struct bytes *bytes, int64_t *ret_low, int64_t *ret_high)
{
	int64_t lowest = INT64_MAX, highest = INT64_MIN, low, high;
	bool any = false;

	for (uint32_t i = 0; i < bytes->count; i++) {
		const struct wire_part *part = &bytes->parts[i];

		if (part->length == 0 || part->times == 0 || part->count == 0)
			continue;
		bytes_span(part, &low, &high);
		lowest = low < lowest ? low : lowest;
		highest = high > highest ? high : highest;
		any = true;
	}
	if (!any)
		return false;
	*ret_low = lowest;
	*ret_high = highest;
	return true;
}

/* Returns the same pieces with a positive stride. Repetition is within an element if possible, so
 * that `times` is used and `count` is 1. */
static struct wire_part normalise(struct wire_part part)
{
	if (part.times == 1 || part.stride == 0) {
		part.times = part.count;
		part.stride = part.extent;
		part.count = 1;
	}
	if (part.stride < 0) {
		part.start += (int64_t)(part.times - 1) * part.stride;
		part.stride = -part.stride;
	}
	if (part.stride == 0)
		part.times = 1;
	return part;
}

/* Whether one of the equidistant pieces that begin at `start` has a byte in [low, high). */
static bool hits(const struct wire_part *part, int64_t start, int64_t low, int64_t high)
{
	int64_t last = start + (int64_t)(part->times - 1) * part->stride;
	int64_t length = (int64_t)part->length, at = start;

	if (high <= start || low >= last + length)
		return false;
	/* The last piece that begins before `high`. */
	if (part->times > 1)
		at = high > last ? last : start + (high - 1 - start) / part->stride * part->stride;
	return at + length > low;
}

static bool parts_meet(const struct wire_part *one, const struct wire_part *other)
{
	int64_t low, high, from, to;
	struct wire_part a, b, swap;

	if (one->length == 0 || other->length == 0 || one->times == 0 || other->times == 0
	    || one->count == 0 || other->count == 0)
		return false;
	bytes_span(one, &low, &high);
	bytes_span(other, &from, &to);
	if (high <= from || to <= low)
		return false;
	a = normalise(*one);
	b = normalise(*other);
	if (a.times > STEPS_MAX || a.count > STEPS_MAX || b.times > STEPS_MAX
	    || b.count > STEPS_MAX)
		return false;
	if (a.times * a.count * b.count > b.times * b.count * a.count) {
		swap = a;
		a = b;
		b = swap;
	}
	if (a.times * a.count > STEPS_MAX || a.times * a.count * b.count > STEPS_MAX)
		return false;
	for (uint64_t i = 0; i < a.times * a.count; i++) {
		int64_t start = a.start + (int64_t)(i / a.times) * a.extent
		                + (int64_t)(i % a.times) * a.stride;

		for (uint64_t k = 0; k < b.count; k++)
			if (hits(&b, b.start + (int64_t)k * b.extent, start,
			         start + (int64_t)a.length))
				return true;
	}
	return false;
}

bool bytes_meet(const struct bytes *one, const struct bytes *other, bool *ret_one_writes,
                bool *ret_other_writes)
{
	for (uint32_t i = 0; i < one->count; i++) {
		for (uint32_t k = 0; k < other->count; k++) {
			const struct wire_part *a = &one->parts[i], *b = &other->parts[k];

			if (a->role == WIRE_PART_READ && b->role == WIRE_PART_READ)
				continue;
			if (!parts_meet(a, b))
				continue;
			*ret_one_writes = a->role == WIRE_PART_WRITTEN;
			*ret_other_writes = b->role == WIRE_PART_WRITTEN;
			return true;
		}
	}
	return false;
}
