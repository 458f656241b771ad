#include "causes.h"

#include "words.h"

static char *cause_of(const struct record_finding *finding)
{
	return finding->blame ? words_cause(finding->blame) : g_strdup("no choice to blame");
}

struct cause {
	char *name;
	GPtrArray *findings; /* borrowed */
};

static void cause_free(gpointer data)
{
	struct cause *cause = data;

	g_free(cause->name);
	g_ptr_array_unref(cause->findings);
	g_free(cause);
}

static gboolean has_name(gconstpointer cause, gconstpointer name)
{
	return g_str_equal(((const struct cause *)cause)->name, name);
}

static GPtrArray *causes_new(const GPtrArray *findings)
{
	GPtrArray *causes = g_ptr_array_new_with_free_func(cause_free);

	for (guint i = 0; i < findings->len; i++) {
		char *name = cause_of(findings->pdata[i]);
		struct cause *cause;
		guint at;

		if (g_ptr_array_find_with_equal_func(causes, name, has_name, &at)) {
			cause = causes->pdata[at];
			g_free(name);
		} else {
			cause = g_new0(struct cause, 1);
			*cause = (struct cause){name, g_ptr_array_new()};
			g_ptr_array_add(causes, cause);
		}
		g_ptr_array_add(cause->findings, findings->pdata[i]);
	}
	return causes;
}

GPtrArray *causes_order(const GPtrArray *findings)
{
	g_autoptr(GPtrArray) causes = causes_new(findings);
	GPtrArray *order = g_ptr_array_new();

	for (guint i = 0; i < causes->len; i++) {
		const struct cause *cause = causes->pdata[i];

		for (guint k = 0; k < cause->findings->len; k++)
			g_ptr_array_add(order, cause->findings->pdata[k]);
	}
	return order;
}

GStrv causes_print(const GPtrArray *findings)
{
	g_autoptr(GPtrArray) causes = causes_new(findings);
	GPtrArray *lines = g_ptr_array_new();

	for (guint i = 0; i < causes->len; i++) {
		const struct cause *cause = causes->pdata[i];
		GString *line = g_string_new(cause->name);

		for (guint k = 0; k < cause->findings->len; k++) {
			const struct record_finding *finding = cause->findings->pdata[k];

			g_string_append_printf(line, "%s%s #%u", k > 0 ? ", " : ": ",
			                       finding_kind_name(finding->kind), finding->id);
		}
		g_ptr_array_add(lines, g_string_free(line, false));
	}
	g_ptr_array_add(lines, NULL);
	return (GStrv)g_ptr_array_free(lines, false);
}
