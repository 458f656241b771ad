/* Decoders for the bytes of messages: pickles (pickles.h), and the user's programs, which read the
 * bytes and print text or JSON. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DECODERS_H
#define MATCHPOINT_SCHEDULER_DEBUG_DECODERS_H

#include <glib.h>

struct decoders;

struct decoders *decoders_new(void);
void decoders_free(struct decoders *decoders); /* NULL is legal */

/* Sets a decoder, "[tag T] [comm C] COMMAND", for messages with these; the last one that matches is
 * used. COMMAND is for a shell, or `pickle`, or `hex` (shown as bytes). "off" removes all. Returns
 * NULL, or what is wrong with the text (free with g_free). */
char *decoders_set(struct decoders *decoders, const char *text);

/* The command for such a message; NULL: none is set. */
const char *decoders_find(const struct decoders *decoders, gint32 tag, const char *comm);

/* The output of the command for these bytes, as lines; JSON with one value a line. NULL with
 * `error` set if the command cannot be started, fails, or takes too long. Free with g_free. */
char *decoders_run(const char *command, const guint8 *bytes, gsize length, GError **error);

/* Formats JSON, one value a line; returns other text unchanged. Free with g_free. */
char *decoders_indent(const char *text);

#define DECODERS_ERROR (decoders_error_quark())
GQuark decoders_error_quark(void);

#endif
