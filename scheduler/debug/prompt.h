/* Supplies lines one at a time: from scripts first, then from standard input, edited on a terminal
 * (line_editor.h). While it waits for a line, the session's loop runs. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_PROMPT_H
#define MATCHPOINT_SCHEDULER_DEBUG_PROMPT_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/session/scripted_session.h"

struct prompt;

/* Callbacks of the prompt's owner. */
struct prompt_owner {
	/* Completions of a line, as whole lines (g_strfreev). */
	char **(*complete)(void *user, const char *line);
	/* A line requested by prompt_ask (the owner frees it); NULL: there are no more. */
	void (*said)(void *user, char *line);
	/* A line is waited for, or no longer. This and the next may be NULL. */
	void (*waits)(void *user, bool waits);
	/* New text on the terminal: a line after the prompt, or output. */
	void (*shown)(void *user, const char *text);
	void *user;
};

/* `session` and `owner` must outlive the prompt. `batch`: reads only scripts. */
struct prompt *prompt_new(struct session *session, bool batch, const struct prompt_owner *owner);
void prompt_free(struct prompt *prompt); /* NULL is legal */

/* What was read of standard input, and from pages, for another prompt that begins again. */
struct prompt_input {
	char *lines; /* those that were read, each with its newline; NULL: none */
	char *rest;  /* what was not read yet; NULL: nothing */
};

/* Moves it out of a prompt; *ret_input is cleared first. prompt_repeat has another prompt read it
 * again, behind all scripts; an empty one is legal. */
void prompt_take_input(struct prompt *prompt, struct prompt_input *ret_input);
void prompt_repeat(struct prompt *prompt, const struct prompt_input *input);
void prompt_input_clear(struct prompt_input *input);

/* Reads the lines of this file next. Returns false with `error` set if it cannot be read, or
 * scripts include each other without end. */
bool prompt_add_script(struct prompt *prompt, const char *file, GError **error);

/* The next line, without its newline. It has been printed after the prompt, unless it was typed on
 * a terminal. NULL: there are no more, or the session is to end. Free with g_free. */
char *prompt_read(struct prompt *prompt);

/* Asks "QUESTION (y or n)" instead of the prompt, until the answer begins with one of them. Returns
 * whether it is y; the end of input is n. */
bool prompt_confirm(struct prompt *prompt, const char *question);

/* Passes each typed line to the owner while the session goes on, until prompt_ask_no_more. For
 * terminals only. */
void prompt_ask(struct prompt *prompt);
void prompt_ask_no_more(struct prompt *prompt);

/* Pages supply lines, too: the end of standard input does not end the session, unless it was
 * typed. */
void prompt_share(struct prompt *prompt);
/* A line from a page (taken over), from a turn of the loop; read as if typed now, or next. */
void prompt_say(struct prompt *prompt, char *line);

/* Ctrl-C: drops the typed part of a line. Returns false if no line is waited for. */
bool prompt_clear(struct prompt *prompt);

/* The place of the last line, "FILE:3: "; "": it was typed. */
const char *prompt_place(const struct prompt *prompt);
/* Whether standard input is a terminal; whether the last line was typed there. */
bool prompt_is_terminal(const struct prompt *prompt);
bool prompt_is_typed(const struct prompt *prompt);

/* Prints to standard output, at once. */
void prompt_tell(struct prompt *prompt, const char *text);

#define PROMPT_ERROR (prompt_error_quark())
GQuark prompt_error_quark(void);

#endif
