#include <string.h>

#include "ckpt/disk_folder.h"
#include "command.h"
#include "command_line.h"
#include "restarted.h"

static bool take_flag(GPtrArray *words, const char *flag)
{
	for (guint i = 1; i < words->len; i++) {
		if (strcmp(words->pdata[i], flag) != 0)
			continue;
		g_ptr_array_remove_index(words, i);
		return true;
	}
	return false;
}

/* The first word that is no option; with `there`, and is a folder of checkpoints, but not where new
 * ones go. 0: none. */
static guint find_folder(const GPtrArray *words, bool there)
{
	for (guint i = 1; i < words->len; i++) {
		const char *word = words->pdata[i];

		if (strcmp(words->pdata[i - 1], "--checkpoint-to") == 0)
			continue;
		if (*word != '-' && (!there || disk_folder_is_there(word)))
			return i;
	}
	return 0;
}

/* Options before the folder may have values, which are no folders of checkpoints. */
static char *take_folder(GPtrArray *words)
{
	guint found = find_folder(words, true);

	if (found == 0)
		found = find_folder(words, false);
	return found > 0 ? g_ptr_array_steal_index(words, found) : NULL;
}

/* Help, documents and completion know the two options that are restart's own. Returns the exit
 * status if there is nothing to restart. */
static int tell_own(int argc, char **argv)
{
	gboolean runs = false, explores = false; /* GOption */
	const GOptionEntry entries[] = {
		{"run", 0, 0, G_OPTION_ARG_NONE, &runs,
	         "go on to the end, as run; its options may follow", NULL},
		{"explore", 0, 0, G_OPTION_ARG_NONE, &explores,
	         "explore all that can still happen, as explore; its options may follow", NULL},
		G_OPTION_ENTRY_NULL,
	};
	struct command_line *line = command_line_new(&command_restart);

	command_line_add(line, entries);
	if (command_line_parse(line, &argc, &argv, true))
		command_complain("restart needs the folder of a checkpoint (debug: checkpoint NAME "
		                 "--to DIR)");
	command_line_free(line);
	return EXIT_USAGE;
}

static int run_as(const struct command *command, GPtrArray *words)
{
	words->pdata[0] = (char *)command->name;
	g_ptr_array_add(words, NULL);
	return command->run((int)words->len - 1, (char **)words->pdata);
}

/* The options of the command that goes on are those of restart. */
static int restart_run(int argc, char **argv)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	g_autofree char *path = NULL;
	bool runs, explores;
	char *folder;

	for (int i = 0; i < argc; i++)
		g_ptr_array_add(words, argv[i]);
	runs = take_flag(words, "--run");
	explores = take_flag(words, "--explore");
	folder = take_folder(words);
	if (!folder)
		return tell_own(argc, argv);
	if (runs && explores) {
		command_complain("--run goes on to one end, --explore to all of them: one of them");
		return EXIT_USAGE;
	}
	g_ptr_array_add(words, (char *)"--restart");
	g_ptr_array_add(words, folder);
	if (explores) {
		path = restarted_path_text(folder);
		if (!path)
			return EXIT_CANNOT;
		g_ptr_array_add(words, (char *)"--from");
		g_ptr_array_add(words, path);
	}
	return run_as(explores ? &command_explore : runs ? &command_run : &command_debug, words);
}

const struct command command_restart = {
	.name = "restart",
	.summary = "go on from a checkpoint on disk: at the prompt, to the end, or exploring",
	.synopsis = "DIR [--run|--explore] [options of debug, run or explore]",
	.example = "matchpoint restart saved/before --explore",
	.run = restart_run,
	.runs_ranks = true,
};
