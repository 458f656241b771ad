#include "prompt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "colouring.h"
#include "line_editor.h"
#include "scheduler/host/environment.h"
#include "wrapping.h"

#define PROMPT "(matchpoint) "
#define SCRIPTS_MOST 100 /* nested scripts */

G_DEFINE_QUARK(matchpoint_prompt_error, prompt_error)

/* A file whose lines are read. */
struct script {
	char *name; /* NULL: typed before (prompt_repeat) */
	char **lines;
	guint next;
};

struct prompt {
	struct session *session;
	const struct prompt_owner *owner;
	GQueue *scripts; /* struct script, the one read first at the head */
	char *place;
	bool batch, terminal, ended;
	bool waits; /* for a line that is being typed */
	bool asks;  /* passes each line to the owner */
	bool said;  /* `line` is set */
	bool shared;
	bool from_others; /* `line` is from a page */
	GQueue *others;   /* char *: lines from pages */
	char *line;       /* NULL: the end */
	GString *typed;
	GString *read;              /* the lines that were typed, or are from pages */
	uv_poll_t *poll;            /* NULL: standard input cannot be polled */
	struct line_editor *editor; /* NULL: none */
	const char *before;         /* what is shown before the line */
};

static void script_free(gpointer data)
{
	struct script *script = data;

	g_strfreev(script->lines);
	g_free(script->name);
	g_free(script);
}

/* --- standard input --------------------------------------------------------------------------- */

static void read_some(struct prompt *prompt)
{
	char bytes[4096];
	ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (count > 0)
		g_string_append_len(prompt->typed, bytes, count);
	else if (count == 0 || (errno != EAGAIN && errno != EINTR))
		prompt->ended = true;
}

/* Takes the text up to a newline or the end. *ret_line NULL: the input has ended. Returns false if
 * no line is complete. */
static bool take_typed(struct prompt *prompt, char **ret_line)
{
	const char *end = memchr(prompt->typed->str, '\n', prompt->typed->len);
	gsize length = end ? (gsize)(end - prompt->typed->str) : prompt->typed->len;
	bool may_end = !prompt->shared || prompt->terminal;

	if (!end && (!prompt->ended || (length == 0 && !may_end)))
		return false;
	*ret_line = end || length > 0 ? g_strndup(prompt->typed->str, length) : NULL;
	g_string_erase(prompt->typed, 0, (gssize)length + (end ? 1 : 0));
	return true;
}

static bool take_line(struct prompt *prompt)
{
	return prompt->editor ? line_editor_take(prompt->editor, &prompt->line)
	                      : take_typed(prompt, &prompt->line);
}

static void tell_waits(struct prompt *prompt, bool waits)
{
	prompt->waits = waits;
	if (prompt->owner->waits)
		prompt->owner->waits(prompt->owner->user, waits);
}

static void tell_shown(const struct prompt *prompt, const char *text)
{
	if (prompt->owner->shown)
		prompt->owner->shown(prompt->owner->user, text);
}

static void tell_line_shown(const struct prompt *prompt, const char *line)
{
	const bool is_answer = strcmp(prompt->before, PROMPT) != 0; /* the question is shown */
	g_autofree char *text = g_strdup_printf("%s%s\n", is_answer ? "" : PROMPT, line);

	tell_shown(prompt, text);
}

/* Takes a line from a page. Returns false if there is none. */
static bool take_other(struct prompt *prompt)
{
	if (g_queue_is_empty(prompt->others))
		return false;
	prompt->line = g_queue_pop_head(prompt->others);
	prompt->from_others = true;
	return true;
}

static void show(struct prompt *prompt)
{
	fflush(stdout);
	tell_waits(prompt, true);
	if (prompt->editor) {
		line_editor_begin(prompt->editor, prompt->before);
	} else {
		fputs(prompt->before, stdout);
		fflush(stdout);
	}
}

/* A line is complete: shows it, and stops the editing of another one. */
static void end_line(struct prompt *prompt)
{
	bool unseen = !prompt->terminal || (prompt->from_others && !prompt->editor);

	tell_waits(prompt, false);
	if (prompt->line)
		tell_line_shown(prompt, prompt->line);
	if (prompt->editor && prompt->from_others)
		line_editor_replace(prompt->editor, prompt->line);
	else if (prompt->editor)
		line_editor_end(prompt->editor);
	if (prompt->line && unseen)
		fprintf(stdout, "%s\n", prompt->line);
	prompt->from_others = false;
}

static void tell_owner(struct prompt *prompt)
{
	do {
		prompt->said = false;
		end_line(prompt);
		prompt->owner->said(prompt->owner->user, g_steal_pointer(&prompt->line));
		if (prompt->asks)
			show(prompt);
	} while (prompt->asks && take_other(prompt));
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct prompt *prompt = poll->data;

	(void)status;
	(void)events;
	if (prompt->editor)
		line_editor_read(prompt->editor);
	else
		read_some(prompt);
	if (prompt->ended && prompt->shared)
		uv_poll_stop(poll);
	if (prompt->said) /* one line at a time */
		return;
	prompt->said = take_line(prompt);
	if (prompt->asks && prompt->said)
		tell_owner(prompt);
}

