/* Numbers of the values that `print` shows ("$3 = 41"), consecutive over all ranks. Each rank's gdb
 * has numbers of its own, which are translated here. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_VALUE_NUMBERS_H
#define MATCHPOINT_SCHEDULER_DEBUG_VALUE_NUMBERS_H

#include <glib.h>

struct value_numbers;

struct value_numbers *value_numbers_new(void);
void value_numbers_free(struct value_numbers *numbers); /* NULL is legal */

/* A gdb's answer, with the next number if it is a value with a number of gdb's. Free with
 * g_free. */
char *value_numbers_tell(struct value_numbers *numbers, int rank, const char *answer);

/* An expression for a rank's gdb, with each value's number ("$3 + 1") replaced by that gdb's. NULL
 * with *ret_problem (free with g_free) if a value is another rank's, or no longer known. Free with
 * g_free. */
char *value_numbers_ask(const struct value_numbers *numbers, int rank, const char *expression,
                        char **ret_problem);

/* The rank's gdb has ended; its values are no longer known. */
void value_numbers_forget(struct value_numbers *numbers, int rank);

#endif
