#include "playback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explorer/explorer.h"
#include "mpi_calls.h"
#include "recorder.h"
#include "scheduler/tools/wire_text.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world_arrival.h"

G_DEFINE_QUARK(matchpoint_playback_error, playback_error)

/* --- a message from its text ----------------------------------------------------------------- */

struct parser {
	char **words, **next; /* ended by NULL */
	guint absent;         /* groups that are absent */
	bool wrong;
};

/* Returns the value of the next word, if it is this field. */
static const char *value_of(struct parser *parser, const char *name)
{
	gsize length = strlen(name);
	const char *word = *parser->next;

	if (parser->absent > 0 || !word || strncmp(word, name, length) != 0 || word[length] != '=')
		return NULL;
	parser->next++;
	return word + length + 1;
}

static void read_number(void *user, const char *name, int64_t *value)
{
	const char *text = value_of(user, name);

	if (text && strcmp(name, "function") == 0 && !g_ascii_isdigit(*text))
		*value = mpi_call_by_name(text);
	else if (text)
		*value = g_ascii_strtoll(text, NULL, 10);
}

static void read_string(void *user, const char *name, char **value)
{
	const char *text = value_of(user, name);
	g_autofree char *string = text ? g_uri_unescape_string(text, NULL) : NULL;

	*value = strdup(string ? string : "");
}

static void read_name(void *user, const char *name, struct wire_name *value)
{
	const char *text = value_of(user, name);

	if (text)
		((struct parser *)user)->wrong |= sscanf(text, "%u.%u", &value->call, &value->sub)
		                                  != 2;
}

static void read_group(void *user, const char *name, bool begins)
{
	struct parser *parser = user;
	g_autofree char *opening = begins ? g_strdup_printf("%s%s", name, *name ? "={" : "{")
	                                  : NULL;
	bool is_there = parser->absent == 0 && *parser->next
	                && strcmp(*parser->next, begins ? opening : "}") == 0;

	if (is_there)
		parser->next++;
	else if (begins)
		parser->absent++;
	else if (parser->absent > 0)
		parser->absent--;
	else
		parser->wrong = true;
}

static guint16 type_by_name(const char *name)
{
	for (guint16 type = WIRE_HELLO; type <= WIRE_RELEASE; type++)
		if (g_strcmp0(wire_type_name(type), name) == 0)
			return type;
	return 0;
}

bool playback_message(char **words, struct wire_message *ret)
{
	static const struct wire_visitor visitor = {true, read_number, read_string, read_name,
	                                            read_group};
	struct parser parser = {.words = words, .next = words + 1};

	memset(ret, 0, sizeof(*ret));
	ret->type = type_by_name(words[0]);
	return ret->type != 0 && wire_visit(ret, &visitor, &parser) == 0 && !parser.wrong
	       && !*parser.next;
}

/* --- options ---------------------------------------------------------------------------------- */

guint playback_number(char **words, const char *name)
{
	g_autofree char *head = g_strconcat(name, "=", NULL);

	for (char **word = words; *word; word++)
		if (g_str_has_prefix(*word, head))
			return (guint)g_ascii_strtoull(*word + strlen(head), NULL, 10);
	return 0;
}

bool playback_has(char **words, const char *name)
{
	g_autofree char *head = g_strconcat(name, "=", NULL);

	for (char **word = words; *word; word++)
		if (g_str_has_prefix(*word, head))
			return true;
	return false;
}

bool playback_options(char **words, struct world_options *ret)
{
	*ret = (struct world_options){
		.ranks = (int)playback_number(words, "ranks"),
		.buffering = (enum buffering)playback_number(words, "buffering"),
		.every_call_waits = (bool)playback_number(words, "every_call_waits"),
		.collectives = (enum collective_mode)playback_number(words, "collectives"),
		.arrives_early = (bool)playback_number(words, "arrives_early"),
		.cancels = (bool)playback_number(words, "cancels"),
		.digests = (bool)playback_number(words, "digests"),
		.not_yet = playback_number(words, "not_yet"),
		.some = playback_number(words, "some"),
	};
	return ret->ranks >= 1;
}

/* --- orders go nowhere ------------------------------------------------------------------------ */

static void bind(void *user, int rank, const struct wire_bind *bind)
{
	(void)user, (void)rank, (void)bind;
}

static void go(void *user, int rank, const struct wire_go *go)
{
	(void)user, (void)rank, (void)go;
}

static void admit(void *user, int rank, guint32 thread)
{
	(void)user, (void)rank, (void)thread;
}

static void look(void *user, int rank)
{
	(void)user;
	(void)rank;
}

const struct world_orders playback_orders = {bind, go, admit, look};

/* --- what a world is asked -------------------------------------------------------------------- */

