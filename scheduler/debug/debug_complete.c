/* What a line could become, whose word is already there. */
#include <string.h>

#include "breakpoints.h"
#include "debug_context.h"
#include "telling.h"

enum { CALLS_OFFERED = 50 }; /* of a rank, its last */

static void add(GStrvBuilder *lines, const char *before, const char *argument)
{
	g_autofree char *line = g_strconcat(before, argument, NULL);

	g_strv_builder_add(lines, line);
}

static void add_offers(GStrvBuilder *lines, const char *before, const struct debugger *debugger)
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

static void add_numbers(GStrvBuilder *lines, const char *before, guint first, guint count)
{
	for (guint i = 0; i < count; i++) {
		g_autofree char *number = g_strdup_printf("%u", first + i);

		add(lines, before, number);
	}
}

/* The calls of every rank so far. */
static void add_calls(GStrvBuilder *lines, const char *before, const struct debugger *debugger)
{
	const struct world *world = debugger_execution(debugger)
	                                    ? execution_world(debugger_execution(debugger))
	                                    : NULL;

	for (int rank = 0; world && rank < debugger_ranks(debugger); rank++) {
		guint32 calls = world_calls(world, rank);

		for (guint32 call = calls - MIN(calls, CALLS_OFFERED) + 1; call <= calls; call++) {
			g_autofree char *text = g_strdup_printf("%d.%u", rank, call);

			add(lines, before, text);
		}
	}
}

static void add_checkpoints(GStrvBuilder *lines, const char *before,
                            const struct debugger *debugger)
{
	g_auto(GStrv) names = debugger_checkpoint_names(debugger);

	for (char **name = names; *name; name++)
		add(lines, before, *name);
}

static void add_deletable(GStrvBuilder *lines, const char *before, const struct debugger *debugger)
{
	g_autofree char *checkpoint = g_strconcat(before, "checkpoint ", NULL);
	g_autoptr(GArray) numbers = breakpoints_numbers(debugger_breakpoints(debugger));

	for (guint i = 0; i < numbers->len; i++)
		add_numbers(lines, before, g_array_index(numbers, guint, i), 1);
	add_checkpoints(lines, checkpoint, debugger);
}

static void add_arguments(GStrvBuilder *lines, const char *before, const struct debugger *debugger,
                          int id)
{
	g_autofree char *finding = g_strconcat(before, "finding ", NULL);
	g_autofree char *outcome = g_strconcat(before, "outcome ", NULL);

	switch (id) {
	case WORD_CHOOSE: add_offers(lines, before, debugger); break;
	case WORD_CONTINUE:
	case WORD_HOLD:
	case WORD_RELEASE:
	case WORD_STEP:
	case WORD_WHERE:
	case WORD_GDB:
	case WORD_PRINT:
	case WORD_LIST: add_numbers(lines, before, 0, (guint)debugger_ranks(debugger)); break;
	case WORD_GOTO:
		add_numbers(lines, outcome, 1, debugger_outcomes(debugger)); /* fall through */
	case WORD_MINIMIZE:
		add_numbers(lines, finding, 1, session_found(debugger_session(debugger))->len);
		break;
	case WORD_ROLLBACK: add_calls(lines, before, debugger); break;
	case WORD_RESTART: add_checkpoints(lines, before, debugger); break;
	case WORD_DELETE: add_deletable(lines, before, debugger); break;
	case WORD_SET_CONFIRM:
	case WORD_SET_ALL_STOP:
		add(lines, before, "on");
		add(lines, before, "off");
		break;
	case WORD_SET_CHOICES:
		add(lines, before, "ask");
		add(lines, before, "default");
		add(lines, before, "random");
		break;
	case WORD_HELP:
		for (const struct vocabulary_word *word = debug_vocabulary; word->name; word++)
			add(lines, before, word->name);
		break;
	default: break;
	}
}

char **debugger_complete(void *debugger, const char *line)
{
	g_autoptr(GStrvBuilder) lines = g_strv_builder_new();
	char **words = vocabulary_complete(debug_vocabulary, line);
	g_autofree char *problem = NULL, *before = NULL;
	const struct vocabulary_word *word;
	const char *rest;

	if (words[0])
		return words;
	word = vocabulary_find(debug_vocabulary, line, &rest, &problem);
	if (!word)
		return words;
	g_strfreev(words);
	before = g_strndup(line, (gsize)(rest - line));
	add_arguments(lines, before, debugger, word->id);
	return g_strv_builder_end(lines);
}
