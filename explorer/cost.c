#include "cost.h"

#include <stdbool.h>

struct cost cost_copy(const struct cost *cost)
{
	struct cost copy = *cost;

	if (copy.counts)
		g_array_ref(copy.counts);
	return copy;
}

void cost_release(struct cost *cost)
{
	g_clear_pointer(&cost->counts, g_array_unref);
	cost->deviations = 0;
}

guint32 cost_of(const struct cost *cost, guint bound)
{
	return cost->counts && bound < cost->counts->len
	               ? g_array_index(cost->counts, guint32, bound)
	               : 0;
}

struct cost cost_plus(const struct cost *cost, uint64_t bounds)
{
	struct cost sum = {cost->deviations + 1, NULL};
	guint count = cost->counts ? cost->counts->len : 0;

	if (bounds == 0) {
		sum.counts = cost->counts ? g_array_ref(cost->counts) : NULL;
		return sum;
	}
	count = MAX(count, 64 - (guint)__builtin_clzll(bounds));
	sum.counts = g_array_sized_new(false, false, sizeof(guint32), count);
	for (guint i = 0; i < count; i++) {
		guint32 more = cost_of(cost, i) + (bounds >> i & 1);

		g_array_append_val(sum.counts, more);
	}
	return sum;
}
