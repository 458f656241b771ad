/* The words for what was started: programs with their ranks, and nodes. */
#include <string.h>

#include "words.h"

/* Bytes: of longer lists of ranks, only the first and the last one are named. */
enum { LIST_MOST = 40 };

static char *print_words(const struct program_part *part)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < part->length; i++) {
		g_autofree char *word = words_shell(part->words[i]);

		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", word);
	}
	return g_string_free(text, false);
}

/* "./client (ranks 2-4)"; of many spawns alike "./client (12 ranks, 0.1:0 to 0.12:0)". The parts
 * from `first` to before `end` have the same words. */
static char *print_alike(const GArray *parts, guint first, guint end, const char *words)
{
	const struct program_part *from = &g_array_index(parts, struct program_part, first);
	const struct program_part *to = &g_array_index(parts, struct program_part, end - 1);
	g_autoptr(GArray) all = g_array_new(false, false, sizeof(int32_t));
	g_autofree char *ranks = NULL;

	for (int32_t rank = from->first; rank < to->first + to->ranks; rank++)
		g_array_append_val(all, rank);
	ranks = words_ranks(all);
	if (strlen(ranks) > LIST_MOST) {
		g_free(ranks);
		ranks = g_strdup_printf("%u ranks, %s to %s", all->len, rank_name(from->first),
		                        rank_name(to->first + to->ranks - 1));
	}
	return g_strdup_printf("%s (%s)", words, ranks);
}

/* "./server PORT (ranks 0, 1) and ./client (ranks 2-4)" */
static char *print_programs(const GArray *parts)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	GString *text = g_string_new(NULL);

	for (guint i = 0, end; i < parts->len; i = end) {
		g_autofree char *words = print_words(&g_array_index(parts, struct program_part, i));

		for (end = i + 1; end < parts->len; end++) {
			g_autofree char *others = print_words(
				&g_array_index(parts, struct program_part, end));

			if (!g_str_equal(words, others))
				break;
		}
		g_ptr_array_add(texts, print_alike(parts, i, end, words));
	}
	for (guint i = 0; i < texts->len; i++)
		g_string_append_printf(text, "%s%s",
		                       i == 0                ? ""
		                       : i + 1 == texts->len ? " and "
		                                             : ", ",
		                       (char *)texts->pdata[i]);
	return g_string_free(text, false);
}

char *words_started(const struct record_exploration *exploration)
{
	const struct record_exploration *e = exploration;
	const bool uneven = e->nodes && strchr(e->nodes, '+');
	g_autoptr(GArray) parts = record_programs(e);
	g_autofree char *program = parts ? print_programs(parts) : words_program(e);
	GString *text = g_string_new(program);

	if (!parts)
		g_string_append_printf(text, " on %d rank%s", e->ranks, e->ranks == 1 ? "" : "s");
	if (e->nodes)
		g_string_append_printf(text, " on %d nodes%s%s%s", record_nodes(e),
		                       uneven ? " (" : "", uneven ? e->nodes : "",
		                       uneven ? ")" : "");
	return g_string_free(text, false);
}
