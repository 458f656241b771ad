#include "restarted.h"

#include <string.h>

#include "ckpt/disk_folder.h"
#include "command_ranks.h"
#include "explorer/program_parts.h"
#include "scheduler/execution/restart.h"

struct restarted {
	DiskCheckpoint *checkpoint;
	struct restart *restart; /* NULL: the checkpoint has the position only */
	struct position *position;
};

/* The ranks go on where they were. But if the program is started from its beginning, for a position
 * before, it must find what it found then. */
static bool is_in_its_folder(const DiskCheckpoint *checkpoint)
{
	g_autofree char *here = g_get_current_dir();

	if (strcmp(here, checkpoint->directory) == 0)
		return true;
	command_complain("%s: its program was started in %s: go there first (cd %s)",
	                 checkpoint->path, checkpoint->directory, checkpoint->directory);
	return false;
}

static int setting(const DiskCheckpoint *checkpoint, const char *key)
{
	return g_key_file_get_integer(checkpoint->manifest, DISK_GROUP, key, NULL);
}

/* Ranks are on the nodes that they were on. Returns false after printing an error. */
static bool take_nodes(struct command_options *options, const struct path *path)
{
	const char *asked;

	if (!options->nodes)
		options->nodes = g_strdup(path->nodes);
	if (!command_read_nodes(options->nodes, path->ranks, &asked))
		return false;
	if (asked == path->nodes)
		return true;
	command_complain("that was with --nodes %s, not %s", path->nodes ? path->nodes : "1",
	                 options->nodes);
	return false;
}

static bool read_position(struct restarted *restarted, GError **error)
{
	const DiskCheckpoint *checkpoint = restarted->checkpoint;

	if (checkpoint->why)
		return disk_checkpoint_check(checkpoint, false, error)
		       && (restarted->position = position_parse(checkpoint->position, error));
	restarted->restart = restart_new(checkpoint, error);
	if (restarted->restart)
		restarted->position = position_copy(restarted->restart->position);
	return restarted->restart != NULL;
}

/* The number for -n: that of the first program. */
static int ranks_of_first(const DiskCheckpoint *checkpoint)
{
	g_autofree char *problem = NULL;

	return checkpoint->ranks - MAX(program_parts_behind(checkpoint->program, &problem), 0);
}

/* The program is run again: with what it had then, unless the user says otherwise. */
static void run_again(struct command_options *options, const DiskCheckpoint *checkpoint)
{
	GKeyFile *manifest = checkpoint->manifest;

	if (!options->standard_input)
		options->standard_input = g_key_file_get_string(manifest, DISK_GROUP, "stdin",
		                                                NULL);
	if (!options->launcher)
		options->launcher = g_key_file_get_string(manifest, DISK_GROUP, "launcher", NULL);
	if (!options->quiet)
		command_complain("%s has the position only (%s): the program is run again, up to "
		                 "there",
		                 checkpoint->path, checkpoint->why);
}

bool restarted_open(struct command_options *options)
{
	struct restarted *restarted = options->restarted = g_new0(struct restarted, 1);
	g_autoptr(GError) error = NULL;

	if (options->program[0]) {
		command_complain("--restart: the checkpoint names the program; leave out %s",
		                 options->program[0]);
		return false;
	}
	restarted->checkpoint = disk_checkpoint_open(options->restart, &error);
	if (restarted->checkpoint && is_in_its_folder(restarted->checkpoint))
		read_position(restarted, &error);
	if (error)
		command_complain("%s", error->message);
	if (!restarted->position)
		return false;
	g_strfreev(options->program);
	options->program = g_strdupv(restarted->checkpoint->program);
	g_free(options->ranks);
	options->ranks = g_strdup_printf("%d", ranks_of_first(restarted->checkpoint));
	if (!take_nodes(options, position_path(restarted->position)))
		return false;
	if (!restarted->restart)
		run_again(options, restarted->checkpoint);
	options->not_yet = setting(restarted->checkpoint, "not-yet");
	options->some = setting(restarted->checkpoint, "some");
	options->session.virtual_time = g_key_file_get_boolean(restarted->checkpoint->manifest,
	                                                       DISK_GROUP, "virtual-time", NULL);
	options->session.restart = restarted->restart;
	return true;
}

void restarted_close(struct restarted *restarted)
{
	if (!restarted)
		return;
	restart_free(restarted->restart);
	position_free(restarted->position);
	disk_checkpoint_free(restarted->checkpoint);
	g_free(restarted);
}

const struct position *restarted_position(const struct restarted *restarted)
{
	return restarted->position;
}

struct path *restarted_path(const struct restarted *restarted)
{
	const struct path *path = position_path(restarted->position);

	return path_of_choices(path->ranks, path->nodes, path->buffering, path->collectives,
	                       path->choices);
}

char *restarted_path_text(const char *folder)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(DiskCheckpoint) checkpoint = disk_checkpoint_open(folder, &error);

	if (!checkpoint) {
		command_complain("%s", error->message);
		return NULL;
	}
	return g_strndup(checkpoint->position, strcspn(checkpoint->position, "@"));
}
