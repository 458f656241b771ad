#include <stdio.h>
#include <string.h>

#include "ckpt/disk_folder.h"
#include "command.h"
#include "command_line.h"

static int complain(const GError *error)
{
	command_complain("%s", error->message);
	return EXIT_CANNOT;
}

static double megabytes(guint64 bytes)
{
	return (double)bytes / (1u << 20);
}

/* All of a folder; or the one that is meant, alone. NULL after printing an error. */
static GPtrArray *all_in(const char *folder, GPtrArray **ret_wrong)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *all = NULL;

	*ret_wrong = NULL;
	if (disk_checkpoint_is_at(folder)) {
		DiskCheckpoint *one = disk_checkpoint_open(folder, &error);

		all = one ? g_ptr_array_new_with_free_func((GDestroyNotify)disk_checkpoint_free)
		          : NULL;
		if (one)
			g_ptr_array_add(all, one);
	} else {
		all = disk_folder_list(folder, ret_wrong, &error);
	}
	if (!all)
		complain(error);
	return all;
}

static void print_one(const DiskCheckpoint *checkpoint)
{
	g_autofree char *base = disk_checkpoint_base(checkpoint);

	if (checkpoint->why)
		command_print("%-16s %.19s  %d ranks  position only\n", checkpoint->name,
		              checkpoint->made, checkpoint->ranks);
	else
		command_print("%-16s %.19s  %d ranks  %8.1f MB%s%s\n", checkpoint->name,
		              checkpoint->made, checkpoint->ranks, megabytes(checkpoint->bytes),
		              base ? "  builds on " : "", base ? base : "");
}

static int print_wrong(const GPtrArray *wrong)
{
	for (guint i = 0; wrong && i < wrong->len; i++)
		command_complain("%s", (const char *)wrong->pdata[i]);
	return wrong && wrong->len > 0 ? EXIT_CANNOT : EXIT_CLEAN;
}

static int list(const char *folder)
{
	g_autoptr(GPtrArray) wrong = NULL;
	g_autoptr(GPtrArray) all = all_in(folder, &wrong);

	if (!all)
		return EXIT_CANNOT;
	for (guint i = 0; i < all->len; i++)
		print_one(all->pdata[i]);
	if (all->len == 0 && (!wrong || wrong->len == 0))
		command_print("no checkpoints\n");
	return print_wrong(wrong);
}

static void print_value(const DiskCheckpoint *checkpoint, const char *title, const char *key)
{
	g_autofree char *value = g_key_file_get_string(checkpoint->manifest, DISK_GROUP, key, NULL);

	if (value)
		command_print("  %-11s %s\n", title, value);
}

static int show(const char *folder)
{
	g_autoptr(GPtrArray) wrong = NULL;
	g_autoptr(GPtrArray) all = all_in(folder, &wrong);

	if (!all)
		return EXIT_CANNOT;
	for (guint i = 0; i < all->len; i++) {
		const DiskCheckpoint *one = all->pdata[i];
		g_autofree char *program = g_strjoinv(" ", one->program);
		g_autofree char *base = disk_checkpoint_base(one);

		command_print("%s\n", one->name);
		print_value(one, "made", "made");
		command_print("  %-11s %s\n", "program", program);
		command_print("  %-11s %d\n", "ranks", one->ranks);
		print_value(one, "position", "position");
		if (one->why)
			command_print("  %-11s only the position (%s): a restart runs the program "
			              "again\n",
			              "has", one->why);
		print_value(one, "folder", "directory");
		print_value(one, "machine", "machine");
		print_value(one, "MPI", "mpi");
		print_value(one, "matchpoint", "matchpoint");
		command_print("  %-11s %.1f MB\n", "size", megabytes(one->bytes));
		if (base)
			command_print("  %-11s %s\n", "builds on", base);
	}
	return print_wrong(wrong);
}

static int check(const char *folder)
{
	g_autoptr(GPtrArray) wrong = NULL;
	g_autoptr(GPtrArray) all = all_in(folder, &wrong);
	int status;

	if (!all)
		return EXIT_CANNOT;
	status = print_wrong(wrong);
	for (guint i = 0; i < all->len; i++) {
		const DiskCheckpoint *one = all->pdata[i];
		g_autoptr(GError) error = NULL;

		if (disk_checkpoint_check(one, true, &error))
			command_print("%s: whole%s\n", one->name,
			              one->why ? " (the position only)" : "");
		else
			status = complain(error);
	}
	return status;
}

static int remove_all(const char *folder)
{
	g_autoptr(GError) error = NULL;

	return disk_folder_remove(folder, &error) ? EXIT_CLEAN : complain(error);
}

static int checkpoint_run(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const char *folder);
	} actions[] = {{"list", list}, {"show", show}, {"check", check}, {"remove", remove_all}};
	struct command_line *line = command_line_new(&command_checkpoint);
	bool parsed = command_line_parse(line, &argc, &argv, true);

	command_line_free(line);
	for (gsize i = 0; parsed && argc == 3 && i < G_N_ELEMENTS(actions); i++)
		if (strcmp(argv[1], actions[i].name) == 0)
			return actions[i].run(argv[2]);
	if (parsed)
		command_complain("checkpoint needs what to do and a folder: matchpoint checkpoint "
		                 "list|show|check|remove DIR");
	return EXIT_USAGE;
}

const struct command command_checkpoint = {
	.name = "checkpoint",
	.summary = "list, show, check or remove checkpoints on disk",
	.synopsis = "list|show|check|remove DIR",
	.notes = "DIR is a checkpoint, or a folder of checkpoints. Exit status: 0 all is well, 2 "
		 "usage error, 4 a checkpoint is damaged, or cannot be read or removed.",
	.example = "matchpoint checkpoint check saved",
	.run = checkpoint_run,
};
