#include "forked_start.h"

#include <string.h>

#include "common/forked_start.h"
#include "explorer/program_parts.h"
#include "program.h"

/* Libraries that a starter has loaded into all ranks before it knows what they are. */
static const char *const loaders[] = {"LD_PRELOAD", "LD_AUDIT", NULL};

static const char *user_value(const struct forked_start *start, const char *name)
{
	const char *value = start->environment ? g_environ_getenv((char **)start->environment, name)
	                                       : g_getenv(name);

	return value && *value ? value : NULL;
}

static char *obstacle_in_program(const char *name)
{
	struct program *program = program_inspect(name);
	const bool is_mpi = program->kind == PROGRAM_MPI;

	program_free(program);
	if (!is_mpi)
		return g_strdup("the program is not linked with MPI itself");
	if (program_is_sanitized(name))
		return g_strdup("the program is built with AddressSanitizer");
	return program_loading_obstacle(name);
}

char *forked_start_obstacle(const struct forked_start *start)
{
	g_autoptr(GPtrArray) names = program_parts_names((char **)start->program);
	const char *reason = start->launcher      ? "--launcher is given"
	                     : start->nodes       ? "--nodes is given"
	                     : start->wrapped     ? "--wrap is given"
	                     : start->restarted   ? "they come from a checkpoint"
	                     : start->distributed ? "they are on several machines"
	                     : start->watched     ? "a debugger wants to see them"
	                     : start->divided || names->len != 1
	                             ? "they have several worlds or programs"
	                             : NULL;

	if (reason)
		return g_strdup(reason);
	for (const char *const *loader = loaders; *loader; loader++)
		if (user_value(start, *loader))
			return g_strdup_printf("%s is set", *loader);
	return obstacle_in_program(names->pdata[0]);
}

/* Each on a line of its own. */
static char *words_before(char *const *command, char *const *program)
{
	const guint all = g_strv_length((char **)command), own = g_strv_length((char **)program);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i + own < all; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "", command[i]);
	return g_string_free(text, false);
}

char **forked_start_environment(char **environment, const struct forked_start *start,
                                char *const *command)
{
	g_autofree char *ranks = g_strdup_printf("%d", start->ranks);
	g_autofree char *words = words_before(command, start->program);

	environment = g_environ_setenv(environment, FORKED_START_RANKS, ranks, true);
	environment = g_environ_setenv(environment, FORKED_START_ELSE, words, true);
	environment = g_environ_setenv(environment, FORKED_START_RANK, FORKED_START_ROOM, true);
	environment = g_environ_setenv(environment, FORKED_START_LOCAL_RANK, FORKED_START_ROOM,
	                               true);
	environment = g_environ_setenv(environment, "PMI_SIZE", ranks, true);
	environment = g_environ_setenv(environment, FORKED_START_CONNECTION, FORKED_START_ROOM,
	                               true);
	return g_environ_setenv(environment, "MPI_LOCALNRANKS", ranks, true);
}

void forked_start_meet(const char *run_directory, const char *reason)
{
	g_autofree char *file = g_build_filename(run_directory, FORKED_START_REASON, NULL);

	g_file_set_contents(file, reason, -1, NULL);
}

char *forked_start_met(const char *run_directory)
{
	g_autofree char *file = g_build_filename(run_directory, FORKED_START_REASON, NULL);
	char *reason = NULL;

	return g_file_get_contents(file, &reason, NULL, NULL) ? reason : NULL;
}
