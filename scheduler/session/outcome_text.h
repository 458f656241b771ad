/* One text that an interleaving leaves, as units that can be compared: the lines of a rank's output
 * or of a text file, or the blocks of a binary file. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_TEXT_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_TEXT_H

#include <glib.h>
#include <stdbool.h>

#define OUTCOME_TEXT_BLOCK 16u /* bytes of a unit of a binary file */
#define OUTCOME_TEXT_ABSENT 1  /* the hash of the only unit of a missing file */

/* Whether a file is binary: the beginning has bytes that no text has. NULL (a missing file) is
 * not. */
bool outcome_text_is_binary(GBytes *text);

/* A hash (guint64) for each unit. NULL: a missing file. */
GArray *outcome_text_units(GBytes *text, bool binary);

/* The lines of each of the first `count` texts, as outcome_text_units returns them. Free with
 * g_ptr_array_unref. */
GPtrArray *outcome_text_lines(const GPtrArray *texts, guint count);

/* Whether these units are those of a missing file. */
bool outcome_text_is_absent(const GArray *units);

/* A unit, shortened and printable: a line, or the bytes of a block in hexadecimal. NULL: there is
 * no such unit. */
char *outcome_text_show(GBytes *text, bool binary, guint unit);

#endif
