#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_line.h"
#include "command_replay_recording.h"
#include "explorer/rank_name.h"
#include "recordings.h"
#include "restarted.h"
#include "scheduler/recording/recording.h"
#include "scheduler/store/reader.h"

/* Runs one interleaving along a path. `run` does it with an empty one. */
static int follow_path(struct command_options *options, const struct path *path)
{
	struct session_options *session = &options->session;
	struct session_result result = {0};
	struct position *position;
	g_autoptr(GError) error = NULL;
	bool fine;
	int status;

	position = position_of(path->ranks, path->nodes, path->buffering, path->collectives,
	                       path->choices);
	session->position = position;
	if (path->buffering == BUFFERING_ZERO)
		session->bufferings = RECORD_ZERO;
	else if (path->buffering == BUFFERING_INFINITE)
		session->bufferings = RECORD_INFINITE;
	else if (path->buffering == BUFFERING_PER_SEND)
		session->bufferings = RECORD_PER_SEND;
	else if (!options->buffering)
		session->bufferings = 1u << path_usual_buffering(path->choices);
	if (!options->quiet)
		session->progress = command_show_unresponsive;
	fine = session_run(session, &result, &error);
	status = result.findings->len > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
	if (!fine)
		command_complain_of_session(error);
	if (fine && result.lost) {
		command_complain("the program does not follow this path: %s", result.lost_reason);
		fine = false;
	} else if (fine && !result.exploration->complete) {
		command_complain("%s", result.exploration->incomplete_reason);
		for (guint i = 0; i < result.exploration->notes->len; i++)
			fprintf(stderr, "  %s\n",
			        (const char *)g_ptr_array_index(result.exploration->notes, i));
		fine = false;
	} else if (fine && !command_report_all(options)) {
		fine = false;
	}
	session_result_clear(&result);
	position_free(position);
	return fine ? status : EXIT_CANNOT;
}

/* The directory for the run if the store holds an exploration, which one run must not replace;
 * NULL: the store itself. Free with g_free. */
static char *beside_exploration(const struct command_options *options)
{
	const char *store = options->session.store;
	g_autoptr(StoreReader) reader = store_reader_open(store, NULL);
	char *beside;

	if (!reader || g_str_equal(store_reader_exploration(reader)->command, "run"))
		return NULL;
	beside = g_build_filename(store, "run", NULL);
	if (!options->quiet)
		command_complain(
			"%s holds an exploration, which is kept; this run is recorded in %s", store,
			beside);
	return beside;
}

static int run_once(int argc, char **argv)
{
	g_autofree char *beside = NULL;
	struct command_options options = {.session = {.command = "run", .deviations = -1},
	                                  .saves = true};
	int status = command_parse(&options, &command_run, &argc, &argv, NULL);
	struct path *path;

	if (status == EXIT_CLEAN)
		status = command_inspect(&options);
	if (status == EXIT_CLEAN) {
		beside = beside_exploration(&options);
		if (beside)
			options.session.store = beside;
		path = options.restarted ? restarted_path(options.restarted)
		                         : path_new(options.session.ranks, options.session.nodes,
		                                    BUFFERING_ANY, COLLECTIVES_ANY);
		if (options.restarted)
			command_follow_collectives(&options, path);
		status = follow_path(&options, path);
		path_free(path);
	}
	command_options_release(&options);
	return status;
}

const struct command command_run = {
	.name = "run",
	.summary = "run one controlled execution and record it",
	.synopsis = "-n N [--] PROGRAM [ARG...] [: -n N PROGRAM [ARG...]]...",
	.example = "matchpoint run -n 4 ./solver",
	.run = run_once,
	.runs_ranks = true,
};

/* The command that the ranks run under. */
struct under {
	int gdb, rank;
	gboolean in_step; /* for GOption; of a recording alone */
	char *command, *alone, *recording;
	struct wrapper wrapper;
};

static bool use_debugger(struct under *under)
{
	static const char *const words[] = {"gdb",    "-q",
	                                    "-iex",   "set debuginfod enabled off",
	                                    "-iex",   "set startup-with-shell off",
	                                    "--args", NULL};
	const char *terminal = ttyname(STDIN_FILENO);

	if (!terminal) {
		command_complain("--gdb needs a terminal; without one use: --wrap-rank %s --wrap "
		                 "\"gdb -batch -ex run -ex bt --args\"",
		                 rank_name(under->gdb));
		return false;
	}
	under->wrapper.words = g_strdupv((char **)words);
	under->wrapper.rank = under->gdb;
	under->wrapper.terminal = g_strdup(terminal);
	return true;
}

