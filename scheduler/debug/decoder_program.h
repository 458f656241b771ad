/* A program that gets the bytes of a message on standard input and prints what they mean. It runs
 * in a session of its own, so that Ctrl-C does not reach it, and ends with matchpoint. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DECODER_PROGRAM_H
#define MATCHPOINT_SCHEDULER_DEBUG_DECODER_PROGRAM_H

#include <glib.h>
#include <stdbool.h>

#define DECODER_TEXT_MOST 65536u /* bytes of an answer that are taken */
#define DECODER_MS_MOST 10000u   /* that an answer may take */

struct decoder_program;

/* Starts these words (NULL-terminated; the first is found by PATH). `name` is what errors call it.
 * `quiet`: what it prints to standard error is dropped. NULL with `error` set: it cannot be
 * started. */
struct decoder_program *decoder_program_new(const char *name, const char *const *words, bool quiet,
                                            GError **error);
/* Kills it and what it has started, if it has not ended. NULL is legal. */
void decoder_program_free(struct decoder_program *program);

/* Writes these bytes, closes its input, and reads its output to the end: the answer, as valid
 * UTF-8. NULL with `error` set (DECODERS_ERROR): it took longer than this, or failed. Once. Free
 * with g_free. */
char *decoder_program_decode(struct decoder_program *program, const guint8 *bytes, gsize length,
                             guint milliseconds, GError **error);
/* Writes them, and reads its output to a NUL: the program waits for more. NULL: also, it has ended
 * or its answer is too long; it answers no more then. */
char *decoder_program_ask(struct decoder_program *program, const guint8 *bytes, gsize length,
                          guint milliseconds, GError **error);

#endif
