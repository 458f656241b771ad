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

static int replay(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "replay", .deviations = -1}};
	g_autofree char *word = command_take_word(&options, &argc, argv);
	g_autofree char *beside = NULL;
	struct path *path = NULL;
	guint32 id;
	int status = command_parse(&options, &argc, &argv, NULL,
	                           "PATH|FINDING [-- PROGRAM ARG...] - one interleaving again, the "
	                           "same way",
	                           "matchpoint replay mp1:n4:0.3=1 -- ./solver");

	if (status == EXIT_CLEAN && !word)
		word = command_take_word(&options, &argc, argv);
	if (status == EXIT_CLEAN)
		status = command_find_path(&options, word, &path, &id);
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
