/* Saves a position on disk. */
#include "ckpt/disk_folder.h"
#include "ckpt/journal.h"
#include "explorer/program_parts.h"
#include "scheduler/execution/history.h"
#include "scheduler/execution/save.h"
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

/* A saved rank is started as its program, and the folder names one. */
static bool is_one_program(const struct session *session, GError **error)
{
	g_autofree char *problem = NULL;

	if (program_parts_behind(session->options->program, &problem) == 0)
		return true;
	g_set_error(error, SESSION_ERROR, 0, "ranks of several programs cannot be saved");
	return false;
}

char *session_save_on_disk(struct session *session, struct execution *execution, const char *folder,
                           const char *name, GError **error)
{
	struct disk_draft *draft = is_one_program(session, error)
	                                   ? disk_draft_new(folder, name, error)
	                                   : NULL;
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
