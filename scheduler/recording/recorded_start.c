#include "recorded_start.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/recording_start.h"
#include "common/virtual_nodes.h"
#include "recording.h"
#include "replayed_process.h"

/* Whether a variable belongs to the launcher that started the ranks, or to the recorder. */
static bool is_of_launcher(const char *name)
{
	static const char *const prefixes[] = {"PMI_",  "PMIX_",     "HYDI_",  "HYDRA_",
	                                       "PALS_", "MPI_LOCAL", "SLURM_", "MATCHPOINT_"};

	for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(name, prefixes[i]))
			return true;
	return g_str_equal(name, RECORDING_PRELOAD) || g_str_equal(name, RECORDING_TUNABLES)
	       || g_str_equal(name, RECORDING_HOOKS);
}

/* The recorded variables, and those of ours that belong to the launcher. */
static char **join_environment(char **recorded)
{
	char **all = g_get_environ();
	g_auto(GStrv) names = g_listenv();

	for (int i = 0; names[i]; i++)
		if (!is_of_launcher(names[i]) && !g_environ_getenv(recorded, names[i]))
			all = g_environ_unsetenv(all, names[i]);
	for (int i = 0; recorded[i]; i++) {
		const char *value = strchr(recorded[i], '=');
		g_autofree char *name = value ? g_strndup(recorded[i], (gsize)(value - recorded[i]))
		                              : NULL;

		if (name && *name && !is_of_launcher(name))
			all = g_environ_setenv(all, name, value + 1, true);
	}
	return all;
}

/* What is looked at before the program is started (library_path.h). */
static void look_for_libraries_as(char **recorded)
{
	static const char name[] = "LD_LIBRARY_PATH";
	const char *value = g_environ_getenv(recorded, name);

	if (value)
		g_setenv(name, value, true);
	else
		g_unsetenv(name);
}

static bool are_alike(const struct replayed_start *one, const struct replayed_start *other)
{
	return g_str_equal(one->program, other->program)
	       && g_strcmp0(one->folder, other->folder) == 0
	       && g_strv_equal((const char *const *)one->arguments,
	                       (const char *const *)other->arguments);
}

static bool check_others(const char *directory, int ranks, const struct replayed_start *first,
                         GError **error)
{
	for (int rank = 1; rank < ranks; rank++) {
		struct replayed_start start = {0};
		const bool is_read = replayed_start_read(directory, rank, &start, error);
		const bool alike = is_read && are_alike(first, &start);

		replayed_start_clear(&start);
		if (is_read && !alike)
			g_set_error(error, RECORDING_ERROR, 0,
			            "rank %d was started with another program, other arguments or "
			            "in another folder than rank 0: such a recording can only be "
			            "replayed rank by rank (--rank %d)",
			            rank, rank);
		if (!alike)
			return false;
	}
	return true;
}

static bool go_there(const struct replayed_start *start, GError **error)
{
	if (!start->folder || chdir(start->folder) == 0)
		return true;
	g_set_error(error, RECORDING_ERROR, 0, "the folder of the recorded run, %s: %s",
	            start->folder, g_strerror(errno));
	return false;
}

bool recorded_start_enter(const char *directory, int ranks, struct recorded_start *ret,
                          GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(directory, NULL),
			*input = g_build_filename(folder, "input", NULL);
	struct replayed_start start = {0};
	const bool fine = replayed_start_read(folder, 0, &start, error)
	                  && check_others(folder, ranks, &start, error) && go_there(&start, error);

	if (fine) {
		look_for_libraries_as(start.environment);
		ret->environment = join_environment(start.environment);
		ret->folder = g_strdup(start.folder);
		ret->nodes = g_strdup(g_environ_getenv(start.environment, VIRTUAL_NODES_VARIABLE));
		ret->program = g_strdupv(start.arguments);
		g_free(ret->program[0]);
		ret->program[0] = g_strdup(start.program);
		ret->standard_input = g_file_test(input, G_FILE_TEST_EXISTS)
		                              ? g_steal_pointer(&input)
		                              : NULL;
	}
	replayed_start_clear(&start);
	return fine;
}

void recorded_start_clear(struct recorded_start *start)
{
	g_strfreev(start->program);
	g_strfreev(start->environment);
	g_free(start->folder);
	g_free(start->nodes);
	g_free(start->standard_input);
}
