/* Runs matchpoint as a process of its own beside a waiting session, for explore and minimize. The
 * session prints its output. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_HELPER_H
#define MATCHPOINT_SCHEDULER_DEBUG_HELPER_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

struct helper;

/* Starts matchpoint with these arguments (NULL-terminated), in this environment (NULL: our own).
 * `told` is called from turns of the loop with whole lines of its standard output; standard error
 * is included unless there is a terminal for it. Ctrl-C on that terminal reaches it. Returns NULL
 * with `error` set. */
struct helper *helper_new(uv_loop_t *loop, char *const *words, char **environment,
                          void (*told)(void *user, const char *text), void *user, GError **error);
/* Ends the process if it still runs. NULL is legal. */
void helper_free(struct helper *helper);

/* Whether the process has ended; for session_wait. */
bool helper_has_ended(void *helper);
/* Its exit status; -1: still running, or ended by a signal. */
int helper_status(const struct helper *helper);

/* Asks it to stop, as Ctrl-C does. */
void helper_interrupt(struct helper *helper);

#endif
