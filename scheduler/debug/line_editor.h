/* Reads lines from a terminal, with editing, history and completion, by readline.
 * line_editor_without.c replaces it in a build without readline. There is one editor at a time. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_LINE_EDITOR_H
#define MATCHPOINT_SCHEDULER_DEBUG_LINE_EDITOR_H

#include <glib.h>
#include <stdbool.h>

struct line_editor;

/* `complete` returns the completions of a line, as whole lines (g_strfreev). `history`: file of the
 * typed lines, read now and written at the end; NULL: none. Returns NULL if there is no readline,
 * or standard input or output is not a terminal. */
struct line_editor *line_editor_new(char **(*complete)(void *user, const char *line), void *user,
                                    const char *history);
void line_editor_free(struct line_editor *editor); /* NULL is legal */

/* Shows the prompt. The editor has the terminal until a line is complete. */
void line_editor_begin(struct line_editor *editor, const char *prompt);
/* Reads input that is available. */
void line_editor_read(struct line_editor *editor);
/* Whether a line is complete. *ret_line is the line (g_free); NULL: the end of input. */
bool line_editor_take(struct line_editor *editor, char **ret_line);
/* Drops the typed part of a line, and shows the prompt again. */
void line_editor_clear(struct line_editor *editor);
/* Shows another line, as if it had been typed. What was typed is restored for the next line. */
void line_editor_replace(struct line_editor *editor, const char *line);
/* Stops waiting for a line, and restores the terminal. */
void line_editor_end(struct line_editor *editor);

#endif
