/* What pages may say. Pure. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_READ_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_READ_H

#include <glib.h>
#include <stdbool.h>

/* What a page has said, without the 0 behind it: *ret_line is a line for the prompt (the caller's),
 * or NULL where *ret_interrupts. false: it is nothing that a page says, or comes from a stop other
 * than `stop`; *ret_problem (the caller's) says what. */
bool page_read(const char *bytes, gsize length, guint32 stop, char **ret_line, bool *ret_interrupts,
               char **ret_problem);

/* Whether it asks what is in the messages of a rank's call ("look 1.4"), as every page may. */
bool page_read_look(const char *bytes, gsize length, int *ret_rank, guint32 *ret_call);

#endif
