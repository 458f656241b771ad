/* Highlights parts of the prompt's output: the stop, numbers that can be typed, and the current
 * source line. Pure. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_COLOURING_H
#define MATCHPOINT_SCHEDULER_DEBUG_COLOURING_H

#include "reports/colours.h"

/* Returns the lines with these colours. Free with g_free. */
char *colouring_lines(const char *text, const struct colours *colours);

#endif
