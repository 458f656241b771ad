#include <stdio.h>
#include <unistd.h>

#include "command.h"

/* The progress line on a terminal is redrawn in place; elsewhere a line every so often. */
#define PLAIN_EVERY_S 10.0

struct progress {
	gboolean terminal;
	double last; /* seconds at the last line */
};

static void show_progress(void *user, const struct session_progress *now)
{
	struct progress *progress = user;
	double rate = now->seconds > 0 ? (double)now->interleavings / now->seconds : 0;

	if (!progress->terminal && now->seconds - progress->last < PLAIN_EVERY_S)
		return;
	progress->last = now->seconds;
	fprintf(stderr,
	        "%s%" G_GUINT64_FORMAT " interleavings, %" G_GUINT64_FORMAT
	        " waiting, %.0f a second, %" G_GUINT64_FORMAT
	        " findings, %u choices deep, %.0f s%s",
	        progress->terminal ? "\r\033[K" : "matchpoint: ", now->interleavings, now->waiting,
	        rate, now->findings, now->depth, now->seconds, progress->terminal ? "" : "\n");
	fflush(stderr);
}

static int exit_status(const struct session_result *result)
{
	if (result->findings->len > 0)
		return EXIT_FINDINGS;
	return result->exploration->complete ? EXIT_CLEAN : EXIT_INCOMPLETE;
}

static int explore(struct command_options *options)
{
	struct progress progress = {isatty(STDERR_FILENO), 0};
	struct session_result result = {0};
	g_autoptr(GError) error = NULL;
	gboolean fine;
	int status;

	if (!options->quiet) {
		options->session.progress = show_progress;
		options->session.user = &progress;
	}
	fine = session_run(&options->session, &result, &error);
	if (progress.terminal && progress.last > 0)
		fputs("\r\033[K", stderr);
	status = exit_status(&result);
	if (!fine)
		command_complain("%s", error->message);
	if ((fine || result.exploration->interleavings > 0) && !command_report_all(options))
		fine = FALSE;
	session_result_clear(&result);
	return fine ? status : EXIT_CANNOT;
}

static int run(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "explore", .deviations = -1}};
	struct session_options *session = &options.session;
	gint64 interleavings = 0;
	const GOptionEntry entries[] = {
		{"backtrack", 0, 0, G_OPTION_ARG_STRING, &options.backtrack,
	         "how to return to a choice: auto, snapshot, rerun", "WORD"},
		{"max-interleavings", 0, 0, G_OPTION_ARG_INT64, &interleavings,
	         "stop after so many", "N"},
		{"max-time", 0, 0, G_OPTION_ARG_DOUBLE, &session->max_seconds,
	         "stop after so many seconds", "S"},
		{"max-memory", 0, 0, G_OPTION_ARG_STRING, &options.max_memory,
	         "memory for snapshots, as 512M or 2G (default: half of what is free)", "SIZE"},
		{"deviations", 0, 0, G_OPTION_ARG_INT, &session->deviations,
	         "only paths that differ from the default choice at most K times", "K"},
		{"fail-fast", 0, 0, G_OPTION_ARG_NONE, &session->fail_fast,
	         "stop at the first finding", NULL},
		{"keep-going", 0, 0, G_OPTION_ARG_NONE, &options.keep_going,
	         "do not stop at findings (the default)", NULL},
		G_OPTION_ENTRY_NULL,
	};
	int status = command_parse(
		&options, &argc, &argv, entries,
		"-n N [--] PROGRAM [ARG...] - run every interleaving, report "
		"what is wrong",
		"matchpoint explore -n 4 --json report.json -- ./solver input.dat");

	if (status == EXIT_CLEAN && (interleavings < 0 || session->max_seconds < 0)) {
		command_complain("a bound cannot be negative");
		status = EXIT_USAGE;
	}
	if (options.keep_going)
		session->fail_fast = FALSE;
	session->max_interleavings = (guint64)interleavings;
	if (status == EXIT_CLEAN)
		status = command_inspect(&options);
	if (status == EXIT_CLEAN)
		status = explore(&options);
	command_options_release(&options);
	return status;
}

const struct command command_explore = {
	"explore",
	"run every interleaving, report what is wrong",
	run,
};
