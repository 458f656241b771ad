#include "rank_name.h"

#include <string.h>

#include "program_parts.h"

/* What is known of a rank; texts are those of intern(). */
struct named {
	const char *world;
	const char *name;
	int number; /* in its world */
};

struct rank_names {
	const char *worlds;
	GArray *ranks; /* struct named */
};

static const struct rank_names *current;

/* Each text once, so that texts are the same if their addresses are. Not in GLib's own table
 * (g_intern_string): it loses memory whenever it grows, which leak checkers report. */
static const char *intern(char *text)
{
	static GMutex mutex;
	static GStringChunk *texts;
	const char *interned;

	g_mutex_lock(&mutex);
	if (!texts)
		texts = g_string_chunk_new(4096);
	interned = g_string_chunk_insert_const(texts, text);
	g_mutex_unlock(&mutex);
	g_free(text);
	return interned;
}

static const struct named *of_rank(const struct rank_names *names, int rank)
{
	return names && rank >= 0 && rank < (int)names->ranks->len
	               ? &g_array_index(names->ranks, struct named, rank)
	               : NULL;
}

/* --- the worlds as text ----------------------------------------------------------------------- */

/* So many more ranks of this world; `first`: of the world that has numbers as names. */
static void add(GArray *ranks, const char *world, bool first, int count)
{
	struct named named = {.world = world};

	for (guint i = 0; i < ranks->len; i++)
		named.number += g_array_index(ranks, struct named, i).world == world;
	for (; count > 0; count--, named.number++) {
		named.name = intern(first ? g_strdup_printf("%d", named.number)
		                          : g_strdup_printf("%s:%d", world, named.number));
		g_array_append_val(ranks, named);
	}
}

/* Parses a number without leading zeros, from `least` to `most`. */
static bool read_number(const char **at, gint64 least, gint64 most, int *ret)
{
	gint64 number = 0;
	const char *end = *at;

	for (; g_ascii_isdigit(*end) && number <= G_MAXINT; end++)
		number = number * 10 + (*end - '0');
	if (end == *at || (**at == '0' && end > *at + 1) || number < least || number > most)
		return false;
	*at = end;
	*ret = (int)number;
	return true;
}

/* Parses "3" or "3by0.1". */
static bool read_world(const char **at, const struct rank_names *names, int ranks, int *apart)
{
	GArray *all = names->ranks;
	int count, root, spawn;
	const char *world;

	if (!read_number(at, 1, ranks - (int)all->len, &count))
		return false;
	if (!g_str_has_prefix(*at, "by")) {
		world = intern(g_strdup_printf("%d", *apart));
		add(all, world, *apart == 0, count);
		++*apart;
		return true;
	}
	*at += strlen("by");
	if (!read_number(at, 0, (gint64)all->len - 1, &root) || *(*at)++ != '.'
	    || !read_number(at, 1, G_MAXINT, &spawn))
		return false;
	add(all, intern(g_strdup_printf("%s.%d", rank_name_in(names, root), spawn)), false, count);
	return true;
}

static void names_free(gpointer data)
{
	struct rank_names *names = data;

	g_array_unref(names->ranks);
	g_free(names);
}

const struct rank_names *rank_names_of(const char *worlds, int ranks, char **ret_problem)
{
	static GHashTable *known; /* by text */
	struct rank_names *names;
	const char *at = worlds;
	int apart = 0;
	bool fine;

	if (!known)
		known = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, names_free);
	names = g_hash_table_lookup(known, worlds);
	if (names && (int)names->ranks->len == ranks)
		return names;
	names = g_new0(struct rank_names, 1);
	names->worlds = intern(g_strdup(worlds));
	names->ranks = g_array_new(false, true, sizeof(struct named));
	do
		fine = read_world(&at, names, ranks, &apart);
	while (fine && *at == '+' && at++);
	if (fine && *at == '\0' && (int)names->ranks->len == ranks) {
		g_hash_table_insert(known, (gpointer)names->worlds, names);
		return names;
	}
	names_free(names);
	*ret_problem = g_strdup_printf("the worlds of %d ranks expected, as 1+2 or 1+2by0.1",
	                               ranks);
	return NULL;
}

const char *rank_names_worlds(const struct rank_names *names)
{
	return names ? names->worlds : NULL;
}

bool rank_names_fit(const struct rank_names *names, int ranks)
{
	return !names || (int)names->ranks->len == ranks;
}

