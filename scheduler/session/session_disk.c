/* Saves a position on disk. */
#include "session_disk.h"
#include "ckpt/disk_folder.h"
#include "ckpt/journal.h"
#include "explorer/program_parts.h"
#include "scheduler/execution/history.h"
#include "scheduler/execution/save.h"
#include "scheduler/snapshot/disk_save.h"
#include "scripted_session.h"
#include "session_internal.h"

static bool add_files(const struct session *session, struct disk_draft *draft, GError **error)
{
	g_autoptr(GPtrArray) changed = session->journal ? journal_changed(session->journal) : NULL;

	return !changed || disk_draft_add_files(draft, changed, error);
}

/* What a restarted session needs besides. */
static void describe(const struct session *session, GKeyFile *manifest)
{
	const struct session_options *options = session->options;
	const struct record_exploration *exploration = session->exploration;

	g_key_file_set_string_list(manifest, DISK_GROUP, "program",
	                           (const char *const *)options->program,
	                           g_strv_length(options->program));
	g_key_file_set_string(manifest, DISK_GROUP, "directory", exploration->directory);
	g_key_file_set_string(manifest, DISK_GROUP, "machine", exploration->machine);
	g_key_file_set_string(manifest, DISK_GROUP, "matchpoint", exploration->version);
	g_key_file_set_integer(manifest, DISK_GROUP, "not-yet", (int)options->not_yet);
	g_key_file_set_integer(manifest, DISK_GROUP, "some", (int)options->some);
	g_key_file_set_boolean(manifest, DISK_GROUP, "virtual-time", options->virtual_time);
	if (exploration->mpi)
		g_key_file_set_string(manifest, DISK_GROUP, "mpi", exploration->mpi);
}

struct disk_job {
	struct session *session;
	char *folder, *name, *place;
	struct disk_draft *draft;   /* NULL: none could be begun */
	struct disk_saving *saving; /* NULL: the ranks are not being written */
	guint32 number;             /* of the snapshot's world */
	GError *problem;            /* NULL: none so far */
};

struct disk_job *session_disk_begin(struct session *session, struct execution *execution,
                                    const char *folder, const char *name)
{
	struct disk_job *job = g_new0(struct disk_job, 1);

	job->session = session;
	job->folder = g_strdup(folder);
	job->name = g_strdup(name);
	job->place = execution_place(execution);
	job->draft = disk_draft_new(folder, name, &job->problem);
	if (job->draft)
		job->saving = execution_save(execution, job->draft, session->options->program,
		                             &job->number, &job->problem);
	/* These may change as soon as the execution goes on. */
	if (job->saving)
		add_files(session, job->draft, &job->problem);
	return job;
}

bool session_disk_is_done(const struct disk_job *job)
{
	return !job->saving || disk_save_is_done(job->saving);
}

/* NULL with job->problem set. */
static char *save_ranks(struct disk_job *job)
{
	const struct session *session = job->session;
	GError **problem = &job->problem;
	GString *history = NULL;
	char *path = NULL;
	bool fine = job->saving && disk_save_end(job->saving, job->problem ? NULL : problem)
	            && !job->problem;

	if (fine)
		history = history_of_snapshot(session->history, job->number, problem);
	fine = history && disk_draft_add_history(job->draft, history, problem);
	if (fine)
		describe(session, disk_draft_manifest(job->draft));
	if (fine && !disk_draft_finish(job->draft, session->options->ranks, &path, problem))
		g_clear_pointer(&path, g_free);
	if (history)
		g_string_free(history, true);
	disk_draft_free(g_steal_pointer(&job->draft));
	return path;
}

/* The files of all programs of the job (char *). */
static GPtrArray *programs_of(const struct session *session)
{
	g_autoptr(GPtrArray) names = program_parts_names(session->options->program);
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *found = g_find_program_in_path(names->pdata[i]);

		if (found)
			g_ptr_array_add(files, g_canonicalize_filename(found, NULL));
	}
	return files;
}

/* What a restart needs to run the program again. NULL with `error` set. */
static char *save_position(const struct disk_job *job, const char *why, GError **error)
{
	const struct session_options *options = job->session->options;
	struct disk_draft *draft = disk_draft_new(job->folder, job->name, error);
	GKeyFile *manifest = draft ? disk_draft_manifest(draft) : NULL;
	g_autoptr(GPtrArray) programs = programs_of(job->session);
	char *path = NULL;

	if (!draft)
		return NULL;
	describe(job->session, manifest);
	g_key_file_set_string(manifest, DISK_GROUP, "position", job->place);
	if (options->standard_input)
		g_key_file_set_string(manifest, DISK_GROUP, "stdin", options->standard_input);
	if (options->launcher)
		g_key_file_set_string(manifest, DISK_GROUP, "launcher", options->launcher);
	if (!disk_draft_leave_ranks_out(draft, why, programs, error)
	    || !disk_draft_finish(draft, options->ranks, &path, error))
		g_clear_pointer(&path, g_free);
	disk_draft_free(draft);
	return path;
}

/* Whether it is the ranks that stand in the way, now and later. */
static bool is_for_good(const GError *error)
{
	return g_error_matches(error, SAVE_ERROR, SAVE_IMPOSSIBLE)
	       || g_error_matches(error, DISK_SAVE_ERROR, DISK_SAVE_IMPOSSIBLE)
	       || error->domain == HISTORY_ERROR;
}

static void job_free(struct disk_job *job)
{
	g_free(job->folder);
	g_free(job->name);
	g_free(job->place);
	g_clear_error(&job->problem);
	g_free(job);
}

char *session_disk_end(struct disk_job *job, char **ret_why, GError **error)
{
	const char *rerun = job->session->exploration->backtrack_reason;
	char *path = save_ranks(job);

	*ret_why = NULL;
	if (!path && is_for_good(job->problem)) {
		*ret_why = g_strdup(rerun ? rerun : job->problem->message);
		path = save_position(job, *ret_why, error);
		if (!path)
			g_clear_pointer(ret_why, g_free);
	} else if (!path) {
		g_propagate_error(error, g_steal_pointer(&job->problem));
	}
	job_free(job);
	return path;
}

char *session_save_on_disk(struct session *session, struct execution *execution, const char *folder,
                           const char *name, char **ret_why, GError **error)
{
	session_saving_settle(session->saving);
	return session_disk_end(session_disk_begin(session, execution, folder, name), ret_why,
	                        error);
}
