/* The job that the launcher starts: one from whose ranks all worlds are copied, or, where the way
 * back is to run again, one for each execution. */
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "session_internal.h"

/* What the ranks wrote before anything could be controlled, shortened. */
static char *last_words(struct session *session, const struct execution *execution)
{
	GString *text = g_string_new(NULL);

	for (int rank = 0; rank < session->options->ranks && text->len == 0; rank++) {
		g_autofree char *file = g_strdup_printf("%s/err.%d", execution->directory, rank);
		g_autofree char *said = NULL;

		if (g_file_get_contents(file, &said, NULL, NULL))
			g_string_append(text, g_strstrip(said));
	}
	if (text->len == 0)
		g_string_append(text, launcher_output(execution->launcher));
	if (text->len > 2000)
		g_string_erase(text, 0, (gssize)text->len - 2000);
	g_strstrip(text->str);
	return g_string_free(text, FALSE);
}

/* Nobody came to the scheduler, and yet the library speaks of MPI_Init. */
static const char *why_unseen(const struct execution *execution, const char *words)
{
	if (execution->connected > 0 || !strstr(words, "MPI_Init"))
		return "";
	return "; MPI_Init was called past matchpoint, as when a program finds MPI's functions by "
	       "name (dlsym, Python's ctypes)";
}

/* Whose ranks it has started; NULL: those of the worlds that go back by snapshots. */
static struct execution *launched_by(struct session *session, const struct launcher *launcher)
{
	GHashTableIter iter;
	void *execution;

	g_hash_table_iter_init(&iter, session->executions);
	while (g_hash_table_iter_next(&iter, NULL, &execution))
		if (((struct execution *)execution)->launcher == launcher)
			return execution;
	return NULL;
}

static void on_launcher_ended(void *user, const struct launcher *launcher, int status)
{
	struct session *session = user;
	struct execution *execution = launched_by(session, launcher);
	g_autofree char *words = NULL;

	if (!execution) {
		if (session->root && session->snapshots)
			session_fall_back(session, g_strdup_printf("the job launcher ended (status "
			                                           "%d) while its ranks were "
			                                           "needed",
			                                           status));
		return;
	}
	if (execution_failed_to_start(execution))
		return;
	if (execution->state != EXECUTION_STARTING) {
		execution->launcher_status = status;
		if (execution_has_orphans(execution))
			execution->orphaned = g_get_monotonic_time();
		else
			execution_launcher_ended(execution, status);
		return;
	}
	if ((status > 128 || execution_is_outside(launcher_signal(launcher)))
	    && execution_strike(execution, "the job while it was started"))
		return;
	words = last_words(session, execution);
	session_fail(session, "%s: the job ended with status %d before %s called MPI_Init%s%s%s",
	             session->options->program[0], status,
	             execution->connected == 0 ? "any rank" : "every rank had",
	             why_unseen(execution, words), *words ? "; it said:\n" : "", words);
}

static char *shim_path(GError **error)
{
	char path[4096];
	size_t size = sizeof(path);
	g_autofree char *directory = NULL;
	char *beside;

	if (uv_exepath(path, &size) == 0) {
		directory = g_path_get_dirname(path);
		beside = g_build_filename(directory, "libmatchpoint-shim.so", NULL);
		if (access(beside, R_OK) == 0)
			return beside;
		g_free(beside);
		/* An installed tree may have been moved as a whole. */
		beside = g_canonicalize_filename(MATCHPOINT_SHIM_FROM_BIN, directory);
		if (access(beside, R_OK) == 0)
			return beside;
		g_free(beside);
	}
	if (access(MATCHPOINT_SHIM_INSTALLED, R_OK) == 0)
		return g_strdup(MATCHPOINT_SHIM_INSTALLED);
	g_set_error(error, SESSION_ERROR, 0,
	            "libmatchpoint-shim.so is neither beside %s nor in %s from there nor at %s: "
	            "reinstall matchpoint",
	            path, MATCHPOINT_SHIM_FROM_BIN, MATCHPOINT_SHIM_INSTALLED);
	return NULL;
}

static char **command_line(struct session *session, GError **error)
{
	char **words = launcher_words(session->options->launcher, session->options->ranks, error);
	char **program = session->options->program;
	g_auto(GStrv) wrapped = NULL;
	GPtrArray *all;

	if (!words)
		return NULL;
	all = g_ptr_array_new();
	for (char **word = words; *word; word++)
		g_ptr_array_add(all, *word);
	g_free(words);
	if (session->options->wrapper)
		program = wrapped = wrapper_command(session->options->wrapper, program);
	for (char **word = program; *word; word++)
		g_ptr_array_add(all, g_strdup(*word));
	g_ptr_array_add(all, NULL);
	return (char **)g_ptr_array_free(all, FALSE);
}

gboolean session_launch(struct session *session, struct execution *execution)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) command = NULL, environment = NULL;
	g_autofree char *shim = shim_path(&error);
	guint32 number = session->next_world++;
	g_autofree char *directory =
		shim ? run_directory_add_world(session->directory, number, &error) : NULL;
	struct environment_settings settings = {shim, run_directory_path(session->directory),
	                                        number, session->options->standard_input,
	                                        session->journal ? journal_path(session->journal)
	                                                         : NULL,
	                                session->options->virtual_time};
	struct launcher_options options = {&session->loop, NULL, NULL, on_launcher_ended, session};

	if (directory)
		command = command_line(session, &error);
	if (!command) {
		session_fail(session, "%s", error->message);
		return FALSE;
	}
	environment = environment_for_ranks(NULL, &settings,
	                                    number == 0 ? session->exploration->notes : NULL);
	options.command = command;
	options.environment = environment;
	execution_place(execution, number, directory, NULL);
	execution->launcher = launcher_start(&options, &error);
	if (!execution->launcher)
		session_fail(session, "%s", error->message);
	return execution->launcher != NULL;
}
