/* The past of a rank: what it has done between its calls of MPI, up to here. The session records
 * the ranks up to this position (debug_record.c). gdb then debugs that rank alone, also backwards
 * (docs/internals/backwards.md), while the session's own ranks stay where they are. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "debug_internal.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "scheduler/gdb/driven_gdb.h"

#define LOOK_MS 5 /* interval of looking for what gdb has said */

struct debug_past {
	struct debugger *debugger;
	char *folder, *recording; /* temporary; NULL: none is there */
	char *position;           /* to which it leads; NULL: nothing is recorded */
	struct driven_gdb *gdb;   /* NULL: no past is looked at */
	int rank;
	int depth;         /* functions of libraries that the program has called there */
	uv_timer_t *timer; /* while gdb is waited for: wakes session_wait */
	/* Of the line that gdb obeys. */
	gint64 awaited;
	bool is_answered, is_running;
	char *problem;       /* gdb's refusal; NULL: none */
	JsonObject *stopped; /* why the rank stands, after a motion; NULL: none */
	GString *heard;      /* what gdb has printed */
};

struct debug_past *debug_past_new(struct debugger *debugger)
{
	struct debug_past *past = g_new0(struct debug_past, 1);

	past->debugger = debugger;
	past->heard = g_string_new(NULL);
	return past;
}

static void end_gdb(struct debug_past *past)
{
	if (past->gdb)
		driven_gdb_end(past->gdb);
	past->gdb = NULL;
}

static void remove_file(const char *folder, const char *name)
{
	g_autofree char *file = g_build_filename(folder, *name ? name : NULL, NULL);

	if (g_remove(file) != 0 && g_file_test(file, G_FILE_TEST_IS_DIR)) {
		g_autoptr(GDir) below = g_dir_open(file, 0, NULL);
		const char *one;

		while (below && (one = g_dir_read_name(below)))
			remove_file(file, one);
		g_rmdir(file);
	}
}

static void forget_recording(struct debug_past *past)
{
	g_clear_pointer(&past->position, g_free);
	if (!past->folder)
		return;
	remove_file(past->folder, "");
	g_clear_pointer(&past->folder, g_free);
	g_clear_pointer(&past->recording, g_free);
}

void debug_past_free(struct debug_past *past)
{
	if (!past)
		return;
	end_gdb(past);
	forget_recording(past);
	g_free(past->problem);
	g_clear_pointer(&past->stopped, json_object_unref);
	g_string_free(past->heard, true);
	g_free(past);
}

/* --- gdb -------------------------------------------------------------------------------------- */

static void take_record(struct debug_past *past, struct mi_record *record)
{
	const char *message = NULL;

	if (record->kind == MI_CONSOLE) {
		g_string_append(past->heard, record->text);
	} else if (record->kind == MI_EXEC) {
		past->is_running = g_str_equal(record->text, "running");
		if (g_str_equal(record->text, "stopped"))
			past->stopped = g_steal_pointer(&record->results);
	} else if (record->kind == MI_RESULT && record->token == past->awaited) {
		past->is_answered = true;
		past->is_running = g_str_equal(record->text, "running");
		if (g_str_equal(record->text, "error") && record->results)
			message = json_object_get_string_member_with_default(record->results, "msg",
			                                                     "gdb refuses");
		if (message)
			past->problem = g_strdup(message);
	}
	mi_record_clear(record);
}

/* For session_wait. */
static bool is_done(void *data)
{
	struct debug_past *past = data;
	struct mi_record record;

	driven_gdb_receive(past->gdb);
	while (driven_gdb_take(past->gdb, &record))
		take_record(past, &record);
	return driven_gdb_is_lost(past->gdb) || (past->is_answered && !past->is_running);
}

static void on_time(uv_timer_t *timer)
{
	(void)timer;
}

/* Returns false if gdb has ended. */
static bool wait_for_gdb(struct debug_past *past)
{
	struct session *session = past->debugger->session;

	past->timer = g_new0(uv_timer_t, 1);
	uv_timer_init(session_loop(session), past->timer);
	uv_timer_start(past->timer, on_time, LOOK_MS, LOOK_MS);
	session_wait(session, is_done, past);
	uv_close((uv_handle_t *)past->timer, (uv_close_cb)(void (*)(void))g_free);
	past->timer = NULL;
	return !driven_gdb_is_lost(past->gdb) && session_may_go_on(session);
}

