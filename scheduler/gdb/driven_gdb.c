#define _GNU_SOURCE
#include "driven_gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MOST = 16 << 20, READ_AT_ONCE = 65536, END_MS = 3000, SEND_MS = 10000 };

struct driven_gdb {
	pid_t process;
	int ends; /* pidfd */
	int input, output, error;
	GString *heard, *complained; /* bytes that were not taken yet */
	gsize searched;              /* bytes of `heard` that hold no end of a line */
	gint64 token;
	bool is_lost;
};

/* --- its beginning ---------------------------------------------------------------------------- */

/* Ctrl-C is for this process alone, and what it blocks or ignores, gdb does not. */
static void become_apart(gpointer parent)
{
	sigset_t none;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != GPOINTER_TO_INT(parent))
		_exit(EXIT_FAILURE);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static char **words_of(const struct driven_gdb_options *options)
{
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();
	g_autofree char *rank = g_strdup_printf("%d", options->rank);

	g_strv_builder_add_many(words, "/proc/self/exe", "matchpoint", "replay", "--rank", rank,
	                        "--gdb", options->directory, "--", "-iex", "set mi-async on",
	                        "-iex", "set pagination off", "-iex", "set confirm off", "-iex",
	                        "set breakpoint pending on", "-iex", "set width 0", NULL);
	for (char **word = options->arguments; word && *word; word++)
		g_strv_builder_add(words, *word);
	g_strv_builder_add(words, "--interpreter=mi3");
	return g_strv_builder_end(words);
}

static void keep(int descriptor)
{
	fcntl(descriptor, F_SETFD, FD_CLOEXEC);
	fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

struct driven_gdb *driven_gdb_start(const struct driven_gdb_options *options, GError **error)
{
	struct driven_gdb *gdb = g_new0(struct driven_gdb, 1);
	g_auto(GStrv) words = words_of(options);

	if (!g_spawn_async_with_pipes(NULL, words, NULL,
	                              G_SPAWN_FILE_AND_ARGV_ZERO | G_SPAWN_DO_NOT_REAP_CHILD,
	                              become_apart, GINT_TO_POINTER(getpid()), &gdb->process,
	                              &gdb->input, &gdb->output, &gdb->error, error)) {
		g_free(gdb);
		return NULL;
	}
	keep(gdb->input);
	keep(gdb->output);
	keep(gdb->error);
	gdb->ends = (int)syscall(SYS_pidfd_open, gdb->process, 0);
	gdb->heard = g_string_new(NULL);
	gdb->complained = g_string_new(NULL);
	return gdb;
}

/* --- its end ---------------------------------------------------------------------------------- */

static void lose(struct driven_gdb *gdb)
{
	gdb->is_lost = true;
	if (gdb->input >= 0)
		close(gdb->input); /* so gdb ends, too */
	gdb->input = -1;
}

static bool ends_within(const struct driven_gdb *gdb, int ms)
{
	struct pollfd ends = {.fd = gdb->ends, .events = POLLIN};
	int ready;

	do
		ready = poll(&ends, 1, ms);
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}

/* It has a session of its own, to which gdb belongs. The rank ends with the process that traces
 * it. */
int driven_gdb_end(struct driven_gdb *gdb)
{
	int status = 0;

	lose(gdb);
	close(gdb->output); /* so that gdb cannot wait for a reader */
	if (!ends_within(gdb, END_MS)) {
		kill(gdb->process, SIGTERM);
		ends_within(gdb, END_MS);
	}
	kill(-gdb->process, SIGKILL);
	while (waitpid(gdb->process, &status, 0) < 0 && errno == EINTR)
		continue;
	close(gdb->error);
	close(gdb->ends);
	g_string_free(gdb->heard, true);
	g_string_free(gdb->complained, true);
	g_free(gdb);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- what it says ----------------------------------------------------------------------------- */

guint driven_gdb_wait_for(const struct driven_gdb *gdb, struct pollfd fds[DRIVEN_GDB_FDS])
{
	if (gdb->is_lost)
		return 0;
	fds[0] = (struct pollfd){.fd = gdb->output, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = gdb->ends, .events = POLLIN};
	/* After its end it would be ready for ever; what it holds is read with the rest. */
	fds[2] = (struct pollfd){.fd = gdb->error, .events = POLLIN};
	return DRIVEN_GDB_FDS;
}

/* Returns false at the end of the stream. */
static bool read_all(int descriptor, GString *into)
{
	char bytes[4096];
	ssize_t count;

	for (gsize total = 0; total < READ_AT_ONCE; total += (gsize)count) {
		count = read(descriptor, bytes, sizeof bytes);
		if (count <= 0)
			return count < 0 && (errno == EAGAIN || errno == EINTR);
		g_string_append_len(into, bytes, count);
	}
	return true;
}

void driven_gdb_receive(struct driven_gdb *gdb)
{
	const bool has_ended = ends_within(gdb, 0);
	const bool speaks = read_all(gdb->output, gdb->heard);

	read_all(gdb->error, gdb->complained);
	if (has_ended || !speaks || gdb->heard->len > LINE_MOST)
		lose(gdb);
}

bool driven_gdb_is_lost(const struct driven_gdb *gdb)
{
	return gdb->is_lost;
}

/* The next line without its newline; free with g_free. NULL: none. */
static char *take_line(GString *heard, gsize *searched)
{
	const char *end = memchr(heard->str + *searched, '\n', heard->len - *searched);
	char *line;

	*searched = end ? 0 : heard->len;
	if (!end)
		return NULL;
	line = g_strndup(heard->str, (gsize)(end - heard->str));
	g_string_erase(heard, 0, end - heard->str + 1);
	return line;
}

bool driven_gdb_take(struct driven_gdb *gdb, struct mi_record *ret_record)
{
	char *line;

	while ((line = take_line(gdb->heard, &gdb->searched))) {
		const bool is_record = mi_parse(line, ret_record);

		g_free(line);
		if (is_record)
			return true;
	}
	return false;
}

char *driven_gdb_take_error(struct driven_gdb *gdb)
{
	static const char name[] = "matchpoint: ";
	gsize searched = 0;
	char *line = take_line(gdb->complained, &searched);
	char *words;

	if (!line || !g_str_has_prefix(line, name))
		return line;
	words = g_strdup(line + strlen(name));
	g_free(line);
	return words;
}

/* --- what it is told -------------------------------------------------------------------------- */

/* Waits until more can be sent. Returns false if that takes too long. */
static bool wait_to_send(struct driven_gdb *gdb)
{
	struct pollfd fds[2] = {{.fd = gdb->input, .events = POLLOUT},
	                        {.fd = gdb->output, .events = POLLIN}};
	const int ready = poll(fds, 2, SEND_MS);

	if (ready > 0 && fds[1].revents)
		driven_gdb_receive(gdb);
	return ready > 0 || (ready < 0 && errno == EINTR);
}

gint64 driven_gdb_send(struct driven_gdb *gdb, const char *command)
{
	g_autofree char *line = g_strdup_printf("%" G_GINT64_FORMAT "%s\n", gdb->token, command);
	const gsize length = strlen(line);
	gsize done = 0;

	while (done < length && !gdb->is_lost) {
		const ssize_t sent = write(gdb->input, line + done, length - done);

		if (sent > 0)
			done += (gsize)sent;
		else if (sent == 0 || (errno != EAGAIN && errno != EINTR) || !wait_to_send(gdb))
			lose(gdb);
	}
	return gdb->is_lost ? -1 : gdb->token++;
}