static bool use_command(struct under *under)
{
	g_autoptr(GError) error = NULL;

	if (!g_shell_parse_argv(under->command, NULL, &under->wrapper.words, &error)) {
		command_complain("--wrap: %s", error->message);
		return false;
	}
	under->wrapper.rank = under->rank;
	return true;
}

/* Returns false after printing an error. */
static bool interpret_under(struct under *under, struct session_options *session)
{
	g_autofree char *found = NULL;
	int rank = MAX(under->gdb, under->rank);

	if (under->recording && (under->gdb >= 0 || under->command)) {
		command_complain("--record cannot be combined with --gdb or --wrap: first record, "
		                 "then matchpoint replay %s --rank R --gdb",
		                 under->recording);
		return false;
	}
	if (under->gdb >= 0 && (under->command || under->rank >= 0)) {
		command_complain("--gdb cannot be combined with --wrap");
		return false;
	}
	if (under->rank >= 0 && !under->command) {
		command_complain("--wrap-rank needs --wrap");
		return false;
	}
	if (under->gdb < -1 || under->rank < -1 || rank >= session->ranks) {
		command_complain("there is no such rank among %d to debug", session->ranks);
		return false;
	}
	if (under->recording)
		return recordings_begin(under->recording, &under->wrapper, session);
	if (under->gdb < 0 && !under->command)
		return true;
	if (!(under->command ? use_command(under) : use_debugger(under)))
		return false;
	found = g_find_program_in_path(under->wrapper.words[0]);
	if (!found) {
		command_complain("there is no program %s on the PATH", under->wrapper.words[0]);
		return false;
	}
	session->wrapper = &under->wrapper;
	return true;
}

/* The recording that is named on the line; NULL: none. */
static const char *named_recording(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--record") == 0) /* its value is one that is made */
			i++;
		else if (argv[i][0] != '-' && recording_is_there(argv[i]))
			return argv[i];
	}
	return NULL;
}

static const char rank_help[] = "of a recording (matchpoint record): run these ranks alone",
		  step_help[] = "of a recording: run the ranks (of --rank, else all) beside each "
				"other; a receive waits until the sender has come to the send",
		  listen_help[] =
			  "the same, for a front end that connects to PORT of this machine, "
			  "or to a Unix socket";

/* What stands behind "--" on the line; NULL: there is no "--". It is cut off. */
static char **cut_off(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		argv[i] = NULL;
		*argc = i;
		return argv + i + 1;
	}
	return NULL;
}

/* What the user asks of a recording. */
struct alone {
	char *ranks, *listen;
	gboolean gdb, in_step; /* for GOption */
	char **arguments;      /* of gdb */
};

static int replay_alone(const char *directory, const struct alone *alone)
{
	if (alone->in_step && (alone->gdb || alone->listen)) {
		command_complain("--in-step cannot be combined with --gdb or --listen: who goes "
		                 "back and forth in a rank runs it many times, and no other rank "
		                 "can keep step with that");
		return EXIT_USAGE;
	}
	if (!alone->ranks && !alone->in_step) {
		command_complain("%s is a recording: which rank? (--rank R)", directory);
		return EXIT_USAGE;
	}
	if (alone->gdb && alone->listen) {
		command_complain("--gdb starts gdb, --listen waits for another: one of them");
		return EXIT_USAGE;
	}
	if (alone->arguments && !alone->gdb) {
		command_complain("a recording is replayed without a program: matchpoint replay DIR "
		                 "--rank R; with --gdb, what follows -- is gdb's");
		return EXIT_USAGE;
	}
	if (alone->gdb || alone->listen)
		return recordings_debug(directory, alone->ranks, alone->listen, alone->arguments);
	return alone->in_step ? recordings_replay_in_step(directory, alone->ranks)
	                      : recordings_replay(directory, alone->ranks);
}