bool debugger_interrupt_past(struct debugger *debugger)
{
	struct debug_past *past = debugger->past;

	if (!past || !past->timer)
		return false;
	driven_gdb_send(past->gdb, "-exec-interrupt --all");
	return true;
}

/* Why it has ended; free with g_free. */
static char *last_complaint(struct debug_past *past)
{
	char *last = NULL, *line;

	while ((line = driven_gdb_take_error(past->gdb))) {
		g_free(last);
		last = line;
	}
	return last ? last : g_strdup("gdb has ended");
}

static void lose(struct debug_past *past)
{
	g_autofree char *why = last_complaint(past);

	debugger_refuse(past->debugger, "the past of rank %s cannot be shown: %s",
	                rank_name(past->rank), why);
	end_gdb(past);
}

/* Returns false if gdb has refused (`problem`), or is lost. */
static bool obey(struct debug_past *past, const char *line)
{
	g_autofree char *quoted = mi_quote(line);
	g_autofree char *command = g_strdup_printf("-interpreter-exec console %s", quoted);

	g_string_truncate(past->heard, 0);
	g_clear_pointer(&past->problem, g_free);
	g_clear_pointer(&past->stopped, json_object_unref);
	past->is_answered = past->is_running = false;
	past->awaited = driven_gdb_send(past->gdb, command);
	if (!wait_for_gdb(past)) {
		lose(past);
		return false;
	}
	return !past->problem;
}

/* The same; prints the refusal. */
static bool order(struct debug_past *past, const char *line)
{
	if (obey(past, line))
		return true;
	if (past->gdb)
		debugger_refuse(past->debugger, "%s", past->problem);
	return false;
}

void debugger_ask_past(struct debugger *debugger, const char *line)
{
	if (order(debugger->past, line))
		debugger_tell(debugger, "%s", debugger->past->heard->str);
}

/* --- where it stands -------------------------------------------------------------------------- */

/* What the user looks at is the innermost function of the program itself, not of a library. If it
 * has called one, prints which. */
static const char select_program[] =
	"python exec(\"one, last = gdb.newest_frame(), None\\n"
	"while one and gdb.solib_name(one.pc()): one, last = one.older(), one\\n"
	"if one: one.select()\\n"
	"if one and last: print('in %s, called at' % last.name())\")";

static const char *member_of(JsonObject *object, const char *name)
{
	return object ? json_object_get_string_member_with_default(object, name, "") : "";
}

static JsonObject *object_of(JsonObject *object, const char *name)
{
	return object && json_object_has_member(object, name)
	               ? json_object_get_object_member(object, name)
	               : NULL;
}

/* Why it stands there. gdb goes backwards: its old value came later. */
static void tell_reason(struct debugger *debugger, JsonObject *stopped)
{
	static const char location[] = "-location ";
	const char *reason = member_of(stopped, "reason");
	JsonObject *values = object_of(stopped, "value");

	if (g_str_equal(reason, "watchpoint-trigger") && values) {
		const char *watched = member_of(object_of(stopped, "wpt"), "exp");

		if (g_str_has_prefix(watched, location))
			watched += strlen(location);
		debugger_tell(debugger, "%s was changed from %s to %s\n", watched,
		              member_of(values, "new"), member_of(values, "old"));
	} else if (g_str_equal(reason, "signal-received")) {
		debugger_tell(debugger, "%s (%s)\n", member_of(stopped, "signal-name"),
		              member_of(stopped, "signal-meaning"));
	}
}

/* Finds out where it stands. `ret_text`: in lines; free with g_free. */
static bool look(struct debug_past *past, char **ret_text)
{
	g_autofree char *call = NULL;

	if (!order(past, select_program))
		return false;
	call = g_strdup(past->heard->str);
	if (!order(past, "frame"))
		return false;
	past->depth = past->heard->str[0] == '#' ? atoi(past->heard->str + 1) : 0;
	*ret_text = g_strconcat(call, past->heard->str, NULL);
	return true;
}

