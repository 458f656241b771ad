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
#include "scheduler/execution/playback.h"
#include "scheduler/execution/recorder.h"
#include "scheduler/tools/wire_text.h"
#include "scheduler/world/matcher.h"
#include "scheduler/world/world_arrival.h"

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

static struct seat *seat_of(GHashTable *seats, guint32 number)
{
	return g_hash_table_lookup(seats, GUINT_TO_POINTER(number));
}

static struct seat *seat_new(struct play *play, GHashTable *seats, guint32 number)
{
	struct seat *seat = g_new0(struct seat, 1);

	seat->play = play;
	seat->number = number;
	g_hash_table_replace(seats, GUINT_TO_POINTER(number), seat);
	return seat;
}

static bool begin(struct play *play, guint32 number, char **words)
{
	struct world_options options;
	struct run_event event = {.kind = RUN_BEGIN, .number = number};
	const struct seat *from = NULL;
	struct seat *seat;

	if (!playback_options(words, &options))
		return false;
	if (playback_has(words, "from")) {
		event.restored = true;
		event.from = playback_number(words, "from");
		from = seat_of(play->kept, event.from);
		if (!from)
			return false;
	}
	if (!play->comms)
		play->comms = communicators_new(options.ranks);
	seat = seat_new(play, play->worlds, number);
	if (from)
		seat->world = world_copy(from->world, &options, seat);
	else
		seat->world = world_new(&options, play->comms, &playback_orders, seat);
	world_watch(seat->world, on_step);
	event.world = seat->world;
	say(seat, &event);
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

static bool ask(struct seat *seat, char **words)
{
	g_autoptr(GError) refused = NULL;
	bool read;

	if (strcmp(words[0], "kept") == 0) {
		keep(seat);
		return true;
	}
	read = playback_ask(seat->world, words, &refused);
	if (refused)
		say(seat, &(struct run_event){.kind = RUN_REFUSED,
		                              .number = seat->number,
		                              .world = seat->world,
		                              .text = refused->message});
	return read;
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
	return seat && ask(seat, words + 1);
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

		assert_true(playback_message(words, &message));
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
