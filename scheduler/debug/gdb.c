#define _GNU_SOURCE
#include "gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/gdb/mi.h"
#include "scheduler/host/child_reaper.h"

#define ATTACH_SECONDS 60 /* it may have to read much debugging information */
#define ANSWER_SECONDS 20
#define END_SECONDS 2
#define THREADS_MOST 64 /* searched for the call */

G_DEFINE_QUARK(matchpoint_gdb_error, gdb_error)

struct gdb {
	GPid process;
	int input, output;
	GString *heard;           /* output that was not processed yet */
	pid_t attached;           /* process; 0: none */
	guint64 site;             /* of the selected frame */
	int above;                /* frames between that and the one that is selected now */
	const struct place *fell; /* while it is selected: gdb_attach's */
	char *program;            /* file whose symbols were read; NULL: none */
	char *folder;             /* gdb's folder of separate symbols */
	bool lost;
};

/* --- GDB/MI ----------------------------------------------------------------------------------- */

char *gdb_read_literal(const char *text)
{
	const char *end = text + 1;
	g_autofree char *inner = NULL;

	if (*text != '"')
		return NULL;
	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	if (*end != '"')
		return NULL;
	inner = g_strndup(text + 1, (gsize)(end - text - 1));
	return g_strcompress(inner);
}

int gdb_find_frame(const char *answer, guint64 address)
{
	static const char level[] = "level=\"", place[] = "addr=\"";

	for (const char *at = strstr(answer, level); at; at = strstr(at + 1, level)) {
		const char *found = strstr(at, place);

		if (found && g_ascii_strtoull(found + strlen(place), NULL, 16) == address)
			return (int)g_ascii_strtoull(at + strlen(level), NULL, 10);
	}
	return -1;
}

int gdb_find_interrupted(const char *answer, const char *file, guint32 line)
{
	static const char level[] = "level=\"", handler[] = "func=\"<signal handler called>\"";
	g_autofree char *name = file ? g_strdup_printf("/%s\"", file) : g_strdup("");
	g_autofree char *number = file ? g_strdup_printf("line=\"%u\"", line) : g_strdup("");
	const char *at = strstr(answer, handler);

	while (at && (at = strstr(at + 1, level))) {
		const char *end = strstr(at, "frame={");
		g_autofree char *frame = end ? g_strndup(at, (gsize)(end - at)) : g_strdup(at);

		if (strstr(frame, name) && strstr(frame, number))
			return (int)g_ascii_strtoull(at + strlen(level), NULL, 10);
	}
	return -1;
}

/* --- questions -------------------------------------------------------------------------------- */

static bool lose(struct gdb *gdb, GError **error, const char *why)
{
	gdb->lost = true;
	g_set_error(error, GDB_ERROR, 0, "gdb %s", why);
	return false;
}

