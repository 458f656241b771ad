/* What people write for the values of options, understood or complained about. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_VALUES_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_VALUES_H

#include <glib.h>
#include <stdbool.h>

/* The words that a value of this option can be ("buffering"), in the order of what they stand for,
 * NULL at the end; NULL: it takes no certain words. */
const char *const *command_words(const char *option);
/* The place of the word among them; -1 after having complained. */
int command_word(const char *option, const char *word);

/* Each returns false after having complained of `text`, which was given for `option`. */

/* "512M", "2G", "2GB" in bytes. */
bool command_size(const char *option, const char *text, guint64 *ret_bytes);

/* "90", "10s", "1.5m", "1.5min", "2h" in seconds. */
bool command_seconds(const char *option, const char *text, double *ret_seconds);

/* A number of ranks, from 1 up. */
bool command_ranks(const char *text, int *ret_ranks);

/* What mpiexec was to start, for the user who puts it in front of the program: "-n 4 ./app". NULL:
 * the program is no launcher. Free with g_free. */
char *command_behind_launcher(char *const *program);

#endif
