/* Lines that are typed on a terminal, with editing, history and completion: by readline, where
 * matchpoint was built with it (line_editor_without.c: where not). There is one at a time. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_LINE_EDITOR_H
#define MATCHPOINT_SCHEDULER_DEBUG_LINE_EDITOR_H

#include <glib.h>
#include <stdbool.h>

struct line_editor;

/* `complete` tells the whole lines that one could become (g_strfreev). `history`: the file that
 * keeps what was typed, read now and written in the end; NULL: nothing is kept. NULL: there is no
 * such library, or standard input and output are no terminal. */
struct line_editor *line_editor_new(char **(*complete)(void *user, const char *line), void *user,
                                    const char *history);
void line_editor_free(struct line_editor *editor); /* NULL is legal */

/* Shows the prompt; from here on the terminal is the editor's, until a line is there. */
void line_editor_begin(struct line_editor *editor, const char *prompt);
/* Reads what was typed, of which there is something. */
void line_editor_read(struct line_editor *editor);
/* Whether a line is there, and takes it (g_free); NULL: the end of what is typed. */
bool line_editor_take(struct line_editor *editor, char **ret_line);
/* What was typed of a line is forgotten, and the prompt shown again. */
void line_editor_clear(struct line_editor *editor);
/* Another line stands there instead, as if it had been typed; what was typed is there again when
 * the next one begins. */
void line_editor_replace(struct line_editor *editor, const char *line);
/* No line is waited for any more: the terminal is as it was. */
void line_editor_end(struct line_editor *editor);

#endif