static bool has_said(void *data)
{
	return ((const struct prompt *)data)->said;
}

static bool start_polling(struct prompt *prompt)
{
	uv_loop_t *loop = session_loop(prompt->session);

	if (!loop)
		return false;
	prompt->poll = g_new0(uv_poll_t, 1);
	if (uv_poll_init(loop, prompt->poll, STDIN_FILENO) != 0) {
		g_clear_pointer(&prompt->poll, g_free);
		return false;
	}
	prompt->poll->data = prompt;
	return true;
}

/* Some input may have been typed ahead. */
static void wait_for_line(struct prompt *prompt)
{
	prompt->said = take_other(prompt) || (!prompt->editor && take_typed(prompt, &prompt->line));
	while (!prompt->poll && !prompt->said && !prompt->ended) {
		read_some(prompt);
		prompt->said = take_typed(prompt, &prompt->line);
	}
	if (prompt->poll && !prompt->ended)
		uv_poll_start(prompt->poll, UV_READABLE, on_readable);
	if (prompt->poll || prompt->shared)
		session_wait(prompt->session, has_said, prompt);
	if (prompt->poll)
		uv_poll_stop(prompt->poll);
}

static char *read_typed(struct prompt *prompt)
{
	char *line;

	show(prompt);
	wait_for_line(prompt);
	if (!session_may_go_on(prompt->session))
		g_clear_pointer(&prompt->line, g_free);
	prompt->from_others = prompt->from_others && prompt->line;
	end_line(prompt);
	line = g_steal_pointer(&prompt->line);
	if (line)
		g_string_append_printf(prompt->read, "%s\n", line);
	else
		fputc('\n', stdout);
	return line;
}

void prompt_share(struct prompt *prompt)
{
	prompt->shared = true;
}

void prompt_say(struct prompt *prompt, char *line)
{
	g_queue_push_tail(prompt->others, line);
	if (!prompt->waits || prompt->said || !take_other(prompt))
		return;
	if (prompt->asks)
		tell_owner(prompt);
	else
		prompt->said = true;
}

void prompt_ask(struct prompt *prompt)
{
	if (!prompt->poll && !prompt->shared)
		return;
	prompt->asks = true;
	prompt->said = false;
	if (prompt->poll && !prompt->ended)
		uv_poll_start(prompt->poll, UV_READABLE, on_readable);
	show(prompt);
}

void prompt_ask_no_more(struct prompt *prompt)
{
	if (!prompt->asks)
		return;
	prompt->asks = false;
	if (prompt->poll)
		uv_poll_stop(prompt->poll);
	if (prompt->editor)
		line_editor_end(prompt->editor);
	else if (prompt->waits)
		fputc('\n', stdout);
	if (prompt->waits)
		tell_waits(prompt, false);
}

bool prompt_clear(struct prompt *prompt)
{
	if (!prompt->waits)
		return false;
	if (prompt->editor) {
		line_editor_clear(prompt->editor);
	} else {
		g_string_truncate(prompt->typed, 0);
		fprintf(stdout, "\n%s", prompt->before);
		fflush(stdout);
	}
	return true;
}

/* --- the prompt ------------------------------------------------------------------------------- */

/* A file in the user's state directory, which is created; NULL: there is no such directory. Free
 * with g_free. */
static char *history_file(void)
{
	const char *state = g_getenv(ENVIRONMENT_STATE);
	g_autofree char *directory = state && g_path_is_absolute(state)
	                                     ? g_build_filename(state, "matchpoint", NULL)
	                                     : g_build_filename(g_get_home_dir(), ".local", "state",
	                                                        "matchpoint", NULL);

	if (g_mkdir_with_parents(directory, 0700) != 0)
		return NULL;
	return g_build_filename(directory, "history", NULL);
}

static struct line_editor *open_editor(const struct prompt *prompt)
{
	g_autofree char *history = history_file();

	return line_editor_new(prompt->owner->complete, prompt->owner->user, history);
}

struct prompt *prompt_new(struct session *session, bool batch, const struct prompt_owner *owner)
{
	struct prompt *prompt = g_new0(struct prompt, 1);

	prompt->session = session;
	prompt->owner = owner;
	prompt->scripts = g_queue_new();
	prompt->others = g_queue_new();
	prompt->place = g_strdup("");
	prompt->before = PROMPT;
	prompt->batch = batch;
	prompt->terminal = isatty(STDIN_FILENO);
	prompt->typed = g_string_new(NULL);
	prompt->read = g_string_new(NULL);
	if (!batch && start_polling(prompt) && prompt->terminal)
		prompt->editor = open_editor(prompt);
	return prompt;
}

