/* Parses messages from pages. Pure. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_READ_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_READ_H

#include <glib.h>
#include <stdbool.h>

/* Parses a message of `length` bytes. *ret_line is a line for the prompt (free with g_free), or
 * NULL with *ret_interrupts set. Returns false with *ret_problem (free with g_free) for an invalid
 * message, or one for a stop other than `stop`. */
bool page_read(const char *bytes, gsize length, guint32 stop, char **ret_line, bool *ret_interrupts,
               char **ret_problem);

/* Whether a message asks for the contents of a call's messages ("look 1.4"). Every page may ask
 * this. */
bool page_read_look(const char *bytes, gsize length, int *ret_rank, guint32 *ret_call);

#endif
