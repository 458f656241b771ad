#include "restarted.h"

#include <string.h>

#include "ckpt/disk_folder.h"
#include "command_ranks.h"
#include "scheduler/execution/restart.h"

struct restarted {
	DiskCheckpoint *checkpoint;
	struct restart *restart;
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
		restarted->restart = restart_new(restarted->checkpoint, &error);
	if (error)
		command_complain("%s", error->message);
	if (!restarted->restart)
		return false;
	g_strfreev(options->program);
	options->program = g_strdupv(restarted->checkpoint->program);
	g_free(options->ranks);
	options->ranks = g_strdup_printf("%d", restarted->checkpoint->ranks);
	if (!take_nodes(options, position_path(restarted->restart->position)))
		return false;
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
	disk_checkpoint_free(restarted->checkpoint);
	g_free(restarted);
}

const struct position *restarted_position(const struct restarted *restarted)
{
	return restarted->restart->position;
}

struct path *restarted_path(const struct restarted *restarted)
{
	const struct path *path = position_path(restarted->restart->position);

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
