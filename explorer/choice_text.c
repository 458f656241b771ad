/* Choices as text: printing and parsing. */
#include <string.h>

#include "choice.h"
#include "lock.h"
#include "rank_name.h"

static const struct {
	const char *word;
	enum taken_kind kind;
} words[] = {
	{"no", TAKEN_NO},       {"yes", TAKEN_YES},   {"cancelled", TAKEN_CANCELLED},
	{"early", TAKEN_EARLY}, {"late", TAKEN_LATE},
};

/* --- printing -------------------------------------------------------------------------------- */

void point_append_in(GString *text, const struct rank_names *names, const struct point *point)
{
	const char *rank = rank_name_in(names, point->rank);

	if (point->kind == POINT_LOCK) {
		g_string_append_printf(text, "w%d", point->window);
		if (point->first > 0)
			g_string_append_printf(text, "@%s", rank_name_in(names, point->first));
		g_string_append_printf(text, ".%s", rank);
		if (point->word > 0)
			g_string_append_printf(text, "+%" G_GINT64_FORMAT, point_byte(point));
		if (point->reader >= 0)
			g_string_append_printf(text, "r%s", rank_name_in(names, point->reader));
	} else {
		g_string_append(text, rank);
	}
	g_string_append_printf(text, ".%u", point->call);
	if (point->kind == POINT_TURN)
		g_string_append(text, "/turn");
	else if (point->sub > 0)
		g_string_append_printf(text, "/%u", point->sub);
}

static void append_requests(GString *text, const struct taken *taken)
{
	char mark = '#';

	for (uint32_t i = taken_next(taken, 0, UINT32_MAX); i < UINT32_MAX;
	     i = taken_next(taken, i + 1, UINT32_MAX)) {
		g_string_append_printf(text, "%c%u", mark, i);
		mark = '+';
	}
}

void point_append(GString *text, const struct point *point)
{
	point_append_in(text, rank_names_current(), point);
}

