/* Values of options, as users write them. Each is parsed, or an error is printed. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_VALUES_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_VALUES_H

#include <glib.h>
#include <stdbool.h>

/* The words that an option ("buffering") accepts, in the order of what they stand for, ended by
 * NULL. NULL: the option has no fixed words. */
const char *const *command_words(const char *option);
bool command_words_have(const char *option, const char *word);
/* The word's index among them; -1 after printing an error. */
int command_word(const char *option, const char *word);

/* Each returns false after printing an error about `text`, the value of `option`. */

/* Parses "512M", "2G", "2GB"; the result is in bytes. */
bool command_size(const char *option, const char *text, guint64 *ret_bytes);

/* Parses "90", "10s", "1.5m", "1.5min", "2h"; the result is in seconds. */
bool command_seconds(const char *option, const char *text, double *ret_seconds);

/* Parses a number of ranks, at least 1. */
bool command_ranks(const char *text, int *ret_ranks);

/* If the program is a launcher, what it was to start, as matchpoint's arguments: "-n 4 ./app".
 * NULL: the program is no launcher. Free with g_free. */
char *command_behind_launcher(char *const *program);

#endif
