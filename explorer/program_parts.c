#include "program_parts.h"

#include <stdbool.h>

static bool is_end(const char *word)
{
	return !word || g_str_equal(word, ":");
}

/* Parses "-n 3". Returns 0 with *ret_problem set. */
static int parse_ranks(char *const *words, char **ret_problem)
{
	gint64 ranks;

	if (!words[0] || (!g_str_equal(words[0], "-n") && !g_str_equal(words[0], "-np"))
	    || is_end(words[1]))
		*ret_problem = g_strdup("behind ':' the number of ranks is missing; for example: "
		                        "./server : -n 3 ./client");
	else if (!g_ascii_string_to_signed(words[1], 10, 1, G_MAXINT, &ranks, NULL))
		*ret_problem = g_strdup_printf("behind ':', %s cannot be '%s'; use a number of "
		                               "ranks, as -n 3",
		                               words[0], words[1]);
	else if (is_end(words[2]))
		*ret_problem = g_strdup_printf("behind ': %s %s' the program is missing", words[0],
		                               words[1]);
	else
		return (int)ranks;
	return 0;
}

/* Parses "-apart" or "-spawned 0.1" at the beginning of the words of a part, if it is there. */
static bool parse_spawn(struct program_part *part, int ranks_before, char **ret_problem)
{
	g_auto(GStrv) numbers = NULL;
	gint64 root = 0, spawn = 0;

	if (part->words[0] && g_str_equal(part->words[0], "-apart")) {
		part->apart = true;
		part->words++;
		if (is_end(part->words[0]))
			*ret_problem = g_strdup("behind -apart the program is missing");
		return !*ret_problem;
	}
	if (!part->words[0] || !g_str_equal(part->words[0], "-spawned"))
		return true;
	if (!is_end(part->words[1]))
		numbers = g_strsplit(part->words[1], ".", 2);
	if (!numbers || !numbers[0] || !numbers[1]
	    || !g_ascii_string_to_signed(numbers[0], 10, 0, ranks_before - 1, &root, NULL)
	    || !g_ascii_string_to_signed(numbers[1], 10, 1, G_MAXINT, &spawn, NULL)) {
		*ret_problem = g_strdup("behind -spawned, use R.K: they are what rank R spawns "
		                        "with its K-th spawn; R is a rank before them");
		return false;
	}
	part->root = (int)root;
	part->spawn = (int)spawn;
	part->words += 2;
	if (!is_end(part->words[0]))
		return true;
	*ret_problem = g_strdup("behind -spawned R.K the program is missing");
	return false;
}

/* The parts; the number of ranks of the first one is 0. */
static GArray *divide(char *const *program, int first_ranks, char **ret_problem)
{
	g_autoptr(GArray) parts = g_array_new(false, false, sizeof(struct program_part));
	gint64 all = 0;
	bool spawned = false;

	if (program[0] && is_end(program[0])) {
		*ret_problem = g_strdup("there is no program before ':'");
		return NULL;
	}
	for (char *const *at = program; *at;) {
		struct program_part part = {.words = at};

		if (parts->len > 0 && !(part.ranks = parse_ranks(at + 1, ret_problem)))
			return NULL;
		part.words += parts->len > 0 ? 3 : 0;
		if (parts->len > 0
		    && !parse_spawn(&part, (int)MIN(first_ranks + all, G_MAXINT), ret_problem))
			return NULL;
		if (spawned && part.spawn == 0) {
			*ret_problem = g_strdup("programs with -spawned come last");
			return NULL;
		}
		spawned = part.spawn > 0;
		all += part.ranks;
		while (!is_end(part.words[part.length]))
			part.length++;
		g_array_append_val(parts, part);
		at = part.words + part.length;
	}
	if (all < G_MAXINT)
		return g_steal_pointer(&parts);
	*ret_problem = g_strdup("too many ranks");
	return NULL;
}

