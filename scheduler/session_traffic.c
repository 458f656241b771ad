/* Who talks to a session: new connections, keepers, the launcher, PMI. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "log.h"
#include "session_internal.h"

static struct execution *find_execution(struct session *session, guint32 world)
{
	return g_hash_table_lookup(session->executions, GUINT_TO_POINTER(world));
}

static void on_hello(struct session *session, struct link *link, const struct wire_hello *hello)
{
	struct execution *execution = find_execution(session, hello->world);
	gint64 now = g_get_monotonic_time();

	log_debug(LOG_RANK, "rank %d of world %u is pid %d, %s", hello->rank, hello->world,
	          hello->pid, hello->program);

	if (hello->version != WIRE_VERSION) {
		session_fail(session,
		             "%s was started with another version of matchpoint's shim "
		             "(protocol %u, not %u); rebuild or reinstall matchpoint",
		             hello->program, hello->version, WIRE_VERSION);
	} else if (!execution) {
		link_close(link); /* a straggler of a world that is over */
	} else if (hello->rank < 0 || hello->rank >= session->options->ranks) {
		session_fail(session,
		             "a process (%s, pid %d) says it is rank %d of %d: does the "
		             "launcher start %d ranks?",
		             hello->program, hello->pid, hello->rank, session->options->ranks,
		             session->options->ranks);
	} else {
		if (!hello->restored && !session->exploration->mpi && hello->mpi)
			session->exploration->mpi = g_strdup(hello->mpi);
		execution_connected(execution, link, hello);
		if (hello->restored && execution->connected == session->options->ranks)
			session->restore_seconds = 0.5 * session->restore_seconds
			                           + 0.5 * (double)(now - execution->started)
			                                     / G_USEC_PER_SEC;
	}
}

static void on_child(struct session *session, struct link *link, const struct wire_child *child)
{
	struct execution *execution = find_execution(session, child->world);
	int rank = link_index(link);

	if (!child->ended && child->pid <= 0) {
		session_fall_back(session, g_strdup_printf("rank %d could not be forked: too many "
		                                           "processes, or too little memory",
		                                           rank));
		return;
	}
	if (!child->ended || !execution)
		return;
	if (execution->state == EXECUTION_STARTING) {
		session_fall_back(
			session,
			g_strdup_printf("rank %d could not be restored from its snapshot", rank));
		return;
	}
	execution_rank_status(execution, rank, child->status);
}

static void on_message(struct link *link, const struct wire_message *message)
{
	struct frozen *frozen;

	switch (link_role(link)) {
	case LINK_NEW:
		if (message->type == WIRE_HELLO)
			on_hello(link_owner(link), link, &message->hello);
		else
			link_close(link);
		break;
	case LINK_RANK:
		execution_message(link_owner(link), link_index(link), message);
		break;
	case LINK_KEEPER:
		frozen = link_owner(link);
		if (message->type == WIRE_CHILD)
			on_child(frozen->session, link, &message->child);
		break;
	case LINK_IGNORED:
		if (message->type == WIRE_CHILD)
			on_child(link_owner(link), link, &message->child);
		break;
	}
}

static void on_closed(struct link *link, const char *why)
{
	struct frozen *frozen;

	if (link_role(link) == LINK_RANK) {
		execution_link_closed(link_owner(link), link_index(link), why);
	} else if (link_role(link) == LINK_KEEPER) {
		frozen = link_owner(link);
		frozen->links[link_index(link)] = NULL;
		session_fail(frozen->session,
		             "the snapshot of rank %d is gone: its process was "
		             "killed from outside, or memory ran out",
		             link_index(link));
	}
}

const struct link_handler session_link_handler = {on_message, on_closed};

static void on_pmi_abort(void *user, guint32 world, int rank, int exit_code)
{
	struct execution *execution = find_execution(user, world);

	if (!execution || rank < 0 || rank >= execution->session->options->ranks
	    || execution->ends[rank].aborted)
		return;
	execution->ends[rank].aborted = TRUE;
	execution->ends[rank].abort_code = exit_code;
	world_rank_stopped(execution->world, rank);
	execution_advance(execution);
}

static int on_pmi_ranks(void *user, guint32 world)
{
	struct session *session = user;

	(void)world;
	return session->options->ranks;
}

const struct pmi_handler session_pmi_handler = {on_pmi_abort, on_pmi_ranks};

/* --- the job -------------------------------------------------------------------------------------
 * */

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
		g_string_append(text, launcher_output(session->launcher));
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

static void on_launcher_ended(void *user, int status)
{
	struct session *session = user;
	struct execution *execution = session->current;
	g_autofree char *words = NULL;

	if (!execution || !execution->launched) {
		if (session->root)
			session_fail(session,
			             "the job launcher ended (status %d) while its ranks "
			             "were needed",
			             status);
		return;
	}
	if (execution_failed_to_start(execution))
		return;
	if (execution->state != EXECUTION_STARTING) {
		execution_launcher_ended(execution, status);
		return;
	}
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
	                                                         : NULL};
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
	g_hash_table_remove_all(session->places);
	launcher_free(session->launcher);
	session->launcher = launcher_start(&options, &error);
	if (!session->launcher)
		session_fail(session, "%s", error->message);
	return session->launcher != NULL;
}
