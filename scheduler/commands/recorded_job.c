#include "recorded_job.h"

#include <fcntl.h>
#include <unistd.h>

#include "explorer/nodes.h"
#include "scheduler/recording/recording.h"

/* Polls are answered "not yet" as often in a row as in the recording, up to this number. */
#define NOT_YET_MOST 1000

/* What was given beside the folder. Returns false after printing an error. */
static bool check_line(struct command_options *options, const char *directory)
{
	g_autoptr(GError) error = NULL;
	struct session_options *session = &options->session;
	const int ranks = recording_ranks(directory, &error);

	if (ranks == 0)
		command_complain("%s", error->message);
	else if (session->ranks != 0 && session->ranks != ranks)
		command_complain("the recording has %d ranks, not %d", ranks, session->ranks);
	else {
		session->ranks = ranks;
		return true;
	}
	return false;
}

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

/* Returns false after printing an error. */
static bool set_nodes(struct command_options *options, const char *recorded)
{
	g_autofree char *problem = NULL;
	const char *nodes = recorded ? nodes_parse(recorded, options->session.ranks, &problem)
	                             : NULL;

	if (problem)
		command_complain("the recording was made with %s nodes: %s", recorded, problem);
	return !problem && command_set_nodes(options, nodes);
}

void recorded_job_make_absolute(char **file)
{
	char *name = *file ? g_canonicalize_filename(*file, NULL) : NULL;

	g_free(*file);
	*file = name;
}

static void name_files(struct command_options *options, const char *store, struct recorded_job *job)
{
	g_autofree char *beside = g_build_filename(options->session.store, store, NULL);

	options->session.store = job->store = g_canonicalize_filename(beside, NULL);
	if (options->standard_input)
		job->input = g_canonicalize_filename(options->standard_input, NULL);
	for (int i = 0; i < REPORT_COUNT; i++)
		if (options->reports[i] && !g_str_equal(options->reports[i], "-"))
			recorded_job_make_absolute(&options->reports[i]);
}

int recorded_job_open(struct command_options *options, const char *directory, const char *store,
                      struct recorded_job *ret)
{
	struct session_options *session = &options->session;
	g_autoptr(GError) error = NULL;

	*ret = (struct recorded_job){0};
	ret->here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!check_line(options, directory))
		return EXIT_USAGE;
	name_files(options, store, ret);
	ret->run = recorded_run_read(directory, &error);
	if (ret->run && !set_buffering(options, ret->run))
		return EXIT_USAGE;
	if (!ret->run || !recorded_start_enter(directory, session->ranks, &ret->start, &error)) {
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	if (!set_nodes(options, ret->start.nodes))
		return EXIT_USAGE;
	g_strfreev(options->program);
	options->program = g_strdupv(ret->start.program);
	session->program = options->program;
	session->environment = ret->start.environment;
	session->standard_input = ret->input ? ret->input : ret->start.standard_input;
	return command_inspect(options);
}

void recorded_job_leave(const struct recorded_job *job)
{
	if (fchdir(job->here) != 0)
		command_complain("the folder in which matchpoint was started is gone");
}

void recorded_job_close(struct recorded_job *job)
{
	recorded_run_free(job->run);
	recorded_start_clear(&job->start);
	g_free(job->store);
	g_free(job->input);
	if (job->here > 0)
		close(job->here);
}

bool recorded_job_run(const struct command_options *options, struct recorded_job *job,
                      struct session_result *result, int *ret_status)
{
	return recorded_job_run_with(options, job, NOT_YET_MOST, result, ret_status);
}

bool recorded_job_run_with(const struct command_options *options, struct recorded_job *job,
                           guint not_yet, struct session_result *result, int *ret_status)
{
	struct session_options session = options->session;
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));
	struct position *position = position_of(session.ranks, session.nodes, BUFFERING_ANY,
	                                        COLLECTIVES_ANY, nothing);
	g_autoptr(GError) error = NULL;
	bool fine;

	session.position = position;
	session.guide = recorded_run_strategy;
	session.guided = job->run;
	session.not_yet = not_yet;
	if (!options->quiet)
		session.progress = command_show_unresponsive;
	fine = session_run(&session, result, &error);
	if (!fine) {
		command_complain_of_session(error);
		*ret_status = EXIT_CANNOT;
	}
	position_free(position);
	return fine;
}

static void tell_notes(const struct recorded_run *run)
{
	g_autoptr(GPtrArray) notes = recorded_run_notes(run);

	for (guint i = 0; i < notes->len; i++)
		command_complain("%s", (const char *)notes->pdata[i]);
}

bool recorded_job_was_followed(const struct command_options *options,
                               const struct recorded_job *job, const struct session_result *result)
{
	const struct recorded_run_result followed = recorded_run_result(job->run);
	const struct record_exploration *exploration = result->exploration;

	if (!options->quiet || followed.lost)
		tell_notes(job->run);
	if (followed.lost)
		command_complain("the program does not follow the recording: %s", followed.lost);
	else if (!followed.is_over && (!followed.path || !exploration->complete))
		command_complain("%s", exploration->incomplete_reason
		                               ? exploration->incomplete_reason
		                               : "the run has not come to an end");
	else
		return true;
	return false;
}

struct path *recorded_job_path(const struct command_options *options, struct recorded_job *job,
                               int *ret_status)
{
	struct command_options quiet = *options;
	struct session_result result = {0};
	struct path *path = NULL;

	/* What was asked for is shown by the session that follows. */
	quiet.session.command = "replay";
	quiet.session.store = NULL;
	if (recorded_job_run(&quiet, job, &result, ret_status)) {
		if (recorded_job_was_followed(options, job, &result))
			path = path_parse(recorded_run_result(job->run).path, NULL);
		*ret_status = path ? EXIT_CLEAN : EXIT_CANNOT;
	}
	session_result_clear(&result);
	return path;
}