void taken_append_in(GString *text, const struct rank_names *names, const struct taken *taken)
{
	if (taken->ahead > 0)
		g_string_append_printf(text, "+%u:", taken->ahead);
	switch (taken->kind) {
	case TAKEN_MESSAGE: g_string_append(text, rank_name_in(names, taken->send.rank)); return;
	case TAKEN_THREAD: g_string_append_printf(text, "#%u", taken->thread); return;
	case TAKEN_ONE:
	case TAKEN_SOME: append_requests(text, taken); return;
	default: break;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (words[i].kind == taken->kind)
			g_string_append(text, words[i].word);
}

void taken_append(GString *text, const struct taken *taken)
{
	taken_append_in(text, rank_names_current(), taken);
}

char *taken_print(const struct taken *taken)
{
	GString *text = g_string_new(NULL);

	taken_append(text, taken);
	return g_string_free(text, false);
}

void choice_append_in(GString *text, const struct rank_names *names, const struct choice *choice)
{
	point_append_in(text, names, &choice->point);
	g_string_append_c(text, '=');
	taken_append_in(text, names, &choice->taken);
}

void choice_append(GString *text, const struct choice *choice)
{
	choice_append_in(text, rank_names_current(), choice);
}

/* --- parsing --------------------------------------------------------------------------------- */

static bool accept(const char **at, const char *word)
{
	if (!g_str_has_prefix(*at, word))
		return false;
	*at += strlen(word);
	return true;
}

char *choice_parse_number(const char **at, guint64 least, guint64 most, const char *what,
                          guint64 *ret)
{
	const char *end = *at;
	guint64 value = 0;

	while (g_ascii_isdigit(*end)) {
		value = value * 10 + (guint64)(*end++ - '0');
		if (value > G_MAXUINT32)
			break;
	}
	if (end == *at || (**at == '0' && end > *at + 1))
		return g_strdup_printf("%s expected, without leading zeros", what);
	if (value < least || value > most)
		return g_strdup_printf("%s must be from %" G_GUINT64_FORMAT
		                       " to %" G_GUINT64_FORMAT,
		                       what, least, most);
	*at = end;
	*ret = value;
	return NULL;
}

/* The ranks that a text may name. */
struct ranks {
	int count;
	const struct rank_names *names;
};

/* The same for a rank of the job from `least` on, by number or name. */
static char *parse_rank(const char **at, const struct ranks *ranks, guint64 least, const char *what,
                        guint64 *ret)
{
	const char *end;
	const int rank = rank_named_in(ranks->names, *at, &end);

	if (rank < (int)least || rank >= ranks->count || *end == ':')
		return choice_parse_number(at, least, (guint64)ranks->count - 1, what, ret);
	*at = end;
	*ret = (guint64)rank;
	return NULL;
}

/* The part after the 'w' of a lock, up to its target or reader. */
static char *parse_lock(const char **at, const struct ranks *ranks, struct point *point)
{
	guint64 window = 0, first = 0, target = 0, reader = 0;
	char *wrong = choice_parse_number(at, 1, G_MAXINT32, "the number of the window", &window);
	struct lock_place place = {.reader = -1};

	if (!wrong && accept(at, "@"))
		wrong = parse_rank(at, ranks, 1, "the lowest rank of the window", &first);
	if (!wrong && !accept(at, "."))
		wrong = g_strdup("'.' expected");
	if (!wrong)
		wrong = parse_rank(at, ranks, 0, "the target's rank", &target);
	if (!wrong && accept(at, "+")) {
		guint64 byte = 0;

		wrong = choice_parse_number(at, 0, G_MAXINT32, "the displacement in bytes", &byte);
		if (!wrong && byte % LOCK_WORD_BYTES != 0)
			wrong = g_strdup_printf("a multiple of %d expected", LOCK_WORD_BYTES);
		place.word = (int32_t)(byte / LOCK_WORD_BYTES) + 1;
	}
	if (!wrong && accept(at, "r")) {
		wrong = parse_rank(at, ranks, 0, "the rank of a shared lock", &reader);
		place.reader = (int32_t)reader;
	}
	place.window = (int32_t)window;
	place.first = (int32_t)first;
	place.target = (int32_t)target;
	if (!wrong && lock_number(ranks->count, &place) < 0)
		wrong = g_strdup("there is no window with this number");
	*point = (struct point){.kind = POINT_LOCK,
	                        .rank = place.target,
	                        .window = place.window,
	                        .first = place.first,
	                        .reader = place.reader,
	                        .word = place.word};
	return wrong;
}

static char *parse_point(const char **at, const struct ranks *ranks, struct point *ret)
{
	struct point point = {.kind = POINT_CALL};
	guint64 rank = 0, call = 0, sub = 0;
	char *wrong;

	if (accept(at, "w")) {
		wrong = parse_lock(at, ranks, &point);
	} else {
		wrong = parse_rank(at, ranks, 0, "the receiver's rank", &rank);
		point.rank = (int32_t)rank;
	}
	if (!wrong && !accept(at, "."))
		wrong = g_strdup("'.' expected");
	if (!wrong)
		wrong = choice_parse_number(at, 1, G_MAXUINT32, "the number of the receiver's call",
		                            &call);
	if (!wrong && point.kind == POINT_CALL) {
		if (accept(at, "/turn"))
			point.kind = POINT_TURN;
		else if (accept(at, "/"))
			wrong = choice_parse_number(at, 1, OPERATION_TURN - 1, "a part of the call",
			                            &sub);
	}
	point.call = (uint32_t)call;
	point.sub = (uint32_t)sub;
	*ret = point;
	return wrong;
}

/* Parses the number of a request or thread; returns the number of characters, 0: not a number. */
static unsigned parse_index(const char *text, uint32_t *ret_index)
{
	unsigned length = 0;
	uint32_t value = 0;

	while (g_ascii_isdigit(text[length]) && length < 9)
		value = value * 10 + (uint32_t)(text[length++] - '0');
	*ret_index = value;
	return (text[0] == '0' && length > 1) || g_ascii_isdigit(text[length]) ? 0 : length;
}

/* "#0+2"; false: no such text, and *at is unchanged. */
static bool parse_requests(const char **at, struct taken *ret)
{
	const char *text = *at;
	uint32_t window = 0, last = 0;
	uint64_t bits = 0;

	if (*text != '#')
		return false;
	do {
		uint32_t index;
		unsigned digits = parse_index(text + 1, &index);

		if (digits == 0 || (bits != 0 && (index <= last || index / TAKEN_WINDOW != window)))
			return false;
		window = index / TAKEN_WINDOW;
		bits |= UINT64_C(1) << (index % TAKEN_WINDOW);
		last = index;
		text += digits + 1;
	} while (*text == '+');
	*ret = taken_some(window, bits);
	*at = text;
	return true;
}

static char *parse_answer(const char **at, const struct ranks *ranks, enum point_kind point,
                          struct taken *ret)
{
	guint64 source = 0;
	char *wrong;

	if (parse_requests(at, ret)) {
		if (point == POINT_TURN && ret->kind == TAKEN_ONE)
			*ret = taken_thread(ret->request);
		return NULL;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		if (!accept(at, words[i].word))
			continue;
		*ret = taken_plain(words[i].kind);
		return NULL;
	}
	if (!g_ascii_isdigit(**at))
		return g_strdup("the sender's rank or an answer (no, yes, #0, #0+1, cancelled, "
		                "early, late) expected");
	wrong = parse_rank(at, ranks, 0, "the sender's rank", &source);
	*ret = taken_message((struct op_id){(int32_t)source, 0, 0});
	return wrong;
}

static char *parse_taken(const char **at, const struct ranks *ranks, enum point_kind point,
                         struct taken *ret)
{
	guint64 ahead = 0;
	char *wrong = NULL;

	if (point == POINT_CALL && accept(at, "+"))
		wrong = choice_parse_number(at, 1, TAKEN_AHEAD, "the number of calls until a poll",
		                            &ahead);
	if (!wrong && ahead > 0 && !accept(at, ":"))
		wrong = g_strdup("':' expected");
	if (!wrong)
		wrong = parse_answer(at, ranks, point, ret);
	if (!wrong)
		ret->ahead = (uint16_t)ahead;
	return wrong;
}

char *choice_parse_rank(const char **at, int ranks, const struct rank_names *names, guint64 least,
                        const char *what, guint64 *ret)
{
	return parse_rank(at, &(struct ranks){ranks, names}, least, what, ret);
}

char *choice_parse(const char **at, int ranks, struct choice *ret_choice)
{
	return choice_parse_in(at, ranks, rank_names_current(), ret_choice);
}

char *choice_parse_in(const char **at, int count, const struct rank_names *names,
                      struct choice *ret_choice)
{
	const struct ranks given = {count, names}, *ranks = &given;
	char *wrong = parse_point(at, ranks, &ret_choice->point);

	if (!wrong && !accept(at, "="))
		wrong = g_strdup("'=' expected");
	if (!wrong)
		wrong = parse_taken(at, ranks, ret_choice->point.kind, &ret_choice->taken);
	return wrong;
}
