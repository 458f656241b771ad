/* Recordings of real runs (recordings/NAME.txt, execution/recorder.h), fed into worlds again
 * without a process. The worlds must do the same, line by line. A recording that comes with a bug
 * report becomes a test in that folder, after its wrong lines are corrected by hand.
 * `test_recording FILE...` feeds those files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explorer/explorer.h"
#include "mpi_calls.h"
#include "scheduler/execution/recorder.h"
#include "scheduler/tools/wire_text.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world_arrival.h"

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

/* Returns false if not all of it could be read. */
static bool read_message(char **words, struct wire_message *ret)
{
	static const struct wire_visitor visitor = {true, read_number, read_string, read_name,
	                                            read_group};
	struct parser parser = {.words = words, .next = words + 1};

	memset(ret, 0, sizeof(*ret));
	ret->type = type_by_name(words[0]);
	return ret->type != 0 && wire_visit(ret, &visitor, &parser) == 0 && !parser.wrong
	       && !*parser.next;
}

/* --- the worlds of a recording --------------------------------------------------------------- */

struct play {
	struct communicators *comms;
	GHashTable *worlds, *kept; /* struct seat, by number */
	GPtrArray *said;           /* lines of the worlds */
};

struct seat {
	struct play *play;
	guint32 number;
	struct world *world;
};

static void seat_free(void *pointer)
{
	struct seat *seat = pointer;

	world_free(seat->world);
	g_free(seat);
}

static void say(struct seat *seat, const struct run_event *event)
{
	char *line = recorder_line(event);

	if (line)
		g_ptr_array_add(seat->play->said, line);
}

static void on_step(void *user, const struct world_step *step)
{
	struct seat *seat = user;

	say(seat,
	    &(struct run_event){
		    .kind = RUN_STEP, .number = seat->number, .world = seat->world, .step = step});
}

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

static struct seat *seat_of(GHashTable *seats, guint32 number)
{
	return g_hash_table_lookup(seats, GUINT_TO_POINTER(number));
}

static guint option(char **words, const char *name)
{
	g_autofree char *head = g_strconcat(name, "=", NULL);

	for (char **word = words; *word; word++)
		if (g_str_has_prefix(*word, head))
			return (guint)g_ascii_strtoull(*word + strlen(head), NULL, 10);
	return 0;
}

static bool has_option(char **words, const char *name)
{
	g_autofree char *head = g_strconcat(name, "=", NULL);

	for (char **word = words; *word; word++)
		if (g_str_has_prefix(*word, head))
			return true;
	return false;
}

static struct seat *seat_new(struct play *play, GHashTable *seats, guint32 number)
{
	struct seat *seat = g_new0(struct seat, 1);

	seat->play = play;
	seat->number = number;
	g_hash_table_replace(seats, GUINT_TO_POINTER(number), seat);
	return seat;
}

static void look(void *user, int rank)
{
	(void)user;
	(void)rank;
}

static bool begin(struct play *play, guint32 number, char **words)
{
	static const struct world_orders orders = {bind, go, admit, look};
	const struct world_options options = {
		.ranks = (int)option(words, "ranks"),
		.buffering = (enum buffering)option(words, "buffering"),
		.every_call_waits = (bool)option(words, "every_call_waits"),
		.collectives = (enum collective_mode)option(words, "collectives"),
		.arrives_early = (bool)option(words, "arrives_early"),
		.cancels = (bool)option(words, "cancels"),
		.digests = (bool)option(words, "digests"),
		.not_yet = option(words, "not_yet"),
		.some = option(words, "some"),
	};
	struct run_event event = {.kind = RUN_BEGIN, .number = number};
	const struct seat *from = NULL;
	struct seat *seat;

	if (has_option(words, "from")) {
		event.restored = true;
		event.from = option(words, "from");
		from = seat_of(play->kept, event.from);
		if (!from)
			return false;
	}
	if (options.ranks < 1)
		return false;
	if (!play->comms)
		play->comms = communicators_new(options.ranks);
	seat = seat_new(play, play->worlds, number);
	if (from)
		seat->world = world_copy(from->world, &options, seat);
	else
		seat->world = world_new(&options, play->comms, &orders, seat);
	world_watch(seat->world, on_step);
	event.world = seat->world;
	say(seat, &event);
	return true;
}

