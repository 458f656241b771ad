/* The ranks of a checkpoint on disk, started again (ckpt/agent_disk.h). The launcher starts the
 * program as usual; the shim in it becomes the rank that was saved. */
#include <fcntl.h>

#include "ckpt/agent_disk.h"
#include "ckpt/agent_journal.h"
#include "ckpt/disk_folder.h"
#include "environment.h"
#include "explorer/program_parts.h"
#include "installation.h"
#include "local_internal.h"

#define RESTORER "matchpoint-restorer"

char **local_restart_program(const struct disk_checkpoint *checkpoint)
{
	char **program = g_strdupv(checkpoint->program);
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(program, checkpoint->ranks, &problem);
	g_auto(GStrv) executables = g_key_file_get_string_list(checkpoint->manifest, DISK_GROUP,
	                                                       "executables", NULL, NULL);

	for (guint i = 0; parts && executables && i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);
		char **word = program + (part->words - program);

		if (part->first >= (int)g_strv_length(executables))
			break;
		g_free(*word);
		*word = g_strdup(executables[part->first]);
	}
	return program;
}

char **local_restart_environment(char **environment, const struct disk_checkpoint *checkpoint,
                                 GError **error)
{
	g_autofree char *restorer = installation_find(RESTORER, error);

	if (!restorer) {
		g_strfreev(environment);
		return NULL;
	}
	environment = g_environ_setenv(environment, ENVIRONMENT_RESTORER, restorer, true);
	return g_environ_setenv(environment, ENVIRONMENT_RESTART, checkpoint->path, true);
}

static void note_change(const char *path)
{
	agent_journal_note(AT_FDCWD, path, false);
}

/* The program's own journal notes what these files were before. */
static bool put_files(const struct local *local, const struct disk_checkpoint *checkpoint,
                      GError **error)
{
	const struct journal *journal = local->options.journal;
	bool fine;

	if (journal)
		agent_journal_open(journal_path(journal),
		                   run_directory_path(local->options.directory));
	fine = disk_checkpoint_put_files(checkpoint, note_change, error);
	agent_journal_open(NULL, NULL);
	return fine;
}

/* What ranks have to know of their new world: agent_disk_told. */
static bool write_told(const struct local *local, guint32 world, const char *directory,
                       GError **error)
{
	const struct local_options *options = &local->options;
	const char *output = output_place_path(options->output);
	g_autofree char *file = g_build_filename(directory, AGENT_DISK_RESTART, NULL);
	g_autofree char *socket = run_directory_file(options->directory, RUN_DIRECTORY_SOCKET);
	g_autofree char *pmi = run_directory_file(options->directory, RUN_DIRECTORY_PMI);
	GString *text = g_string_new(NULL);
	bool fine;

	g_string_printf(text, "world %u\nsocket %s\npmi %s\ndirectory %s\n", world, socket, pmi,
	                run_directory_path(options->directory));
	if (options->journal)
		g_string_append_printf(text, "journal %s\n", journal_path(options->journal));
	if (output)
		g_string_append_printf(text, "output %s\n", output);
	fine = g_file_set_contents(file, text->str, (gssize)text->len, error);
	g_string_free(text, true);
	return fine;
}

bool local_prepare_restart(const struct local *local, guint32 world, const char *directory,
                           const struct disk_checkpoint *checkpoint, GError **error)
{
	return disk_checkpoint_put_world(checkpoint, directory, error)
	       && write_told(local, world, directory, error) && put_files(local, checkpoint, error);
}
