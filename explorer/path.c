#include "path.h"

#include <string.h>

#include "answer.h"
#include "lock.h"

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

/* Where the parser stands; `at` moves forward over `text`. */
struct cursor {
	const char *text;
	const char *at;
};

struct path *path_new(int ranks, enum buffering buffering, enum collective_mode collectives)
{
	struct path *path = g_new0(struct path, 1);

	path->ranks = ranks;
	path->buffering = buffering;
	path->collectives = collectives;
	path->choices = g_array_new(FALSE, FALSE, sizeof(struct choice));
	return path;
}

struct path *path_copy(const struct path *path)
{
	struct path *copy = path_new(path->ranks, path->buffering, path->collectives);

	if (path->choices->len > 0)
		g_array_append_vals(copy->choices, path->choices->data, path->choices->len);
	return copy;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	g_array_free(path->choices, TRUE);
	g_free(path);
}

/* "0.3/1", or of a lock "w1.0.3" */
static void print_point(GString *text, int ranks, struct op_id point)
{
	struct lock_place lock;

	if (!lock_from_number(ranks, point.rank, &lock)) {
		g_string_append_printf(text, "%d", point.rank);
	} else {
		g_string_append_printf(text, "w%d", lock.window);
		if (lock.first > 0)
			g_string_append_printf(text, "@%d", lock.first);
		g_string_append_printf(text, ".%d", lock.target);
		if (lock.reader >= 0)
			g_string_append_printf(text, "r%d", lock.reader);
	}
	g_string_append_printf(text, ".%u", point.call);
	if (point.sub == OPERATION_TURN)
		g_string_append(text, "/turn");
	else if (point.sub > 0)
		g_string_append_printf(text, "/%u", point.sub);
}

static void print_taken(GString *text, struct op_id taken)
{
	g_autofree char *answer = answer_is(taken) ? answer_print(taken) : NULL;

	if (answer)
		g_string_append_printf(text, "=%s", answer);
	else
		g_string_append_printf(text, "=%d", taken.rank);
}

char *path_print(const struct path *path)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "mp1:n%d:", path->ranks);
	if (path->buffering != BUFFERING_ANY)
		g_string_append_printf(text, "%s:", buffering_names[path->buffering]);
	if (path->collectives != COLLECTIVES_ANY)
		g_string_append_printf(text, "%s:", collectives_words[path->collectives]);
	for (guint i = 0; i < path->choices->len; i++) {
		const struct choice *choice = &g_array_index(path->choices, struct choice, i);

		if (i > 0)
			g_string_append_c(text, ',');
		print_point(text, path->ranks, choice->point);
		print_taken(text, choice->taken);
	}
	return g_string_free(text, FALSE);
}

static bool fail(const struct cursor *cursor, GError **error, const char *what)
{
	g_set_error(error, PATH_ERROR, PATH_ERROR_SYNTAX, "not a path: column %d: %s",
	            (int)(cursor->at - cursor->text) + 1, what);
	return false;
}

static bool accept(struct cursor *cursor, const char *word)
{
	if (!g_str_has_prefix(cursor->at, word))
		return false;
	cursor->at += strlen(word);
	return true;
}

/* A decimal number from `least` to `most`, written the one way path_print writes it. */
static bool number(struct cursor *cursor, guint64 least, guint64 most, const char *what,
                   guint64 *ret, GError **error)
{
	const char *end = cursor->at;
	guint64 value = 0;

	while (g_ascii_isdigit(*end)) {
		value = value * 10 + (guint64)(*end++ - '0');
		if (value > G_MAXUINT32)
			break;
	}
	if (end == cursor->at || (*cursor->at == '0' && end > cursor->at + 1)) {
		g_autofree char *message = g_strdup_printf("%s expected, without leading zeros",
		                                           what);

		return fail(cursor, error, message);
	}
	if (value < least || value > most) {
		g_autofree char *message = g_strdup_printf("%s must be from %" G_GUINT64_FORMAT
		                                           " to %" G_GUINT64_FORMAT,
		                                           what, least, most);

		return fail(cursor, error, message);
	}
	cursor->at = end;
	*ret = value;
	return true;
}

