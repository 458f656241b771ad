#include "entered.h"

struct failure {
	guint64 instance;
	int rank;
};

struct entered {
	int ranks;
	GArray **by; /* by rank: guint64 */
	GArray *failures;
};

struct entered *entered_new(int ranks)
{
	struct entered *entered = g_new0(struct entered, 1);

	entered->ranks = ranks;
	entered->by = g_new0(GArray *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		entered->by[rank] = g_array_new(false, false, sizeof(guint64));
	entered->failures = g_array_new(false, false, sizeof(struct failure));
	return entered;
}

struct entered *entered_copy(const struct entered *from)
{
	struct entered *to = g_new0(struct entered, 1);

	to->ranks = from->ranks;
	to->by = g_new0(GArray *, from->ranks);
	for (int rank = 0; rank < from->ranks; rank++)
		to->by[rank] = g_array_copy(from->by[rank]);
	to->failures = g_array_copy(from->failures);
	return to;
}

void entered_free(struct entered *entered)
{
	for (int rank = 0; rank < entered->ranks; rank++)
		g_array_unref(entered->by[rank]);
	g_free(entered->by);
	g_array_unref(entered->failures);
	g_free(entered);
}

void entered_note(struct entered *entered, int rank, guint64 instance)
{
	g_array_append_val(entered->by[rank], instance);
}

const GArray *entered_by(const struct entered *entered, int rank)
{
	return entered->by[rank];
}

void entered_clear(struct entered *entered, int rank)
{
	g_array_set_size(entered->by[rank], 0);
}

void entered_fail(struct entered *entered, int rank)
{
	for (guint i = 0; i < entered->by[rank]->len; i++) {
		struct failure failure = {g_array_index(entered->by[rank], guint64, i), rank};

		g_array_append_val(entered->failures, failure);
	}
}

bool entered_has_failed(const struct entered *entered, int rank, guint64 instance)
{
	for (guint i = 0; i < entered->failures->len; i++) {
		const struct failure *failure = &g_array_index(entered->failures, struct failure,
		                                               i);

		if (failure->rank == rank && failure->instance == instance)
			return true;
	}
	return false;
}

bool entered_any_failed(const struct entered *entered)
{
	return entered->failures->len > 0;
}
