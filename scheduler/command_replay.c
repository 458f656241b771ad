#include <string.h>

#include "../reports/store_reader.h"
#include "command.h"

/* One interleaving along a path; `run` is the same with an empty one. */
static int follow(struct command_options *options, const struct path *path)
{
	struct session_options *session = &options->session;
	struct session_result result = {0};
	g_autoptr(GError) error = NULL;
	gboolean fine;
	int status;

	session->path = path;
	session->synchronous_collectives |= path->synchronous_collectives;
	if (path->buffering == BUFFERING_ZERO)
		session->bufferings = RECORD_ZERO;
	else if (path->buffering == BUFFERING_INFINITE)
		session->bufferings = RECORD_INFINITE;
	else if (!options->buffering) /* any would do; a finding's roll-call is of the first */
		session->bufferings = path->choices->len > 0 ? RECORD_ZERO : RECORD_INFINITE;
	fine = session_run(session, &result, &error);
	status = result.findings->len > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
	if (!fine)
		command_complain("%s", error->message);
	if (fine && result.lost) {
		command_complain("the program does not follow this path: %s", result.lost_reason);
		fine = FALSE;
	} else if (fine && !result.exploration->complete) {
		command_complain("%s", result.exploration->incomplete_reason);
		fine = FALSE;
	} else if (fine && !command_report_all(options)) {
		fine = FALSE;
	}
	session_result_clear(&result);
	return fine ? status : EXIT_CANNOT;
}

static int run_once(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "run", .deviations = -1}};
	int status = command_parse(
		&options, &argc, &argv, NULL,
		"-n N [--] PROGRAM [ARG...] - one controlled execution, recorded",
		"matchpoint run -n 4 ./solver");
	struct path *path;

	if (status == EXIT_CLEAN)
		status = command_inspect(&options);
	if (status == EXIT_CLEAN) {
		path = path_new(options.session.ranks, BUFFERING_ANY, FALSE);
		status = follow(&options, path);
		path_free(path);
	}
	command_options_release(&options);
	return status;
}

const struct command command_run = {
	"run",
	"one controlled execution, recorded",
	run_once,
};

/* The path and, unless the command line names one, the program of a finding in the store. */
static char *path_of_finding(struct command_options *options, guint32 id, GError **error)
{
	g_autoptr(StoreReader) reader = store_reader_open(options->session.store, error);
	const struct record_finding *finding;

	if (!reader)
		return NULL;
	finding = store_reader_finding(reader, id);
	if (!finding) {
		g_set_error(error, SESSION_ERROR, 0, "there is no finding %u in %s", id,
		            options->session.store);
		return NULL;
	}
	if (!options->program[0]) {
		g_strfreev(options->program);
		options->program = g_strdupv(store_reader_exploration(reader)->program);
	}
	return g_strdup(finding->path);
}

static struct path *find_path(struct command_options *options, const char *word)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	struct path *path = NULL;
	guint64 id;

	if (g_ascii_string_to_unsigned(word, 10, 1, G_MAXUINT32, &id, NULL))
		text = path_of_finding(options, (guint32)id, &error);
	else
		text = g_strdup(word);
	if (text)
		path = path_parse(text, &error);
	if (!path)
		command_complain("%s", error->message);
	return path;
}

/* PATH stands first, or behind the options; takes it out of what is left of the command line. */
static char *take_word(struct command_options *options, int *argc, char **argv)
{
	char **words = options->program;
	char *word;

	if (!words) {
		if (*argc < 2 || argv[1][0] == '-')
			return NULL;
		word = g_strdup(argv[1]);
		(*argc)--;
		memmove(argv + 1, argv + 2, (gsize)*argc * sizeof(*argv));
		return word;
	}
	if (!words[0])
		return NULL;
	word = g_strdup(words[0]);
	options->program = g_strdupv(words + (words[1] && strcmp(words[1], "--") == 0 ? 2 : 1));
	g_strfreev(words);
	return word;
}

static int prepare(struct command_options *options, const char *word, struct path **ret_path)
{
	struct path *path;

	if (!word) {
		command_complain("which path? Say for example: matchpoint replay mp1:n4:0.3=1 -- "
		                 "./solver");
		return EXIT_USAGE;
	}
	path = *ret_path = find_path(options, word);
	if (!path)
		return EXIT_USAGE;
	if (options->session.ranks != 0 && options->session.ranks != path->ranks) {
		command_complain("the path is for %d ranks, not %d", path->ranks,
		                 options->session.ranks);
		return EXIT_USAGE;
	}
	options->session.ranks = path->ranks;
	options->session.program = options->program;
	return command_inspect(options);
}

static int replay(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "replay", .deviations = -1}};
	g_autofree char *word = take_word(&options, &argc, argv);
	g_autofree char *beside = NULL;
	struct path *path = NULL;
	int status = command_parse(&options, &argc, &argv, NULL,
	                           "PATH|FINDING [-- PROGRAM ARG...] - one interleaving again, the "
	                           "same way",
	                           "matchpoint replay mp1:n4:0.3=1 -- ./solver");

	if (status == EXIT_CLEAN && !word)
		word = take_word(&options, &argc, argv);
	if (status == EXIT_CLEAN)
		status = prepare(&options, word, &path);
	if (status == EXIT_CLEAN) {
		/* The exploration's store stays as it is. */
		beside = g_build_filename(options.session.store, "replay", NULL);
		options.session.store = beside;
		status = follow(&options, path);
	}
	path_free(path);
	command_options_release(&options);
	return status;
}

const struct command command_replay = {
	"replay",
	"one interleaving again, the same way",
	replay,
};
