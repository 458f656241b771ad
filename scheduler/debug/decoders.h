/* What makes words of the bytes of messages: pickles (pickles.h), and programs of the user's own,
 * which get the bytes and print text or JSON. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DECODERS_H
#define MATCHPOINT_SCHEDULER_DEBUG_DECODERS_H

#include <glib.h>

struct decoders;

struct decoders *decoders_new(void);
void decoders_free(struct decoders *decoders); /* NULL is legal */

/* "[tag T] [comm C] COMMAND": for messages with these, the last one that fits counts. COMMAND is a
 * shell's, or `pickle`, or `hex` (they stay bytes); "off" forgets all. NULL, or what is wrong with
 * the text; free with g_free. */
char *decoders_set(struct decoders *decoders, const char *text);

/* The command for such a message; NULL: none was set. */
const char *decoders_find(const struct decoders *decoders, gint32 tag, const char *comm);

/* What the command prints of these bytes, as lines; JSON with a line for each of its values. NULL
 * with `error` set: it cannot be started, fails, or takes too long. Free with g_free. */
char *decoders_run(const char *command, const guint8 *bytes, gsize length, GError **error);

/* JSON, one value a line; other text as it is. Free with g_free. */
char *decoders_indent(const char *text);

#define DECODERS_ERROR (decoders_error_quark())
GQuark decoders_error_quark(void);

#endif
