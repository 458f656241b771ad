#define _GNU_SOURCE
#include "decoder_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoders.h"
#include "scheduler/host/child_reaper.h"

#define LOOK_MS 5 /* interval of looking whether it has ended, after its last output */

struct decoder_program {
	char *name;
	GPid process;      /* 0: it has ended */
	int input, output; /* input -1: closed */
};

/* Data to write and data read. */
struct exchange {
	struct decoder_program *program;
	const guint8 *bytes;
	gsize left;
	bool stays; /* its input stays open, and a NUL ends its answer */
	gint64 deadline;
	GString *heard;
};

static void become_apart(void *unused)
{
	(void)unused;
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
}

struct decoder_program *decoder_program_new(const char *name, const char *const *words, bool quiet,
                                            GError **error)
{
	struct decoder_program *program = g_new0(struct decoder_program, 1);
	GSpawnFlags flags = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH
	                    | (quiet ? G_SPAWN_STDERR_TO_DEV_NULL : 0);

	if (!g_spawn_async_with_pipes(NULL, (char **)words, NULL, flags, become_apart, NULL,
	                              &program->process, &program->input, &program->output, NULL,
	                              error)) {
		g_free(program);
		return NULL;
	}
	program->name = g_strdup(name);
	child_reaper_spare(program->process, true);
	fcntl(program->input, F_SETFL, O_NONBLOCK);
	fcntl(program->input, F_SETFD, FD_CLOEXEC);
	fcntl(program->output, F_SETFD, FD_CLOEXEC);
	return program;
}

static bool reap(struct decoder_program *program, int flags, int *ret_status)
{
	pid_t done = waitpid(program->process, ret_status, flags);

	if (done == 0 || (done < 0 && errno == EINTR))
		return false;
	child_reaper_spare(program->process, false);
	program->process = 0;
	return true;
}

void decoder_program_free(struct decoder_program *program)
{
	int status;

	if (!program)
		return;
	if (program->input >= 0)
		close(program->input);
	close(program->output);
	if (program->process > 0)
		kill(-program->process, SIGKILL);
	while (program->process > 0)
		reap(program, 0, &status);
	g_free(program->name);
	g_free(program);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static void write_some(struct exchange *exchange)
{
	struct decoder_program *program = exchange->program;
	ssize_t count = exchange->left > 0 ? write(program->input, exchange->bytes, exchange->left)
	                                   : 0;

	if (count > 0) {
		exchange->bytes += count;
		exchange->left -= (gsize)count;
	}
	if (exchange->left > 0 && (count > 0 || errno == EAGAIN || errno == EINTR))
		return;
	exchange->left = 0;
	if (exchange->stays)
		return;
	close(program->input); /* it may not read everything */
	program->input = -1;
}

static bool is_answered(const struct exchange *exchange)
{
	return exchange->stays && exchange->heard->len > 0
	       && exchange->heard->str[exchange->heard->len - 1] == '\0';
}

static bool is_long(const struct exchange *exchange)
{
	return exchange->heard->len > DECODER_TEXT_MOST;
}

/* Returns false at the end of its output. */
static bool read_some(struct exchange *exchange)
{
	char bytes[4096];
	ssize_t count = read(exchange->program->output, bytes, sizeof(bytes));

	if (count > 0)
		g_string_append_len(exchange->heard, bytes, count);
	return !is_long(exchange) && !is_answered(exchange)
	       && (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)));
}

static int milliseconds_left(const struct exchange *exchange)
{
	return (int)MAX((exchange->deadline - g_get_monotonic_time()) / 1000, 0);
}

/* Returns false on time-out. */
static bool converse(struct exchange *exchange)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool more = true, late = false;

	while (more && !late) {
		bool writes = exchange->left > 0 || !exchange->stays;
		struct pollfd both[] = {
			{.fd = exchange->program->output, .events = POLLIN},
			{.fd = writes ? exchange->program->input : -1, .events = POLLOUT}};
		int left = milliseconds_left(exchange);

		late = left == 0;
		if (late || poll(both, 2, left) <= 0)
			continue;
		if (both[1].revents)
			write_some(exchange);
		if (both[0].revents)
			more = read_some(exchange);
	}
	signal(SIGPIPE, before);
	return !late;
}

/* Waits for the end after its last output. Returns false on time-out. */
static bool wait_for_end(struct exchange *exchange, int *ret_status)
{
	while (!reap(exchange->program, WNOHANG, ret_status)) {
		if (milliseconds_left(exchange) == 0)
			return false;
		g_usleep(LOOK_MS * 1000);
	}
	return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void set_late(GError **error, const char *name, guint milliseconds)
{
	g_set_error(error, DECODERS_ERROR, 0, "%s did not end within %g s", name,
	            milliseconds / 1000.0);
}

static void set_status(GError **error, const char *name, int status)
{
	g_set_error(error, DECODERS_ERROR, 0, "%s %s %d", name,
	            WIFEXITED(status) ? "exits with" : "is ended by signal",
	            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* Whether the answer is complete. */
static bool succeeds(struct exchange *exchange, guint milliseconds, GError **error)
{
	const char *name = exchange->program->name;
	int status = 0;

	if (!converse(exchange)) {
		set_late(error, name, milliseconds);
		return false;
	}
	if (is_answered(exchange))
		return true;
	if (is_long(exchange)) {
		if (exchange->stays)
			g_set_error(error, DECODERS_ERROR, 0, "%s prints too much", name);
		return !exchange->stays;
	}
	if (!wait_for_end(exchange, &status)) {
		set_late(error, name, milliseconds);
		return false;
	}
	if (status != 0 || exchange->stays) {
		set_status(error, name, status);
		return false;
	}
	return true;
}

static char *hear(struct exchange exchange, guint milliseconds, GError **error)
{
	g_autofree char *valid = NULL;
	bool is_heard;

	exchange.deadline = g_get_monotonic_time() + milliseconds * (gint64)1000;
	exchange.heard = g_string_new(NULL);
	is_heard = succeeds(&exchange, milliseconds, error);
	if (is_heard && exchange.stays)
		g_string_truncate(exchange.heard, exchange.heard->len - 1);
	valid = g_utf8_make_valid(exchange.heard->str,
	                          (gssize)MIN(exchange.heard->len, DECODER_TEXT_MOST));
	g_string_free(exchange.heard, true);
	return is_heard ? g_strdelimit(g_steal_pointer(&valid), "\033\r\b", '?') : NULL;
}

char *decoder_program_decode(struct decoder_program *program, const guint8 *bytes, gsize length,
                             guint milliseconds, GError **error)
{
	return hear((struct exchange){.program = program, .bytes = bytes, .left = length},
	            milliseconds, error);
}

char *decoder_program_ask(struct decoder_program *program, const guint8 *bytes, gsize length,
                          guint milliseconds, GError **error)
{
	return hear(
		(struct exchange){
			.program = program, .bytes = bytes, .left = length, .stays = true},
		milliseconds, error);
}