static bool tell_place(struct debug_past *past)
{
	g_autofree char *text = NULL;

	if (look(past, &text))
		debugger_tell(past->debugger, "%s", text);
	return text != NULL;
}

/* Goes back to where the program has called the library that it is in. */
static bool leave_library(struct debug_past *past)
{
	/* Functions that are inlined, or jump to others, take several. */
	for (int left = 4 * past->depth; left > 0 && past->depth > 0; left--) {
		g_autofree char *text = NULL;

		if (!order(past, "frame 0") || !order(past, "reverse-finish") || !look(past, &text))
			return false;
	}
	return true;
}

/* gdb 13 and gdb 16 say it in other words. */
static bool has_no_more(const char *said)
{
	return strstr(said, "\nNo more reverse-execution history.")
	       || strstr(said, "\nReached end of recorded history");
}

/* Lines and functions are the program's: in a library, one back is what has called it. */
void debugger_move_past(struct debugger *debugger, const char *line)
{
	struct debug_past *past = debugger->past;
	const bool is_one_back = past->depth > 0 && !g_str_equal(line, "reverse-continue");

	if (!(is_one_back ? leave_library(past) : order(past, line)))
		return;
	if (has_no_more(past->heard->str)) {
		past->depth = 0;
		debugger_tell(debugger, "the past of rank %s begins here\n", rank_name(past->rank));
		return;
	}
	tell_reason(debugger, past->stopped);
	tell_place(past);
}

void debugger_trace_past(struct debugger *debugger)
{
	struct debug_past *past = debugger->past;
	g_autofree char *frame = g_strdup_printf("#%d ", past->depth);
	const char *from;

	if (!order(past, "backtrace"))
		return;
	from = strstr(past->heard->str, frame);
	debugger_tell(debugger, "%s", from ? from : past->heard->str);
}

/* --- to the past, and back -------------------------------------------------------------------- */

static bool is_recorded(const struct debug_past *past)
{
	g_autofree char *log = g_build_filename(past->recording, "rank.0.log", NULL);

	return g_file_test(log, G_FILE_TEST_EXISTS);
}

const char *debugger_past_folder(struct debugger *debugger, GError **error)
{
	struct debug_past *past = debugger->past;
	g_autofree char *here = debugger_position_here(debugger);

	if (g_strcmp0(past->position, here) == 0)
		return past->folder;
	end_gdb(past);
	forget_recording(past);
	past->folder = g_dir_make_tmp("matchpoint-past-XXXXXX", error);
	if (!past->folder)
		return NULL;
	past->recording = g_build_filename(past->folder, "recording", NULL);
	past->position = g_steal_pointer(&here);
	return past->folder;
}

/* Returns false after refusing, or if `line` is to be obeyed later. */
static bool record_here(struct debug_past *past, const char *line)
{
	g_autoptr(GError) error = NULL;

	if (!debugger_past_folder(past->debugger, &error)) {
		debugger_refuse(past->debugger, "%s", error->message);
		return false;
	}
	if (is_recorded(past))
		return true;
	if (debugger_record(past->debugger, past->recording, line))
		return true;
	if (!past->debugger->apart)
		forget_recording(past);
	return false;
}

/* After the end of main() there are no variables any more: goes back into the last call of MPI. */
static bool stay_in_main(struct debug_past *past)
{
	static const char last_call[] = "eval \"goto-call %lu\", *(unsigned long *) &replay_call";
	g_autofree char *text = NULL;

	if (!look(past, &text))
		return false;
	return !strstr(text, " in _start ()") || order(past, last_call);
}

static bool begin(struct debug_past *past)
{
	const struct driven_gdb_options options = {past->recording, past->rank, NULL};
	g_autoptr(GError) error = NULL;

	past->gdb = driven_gdb_start(&options, &error);
	if (!past->gdb) {
		debugger_refuse(past->debugger, "%s", error->message);
		return false;
	}
	past->is_answered = past->is_running = true; /* until it stands at its beginning */
	if (!wait_for_gdb(past)) {
		lose(past);
		return false;
	}
	if (order(past, "continue") && stay_in_main(past)) {
		debugger_tell(past->debugger, "the past of rank %s ends here (now leaves it)\n",
		              rank_name(past->rank));
		if (tell_place(past))
			return true;
	}
	end_gdb(past);
	return false;
}