static bool say(struct gdb *gdb, const char *line, GError **error)
{
	g_autofree char *whole = g_strdup_printf("%s\n", line);
	gsize done = 0, length = strlen(whole);

	while (done < length) {
		ssize_t written = write(gdb->input, whole + done, length - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return lose(gdb, error, "has ended");
		done += (gsize)written;
	}
	return true;
}

/* The next line, without its newline; free with g_free. NULL with `error` set: time-out, or gdb has
 * ended. */
static char *hear(struct gdb *gdb, gint64 deadline, GError **error)
{
	struct pollfd readable = {.fd = gdb->output, .events = POLLIN};
	const char *end;
	char *line;

	while (!(end = memchr(gdb->heard->str, '\n', gdb->heard->len))) {
		gint64 left = (deadline - g_get_monotonic_time()) / 1000;
		char bytes[4096];
		ssize_t count;

		if (left <= 0 || (poll(&readable, 1, (int)left) == 0)) {
			lose(gdb, error, "does not answer");
			return NULL;
		}
		count = readable.revents ? read(gdb->output, bytes, sizeof(bytes)) : -1;
		if (count < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (count <= 0) {
			lose(gdb, error, "has ended");
			return NULL;
		}
		g_string_append_len(gdb->heard, bytes, count);
	}
	line = g_strndup(gdb->heard->str, (gsize)(end - gdb->heard->str));
	g_string_erase(gdb->heard, 0, end - gdb->heard->str + 1);
	return line;
}

static void refuse(GError **error, const char *answer)
{
	const char *message = strstr(answer, "msg=");
	g_autofree char *words = message ? gdb_read_literal(message + strlen("msg=")) : NULL;

	g_set_error(error, GDB_ERROR, 1, "%s", words ? g_strchomp(words) : answer);
}

/* Asks a command and returns the result ("^done,..."); free with g_free. Console output is appended
 * to ret_told (NULL: dropped). NULL with `error` set: gdb refuses, or is lost. */
static char *ask(struct gdb *gdb, const char *command, int seconds, GString *ret_told,
                 GError **error)
{
	const gint64 deadline = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;

	if (!say(gdb, command, error))
		return NULL;
	for (;;) {
		g_autofree char *line = hear(gdb, deadline, error);
		g_autofree char *told = NULL;

		if (!line)
			return NULL;
		told = *line == '~' ? gdb_read_literal(line + 1) : NULL;
		if (told && ret_told)
			g_string_append(ret_told, told);
		if (g_str_has_prefix(line, "^error")) {
			refuse(error, line);
			return NULL;
		}
		if (*line == '^')
			return g_steal_pointer(&line);
	}
}

static bool tell(struct gdb *gdb, const char *command, int seconds, GError **error)
{
	g_autofree char *answer = ask(gdb, command, seconds, NULL, error);

	return answer != NULL;
}

/* --- frames ----------------------------------------------------------------------------------- */

static int find_level(struct gdb *gdb, GError **error)
{
	g_autofree char *answer = ask(gdb, "-stack-list-frames", ATTACH_SECONDS, NULL, error);
	int level = -1;

	if (!answer)
		return -1;
	if (gdb->fell)
		level = gdb_find_interrupted(answer, gdb->fell->file, gdb->fell->line);
	if (gdb->fell && level < 0)
		level = gdb_find_interrupted(answer, NULL, 0);
	return level >= 0 ? level : gdb_find_frame(answer, gdb->site);
}

/* Selects the frame of the call. The call may be another thread's than the first, and the stack may
 * go through other libraries. If it is not found, the selection stays. */
static bool select_frame(struct gdb *gdb, GError **error)
{
	g_autofree char *frame = NULL;
	int level = find_level(gdb, error);

	if (level < 0 && !gdb->lost) {
		g_clear_error(error);
		tell(gdb, "-interpreter-exec console \"sharedlibrary\"", ATTACH_SECONDS, NULL);
		level = find_level(gdb, error);
	}

	for (int thread = 1; level < 0 && !gdb->lost && thread <= THREADS_MOST; thread++) {
		g_autofree char *selects = g_strdup_printf("-thread-select %d", thread);

		g_clear_error(error);
		if (!tell(gdb, selects, ANSWER_SECONDS, NULL))
			break; /* no more threads */
		level = find_level(gdb, error);
	}
	if (gdb->lost)
		return false;
	g_clear_error(error);
	if (level < 0)
		return true;
	frame = g_strdup_printf("-stack-select-frame %d", level);
	return tell(gdb, frame, ANSWER_SECONDS, error);
}

/* --- symbols ---------------------------------------------------------------------------------- */

/* On every attach gdb reads the symbols of all libraries again. MPI has about fifty, which take
 * almost a second and which no expression needs. So the program's symbols are read once, and of the
 * libraries only those on the stack between the rank's wait and its call of MPI. */
static bool is_on_the_way(const char *name)
{
	static const char *const names[] = {"libc.so", "libmatchpoint-shim", "libstdc++.so",
	                                    "libpthread.so", "ld-musl"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_has_prefix(name, names[i]))
			return true;
	return false;
}

/* A regular expression that matches the name literally. gdb may know the file by a shorter name
 * after ".so", that of a link. */
static char *name_pattern(const char *name)
{
	const char *suffix = strstr(name, ".so");
	char *pattern = g_strndup(name, suffix ? (gsize)(suffix + 3 - name) : strlen(name));

	for (char *at = pattern; *at; at++)
		*at = g_ascii_isalnum(*at) || *at == '-' || *at == '_' ? *at : '.';
	return pattern;
}

GPtrArray *gdb_libraries(const char *maps, guint64 site)
{
	GPtrArray *patterns = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) lines = g_strsplit(maps, "\n", -1);

	for (char **line = lines; *line; line++) {
		const char *path = strchr(*line, '/');
		g_autofree char *name = path ? g_path_get_basename(path) : NULL;
		g_autofree char *pattern = name ? name_pattern(name) : NULL;
		char *end;
		guint64 from = g_ascii_strtoull(*line, &end, 16);
		guint64 to = *end == '-' ? g_ascii_strtoull(end + 1, NULL, 16) : 0;

		if (pattern && (is_on_the_way(name) || (site >= from && site < to))
		    && !g_ptr_array_find_with_equal_func(patterns, pattern, g_str_equal, NULL))
			g_ptr_array_add(patterns, g_steal_pointer(&pattern));
	}
	return patterns;
}

static void say_to_console(struct gdb *gdb, const char *format, const char *word)
{
	g_autofree char *line = g_strdup_printf(format, word);
	g_autofree char *literal = mi_quote(line);
	g_autofree char *command = g_strdup_printf("-interpreter-exec console %s", literal);

	tell(gdb, command, ATTACH_SECONDS, NULL);
}

/* Reads the program's symbols, also those kept in separate files. On failure gdb finds them by
 * itself. */
static void read_program(struct gdb *gdb, const char *program)
{
	g_autofree char *literal = program ? mi_quote(program) : NULL;
	g_autofree char *command = g_strdup_printf("-file-exec-and-symbols %s", literal);

	if (!program || g_strcmp0(program, gdb->program) == 0)
		return;
	say_to_console(gdb, "set debug-file-directory %s", gdb->folder);
	tell(gdb, command, ATTACH_SECONDS, NULL);
	g_free(gdb->program);
	gdb->program = g_strdup(program);
	say_to_console(gdb, "set debug-file-directory%s", " /nonexistent");
}

static void read_libraries(struct gdb *gdb, const char *maps, guint64 site)
{
	g_autoptr(GPtrArray) patterns = NULL;

	if (!maps)
		return;
	patterns = gdb_libraries(maps, site);
	for (guint i = 0; i < patterns->len; i++)
		say_to_console(gdb, "sharedlibrary %s", patterns->pdata[i]);
}

/* gdb's default folder for separate symbols. */
static char *ask_folder(struct gdb *gdb)
{
	g_autofree char *answer = ask(gdb, "-gdb-show debug-file-directory", ANSWER_SECONDS, NULL,
	                              NULL);
	const char *value = answer ? strstr(answer, "value=") : NULL;
	char *folder = value ? gdb_read_literal(value + strlen("value=")) : NULL;

	return folder ? folder : g_strdup("");
}

/* --- attaching -------------------------------------------------------------------------------- */

static bool attach(struct gdb *gdb, const char *line, GError **error)
{
	g_autofree char *literal = mi_quote(line);
	g_autofree char *command = g_strdup_printf("-interpreter-exec console %s", literal);

	return tell(gdb, command, ATTACH_SECONDS, error);
}

bool gdb_attach(struct gdb *gdb, pid_t pid, const struct host_debuggee *debuggee, guint64 site,
                const struct place *fell, GError **error)
{
	bool selected;

	if (gdb->attached == pid && gdb->site == site)
		return true;
	gdb_detach(gdb);
	read_program(gdb, debuggee->program);
	if (!attach(gdb, debuggee->attach, error))
		return false;
	gdb->attached = pid;
	gdb->site = site;
	gdb->above = 0;
	gdb->fell = fell;
	read_libraries(gdb, debuggee->mappings, site);
	selected = select_frame(gdb, error);
	gdb->fell = NULL;
	if (!selected)
		gdb_detach(gdb);
	return selected;
}

void gdb_detach(struct gdb *gdb)
{
	if (gdb->attached > 0 && !gdb->lost)
		tell(gdb, "-target-detach", ANSWER_SECONDS, NULL);
	gdb->attached = 0;
}

bool gdb_is_lost(const struct gdb *gdb)
{
	return gdb->lost;
}

static char *obey(struct gdb *gdb, const char *line, GError **error)
{
	g_autofree char *literal = mi_quote(line);
	g_autofree char *command = g_strdup_printf("-interpreter-exec console %s", literal);
	GString *told = g_string_new(NULL);
	g_autofree char *answer = ask(gdb, command, ANSWER_SECONDS, told, error);

	return g_string_free(told, !answer);
}

char *gdb_print(struct gdb *gdb, const char *expression, GError **error)
{
	g_autofree char *line = g_strdup_printf("print %s", expression);

	return obey(gdb, line, error);
}

/* `up N` is silent about the outermost function, so each step is one command. */
char *gdb_move(struct gdb *gdb, int frames, GError **error)
{
	g_autofree char *told = NULL;

	if (gdb->above + frames < 0) {
		g_set_error_literal(error, GDB_ERROR, 0,
		                    "this is the function that has made the MPI call");
		return NULL;
	}
	for (int i = 0; i < ABS(frames); i++) {
		char *next = obey(gdb, frames > 0 ? "up" : "down", told ? NULL : error);

		if (!next)
			break;
		g_free(told);
		told = next;
		gdb->above += frames > 0 ? 1 : -1;
	}
	return g_steal_pointer(&told);
}

char *gdb_locals(struct gdb *gdb, GError **error)
{
	return obey(gdb, "info locals", error);
}

/* --- gdb's process ---------------------------------------------------------------------------- */

/* Protects gdb from Ctrl-C, and ends it with matchpoint. */
static void become_apart(void *unused)
{
	(void)unused;
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

struct gdb *gdb_new(GError **error)
{
	static char *words[] = {"gdb",  "-q",
	                        "-nx",  "--interpreter=mi2",
	                        "-iex", "set debuginfod enabled off",
	                        "-iex", "set print address on",
	                        "-iex", "set width 0",
	                        "-iex", "set confirm off",
	                        "-iex", "set may-call-functions off",
	                        "-iex", "set may-write-memory off",
	                        "-iex", "set may-write-registers off",
	                        "-iex", "set auto-solib-add off",
	                        NULL};
	struct gdb *gdb = g_new0(struct gdb, 1);
	g_autoptr(GError) why = NULL;

	if (!g_spawn_async_with_pipes(
		    NULL, words, NULL,
		    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
		    become_apart, NULL, &gdb->process, &gdb->input, &gdb->output, NULL, &why)) {
		g_set_error(error, GDB_ERROR, 0, "cannot start gdb (%s): is it installed?",
		            why->message);
		g_free(gdb);
		return NULL;
	}
	child_reaper_spare(gdb->process, true);
	fcntl(gdb->input, F_SETFD, FD_CLOEXEC);
	fcntl(gdb->output, F_SETFD, FD_CLOEXEC);
	gdb->heard = g_string_new(NULL);
	if (tell(gdb, "-gdb-version", ATTACH_SECONDS, error)) {
		gdb->folder = ask_folder(gdb);
		return gdb;
	}
	gdb_free(gdb);
	return NULL;
}

static void wait_for_end(struct gdb *gdb)
{
	const gint64 deadline = g_get_monotonic_time() + (gint64)END_SECONDS * G_USEC_PER_SEC;
	char *line;

	while ((line = hear(gdb, deadline, NULL)))
		g_free(line);
}

void gdb_free(struct gdb *gdb)
{
	if (!gdb)
		return;
	gdb_detach(gdb);
	if (!gdb->lost && say(gdb, "-gdb-exit", NULL))
		wait_for_end(gdb);
	kill(gdb->process, SIGKILL); /* no process, if it has ended */
	close(gdb->input);
	close(gdb->output);
	while (waitpid(gdb->process, NULL, 0) < 0 && errno == EINTR)
		;
	child_reaper_spare(gdb->process, false);
	g_string_free(gdb->heard, true);
	g_free(gdb->program);
	g_free(gdb->folder);
	g_free(gdb);
}
