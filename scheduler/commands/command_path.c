/* PATH|FINDING|DIR on the command line of replay, minimize and debug. */
#include <string.h>

#include "command.h"
#include "explorer/rank_name.h"
#include "scheduler/reproduce/reproducer.h"
#include "scheduler/store/reader.h"

/* Sets standard input, unless the command line names another file. */
static void read_from(struct command_options *options, const char *file)
{
	if (options->standard_input)
		return;
	options->standard_input = g_strdup(file);
	options->session.standard_input = options->standard_input;
}

/* A replay of one outcome ends well. It does not show that there are other outcomes. */
static void tell_outcomes(const struct record_finding *finding)
{
	const struct record_outcome *first;

	if (finding->outcomes->len < 2)
		return;
	first = finding->outcomes->pdata[0];
	command_complain("finding %u means that outcomes differ, which no single interleaving "
	                 "shows: this path leads to outcome 2; the path to outcome 1 is %s",
	                 finding->id, first->path);
}

/* The path of a finding in the store. Sets the program, standard input and the launcher, unless the
 * command line names them. NULL with `error` set, or after printing an error. */
static char *path_of_finding(struct command_options *options, guint32 id, GError **error)
{
	g_autoptr(StoreReader) reader = store_reader_open(options->session.store, error);
	const struct record_exploration *exploration;
	const struct record_finding *finding;

	if (!reader)
		return NULL;
	finding = store_reader_finding(reader, id);
	if (!finding) {
		g_set_error(error, COMMAND_ERROR, 0, "there is no finding %u in %s", id,
		            options->session.store);
		return NULL;
	}
	options->session.errors_returned |= finding->kind == FINDING_ERROR_RETURNED;
	if (finding_kind_info(finding->kind)->native) {
		g_set_error(error, COMMAND_ERROR, 0,
		            "finding %u shows without control only, and has no path: run the "
		            "program without matchpoint",
		            id);
		return NULL;
	}
	exploration = store_reader_exploration(reader);
	if (!options->program[0]) {
		g_strfreev(options->program);
		options->program = g_strdupv(exploration->program);
	}
	read_from(options, exploration->standard_input);
	if (!command_set_launcher(options, exploration->launcher))
		return NULL;
	if (!options->quiet && g_str_equal(options->session.command, "replay"))
		tell_outcomes(finding);
	return g_strdup(finding->path);
}

/* The same for a reproducer's folder. */
static char *path_of_folder(struct command_options *options, const char *directory, GError **error)
{
	struct reproducer reproducer;
	g_autofree char *sum = NULL, *found = NULL;
	char *path;

	if (!reproducer_read(directory, &reproducer, error)) {
		g_prefix_error(error, "%s holds no recording, and no reproducer: ", directory);
		return NULL;
	}
	if (!options->program[0]) {
		g_strfreev(options->program);
		options->program = g_strdupv(reproducer.program);
	}
	read_from(options, reproducer.standard_input);
	found = g_find_program_in_path(options->program[0]);
	sum = found ? reproducer_sum(found) : NULL;
	if (sum && reproducer.sum && !g_str_equal(sum, reproducer.sum))
		command_complain(
			"%s is not the program that showed the finding (its SHA-256 differs)",
			found);
	path = g_steal_pointer(&reproducer.path);
	reproducer_clear(&reproducer);
	return path;
}

static struct path *find_path(struct command_options *options, const char *word, guint32 *ret_id)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	struct path *path = NULL;
	guint64 id = 0;

	if (g_ascii_string_to_unsigned(word, 10, 1, G_MAXUINT32, &id, NULL))
		text = path_of_finding(options, (guint32)id, &error);
	else if (g_file_test(word, G_FILE_TEST_IS_DIR))
		text = path_of_folder(options, word, &error);
	else
		text = g_strdup(word);
	if (text)
		path = path_parse(text, &error);
	if (error)
		command_complain("%s", error->message);
	*ret_id = (guint32)id;
	return path;
}

/* A path names its worlds, or has the program's. Returns false after printing an error. */
static bool agree_on_worlds(const struct command_options *options, struct path *path)
{
	const struct rank_names *names;

	if (!options->program[0])
		return true;
	rank_names_set(options->program, path->ranks);
	names = rank_names_current();
	if (path->names && path->names != names) {
		command_complain("the path is for the worlds %s, and the program's are %s: name "
		                 "what is spawned and connects behind the program, as in the "
		                 "report's line again",
		                 rank_names_worlds(path->names),
		                 names ? rank_names_worlds(names) : "one");
		return false;
	}
	path->names = names;
	return true;
}

int command_find_path(struct command_options *options, struct path **ret_path, guint32 *ret_finding)
{
	const char *word = options->word;
	bool recorded = !options->program[0];
	struct path *path;
	int status;

	if (!word) {
		command_complain(
			"no path given; for example: matchpoint %s mp1:n4:0.3=1 -- ./solver",
			options->session.command);
		return EXIT_USAGE;
	}
	path = *ret_path = find_path(options, word, ret_finding);
	if (!path)
		return EXIT_USAGE;
	if (options->session.ranks != 0 && options->session.ranks != path->ranks) {
		command_complain("the path is for %d ranks, not %d", path->ranks,
		                 options->session.ranks);
		return EXIT_USAGE;
	}
	options->session.ranks = path->ranks;
	if (!agree_on_worlds(options, path))
		return EXIT_USAGE;
	if (!command_set_nodes(options, path->nodes))
		return EXIT_USAGE;
	path->nodes = options->session.nodes;
	options->session.program = options->program;
	status = command_inspect(options);
	if (status != EXIT_CLEAN && recorded && options->program[0])
		command_complain("this is the program's name when the finding was shown; if it is "
		                 "elsewhere now, use: matchpoint %s %s -- PROGRAM [ARG...]",
		                 options->session.command, word);
	return status;
}