/* What stands behind the 'w' of a lock, up to its target or reader. */
static bool parse_lock(struct cursor *cursor, int ranks, guint64 *ret_place, GError **error)
{
	guint64 last_rank = (guint64)ranks - 1;
	guint64 window = 0, first = 0, target = 0, reader = 0;
	struct lock_place lock = {.reader = -1};

	if (!number(cursor, 1, G_MAXINT32, "the number of the window", &window, error))
		return false;
	if (accept(cursor, "@")
	    && !number(cursor, 1, last_rank, "the lowest rank of the window", &first, error))
		return false;
	if (!accept(cursor, "."))
		return fail(cursor, error, "'.' expected");
	if (!number(cursor, 0, last_rank, "the target's rank", &target, error))
		return false;
	if (accept(cursor, "r")) {
		if (!number(cursor, 0, last_rank, "the rank of a shared lock", &reader, error))
			return false;
		lock.reader = (int32_t)reader;
	}
	lock.window = (int32_t)window;
	lock.first = (int32_t)first;
	lock.target = (int32_t)target;
	if (lock_number(ranks, &lock) < 0)
		return fail(cursor, error, "no window has such a number");
	*ret_place = (guint64)lock_number(ranks, &lock);
	return true;
}

/* What is taken: the rank of a message's sender, or an answer. */
static bool parse_taken(struct cursor *cursor, guint64 last_rank, struct op_id *ret, GError **error)
{
	unsigned length = answer_parse(cursor->at, ret);
	guint64 source = 0;

	cursor->at += length;
	if (length > 0)
		return true;
	if (!g_ascii_isdigit(*cursor->at))
		return fail(cursor, error,
		            "the sender's rank or an answer (no, yes, #0, #0+1, cancelled, early, "
		            "late) expected");
	if (!number(cursor, 0, last_rank, "the sender's rank", &source, error))
		return false;
	*ret = (struct op_id){(int32_t)source, 0, 0};
	return true;
}

static bool parse_choice(struct cursor *cursor, struct path *path, GHashTable *seen, GError **error)
{
	struct cursor start = *cursor;
	guint64 last_rank = (guint64)path->ranks - 1;
	guint64 rank = 0, call = 0, sub = 0;
	struct choice choice;

	if (accept(cursor, "w")) {
		if (!parse_lock(cursor, path->ranks, &rank, error))
			return false;
	} else if (!number(cursor, 0, last_rank, "the receiver's rank", &rank, error)) {
		return false;
	}
	if (!accept(cursor, "."))
		return fail(cursor, error, "'.' expected");
	if (!number(cursor, 1, G_MAXUINT32, "the number of the receiver's call", &call, error))
		return false;
	if (accept(cursor, "/turn"))
		sub = OPERATION_TURN;
	else if (accept(cursor, "/")
	         && !number(cursor, 1, OPERATION_TURN - 1, "a part of the call", &sub, error))
		return false;
	if (!accept(cursor, "="))
		return fail(cursor, error, "'=' expected");
	if (!parse_taken(cursor, last_rank, &choice.taken, error))
		return false;
	choice.point = (struct op_id){(int32_t)rank, (uint32_t)call, (uint32_t)sub};
	if (!g_hash_table_add(seen, g_memdup2(&choice.point, sizeof choice.point)))
		return fail(&start, error, "this receive has been chosen for already");
	g_array_append_val(path->choices, choice);
	return true;
}

static bool parse_choices(struct cursor *cursor, struct path *path, GError **error)
{
	g_autoptr(GHashTable)
		seen = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, g_free, NULL);

	if (*cursor->at == '\0')
		return true;
	do {
		if (!parse_choice(cursor, path, seen, error))
			return false;
	} while (accept(cursor, ","));
	if (*cursor->at != '\0')
		return fail(cursor, error, "',' or the end expected");
	return true;
}

struct path *path_parse(const char *text, GError **error)
{
	struct cursor cursor = {text, text};
	struct path *path;
	guint64 ranks;

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
	if (!number(&cursor, 1, G_MAXINT32, "the number of ranks", &ranks, error))
		return NULL;
	if (!accept(&cursor, ":")) {
		fail(&cursor, error, "':' expected");
		return NULL;
	}
	path = path_new((int)ranks, BUFFERING_ANY, COLLECTIVES_ANY);
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
	if (!parse_choices(&cursor, path, error)) {
		path_free(path);
		return NULL;
	}
	return path;
}