/* Looks at the rank's past, unless that is done already. */
static bool enter(struct debugger *debugger, int rank, const char *line)
{
	struct debug_past *past = debugger->past;

	if (rank < 0 || !debugger_has_past(debugger))
		return false;
	if (past->gdb && past->rank == rank)
		return true;
	if (!record_here(past, line))
		return false;
	end_gdb(past);
	past->rank = rank;
	return begin(past);
}

bool debugger_is_past(const struct debugger *debugger, int rank)
{
	const struct debug_past *past = debugger->past;

	return past->gdb && (rank < 0 || past->rank == rank);
}

void debugger_leave_past(struct debugger *debugger)
{
	end_gdb(debugger->past);
}

/* --- commands --------------------------------------------------------------------------------- */

static int past_rank(struct debugger *debugger, const char *rest)
{
	if (*rest)
		return debugger_read_rank(debugger, rest);
	return debugger->past->gdb ? debugger->past->rank : debugger_usual_rank(debugger);
}

static void move(struct debugger *debugger, const char *rest, const char *word)
{
	g_autofree char *line = g_strdup_printf("%s %s", word, rest);

	if (enter(debugger, past_rank(debugger, rest), line))
		debugger_move_past(debugger, word);
}

void word_reverse_next(struct debugger *debugger, const char *rest)
{
	move(debugger, rest, "reverse-next");
}

void word_reverse_finish(struct debugger *debugger, const char *rest)
{
	move(debugger, rest, "reverse-finish");
}

/* The processor watches at most this many bytes. */
#define WATCHED_MOST 32

/* Returns false after refusing. */
static bool can_be_watched(struct debugger *debugger, const char *expression)
{
	g_autofree char *line = g_strdup_printf("output sizeof(%s)", expression);
	struct debug_past *past = debugger->past;
	guint64 size;

	if (!order(past, line))
		return false;
	size = g_ascii_strtoull(past->heard->str, NULL, 10);
	if (size <= WATCHED_MOST)
		return true;
	debugger_refuse(debugger,
	                "%s has %" G_GUINT64_FORMAT " bytes, and at most %d can be watched: name "
	                "an element or a member of it",
	                expression, size, WATCHED_MOST);
	return false;
}

/* The memory, not the name: that may mean something else, or nothing, in other functions. gdb
 * cannot do that in Fortran. */
static void watch(struct debugger *debugger, const char *expression)
{
	g_autofree char *memory = g_strdup_printf("watch -location %s", expression);
	g_autofree char *name = g_strdup_printf("watch %s", expression);
	struct debug_past *past = debugger->past;

	if (obey(past, memory))
		debugger_tell(debugger, "%s", past->heard->str);
	else if (past->gdb)
		debugger_ask_past(debugger, name);
}

void word_watch(struct debugger *debugger, const char *rest)
{
	const char *expression;
	int rank = debugger_split_rank(debugger, rest, &expression);
	g_autofree char *again = g_strdup_printf("watch %s", rest);

	if (rank >= 0 && !*expression) {
		debugger_refuse(debugger, "no expression given; use watch 0 EXPRESSION, then "
		                          "reverse-continue goes back to where rank 0 has last "
		                          "changed it");
		return;
	}
	if (expression == rest && debugger->past->gdb)
		rank = debugger->past->rank;
	if (!enter(debugger, rank, again) || !can_be_watched(debugger, expression))
		return;
	watch(debugger, expression);
}

void word_now(struct debugger *debugger, const char *rest)
{
	(void)rest;
	if (!debugger->past->gdb) {
		debugger_refuse(debugger, "nothing past is looked at: watch, reverse-next and "
		                          "reverse-finish go to the past of a rank");
		return;
	}
	debugger_leave_past(debugger);
	word_where(debugger, "");
}
