#include "line_editor.h"

#include <readline/history.h>
#include <readline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_MOST 1000

struct line_editor {
	char **(*complete)(void *user, const char *line);
	void *user;
	char *history;
	char *line;
	char *kept; /* typed before another line replaced it; NULL: nothing */
	bool asks, done;
	char **lines; /* completions, while readline asks for them */
	guint next;
	int word; /* the word that they complete */
};

static struct line_editor *editing; /* readline's callbacks have no user pointer */

/* --- completion ------------------------------------------------------------------------------- */

/* The word of a line by number; NULL: there are not as many. Free with free. */
static char *word_of(const char *line, int index)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);

	return (int)g_strv_length(words) > index ? strdup(words[index]) : NULL;
}

static char *next_match(const char *text, int state)
{
	struct line_editor *editor = editing;

	if (state == 0)
		editor->next = 0;
	while (editor->lines[editor->next]) {
		char *word = word_of(editor->lines[editor->next++], editor->word);

		if (word && g_str_has_prefix(word, text))
			return word;
		free(word);
	}
	return NULL;
}

static char **find_matches(const char *text, int start, int end)
{
	struct line_editor *editor = editing;
	g_autofree char *line = g_strndup(rl_line_buffer, (gsize)end);
	char **matches;

	if (g_str_has_prefix(line, "source "))
		return NULL; /* readline's own completion, of file names */
	rl_attempted_completion_over = 1;
	editor->word = 0;
	for (int i = 0; i < start; i++)
		editor->word += line[i] == ' ' && (i == 0 || line[i - 1] != ' ');
	editor->lines = editor->complete(editor->user, line);
	matches = rl_completion_matches(text, next_match);
	g_clear_pointer(&editor->lines, g_strfreev);
	return matches;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void on_line(char *line)
{
	struct line_editor *editor = editing;

	rl_callback_handler_remove();
	editor->asks = false;
	editor->done = true;
	if (line && *line)
		add_history(line);
	editor->line = g_strdup(line);
	free(line);
}

struct line_editor *line_editor_new(char **(*complete)(void *user, const char *line), void *user,
                                    const char *history)
{
	struct line_editor *editor;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return NULL;
	editor = editing = g_new0(struct line_editor, 1);
	editor->complete = complete;
	editor->user = user;
	editor->history = g_strdup(history);
	rl_readline_name = "matchpoint";
	rl_catch_signals = 0;
	rl_completer_word_break_characters = " ";
	rl_attempted_completion_function = find_matches;
	using_history();
	stifle_history(HISTORY_MOST);
	if (history)
		read_history(history);
	return editor;
}

void line_editor_free(struct line_editor *editor)
{
	if (!editor)
		return;
	line_editor_end(editor);
	if (editor->history)
		write_history(editor->history);
	clear_history();
	editing = NULL;
	g_free(editor->history);
	g_free(editor->kept);
	g_free(editor->line);
	g_free(editor);
}

void line_editor_begin(struct line_editor *editor, const char *prompt)
{
	editor->asks = true;
	editor->done = false;
	rl_callback_handler_install(prompt, on_line);
	if (!editor->kept)
		return;
	rl_insert_text(editor->kept);
	rl_redisplay();
	g_clear_pointer(&editor->kept, g_free);
}

void line_editor_read(struct line_editor *editor)
{
	if (editor->asks)
		rl_callback_read_char();
}

bool line_editor_take(struct line_editor *editor, char **ret_line)
{
	if (!editor->done)
		return false;
	editor->done = false;
	*ret_line = g_steal_pointer(&editor->line);
	return true;
}

void line_editor_clear(struct line_editor *editor)
{
	if (!editor->asks)
		return;
	fputs("^C\n", stdout);
	rl_free_line_state();
	rl_callback_sigcleanup();
	rl_replace_line("", 0);
	rl_on_new_line();
	rl_redisplay();
}

void line_editor_replace(struct line_editor *editor, const char *line)
{
	if (!editor->asks)
		return;
	g_free(editor->kept);
	editor->kept = *rl_line_buffer ? g_strdup(rl_line_buffer) : NULL;
	rl_replace_line(line, 1);
	rl_point = rl_end;
	rl_redisplay();
	line_editor_end(editor);
}

void line_editor_end(struct line_editor *editor)
{
	if (!editor->asks)
		return;
	editor->asks = false;
	rl_callback_handler_remove();
	fputc('\n', stdout);
	fflush(stdout);
}
