#include "command_explore_recording.h"

#include "scheduler/recording/recording.h"

bool explore_recording_is_folder(const char *from)
{
	return from && !g_str_has_prefix(from, "mp1:") && g_file_test(from, G_FILE_TEST_IS_DIR);
}

/* The first option that cannot be combined with the folder, and the reason; NULL: none is given. */
static const char *not_with_recording(const struct command_options *options)
{
	if (options->seed)
		return "--random: random walks begin anew each time";
	if (options->shard)
		return "--shard: only one of the shards could begin there";
	if (options->search && !g_str_equal(options->search, "tree"))
		return "--search: it begins at a state, not at an interleaving";
	if (options->order)
		return "--order: the nearest interleavings come first";
	if (options->session.deviations >= 0 || options->bound_ranks || options->bound_sites
	    || options->regions)
		return "--deviations, --bound-rank, --bound-site or --pcontrol: they count from "
		       "the default choices, not from the recorded ones";
	return NULL;
}

static bool check_line(const struct command_options *options, const char *directory)
{
	const char *other = not_with_recording(options);

	if (!recording_is_there(directory))
		command_complain("--from %s: this folder holds no recording; name the folder of "
		                 "matchpoint record --to, or a path (mp1:...)",
		                 directory);
	else if (options->program[0])
		command_complain("--from %s: the recording names the program: leave out %s",
		                 directory, options->program[0]);
	else if (other)
		command_complain("--from %s cannot be combined with %s; leave out one of them",
		                 directory, other);
	return recording_is_there(directory) && !options->program[0] && !other;
}

/* What is explored besides the buffering of the recorded run. Without an option, that of the
 * default; but a choice for each send covers the others. */
static bool set_bufferings(struct command_options *options, const char *directory, guint asked)
{
	struct session_options *session = &options->session;
	const guint recorded = session->bufferings;

	if (!options->buffering) {
		if (recorded == RECORD_INFINITE)
			session->bufferings |= asked;
		return true;
	}
	session->bufferings = asked;
	if (asked & recorded)
		return true;
	command_complain("--from %s: the recorded run needs --buffering %s; leave --buffering out",
	                 directory, recorded == RECORD_INFINITE ? "infinite" : "per-send");
	return false;
}

int explore_recording_open(struct command_options *options, const char *directory,
                           struct explore_recording *ret)
{
	const guint asked = options->session.bufferings;
	char *buffering = g_steal_pointer(&options->buffering); /* of the recorded run: its own */
	int status = EXIT_USAGE;

	if (check_line(options, directory)) {
		recorded_job_make_absolute(&options->keep_files);
		status = recorded_job_open(options, directory, NULL, &ret->job);
	}
	options->buffering = buffering;
	if (status == EXIT_CLEAN && !set_bufferings(options, directory, asked))
		status = EXIT_USAGE;
	return status;
}

void explore_recording_close(struct explore_recording *recording)
{
	if (recording->job.run)
		recorded_job_leave(&recording->job);
	recorded_job_close(&recording->job);
	path_free(recording->path);
	g_free(recording->words);
}

/* Runs it with the recorded matches. */
static bool follow(const struct command_options *options, struct explore_recording *recording,
                   bool is_patient, struct session_result *result, int *ret_status)
{
	struct command_options alone = *options;
	struct session_options *session = &alone.session;

	session->command = "replay";
	session->store = session->keep_files = NULL;
	session->bufferings = 1u << recorded_run_buffering(recording->job.run);
	session->max_interleavings = 0;
	session->fail_fast = session->native = false;
	session->jobs = 1;
	recorded_run_set_patient(recording->job.run, is_patient);
	session_result_clear(result);
	*result = (struct session_result){0};
	return recorded_job_run_with(&alone, &recording->job, session->not_yet, result, ret_status);
}

int explore_recording_begin(struct command_options *options, const char *directory,
                            struct explore_recording *recording)
{
	struct session_options *session = &options->session;
	struct recorded_run_result followed;
	struct session_result result = {0};
	int status = EXIT_CLEAN;
	bool has_run;

	if (session->resume) /* it has begun there */
		return EXIT_CLEAN;
	has_run = follow(options, recording, true, &result, &status);
	if (has_run && recorded_run_result(recording->job.run).lost)
		has_run = follow(options, recording, false, &result, &status);
	if (has_run && !recorded_job_was_followed(options, &recording->job, &result))
		status = EXIT_CANNOT;
	session_result_clear(&result);
	if (status != EXIT_CLEAN)
		return status;
	followed = recorded_run_result(recording->job.run);
	recording->path = path_parse(followed.path, NULL);
	recording->path->buffering = recorded_run_buffering(recording->job.run);
	recording->words = g_strdup_printf("%u of its %u matches were followed%s",
	                                   followed.followed, followed.matches,
	                                   followed.is_over ? " to where the recording ends" : "");
	session->toward = recording->path;
	session->toward_trace = followed.trace;
	session->toward_name = directory;
	session->toward_words = recording->words;
	session->order = SESSION_ORDER_DEPTH;
	session->watch_left = 0;
	return EXIT_CLEAN;
}
