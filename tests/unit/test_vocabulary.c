/* room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "scheduler/debug/vocabulary.h"

static const struct vocabulary_word things[] = {
	{"ranks", NULL, "", "where every rank is", "info ranks", NULL, 10},
	{"path", NULL, "", "the path to here", "info path", NULL, 11},
	{0},
};

static const struct vocabulary_word table[] = {
	{"back", "b", "[N]", "to the stop before this one", "back 2", NULL, 1},
	{"break", NULL, "FUNCTION", "stops at calls", "break MPI_*recv", NULL, 2},
	{"choices", NULL, "", "what can be chosen", "choices", NULL, 3},
	{"choose", NULL, "POINT=TAKEN", "decides", "choose 0.3=1", NULL, 4},
	{"continue", "c", "", "goes on", "continue", NULL, 5},
	{"info", NULL, "", "tells what is known", NULL, things, 6},
	{0},
};

static const struct vocabulary_word *find(const char *line, const char **rest, char **problem)
{
	*rest = NULL;
	*problem = NULL;
	return vocabulary_find(table, line, rest, problem);
}

static void assert_found(const char *line, int id, const char *arguments)
{
	const char *rest;
	char *problem;
	const struct vocabulary_word *word = find(line, &rest, &problem);

	assert_non_null(word);
	assert_null(problem);
	assert_int_equal(word->id, id);
	assert_string_equal(rest, arguments);
}

static void assert_refused(const char *line, const char *why)
{
	const char *rest;
	char *problem;

	assert_null(find(line, &rest, &problem));
	assert_string_equal(problem, why);
	g_free(problem);
}

static void as_much_as_tells_them_apart_is_enough(void **state)
{
	(void)state;
	assert_found("continue", 5, "");
	assert_found("  cont ", 5, "");
	assert_found("bac 2  ", 1, "2  ");
	assert_found("choose\t0.3=1", 4, "0.3=1");
	assert_found("info ranks", 10, "");
	assert_found("i p all", 11, "all");
}

static void a_short_form_wins(void **state)
{
	(void)state;
	assert_found("c", 5, "");
	assert_found("b", 1, "");
}

static void ambiguous_words_are_refused(void **state)
{
	(void)state;
	assert_refused("ch", "ch could be choices or choose: type more of it");
	assert_refused("cho 0.3=1", "cho could be choices or choose: type more of it");
}

static void what_is_misspelt_is_suggested(void **state)
{
	(void)state;
	assert_refused("chose 0.3=1", "there is no word chose; did you mean choose?");
	assert_refused("chuose", "there is no word chuose; did you mean choose?");
	assert_refused("bcak", "there is no word bcak; did you mean back?");
	assert_refused("info rnaks", "there is no word info rnaks; did you mean info ranks?");
	assert_refused("path", "there is no word path; did you mean info path?");
	assert_refused("zzz", "there is no word zzz; help tells those there are");
	assert_refused("info zzz", "there is no word info zzz; info goes with ranks or path");
	assert_refused("info", "info what? It goes with ranks or path");
}

static void what_is_far_is_not_suggested(void **state)
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
	g_auto(GStrv) completed = vocabulary_complete(table, line);
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
	assert_completed("choose ", "");
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

static void help_has_an_example_for_each_word(void **state)
{
	char *problem = NULL;

	(void)state;
	assert_help("", "  info ...                     tells what is known\n");
	assert_help("", "  back [N]                     to the stop before this one\n");
	assert_help("choose", "Example: choose 0.3=1\n");
	assert_help("c", "  c                            the same\n");
	assert_help("info", "  info ranks                   where every rank is\n");
	assert_help("info path", "Example: info path\n");
	assert_null(vocabulary_help(table, "chose", &problem));
	assert_string_equal(problem, "there is no word chose; did you mean choose?");
	g_free(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_much_as_tells_them_apart_is_enough),
		cmocka_unit_test(a_short_form_wins),
		cmocka_unit_test(ambiguous_words_are_refused),
		cmocka_unit_test(what_is_misspelt_is_suggested),
		cmocka_unit_test(what_is_far_is_not_suggested),
		cmocka_unit_test(lines_are_completed),
		cmocka_unit_test(help_has_an_example_for_each_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
