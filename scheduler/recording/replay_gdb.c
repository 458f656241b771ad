#define _GNU_SOURCE
#include "replay_gdb.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording.h"
#include "replayed_process.h"
#include "scheduler/backwards/server.h"
#include "told_call.h"

struct session {
	const struct replay_gdb_options *options;
	struct replayed_process process;
	char *program;
	char *folder, *path; /* of the socket for gdb, while it is there */
	char *script;        /* commands for gdb, in that folder; NULL: none */
	pid_t gdb;           /* 0: none */
	int gdb_ends;        /* -1: none */
	bool is_used;        /* a front end has connected */
	sigset_t mask;       /* as it was before the wait for gdb */
	GError *error;       /* gdb could not be started */
};

/* --- the rank --------------------------------------------------------------------------------- */

static pid_t start_rank(void *user, const char *name, GError **error)
{
	struct session *session = user;
	const struct replayed_mode mode = {.marks = name};

	return replayed_process_start(session->options->directory, session->options->rank, &mode,
	                              &session->process, error)
	               ? session->process.pid
	               : -1;
}

static char *describe(void *user, const char bytes[REPLAYER_PLACE])
{
	const struct session *session = user;
	struct recording_place place;

	_Static_assert(sizeof place <= REPLAYER_PLACE, "");
	memcpy(&place, bytes, sizeof place);
	return session->options->describe(&place);
}

static char *tell_call(void *user, guint64 number, const char bytes[REPLAYER_PLACE])
{
	const struct session *session = user;
	bool is_known;
	g_autofree char *call = told_call(session->options->directory, session->options->rank,
	                                  number, &is_known),
			*here = describe(user, bytes);
	struct recording_place place;

	memcpy(&place, bytes, sizeof place);
	if (!is_known || number == place.call)
		return g_strdup_printf("%s  the rank %s\n", call, here);
	return g_strdup_printf("%s  in the %s: the rank %s\n", call,
	                       number < place.call ? "past" : "future", here);
}

/* The last line that it has told, without its first letter: copies of it have told the same. NULL:
 * none. */
