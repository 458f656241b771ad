#define _GNU_SOURCE
#include "decoders.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/host/child_reaper.h"

#define SECONDS_MOST 10
#define OUTPUT_MOST 65536
#define INDENT "  "

G_DEFINE_QUARK(matchpoint_decoders_error, decoders_error)

struct decoder {
	bool any_tag;
	gint32 tag;
	char *comm; /* NULL: any */
	char *command;
};

struct decoders {
	GPtrArray *all; /* struct decoder */
};

static void decoder_free(gpointer data)
{
	struct decoder *decoder = data;

	g_free(decoder->comm);
	g_free(decoder->command);
	g_free(decoder);
}

struct decoders *decoders_new(void)
{
	struct decoders *decoders = g_new0(struct decoders, 1);

	decoders->all = g_ptr_array_new_with_free_func(decoder_free);
	return decoders;
}

void decoders_free(struct decoders *decoders)
{
	if (!decoders)
		return;
	g_ptr_array_unref(decoders->all);
	g_free(decoders);
}

/* --- which ------------------------------------------------------------------------------------ */

/* The next word of *text, or what is between quotes; free with g_free. */
static char *take_word(const char **text)
{
	const char *quote = **text == '"' ? strchr(*text + 1, '"') : NULL;
	gsize length = quote ? (gsize)(quote - *text) - 1 : strcspn(*text, " \t");
	char *word = g_strndup(quote ? *text + 1 : *text, length);

	*text += quote ? length + 2 : length;
	*text += strspn(*text, " \t");
	return word;
}

/* "tag 7 comm rows": NULL, or what is wrong. */
static char *read_condition(struct decoder *decoder, const char **text)
{
	while (g_str_has_prefix(*text, "tag ") || g_str_has_prefix(*text, "comm ")) {
		g_autofree char *name = take_word(text), *value = take_word(text);
		gint64 number;

		if (strcmp(name, "comm") == 0) {
			g_free(decoder->comm);
			decoder->comm = g_steal_pointer(&value);
		} else if (g_ascii_string_to_signed(value, 10, 0, G_MAXINT32, &number, NULL)) {
			decoder->any_tag = false;
			decoder->tag = (gint32)number;
		} else {
			return g_strdup_printf("%s is no tag", value);
		}
	}
	return NULL;
}

char *decoders_set(struct decoders *decoders, const char *text)
{
	struct decoder *decoder;
	char *problem;

	if (strcmp(text, "off") == 0) {
		g_ptr_array_set_size(decoders->all, 0);
		return NULL;
	}
	decoder = g_new0(struct decoder, 1);
	decoder->any_tag = true;
	problem = read_condition(decoder, &text);
	if (!problem && !*text)
		problem = g_strdup(
			"which command? Say set decoder tag 7 ./show, or pickle, or hex");
	decoder->command = g_strdup(text);
	if (problem)
		decoder_free(decoder);
	else
		g_ptr_array_add(decoders->all, decoder);
	return problem;
}

const char *decoders_find(const struct decoders *decoders, gint32 tag, const char *comm)
{
	for (guint i = decoders->all->len; i > 0; i--) {
		const struct decoder *decoder = decoders->all->pdata[i - 1];

		if ((decoder->any_tag || decoder->tag == tag)
		    && (!decoder->comm || (comm && g_ascii_strcasecmp(decoder->comm, comm) == 0)))
			return decoder->command;
	}
	return NULL;
}

/* --- JSON as a tree --------------------------------------------------------------------------- */

static void new_line(GString *text, int depth)
{
	g_string_append_c(text, '\n');
	for (int i = 0; i < MIN(depth, 40); i++)
		g_string_append(text, INDENT);
}

/* The string that begins there; returns its length. */
static gsize string_length(const char *text)
{
	gsize length = 1;

	while (text[length] && text[length] != '"')
		length += text[length] == '\\' && text[length + 1] ? 2 : 1;
	return length + (text[length] == '"' ? 1 : 0);
}

