#include "ddmin.h"

/* The elements `begin` to `end` - 1 of `all`, or all others. */
static GArray *part(const GArray *all, guint begin, guint end, bool complement)
{
	GArray *chosen = g_array_new(false, false, sizeof(guint));

	for (guint i = 0; i < all->len; i++) {
		if ((i >= begin && i < end) != complement)
			g_array_append_val(chosen, g_array_index(all, guint, i));
	}
	return chosen;
}

/* The first of `pieces` parts, or of their complements, that shows the effect; NULL: none. */
static GArray *reduce(const GArray *all, guint pieces, bool complement, ddmin_test shows,
                      gpointer user)
{
	for (guint i = 0; i < pieces; i++) {
		guint begin = (guint)((guint64)all->len * i / pieces);
		guint end = (guint)((guint64)all->len * (i + 1) / pieces);
		GArray *smaller = part(all, begin, end, complement);

		if (shows(smaller, user))
			return smaller;
		g_array_unref(smaller);
	}
	return NULL;
}

GArray *ddmin(guint count, ddmin_test shows, gpointer user)
{
	GArray *all = g_array_new(false, false, sizeof(guint));
	GArray *smaller = part(all, 0, 0, false);
	guint pieces = 2;

	for (guint i = 0; i < count; i++)
		g_array_append_val(all, i);
	if (count == 0 || shows(smaller, user)) { /* nothing is needed */
		g_array_unref(all);
		return smaller;
	}
	g_array_unref(smaller);
	while (all->len > 1) {
		guint next = 2;

		smaller = reduce(all, pieces, false, shows, user);
		/* with two pieces each is the complement of the other */
		if (!smaller && pieces > 2) {
			smaller = reduce(all, pieces, true, shows, user);
			next = pieces - 1;
		}
		if (smaller) {
			g_array_unref(all);
			all = smaller;
			pieces = MIN(next, all->len);
		} else if (pieces < all->len) {
			pieces = MIN(2 * pieces, all->len);
		} else {
			break;
		}
	}
	return all;
}