static int replay_recording(int argc, char **argv)
{
	struct command_line *line = command_line_new(&command_replay);
	struct alone alone = {.arguments = cut_off(&argc, argv)};
	const GOptionEntry entries[] = {
		{"rank", 0, 0, G_OPTION_ARG_STRING, &alone.ranks, rank_help, "R[,R...]"},
		{"gdb", 0, 0, G_OPTION_ARG_NONE, &alone.gdb, "run gdb on the rank", NULL},
		{"listen", 0, 0, G_OPTION_ARG_STRING, &alone.listen, listen_help, "PORT|PATH"},
		{"in-step", 0, 0, G_OPTION_ARG_NONE, &alone.in_step, step_help, NULL},
		G_OPTION_ENTRY_NULL,
	};
	int status = EXIT_USAGE;

	command_line_add(line, entries);
	if (command_line_parse(line, &argc, &argv, false)) {
		if (argc != 2)
			command_complain("a recording is replayed without a program: matchpoint "
			                 "replay DIR --rank R");
		else
			status = replay_alone(argv[1], &alone);
	}
	command_line_free(line);
	g_free(alone.ranks);
	g_free(alone.listen);
	return status;
}

static bool has_option(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (g_str_has_prefix(argv[i], name)
		    && (!argv[i][strlen(name)] || argv[i][strlen(name)] == '='))
			return true;
	return false;
}

/* Whether an option stands on the line that only a recording has. */
static bool wants_recording(int argc, char **argv)
{
	return has_option(argc, argv, "--rank") || has_option(argc, argv, "--listen")
	       || has_option(argc, argv, "--in-step");
}

/* Of a recording: one rank alone. */
static bool wants_rank(int argc, char **argv)
{
	return wants_recording(argc, argv) || has_option(argc, argv, "--gdb");
}

static int replay_run(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "replay", .deviations = -1},
	                                  .takes_word = true};
	struct under under = {.gdb = -1, .rank = -1};
	g_autofree char *beside = NULL;
	struct path *path = NULL;
	guint32 id;
	const GOptionEntry entries[] = {
		{"gdb", 0, 0, G_OPTION_ARG_INT, &under.gdb,
	         "run RANK under gdb on the terminal; the others wait for it. With --rank: run gdb "
	         "on that rank alone, forwards and backwards (without RANK; what follows -- is "
	         "gdb's)",
	         "RANK"},
		{"wrap", 0, 0, G_OPTION_ARG_STRING, &under.command,
	         "run the ranks under CMD, as \"valgrind -q\"", "CMD"},
		{"wrap-rank", 0, 0, G_OPTION_ARG_INT, &under.rank, "wrap only RANK", "RANK"},
		{"record", 0, 0, G_OPTION_ARG_FILENAME, &under.recording,
	         "record the interleaving; then matchpoint replay DIR --rank R --gdb debugs one "
	         "rank "
	         "alone, forwards and backwards",
	         "DIR"},
		{"rank", 0, 0, G_OPTION_ARG_STRING, &under.alone, rank_help, "R[,R...]"},
		{"listen", 0, 0, G_OPTION_ARG_STRING, &under.alone, listen_help, "PORT|PATH"},
		{"in-step", 0, 0, G_OPTION_ARG_NONE, &under.in_step, step_help, NULL},
		G_OPTION_ENTRY_NULL,
	};
	int status;

	if (named_recording(argc, argv))
		return wants_rank(argc, argv) ? replay_recording(argc, argv)
		                              : command_replay_recording(argc, argv);
	if (wants_recording(argc, argv)) {
		command_complain(
			"--rank, --listen and --in-step need the folder of a recording; see "
			"matchpoint record");
		return EXIT_USAGE;
	}
	status = command_parse(&options, &command_replay, &argc, &argv, entries);
	if (status == EXIT_CLEAN)
		status = command_find_path(&options, &path, &id);
	if (status == EXIT_CLEAN && !interpret_under(&under, &options.session))
		status = EXIT_USAGE;
	if (status == EXIT_CLEAN) {
		/* Keeps the exploration's store as it is. */
		beside = g_build_filename(options.session.store, "replay", NULL);
		options.session.store = beside;
		command_follow_collectives(&options, path);
		status = follow_path(&options, path);
		if (under.recording && !recordings_are_whole(under.recording))
			status = EXIT_CANNOT;
	}
	path_free(path);
	wrapper_clear(&under.wrapper);
	g_free(under.command);
	g_free(under.alone);
	g_free(under.recording);
	command_options_release(&options);
	return status;
}

const struct command command_replay = {
	.name = "replay",
	.summary = "run one interleaving again, the same way",
	.synopsis = "PATH|FINDING|DIR [-- PROGRAM ARG...]",
	.example = "matchpoint replay mp1:n4:0.3=1 -- ./solver",
	.run = replay_run,
	.runs_ranks = true,
};