static gsize indent_one(GString *text, const char *at, int *depth)
{
	gsize length = *at == '"' ? string_length(at) : 1;
	bool empty = (*at == '{' || *at == '[') && strchr("}]", at[1 + strspn(at + 1, " \t\n")]);

	if (strchr(" \t\r\n", *at))
		return 1;
	if (*at == '}' || *at == ']')
		new_line(text, --*depth);
	g_string_append_len(text, at, (gssize)length);
	if (empty) {
		length += 1 + strspn(at + 1, " \t\n");
		g_string_append_c(text, at[length - 1]);
	} else if (*at == '{' || *at == '[') {
		new_line(text, ++*depth);
	} else if (*at == ',') {
		new_line(text, *depth);
	} else if (*at == ':') {
		g_string_append_c(text, ' ');
	}
	return length;
}

char *decoders_indent(const char *text)
{
	GString *told = g_string_new(NULL);
	int depth = 0;

	if (*text != '{' && *text != '[')
		g_string_append(told, text);
	else
		for (const char *at = text; *at;)
			at += indent_one(told, at, &depth);
	if (told->len > 0 && told->str[told->len - 1] != '\n')
		g_string_append_c(told, '\n');
	return g_string_free(told, false);
}

/* --- a program -------------------------------------------------------------------------------- */

struct running {
	GPid process;
	int input, output; /* input -1: it has all */
	const guint8 *bytes;
	gsize left;
	GString *told;
};

static void become_apart(void *unused)
{
	(void)unused;
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
}

static void write_some(struct running *running)
{
	ssize_t count = running->left > 0 ? write(running->input, running->bytes, running->left)
	                                  : 0;

	if (count > 0) {
		running->bytes += count;
		running->left -= (gsize)count;
	}
	if (running->left > 0 && (count > 0 || errno == EAGAIN || errno == EINTR))
		return;
	close(running->input); /* it may not want to know it all */
	running->input = -1;
}

/* false: there is no more. */
static bool read_some(struct running *running)
{
	char bytes[4096];
	ssize_t count = read(running->output, bytes, sizeof(bytes));

	if (count > 0)
		g_string_append_len(running->told, bytes, count);
	return running->told->len <= OUTPUT_MOST
	       && (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)));
}

/* false: it took too long. */
static bool converse(struct running *running)
{
	const gint64 deadline = g_get_monotonic_time() + SECONDS_MOST * G_USEC_PER_SEC;
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool more = true, late = false;

	while (more && !late) {
		struct pollfd both[] = {{.fd = running->output, .events = POLLIN},
		                        {.fd = running->input, .events = POLLOUT}};
		gint64 left = (deadline - g_get_monotonic_time()) / 1000;

		late = left <= 0;
		if (late || poll(both, 2, (int)left) <= 0)
			continue;
		if (running->input >= 0 && both[1].revents)
			write_some(running);
		if (both[0].revents)
			more = read_some(running);
	}
	signal(SIGPIPE, before);
	return !late;
}

static int end(struct running *running, bool kills)
{
	int status = 0;

	if (running->input >= 0)
		close(running->input);
	close(running->output);
	if (kills)
		kill(-running->process, SIGKILL);
	while (waitpid(running->process, &status, 0) < 0 && errno == EINTR)
		;
	child_reaper_spare(running->process, false);
	return status;
}

char *decoders_run(const char *command, const guint8 *bytes, gsize length, GError **error)
{
	char *words[] = {(char *)"/bin/sh", (char *)"-c", (char *)command, NULL};
	struct running running = {.bytes = bytes, .left = length};
	g_autofree char *valid = NULL;
	bool in_time, cut;
	int status;

	if (!g_spawn_async_with_pipes(NULL, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD, become_apart,
	                              NULL, &running.process, &running.input, &running.output, NULL,
	                              error))
		return NULL;
	child_reaper_spare(running.process, true);
	fcntl(running.input, F_SETFL, O_NONBLOCK);
	running.told = g_string_new(NULL);
	in_time = converse(&running);
	cut = running.told->len > OUTPUT_MOST;
	status = end(&running, !in_time || cut);
	valid = g_utf8_make_valid(running.told->str, (gssize)MIN(running.told->len, OUTPUT_MOST));
	g_string_free(running.told, true);
	if (!in_time)
		g_set_error(error, DECODERS_ERROR, 0, "%s did not end within %d s", command,
		            SECONDS_MOST);
	else if (!cut && status != 0)
		g_set_error(error, DECODERS_ERROR, 0, "%s %s %d", command,
		            WIFEXITED(status) ? "exits with" : "is ended by signal",
		            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	if (!in_time || (!cut && status != 0))
		return NULL;
	return decoders_indent(g_strdelimit(valid, "\033\r\b", '?'));
}
