/* Saves a position on disk. */
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

/* NULL with `error` set. */
static char *save_ranks(struct session *session, struct execution *execution, const char *folder,
                        const char *name, GError **error)
{
	struct disk_draft *draft = disk_draft_new(folder, name, error);
	GString *history = NULL;
	guint32 number;
	char *path = NULL;
	bool fine = draft
	            && execution_save(execution, draft, session->options->program, &number, error);

	if (fine)
		history = history_of_snapshot(session->history, number, error);
	fine = history && disk_draft_add_history(draft, history, error)
	       && add_files(session, draft, error);
	if (fine)
		describe(session, disk_draft_manifest(draft));
	if (fine && !disk_draft_finish(draft, session->options->ranks, &path, error))
		g_clear_pointer(&path, g_free);
	if (history)
		g_string_free(history, true);
	disk_draft_free(draft);
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
static char *save_position(const struct session *session, const struct execution *execution,
                           const char *folder, const char *name, const char *why, GError **error)
{
	const struct session_options *options = session->options;
	struct disk_draft *draft = disk_draft_new(folder, name, error);
	GKeyFile *manifest = draft ? disk_draft_manifest(draft) : NULL;
	g_autofree char *place = execution_place(execution);
	g_autoptr(GPtrArray) programs = programs_of(session);
	char *path = NULL;

	if (!draft)
		return NULL;
	describe(session, manifest);
	g_key_file_set_string(manifest, DISK_GROUP, "position", place);
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

char *session_save_on_disk(struct session *session, struct execution *execution, const char *folder,
                           const char *name, char **ret_why, GError **error)
{
	g_autoptr(GError) problem = NULL;
	char *path = save_ranks(session, execution, folder, name, &problem);
	const char *rerun = session->exploration->backtrack_reason;

	*ret_why = NULL;
	if (path)
		return path;
	if (!is_for_good(problem)) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return NULL;
	}
	*ret_why = g_strdup(rerun ? rerun : problem->message);
	path = save_position(session, execution, folder, name, *ret_why, error);
	if (!path)
		g_clear_pointer(ret_why, g_free);
	return path;
}
