#include "rma_range.h"

/* From the first byte to after the last one; limited to the range of gint64. */
struct span {
	gint64 low, high;
};

static gint64 add_limited(gint64 one, gint64 other)
{
	gint64 sum;

	return __builtin_add_overflow(one, other, &sum) ? one < 0 ? G_MININT64 : G_MAXINT64 : sum;
}

static gint64 multiply_limited(guint64 times, gint64 step)
{
	gint64 product;

	return !__builtin_mul_overflow(times, step, &product) ? product
	       : step < 0                                     ? G_MININT64
	                                                      : G_MAXINT64;
}

/* The span repeated `times` times, at a distance of `step`. */
static void repeat_span(struct span *span, guint64 times, gint64 step)
{
	gint64 *moved = step < 0 ? &span->low : &span->high;

	*moved = add_limited(*moved, multiply_limited(times - 1, step));
}

/* In bytes from the beginning of the window. */
static struct span span_of(const struct rma_place *place, const struct wire_access *access,
                           const struct wire_part *part)
{
	gint64 low = add_limited(multiply_limited(place->unit, access->displacement), part->start);
	struct span span = {low, add_limited(low, (gint64)MIN(part->length, G_MAXINT64))};

	repeat_span(&span, part->times, part->stride);
	repeat_span(&span, part->count, part->extent);
	return span;
}

static void check_access(const struct rma_beyond *access, rma_found_beyond found, void *user)
{
	struct rma_beyond beyond = *access;
	struct span all = {G_MAXINT64, G_MININT64};

	for (guint32 i = 0; i < beyond.access->part_count; i++) {
		const struct wire_part *part = &beyond.access->parts[i];
		guint64 bytes = part->length * part->times * part->count;
		struct span span;

		if (part->role != WIRE_PART_TARGET || bytes == 0)
			continue;
		span = span_of(beyond.place, beyond.access, part);
		all = (struct span){MIN(all.low, span.low), MAX(all.high, span.high)};
		beyond.bytes += bytes;
	}
	if (beyond.bytes == 0 || (all.low >= 0 && (guint64)all.high <= beyond.place->size))
		return;
	beyond.first = all.low;
	beyond.last = all.high - 1;
	found(user, &beyond);
}

void rma_find_beyond(const struct rma_log *log, int ranks, rma_found_beyond found, void *user)
{
	struct rma_places *places = rma_places_of(log, ranks);

	for (guint i = 0; i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (guint j = 0; j < block->count; j++) {
			struct rma_beyond access = {
				.access = &block->list[j],
				.rank = block->rank,
				.target = block->targets[j],
			};

			if (access.access->kind != WIRE_ACCESS_DATA || access.target < 0)
				continue;
			access.place = rma_places_find(places, access.access->window,
			                               access.target);
			if (access.place && access.place->is_bounded)
				check_access(&access, found, user);
		}
	}
	rma_places_free(places);
}
