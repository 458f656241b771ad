#include "command_suggest.h"

#include <stdbool.h>
#include <string.h>

#define WORD_MAX 40 /* letters: longer words are nobody's mistake */

/* How many letters must be put in, left out, made others or swapped with the next one to make one
 * word of the other (optimal string alignment). */
static guint distance(const char *one, const char *other)
{
	guint rows[WORD_MAX + 1][WORD_MAX + 1];
	gsize lines = strlen(one), columns = strlen(other);

	for (gsize i = 0; i <= lines; i++)
		rows[i][0] = (guint)i;
	for (gsize j = 0; j <= columns; j++)
		rows[0][j] = (guint)j;
	for (gsize i = 1; i <= lines; i++) {
		for (gsize j = 1; j <= columns; j++) {
			guint changed = one[i - 1] == other[j - 1] ? 0 : 1;
			guint least = MIN(rows[i - 1][j], rows[i][j - 1]) + 1;

			least = MIN(least, rows[i - 1][j - 1] + changed);
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2]
			    && one[i - 2] == other[j - 1])
				least = MIN(least, rows[i - 2][j - 2] + 1);
			rows[i][j] = least;
		}
	}
	return rows[lines][columns];
}

static bool is_option(const char *word)
{
	return g_str_has_prefix(word, "--") && word[2];
}

char *command_suggest(const char *word, const char *text)
{
	g_auto(GStrv) candidates = g_strsplit_set(text, " \t\n,;:=[]()", -1);
	guint least = (guint)strlen(word) / 4 + 1; /* more is another word */
	const char *nearest = NULL;

	for (guint i = 0; strlen(word) <= WORD_MAX && candidates[i]; i++) {
		const char *candidate = candidates[i];
		guint changes;

		if (!*candidate || strlen(candidate) > WORD_MAX
		    || is_option(candidate) != is_option(word))
			continue;
		changes = distance(word, candidate);
		if (changes > least || (nearest && changes == least))
			continue;
		nearest = candidate;
		least = changes;
	}
	return nearest ? g_strdup_printf("; did you mean %s?", nearest) : g_strdup("");
}

char *command_suggest_option(const GError *error, GOptionContext *context)
{
	const char *word = strrchr(error->message, ' ');
	g_autofree char *help = NULL;

	if (!g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || !word
	    || !is_option(word + 1))
		return g_strdup("");
	help = g_option_context_get_help(context, false, NULL);
	return command_suggest(word + 1, help);
}