void prompt_free(struct prompt *prompt)
{
	if (!prompt)
		return;
	if (prompt->poll)
		uv_close((uv_handle_t *)prompt->poll, (uv_close_cb)(void (*)(void))g_free);
	line_editor_free(prompt->editor);
	g_queue_free_full(prompt->scripts, script_free);
	g_queue_free_full(prompt->others, g_free);
	g_string_free(prompt->typed, true);
	g_string_free(prompt->read, true);
	g_free(prompt->line);
	g_free(prompt->place);
	g_free(prompt);
}

bool prompt_add_script(struct prompt *prompt, const char *file, GError **error)
{
	g_autofree char *contents = NULL, *valid = NULL;
	struct script *script;
	gsize length;

	if (g_queue_get_length(prompt->scripts) >= SCRIPTS_MOST) {
		g_set_error(error, PROMPT_ERROR, 0, "%s: more than %d nested scripts", file,
		            SCRIPTS_MOST);
		return false;
	}
	if (!g_file_get_contents(file, &contents, &length, error))
		return false;
	valid = g_utf8_make_valid(contents, (gssize)length);
	script = g_new0(struct script, 1);
	script->name = g_strdup(file);
	script->lines = g_strsplit(g_strchomp(valid), "\n", -1);
	g_queue_push_head(prompt->scripts, script);
	return true;
}

void prompt_take_input(struct prompt *prompt, struct prompt_input *ret_input)
{
	prompt_input_clear(ret_input);
	ret_input->lines = g_string_free(prompt->read, false);
	ret_input->rest = g_string_free(prompt->typed, false);
	prompt->read = g_string_new(NULL);
	prompt->typed = g_string_new(NULL);
}

void prompt_repeat(struct prompt *prompt, const struct prompt_input *input)
{
	struct script *script;

	if (input->rest)
		g_string_append(prompt->typed, input->rest);
	if (!input->lines || !*input->lines)
		return;
	script = g_new0(struct script, 1);
	script->lines = g_strsplit(input->lines, "\n", -1);
	g_clear_pointer(&script->lines[g_strv_length(script->lines) - 1], g_free);
	g_queue_push_tail(prompt->scripts, script);
	g_string_append(prompt->read, input->lines);
}

void prompt_input_clear(struct prompt_input *input)
{
	g_clear_pointer(&input->lines, g_free);
	g_clear_pointer(&input->rest, g_free);
}

/* NULL: no line is left. */
static char *read_script(struct prompt *prompt)
{
	struct script *script;

	while ((script = g_queue_peek_head(prompt->scripts))) {
		const char *line = script->lines[script->next];

		if (line) {
			g_free(prompt->place);
			script->next++;
			prompt->place = script->name ? g_strdup_printf("%s:%u: ", script->name,
			                                               script->next)
			                             : g_strdup("");
			fprintf(stdout, "%s%s\n", prompt->before, line);
			tell_line_shown(prompt, line);
			return g_strdup(line);
		}
		script_free(g_queue_pop_head(prompt->scripts));
	}
	return NULL;
}

/* Whether the next line is one that was typed before. */
static bool repeats(const struct prompt *prompt)
{
	const struct script *script = g_queue_peek_head(prompt->scripts);

	return script && !script->name && script->lines[script->next];
}

char *prompt_read(struct prompt *prompt)
{
	char *line;

	if (!session_may_go_on(prompt->session))
		return NULL;
	line = read_script(prompt);
	if (line || prompt->batch)
		return line;
	g_free(prompt->place);
	prompt->place = g_strdup("");
	return read_typed(prompt);
}

bool prompt_confirm(struct prompt *prompt, const char *question)
{
	g_autofree char *before = g_strdup_printf("%s (y or n) ", question);
	char answer;

	prompt->before = before;
	do {
		g_autofree char *line = NULL;

		tell_shown(prompt, before);
		if (session_may_go_on(prompt->session))
			line = repeats(prompt) ? read_script(prompt) : read_typed(prompt);
		answer = line ? g_ascii_tolower(*g_strchug(line)) : 'n';
	} while (answer != 'y' && answer != 'n');
	prompt->before = PROMPT;
	return answer == 'y';
}

const char *prompt_place(const struct prompt *prompt)
{
	return prompt->place;
}

bool prompt_is_terminal(const struct prompt *prompt)
{
	return prompt->terminal && prompt->poll;
}

bool prompt_is_typed(const struct prompt *prompt)
{
	return prompt->terminal && !*prompt->place;
}

/* In columns; 0: standard output is no terminal, or its width is unknown. */
static guint terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void prompt_tell(struct prompt *prompt, const char *text)
{
	const struct colours colours = colours_of(stdout);
	g_autofree char *lines = wrapping_lines(text, terminal_width());
	g_autofree char *coloured = *colours.plain ? colouring_lines(lines, &colours) : NULL;

	fputs(coloured ? coloured : lines, stdout);
	fflush(stdout);
	tell_shown(prompt, text);
}
