/* Commands that choose, by number or as in paths. */
#include <string.h>

#include "debug_internal.h"
#include "debug_words.h"

void debugger_decide(struct debugger *debugger, const struct choice *choice)
{
	for (guint i = 0; i < debugger->decided->len; i++) {
		const struct choice *decided = &g_array_index(debugger->decided, struct choice, i);

		if (!point_equal(&decided->point, &choice->point))
			continue;
		g_array_remove_index(debugger->decided, i);
		break;
	}
	g_array_append_val(debugger->decided, *choice);
}

/* Returns false after refusing. If ranks are held, no choice may be open. */
static bool offers_any(struct debugger *debugger)
{
	if (debugger->offers->choices->len > 0)
		return true;
	debugger_refuse(debugger, "there is nothing to choose here: continue goes on");
	return false;
}

/* The candidates, as "0.2=1 or 0.2=2". Free with g_free. */
static char *what_is_open(const struct debugger *debugger)
{
	const GArray *open = debugger->offers->choices;
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < open->len; i++) {
		g_string_append(text, i > 0 ? " or " : "");
		choice_append(text, &g_array_index(open, struct choice, i));
	}
	return g_string_free(text, false);
}

/* Whether a choice is open at that point. */
static bool is_point(const struct debugger *debugger, const struct point *point)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++)
		if (point_equal(&g_array_index(open, struct choice, i).point, point))
			return true;
	return false;
}

/* Whether the message may still be sent, or the request may still become complete. */
static bool may_come(const struct debugger *debugger, const struct choice *choice)
{
	switch (choice->taken.kind) {
	case TAKEN_MESSAGE:
	case TAKEN_YES:
	case TAKEN_ONE:
	case TAKEN_SOME: return is_point(debugger, &choice->point);
	default: return false;
	}
}

/* The first choice decided here that is not possible yet; NULL: none. */
static const struct choice *awaited(const struct debugger *debugger)
{
	for (guint i = 0; i < debugger->decided->len; i++) {
		const struct choice *choice = &g_array_index(debugger->decided, struct choice, i);

		if (!debugger_is_open(debugger, choice))
			return choice;
	}
	return NULL;
}

bool debugger_await(struct debugger *debugger)
{
	g_autoptr(GArray) choices = NULL;
	const struct stop *here = stops_here(debugger->stops);
	struct stop *origin;

	if (!awaited(debugger))
		return false;
	origin = stop_new(position_copy(here->position), false);
	choices = choices_copy(world_choices(execution_world(debugger->execution)));
	g_array_append_vals(choices, debugger->decided->data, debugger->decided->len);
	debugger_go(debugger, choices);
	debugger->origin = origin;
	return true;
}

/* Returns false after refusing. */
static bool choose(struct debugger *debugger, const char *rest)
{
	g_autofree char *text = g_strstrip(g_strdup(rest)), *problem = NULL, *open = NULL;
	const GArray *offered;
	const char *at = text;
	struct choice choice;
	guint64 number;

	if (!debugger_is_at_rest(debugger) || !offers_any(debugger))
		return false;
	offered = debugger->offers->choices;
	open = what_is_open(debugger);
	if (g_ascii_string_to_unsigned(text, 10, 1, offered->len, &number, NULL)) {
		debugger_decide(debugger,
		                &g_array_index(offered, struct choice, (guint)number - 1));
		return true;
	}
	problem = choice_parse(&at, debugger->asked->request.ranks, &choice);
	if (problem || *at) {
		debugger_refuse(debugger, "%s is not a choice%s%s; use choose %s", text,
		                problem ? ": " : "", problem ? problem : "", open);
		return false;
	}
	if (!debugger_is_open(debugger, &choice) && !may_come(debugger, &choice)) {
		debugger_refuse(debugger, "%s is not possible here; use choose %s", text, open);
		return false;
	}
	for (guint i = 0; i < offered->len; i++) /* with everything that is known of the message */
		if (choice_equal(&g_array_index(offered, struct choice, i), &choice))
			choice = g_array_index(offered, struct choice, i);
	debugger_decide(debugger, &choice);
	return true;
}

void word_choose(struct debugger *debugger, const char *rest)
{
	const struct choice *choice;
	GString *text;

	if (!choose(debugger, rest))
		return;
	choice = &g_array_index(debugger->decided, struct choice, debugger->decided->len - 1);
	text = g_string_new(NULL);
	choice_append(text, choice);
	debugger_tell(debugger, "%s is chosen%s\n", text->str,
	              debugger_is_open(debugger, choice)
	                      ? "; continue goes on"
	                      : ", but not possible yet: continue goes on until it is, with the "
	                        "first candidate at other choices");
	g_string_free(text, true);
}

/* Takes a number alone. */
static void take_number(struct debugger *debugger, const char *text)
{
	guint64 number = 0;

	if (!debugger_is_at_rest(debugger) || !offers_any(debugger))
		return;
	if (!g_ascii_string_to_unsigned(text, 10, 1, debugger->offers->choices->len, &number,
	                                NULL)) {
		debugger_refuse(debugger, "%s is not a number from 1 to %u", text,
		                debugger->offers->choices->len);
		return;
	}
	choose(debugger, text);
	holds_continue(&debugger->holds);
	debugger_go_on(debugger, false);
}

/* Takes "0.3=1" alone. Returns false for another line. */
static bool take_choice(struct debugger *debugger, const char *line)
{
	const char *at = line;
	struct choice choice;
	g_autofree char *problem = choice_parse(&at, debugger->asked->request.ranks, &choice);

	if (problem || *at)
		return false;
	if (choose(debugger, line)) {
		holds_continue(&debugger->holds);
		debugger_go_on(debugger, false);
	}
	return true;
}

bool debugger_chooses(struct debugger *debugger, const char *line)
{
	if (strspn(line, "0123456789") < strlen(line))
		return take_choice(debugger, line);
	take_number(debugger, line);
	return true;
}

void word_set_choices(struct debugger *debugger, const char *rest)
{
	g_auto(GStrv) parts = g_strsplit_set(rest, " \t", 2);
	guint64 seed = 0;

	if (!*rest) {
		debugger_refuse(debugger, "set choices needs ask, default or random SEED");
	} else if (strcmp(parts[0], "ask") == 0 && !parts[1]) {
		debugger->chooser = CHOOSER_ASK;
	} else if (strcmp(parts[0], "default") == 0 && !parts[1]) {
		debugger->chooser = CHOOSER_DEFAULT;
	} else if (strcmp(parts[0], "random") == 0
	           && (!parts[1]
	               || g_ascii_string_to_unsigned(g_strstrip(parts[1]), 10, 0, G_MAXUINT32,
	                                             &seed, NULL))) {
		debugger->chooser = CHOOSER_RANDOM;
		g_rand_set_seed(debugger->random, (guint32)seed);
	} else {
		debugger_refuse(debugger, "set choices cannot be %s; use ask, default or random 7",
		                rest);
	}
}
