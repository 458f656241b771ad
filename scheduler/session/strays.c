#include "strays.h"

struct stray {
	guint32 buffering;
	GArray *choices; /* struct choice */
	char *shown;
};

struct strays {
	GPtrArray *all;
};

static void stray_free(void *data)
{
	struct stray *stray = data;

	g_array_unref(stray->choices);
	g_free(stray->shown);
	g_free(stray);
}

struct strays *strays_new(void)
{
	struct strays *strays = g_new0(struct strays, 1);

	strays->all = g_ptr_array_new_with_free_func(stray_free);
	return strays;
}

void strays_free(struct strays *strays)
{
	g_ptr_array_unref(strays->all);
	g_free(strays);
}

/* What was shown, in the order in which it was. */
static char *keys_of(const GPtrArray *shown)
{
	g_autoptr(GString) keys = g_string_new(NULL);

	for (guint i = 0; i < shown->len; i++) {
		g_autofree char *key = record_finding_key(shown->pdata[i]);

		g_string_append_printf(keys, "%s\n", key);
	}
	return g_string_free(g_steal_pointer(&keys), false);
}

bool strays_take(struct strays *strays, const struct findings *findings,
                 const struct record_execution *execution, const GPtrArray *shown,
                 const GArray *choices)
{
	struct stray *stray;
	bool known = true;

	for (guint i = 0; i < shown->len; i++)
		known = known
		        && findings_known_under(findings, shown->pdata[i], execution->buffering);
	if (known)
		return false;
	stray = g_new0(struct stray, 1);
	stray->buffering = execution->buffering;
	stray->choices = choices_copy(choices);
	stray->shown = keys_of(shown);
	g_ptr_array_add(strays->all, stray);
	return true;
}

bool strays_have(const struct strays *strays, const struct record_execution *execution,
                 const GPtrArray *shown, const GArray *choices)
{
	g_autofree char *keys = strays->all->len > 0 ? keys_of(shown) : NULL;

	for (guint i = 0; i < strays->all->len; i++) {
		const struct stray *stray = strays->all->pdata[i];

		if (stray->buffering == execution->buffering && g_str_equal(stray->shown, keys)
		    && choices_same(stray->choices, choices))
			return true;
	}
	return false;
}
