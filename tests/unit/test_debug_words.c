/* The table of the prompt's commands. room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/debug/debug_words.h"

static void check_word(const struct vocabulary_word *word, const char *before)
{
	g_autofree char *line = g_strconcat(before, word->name, NULL);

	assert_true((word->run != NULL) != (word->below != NULL));
	assert_true(word->help && *word->help);
	assert_non_null(word->arguments);
	/* Words of other debuggers are not listed, and come last. */
	if (word->is_habit) {
		assert_true(!word[1].name || word[1].is_habit);
		assert_null(word->example);
		assert_null(word->shorter);
	}
	if (word->below || word->is_habit)
		return;
	assert_true(g_str_has_prefix(word->example, line));
	if (*word->arguments == '\0') {
		assert_string_equal(word->example, line);
		assert_null(word->complete);
	}
}

static guint count_named(const struct vocabulary_word *words, const char *name)
{
	guint count = 0;

	for (; words->name; words++)
		count += strcmp(words->name, name) == 0 || g_strcmp0(words->shorter, name) == 0;
	return count;
}

static guint check_table(const struct vocabulary_word *words, const char *before)
{
	guint count = 0;

	for (const struct vocabulary_word *word = words; word->name; word++) {
		g_autofree char *line = g_strdup_printf("%s ", word->name);

		check_word(word, before);
		assert_int_equal(count_named(words, word->name), 1);
		if (word->shorter)
			assert_int_equal(count_named(words, word->shorter), 1);
		count += word->below ? check_table(word->below, line) : 1;
	}
	return count;
}

static void each_row_is_complete(void **state)
{
	(void)state;
	assert_true(check_table(debug_vocabulary, "") > 40);
}

static void help_shows_each_row(void **state)
{
	(void)state;
	for (const struct vocabulary_word *word = debug_vocabulary; word->name; word++) {
		g_autofree char *help = vocabulary_help(debug_vocabulary, word->name, NULL);

		assert_non_null(help);
		for (const struct vocabulary_word *below = word->below; below && below->name;
		     below++)
			assert_true(below->is_habit == !strstr(help, below->help));
		if (!word->below && !word->is_habit)
			assert_non_null(strstr(help, word->example));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_complete),
		cmocka_unit_test(help_shows_each_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
