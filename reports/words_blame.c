/* Sentences about the choice to blame for a finding. */
#include <string.h>

#include "words.h"

/* "rank 2's MPI_Fetch_and_op (a.c:12) comes first at byte 8 of rank 0's part of window 1, not rank
 * 1's (a.c:14)" */
static char *words_atomic(const struct record_choice *blame)
{
	const struct record_message *taken = &blame->taken, *other = NULL;
	g_autofree char *place = place_print(&taken->place);
	GString *text = g_string_new(NULL);

	g_string_printf(text,
	                "rank %s's %s (%s) comes first at byte %" G_GINT64_FORMAT
	                " of rank %s's part of window %d",
	                rank_name(taken->source), blame->function, place, point_byte(&blame->point),
	                rank_name(blame->point.rank), blame->point.window);
	if (blame->alternatives->len > 0)
		other = &g_array_index(blame->alternatives, struct record_message, 0);
	if (other && other->place.file) {
		g_autofree char *there = place_print(&other->place);

		g_string_append_printf(text, ", not rank %s's (%s)", rank_name(other->source),
		                       there);
	} else if (other) {
		g_string_append_printf(text, ", not rank %s's", rank_name(other->source));
	}
	return g_string_free(text, false);
}

/* "rank 0's lock of window 1 is granted to rank 2 (a.c:12) first, not to rank 1" */
static char *words_grant(const struct record_choice *blame)
{
	const struct record_message *taken = &blame->taken;
	g_autofree char *place = NULL;
	GString *text;

	if (blame->point.word > 0)
		return words_atomic(blame);
	place = place_print(&taken->place);
	text = g_string_new(NULL);
	g_string_printf(text, "rank %s's lock of window %d", rank_name(blame->point.rank),
	                blame->point.window);
	if (blame->point.first > 0)
		g_string_append_printf(text, " (of those of rank %s)",
		                       rank_name(blame->point.first));
	g_string_append_printf(text, " is granted to rank %s (%s at %s)", rank_name(taken->source),
	                       blame->function, place);
	if (blame->alternatives->len > 0)
		g_string_append_printf(
			text, " first, not to rank %s",
			rank_name(g_array_index(blame->alternatives, struct record_message, 0)
		                          .source));
	return g_string_free(text, false);
}

static const char *blame_verb(const struct record_choice *blame, bool probe)
{
	switch (blame->taken.taken.kind) {
	case TAKEN_MESSAGE: return probe ? "reports" : "takes";
	case TAKEN_NO:
	case TAKEN_YES: return "returns";
	case TAKEN_ONE:
	case TAKEN_SOME: return "reports";
	case TAKEN_THREAD: return "is called first by";
	default: return "ends with";
	}
}

char *words_cause(const struct record_choice *blame)
{
	g_autofree char *place = place_print(&blame->place);
	const char *function = blame->function ? blame->function : "receive";
	bool wildcard = !blame->taken.answer && !strstr(function, "Iprobe")
	                && !strstr(function, "Improbe");

	if (blame->point.kind == POINT_LOCK)
		return g_strdup_printf("rank %s's lock of window %d", rank_name(blame->point.rank),
		                       blame->point.window);
	return g_strdup_printf("rank %s's %s%s at %s", rank_name(blame->rank), function,
	                       wildcard ? "(ANY_SOURCE)" : "", place);
}

/* Whether the choice is which poll of a loop succeeds first, and not what one call returns. */
static bool is_of_loop(const struct record_choice *blame)
{
	bool loop = blame->taken.taken.ahead > 0;

	for (guint i = 0; i < blame->alternatives->len; i++)
		loop |= g_array_index(blame->alternatives, struct record_message, i).taken.ahead
		        > 0;
	return loop && blame->taken.taken.kind != TAKEN_NO;
}

/* "in rank 1's loop of polls at a.c:22, the request of call 4 (a.c:32) comes first" */
static void put_taken(GString *text, const struct record_choice *blame)
{
	g_autofree char *taken = record_alternative_print(&blame->taken);
	bool probe = blame->function && strstr(blame->function, "robe") != NULL;

	if (is_of_loop(blame)) {
		g_autofree char *place = place_print(&blame->place);

		g_string_printf(text, "in rank %s's loop of polls at %s, %s comes first",
		                rank_name(blame->rank), place, taken);
	} else {
		g_autofree char *cause = words_cause(blame);

		if (blame->taken.taken.kind == TAKEN_YES && blame->taken.requests)
			g_string_printf(text, "%s finds %s complete", cause, taken);
		else
			g_string_printf(text, "%s %s %s", cause, blame_verb(blame, probe), taken);
	}
}

char *words_blame(const struct record_choice *blame)
{
	GString *text;

	if (blame->point.kind == POINT_LOCK)
		return words_grant(blame);
	text = g_string_new(NULL);
	put_taken(text, blame);
	if (blame->alternatives->len > 0) {
		const struct record_message *other = &g_array_index(blame->alternatives,
		                                                    struct record_message, 0);
		g_autofree char *printed = record_alternative_print(other);

		if (other->answer || blame->taken.answer)
			g_string_append_printf(text, ", not %s", printed);
		else
			g_string_append_printf(text, ", not rank %s's", rank_name(other->source));
	}
	return g_string_free(text, false);
}
