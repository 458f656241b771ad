/* Notes on open choices. */
#include "debug_context.h"

/* The choice at this point in the path of the command line. */
static const struct choice *in_path(const struct debugger *debugger, const struct point *point)
{
	const struct path *path = debugger_request(debugger)->path;

	return path ? choices_find(path->choices, point) : NULL;
}

/* Whether all choices so far agree with that path. If not, later points may differ from the
 * path's. */
static bool goes_along(const struct debugger *debugger)
{
	const struct path *path = debugger_request(debugger)->path;
	const GArray *made = world_choices(execution_world(debugger_execution(debugger)));

	for (guint i = path ? choices_common(path->choices, made) : 0; path && i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);
		const struct choice *there = choices_find(path->choices, &choice->point);

		if (there && !taken_equal(&there->taken, &choice->taken))
			return false;
	}
	return path != NULL;
}

const struct choice *debugger_leads_to(const struct debugger *debugger, const struct point *point)
{
	return goes_along(debugger) ? in_path(debugger, point) : NULL;
}

static void append_note(GString *text, const char *note)
{
	g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", note);
}

char *debugger_note(void *user, const struct choice *choice)
{
	const struct debugger *debugger = user;
	const struct debug_request *request = debugger_request(debugger);
	const struct record_choice *blame = request->blame;
	const struct choice *taken = debugger_taken_before(debugger, choice);
	bool along = goes_along(debugger);
	const struct choice *there = along ? in_path(debugger, &choice->point) : NULL;
	const struct choice *decided = debugger_decided(debugger, &choice->point);
	GString *text = g_string_new(NULL);

	if (decided && taken_equal(&decided->taken, &choice->taken))
		append_note(text, "chosen");
	if (there && taken_equal(&there->taken, &choice->taken) && request->finding > 0)
		g_string_append_printf(text, "%sas in finding %u", text->len > 0 ? ", " : "",
		                       request->finding);
	else if (there && taken_equal(&there->taken, &choice->taken))
		append_note(text, "as in the path");
	if (along && blame && point_equal(&blame->point, &choice->point)
	    && blame->alternatives->len > 0
	    && taken_equal(&g_array_index(blame->alternatives, struct record_message, 0).taken,
	                   &choice->taken))
		append_note(text, "ends well");
	if (taken && taken_equal(&taken->taken, &choice->taken))
		append_note(text, "taken last time");
	return g_string_free(text, text->len == 0);
}
