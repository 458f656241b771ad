#include "command_replay_recording.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "scheduler/recording/recorded_run.h"
#include "scheduler/recording/recorded_start.h"
#include "scheduler/recording/recording.h"

/* Polls are answered "not yet" as often in a row as in the recording, up to this number. */
#define NOT_YET_MOST 1000

/* Returns false after printing an error. */
static bool set_buffering(struct command_options *options, const struct recorded_run *run)
{
	struct session_options *session = &options->session;

	if (!options->buffering)
		session->bufferings = 1u << recorded_run_buffering(run);
	if ((session->bufferings & (session->bufferings - 1)) == 0)
		return true;
	command_complain("--buffering: one run has one: zero, infinite or per-send");
	return false;
}

static void tell_notes(const struct recorded_run *run)
{
	g_autoptr(GPtrArray) notes = recorded_run_notes(run);

	for (guint i = 0; i < notes->len; i++)
		command_complain("%s", (const char *)notes->pdata[i]);
}

static void tell_followed(const struct command_options *options,
                          const struct recorded_run_result *followed)
{
	if (!options->quiet)
		printf("followed %u of %u matches of %s%s\npath: %s\n", followed->followed,
		       followed->matches, options->word,
		       followed->is_over ? ", and ended where the recording ends" : "",
		       followed->path);
}

/* What came of the session. */
static int tell_result(struct command_options *options, const struct recorded_run *run,
                       const struct session_result *result)
{
	const struct recorded_run_result followed = recorded_run_result(run);

	if (!options->quiet || followed.lost)
		tell_notes(run);
	if (followed.lost) {
		command_complain("the program does not follow the recording: %s", followed.lost);
		return EXIT_CANNOT;
	}
	if (followed.is_over) {
		tell_followed(options, &followed);
		return EXIT_INCOMPLETE;
	}
	if (!followed.path || !result->exploration->complete) {
		command_complain("%s", result->exploration->incomplete_reason
		                               ? result->exploration->incomplete_reason
		                               : "the run has not come to an end");
		return EXIT_CANNOT;
	}
	if (!command_report_all(options))
		return EXIT_CANNOT;
	tell_followed(options, &followed);
	return result->findings->len > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* In the folder of the recorded run. */
static bool run_it(struct command_options *options, struct recorded_run *run,
                   struct session_result *result, int *ret_status)
{
	struct session_options *session = &options->session;
	g_autoptr(GError) error = NULL;
	struct position *position;
	bool fine;

	*ret_status = command_inspect(options);
	if (*ret_status != EXIT_CLEAN)
		return false;
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));
	position = position_of(session->ranks, BUFFERING_ANY, COLLECTIVES_ANY, nothing);
	session->position = position;
	session->guide = recorded_run_strategy;
	session->guided = run;
	session->not_yet = NOT_YET_MOST;
	if (!options->quiet)
		session->progress = command_show_unresponsive;
	fine = session_run(session, result, &error);
	if (!fine) {
		command_complain_of_session(error);
		*ret_status = EXIT_CANNOT;
	}
	position_free(position);
	return fine;
}

static int follow(struct command_options *options, struct recorded_run *run)
{
	const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct session_result result = {0};
	struct recorded_start start = {0};
	g_autoptr(GError) error = NULL;
	int status = EXIT_CANNOT;

	if (!recorded_start_enter(options->word, options->session.ranks, &start, &error)) {
		command_complain("%s", error->message);
	} else {
		g_strfreev(options->program);
		options->program = g_strdupv(start.program);
		options->session.program = options->program;
		if (!options->standard_input)
			options->session.standard_input = start.standard_input;
		const bool has_run = run_it(options, run, &result, &status);
		if (fchdir(here) == 0 && has_run)
			status = tell_result(options, run, &result);
		session_result_clear(&result);
	}
	recorded_start_clear(&start);
	close(here);
	return status;
}

/* What was given beside the folder. Returns false after printing an error. */
static bool check_line(struct command_options *options)
{
	g_autoptr(GError) error = NULL;
	const int ranks = recording_ranks(options->word, &error);

	if (options->program[0])
		command_complain("a recording is replayed without a program: matchpoint replay "
		                 "%s",
		                 options->word);
	else if (ranks == 0)
		command_complain("%s", error->message);
	else if (options->session.ranks != 0 && options->session.ranks != ranks)
		command_complain("the recording has %d ranks, not %d", ranks,
		                 options->session.ranks);
	else {
		options->session.ranks = ranks;
		return true;
	}
	return false;
}

int command_replay_recording(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "replay", .deviations = -1},
	                                  .takes_word = true};
	g_autofree char *store = NULL, *input = NULL;
	g_autoptr(GError) error = NULL;
	struct recorded_run *run = NULL;
	int status = command_parse(&options, &command_replay, &argc, &argv, NULL);

	if (status == EXIT_CLEAN && !check_line(&options))
		status = EXIT_USAGE;
	if (status == EXIT_CLEAN) {
		g_autofree char *beside = g_build_filename(options.session.store, "replay", NULL);

		store = g_canonicalize_filename(beside, NULL);
		options.session.store = store;
		if (options.standard_input)
			input = g_canonicalize_filename(options.standard_input, NULL);
		options.session.standard_input = input;
		run = recorded_run_read(options.word, &error);
		if (!run)
			command_complain("%s", error->message);
		status = !run                           ? EXIT_CANNOT
		         : set_buffering(&options, run) ? EXIT_CLEAN
		                                        : EXIT_USAGE;
	}
	if (status == EXIT_CLEAN)
		status = follow(&options, run);
	recorded_run_free(run);
	command_options_release(&options);
	return status;
}
