#include "vocabulary.h"

#include <string.h>

static guint count_of(const struct vocabulary_word *words)
{
	guint count = 0;

	while (vocabulary_is_listed(&words[count]))
		count++;
	return count;
}

static const char *skip_blanks(const char *text)
{
	while (g_ascii_isspace(*text))
		text++;
	return text;
}

/* Takes the first word of a text; *text then points after it and the blanks that follow. Free with
 * g_free. */
static char *next_word(const char **text)
{
	const char *first = skip_blanks(*text);
	const char *end = first;

	while (*end && !g_ascii_isspace(*end))
		end++;
	*text = skip_blanks(end);
	return g_strndup(first, (gsize)(end - first));
}

/* --- misspelling ------------------------------------------------------------------------------ */

#define LETTERS_MOST 40u /* no command is longer */

guint vocabulary_distance(const char *one, const char *other)
{
	gsize lengths[] = {strlen(one), strlen(other)};
	guint table[LETTERS_MOST + 1][LETTERS_MOST + 1];

	if (lengths[0] > LETTERS_MOST || lengths[1] > LETTERS_MOST)
		return G_MAXUINT;
	for (guint i = 0; i <= lengths[0]; i++) {
		for (guint j = 0; j <= lengths[1]; j++) {
			guint least = i + j;

			if (i > 0 && j > 0) {
				least = table[i - 1][j - 1] + (one[i - 1] != other[j - 1]);
				least = MIN(least, MIN(table[i - 1][j], table[i][j - 1]) + 1);
			}
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2]
			    && one[i - 2] == other[j - 1])
				least = MIN(least, table[i - 2][j - 2] + 1);
			table[i][j] = least;
		}
	}
	return table[lengths[0]][lengths[1]];
}

const char *vocabulary_nearest(const char *const *texts, const char *text)
{
	guint least = MAX(1, (guint)(strlen(text) + 1) / 3) + 1;
	const char *nearest = NULL;

	for (; *texts; texts++) {
		guint far = vocabulary_distance(*texts, text);

		if (far < least) {
			least = far;
			nearest = *texts;
		}
	}
	return nearest;
}

/* --- lookup ----------------------------------------------------------------------------------- */

/* "choices, choose or continue": those with the prefix `typed`. Free with g_free. */
static char *all_that_begin(const struct vocabulary_word *words, const char *typed, guint count)
{
	GString *text = g_string_new(NULL);

	for (; vocabulary_is_listed(words); words++) {
		if (!g_str_has_prefix(words->name, typed))
			continue;
		count--;
		g_string_append_printf(text, "%s%s", words->name,
		                       count == 0 ? "" : (count == 1 ? " or " : ", "));
	}
	return g_string_free(text, false);
}

static char *unknown(const struct vocabulary_word *words, const char *before, const char *typed)
{
	g_autofree const char **names = g_new0(const char *, count_of(words) + 1);
	g_autofree char *all = all_that_begin(words, "", count_of(words));
	const char *near;

	for (guint i = 0; i < count_of(words); i++)
		names[i] = words[i].name;
	for (guint i = 0; words[i].name; i++)
		for (const struct vocabulary_word *word = words[i].below; word && word->name;
		     word++)
			if (strcmp(word->name, typed) == 0)
				return g_strdup_printf(
					"there is no command %s; did you mean %s %s?", typed,
					words[i].name, typed);
	near = vocabulary_nearest(names, typed);
	if (near)
		return g_strdup_printf("there is no command %s%s; did you mean %s%s?", before,
		                       typed, before, near);
	if (*before)
		return g_strdup_printf("there is no command %s%s; use %sand one of %s", before,
		                       typed, before, all);
	return g_strdup_printf("there is no command %s; help lists them", typed);
}

/* Looks in one table. `before` are the words before it ("info "). */
static const struct vocabulary_word *find(const struct vocabulary_word *words, const char *before,
                                          const char *typed, char **ret_problem)
{
	const struct vocabulary_word *found = NULL;
	guint count = 0;

	for (const struct vocabulary_word *word = words; word->name; word++) {
		if (strcmp(word->name, typed) == 0 || g_strcmp0(word->shorter, typed) == 0)
			return word;
		if (word->is_habit || !g_str_has_prefix(word->name, typed))
			continue;
		found = word;
		count++;
	}
	if (count == 1)
		return found;
	if (count == 0) {
		*ret_problem = unknown(words, before, typed);
	} else {
		g_autofree char *all = all_that_begin(words, typed, count);

		*ret_problem = *typed ? g_strdup_printf("%s%s is ambiguous: %s", before, typed, all)
		                      : g_strdup_printf("%sneeds one of %s", before, all);
	}
	return NULL;
}

/* Finds the command at the beginning of a line; *ret_rest is set to its arguments. NULL: there is
 * none, and *ret_problem explains it. */
