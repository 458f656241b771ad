#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorded_job.h"
#include "recordings.h"
#include "restarted.h"
#include "scheduler/debug/debugger.h"
#include "scheduler/page/page_server.h"
#include "scheduler/recording/recording.h"
#include "scheduler/store/reader.h"

/* The parsed command line of debug. */
struct debug_command {
	struct debug_session debug;
	struct path *path;           /* NULL: none given */
	struct store_reader *reader; /* exploration that has the finding; NULL: none */
	char *store;                 /* directory for the session's interleavings */
	GPtrArray *same;             /* char *: options for commands that repeat an interleaving */
	struct command_options *options;
	struct recorded_job job; /* if the word is a recording's folder */
	struct wrapper recorder; /* of --record */
	char *script, *recording;
	char *title;         /* title of pages */
	GStrv larger;        /* the program, with more processes that it spawns; NULL: not yet */
	char *port;          /* --web PORT; NULL: any */
	gboolean batch, web; /* GOption */
};

static void debug_command_clear(struct debug_command *asked)
{
	path_free(asked->path);
	recorded_job_close(&asked->job);
	store_reader_close(asked->reader);
	g_clear_error(&asked->debug.error);
	g_free(asked->store);
	g_free(asked->script);
	g_free(asked->recording);
	wrapper_clear(&asked->recorder);
	g_free(asked->title);
	g_strfreev(asked->larger);
	prompt_input_clear(&asked->debug.input);
	g_free(asked->port);
	if (asked->same)
		g_ptr_array_unref(asked->same);
}

/* A folder, a number, or a word with the prefix of paths. Any other word is a program. */
static bool is_folder_finding_or_path(const char *word)
{
	size_t digits = strspn(word, "0123456789");

	if (digits > 0 && word[digits] == '\0')
		return true;
	if (g_file_test(word, G_FILE_TEST_IS_DIR))
		return true;
	return g_str_has_prefix(word, "mp") && g_ascii_isdigit(word[2]) && strchr(word, ':');
}

/* --web PORT. Numbers below 1024 are findings. */
static bool is_port(void *user, const char *word)
{
	struct debug_command *asked = user;

	if (!asked->web || asked->port || word[strspn(word, "0123456789")] != '\0'
	    || strlen(word) < 4 || (strlen(word) == 4 && strcmp(word, "1024") < 0))
		return false;
	asked->port = g_strdup(word);
	return true;
}

/* Replaces a finding's path, which omits default choices, by one with every choice: the session can
 * stop at each. */
