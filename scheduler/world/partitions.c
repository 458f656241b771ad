#include "partitions.h"

#include <string.h>

enum { RANGES_SHOWN = 8 };

struct send {
	guint64 number;
	int rank;
	guint32 call, count;
	bool *ready; /* by partition */
};

struct partitions {
	GHashTable *sends; /* struct send by its number */
};

static void send_free(gpointer data)
{
	struct send *send = data;

	g_free(send->ready);
	g_free(send);
}

struct partitions *partitions_new(void)
{
	struct partitions *partitions = g_new(struct partitions, 1);

	partitions->sends = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, send_free);
	return partitions;
}

struct partitions *partitions_copy(const struct partitions *partitions)
{
	struct partitions *copy = partitions_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, partitions->sends);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct send *send = g_memdup2(value, sizeof(*send));

		send->ready = g_memdup2(send->ready, send->count * sizeof(bool));
		g_hash_table_insert(copy->sends, &send->number, send);
	}
	return copy;
}

void partitions_free(struct partitions *partitions)
{
	if (!partitions)
		return;
	g_hash_table_destroy(partitions->sends);
	g_free(partitions);
}

void partitions_start(struct partitions *partitions, guint64 number, int rank, guint32 call,
                      guint32 count)
{
	struct send *send = g_new(struct send, 1);

	*send = (struct send){number, rank, call, count, g_new0(bool, count)};
	g_hash_table_replace(partitions->sends, &send->number, send);
}

bool partitions_ready(struct partitions *partitions, guint64 number, guint32 first, guint32 last)
{
	struct send *send = g_hash_table_lookup(partitions->sends, &number);

	if (!send || first > last || last >= send->count)
		return false;
	memset(send->ready + first, true, last - first + 1);
	return true;
}

guint64 partitions_find(const struct partitions *partitions, int rank, guint32 call)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, partitions->sends);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct send *send = value;

		if (send->rank == rank && send->call == call)
			return send->number;
	}
	return 0;
}

/* Appends "4" or "4-7" for the range that begins at `first`; returns what follows it. */
static guint32 append_range(GString *text, const struct send *send, guint32 first)
{
	guint32 end = first;

	while (end < send->count && !send->ready[end])
		end++;
	g_string_append_printf(text, "%s%u", text->len > 0 ? ", " : "", first);
	if (end > first + 1)
		g_string_append_printf(text, "-%u", end - 1);
	return end;
}

char *partitions_unready(const struct partitions *partitions, guint64 number, int *ret_rank)
{
	const struct send *send = g_hash_table_lookup(partitions->sends, &number);
	g_autoptr(GString) text = g_string_new(NULL);
	guint32 left = 0;
	guint ranges = 0;

	for (guint32 i = 0; send && i < send->count; i++)
		left += !send->ready[i];
	if (left == 0)
		return NULL;
	*ret_rank = send->rank;
	for (guint32 i = 0; i < send->count && ranges < RANGES_SHOWN; i++)
		if (!send->ready[i]) {
			i = append_range(text, send, i);
			ranges++;
			if (i == send->count)
				return g_strdup_printf("partition%s %s", left == 1 ? "" : "s",
				                       text->str);
		}
	return g_strdup_printf("partition%s %s%s", left == 1 ? "" : "s", text->str,
	                       ranges == RANGES_SHOWN ? ", ..." : "");
}
