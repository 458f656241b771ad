/* The way to the node below which everything is visited (explorer_options.from). The requested
 * choices may come from a text that leaves out defaults and does not contain which of a rank's
 * messages is meant. The first world finds that out. The search begins at the node that it reaches,
 * as if the choices made until then were the empty set. */
#include "explorer_internal.h"

bool explorer_has_begun(const struct explorer *explorer)
{
	return !explorer->prefix;
}

const GArray *explorer_awaits(const struct explorer *explorer)
{
	return explorer->prefix ? explorer->options.from : explorer->pending;
}

static bool all_made(const struct explorer *explorer)
{
	for (guint i = 0; i < explorer->options.from->len; i++)
		if (!choices_find(explorer->prefix, &choice_at(explorer->options.from, i)->point))
			return false;
	return true;
}

bool explorer_prefix_is_made(struct explorer *explorer)
{
	if (!explorer->prefix)
		return true;
	if (!all_made(explorer))
		return false;
	g_array_append_vals(explorer->path, explorer->prefix->data, explorer->prefix->len);
	g_array_free(g_steal_pointer(&explorer->prefix), true);
	return true;
}

static bool find_taken(const GArray *alternatives, const struct taken *asked,
                       struct taken *ret_taken)
{
	for (guint i = 0; i < alternatives->len; i++) {
		*ret_taken = g_array_index(alternatives, struct taken, i);
		if (taken_equal(ret_taken, asked))
			return true;
	}
	return false;
}

/* A requested choice is made as soon as possible, any other one only if no requested one is
 * possible. */
static bool next_choice(const struct explorer *explorer, const GArray *open,
                        struct choice *ret_choice)
{
	bool found = false;

	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);
		const struct choice *asked = choices_find(explorer->options.from, &one->point);
		struct taken taken;

		if (asked && find_taken(one->alternatives, &asked->taken, &taken)) {
			*ret_choice = (struct choice){one->point, taken};
			return true;
		}
		if (asked || found)
			continue;
		taken = g_array_index(one->alternatives, struct taken, 0);
		*ret_choice = (struct choice){one->point, taken};
		found = true;
	}
	return found;
}

enum explorer_step explorer_follow_prefix(struct explorer *explorer, const GArray *open,
                                          struct choice *ret_choice)
{
	if (!next_choice(explorer, open, ret_choice))
		return EXPLORER_STUCK;
	g_array_append_val(explorer->prefix, *ret_choice);
	return EXPLORER_TAKE;
}
