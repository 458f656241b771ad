#include "path.h"

#include <string.h>

#include "nodes.h"
#include "rank_name.h"

G_DEFINE_QUARK(matchpoint_path_error, path_error)

static const char *const buffering_names[] = {
	[BUFFERING_ZERO] = "zero",
	[BUFFERING_INFINITE] = "infinite",
	[BUFFERING_PER_SEND] = "per-send",
};

static const char *const collectives_words[] = {
	[COLLECTIVES_ASYNC] = "async",
	[COLLECTIVES_SYNC] = "sync",
	[COLLECTIVES_PER_CALL] = "per-call",
	[COLLECTIVES_BOTH] = "both",
};

enum collective_mode collective_mode_under(enum collective_mode asked, enum buffering buffering)
{
	if (asked != COLLECTIVES_BOTH)
		return asked;
	return buffering == BUFFERING_ZERO ? COLLECTIVES_SYNC : COLLECTIVES_ASYNC;
}

const char *collective_mode_word(enum collective_mode collectives)
{
	return collectives_words[collectives];
}

bool collective_mode_from_word(const char *word, enum collective_mode *ret)
{
	for (guint i = COLLECTIVES_ASYNC; i <= COLLECTIVES_BOTH; i++) {
		if (g_strcmp0(word, collectives_words[i]) != 0)
			continue;
		*ret = (enum collective_mode)i;
		return true;
	}
	return false;
}

/* State of the parser; `at` advances over `text`. */
struct cursor {
	const char *text;
	const char *at;
};

struct path *path_new(int ranks, const char *nodes, enum buffering buffering,
                      enum collective_mode collectives)
{
	struct path *path = g_new0(struct path, 1);

	path->ranks = ranks;
	path->nodes = nodes;
	path->names = rank_names_current();
	path->buffering = buffering;
	path->collectives = collectives;
	path->choices = g_array_new(false, false, sizeof(struct choice));
	return path;
}

struct path *path_of_choices(int ranks, const char *nodes, enum buffering buffering,
                             enum collective_mode collectives, const GArray *choices)
{
	struct path *path = path_new(ranks, nodes, buffering, collectives);

	g_array_append_vals(path->choices, choices->data, choices->len);
	return path;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	g_array_free(path->choices, true);
	g_free(path);
}

enum buffering path_usual_buffering(const GArray *choices)
{
	return choices->len > 0 ? BUFFERING_ZERO : BUFFERING_INFINITE;
}

char *path_print(const struct path *path)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "mp1:n%d:", path->ranks);
	if (path->nodes)
		g_string_append_printf(text, "nodes%s:", path->nodes);
	if (path->names)
		g_string_append_printf(text, "worlds%s:", rank_names_worlds(path->names));
	if (path->buffering != BUFFERING_ANY)
		g_string_append_printf(text, "%s:", buffering_names[path->buffering]);
	if (path->collectives != COLLECTIVES_ANY)
		g_string_append_printf(text, "%s:", collectives_words[path->collectives]);
	for (guint i = 0; i < path->choices->len; i++) {
		const struct choice *choice = &g_array_index(path->choices, struct choice, i);

		if (i > 0)
			g_string_append_c(text, ',');
		choice_append_in(text, path->names, choice);
	}
	return g_string_free(text, false);
}

bool path_fail(const char *text, const char *at, const char *what, GError **error)
{
	g_set_error(error, PATH_ERROR, PATH_ERROR_SYNTAX, "not a path: column %d: %s",
	            (int)(at - text) + 1, what);
	return false;
}

static bool fail(const struct cursor *cursor, GError **error, const char *what)
{
	return path_fail(cursor->text, cursor->at, what, error);
}

static bool accept(struct cursor *cursor, const char *word)
{
	if (!g_str_has_prefix(cursor->at, word))
		return false;
	cursor->at += strlen(word);
	return true;
}

static bool parse_ranks(struct cursor *cursor, int *ret_ranks, GError **error)
{
	guint64 ranks;
	g_autofree char *wrong = choice_parse_number(&cursor->at, 1, G_MAXINT32,
	                                             "the number of ranks", &ranks);

	if (wrong)
		return fail(cursor, error, wrong);
	*ret_ranks = (int)ranks;
	return true;
}

/* "nodes2:", if it is there. */
static bool parse_nodes(struct cursor *cursor, int ranks, const char **ret_nodes, GError **error)
{
	g_autofree char *text = NULL, *wrong = NULL;

	if (!accept(cursor, "nodes"))
		return true;
	text = g_strndup(cursor->at, strcspn(cursor->at, ":"));
	*ret_nodes = nodes_parse(text, ranks, &wrong);
	if (!wrong && !*ret_nodes)
		wrong = g_strdup("one node is not written in a path");
	else if (!wrong && !g_str_equal(*ret_nodes, text))
		wrong = g_strdup_printf("this is written nodes%s", *ret_nodes);
	if (wrong)
		return fail(cursor, error, wrong);
	cursor->at += strlen(text);
	return accept(cursor, ":") || fail(cursor, error, "':' expected");
}

