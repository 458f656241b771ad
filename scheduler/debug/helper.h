/* matchpoint itself as a process of its own beside a session that stands still, for what it does
 * better alone (explore, minimize): what it prints is the session's to tell. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_HELPER_H
#define MATCHPOINT_SCHEDULER_DEBUG_HELPER_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

struct helper;

/* Starts it with these words behind its name (NULL-terminated). `told` is called from turns of the
 * loop, with whole lines of its standard output; what it complains of comes there, too, unless
 * there is a terminal for it. Ctrl-C on that terminal reaches it. NULL with `error` set. */
struct helper *helper_new(uv_loop_t *loop, char *const *words,
                          void (*told)(void *user, const char *text), void *user, GError **error);
/* Ends it, if it has not ended. NULL is legal. */
void helper_free(struct helper *helper);

/* Whether it has; for session_wait. */
bool helper_has_ended(void *helper);
/* What it has exited with; -1: not, or by a signal. */
int helper_status(const struct helper *helper);

/* Asks it to stop where it is, as Ctrl-C would. */
void helper_interrupt(struct helper *helper);

#endif
