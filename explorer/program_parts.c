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

/* The parts; the number of ranks of the first one is 0. */
static GArray *divide(char *const *program, char **ret_problem)
{
	g_autoptr(GArray) parts = g_array_new(false, false, sizeof(struct program_part));
	gint64 all = 0;

	if (program[0] && is_end(program[0])) {
		*ret_problem = g_strdup("there is no program before ':'");
		return NULL;
	}
	for (char *const *at = program; *at;) {
		struct program_part part = {.words = at};

		if (parts->len > 0 && !(part.ranks = parse_ranks(at + 1, ret_problem)))
			return NULL;
		part.words += parts->len > 0 ? 3 : 0;
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
	g_autoptr(GArray) parts = divide(program, ret_problem);

	return parts ? ranks_behind(parts) : -1;
}

GArray *program_parts(char *const *program, int ranks, char **ret_problem)
{
	GArray *parts = divide(program, ret_problem);
	int behind, first = 0;

	if (!parts)
		return NULL;
	behind = ranks_behind(parts);
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

GPtrArray *program_parts_names(char *const *program)
{
	GPtrArray *names = g_ptr_array_new();
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = divide(program, &problem);

	for (guint i = 0; parts && i < parts->len; i++) {
		char *name = g_array_index(parts, struct program_part, i).words[0];

		if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			g_ptr_array_add(names, name);
	}
	return names;
}
