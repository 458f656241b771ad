/* Where the lines of a person come from, one at a time: scripts first, then standard input, edited
 * on a terminal (line_editor.h). While one is waited for the session goes on with what it has to
 * see to. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_PROMPT_H
#define MATCHPOINT_SCHEDULER_DEBUG_PROMPT_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/session/scripted_session.h"

struct prompt;

/* Who has the prompt. */
struct prompt_owner {
	/* The whole lines that one could become (g_strfreev). */
	char **(*complete)(void *user, const char *line);
	/* A line that prompt_ask has asked for (the owner's); NULL: there is none any more. */
	void (*said)(void *user, char *line);
	/* A line is waited for, or is not any more. NULL: nobody wants to know; also below. */
	void (*waits)(void *user, bool waits);
	/* What stands on the terminal now: a line that was said, behind the prompt, or something
	 * told. */
	void (*shown)(void *user, const char *text);
	void *user;
};

/* `session` and `owner` outlive it. With `batch` nothing is read but scripts. */
struct prompt *prompt_new(struct session *session, bool batch, const struct prompt_owner *owner);
void prompt_free(struct prompt *prompt); /* NULL is legal */

/* The lines of this file come next. false with `error` set: it cannot be read, or scripts call each
 * other without end. */
bool prompt_add_script(struct prompt *prompt, const char *file, GError **error);

/* The next line, without its newline; it has been shown behind the prompt unless whoever typed it
 * sees it. NULL: there is none any more, or the session is to end. Free with g_free. */
char *prompt_read(struct prompt *prompt);

/* From here on the owner is told each line that is typed, while the session goes on, until the
 * second is called. Only for a terminal. */
void prompt_ask(struct prompt *prompt);
void prompt_ask_no_more(struct prompt *prompt);

/* Others say lines, too: the end of standard input is not the end of them, unless somebody types
 * it. */
void prompt_share(struct prompt *prompt);
/* One of them (the prompt's), from a turn of the loop: as if it were typed now, or next. */
void prompt_say(struct prompt *prompt, char *line);

/* Ctrl-C: what was typed of a line is forgotten. false: no line is waited for. */
bool prompt_clear(struct prompt *prompt);

/* Where the line that was read last stands, "FILE:3: "; "": it was typed. */
const char *prompt_place(const struct prompt *prompt);
/* Whether a person sits there; and has typed the last line. */
bool prompt_is_terminal(const struct prompt *prompt);
bool prompt_is_typed(const struct prompt *prompt);

/* Tells something: to standard output, at once. */
void prompt_tell(struct prompt *prompt, const char *text);

#define PROMPT_ERROR (prompt_error_quark())
GQuark prompt_error_quark(void);

#endif