void rank_names_set(char *const *program, int ranks)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(program, ranks, &problem);
	g_autoptr(GString) text = g_string_new(NULL);
	int more = 0; /* ranks of a world that are not in the text yet */

	current = NULL;
	if (!parts || !program_parts_divide(program, ranks))
		return;
	for (guint i = 0; i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);
		const struct program_part *next = i + 1 < parts->len ? part + 1 : NULL;

		more += part->ranks;
		if (next && next->spawn == 0 && !next->apart)
			continue;
		g_string_append_printf(text, "%s%d", text->len > 0 ? "+" : "", more);
		if (part->spawn > 0)
			g_string_append_printf(text, "by%d.%d", part->root, part->spawn);
		more = 0;
	}
	current = rank_names_of(text->str, ranks, &problem);
}

const struct rank_names *rank_names_current(void)
{
	return current;
}

bool rank_names_divide(void)
{
	return current != NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

const char *rank_name_in(const struct rank_names *names, int rank)
{
	const struct named *named = of_rank(names, rank);

	return named ? named->name : intern(g_strdup_printf("%d", rank));
}

const char *rank_name(int rank)
{
	return rank_name_in(current, rank);
}

const char *rank_world(int rank)
{
	const struct named *named = of_rank(current, rank);

	return named ? named->world : "0";
}

int rank_names_row_end(int rank, int most)
{
	while (rank < most) {
		const struct named *this = of_rank(current, rank);
		const struct named *next = of_rank(current, rank + 1);

		if (this && next
		    && (this->world != next->world || this->number + 1 != next->number))
			break;
		rank++;
	}
	return rank;
}

const char *rank_names_row(int first, int last)
{
	const struct named *named = of_rank(current, last);

	if (first == last)
		return rank_name(first);
	return intern(g_strdup_printf("%s-%d", rank_name(first), named ? named->number : last));
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Skips ":R", or ".K:R", behind a name. */
static bool skip_more(const char **at)
{
	const char *end = *at;

	if (*end == '.') {
		end++;
		if (!g_ascii_isdigit(*end))
			return false;
		while (g_ascii_isdigit(*end))
			end++;
	}
	if (*end++ != ':' || !g_ascii_isdigit(*end))
		return false;
	while (g_ascii_isdigit(*end))
		end++;
	*at = end;
	return true;
}

/* The rank with a name of this length. */
static int find(const struct rank_names *names, const char *text, size_t length)
{
	for (guint i = 0; i < names->ranks->len; i++) {
		const char *name = g_array_index(names->ranks, struct named, i).name;

		if (strlen(name) == length && strncmp(name, text, length) == 0)
			return (int)i;
	}
	return -1;
}

int rank_named_in(const struct rank_names *names, const char *text, const char **ret_end)
{
	const char *at = text, *behind;
	gint64 number = 0;
	int rank = -1;

	if (!g_ascii_isdigit(*at))
		return -1;
	for (; g_ascii_isdigit(*at); at++)
		number = MIN(number * 10 + (*at - '0'), G_MAXINT);
	*ret_end = behind = at;
	while (names && skip_more(&at)) { /* the longest name that there is */
		const int longer = find(names, text, (size_t)(at - text));

		if (longer < 0)
			continue;
		rank = longer;
		*ret_end = at;
	}
	return rank >= 0 || (*text == '0' && behind > text + 1) ? rank : (int)number;
}

int rank_named(const char *text, const char **ret_end)
{
	return rank_named_in(current, text, ret_end);
}

int rank_of_name(const char *text)
{
	g_autofree char *word = g_strstrip(g_strdup(text));
	const char *end;
	const int rank = rank_named(word, &end);

	return rank >= 0 && *end == '\0' ? rank : -1;
}

bool rank_names_read(const char *text, int ranks, int *ret_first, int *ret_last)
{
	const char *end;
	const int first = rank_named(text, &end);
	const struct named *named = of_rank(current, first);
	gint64 number;

	if (first < 0 || first >= ranks || (*end != '\0' && *end != '-'))
		return false;
	*ret_first = *ret_last = first;
	if (*end == '\0')
		return true;
	end++;
	if (named && g_ascii_isdigit(*end)
	    && g_ascii_string_to_signed(end, 10, 0, G_MAXINT, &number, NULL))
		*ret_last = (int)MIN(first + number - named->number, G_MAXINT);
	else
		*ret_last = rank_of_name(end);
	return *ret_last >= first && *ret_last < ranks
	       && (!named || rank_names_row_end(first, *ret_last) == *ret_last);
}

char *rank_names_all(int ranks)
{
	GString *text = g_string_new("ranks are ");

	for (int first = 0, last; first < ranks; first = last + 1) {
		last = rank_names_row_end(first, ranks - 1);
		g_string_append_printf(text, "%s%s", first > 0 ? ", " : "", rank_name(first));
		if (last > first || !current)
			g_string_append_printf(text, " to %s", rank_name(last));
	}
	return g_string_free(text, false);
}
