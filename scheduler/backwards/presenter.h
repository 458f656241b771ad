/* gdbserver, which shows a process that stands still: registers, the description of the target, its
 * libraries, files. It never resumes the process. One gdbserver serves for all processes. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_PRESENTER_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_PRESENTER_H

#include <glib.h>
#include <stdbool.h>

#include "traced.h"

struct presenter;

/* Starts gdbserver. NULL with `error` set: it is missing, or does not answer. */
struct presenter *presenter_new(GError **error);
/* Ends gdbserver. NULL is legal. */
void presenter_free(struct presenter *presenter);

/* Lends the process to gdbserver, and takes it back. In between it must not be moved. */
bool presenter_attach(struct presenter *presenter, struct traced *traced, GError **error);
bool presenter_detach(struct presenter *presenter, struct traced *traced, GError **error);

/* gdbserver's answer to a packet of this length. NULL with `error` set. Free with g_string_free. */
GString *presenter_ask(struct presenter *presenter, const char *packet, gsize length,
                       GError **error);

#define PRESENTER_ERROR (presenter_error_quark())
GQuark presenter_error_quark(void);

#endif
