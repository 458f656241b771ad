/* Completion of the arguments of commands. */
#include <string.h>

#include "breakpoints.h"
#include "debug_context.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "telling.h"

enum { CALLS_OFFERED = 50 }; /* of each rank, the last ones */

static void add(GStrvBuilder *lines, const char *before, const char *argument)
{
	g_autofree char *line = g_strconcat(before, argument, NULL);

	g_strv_builder_add(lines, line);
}

static void add_numbers(GStrvBuilder *lines, const char *before, guint first, guint count)
{
	for (guint i = 0; i < count; i++) {
		g_autofree char *number = g_strdup_printf("%u", first + i);

		add(lines, before, number);
	}
}

void complete_offers(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	for (guint i = 0; debugger_offers(debugger) && i < debugger_offers(debugger)->choices->len;
	     i++) {
		GString *text = g_string_new(NULL);

		choice_append(text,
		              &g_array_index(debugger_offers(debugger)->choices, struct choice, i));
		add(lines, before, text->str);
		g_string_free(text, true);
	}
}

void complete_ranks(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		add(lines, before, rank_name(rank));
}

void complete_findings(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	g_autofree char *finding = g_strconcat(before, "finding ", NULL);

	add_numbers(lines, finding, 1, session_found(debugger_session(debugger))->len);
}

void complete_places(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	g_autofree char *outcome = g_strconcat(before, "outcome ", NULL);

	add_numbers(lines, outcome, 1, debugger_outcomes(debugger));
	complete_findings(debugger, lines, before);
}

/* Adds the calls that every rank has made. */
void complete_calls(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	const struct world *world = debugger_execution(debugger)
	                                    ? execution_world(debugger_execution(debugger))
	                                    : NULL;

	for (int rank = 0; world && rank < debugger_ranks(debugger); rank++) {
		guint32 calls = world_calls(world, rank);

		for (guint32 call = calls - MIN(calls, CALLS_OFFERED) + 1; call <= calls; call++) {
			g_autofree char *text = g_strdup_printf("%s.%u", rank_name(rank), call);

			add(lines, before, text);
		}
	}
}

void complete_checkpoints(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	g_auto(GStrv) names = debugger_checkpoint_names(debugger);

	for (char **name = names; *name; name++)
		add(lines, before, *name);
}

void complete_deletable(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	g_autofree char *checkpoint = g_strconcat(before, "checkpoint ", NULL);
	g_autoptr(GArray) numbers = breakpoints_numbers(debugger_breakpoints(debugger));

	for (guint i = 0; i < numbers->len; i++)
		add_numbers(lines, before, g_array_index(numbers, guint, i), 1);
	complete_checkpoints(debugger, lines, checkpoint);
}

void complete_on_off(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	(void)debugger;
	add(lines, before, "on");
	add(lines, before, "off");
}

void complete_choosers(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	(void)debugger;
	add(lines, before, "ask");
	add(lines, before, "default");
	add(lines, before, "random");
}

void complete_words(const struct debugger *debugger, GStrvBuilder *lines, const char *before)
{
	(void)debugger;
	for (const struct vocabulary_word *word = debug_vocabulary; word->name; word++)
		add(lines, before, word->name);
}

char **debugger_complete(void *debugger, const char *line)
{
	return vocabulary_complete(debug_vocabulary, debugger, line);
}
