/* room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "scheduler/debug/vocabulary.h"

/* The last command obeyed, and arguments for completion. */
struct debugger {
	const char *obeyed;
	char *rest;
	const char *const *arguments;
};

static void obey(struct debugger *debugger, const char *word, const char *rest)
{
	g_free(debugger->rest);
	debugger->obeyed = word;
	debugger->rest = g_strdup(rest);
}

#define WORD(name)                                                           \
	static void word_##name(struct debugger *debugger, const char *rest) \
	{                                                                    \
		obey(debugger, #name, rest);                                 \
	}
WORD(ranks)
WORD(path)
WORD(back)
WORD(break)
WORD(choices)
WORD(choose)
WORD(continue)

static void complete_arguments(const struct debugger *debugger, GStrvBuilder *lines,
                               const char *before)
{
	for (const char *const *argument = debugger->arguments; *argument; argument++) {
		g_autofree char *line = g_strconcat(before, *argument, NULL);

		g_strv_builder_add(lines, line);
	}
}

static const struct vocabulary_word things[] = {
	{"ranks", "", "where every rank is", word_ranks, .example = "info ranks"},
	{"path", "[all]", "the path to here", word_path, .example = "info path"},
	{"threads", "", "info ranks", word_ranks, .is_habit = true},
	{0},
};

static const struct vocabulary_word table[] = {
	{"back", "[N]", "to the stop before this one", word_back, .example = "back 2",
         .shorter = "b"},
	{"break", "FUNCTION", "stops at calls", word_break, .example = "break MPI_*recv"},
	{"choices", "", "what can be chosen", word_choices, .example = "choices"},
	{"choose", "POINT=TAKEN", "decides", word_choose, .example = "choose 0.3=1",
         .complete = complete_arguments},
	{"continue", "", "goes on", word_continue, .example = "continue", .shorter = "c"},
	{"info", "", "show information: info", .below = things},
	{"bt", "[N]", "back", word_back, .is_habit = true},
	{0},
};

static void assert_obeyed(const char *line, const char *word, const char *rest)
{
	struct debugger debugger = {0};

	assert_null(vocabulary_obey(table, &debugger, line));
	assert_string_equal(debugger.obeyed, word);
	assert_string_equal(debugger.rest, rest);
	g_free(debugger.rest);
}

static void assert_refused(const char *line, const char *why)
{
	struct debugger debugger = {0};
	g_autofree char *problem = vocabulary_obey(table, &debugger, line);

	assert_non_null(problem);
	assert_string_equal(problem, why);
	assert_null(debugger.obeyed);
}

static void an_unambiguous_prefix_is_enough(void **state)
{
	(void)state;
	assert_obeyed("continue", "continue", "");
	assert_obeyed("  cont ", "continue", "");
	assert_obeyed("bac 2  ", "back", "2  ");
	assert_obeyed("choose\t0.3=1", "choose", "0.3=1");
	assert_obeyed("info ranks", "ranks", "");
	assert_obeyed("i p all", "path", "all");
}

static void a_short_form_wins(void **state)
{
	(void)state;
	assert_obeyed("c", "continue", "");
	assert_obeyed("b", "back", "");
}

/* They are not listed, nor suggested, nor completed. */
static void words_of_other_debuggers_are_known(void **state)
{
	struct debugger debugger = {0};
	g_auto(GStrv) completed = vocabulary_complete(table, &debugger, "b");
	g_auto(GStrv) below = vocabulary_complete(table, &debugger, "info ");
	g_autofree char *problem = NULL, *help = vocabulary_help(table, "", &problem);

	(void)state;
	assert_obeyed("bt 2", "back", "2");
	assert_obeyed("info threads", "ranks", "");
	assert_obeyed("b", "back", "");
	assert_refused("info thr",
	               "there is no command info thr; use info and one of ranks or path");
	assert_refused("btt", "there is no command btt; help lists them");
	assert_int_equal(g_strv_length(completed), 2);
	assert_int_equal(g_strv_length(below), 2);
	assert_null(strstr(help, "bt"));
}

static void ambiguous_commands_are_refused(void **state)
{
	(void)state;
	assert_refused("ch", "ch is ambiguous: choices or choose");
	assert_refused("cho 0.3=1", "cho is ambiguous: choices or choose");
}

static void arguments_are_refused_where_there_are_none(void **state)
{
	(void)state;
	assert_refused("c 3", "continue takes no arguments; see help continue");
	assert_refused("info ranks 0", "ranks takes no arguments; see help ranks");
}

static void a_misspelt_command_gets_a_suggestion(void **state)
{
	(void)state;
	assert_refused("chose 0.3=1", "there is no command chose; did you mean choose?");
	assert_refused("chuose", "there is no command chuose; did you mean choose?");
	assert_refused("bcak", "there is no command bcak; did you mean back?");
	assert_refused("info rnaks", "there is no command info rnaks; did you mean info ranks?");
	assert_refused("path", "there is no command path; did you mean info path?");
	assert_refused("zzz", "there is no command zzz; help lists them");
	assert_refused("info zzz",
	               "there is no command info zzz; use info and one of ranks or path");
	assert_refused("info", "info needs one of ranks or path");
}

static void a_distant_word_gets_no_suggestion(void **state)
{
	static const char *const texts[] = {"back", "condition", NULL};

	(void)state;
	assert_string_equal(vocabulary_nearest(texts, "bakc"), "back");
	assert_string_equal(vocabulary_nearest(texts, "conditoin"), "condition");
	assert_string_equal(vocabulary_nearest(texts, "bocke"), "back");
	assert_null(vocabulary_nearest(texts, "kcab"));
	assert_null(vocabulary_nearest(texts, "a word that is longer than any that a table has"));
	assert_null(vocabulary_nearest(texts, ""));
}

static void assert_completed(const char *line, const char *lines)
{
	static const char *const arguments[] = {"0.2=1", "0.2=2", NULL};
	const struct debugger debugger = {.arguments = arguments};
	g_auto(GStrv) completed = vocabulary_complete(table, &debugger, line);
	g_autofree char *joined = g_strjoinv("|", completed);

	assert_string_equal(joined, lines);
}

static void lines_are_completed(void **state)
{
	(void)state;
	assert_completed("", "back|break|choices|choose|continue|info");
	assert_completed("ch", "choices|choose");
	assert_completed("zzz", "");
	assert_completed("info ", "info ranks|info path");
	assert_completed("in p", "info path");
	assert_completed("choose ", "choose 0.2=1|choose 0.2=2");
	assert_completed("choo  0.2", "choo  0.2=1|choo  0.2=2");
	assert_completed("back ", "");
	assert_completed("ch ", "");
	assert_completed("info path ", "");
}

static void assert_help(const char *about, const char *text)
{
	char *problem = NULL;
	g_autofree char *help = vocabulary_help(table, about, &problem);

	assert_null(problem);
	assert_non_null(help);
	assert_non_null(strstr(help, text));
}

static void help_shows_an_example(void **state)
{
	char *problem = NULL;

	(void)state;
	assert_help("", "  info ...                     show information: info ranks, path\n");
	assert_help("", "  back [N]                     to the stop before this one\n");
	assert_help("choose", "Example: choose 0.3=1\n");
	assert_help("c", "  c                            short form\n");
	assert_help("info", "  info ranks                   where every rank is\n");
	assert_help("info path", "Example: info path\n");
	assert_null(vocabulary_help(table, "chose", &problem));
	assert_string_equal(problem, "there is no command chose; did you mean choose?");
	g_free(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unambiguous_prefix_is_enough),
		cmocka_unit_test(a_short_form_wins),
		cmocka_unit_test(words_of_other_debuggers_are_known),
		cmocka_unit_test(ambiguous_commands_are_refused),
		cmocka_unit_test(arguments_are_refused_where_there_are_none),
		cmocka_unit_test(a_misspelt_command_gets_a_suggestion),
		cmocka_unit_test(a_distant_word_gets_no_suggestion),
		cmocka_unit_test(lines_are_completed),
		cmocka_unit_test(help_shows_an_example),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