static bool name_all_choices(struct debug_command *asked, guint32 id, GError **error)
{
	g_autoptr(RecordExecution) example = store_reader_example(asked->reader, id, error);
	struct path *whole = example ? path_parse(example->path, NULL) : NULL;

	if (whole) {
		path_free(asked->path);
		asked->path = whole;
	}
	if (g_error_matches(*error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		g_clear_error(error); /* only replays show this finding */
	return !*error;
}

/* Sets the stop to just before the choice to blame; if none is known, to the end of the path. */
static bool find_blame(struct debug_command *asked, const char *store, guint32 id)
{
	struct debug_request *request = &asked->debug.request;
	g_autoptr(GError) error = NULL;
	const GArray *choices;

	request->stands_before = asked->path->choices->len;
	if (id == 0)
		return true;
	asked->reader = store_reader_open(store, &error);
	if (!asked->reader || !name_all_choices(asked, id, &error)) {
		command_complain("%s", error->message);
		return false;
	}
	choices = asked->path->choices;
	request->stands_before = choices->len;
	request->finding = id;
	request->blame = store_reader_finding(asked->reader, id)->blame;
	for (guint i = 0; request->blame && i < choices->len; i++)
		if (point_equal(&g_array_index(choices, struct choice, i).point,
		                &request->blame->point))
			request->stands_before = MIN(request->stands_before, i);
	return true;
}

static void add_value(GPtrArray *words, const char *option, const char *value)
{
	if (!value)
		return;
	g_ptr_array_add(words, g_strdup(option));
	g_ptr_array_add(words, g_strdup(value));
}

/* Collects the options that affect how the program runs, except those that a path contains. */
static void name_options(const struct command_options *options, struct debug_command *asked)
{
	g_autofree char *not_yet = g_strdup_printf("%d", options->not_yet);
	g_autofree char *some = g_strdup_printf("%d", options->some);
	GPtrArray *words = asked->same = g_ptr_array_new_with_free_func(g_free);

	add_value(words, "--launcher", options->launcher);
	add_value(words, "--stdin", options->session.standard_input);
	add_value(words, "--backtrack", options->backtrack);
	add_value(words, "--collectives", options->collectives);
	add_value(words, "--not-yet", not_yet);
	add_value(words, "--some", some);
	for (char **kinds = options->ignored; kinds && *kinds; kinds++)
		add_value(words, "--ignore", *kinds);
	add_value(words, "--errors-returned", options->errors_returned);
	if (options->session.virtual_time)
		g_ptr_array_add(words, g_strdup("--virtual-time"));
	g_ptr_array_add(words, NULL);
}

/* Checked at the start, as the report is written only when the session ends. NULL: the file is
 * writable. Free with g_free. */
static char *why_not_writable(const char *file)
{
	g_autofree char *folder = g_path_get_dirname(file);
	bool is_there = g_file_test(file, G_FILE_TEST_EXISTS);

	if (g_file_test(file, G_FILE_TEST_IS_DIR))
		return g_strdup_printf("%s is a folder", file);
	if (access(is_there ? file : folder, W_OK) == 0)
		return NULL;
	return g_strdup_printf("cannot write %s: %s", file, g_strerror(errno));
}

/* Accepts a report's file name, as "report.html". */
static bool add_report(void *user, const char *file, char **ret_problem)
{
	struct debug_command *asked = user;
	int format = report_for_file(file);
	const struct report *report = report_list()[format];

	if (format == 0)
		return false;
	*ret_problem = report->unavailable ? g_strdup(report->unavailable) : why_not_writable(file);
	if (!*ret_problem) {
		g_free(asked->options->reports[format]);
		asked->options->reports[format] = g_canonicalize_filename(file, NULL);
	}
	return true;
}

/* Finds the path of a recording's job, and sets what was recorded of its start. Returns EXIT_CLEAN;
 * or another status after printing an error. */
static int follow_recording(struct command_options *options, struct debug_command *asked)
{
	int status;

	if (options->program[0]) {
		command_complain("the recording %s names the program and its choices: matchpoint "
		                 "debug %s, without another program or path",
		                 options->word, options->word);
		return EXIT_USAGE;
	}
	recorded_job_make_absolute(&asked->script);
	status = recorded_job_open(options, options->word, NULL, &asked->job);
	if (status == EXIT_CLEAN)
		asked->path = recorded_job_path(options, &asked->job, &status);
	if (asked->path && !options->quiet)
		command_complain("in the folder of the recorded run, %s", asked->job.start.folder);
	return status;
}

/* What is to be debugged: a finding's path, a path, or a recording; else the program. */
static int find_start(struct command_options *options, struct debug_command *asked, guint32 *ret_id)
{
	const char *first = options->program[0];

	if (options->restarted) {
		asked->path = restarted_path(options->restarted);
		asked->debug.request.position = restarted_position(options->restarted);
		return command_inspect(options);
	}
	if (!options->word)
		return command_inspect(options);
	if (recording_is_there(options->word))
		return follow_recording(options, asked);
	if (first && recording_is_there(first)) {
		command_complain("%s is a recording, not a program: matchpoint debug %s, without a "
		                 "path, follows it",
		                 first, first);
		return EXIT_USAGE;
	}
	return command_find_path(options, &asked->path, ret_id);
}

static void set_program(struct debug_command *asked, char *const *program, int ranks)
{
	struct debug_request *request = &asked->debug.request;

	request->program = (const char *const *)program;
	request->ranks = ranks;
	g_free(asked->title);
	asked->title = g_strdup_printf("%s on %d ranks", program[0], ranks);
	request->title = asked->title;
}

/* As in struct session_options. What was typed so far is repeated. */
static bool take_larger(void *debug_session, char *const *program, int ranks)
{
	struct debug_command *asked = (struct debug_command *)((char *)debug_session
	                                                       - offsetof(struct debug_command,
	                                                                  debug));
	const struct debug_request *request = &asked->debug.request;

	if (request->path || request->position || asked->recording)
		return false;
	printf("the program spawns processes: it begins again on %d ranks\n", ranks);
	g_strfreev(asked->larger);
	asked->larger = g_strdupv((char **)(uintptr_t)program);
	set_program(asked, asked->larger, ranks);
	return true;
}

static int prepare(struct command_options *options, struct debug_command *asked)
{
	struct session_options *session = &options->session;
	struct debug_request *request = &asked->debug.request;
	guint32 id = 0;
	int status;

	if (asked->port && (strlen(asked->port) > 5 || atoi(asked->port) > 65535)) {
		command_complain("--web %s: the largest port is 65535", asked->port);
		return EXIT_USAGE;
	}
	if (asked->web && !asked->port && options->word && options->ranks
	    && options->word[strspn(options->word, "0123456789")] == '\0') {
		command_complain("--web %s: ports below 1024 belong to the system; for example: "
		                 "--web 8080",
		                 options->word);
		return EXIT_USAGE;
	}
	status = find_start(options, asked, &id);
	if (status != EXIT_CLEAN)
		return status;
	if (asked->path && !find_blame(asked, session->store, id))
		return EXIT_CANNOT;
	if (asked->path)
		command_follow_collectives(options, asked->path);
	if (asked->path && asked->path->buffering != BUFFERING_ANY)
		request->buffering = asked->path->buffering;
	else if (asked->path && !options->buffering)
		request->buffering = path_usual_buffering(asked->path->choices);
	else if (session->bufferings & RECORD_ZERO)
		request->buffering = BUFFERING_ZERO;
	else
		request->buffering = session->bufferings & RECORD_INFINITE ? BUFFERING_INFINITE
		                                                           : BUFFERING_PER_SEND;
	session->bufferings = 1u << request->buffering;
	request->collectives = session->collectives;
	set_program(asked, session->program, session->ranks);
	request->nodes = session->nodes;
	request->path = asked->path;
	request->script = asked->script;
	request->batch = asked->batch;
	request->web = asked->web;
	request->port = asked->port ? atoi(asked->port) : 0;
	asked->store = g_build_filename(session->store, "debug", NULL);
	session->store = asked->store;
	name_options(options, asked);
	asked->options = options;
	request->store = asked->store;
	request->options = (const char *const *)asked->same->pdata;
	request->environment = session->environment;
	request->add_report = add_report;
	request->user = asked;
	if (asked->recording && !recordings_begin(asked->recording, &asked->recorder, session))
		return EXIT_CANNOT;
	session->every_call_waits = true; /* so that each call can be held */
	session->contents = true;
	session->images = true;
	session->keeps_history = true;
	session->conduct = debug_conduct;
	session->take_larger = take_larger;
	session->scripted = &asked->debug;
	session->interrupted = debugger_interrupted;
	return EXIT_CLEAN;
}

static int debug(struct command_options *options, struct debug_command *asked)
{
	static const int statuses[] = {[DEBUG_NOT_ENDED] = EXIT_INCOMPLETE,
	                               [DEBUG_ENDED_WELL] = EXIT_CLEAN,
	                               [DEBUG_WENT_WRONG] = EXIT_FINDINGS};
	struct session_result result = {0};
	g_autoptr(GError) error = NULL;
	bool fine = session_run(&options->session, &result, &error);

	session_result_clear(&result);
	fflush(stdout);
	if (asked->job.run)
		recorded_job_leave(&asked->job);
	if (!fine)
		command_complain_of_session(error);
	if (asked->debug.error) {
		bool web = asked->debug.error->domain == PAGE_SERVER_ERROR;

		command_complain("%s%s", web ? "" : "-x: ", asked->debug.error->message);
		return web ? EXIT_CANNOT : EXIT_USAGE;
	}
	options->quiet = true; /* the prompt has printed the verdict */
	if (!fine || !command_report_all(options))
		return EXIT_CANNOT;
	return statuses[asked->debug.end];
}

static int run(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "debug", .deviations = -1},
	                                  .takes_word = true,
	                                  .saves = true,
	                                  .is_word = is_folder_finding_or_path,
	                                  .is_number = is_port,
	                                  .reads_lines = true};
	struct debug_command asked = {0};
	const GOptionEntry entries[] = {
		{"command", 'x', 0, G_OPTION_ARG_FILENAME, &asked.script,
	         "read commands from FILE first", "FILE"},
		{"batch", 0, 0, G_OPTION_ARG_NONE, &asked.batch,
	         "exit at the end of FILE, with replay's exit status for the last interleaving",
	         NULL},
		{"web", 0, 0, G_OPTION_ARG_NONE, &asked.web,
	         "show the session in a browser as well: --web, or --web 8080 for that port", NULL},
		{"record", 0, 0, G_OPTION_ARG_FILENAME, &asked.recording,
	         "record the ranks; DIR has those of the last interleaving, up to where they stood",
	         "DIR"},
		{"backtrack", 0, 0, G_OPTION_ARG_STRING, &options.backtrack,
	         "how to go back: auto, snapshot, rerun, rewind", "WORD"},
		G_OPTION_ENTRY_NULL,
	};
	int status;

	options.user = &asked;
	status = command_parse(&options, &command_debug, &argc, &argv, entries);

	if (status == EXIT_CLEAN)
		status = prepare(&options, &asked);
	if (status == EXIT_CLEAN)
		status = debug(&options, &asked);
	debug_command_clear(&asked);
	command_options_release(&options);
	return status;
}

const struct command command_debug = {
	.name = "debug",
	.summary = "control an interleaving by hand: step, choose, go back",
	.synopsis = "-n N [--] PROGRAM [ARG...] | FINDING|PATH [-- PROGRAM ARG...] | DIR",
	.example = "matchpoint debug -n 4 ./solver",
	.run = run,
	.runs_ranks = true,
};