static const struct vocabulary_word *find_in_line(const struct vocabulary_word *words,
                                                  const char *line, const char **ret_rest,
                                                  char **ret_problem)
{
	g_autofree char *typed = next_word(&line);
	const struct vocabulary_word *word = find(words, "", typed, ret_problem);

	if (word && word->below) {
		g_autofree char *before = g_strdup_printf("%s ", word->name);
		g_autofree char *second = next_word(&line);

		word = find(word->below, before, second, ret_problem);
	}
	if (word)
		*ret_rest = line;
	return word;
}

char *vocabulary_obey(const struct vocabulary_word *words, struct debugger *debugger,
                      const char *line)
{
	char *problem = NULL;
	const char *rest;
	const struct vocabulary_word *word = find_in_line(words, line, &rest, &problem);

	if (!word)
		return problem;
	if (*rest && !*word->arguments)
		return g_strdup_printf("%s takes no arguments; see help %s", word->name,
		                       word->name);
	word->run(debugger, rest);
	return NULL;
}

/* --- completion ------------------------------------------------------------------------------- */

static void add_those(GStrvBuilder *lines, const struct vocabulary_word *words, const char *before,
                      const char *typed)
{
	for (; vocabulary_is_listed(words); words++) {
		g_autofree char *line = g_strconcat(before, words->name, NULL);

		if (g_str_has_prefix(words->name, typed))
			g_strv_builder_add(lines, line);
	}
}

/* Completes a command. */
static char **complete_words(const struct vocabulary_word *words, const char *line)
{
	g_autoptr(GStrvBuilder) lines = g_strv_builder_new();
	const char *rest = line;
	g_autofree char *typed = next_word(&rest);
	g_autofree char *problem = NULL;
	const struct vocabulary_word *word;

	if (*rest == '\0' && (*line == '\0' || !g_ascii_isspace(line[strlen(line) - 1]))) {
		add_those(lines, words, "", typed);
		return g_strv_builder_end(lines);
	}
	word = find(words, "", typed, &problem);
	if (word && word->below && !strpbrk(rest, " \t")) {
		g_autofree char *before = g_strdup_printf("%s ", word->name);

		add_those(lines, word->below, before, rest);
	}
	return g_strv_builder_end(lines);
}

char **vocabulary_complete(const struct vocabulary_word *words, const struct debugger *debugger,
                           const char *line)
{
	char **completed = complete_words(words, line);
	g_autoptr(GStrvBuilder) lines = g_strv_builder_new();
	g_autofree char *problem = NULL, *before = NULL;
	const struct vocabulary_word *word;
	const char *rest;

	if (completed[0])
		return completed;
	word = find_in_line(words, line, &rest, &problem);
	if (!word || !word->complete)
		return completed;
	g_strfreev(completed);
	before = g_strndup(line, (gsize)(rest - line));
	word->complete(debugger, lines, before);
	return g_strv_builder_end(lines);
}

/* --- help ------------------------------------------------------------------------------------- */

static void append_line(GString *text, const char *before, const struct vocabulary_word *word)
{
	g_autofree char *form = g_strdup_printf("%s%s %s", before, word->name,
	                                        word->below ? "..." : word->arguments);

	g_string_append_printf(text, "  %-28s %s", g_strchomp(form), word->help);
	for (const struct vocabulary_word *one = word->below; one && one->name && !one->is_habit;
	     one++)
		g_string_append_printf(text, "%s%s", one == word->below ? " " : ", ", one->name);
	g_string_append_c(text, '\n');
}

static void append_lines(GString *text, const char *before, const struct vocabulary_word *words)
{
	for (; vocabulary_is_listed(words); words++)
		append_line(text, before, words);
}

static char *explain(const struct vocabulary_word *word, const char *before)
{
	GString *text = g_string_new(NULL);

	append_line(text, before, word);
	if (word->shorter)
		g_string_append_printf(text, "  %-28s short form\n", word->shorter);
	if (word->example)
		g_string_append_printf(text, "Example: %s\n", word->example);
	return g_string_free(text, false);
}

char *vocabulary_help(const struct vocabulary_word *words, const char *about, char **ret_problem)
{
	const char *rest = about;
	g_autofree char *typed = next_word(&rest), *second = NULL, *before = NULL;
	const struct vocabulary_word *word;
	GString *text;

	if (*typed == '\0') {
		text = g_string_new(NULL);
		append_lines(text, "", words);
		return g_string_free(text, false);
	}
	word = find(words, "", typed, ret_problem);
	if (!word || !word->below)
		return word ? explain(word, "") : NULL;
	before = g_strdup_printf("%s ", word->name);
	second = next_word(&rest);
	if (*second) {
		word = find(word->below, before, second, ret_problem);
		return word ? explain(word, before) : NULL;
	}
	text = g_string_new(NULL);
	append_lines(text, before, word->below);
	return g_string_free(text, false);
}