static char *last_line(const struct session *session)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char bytes[4096], *last;
	ssize_t got;

	while ((got = recv(session->process.news, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		g_string_append_len(text, bytes, got);
	while (text->len > 0 && text->str[text->len - 1] == '\n')
		g_string_truncate(text, text->len - 1);
	last = strrchr(text->str, '\n');
	last = last ? last + 1 : text->str;
	return *last ? g_strdup(last + 1) : NULL;
}

static char *told(void *user)
{
	g_autofree char *line = last_line(user);

	return line ? g_strdup_printf("The replay ends here: %s\n", line) : NULL;
}

/* --- gdb -------------------------------------------------------------------------------------- */

/* This process ignores Ctrl-C, and blocks others, which gdb must not. */
static void heed_signals(gpointer user)
{
	const struct session *session = user;

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &session->mask, NULL);
}

/* Going to an MPI call is one word: the server waits for a motion of gdb's, as gdb asks where the
 * process is only then. What is selected is the frame that calls MPI. */
static const char goto_call[] =
	"define goto-call\n"
	"  if $argc != 1\n"
	"    help goto-call\n"
	"  else\n"
	"    monitor goto-silently $arg0\n"
	"    stepi\n"
	"    set $matchpoint_up = *(unsigned long *) &replay_call == $arg0 ? 0 : 8\n"
	"    while $pc != *(unsigned long *) &replay_site && $matchpoint_up < 8\n"
	"      up-silently\n"
	"      set $matchpoint_up = $matchpoint_up + 1\n"
	"    end\n"
	"    frame\n"
	"  end\n"
	"end\n"
	"document goto-call\n"
	"Go to the entry of the rank's MPI call N, backwards or forwards: goto-call N\n"
	"Calls are counted as in \"matchpoint report\"; \"monitor call N\" tells what each one "
	"is.\n"
	"end\n";

static char **gdb_words(const struct session *session)
{
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();
	g_autofree char *connect = g_strdup_printf("target remote %s", session->path);

	g_strv_builder_add_many(words, "gdb", "-q", "-iex", "set debuginfod enabled off", "-iex",
	                        "set sysroot /", "-iex", "set remotetimeout 60", "-iex",
	                        /* Of MPI there is only what stands in its place. */
	                        "skip -rfu ^[Pp]?(MPI|mpi)_", "-ix", session->script, "-ex",
	                        connect, NULL);
	for (char **word = session->options->arguments; word && *word; word++)
		g_strv_builder_add(words, *word);
	g_strv_builder_add(words, session->program);
	return g_strv_builder_end(words);
}

static void start_gdb(struct session *session)
{
	g_auto(GStrv) words = gdb_words(session);
	GPid pid;

	if (!g_spawn_async(NULL, words, NULL,
	                   G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD
	                           | G_SPAWN_CHILD_INHERITS_STDIN,
	                   heed_signals, session, &pid, &session->error))
		return;
	session->gdb = pid;
	session->gdb_ends = (int)syscall(SYS_pidfd_open, pid, 0);
}

static void forget_path(struct session *session)
{
	if (session->script)
		g_unlink(session->script);
	if (session->path)
		g_unlink(session->path);
	if (session->folder)
		g_rmdir(session->folder);
	g_clear_pointer(&session->script, g_free);
	g_clear_pointer(&session->path, g_free);
	g_clear_pointer(&session->folder, g_free);
}

static int listens(void *user, struct target *target, int port)
{
	struct session *session = user;
	const struct replay_gdb_options *options = session->options;
	g_autofree char *line = NULL;

	(void)target;
	if (!options->listen) {
		start_gdb(session);
		return session->gdb_ends;
	}
	line = session->path ? g_strdup_printf("rank %d waits for gdb: target remote %s",
	                                       options->rank, session->path)
	                     : g_strdup_printf("rank %d waits for gdb: target remote "
	                                       "127.0.0.1:%d",
	                                       options->rank, port);
	options->tell(line);
	return -1;
}

/* --- signals ---------------------------------------------------------------------------------- */

static const int stopping[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

static void end_waiting(int signal)
{
	(void)signal;
}

/* Until gdb connects they end the wait, which removes the socket; blocked but in that wait, none is
 * lost. Ctrl-C is for the gdb that it has started. */
static void begin_waiting(struct session *session)
{
	const bool listens = session->options->listen;
	sigset_t blocked;

	sigemptyset(&blocked);
	for (guint i = 0; i < G_N_ELEMENTS(stopping); i++) {
		const bool is_gdbs = !listens && (stopping[i] == SIGINT || stopping[i] == SIGQUIT);

		signal(stopping[i], is_gdbs ? SIG_IGN : end_waiting);
		sigaddset(&blocked, stopping[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &session->mask);
}

/* gdb decides when the session ends; what ends this process ends the rank too. */
static void end_of_waiting(struct session *session)
{
	for (guint i = 0; i < G_N_ELEMENTS(stopping); i++) {
		const bool is_gdbs = stopping[i] == SIGINT || stopping[i] == SIGQUIT;

		signal(stopping[i], is_gdbs ? SIG_IGN : SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &session->mask, NULL);
}

static void connected(void *user)
{
	struct session *session = user;

	session->is_used = true;
	forget_path(session);
	end_of_waiting(session);
}

/* Whatever became of the connection, the user may go on in gdb. */
static bool wait_for_gdb(struct session *session)
{
	int status = 0;

	if (session->gdb > 0)
		while (waitpid(session->gdb, &status, 0) < 0 && errno == EINTR)
			continue;
	if (session->gdb_ends >= 0)
		close(session->gdb_ends);
	if (WIFSIGNALED(status))
		g_set_error(&session->error, RECORDING_ERROR, 0, "gdb was ended by signal %d (%s)",
		            WTERMSIG(status), g_strsignal(WTERMSIG(status)));
	return !session->error;
}

/* --- both ------------------------------------------------------------------------------------- */

static bool has_programs(const struct replay_gdb_options *options, GError **error)
{
	static const char *const names[] = {"gdbserver", "gdb"};

	for (guint i = 0; i < (options->listen ? 1 : G_N_ELEMENTS(names)); i++) {
		g_autofree char *found = g_find_program_in_path(names[i]);

		if (!found) {
			g_set_error(error, RECORDING_ERROR, 0,
			            "there is no program %s on the PATH, which is needed to go "
			            "back",
			            names[i]);
			return false;
		}
	}
	return true;
}

/* Where gdb connects: only this user may. */
static bool choose_path(struct session *session, struct server_options *server, GError **error)
{
	const char *listen = session->options->listen;
	guint64 port = 0;

	if (!listen) {
		session->folder = g_dir_make_tmp("matchpoint-gdb-XXXXXX", error);
		if (!session->folder)
			return false;
		session->path = g_build_filename(session->folder, "socket", NULL);
		session->script = g_build_filename(session->folder, "commands", NULL);
		if (!g_file_set_contents(session->script, goto_call, -1, error)) {
			forget_path(session);
			return false;
		}
	} else if (g_ascii_string_to_unsigned(listen, 10, 0, 65535, &port, NULL)) {
		server->port = (int)port;
	} else if (!strchr(listen, '/')) {
		g_set_error(error, RECORDING_ERROR, 0,
		            "--listen: '%s' is neither a port (0 to 65535) nor the path of a "
		            "socket, with a /",
		            listen);
		return false;
	} else if (g_file_test(listen, G_FILE_TEST_EXISTS)) {
		g_set_error(error, RECORDING_ERROR, 0, "--listen: %s exists already", listen);
		return false;
	} else {
		session->path = g_strdup(listen);
	}
	server->path = session->path;
	return true;
}

static bool serve(struct session *session, struct server_options *server, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_autofree char *line = NULL;
	bool is_done;

	begin_waiting(session);
	server->waiting = &session->mask;
	is_done = server_serve(server, &failed);
	forget_path(session);
	end_of_waiting(session);
	if (!is_done && session->is_used)
		session->options->tell(failed->message);
	if (!wait_for_gdb(session)) {
		g_propagate_error(error, g_steal_pointer(&session->error));
		return false;
	}
	if (is_done || session->is_used)
		return true;
	/* It has told why it could not begin. */
	line = session->process.pid > 0 ? last_line(session) : NULL;
	g_set_error_literal(error, RECORDING_ERROR, 0, line ? line : failed->message);
	return false;
}

bool replay_gdb(const struct replay_gdb_options *options, GError **error)
{
	struct session session = {.options = options, .gdb_ends = -1, .process.news = -1};
	struct server_options server = {
		.replayer = {start_rank, describe, tell_call, told, &session},
		.listens = listens,
		.connected = connected,
		.user = &session,
	};
	bool is_done = has_programs(options, error);

	if (is_done) {
		session.program = replayed_program(options->directory, options->rank, error);
		is_done = session.program && choose_path(&session, &server, error)
		          && serve(&session, &server, error);
	}
	if (session.process.news >= 0)
		close(session.process.news);
	g_free(session.program);
	return is_done;
}
