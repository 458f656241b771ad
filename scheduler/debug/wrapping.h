/* Wraps the prompt's output at the width of a terminal. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_WRAPPING_H
#define MATCHPOINT_SCHEDULER_DEBUG_WRAPPING_H

#include <glib.h>

/* The UTF-8 text in lines of at most `width` columns, where blanks allow it. What continues a line
 * is indented further than it. Words are not broken: paths can be copied. Free with g_free. */
char *wrapping_lines(const char *text, guint width);

#endif