/* "worlds1+2by0.1:", if it is there. */
static bool parse_worlds(struct cursor *cursor, struct path *path, GError **error)
{
	g_autofree char *text = NULL, *wrong = NULL;

	if (!accept(cursor, "worlds")) {
		/* written without, or the job has one world */
		if (path->names && !rank_names_fit(path->names, path->ranks))
			path->names = NULL;
		return true;
	}
	text = g_strndup(cursor->at, strcspn(cursor->at, ":"));
	path->names = rank_names_of(text, path->ranks, &wrong);
	if (wrong)
		return fail(cursor, error, wrong);
	cursor->at += strlen(text);
	return accept(cursor, ":") || fail(cursor, error, "':' expected");
}

static bool parse_choice(struct cursor *cursor, struct path *path, GHashTable *seen, GError **error)
{
	struct cursor start = *cursor;
	struct choice choice;
	g_autofree char *wrong = choice_parse_in(&cursor->at, path->ranks, path->names, &choice);

	if (wrong)
		return fail(cursor, error, wrong);
	if (!g_hash_table_add(seen, g_memdup2(&choice.point, sizeof choice.point)))
		return fail(&start, error, "a second choice for the same point");
	g_array_append_val(path->choices, choice);
	return true;
}

static bool parse_choices(struct cursor *cursor, struct path *path, GError **error)
{
	g_autoptr(GHashTable)
		seen = g_hash_table_new_full(point_key_hash, point_key_equal, g_free, NULL);

	if (*cursor->at == '\0' || *cursor->at == '@')
		return true;
	do {
		if (!parse_choice(cursor, path, seen, error))
			return false;
	} while (accept(cursor, ","));
	return true;
}

struct path *path_parse(const char *text, GError **error)
{
	const char *end;
	struct path *path = path_parse_start(text, &end, error);

	if (!path || *end == '\0')
		return path;
	path_fail(text, end, "',' or the end expected", error);
	path_free(path);
	return NULL;
}

/* Parses everything before the choices. */
static struct path *parse_conditions(const char *text, const char **ret_end, GError **error)
{
	struct cursor cursor = {text, text};
	const char *nodes = NULL;
	struct path *path;
	int ranks = 0;

	if (!accept(&cursor, "mp1:")) {
		if (text[0] == 'm' && text[1] == 'p' && g_ascii_isdigit(text[2])) {
			g_set_error(error, PATH_ERROR, PATH_ERROR_VERSION,
			            "a path of another version (%.*s): this matchpoint reads mp1",
			            (int)strcspn(text, ":"), text);
			return NULL;
		}
		fail(&cursor, error, "'mp1:' expected");
		return NULL;
	}
	if (!accept(&cursor, "n")) {
		fail(&cursor, error, "'n' and the number of ranks expected");
		return NULL;
	}
	if (!parse_ranks(&cursor, &ranks, error))
		return NULL;
	if (!accept(&cursor, ":")) {
		fail(&cursor, error, "':' expected");
		return NULL;
	}
	if (!parse_nodes(&cursor, ranks, &nodes, error))
		return NULL;
	path = path_new(ranks, nodes, BUFFERING_ANY, COLLECTIVES_ANY);
	if (!parse_worlds(&cursor, path, error)) {
		path_free(path);
		return NULL;
	}
	for (int buffering = BUFFERING_ZERO; buffering <= BUFFERING_PER_SEND; buffering++) {
		g_autofree char *word = g_strconcat(buffering_names[buffering], ":", NULL);

		if (path->buffering == BUFFERING_ANY && accept(&cursor, word))
			path->buffering = (enum buffering)buffering;
	}
	for (int word = COLLECTIVES_ASYNC; word <= COLLECTIVES_PER_CALL; word++) {
		g_autofree char *name = g_strconcat(collectives_words[word], ":", NULL);

		if (path->collectives == COLLECTIVES_ANY && accept(&cursor, name))
			path->collectives = (enum collective_mode)word;
	}
	*ret_end = cursor.at;
	return path;
}

struct path *path_parse_start(const char *text, const char **ret_end, GError **error)
{
	struct cursor cursor = {text, text};
	struct path *path = parse_conditions(text, &cursor.at, error);

	if (path && parse_choices(&cursor, path, error)) {
		*ret_end = cursor.at;
		return path;
	}
	path_free(path);
	return NULL;
}

char *path_with_choices(const char *text, const GArray *choices)
{
	struct path *path = path_parse(text, NULL);
	char *other = NULL;

	if (path) {
		g_array_set_size(path->choices, 0);
		g_array_append_vals(path->choices, choices->data, choices->len);
		other = path_print(path);
	}
	path_free(path);
	return other;
}
