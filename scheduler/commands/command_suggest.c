#include "command_suggest.h"

#include <stdbool.h>
#include <string.h>

#include "scheduler/debug/vocabulary.h"

static bool is_option(const char *word)
{
	return g_str_has_prefix(word, "--") && word[2];
}

char *command_suggest(const char *word, const char *text)
{
	g_auto(GStrv) candidates = g_strsplit_set(text, " \t\n,;:=[]()", -1);
	guint least = (guint)strlen(word) / 4 + 1; /* with more changes it is another word */
	const char *nearest = NULL;

	for (guint i = 0; candidates[i]; i++) {
		const char *candidate = candidates[i];
		guint changes;

		if (!*candidate || is_option(candidate) != is_option(word))
			continue;
		changes = vocabulary_distance(word, candidate);
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