/* Of parts that `divide` returned. */
static int ranks_behind(const GArray *parts)
{
	int ranks = 0;

	for (guint i = 1; i < parts->len; i++)
		ranks += g_array_index(parts, struct program_part, i).ranks;
	return ranks;
}

int program_parts_behind(char *const *program, char **ret_problem)
{
	g_autoptr(GArray) parts = divide(program, G_MAXINT, ret_problem);

	return parts ? ranks_behind(parts) : -1;
}

GArray *program_parts(char *const *program, int ranks, char **ret_problem)
{
	GArray *parts;
	int behind = program_parts_behind(program, ret_problem), first = 0;

	if (behind < 0)
		return NULL;
	parts = divide(program, MAX(ranks - behind, 1), ret_problem);
	if (!parts)
		return NULL;
	if (behind >= ranks) {
		*ret_problem = g_strdup_printf("%d rank%s not enough: the programs behind ':' "
		                               "have %d, and the first one has the rest",
		                               ranks, ranks == 1 ? " is" : "s are", behind);
		g_array_unref(parts);
		return NULL;
	}
	for (guint i = 0; i < parts->len; i++) {
		struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (i == 0)
			part->ranks = ranks - behind;
		part->first = first;
		first += part->ranks;
	}
	return parts;
}

int program_parts_at_once(char *const *program, int ranks)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(program, ranks, &problem);

	for (guint i = 0; parts && i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (part->spawn > 0)
			return part->first;
	}
	return ranks;
}

int program_parts_first_world(char *const *program, int ranks)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(program, ranks, &problem);

	for (guint i = 1; parts && i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (part->apart || part->spawn > 0)
			return part->first;
	}
	return ranks;
}

bool program_parts_divide(char *const *program, int ranks)
{
	return program_parts_first_world(program, ranks) < ranks;
}

char **program_parts_separate(char *const *program)
{
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();

	for (char *const *word = program; *word; word++) {
		g_strv_builder_add(words, *word);
		if (!g_str_equal(*word, ":"))
			continue;
		g_strv_builder_add_many(words, word[1], word[2], NULL);
		word += 2;
		if (!g_str_equal(word[1], "-apart") && !g_str_equal(word[1], "-spawned"))
			g_strv_builder_add(words, "-apart");
	}
	return g_strv_builder_end(words);
}

char *program_parts_prelaunched(char *const *program, int ranks)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(program, ranks, &problem);
	const int at_once = program_parts_at_once(program, ranks);
	GString *text = g_string_new(NULL);
	int world = 0; /* its first rank */

	for (guint i = 0; parts && i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (!part->apart)
			continue;
		g_string_append_printf(text, "%d+", part->first - world);
		world = part->first;
	}
	g_string_append_printf(text, "%d", at_once - world);
	for (guint i = 0; parts && i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (part->spawn == 0)
			continue;
		g_string_append_printf(text, ";%d,%d.%d,", part->ranks, part->root, part->spawn);
		g_string_append_uri_escaped(text, part->words[0], "/", false);
	}
	return g_string_free(text, false);
}

char **program_parts_add(char *const *program, int ranks, int root, int spawn, const char *command)
{
	g_autofree char *number = g_strdup_printf("%d", ranks);
	g_autofree char *name = g_strdup_printf("%d.%d", root, spawn);
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();

	for (char *const *word = program; *word; word++)
		g_strv_builder_add(words, *word);
	g_strv_builder_add_many(words, ":", "-n", number, "-spawned", name, command, NULL);
	return g_strv_builder_end(words);
}

GPtrArray *program_parts_names(char *const *program)
{
	GPtrArray *names = g_ptr_array_new();
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = divide(program, G_MAXINT, &problem);

	for (guint i = 0; parts && i < parts->len; i++) {
		char *name = g_array_index(parts, struct program_part, i).words[0];

		if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			g_ptr_array_add(names, name);
	}
	return names;
}
