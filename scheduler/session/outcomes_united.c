/* Files whose names vary by themselves: what counts is what they contain, not which is which. */
#include <string.h>

#include "outcome_text.h"
#include "outcomes_internal.h"

struct content {
	GArray *units;
	GBytes *bytes; /* NULL: not known */
};

static gint by_units(gconstpointer left, gconstpointer right)
{
	const GArray *one = ((const struct content *)left)->units;
	const GArray *other = ((const struct content *)right)->units;

	if (one->len != other->len)
		return one->len < other->len ? -1 : 1;
	return one->len > 0 ? memcmp(one->data, other->data, one->len * sizeof(guint64)) : 0;
}

void outcomes_arrange(GPtrArray *contents)
{
	g_autoptr(GArray) all = g_array_new(false, false, sizeof(struct content));

	for (guint i = 0; i < contents->len; i++) {
		struct content content = {.bytes = contents->pdata[i]};

		content.units = outcome_text_units(content.bytes,
		                                   outcome_text_is_binary(content.bytes));
		g_array_append_val(all, content);
	}
	g_array_sort(all, by_units);
	for (guint i = 0; i < all->len; i++) {
		const struct content *content = &g_array_index(all, struct content, i);

		contents->pdata[i] = content->bytes;
		g_array_unref(content->units);
	}
}

bool outcomes_has(const struct outcomes *outcomes, guint index, guint text)
{
	const struct outcome *outcome = outcomes->all->pdata[index];

	return text < outcome->lines->len && !outcome_text_is_absent(outcome->lines->pdata[text]);
}

guint outcomes_most(const struct outcomes *outcomes, const GArray *texts)
{
	guint most = 0;

	for (guint i = 0; i < outcomes->all->len; i++) {
		guint count = 0;

		for (guint k = 0; k < texts->len; k++)
			count += outcomes_has(outcomes, i, g_array_index(texts, guint, k));
		most = MAX(most, count);
	}
	return most;
}

static GArray *take(GPtrArray *lines, guint text)
{
	GArray *units = lines->pdata[text];

	lines->pdata[text] = outcome_text_units(NULL, false);
	return units;
}

static void unite(struct outcomes *outcomes, guint index, const GArray *texts, guint count)
{
	struct outcome *outcome = outcomes->all->pdata[index];
	g_autoptr(GArray) all = g_array_new(false, false, sizeof(struct content));
	GPtrArray *lines = outcome->lines;
	guint first = lines->len - count;

	for (guint i = 0; i < texts->len; i++) {
		guint text = g_array_index(texts, guint, i);
		struct content content = {0};

		if (!outcomes_has(outcomes, index, text))
			continue;
		content.units = take(lines, text);
		if (index == 0)
			content.bytes = g_steal_pointer(&outcomes->reference->pdata[text]);
		g_array_append_val(all, content);
	}
	g_array_sort(all, by_units);
	for (guint i = 0; i < all->len; i++) {
		const struct content *content = &g_array_index(all, struct content, i);

		g_array_unref(lines->pdata[first + i]);
		lines->pdata[first + i] = content->units;
		if (index == 0)
			outcomes->reference->pdata[first + i] = content->bytes;
	}
}

void outcomes_unite(struct outcomes *outcomes, const GArray *texts, guint count)
{
	for (guint i = 0; i < outcomes->all->len; i++)
		unite(outcomes, i, texts, count);
	outcomes_gather(outcomes);
}