static bool hear(struct world *world, char **words, GError **refused)
{
	int rank = words[0] ? atoi(words[0]) : -1;
	struct wire_message message;
	bool read, believed;

	if (rank < 0 || rank >= world_options(world)->ranks || !words[1])
		return false;
	read = playback_message(words + 1, &message);
	believed = !read
	           || (message.type == WIRE_DIGEST
	                       ? world_digest(world, rank, &message.digest, refused)
	                       : world_report(world, rank, &message, refused));
	if (!believed && refused && !*refused)
		g_set_error_literal(refused, PLAYBACK_ERROR, 0, "a report is refused");
	wire_message_release(&message);
	return read;
}

static bool read_choice(const struct world *world, const char *text, struct choice *ret)
{
	const char *at = text ? text : "";
	g_autofree char *wrong = choice_parse(&at, world_options(world)->ranks, ret);

	return !wrong && *at == '\0';
}

static bool choose(struct world *world, char **words)
{
	struct choice choice;

	if (!read_choice(world, words[0], &choice))
		return false;
	world_choose(world, &choice);
	return true;
}

static bool tell_polls(struct world *world, char **words)
{
	g_autoptr(GArray) plan = g_array_new(false, false, sizeof(struct choice));

	for (char **word = words; *word; word++) {
		struct choice choice;

		if (!read_choice(world, *word, &choice))
			return false;
		g_array_append_val(plan, choice);
	}
	world_answer_polls(world, plan);
	return true;
}

static bool ask_of_rank(struct world *world, const char *word, char **words)
{
	int rank = words[0] ? atoi(words[0]) : -1;

	if (rank < 0 || rank >= world_options(world)->ranks)
		return false;
	if (strcmp(word, "stopped") == 0)
		world_rank_stopped(world, rank);
	else if (strcmp(word, "ended") == 0)
		world_rank_ended(world, rank);
	else if (strcmp(word, "moves") == 0)
		world_rank_moves(world, rank);
	else if (strcmp(word, "asleep") == 0)
		world_threads_sleep(world, rank);
	else if (strcmp(word, "failed") == 0 && words[1])
		world_failed(world, rank, (guint32)atoi(words[1]));
	else if (strcmp(word, "hold") == 0 && words[1])
		world_hold(world, rank, (guint32)g_ascii_strtoull(words[1], NULL, 10));
	else
		return false;
	return true;
}

bool playback_ask(struct world *world, char **words, GError **refused)
{
	const char *word = words[0];

	words++;
	if (strcmp(word, "<") == 0)
		return hear(world, words, refused);
	if (strcmp(word, "choose") == 0)
		return choose(world, words);
	if (strcmp(word, "polls") == 0)
		return tell_polls(world, words);
	if (strcmp(word, "start") == 0)
		world_start(world);
	else if (strcmp(word, "caught") == 0)
		world_hold_stuck(world);
	else if (strcmp(word, "awake") == 0)
		world_threads_wake(world);
	else if (strcmp(word, "lets-go") == 0)
		world_release_deferred(world);
	else if (strcmp(word, "ready") == 0)
		world_answer_ready(world);
	else if (strcmp(word, "admit") == 0)
		world_admit(world);
	else if (strcmp(word, "open") == 0)
		open_choices_free(world_open_choices(world));
	else if (strcmp(word, "unhold") == 0)
		world_let_held_go(world);
	else if (strcmp(word, "conflicts") == 0)
		world_find_conflicts(world);
	else
		return ask_of_rank(world, word, words);
	return true;
}

/* --- a whole history -------------------------------------------------------------------------- */

/* The world of a line "N begins": new, or a copy of the one so far, whose place it takes. */
static bool begin(struct world **world, char **words, const struct playback *playback)
{
	struct world_options options;
	struct world *before = *world;

	if (!playback_options(words, &options))
		return false;
	*world = before ? world_copy(before, &options, playback->user)
	                : world_new(&options, playback->comms, &playback_orders, playback->user);
	world_free(before);
	world_watch(*world, playback->watch);
	return true;
}

static bool play_line(struct world **world, const char *line, const struct playback *playback,
                      GError **refused)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);

	if (g_strv_length(words) < 2)
		return false;
	if (strcmp(words[1], "begins") == 0)
		return begin(world, words + 2, playback);
	return *world && playback_ask(*world, words + 1, refused);
}

bool playback_world(const struct playback *playback, struct world **world, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(playback->history, "\n", -1);

	*world = NULL;
	for (guint i = 0; lines[i]; i++) {
		g_autoptr(GError) refused = NULL;

		if (!*lines[i] || strcmp(lines[i], RECORDER_HEAD) == 0)
			continue;
		if (play_line(world, lines[i], playback, &refused))
			continue;
		g_set_error(error, PLAYBACK_ERROR, 0, "line %u of its history cannot be repeated",
		            i + 1);
		return false;
	}
	if (!*world)
		g_set_error_literal(error, PLAYBACK_ERROR, 0, "its history is empty");
	return *world != NULL;
}