static bool hear(struct seat *seat, char **words)
{
	int rank = words[0] ? atoi(words[0]) : -1;
	g_autoptr(GError) error = NULL;
	struct wire_message message;
	bool read, believed = false;

	if (rank < 0 || rank >= world_options(seat->world)->ranks || !words[1])
		return false;
	read = read_message(words + 1, &message);
	if (!read)
		goto done;
	switch (message.type) {
	case WIRE_CALL: believed = world_call(seat->world, rank, &message.call, &error); break;
	case WIRE_DIGEST:
		believed = world_digest(seat->world, rank, &message.digest, &error);
		break;
	case WIRE_NAMED: believed = world_named(seat->world, rank, &message.named, &error); break;
	case WIRE_COMM: believed = world_comm(seat->world, rank, &message.comm, &error); break;
	case WIRE_THREAD:
		believed = world_thread(seat->world, rank, &message.thread, &error);
		break;
	case WIRE_ENTER: believed = world_enter(seat->world, rank, &message.enter, &error); break;
	case WIRE_TOUCHED:
		believed = world_touched(seat->world, rank, &message.touched, &error);
		break;
	case WIRE_OVERLAP:
		believed = world_overlap(seat->world, rank, &message.overlap, &error);
		break;
	case WIRE_MISUSE:
		believed = world_misuse(seat->world, rank, &message.misuse, &error);
		break;
	case WIRE_PARTITIONS:
		believed = world_partitions(seat->world, rank, &message.partitions, &error);
		break;
	case WIRE_RETURNED:
		believed = world_told_indices(seat->world, rank, &message.returned, &error);
		break;
	case WIRE_CONTENTS:
		believed = world_contents(seat->world, rank, &message.contents, &error);
		break;
	case WIRE_ACCESSES:
		believed = world_accesses(seat->world, rank, &message.accesses, &error);
		break;
	case WIRE_LEFT:
		believed = world_objects(seat->world, rank, &message.objects, &error);
		break;
	default: read = false;
	}
	if (read && !believed)
		say(seat, &(struct run_event){.kind = RUN_REFUSED,
		                              .number = seat->number,
		                              .world = seat->world,
		                              .text = error->message});
done:
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

static void keep(struct seat *seat)
{
	struct play *play = seat->play;
	struct seat *kept = seat_new(play, play->kept, seat->number);

	kept->world = world_copy(seat->world, world_options(seat->world), NULL);
	say(seat, &(struct run_event){
			  .kind = RUN_SNAPSHOT, .number = seat->number, .world = seat->world});
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

static bool ask(struct seat *seat, const char *word, char **words)
{
	struct world *world = seat->world;

	if (strcmp(word, "<") == 0)
		return hear(seat, words);
	if (strcmp(word, "choose") == 0)
		return choose(world, words);
	if (strcmp(word, "polls") == 0)
		return tell_polls(world, words);
	if (strcmp(word, "kept") == 0)
		keep(seat);
	else if (strcmp(word, "start") == 0)
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

/* Does what a line asks for. Returns false if it cannot be read. */
static bool do_line(struct play *play, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	guint32 number = (guint32)g_ascii_strtoull(words[0], NULL, 10);
	struct seat *seat = seat_of(play->worlds, number);

	if (g_strv_length(words) < 2)
		return false;
	if (strcmp(words[1], "begins") == 0)
		return begin(play, number, words + 2);
	return seat && ask(seat, words[1], words + 2);
}

static void play_init(struct play *play)
{
	*play = (struct play){
		.worlds = g_hash_table_new_full(NULL, NULL, NULL, seat_free),
		.kept = g_hash_table_new_full(NULL, NULL, NULL, seat_free),
		.said = g_ptr_array_new_with_free_func(g_free),
	};
}

static void play_release(struct play *play)
{
	g_hash_table_destroy(play->worlds);
	g_hash_table_destroy(play->kept);
	g_ptr_array_unref(play->said);
	communicators_free(play->comms);
}

/* Whether a line is what a world does, not what it is asked: "2   > 0 GO call=3". */
static bool is_done(const char *line)
{
	return g_str_has_prefix(line + strspn(line, "0123456789"), "   ");
}

/* Returns the first line of the recording that the worlds do not repeat, from 1; 0: they repeat all
 * of it. */
static guint play_lines(char **lines, GString *ret_instead)
{
	struct play play;
	guint expected = 0, wrong = 0;

	play_init(&play);
	for (guint i = 0; lines[i] && wrong == 0; i++) {
		if (!*lines[i] || *lines[i] == '#')
			continue;
		if (strcmp(lines[i], RECORDER_HEAD) == 0) {
			play_release(&play);
			play_init(&play);
			expected = 0;
			continue;
		}
		if (!is_done(lines[i]) && (play.said->len != expected || !do_line(&play, lines[i])))
			wrong = i + 1; /* the worlds did more, or the line cannot be read */
		else if (expected >= play.said->len
		         || strcmp(lines[i], play.said->pdata[expected]) != 0)
			wrong = i + 1;
		if (wrong > 0)
			g_string_assign(ret_instead, expected < play.said->len
			                                     ? play.said->pdata[expected]
			                                     : "nothing");
		expected++;
	}
	if (wrong == 0 && play.said->len != expected)
		wrong = g_strv_length(lines);
	play_release(&play);
	return wrong;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void play_file(const char *file)
{
	g_autofree char *text = NULL;
	g_autoptr(GString) instead = g_string_new("nothing");
	g_auto(GStrv) lines = NULL;
	guint wrong;

	assert_true(g_file_get_contents(file, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	assert_string_equal(lines[0], RECORDER_HEAD);
	wrong = play_lines(lines, instead);
	if (wrong > 0)
		fail_msg("%s:%u: recorded: %s\nsaid now: %s", file, wrong, lines[wrong - 1],
		         instead->str);
}

static void test_recordings(void **state)
{
	g_autoptr(GDir) folder = g_dir_open(RECORDINGS, 0, NULL);
	const char *name;
	guint count = 0;

	(void)state;
	assert_non_null(folder);
	while ((name = g_dir_read_name(folder))) {
		g_autofree char *file = g_build_filename(RECORDINGS, name, NULL);

		if (!g_str_has_suffix(name, ".txt"))
			continue;
		play_file(file);
		count++;
	}
	assert_true(count > 0);
}

/* Returns two ranks, and rank 0's receive from any source, without what follows `line`. */
static char **small_recording(void)
{
	const char *text =
		"recording 1\n"
		"0 begins ranks=2 buffering=1 every_call_waits=0 collectives=1 arrives_early=0 "
		"cancels=0 not_yet=1 some=3\n"
		"# a comment\n"
		"0 start\n"
		"0 < 1 CALL call=1 function=MPI_Send wait=1 ops=1 { name=1.0 kind=1 comm=1 } "
		"waited=1 { waited=1.0 }\n"
		"0 < 0 CALL call=1 function=MPI_Recv wait=1 ops=1 { name=1.0 kind=2 comm=1 peer=-1 "
		"} waited=1 { waited=1.0 }\n"
		"0 open\n"
		"0   offers 0.1={ question=0 requests=0 bounds=0 more=0 1 }\n"
		"0 choose 0.1=1\n"
		"0   chosen 0.1=1\n"
		"0   match 0.1.0=1.1.0 by choice\n"
		"0   > 0 BIND name=1.0 source=1\n"
		"0   > 0 GO call=1\n"
		"0   > 1 GO call=1\n"
		"0   answer yes";

	return g_strsplit(text, "\n", -1);
}

static guint play_changed(guint index, const char *line)
{
	g_auto(GStrv) lines = small_recording();
	g_autoptr(GString) instead = g_string_new(NULL);

	if (line) {
		g_free(lines[index]);
		lines[index] = g_strdup(line);
	}
	return play_lines(lines, instead);
}

/* The comparison finds a difference in a line, between lines, and at the end. */
static void test_differences_are_found(void **state)
{
	(void)state;
	assert_int_equal(play_changed(0, NULL), 0);
	assert_int_equal(play_changed(12, "0   > 0 GO call=2"), 13);
	assert_int_equal(play_changed(11, "#"), 13);
	assert_int_equal(play_changed(14, "#"), 15);
	assert_int_equal(play_changed(8, "0 choose 0.1=0"), 10);
	assert_int_equal(play_changed(8, "0 choose something"), 9);
	assert_int_equal(play_changed(3, "#"), 13);
}

/* Every kind of field can be read from its text. */
static void test_message_from_text(void **state)
{
	const char *texts[] = {
		"CALL call=7 function=MPI_Alltoallw status=-3 site=-1 ops=2 { name=7.1 kind=5 "
		"comm=9 sends={ partners=2 peers=2 { } { peers=4 } bytes=1 { bytes=8 } types=1 { "
		"runs=2 { basic=5 count=1 } { basic=6 } } } } { name=7.2 kind=1 receives={ "
		"partners=1 } }",
		"COMM comm=-5 local=2 { } { local=1 } name=MPI_Comm_split%20of%20a%3Db",
		"TOUCHED name=4.0 noticed=6 kind=2",
		"OVERLAP { name=4.0 kind=1 writes=1 } { function=MPI_Put site=9 kind=3 }",
		"ACCESSES list=1 { kind=2 parts=1 { start=-8 length=4 } }",
		"LEFT left=1 { kind=3 function=MPI_Comm_dup count=2 }",
	};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_auto(GStrv) words = g_strsplit(texts[i], " ", -1);
		g_autofree char *again = NULL;
		struct wire_message message;

		assert_true(read_message(words, &message));
		again = wire_text(&message);
		assert_string_equal(again, texts[i]);
		wire_message_release(&message);
	}
}

static void test_given(void **state)
{
	for (char **file = *state; *file; file++)
		play_file(*file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest given[] = {cmocka_unit_test_prestate(test_given, argv + 1)};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_differences_are_found),
		cmocka_unit_test(test_message_from_text),
	};

	if (argc > 1)
		return cmocka_run_group_tests(given, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
