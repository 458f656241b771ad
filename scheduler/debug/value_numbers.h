/* The values that print has told, numbered in one row whatever rank they are of ("$3 = 41"), while
 * each rank's gdb has a row of its own. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_VALUE_NUMBERS_H
#define MATCHPOINT_SCHEDULER_DEBUG_VALUE_NUMBERS_H

#include <glib.h>

struct value_numbers;

struct value_numbers *value_numbers_new(void);
void value_numbers_free(struct value_numbers *numbers); /* NULL is legal */

/* What a rank's gdb has answered, with the next number if it is a value with one of its own. Free
 * with g_free. */
char *value_numbers_tell(struct value_numbers *numbers, int rank, const char *answer);

/* An expression for the rank's gdb: each value that it names ("$3 + 1") as that gdb numbers it.
 * NULL: one is not that rank's, or no longer known; *ret_problem (free with g_free) says so. Free
 * with g_free. */
char *value_numbers_ask(const struct value_numbers *numbers, int rank, const char *expression,
                        char **ret_problem);

/* The rank's gdb has ended, and knows its values no longer. */
void value_numbers_forget(struct value_numbers *numbers, int rank);

#endif
