/* Replaces line_editor.h in a build without readline: the terminal's own line editing is used. */
#include "line_editor.h"

struct line_editor *line_editor_new(char **(*complete)(void *user, const char *line), void *user,
                                    const char *history)
{
	(void)complete;
	(void)user;
	(void)history;
	return NULL;
}

void line_editor_free(struct line_editor *editor)
{
	(void)editor;
}

void line_editor_begin(struct line_editor *editor, const char *prompt)
{
	(void)editor;
	(void)prompt;
}

void line_editor_read(struct line_editor *editor)
{
	(void)editor;
}

bool line_editor_take(struct line_editor *editor, char **ret_line)
{
	(void)editor;
	(void)ret_line;
	return false;
}

void line_editor_clear(struct line_editor *editor)
{
	(void)editor;
}

void line_editor_end(struct line_editor *editor)
{
	(void)editor;
}

void line_editor_replace(struct line_editor *editor, const char *line)
{
	(void)editor;
	(void)line;
}
