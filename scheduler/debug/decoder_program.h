/* A program that reads the bytes of a message on standard input and prints their meaning. It runs
 * in a session of its own, so that Ctrl-C does not reach it, and ends with matchpoint. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DECODER_PROGRAM_H
#define MATCHPOINT_SCHEDULER_DEBUG_DECODER_PROGRAM_H

#include <glib.h>
#include <stdbool.h>

#define DECODER_TEXT_MOST 65536u /* bytes of an answer that are read */
#define DECODER_MS_MOST 10000u   /* time limit of an answer */

struct decoder_program;

/* Starts the program with these arguments (NULL-terminated; the first is found by PATH). `name` is
 * used in errors. `quiet` drops its standard error. Returns NULL with `error` set if it cannot be
 * started. */
struct decoder_program *decoder_program_new(const char *name, const char *const *words, bool quiet,
                                            GError **error);
/* Kills the program and the processes that it has started, if it has not ended. NULL is legal. */
void decoder_program_free(struct decoder_program *program);

/* Writes the bytes, closes its input, and reads its output to the end. Returns the answer as valid
 * UTF-8; NULL with `error` set (DECODERS_ERROR) on time-out or failure. Call it once. Free with
 * g_free. */
char *decoder_program_decode(struct decoder_program *program, const guint8 *bytes, gsize length,
                             guint milliseconds, GError **error);
/* Writes the bytes, and reads its output up to a NUL; the program then waits for more. Returns NULL
 * also if it has ended or its answer is too long; it cannot be asked again then. Free with
 * g_free. */
char *decoder_program_ask(struct decoder_program *program, const guint8 *bytes, gsize length,
                          guint milliseconds, GError **error);

#endif
