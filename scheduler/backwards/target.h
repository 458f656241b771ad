/* What gdb talks to: one process, which stands at a moment and is moved forwards and backwards. The
 * process behind it changes; gdb sees one thread, number 1. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_TARGET_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_TARGET_H

#include <glib.h>
#include <stdbool.h>

#include "replayer.h"
#include "traced.h"

struct target;

/* Starts the process and gdbserver, and stands at the start. `every` as in server.h; keeps
 * `replayer` and `interrupt`. NULL with `error` set. */
struct target *target_new(const struct replayer *replayer, guint64 every,
                          const struct interrupt *interrupt, GError **error);
/* Ends all processes. NULL is legal. */
void target_free(struct target *target);

/* Answers a packet of gdb's; an empty answer says that it is not understood. *ret_is_last: gdb
 * leaves. False with `error` set: the target is lost. */
bool target_answer(struct target *target, const GString *packet, GString *answer, bool *ret_is_last,
                   GError **error);
/* What the user is to be told before the answer to a motion, in lines; free with g_free. NULL:
 * nothing. */
char *target_take_news(struct target *target);

#endif
