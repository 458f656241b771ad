/* Compares the shape of an emitted program's finding with the original's. */
#include <string.h>

#include "command_emit_internal.h"

/* The rank's number in the sketch; -1: it was cut. */
static int32_t kept_rank(const struct sketch *sketch, int32_t rank)
{
	return sketch->gone[rank] ? -1 : sketch_rank(sketch, rank);
}

static const struct record_rank *line_of(const struct record_finding *finding, int32_t rank)
{
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *line = finding->ranks->pdata[i];

		if (line->rank == rank)
			return line;
	}
	return NULL;
}

/* Kinds of calls. A sketch writes all calls of one kind in the same way. */
enum family {
	FAMILY_OTHER,
	FAMILY_SEND = 1,
	FAMILY_RECEIVE = 2,
	FAMILY_BOTH = FAMILY_SEND
	              | FAMILY_RECEIVE, /* also waits for requests, which may be of either kind */
	FAMILY_PROBE = 4,
};

static enum family family_of(const char *function)
{
	g_autofree char *name = g_ascii_strdown(function, -1);

	if (strstr(name, "sendrecv") || strstr(name, "wait") || strstr(name, "test"))
		return strncmp(name, "mpi_win", 7) == 0 ? FAMILY_OTHER : FAMILY_BOTH;
	if (strstr(name, "probe"))
		return FAMILY_PROBE;
	if (strstr(name, "recv"))
		return FAMILY_RECEIVE;
	return strstr(name, "send") ? FAMILY_SEND : FAMILY_OTHER;
}

static bool calls_fit(const char *meant, const char *found)
{
	if (!meant || !found)
		return meant == found;
	return g_str_equal(meant, found) || (family_of(meant) & family_of(found)) != 0;
}

/* Whether both wait for the same ranks, of those that are left. */
static bool waits_fit(const struct sketch *sketch, const struct record_rank *meant,
                      const struct record_rank *found)
{
	guint left = 0;

	for (guint i = 0; i < meant->waits_for->len; i++) {
		int32_t rank = kept_rank(sketch, g_array_index(meant->waits_for, int32_t, i));
		guint j = 0;

		if (rank < 0)
			continue;
		while (j < found->waits_for->len
		       && g_array_index(found->waits_for, int32_t, j) != rank)
			j++;
		if (j == found->waits_for->len)
			return false;
		left++;
	}
	return left == found->waits_for->len && (left > 0) == (meant->waits_for->len > 0);
}

static bool line_fits(const struct sketch *sketch, const struct record_rank *meant,
                      const struct record_rank *found)
{
	if (!found || (meant->ended != NULL) != (found->ended != NULL))
		return false;
	return meant->ended
	       || (calls_fit(meant->function, found->function) && waits_fit(sketch, meant, found));
}

bool emit_shape_fits(const struct emit *emit, const struct record_finding *found, int32_t first)
{
	const struct sketch *sketch = emit->sketch;
	g_autoptr(GArray) ranks = g_array_new(false, false, sizeof(int32_t));
	g_autofree bool *reached = g_new0(bool, sketch->ranks);

	reached[first] = true;
	g_array_append_val(ranks, first);
	for (guint i = 0; i < ranks->len; i++) {
		int32_t rank = g_array_index(ranks, int32_t, i);
		const struct record_rank *meant = line_of(emit->finding, rank);

		if (!meant || sketch->gone[rank])
			continue;
		if (!line_fits(sketch, meant, line_of(found, sketch_rank(sketch, rank))))
			return false;
		for (guint j = 0; !meant->ended && j < meant->waits_for->len; j++) {
			int32_t next = g_array_index(meant->waits_for, int32_t, j);

			if (next >= 0 && next < sketch->ranks && !reached[next])
				g_array_append_val(ranks, next);
			if (next >= 0 && next < sketch->ranks)
				reached[next] = true;
		}
	}
	return true;
}
