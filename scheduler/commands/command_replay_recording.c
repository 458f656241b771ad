#include "command_replay_recording.h"

#include <stdio.h>

#include "recorded_job.h"

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
static int tell_result(struct command_options *options, const struct recorded_job *job,
                       const struct session_result *result)
{
	const struct recorded_run_result followed = recorded_run_result(job->run);

	if (!recorded_job_was_followed(options, job, result))
		return EXIT_CANNOT;
	if (!followed.is_over && !command_report_all(options))
		return EXIT_CANNOT;
	tell_followed(options, &followed);
	if (followed.is_over)
		return EXIT_INCOMPLETE;
	return result->findings->len > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int follow(struct command_options *options)
{
	struct session_result result = {0};
	struct recorded_job job;
	int status = recorded_job_open(options, options->word, "replay", &job);

	if (status == EXIT_CLEAN) {
		const bool has_run = recorded_job_run(options, &job, &result, &status);

		recorded_job_leave(&job);
		if (has_run)
			status = tell_result(options, &job, &result);
		session_result_clear(&result);
	}
	recorded_job_close(&job);
	return status;
}

int command_replay_recording(int argc, char **argv)
{
	struct command_options options = {.session = {.command = "replay", .deviations = -1},
	                                  .takes_word = true};
	int status = command_parse(&options, &command_replay, &argc, &argv, NULL);

	if (status == EXIT_CLEAN && options.program[0]) {
		command_complain("a recording is replayed without a program: matchpoint replay %s",
		                 options.word);
		status = EXIT_USAGE;
	}
	if (status == EXIT_CLEAN)
		status = follow(&options);
	command_options_release(&options);
	return status;
}
